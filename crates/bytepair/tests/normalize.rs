//! Steps and tables that a damaged or crafted file may hold: places stay in the text, and what would run away is refused.
#![allow(clippy::unwrap_used)] // a test's way to fail

use bytepair::normalize::{Charsmap, Normalizer, Old, SentencePiece, Step};
use bytepair::tokenizer::EncodeOptions;
use bytepair::{Error, SpecialToken, SpecialTokens, Splitter, Tokenizer, Vocabulary};

fn tokenizer(specials: Vec<SpecialToken>) -> Tokenizer {
    let bytes = Vocabulary::from_ranks((0..=255u8).map(|byte| (u32::from(byte), vec![byte])).collect()).unwrap();
    Tokenizer::new(Splitter::whole(), bytes, SpecialTokens::new(specials).unwrap()).unwrap()
}

fn normalized(before: Vec<Step>) -> Result<Tokenizer, Error> {
    tokenizer(Vec::new()).with_normalizer(Normalizer { before, ..Normalizer::default() })
}

/// A table with these units, the others empty.
fn charsmap(units: &[(usize, u32)], texts: &[u8]) -> Result<Charsmap, Error> {
    let mut trie = [0; 512];
    for &(at, unit) in units {
        trie[at] = unit;
    }
    let mut bytes = 2048u32.to_le_bytes().to_vec();
    bytes.extend(trie.iter().flat_map(|unit| unit.to_le_bytes()));
    bytes.extend_from_slice(texts);
    Charsmap::new(bytes)
}

/// A unit with a letter, how far its children are, and whether a value is one of them.
fn unit(letter: u8, offset: u32, has_value: bool) -> u32 {
    u32::from(letter) | u32::from(has_value) << 8 | offset << 10
}

/// `x` becomes this text.
fn replaces_x(text: &[u8]) -> Result<Charsmap, Error> {
    let x = usize::from(b'x');
    charsmap(&[(x, unit(b'x', 1, true)), (x ^ 1, 1 << 31)], text)
}

#[test]
fn what_is_cut_off_a_replacement_leaves_places_in_the_text() {
    let mut all = SentencePiece::default();
    all.charsmap = Some(replaces_x(b"abcdefgh \0").unwrap());
    all.remove_extra_whitespaces = true;
    let tokenizer = normalized(vec![Step::SentencePiece(all)]).unwrap();
    let options = EncodeOptions::default();
    let trace = tokenizer.trace(b"x", options).unwrap();
    assert_eq!((trace.ids.len(), trace.bytes), (8, vec![(0, 1); 8]));
    for most in 0..10 {
        assert!(tokenizer.truncate(b"x", most, options).unwrap() <= 1);
    }
    let length = tokenizer.truncate(b"bx", 4, options).unwrap();
    assert_eq!(length, 1);
}

/// That an error has two lines, and what is wrong in the first.
fn assert_refused<T>(result: Result<T, Error>, said: &str) {
    let error = result.err().unwrap().to_string();
    let (wrong, hint) = error.split_once("\nhint: ").unwrap();
    assert!(wrong.contains(said), "{error}");
    assert!(!hint.contains('\n'), "{error}");
}

#[test]
fn steps_that_make_too_much_of_a_text_are_refused() {
    let replace = |old: &str, new: String| Step::Replace(Old::Text(old.to_owned()), new);
    assert_refused(normalized(vec![replace("a", "aa".to_owned()); 60]), "bytes of one");
    assert_refused(normalized(vec![replace("a", "a".repeat(5000))]), "bytes of one");
    assert_refused(normalized(vec![Step::Prepend("a".repeat(5000), bytepair::normalize::Scheme::All)]), "bytes of one");
    let long = [b"a".repeat(5000), vec![0]].concat();
    assert_refused(normalized(vec![Step::Precompiled(replaces_x(&long).unwrap())]), "bytes of one");
    assert!(normalized(vec![replace(" ", "▁".to_owned()); 7]).is_ok());
    assert!(normalized(vec![replace("``", "\"".to_owned()); 1000]).is_ok());
    // Before any special token is normalised.
    let token = SpecialToken { content: "a".to_owned(), id: 300, normalized: true, ..SpecialToken::default() };
    let before = vec![replace("a", "aa".to_owned()); 60];
    let made = tokenizer(vec![token]).with_normalizer(Normalizer { before, ..Normalizer::default() });
    assert_refused(made, "bytes of one");
}

#[test]
fn tables_that_lead_back_are_refused() {
    // Behind each `a` the walk stands where it began.
    let a = usize::from(b'a');
    assert_refused(charsmap(&[(a, unit(b'a', u32::from(b'a'), false))], b""), "key of more than");
    // Two ways that meet are none that leads back: `ac` and `bc` share their end.
    let (shared, c) = (256, 256 ^ usize::from(b'c'));
    let (a, b) = (u32::from(b'a'), u32::from(b'b'));
    let units = [
        (a as usize, unit(b'a', shared ^ a, false)),
        (b as usize, unit(b'b', shared ^ b, false)),
        (c, unit(b'c', 1, true)),
        (c ^ 1, 1 << 31),
    ];
    let tokenizer =
        Normalizer { before: vec![Step::Precompiled(charsmap(&units, b"z\0").unwrap())], ..Normalizer::default() };
    assert_eq!(&*tokenizer.text(b"ac bc c").unwrap(), b"ac bc c", "a grapheme at a time");
    let mut all = SentencePiece::default();
    all.charsmap = Some(charsmap(&units, b"z\0").unwrap());
    let tokenizer = Normalizer { before: vec![Step::SentencePiece(all)], ..Normalizer::default() };
    assert_eq!(&*tokenizer.text(b"ac bc c").unwrap(), b"z z c");
}

#[test]
fn a_replacement_that_nothing_ends_is_none() {
    let normalizer = Normalizer { before: vec![Step::Precompiled(replaces_x(b"z").unwrap())], ..Normalizer::default() };
    assert_eq!(&*normalizer.text(b"x").unwrap(), b"x");
}

#[test]
fn a_pattern_that_drops_text_replaces_nothing() {
    for pattern in ["(?kept)b", "(?removed)b", "a|b(?then)(?kept)b"] {
        let step = Step::Replace(Old::Pattern(Splitter::new(pattern).unwrap()), String::new());
        assert_refused(normalized(vec![step]), "drops text");
    }
}
