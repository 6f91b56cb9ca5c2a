//! The data cases of `testdata/` (its README says what the fields mean), answered by the engine. Every file must be there,
//! every field of a case must be one that is read here, and a failure names the case.

#![allow(clippy::unwrap_used, clippy::panic)] // a test's way to fail

use std::collections::HashSet;
use std::fs;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use bytepair::count::Counts;
use bytepair::decode::Utf8Stream;
use bytepair::split::presets;
use bytepair::tokenizer::{DecodeOptions, EncodeOptions, UnknownId, UnknownSymbol};
use bytepair::train::{Goal, Stopped, Ties, TrainOptions, symbols, train};
use bytepair::{Allowed, Alphabet, EndOfWord, SpecialToken, SpecialTokens, Splitter, Tokenizer, Vocabulary};
use serde_json::Value;

const COMMON: &[&str] = &["id", "why", "raises"];
const VOCABULARY: &[&str] = &[
    "base",
    "tokens",
    "merges",
    "whole_first",
    "specials",
    "pattern",
    "alphabet",
    "end_of_word",
    "end_of_word_joined",
];

/// Runs `check` with every case of a file; a field that is neither common nor in `known` fails.
fn each(name: &str, known: &[&[&str]], check: impl Fn(&Value)) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name).with_extension("json");
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let data: Value = serde_json::from_str(&text).unwrap();
    let cases = data["cases"].as_array().unwrap();
    assert!(!cases.is_empty(), "{name}.json has no cases");
    let mut failed = Vec::new();
    for case in cases {
        let id = case["id"].as_str().unwrap();
        for field in case.as_object().unwrap().keys() {
            let read = COMMON.contains(&field.as_str()) || known.iter().any(|known| known.contains(&field.as_str()));
            assert!(read, "{name}.json, {id}: this test does not read `{field}`");
        }
        if catch_unwind(AssertUnwindSafe(|| check(case))).is_err() {
            failed.push(id);
        }
    }
    assert!(failed.is_empty(), "{name}.json: {failed:?} failed, see above");
}

/// A string of the data as bytes.
fn octets(value: &Value) -> Vec<u8> {
    if let Some(text) = value.as_str() {
        return text.as_bytes().to_vec();
    }
    let hex = value["hex"].as_str().unwrap();
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> u32 {
    u32::try_from(value.as_u64().unwrap()).unwrap()
}

fn size(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<u32> {
    list(value).iter().map(number).collect()
}

fn spans(value: &Value) -> Vec<(usize, usize)> {
    list(value).iter().map(|span| (size(&span[0]), size(&span[1]))).collect()
}

fn alphabet(case: &Value) -> Alphabet {
    match case["alphabet"].as_str().unwrap_or("bytes") {
        "bytes" => Alphabet::Bytes,
        "characters" => {
            let joined = case["end_of_word_joined"].as_bool().unwrap_or(false);
            let mark = case["end_of_word"].as_str().map(str::to_owned);
            Alphabet::Characters { end_of_word: mark.map(|mark| EndOfWord { mark, joined }) }
        }
        other => panic!("alphabet {other}"),
    }
}

fn splitter(case: &Value) -> Splitter {
    match (case["pattern"].as_str(), alphabet(case)) {
        (Some(pattern), _) => Splitter::new(presets::pattern(pattern).unwrap_or(pattern)).unwrap(),
        (None, Alphabet::Bytes | Alphabet::Unicode { .. }) => Splitter::whole(),
        (None, Alphabet::Characters { .. } | Alphabet::MarkedBytes { .. }) => Splitter::white_space(),
    }
}

fn specials<'a>(tokens: impl Iterator<Item = (&'a str, u32)>) -> SpecialTokens {
    let token = |(content, id): (&str, u32)| SpecialToken {
        content: content.to_owned(),
        id,
        special: true,
        ..SpecialToken::default()
    };
    SpecialTokens::new(tokens.map(token).collect()).unwrap()
}

/// The tokenizer of a case.
fn tokenizer(case: &Value) -> Tokenizer {
    let mut tokens: Vec<(u32, Vec<u8>)> = match case["base"].as_str() {
        Some("bytes") => (0..=u8::MAX).map(|byte| (u32::from(byte), vec![byte])).collect(),
        None => Vec::new(),
        Some(other) => panic!("base {other}"),
    };
    tokens.extend(list(&case["tokens"]).iter().map(|token| (number(&token[0]), octets(&token[1]))));
    let vocabulary = if case["merges"].is_null() {
        Vocabulary::from_ranks(tokens).unwrap()
    } else {
        let merges = list(&case["merges"]).iter().map(|pair| (number(&pair[0]), number(&pair[1]))).collect();
        let whole_first = case["whole_first"].as_bool().unwrap_or(false);
        Vocabulary::from_merges(alphabet(case), tokens, merges, whole_first).unwrap()
    };
    let named = case["specials"].as_object().into_iter().flatten();
    let named = specials(named.map(|(content, id)| (content.as_str(), number(id))));
    Tokenizer::new(splitter(case), vocabulary, named).unwrap()
}

/// Calls `use_options` with the options of a case's encoding.
fn with_options<T>(tokenizer: &Tokenizer, case: &Value, use_options: impl FnOnce(EncodeOptions<'_>) -> T) -> T {
    let allowed = list(&case["allowed"]).iter().map(|name| name.as_str().unwrap());
    let allowed: HashSet<u32> = allowed.map(|name| tokenizer.specials().by_content(name).unwrap().id).collect();
    let unknown = match case["unknown"].as_str().unwrap_or("raise") {
        "raise" => UnknownSymbol::Raise,
        "skip" => UnknownSymbol::Skip,
        "unk" => UnknownSymbol::Replace(tokenizer.specials().by_content("<unk>").unwrap().id),
        other => panic!("unknown {other}"),
    };
    use_options(EncodeOptions { allowed: Allowed::Only(&allowed), unknown, ..EncodeOptions::default() })
}

/// An error of a case that must fail.
fn assert_raises<T: std::fmt::Debug>(case: &Value, result: Result<T, String>) {
    let error = result.unwrap_err();
    for part in list(&case["raises"]) {
        assert!(error.contains(part.as_str().unwrap()), "{part} is missing: {error}");
    }
}

#[test]
fn train_cases() {
    let known = [
        "texts",
        "counts",
        "vocab_size",
        "num_merges",
        "ties",
        "min_count",
        "max_token_bytes",
        "special_tokens",
        "alphabet",
        "end_of_word",
        "end_of_word_joined",
        "pattern",
        "merges",
        "n_vocab",
        "stopped",
        "special_ids",
    ];
    each("train", &[&known], check_training);
}

fn check_training(case: &Value) {
    let alphabet = alphabet(case);
    let names: Vec<&str> = list(&case["special_tokens"]).iter().map(|name| name.as_str().unwrap()).collect();
    let boundaries = specials(names.iter().copied().zip(0..));
    let mut counts = Counts::default();
    for pretoken in list(&case["counts"]) {
        counts.add(&octets(&pretoken[0]), pretoken[1].as_u64().unwrap()).unwrap();
    }
    for text in list(&case["texts"]) {
        counts.add_document(&splitter(case), &boundaries, &octets(text)).unwrap();
    }
    assert!(case["texts"].is_array() != case["counts"].is_array(), "one source");
    let goal = match (&case["vocab_size"], &case["num_merges"]) {
        (tokens, Value::Null) => Goal::Tokens(size(tokens).saturating_sub(names.len())),
        (Value::Null, merges) => Goal::Merges(size(merges)),
        _ => panic!("two goals"),
    };
    let options = TrainOptions {
        alphabet: alphabet.clone(),
        goal,
        ties: match case["ties"].as_str().unwrap_or("lowest") {
            "lowest" => Ties::Lowest,
            "first" => Ties::First,
            "huggingface" => Ties::HuggingFace,
            "greatest" => Ties::Greatest,
            other => panic!("ties {other}"),
        },
        min_count: case["min_count"].as_u64().unwrap_or(1),
        max_token_bytes: (!case["max_token_bytes"].is_null()).then(|| size(&case["max_token_bytes"])),
        whole_characters: false,
    };
    let training = train(&counts, &options, |_, _| ControlFlow::Continue(()));
    if !case["raises"].is_null() {
        // The engine knows no special tokens in training, so its numbers are smaller by as many.
        let error = training.unwrap_err().to_string();
        let base = symbols(&counts, &[], &alphabet).unwrap().len();
        let size = size(&case["vocab_size"]) - names.len();
        assert!(error.contains(&size.to_string()) && error.contains(&base.to_string()), "{error}");
        return;
    }
    let training = training.unwrap();
    let content = |id| training.vocabulary.content(id).unwrap().to_vec();
    let merges: Vec<_> =
        training.merges.iter().map(|m| (content(m.left), content(m.right), m.id, m.count, m.fired)).collect();
    let expected =
        |m: &Value| (octets(&m[0]), octets(&m[1]), number(&m[2]), m[3].as_u64().unwrap(), m[4].as_u64().unwrap());
    assert_eq!(merges, list(&case["merges"]).iter().map(expected).collect::<Vec<_>>());
    let stopped = match training.stopped {
        Stopped::Goal => "goal",
        Stopped::NoPairs => "no pairs",
        Stopped::MinCount => "min count",
    };
    assert_eq!(stopped, case["stopped"]);
    let first = training.vocabulary.n_vocab();
    assert_eq!(first + names.len(), size(&case["n_vocab"]));
    for (id, name) in (first..).zip(&names) {
        assert_eq!(size(&case["special_ids"][*name]), id);
    }
}

#[test]
fn encode_cases() {
    each("encode", &[VOCABULARY, &["input", "allowed", "unknown", "ids", "decoded"]], |case| {
        let tokenizer = tokenizer(case);
        let text = octets(&case["input"]);
        let mut ids = Vec::new();
        let done = with_options(&tokenizer, case, |options| tokenizer.encode(&text, options, &mut ids));
        if !case["raises"].is_null() {
            return assert_raises(case, done.map_err(|e| e.to_string()));
        }
        done.unwrap();
        assert_eq!(ids, numbers(&case["ids"]));
        let count = with_options(&tokenizer, case, |options| tokenizer.count(&text, options));
        assert_eq!(count.unwrap(), ids.len());
        let mut bytes = Vec::new();
        tokenizer.decode(&ids, DecodeOptions::default(), &mut bytes).unwrap();
        assert_eq!(bytes, octets(if case["decoded"].is_null() { &case["input"] } else { &case["decoded"] }));
    });
}

#[test]
fn decode_cases() {
    each("decode", &[VOCABULARY, &["ids", "unknown", "errors", "skip_special", "text"]], |case| {
        let tokenizer = tokenizer(case);
        let unknown = match case["unknown"].as_str().unwrap_or("raise") {
            "raise" => UnknownId::Raise,
            "skip" => UnknownId::Skip,
            "replace" => UnknownId::Replace,
            other => panic!("unknown {other}"),
        };
        let options = DecodeOptions { unknown, skip_special: case["skip_special"].as_bool().unwrap_or(false) };
        let mut bytes = Vec::new();
        let done = tokenizer.decode(&numbers(&case["ids"]), options, &mut bytes).map_err(|e| e.to_string());
        // What becomes of bytes that are no UTF-8 is up to the caller of the engine; here is what each choice gives.
        let text = done.and_then(|()| match case["errors"].as_str().unwrap_or("replace") {
            "replace" => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            "ignore" => Ok(bytes.utf8_chunks().map(|chunk| chunk.valid()).collect()),
            "strict" => String::from_utf8(bytes.clone()).map_err(|e| e.to_string()),
            other => panic!("errors {other}"),
        });
        if case["raises"].is_null() {
            assert_eq!(text.unwrap(), case["text"].as_str().unwrap());
        } else {
            assert_raises(case, text);
        }
    });
}

#[test]
fn stream_cases() {
    each("stream", &[VOCABULARY, &["ids", "deltas", "flush"]], |case| {
        let tokenizer = tokenizer(case);
        let mut stream = Utf8Stream::default();
        let mut deltas = Vec::new();
        for id in numbers(&case["ids"]) {
            let mut bytes = Vec::new();
            tokenizer.decode(&[id], DecodeOptions::default(), &mut bytes).unwrap();
            deltas.push(stream.feed(&bytes).into_owned());
        }
        assert_eq!(Value::from(deltas), case["deltas"]);
        assert_eq!(stream.flush(), case["flush"]);
    });
}

#[test]
fn split_cases() {
    each("split", &[&["preset", "pattern", "input", "pretokens"]], |case| {
        let pattern = match (case["preset"].as_str(), case["pattern"].as_str()) {
            (Some(preset), None) => presets::pattern(preset).unwrap(),
            (None, Some(pattern)) => pattern,
            _ => panic!("a preset or a pattern"),
        };
        let text = octets(&case["input"]);
        let mut pretokens = Vec::new();
        let each = |found: bytepair::Pretoken| {
            pretokens.push(text[found.start..found.end].to_vec());
            ControlFlow::Continue(())
        };
        Splitter::new(pattern).unwrap().split(&text, each).unwrap();
        assert_eq!(pretokens, list(&case["pretokens"]).iter().map(octets).collect::<Vec<_>>());
    });
}

#[test]
fn offsets_cases() {
    each("offsets", &[VOCABULARY, &["input", "allowed", "ids", "bytes", "characters", "partial"]], |case| {
        let tokenizer = tokenizer(case);
        let trace =
            with_options(&tokenizer, case, |options| tokenizer.trace(&octets(&case["input"]), options)).unwrap();
        assert_eq!(trace.ids, numbers(&case["ids"]));
        assert_eq!(trace.bytes, spans(&case["bytes"]));
        assert_eq!(trace.characters, spans(&case["characters"]));
        assert_eq!(Value::from(trace.partial), case["partial"]);
    });
}

#[test]
fn limits_cases() {
    each("limits", &[VOCABULARY, &["input", "rows"]], |case| {
        let tokenizer = tokenizer(case);
        let text = octets(&case["input"]);
        let options = EncodeOptions::default();
        assert!(!list(&case["rows"]).is_empty());
        for row in list(&case["rows"]) {
            let limit = size(&row[0]);
            let count = tokenizer.count_up_to(&text, limit, options).unwrap();
            assert_eq!(count, row[1].as_u64().map(|count| usize::try_from(count).unwrap()), "limit {limit}");
            let end = tokenizer.truncate(&text, limit, options).unwrap();
            assert_eq!(text[..end], octets(&row[2]), "limit {limit}");
        }
    });
}

/// The kinds of cases are those that the README lists, and the presets are those of the data.
#[test]
fn no_kind_is_missing() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let names = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter_map(|name| name.strip_suffix(".json").map(str::to_owned)).collect();
    names.sort_unstable();
    // `cases_published` needs published vocabularies, and is run where they are; `load` is about files, which the engine does not read.
    assert_eq!(names, ["cases_published", "decode", "encode", "limits", "load", "offsets", "split", "stream", "train"]);
    let data: Value = serde_json::from_str(&fs::read_to_string(directory.join("split.json")).unwrap()).unwrap();
    let patterns = data["patterns"].as_object().unwrap();
    assert_eq!(patterns.len(), presets::PRESETS.len());
    for (name, pattern) in presets::PRESETS {
        assert_eq!(patterns[name], pattern, "{name}");
    }
}
