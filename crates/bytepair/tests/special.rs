//! Special tokens: found by longest match where they are allowed, refused where they are disallowed.
#![allow(clippy::unwrap_used)]

mod encode_oracle;

use std::collections::HashSet;

use bytepair::tokenizer::{EncodeOptions, UnknownSymbol};
use bytepair::{Allowed, Error, SpecialToken, SpecialTokens, Splitter, Tokenizer, Vocabulary};
use encode_oracle::{byte_recipes, find, special};
use proptest::prelude::*;

fn bytes() -> Vocabulary {
    Vocabulary::from_ranks((0..=255u8).map(|byte| (u32::from(byte), vec![byte])).collect()).unwrap()
}

/// Special tokens that begin with, end with and hold each other, and which of them are allowed.
fn specials() -> impl Strategy<Value = (Vec<SpecialToken>, HashSet<u32>, HashSet<u32>)> {
    let text = proptest::collection::hash_set(proptest::string::string_regex("[ab]{1,4}|a{1,6}|<a>|é").unwrap(), 0..7);
    text.prop_flat_map(|texts| {
        let ids: Vec<u32> = (5_000..5_000 + u32::try_from(texts.len()).unwrap()).collect();
        let tokens: Vec<_> = texts.iter().zip(&ids).map(|(text, &id)| special(text, id)).collect();
        let some =
            || proptest::sample::subsequence(ids.clone(), 0..=ids.len()).prop_map(|ids| ids.into_iter().collect());
        (Just(tokens), some(), some())
    })
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    let letter = prop_oneof![
        6 => Just("a".as_bytes()), 4 => Just("b".as_bytes()), 1 => Just("<a>".as_bytes()), 1 => Just("é".as_bytes()),
        1 => Just(&[0xC3u8][..]), 1 => Just(" ".as_bytes()),
    ];
    proptest::collection::vec(letter, 0..14).prop_map(|letters| letters.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn tokens_are_found_by_id_and_by_text((tokens, _, _) in specials()) {
        let set = SpecialTokens::new(tokens.clone()).unwrap();
        for token in &tokens {
            prop_assert_eq!(set.by_id(token.id), Some(token));
            prop_assert_eq!(set.by_content(&token.content), Some(token));
        }
        prop_assert_eq!(set.by_id(4_999), None);
        prop_assert_eq!(set.by_content("aaaaaaaa"), None);
    }

    #[test]
    fn encoding_equals_the_plain_way(recipe in byte_recipes(), (tokens, allowed, disallowed) in specials(), text in text()) {
        let splitter = Splitter::new(r"a+(?!\S)|\s+|[^\s]b?").unwrap();
        let unknown = UnknownSymbol::Replace(9_999);
        let (parsed, refused) = (Allowed::Only(&allowed), Allowed::Only(&disallowed));
        let options = EncodeOptions { allowed: parsed, disallowed: refused, unknown, ..EncodeOptions::default() };
        let set = SpecialTokens::new(tokens.clone()).unwrap();
        let tokenizer = Tokenizer::new(splitter.clone(), recipe.build(), set).unwrap();
        let mut ids = Vec::new();
        let done = tokenizer.encode(&text, options, &mut ids);
        let forbidden: HashSet<u32> = disallowed.difference(&allowed).copied().collect();
        if let Some((at, token)) = find(&tokens, &forbidden, &text, 0) {
            prop_assert_eq!(done, Err(Error::DisallowedSpecial { token: token.content.clone(), at }));
            return Ok(());
        }
        prop_assert_eq!(done, Ok(()));
        prop_assert_eq!(Some(ids), recipe.text(&splitter, &tokens, &allowed, &text, unknown));
    }
}

#[test]
fn what_lies_between_two_is_a_text_of_its_own() {
    let set = SpecialTokens::new(vec![special("<|x|>", 256)]).unwrap();
    let ranks = (0..=255u8).map(|byte| vec![byte]).chain([b"  ".to_vec()]);
    let ids = (0..=255).chain([300]);
    let vocabulary = Vocabulary::from_ranks(ids.zip(ranks).collect()).unwrap();
    let tokenizer = Tokenizer::new(Splitter::new(r"\s+(?!\S)|\s|\S+").unwrap(), vocabulary, set).unwrap();
    let mut ids = Vec::new();
    let options = EncodeOptions { allowed: Allowed::All, ..EncodeOptions::default() };
    tokenizer.encode(b"a  <|x|>b", options, &mut ids).unwrap();
    assert_eq!(ids, [97, 300, 256, 98]);
    ids.clear();
    tokenizer.encode(b"a  b", options, &mut ids).unwrap();
    assert_eq!(ids, [97, 32, 32, 98]);
}

#[test]
fn a_longer_forbidden_token_does_not_hide_an_allowed_one() {
    let set = SpecialTokens::new(vec![special("<a>", 256), special("<a><b>", 257), special("b><c", 258)]).unwrap();
    let found = |ids: &[u32]| {
        let ids = ids.iter().copied().collect();
        let mut cuts = set.cuts(b"x<a><b><c", Allowed::Only(&ids));
        cuts.find_map(|cut| cut.token.map(|token| (cut.start, token.id)))
    };
    assert_eq!(found(&[256, 257, 258]), Some((1, 257)));
    assert_eq!(found(&[256]), Some((1, 256)));
    assert_eq!(found(&[258]), Some((5, 258)));
    assert_eq!(found(&[]), None);
}

#[test]
fn disallowed_tokens_are_named_with_their_place() {
    let set = SpecialTokens::new(vec![special("<|endoftext|>", 256)]).unwrap();
    let tokenizer = Tokenizer::new(Splitter::whole(), bytes(), set).unwrap();
    let options = EncodeOptions { disallowed: Allowed::All, ..EncodeOptions::default() };
    let error = tokenizer.encode(b"see <|endoftext|>", options, &mut Vec::new()).unwrap_err();
    assert_eq!(error, Error::DisallowedSpecial { token: "<|endoftext|>".to_owned(), at: 4 });
    assert!(error.to_string().contains("`<|endoftext|>` at byte 4"));
    assert_eq!(tokenizer.count(b"see", options), Ok(3));
    assert_eq!(tokenizer.count(b"see <|endoftext|>", options), Err(error.clone()));
    assert_eq!(tokenizer.truncate(b"see <|endoftext|>", 1, options), Err(error));
    let both = EncodeOptions { allowed: Allowed::All, ..options };
    assert_eq!(tokenizer.count(b"see <|endoftext|>", both), Ok(5));
}

#[test]
fn what_contradicts_itself_is_refused() {
    let message = |tokens: &[SpecialToken]| SpecialTokens::new(tokens.to_vec()).unwrap_err().to_string();
    assert!(message(&[special("", 7)]).contains("id 7"));
    let twice = message(&[special("<x>", 7), special("<x>", 8)]);
    assert!(twice.contains("`<x>`") && twice.contains('7') && twice.contains('8'));
    let shared = message(&[special("<x>", 7), special("<y>", 7)]);
    assert!(shared.contains("`<x>`") && shared.contains("`<y>`") && shared.contains("id 7"));

    let vocabulary = || Vocabulary::from_ranks(vec![(15_339, b"hello".to_vec()), (3, b"<x>".to_vec())]).unwrap();
    let with = |content: &str, id| {
        Tokenizer::new(Splitter::whole(), vocabulary(), SpecialTokens::new(vec![special(content, id)]).unwrap())
    };
    let collision = with("<x>", 15_339).unwrap_err().to_string();
    assert!(collision.contains("15339") && collision.contains("hello") && collision.contains("hint: "), "{collision}");
    assert!(with("<x>", 3).is_ok(), "the same token may stand in both");
    assert!(with("<x>", 4).is_ok(), "the same text may be a special token with another id");
    assert!(with("<x>", u32::MAX).is_err());
}

/// Building took time by the square of the length where a text repeats itself.
#[test]
fn a_long_token_that_repeats_itself() {
    let contents = ["(".repeat(150_000) + &")".repeat(150_000), "ab".repeat(150_000), "a".to_owned()];
    let tokens = contents.iter().zip(300..).map(|(content, id)| special(content, id)).collect();
    let tokenizer = Tokenizer::new(Splitter::whole(), bytes(), SpecialTokens::new(tokens).unwrap()).unwrap();
    let all = EncodeOptions { allowed: Allowed::All, ..EncodeOptions::default() };
    let mut ids = Vec::new();
    tokenizer.encode((contents[1].clone() + &contents[0] + "(").as_bytes(), all, &mut ids).unwrap();
    assert_eq!(ids, [301, 300, 40]);
    assert_eq!(tokenizer.count("ab".repeat(149_999).as_bytes(), all), Ok(299_998));
}

#[test]
fn many_tokens_are_one_automaton() {
    let tokens: Vec<_> = (0..20_000u32).map(|n| special(&format!("<s_{n}>"), 300 + n)).collect();
    let tokenizer = Tokenizer::new(Splitter::whole(), bytes(), SpecialTokens::new(tokens).unwrap()).unwrap();
    let mut text = b"plain < text <s_ > and ".repeat(20_000);
    let all = EncodeOptions { allowed: Allowed::All, ..EncodeOptions::default() };
    assert_eq!(tokenizer.count(&text, all), Ok(text.len()));
    text.extend_from_slice(b"<s_19999>");
    assert_eq!(tokenizer.count(&text, all), Ok(text.len() - 8));
    assert_eq!(tokenizer.count(&text, EncodeOptions::default()), Ok(text.len()));
}
