//! Encoding: the cases that need no real vocabulary.
#![allow(clippy::unwrap_used)]

use bytepair::tokenizer::EncodeOptions;
use bytepair::{Alphabet, SpecialTokens, Splitter, Tokenizer, Vocabulary};

fn ids(tokenizer: &Tokenizer, text: &[u8]) -> Vec<u32> {
    let mut ids = Vec::new();
    tokenizer.encode(text, EncodeOptions::default(), &mut ids).unwrap();
    ids
}

#[test]
fn whole_pretokens_are_looked_up_first() {
    let mut tokens: Vec<_> = (0..=255u8).map(|byte| (u32::from(byte), vec![byte])).collect();
    tokens.push((256, b"abc".to_vec()));
    let vocabulary = Vocabulary::from_merges(Alphabet::Bytes, tokens, vec![], true).unwrap();
    let tokenizer = Tokenizer::new(Splitter::whole(), vocabulary, SpecialTokens::default()).unwrap();
    assert_eq!(ids(&tokenizer, b"abc"), [256]);
    assert_eq!(ids(&tokenizer, b"xabc"), [120, 97, 98, 99]);
}
