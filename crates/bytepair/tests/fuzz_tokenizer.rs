//! Any vocabulary with any special tokens on any text: all doors agree, and decoding gives the text back.
//!
//! Input: one byte of settings, a line from which the vocabulary is made (its words become tokens), then the text.

#![allow(clippy::expect_used, reason = "a test that cannot go on should stop")]

mod replay;

use std::collections::{BTreeSet, HashSet};

use bytepair::tokenizer::{DecodeOptions, EncodeOptions};
use bytepair::{Allowed, Alphabet, SpecialToken, SpecialTokens, Splitter, Tokenizer, Vocabulary};

const FRAGMENTS: &[&str] = &[
    "\0", "\u{1}", "\u{2}", "\u{3}", "\n", "a", "b", "ab", "abc", "aa", "aaaa", " ab", "the", " the", "<|end|>",
    "<|end|", "<|x|>", "<|x|>y", "é", "漢", "字", "🌱", " ", "  ", "123", "0000000", "\u{301}", "\r\n",
];

#[test]
fn all_doors_agree_on_any_text() {
    replay::run("tokenizer", FRAGMENTS, check);
}

fn check(input: &[u8]) {
    let Some((&settings, rest)) = input.split_first() else { return };
    let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    let (line, text) = (&rest[..end], rest.get(end + 1..).unwrap_or_default());
    let vocabulary = if settings & 1 == 0 { rank_file(line) } else { merge_list(line, settings & 2 != 0) };
    let splitter = match settings >> 2 & 3 {
        0 => Splitter::whole(),
        1 => Splitter::new(r" ?\p{L}+|\p{N}{1,3}|\s+(?!\S)|\s+").expect("a valid pattern"),
        2 => Splitter::new("a+").expect("a valid pattern"),
        _ => Splitter::new(r"(?s:.)").expect("a valid pattern"),
    };
    let first = u32::try_from(vocabulary.n_vocab()).expect("a small vocabulary");
    let special =
        |content: &str, id| SpecialToken { content: content.to_owned(), id, special: true, ..SpecialToken::default() };
    let specials = vec![special("<|end|>", first), special("<|x|>", first + 5), special("<|x|>y", first + 2)];
    let specials = SpecialTokens::new(specials).expect("special tokens that differ");
    let tokenizer = Tokenizer::new(splitter, vocabulary, specials).expect("ids that differ");
    for allowed in [Allowed::None, Allowed::All, Allowed::Only(&HashSet::from([first]))] {
        doors_agree(&tokenizer, text, EncodeOptions { allowed, ..EncodeOptions::default() });
    }
}

fn words(line: &[u8]) -> BTreeSet<Vec<u8>> {
    line.chunks(7).flat_map(|chunk| (2..=chunk.len()).map(|length| chunk[..length].to_vec())).collect()
}

/// The bytes and the beginnings of the line's chunks, as a rank file.
fn rank_file(line: &[u8]) -> Vocabulary {
    let single = (0..=255_u8).map(|byte| vec![byte]);
    let tokens = single.chain(words(line)).zip(0..).map(|(token, id)| (id, token)).collect();
    Vocabulary::from_ranks(tokens).expect("tokens that differ")
}

/// The same tokens as a merge list: each is its beginning and its last byte.
fn merge_list(line: &[u8], whole_first: bool) -> Vocabulary {
    let single = (0..=255_u8).map(|byte| vec![byte]);
    let mut longer: Vec<_> = words(line).into_iter().collect();
    longer.sort_by_key(Vec::len);
    let tokens: Vec<(u32, Vec<u8>)> = single.chain(longer).zip(0..).map(|(token, id)| (id, token)).collect();
    let id = |content: &[u8]| tokens.iter().find(|(_, token)| token == content).expect("a token").0;
    let merges = tokens.iter().filter(|(_, token)| token.len() > 1);
    let merges = merges.map(|(_, token)| (id(&token[..token.len() - 1]), u32::from(token[token.len() - 1]))).collect();
    Vocabulary::from_merges(Alphabet::Bytes, tokens.clone(), merges, whole_first).expect("a consistent vocabulary")
}

fn doors_agree(tokenizer: &Tokenizer, text: &[u8], options: EncodeOptions<'_>) {
    let encode = |text: &[u8]| {
        let mut ids = Vec::new();
        tokenizer.encode(text, options, &mut ids).expect("every byte is a symbol");
        ids
    };
    let ids = encode(text);
    let mut back = Vec::new();
    tokenizer.decode(&ids, DecodeOptions::default(), &mut back).expect("ids that exist");
    assert_eq!(back, text);
    assert_eq!(tokenizer.count(text, options), Ok(ids.len()));
    assert_eq!(tokenizer.count_up_to(text, ids.len(), options), Ok(Some(ids.len())));
    if let Some(less) = ids.len().checked_sub(1) {
        assert_eq!(tokenizer.count_up_to(text, less, options), Ok(None));
    }
    let (batch, offsets) = tokenizer.encode_batch(&[text, b"", text], options, 2).expect("as one by one");
    assert_eq!(batch, [ids.clone(), ids.clone()].concat());
    assert_eq!(offsets, [0, ids.len() as u64, ids.len() as u64, 2 * ids.len() as u64]);
    for limit in [0, 1, ids.len() / 2, ids.len()] {
        let length = tokenizer.truncate(text, limit, options).expect("every byte is a symbol");
        assert!(length <= text.len() && encode(&text[..length]).len() <= limit);
    }
    traces_agree(tokenizer, text, options, &ids);
}

fn traces_agree(tokenizer: &Tokenizer, text: &[u8], options: EncodeOptions<'_>, ids: &[u32]) {
    let trace = tokenizer.trace(text, options).expect("every byte is a symbol");
    assert_eq!(trace.ids, ids);
    let mut at = 0;
    for &(start, end) in &trace.bytes {
        assert_eq!(start, at);
        at = end;
    }
    assert_eq!(at, text.len());
    for per_token in [trace.characters.len(), trace.partial.len(), trace.special.len(), trace.pretoken.len()] {
        assert_eq!(per_token, ids.len());
    }
    let forest = tokenizer.explain(text, options).expect("every byte is a symbol");
    let roots: Vec<u32> = forest.roots.iter().map(|&root| forest.nodes[root].id).collect();
    assert_eq!(roots, ids);
    for (index, node) in forest.nodes.iter().enumerate() {
        assert!(node.children.is_none_or(|(left, right)| left < index && right < index));
    }
    tokenizer.steps(text, options).expect("every byte is a symbol");
}
