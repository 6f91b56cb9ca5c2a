//! The flags of added tokens, against a plain telling of what Hugging Face's library does, and where texts may be cut.
#![allow(clippy::unwrap_used)]

mod encode_oracle;

use std::collections::HashSet;

use bytepair::encode::Stream;
use bytepair::tokenizer::EncodeOptions;
use bytepair::{Allowed, SpecialToken, SpecialTokens, Splitter, Tokenizer, Vocabulary};
use encode_oracle::find;
use proptest::prelude::*;

/// (start, end, id of the token)
type Cut = (usize, usize, Option<u32>);

fn tokens() -> impl Strategy<Value = Vec<SpecialToken>> {
    tokens_of("[ab]{1,3}|[ _]a|a[ \n]|[ \n\u{3000}]|é|<>")
}

/// Tokens with these texts and any flags.
fn tokens_of(pattern: &str) -> impl Strategy<Value = Vec<SpecialToken>> {
    let text = proptest::string::string_regex(pattern).unwrap();
    let flags = proptest::collection::vec(any::<[bool; 4]>(), 7);
    (proptest::collection::hash_set(text, 0..7), flags).prop_map(|(texts, flags)| {
        let made = |((content, id), [normalized, lstrip, rstrip, single_word]): ((String, u32), [bool; 4])| {
            SpecialToken { content, id, special: true, normalized, lstrip, rstrip, single_word }
        };
        texts.into_iter().zip(5_000..).zip(flags).map(made).collect()
    })
}

fn text(most: usize) -> impl Strategy<Value = Vec<u8>> {
    let letter = prop_oneof![
        6 => Just("a".as_bytes()), 3 => Just("b".as_bytes()), 6 => Just(" ".as_bytes()), 1 => Just("\n".as_bytes()),
        1 => Just("\u{3000}".as_bytes()), 1 => Just("é".as_bytes()), 1 => Just("_".as_bytes()), 2 => Just("<>".as_bytes()),
        1 => Just(&[0xC3u8][..]), 1 => Just(&[0x80u8][..]),
    ];
    proptest::collection::vec(letter, 0..most).prop_map(|letters| letters.concat())
}

/// A text that repeats itself.
fn runs() -> impl Strategy<Value = Vec<u8>> {
    let unit = proptest::sample::select(vec!["a", "ab", "b", " ", "\n", " a", "a ", "<>", "é"]);
    let run = (unit, 1usize..300).prop_map(|(unit, times)| unit.repeat(times));
    proptest::collection::vec(run, 0..7).prop_map(|runs| runs.concat().into_bytes())
}

/// The characters of a text with their places; those that are none are U+FFFF.
fn characters(text: &[u8]) -> Vec<(usize, char)> {
    let mut found = Vec::new();
    let mut at = 0;
    for chunk in text.utf8_chunks() {
        found.extend(chunk.valid().char_indices().map(|(place, character)| (at + place, character)));
        at += chunk.valid().len();
        found.extend((0..chunk.invalid().len()).map(|place| (at + place, '\u{FFFF}')));
        at += chunk.invalid().len();
    }
    found
}

/// One round, as `find_matches` of Hugging Face's library, but that what begins in white space ends it.
fn round(tokens: &[SpecialToken], allowed: &HashSet<u32>, text: &[u8]) -> Vec<Cut> {
    let is_word = |character: &char| character.is_alphanumeric() || *character == '_';
    let (mut matches, mut search) = (Vec::new(), 0);
    while let Some((start, token)) = find(tokens, allowed, text, search) {
        search = start + token.content.len();
        let before = characters(&text[..start]).last().is_some_and(|(_, character)| is_word(character));
        let behind = characters(&text[search..]).first().is_some_and(|(_, character)| is_word(character));
        if !(token.single_word && (before || behind)) {
            matches.push((start, search, token));
        }
    }
    let (mut cuts, mut done): (Vec<Cut>, _) = (Vec::new(), 0);
    for &(found, mut end, token) in &matches {
        let mut start = found;
        if token.lstrip {
            let before = characters(&text[..start]);
            let white = before.iter().rev().take_while(|(_, character)| character.is_whitespace()).last();
            start = white.map_or(start, |&(place, _)| place).max(done);
        }
        if token.rstrip {
            let behind = characters(&text[end..]);
            let white = behind.iter().find(|(_, character)| !character.is_whitespace());
            end = white.map_or(text.len(), |&(place, _)| end + place);
        }
        if start >= end {
            continue;
        }
        if let Some(last) = cuts.last_mut().filter(|last| last.1 > found) {
            last.1 = found;
            start = found;
        }
        cuts.extend((done < start).then_some((done, start, None)));
        cuts.push((start, end, Some(token.id)));
        done = end;
    }
    cuts.extend((done < text.len()).then_some((done, text.len(), None)));
    cuts
}

fn cuts(tokens: &[SpecialToken], allowed: &HashSet<u32>, text: &[u8]) -> Vec<Cut> {
    let of = |normalized| -> Vec<_> { tokens.iter().filter(|token| token.normalized == normalized).cloned().collect() };
    let (first, second): (Vec<_>, Vec<_>) = (of(false), of(true));
    let mut found = Vec::new();
    for (start, end, token) in round(&first, allowed, text) {
        if token.is_some() {
            found.push((start, end, token));
        } else {
            let inner = round(&second, allowed, &text[start..end]);
            found.extend(inner.into_iter().map(|(from, to, token)| (start + from, start + to, token)));
        }
    }
    found
}

fn tokenizer(pattern: Option<&str>, tokens: &[SpecialToken]) -> Tokenizer {
    let contents = (0..=255u8).map(|byte| vec![byte]).chain([b"  ", b" a", b"ab"].map(|content| content.to_vec()));
    let splitter = pattern.map_or_else(Splitter::whole, |pattern| Splitter::new(pattern).unwrap());
    let vocabulary = Vocabulary::from_ranks((0..).zip(contents).collect()).unwrap();
    Tokenizer::new(splitter, vocabulary, SpecialTokens::new(tokens.to_vec()).unwrap()).unwrap()
}

fn encode(tokenizer: &Tokenizer, text: &[u8], options: EncodeOptions<'_>) -> Vec<u32> {
    let mut ids = Vec::new();
    tokenizer.encode(text, options, &mut ids).unwrap();
    ids
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn tokens_are_cut_out_as_flags_say(tokens in tokens(), some in any::<u8>(), text in text(16)) {
        let set = SpecialTokens::new(tokens.clone()).unwrap();
        let all: HashSet<u32> = tokens.iter().map(|token| token.id).collect();
        let some: HashSet<u32> = all.iter().copied().filter(|id| some >> (id % 8) & 1 == 1).collect();
        for (allowed, ids) in [(Allowed::All, &all), (Allowed::Only(&some), &some)] {
            let found: Vec<Cut> = set.cuts(&text, allowed).map(|cut| (cut.start, cut.end, cut.token.map(|token| token.id))).collect();
            prop_assert_eq!(found, cuts(&tokens, ids, &text));
        }
    }

    #[test]
    fn what_is_settled_is_encoded_as_in_the_whole(tokens in tokens(), text in text(40), cut in 0usize..60) {
        let part = &text[..cut.min(text.len())];
        let options = EncodeOptions { allowed: Allowed::All, ..EncodeOptions::default() };
        for pattern in [None, Some(r"\s+(?!\S)|\s|\S"), Some(r"[a-z]+|\s+|."), Some("(?s)."), Some(r" ?[a-z]+|\s")] {
            let tokenizer = tokenizer(pattern, &tokens);
            let settled = tokenizer.settled(part, options);
            let mut ids = encode(&tokenizer, &text[..settled], options);
            ids.extend(encode(&tokenizer, &text[settled..], options));
            prop_assert_eq!(ids, encode(&tokenizer, &text, options), "{:?}: {}", pattern, settled);
            let trace = tokenizer.trace(&text, options).unwrap();
            prop_assert_eq!(&trace.ids, &encode(&tokenizer, &text, options));
            prop_assert!(trace.bytes.windows(2).all(|pair| pair[0].1 <= pair[1].0));
            let most = trace.ids.len() / 2;
            let end = tokenizer.truncate(&text, most, options).unwrap();
            prop_assert!(tokenizer.count(&text[..end], options).unwrap() <= most);
            prop_assert_eq!(tokenizer.count_up_to(&text, trace.ids.len(), options).unwrap(), Some(trace.ids.len()));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Also where long ones nearly match.
    #[test]
    fn long_tokens_are_cut_out_as_flags_say(
        tokens in tokens_of("[ab]{1,2}|a{99,200}b?|(ab){99}a|b?a{50}|[ \n]| {2,4}| {99,200}\n?|<>"),
        some in any::<u8>(),
        text in runs(),
    ) {
        let set = SpecialTokens::new(tokens.clone()).unwrap();
        let some: HashSet<u32> = tokens.iter().map(|token| token.id).filter(|id| some >> (id % 8) & 1 == 1).collect();
        let found = set.cuts(&text, Allowed::Only(&some)).map(|cut| (cut.start, cut.end, cut.token.map(|token| token.id)));
        prop_assert_eq!(found.collect::<Vec<Cut>>(), cuts(&tokens, &some, &text));
    }
}

/// Where nothing is uncertain, a long text is settled nearly whole.
#[test]
fn flags_do_not_keep_a_text_from_being_settled() {
    let token = |content: &str, id| SpecialToken { content: content.to_owned(), id, ..SpecialToken::default() };
    let tokens = [
        SpecialToken { lstrip: true, ..token("<m>", 300) },
        SpecialToken { rstrip: true, ..token("<n>", 301) },
        SpecialToken { single_word: true, normalized: true, ..token("word", 302) },
    ];
    let tokenizer = tokenizer(Some(r" ?[a-z]+|\s|."), &tokens);
    let text = b"some words, then  <m> more <n>  and a word or sword ".repeat(100);
    let options = EncodeOptions { allowed: Allowed::All, ..EncodeOptions::default() };
    assert!(tokenizer.settled(&text, options) > text.len() - 60);
    let white = b" ".repeat(1000);
    assert_eq!(tokenizer.settled(&white, options), 0, "all of it may be taken by what follows");
}

/// Tokens that are white space and take white space do not make the search quadratic.
#[test]
fn white_space_is_looked_at_a_few_times() {
    for (lstrip, rstrip) in [(true, false), (false, true), (true, true)] {
        let token = SpecialToken { content: "\n".to_owned(), id: 300, lstrip, rstrip, ..SpecialToken::default() };
        let set = SpecialTokens::new(vec![token]).unwrap();
        let text = b"\n ".repeat(500_000);
        let found = set.cuts(&text, Allowed::All).filter(|cut| cut.token.is_some()).count();
        assert_eq!(found, if lstrip && rstrip { 1 } else { 500_000 });
        let text = b" ".repeat(1_000_000);
        assert_eq!(set.cuts(&text, Allowed::All).count(), 1);
    }
}

#[test]
fn a_normaliser_changes_what_the_second_round_looks_for() {
    let token = |content: &str, id, normalized| SpecialToken {
        content: content.to_owned(),
        id,
        normalized,
        ..SpecialToken::default()
    };
    let tokens = vec![token("<A>", 1, true), token("<B>", 2, false), token("-", 3, true), token("<a>", 4, true)];
    let set = SpecialTokens::new(tokens).unwrap();
    let set = set.normalized_by(|text| text.to_lowercase().replace('-', "")).unwrap();
    let found = |text: &'static str| -> Vec<Option<u32>> {
        set.cuts(text.as_bytes(), Allowed::All).map(|cut| cut.token.map(|token| token.id)).collect()
    };
    assert_eq!(found("<a>"), [Some(1)], "of two that are written alike, the first");
    assert_eq!(found("<B>"), [Some(2)]);
    assert_eq!(found("<A>-<b>"), [None]);
    let only: HashSet<u32> = [4].into();
    let mut cuts = set.cuts(b"<a>", Allowed::Only(&only)).map(|cut| cut.token.map(|token| token.id));
    assert_eq!(cuts.next(), Some(Some(4)), "the second, where the first is not allowed");
}

/// Single words keep back what stands beside them, and no more.
#[test]
fn a_stream_with_single_words_waits_for_little() {
    for (content, unit) in
        [("<x>", "<x> "), ("<x>", "<x>"), ("x", "x "), ("x", "-x"), ("<x>", "a<x>b "), ("x", "xa "), ("x", "x. xa ")]
    {
        for normalized in [false, true] {
            let tokenizer = tokenizer(
                Some(r"\w+|\s|[^\w\s]+"),
                &[SpecialToken {
                    content: content.to_owned(),
                    id: 300,
                    single_word: true,
                    normalized,
                    ..SpecialToken::default()
                }],
            );
            let text = unit.repeat(20_000);
            let options = EncodeOptions { allowed: Allowed::All, ..EncodeOptions::default() };
            let (mut stream, mut ids, mut most) = (Stream::default(), Vec::new(), 0);
            for part in text.as_bytes().chunks(1000) {
                stream.feed(&tokenizer, part, options, 1, &mut ids).unwrap();
                most = most.max(stream.waiting());
            }
            stream.finish(&tokenizer, options, &mut ids).unwrap();
            let mut whole = Vec::new();
            tokenizer.encode(text.as_bytes(), options, &mut whole).unwrap();
            assert!(ids == whole, "{unit:?}");
            assert!(most < 4096, "{unit:?}: {most} bytes wait");
        }
    }
}
