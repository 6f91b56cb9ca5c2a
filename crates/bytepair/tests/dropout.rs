//! BPE-dropout at its ends, where it is plain encoding and no merging at all; in between, the text is kept. That the numbers
//! decide as they must is tested from Python, against the algorithm in a few lines.
#![allow(clippy::unwrap_used)]

mod encode_oracle;

use bytepair::encode::Dropout;
use bytepair::tokenizer::{DecodeOptions, EncodeOptions, UnknownSymbol};
use bytepair::{Cancel, Error, SpecialTokens, Splitter, Tokenizer, Vocabulary};
use encode_oracle::{byte_recipes, character_recipes, texts, tokenizer, unknowns};
use proptest::prelude::*;

fn encode(tokenizer: &Tokenizer, text: &[u8], dropout: f64, seed: u64, unknown: UnknownSymbol) -> Option<Vec<u32>> {
    let options = EncodeOptions { unknown, ..EncodeOptions::default() };
    let mut ids = vec![7];
    let done = tokenizer.encode_dropout(text, Dropout::new(dropout, seed).unwrap(), options, &mut ids);
    assert!(ids.first() == Some(&7) && (done.is_ok() || ids.len() == 1), "an error leaves the ids as they were");
    done.ok().map(|()| ids[1..].to_vec())
}

fn plain(tokenizer: &Tokenizer, text: &[u8], unknown: UnknownSymbol) -> Option<Vec<u32>> {
    let mut ids = Vec::new();
    let options = EncodeOptions { unknown, ..EncodeOptions::default() };
    tokenizer.encode(text, options, &mut ids).ok().map(|()| ids)
}

fn text_of(tokenizer: &Tokenizer, ids: &[u32]) -> Vec<u8> {
    let mut text = Vec::new();
    tokenizer.decode(ids, DecodeOptions::default(), &mut text).unwrap();
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn at_zero_it_is_encoding(recipe in byte_recipes(), text in texts(), unknown in unknowns(), seed: u64) {
        let tokenizer = tokenizer(&recipe, Splitter::new(r"a+|\s+|[^\sa]+").unwrap());
        prop_assert_eq!(encode(&tokenizer, &text, 0.0, seed, unknown), plain(&tokenizer, &text, unknown));
    }

    #[test]
    fn characters_at_zero(recipe in character_recipes(), text in texts(), unknown in unknowns(), seed: u64) {
        let tokenizer = tokenizer(&recipe, Splitter::white_space());
        prop_assert_eq!(encode(&tokenizer, &text, 0.0, seed, unknown), plain(&tokenizer, &text, unknown));
    }

    #[test]
    fn the_text_is_kept(recipe in byte_recipes(), text in texts(), dropout in 0.0..=1.0, seed: u64) {
        let tokenizer = tokenizer(&recipe, Splitter::whole());
        let Some(whole) = plain(&tokenizer, &text, UnknownSymbol::Raise) else { return Ok(()) };
        let ids = encode(&tokenizer, &text, dropout, seed, UnknownSymbol::Raise).unwrap();
        prop_assert_eq!(text_of(&tokenizer, &ids), text_of(&tokenizer, &whole));
        prop_assert_eq!(encode(&tokenizer, &text, dropout, seed, UnknownSymbol::Raise), Some(ids));
        let all = encode(&tokenizer, &text, 1.0, seed, UnknownSymbol::Raise).unwrap();
        prop_assert_eq!(all.len(), text.len());
    }
}

#[test]
fn probabilities() {
    for probability in [0.0, -0.0, 0.5, 1.0] {
        assert!(Dropout::new(probability, 0).is_some());
    }
    for wrong in [-f64::MIN_POSITIVE, 1.0 + f64::EPSILON, f64::NAN, f64::INFINITY] {
        assert!(Dropout::new(wrong, 0).is_none());
    }
}

#[test]
fn it_can_be_stopped() {
    let ranks = (0..=255).map(|byte| (u32::from(byte), vec![byte])).chain([(256, b"aa".to_vec())]);
    let vocabulary = Vocabulary::from_ranks(ranks.collect()).unwrap();
    let tokenizer = Tokenizer::new(Splitter::whole(), vocabulary, SpecialTokens::default()).unwrap();
    let stop = || true;
    let options = EncodeOptions { cancel: Cancel::new(&stop), ..EncodeOptions::default() };
    let dropout = Dropout::new(0.5, 0).unwrap();
    let mut ids = Vec::new();
    assert_eq!(tokenizer.encode_dropout(&vec![b'a'; 1 << 20], dropout, options, &mut ids), Err(Error::Interrupted));
    assert!(ids.is_empty());
}
