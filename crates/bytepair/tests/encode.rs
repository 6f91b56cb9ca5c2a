//! Encoding against a plain second opinion, and the cases that need no real vocabulary.
#![allow(clippy::unwrap_used)]

mod encode_oracle;

use std::collections::HashSet;

use bytepair::tokenizer::{EncodeOptions, UnknownSymbol};
use bytepair::{Allowed, Alphabet, Cancel, EndOfWord, Error, SpecialTokens, Splitter, Tokenizer, Vocabulary};
use encode_oracle::{Recipe, byte_recipes, character_recipes, texts, tokenizer, unknowns};
use proptest::prelude::*;

fn options(unknown: UnknownSymbol) -> EncodeOptions<'static> {
    EncodeOptions { unknown, ..EncodeOptions::default() }
}

fn encode(tokenizer: &Tokenizer, text: &[u8], unknown: UnknownSymbol) -> Result<Vec<u32>, Error> {
    let mut ids = vec![u32::MAX];
    let done = tokenizer.encode(text, options(unknown), &mut ids);
    assert_eq!(ids.first(), Some(&u32::MAX));
    assert!(done.is_ok() || ids.len() == 1, "an error leaves the ids as they were");
    done.map(|()| ids[1..].to_vec())
}

fn splitters() -> impl Strategy<Value = Splitter> {
    prop_oneof![
        Just(Splitter::whole()),
        Just(Splitter::white_space()),
        Just(Splitter::new(r"a+|\s+(?!\S)|\s+|[^\sa]+").unwrap()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn bytes_equal_the_plain_way(recipe in byte_recipes(), splitter in splitters(), text in texts(), unknown in unknowns()) {
        let expected = recipe.text(&splitter, &[], &HashSet::new(), &text, unknown);
        let tokenizer = tokenizer(&recipe, splitter);
        prop_assert_eq!(encode(&tokenizer, &text, unknown).ok(), expected);
    }

    #[test]
    fn characters_equal_the_plain_way(recipe in character_recipes(), text in texts(), unknown in unknowns()) {
        let splitter = Splitter::white_space();
        let expected = recipe.text(&splitter, &[], &HashSet::new(), &text, unknown);
        let tokenizer = tokenizer(&recipe, splitter);
        prop_assert_eq!(encode(&tokenizer, &text, unknown).ok(), expected);
    }

    #[test]
    fn counting_is_encoding(recipe in byte_recipes(), splitter in splitters(), text in texts(), unknown in unknowns(), limit in 0usize..40) {
        let tokenizer = tokenizer(&recipe, splitter);
        let Ok(ids) = encode(&tokenizer, &text, unknown) else {
            prop_assert!(tokenizer.count(&text, options(unknown)).is_err());
            return Ok(());
        };
        prop_assert_eq!(tokenizer.count(&text, options(unknown)).unwrap(), ids.len());
        let counted = tokenizer.count_up_to(&text, limit, options(unknown)).unwrap();
        prop_assert_eq!(counted, (ids.len() <= limit).then_some(ids.len()));
    }

    #[test]
    fn a_batch_is_its_texts(recipe in byte_recipes(), texts in proptest::collection::vec(texts(), 0..6), copies in 1usize..400, threads in 0usize..5, unknown in unknowns()) {
        let tokenizer = tokenizer(&recipe, Splitter::white_space());
        let texts: Vec<&[u8]> = texts.iter().cycle().take(texts.len() * copies).map(Vec::as_slice).collect();
        let mut ids = Vec::new();
        let mut offsets = vec![0];
        let mut failed = None;
        for (index, text) in texts.iter().enumerate() {
            match tokenizer.encode(text, options(unknown), &mut ids) {
                Ok(()) => offsets.push(ids.len() as u64),
                Err(error) => {
                    failed = Some((index, error));
                    break;
                }
            }
        }
        let expected = failed.map_or(Ok((ids, offsets)), Err);
        prop_assert_eq!(tokenizer.encode_batch(&texts, options(unknown), threads), expected);
    }
}

#[test]
fn a_big_batch_does_not_depend_on_threads() {
    let recipe = bytes_and(&[b"ab", b"abab", b"ba"]);
    let tokenizer = tokenizer(&recipe, Splitter::white_space());
    let texts: Vec<Vec<u8>> = (0..500usize).map(|n| b"abba abab ".repeat(n % 97)).collect();
    let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
    let one = tokenizer.encode_batch(&texts, EncodeOptions::default(), 1).unwrap();
    assert_eq!(one.1.len(), texts.len() + 1);
    for threads in [0, 2, 3, 16] {
        assert_eq!(tokenizer.encode_batch(&texts, EncodeOptions::default(), threads).unwrap(), one);
    }
    // The first text that fails is named, whichever thread meets another one first.
    let partial = Recipe { tokens: vec![(0, b"a".to_vec())], ..bytes_and(&[]) };
    let tokenizer = encode_oracle::tokenizer(&partial, Splitter::whole());
    let long = b"a".repeat(50_000);
    let texts: Vec<&[u8]> = vec![&long, b"a", b"ab", &long, &long, b"b", &long];
    for threads in 1..5 {
        let (index, error) = tokenizer.encode_batch(&texts, EncodeOptions::default(), threads).unwrap_err();
        assert_eq!((index, error), (2, Error::UnknownSymbol { symbol: b"b".to_vec(), at: 1 }));
    }
}

/// All bytes, each its own id, and more tokens, as a rank file.
fn bytes_and(more: &[&[u8]]) -> Recipe {
    let bytes = (0..=255u8).map(|byte| vec![byte]);
    let contents = bytes.chain(more.iter().map(|content| content.to_vec()));
    Recipe { alphabet: Alphabet::Bytes, tokens: (0..).zip(contents).collect(), merges: None, whole_first: true }
}

#[test]
fn whole_pretokens_are_looked_up_first() {
    let recipe = Recipe { merges: Some(vec![]), ..bytes_and(&[b"abc"]) };
    let tokenizer = tokenizer(&recipe, Splitter::whole());
    assert_eq!(encode(&tokenizer, b"abc", UnknownSymbol::Raise).unwrap(), [256]);
    assert_eq!(encode(&tokenizer, b"xabc", UnknownSymbol::Raise).unwrap(), [120, 97, 98, 99]);
}

#[test]
fn a_hash_sign_is_a_token_like_others() {
    let tokens = [(0, "#"), (1, "##"), (2, "###"), (3, "a")].map(|(id, text)| (id, text.as_bytes().to_vec()));
    let vocabulary = Vocabulary::from_merges(Alphabet::Bytes, tokens.to_vec(), vec![(0, 0), (1, 0)], false).unwrap();
    let tokenizer = Tokenizer::new(Splitter::whole(), vocabulary, SpecialTokens::default()).unwrap();
    assert_eq!(encode(&tokenizer, b"###a", UnknownSymbol::Raise).unwrap(), [2, 3]);
}

#[test]
fn text_that_no_alternative_matches_is_kept() {
    let tokenizer = tokenizer(&bytes_and(&[]), Splitter::new("[a-z]+").unwrap());
    let ids = encode(&tokenizer, b"ab 12 cd", UnknownSymbol::Raise).unwrap();
    assert_eq!(ids, b"ab 12 cd".map(u32::from));
}

#[test]
fn empty_text_has_no_ids() {
    let tokenizer = tokenizer(&bytes_and(&[]), Splitter::whole());
    assert!(encode(&tokenizer, b"", UnknownSymbol::Raise).unwrap().is_empty());
    assert_eq!(tokenizer.count_up_to(b"", 0, EncodeOptions::default()).unwrap(), Some(0));
    assert_eq!(tokenizer.truncate(b"", 0, EncodeOptions::default()).unwrap(), 0);
    assert_eq!(tokenizer.encode_batch(&[], EncodeOptions::default(), 2).unwrap(), (vec![], vec![0]));
}

#[test]
fn unknown_symbols_are_named_with_their_place() {
    let mark = |joined| EndOfWord { mark: "</w>".to_owned(), joined };
    let tokenizer = |mark, tokens: &[&str]| {
        let tokens = (0..).zip(tokens.iter().map(|text| text.as_bytes().to_vec())).collect();
        let alphabet = Alphabet::Characters { end_of_word: mark };
        let vocabulary = Vocabulary::from_merges(alphabet, tokens, vec![], false).unwrap();
        Tokenizer::new(Splitter::white_space(), vocabulary, SpecialTokens::default()).unwrap()
    };
    let unknown = |symbol: &[u8], at| Err(Error::UnknownSymbol { symbol: symbol.to_vec(), at });
    let raise = UnknownSymbol::Raise;
    assert_eq!(encode(&tokenizer(None, &["a"]), "aa aé".as_bytes(), raise), unknown("é".as_bytes(), 4));
    assert_eq!(encode(&tokenizer(None, &["a"]), b"aa a\xFF", raise), unknown(b"\xFF", 4));
    assert_eq!(encode(&tokenizer(Some(mark(false)), &["a"]), b"aa", raise), unknown(b"</w>", 2));
    assert_eq!(encode(&tokenizer(Some(mark(true)), &["a"]), b"aa", raise), unknown(b"a</w>", 1));
    // The letters of the mark are not the mark, and neither is the byte that stands for it.
    assert_eq!(encode(&tokenizer(Some(mark(false)), &["a"]), b"a</w>", raise), unknown(b"<", 1));
}

#[test]
fn nothing_is_allowed_unless_it_is_said() {
    let specials = SpecialTokens::new(vec![encode_oracle::special("<|end|>", 300)]).unwrap();
    let tokenizer = Tokenizer::new(Splitter::whole(), bytes_and(&[]).build(), specials).unwrap();
    let mut ids = Vec::new();
    tokenizer.encode(b"a<|end|>", EncodeOptions::default(), &mut ids).unwrap();
    assert_eq!(ids, b"a<|end|>".map(u32::from));
    ids.clear();
    tokenizer
        .encode(b"a<|end|>", EncodeOptions { allowed: Allowed::All, ..EncodeOptions::default() }, &mut ids)
        .unwrap();
    assert_eq!(ids, [97, 300]);
}

/// Nothing of it is read, so that it takes no memory.
#[test]
fn a_single_piece_that_is_too_long_is_refused() {
    let tokenizer = tokenizer(&bytes_and(&[]), Splitter::whole());
    let long = vec![0; u32::MAX as usize];
    let refused = tokenizer.encode_single(&long, Cancel::default(), &mut Vec::new());
    assert!(matches!(refused, Err(Error::Pattern(_))), "{refused:?}");
}
