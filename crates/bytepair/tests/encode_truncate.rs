//! Truncating against the definition: every prefix is tried.
#![allow(clippy::unwrap_used)]

mod encode_oracle;

use std::collections::HashSet;

use bytepair::tokenizer::{EncodeOptions, UnknownSymbol};
use bytepair::{Allowed, Alphabet, SpecialTokens, Splitter, Tokenizer};
use encode_oracle::{Recipe, byte_recipes, character_recipes, edges, special, texts};
use proptest::prelude::*;

/// Where each token of a text ends, by tracing it; checked against plain encoding elsewhere.
fn ends(tokenizer: &Tokenizer, text: &[u8], options: EncodeOptions<'_>) -> Vec<usize> {
    tokenizer.trace(text, options).unwrap().bytes.iter().map(|&(_, end)| end).collect()
}

/// The definition.
fn longest(tokenizer: &Tokenizer, text: &[u8], max: usize, options: EncodeOptions<'_>) -> usize {
    let ends = ends(tokenizer, text, options);
    if ends.len() <= max {
        return text.len();
    }
    let edges = edges(text);
    let fits = |&end: &usize| edges.contains(&end) && tokenizer.count(&text[..end], options).unwrap() <= max;
    ends[..max].iter().rev().copied().find(fits).unwrap_or(0)
}

/// Patterns whose prefixes are split as the whole is, and others.
fn splitters() -> impl Strategy<Value = Splitter> {
    let pattern = proptest::sample::select(vec![
        r"\s+(?!\S)|\s+|[a-z]+|[^\sa-z]+",
        r"a+(?=b)|[^\s]|\s+",
        r"[ab]{1,3}(?=b)|[ab]|\s+(?!\S)|[^ab]+",
        r"a+b|ab?|\s|[^\s]+$|[^\s]",
    ]);
    prop_oneof![
        1 => Just(Splitter::whole()),
        1 => Just(Splitter::white_space()),
        4 => pattern.prop_map(|pattern| Splitter::new(pattern).unwrap()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn bytes_by_the_definition(recipe in byte_recipes(), splitter in splitters(), text in texts(), max in 0usize..30, skip in any::<bool>(), parse in any::<bool>()) {
        let specials = SpecialTokens::new(vec![special("b a", 5_000), special("aa", 5_001)]).unwrap();
        let tokenizer = Tokenizer::new(splitter, recipe.build(), specials).unwrap();
        let unknown = if skip { UnknownSymbol::Skip } else { UnknownSymbol::Replace(9_999) };
        let allowed = if parse { Allowed::All } else { Allowed::None };
        let options = EncodeOptions { allowed, unknown, ..EncodeOptions::default() };
        let end = tokenizer.truncate(&text, max, options).unwrap();
        prop_assert_eq!(end, longest(&tokenizer, &text, max, options));
        prop_assert!(tokenizer.count(&text[..end], options).unwrap() <= max);
    }

    #[test]
    fn characters_by_the_definition(recipe in character_recipes(), text in texts(), max in 0usize..30) {
        let tokenizer = encode_oracle::tokenizer(&recipe, Splitter::white_space());
        let options = EncodeOptions { unknown: UnknownSymbol::Replace(9_999), ..EncodeOptions::default() };
        let end = tokenizer.truncate(&text, max, options).unwrap();
        prop_assert_eq!(end, longest(&tokenizer, &text, max, options));
    }
}

/// `a`, `b` and four `a`.
fn fours() -> Recipe {
    let tokens = [(0, "a"), (1, "b"), (2, "aa"), (3, "aaaa")].map(|(id, text)| (id, text.as_bytes().to_vec()));
    Recipe { alphabet: Alphabet::Bytes, tokens: tokens.to_vec(), merges: None, whole_first: true }
}

#[test]
fn a_prefix_may_have_more_tokens_than_the_part_it_was() {
    // Followed by `b` the `a` are merged in fours; without it each is a pretoken.
    let tokenizer = encode_oracle::tokenizer(&fours(), Splitter::new("a+(?=b)|a|b").unwrap());
    let text = [b"a".repeat(800), b"b".to_vec()].concat();
    let options = EncodeOptions::default();
    assert_eq!(tokenizer.count(&text, options), Ok(201));
    // The first 200 tokens are the 800 `a`, which alone are 800 tokens; fifty times four are 200.
    assert_eq!(tokenizer.truncate(&text, 200, options), Ok(200));
    assert_eq!(tokenizer.truncate(&text, 199, options), Ok(196));
    assert_eq!(tokenizer.truncate(&text, 201, options), Ok(text.len()));
    assert_eq!(tokenizer.truncate(&text, 3, options), Ok(0));
    assert_eq!(tokenizer.truncate(&text, 0, options), Ok(0));
}

#[test]
fn it_ends_between_characters() {
    let tokens = (0..=255u8).map(|byte| (u32::from(byte), vec![byte])).collect();
    let recipe = Recipe { alphabet: Alphabet::Bytes, tokens, merges: None, whole_first: true };
    let tokenizer = encode_oracle::tokenizer(&recipe, Splitter::whole());
    let truncated = |text: &[u8], max| tokenizer.truncate(text, max, EncodeOptions::default()).unwrap();
    assert_eq!((0..=6).map(|max| truncated("a🌶b".as_bytes(), max)).collect::<Vec<_>>(), [0, 1, 1, 1, 1, 5, 6]);
    // Three bytes of a character of four are one replaced character; stray bytes are one each.
    assert_eq!((0..=5).map(|max| truncated(b"\xF0\x9F\x8Cab", max)).collect::<Vec<_>>(), [0, 0, 0, 3, 4, 5]);
    assert_eq!((0..=3).map(|max| truncated(b"\x80\x80\x80", max)).collect::<Vec<_>>(), [0, 1, 2, 3]);
}

#[test]
fn tracing_ends_where_encoding_does() {
    let tokenizer = encode_oracle::tokenizer(&fours(), Splitter::whole());
    let text = b"aaaaaab";
    assert_eq!(ends(&tokenizer, text, EncodeOptions::default()), [4, 6, 7]);
    let plain = fours().text(&Splitter::whole(), &[], &HashSet::new(), text, UnknownSymbol::Raise);
    assert_eq!(plain, Some(vec![3, 2, 1]));
}
