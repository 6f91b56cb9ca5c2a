//! Counting pretokens: order, special tokens, threads, limits.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::fmt::Write;

use bytepair::count::{Counting, Counts};
use bytepair::{Cancel, Error, SpecialToken, SpecialTokens, Splitter};
use proptest::prelude::*;

fn listed(counts: &Counts) -> Vec<(Vec<u8>, u64)> {
    counts.iter().map(|(pretoken, count)| (pretoken.to_vec(), count)).collect()
}

fn special(contents: &[&str]) -> SpecialTokens {
    let token = |(id, content): (u32, &&str)| SpecialToken {
        content: (*content).to_owned(),
        id,
        special: true,
        normalized: false,
    };
    SpecialTokens::new((256..).zip(contents).map(token).collect()).unwrap()
}

/// The same counts, the plain way.
fn plainly<'a>(pretokens: impl Iterator<Item = &'a [u8]>) -> Vec<(Vec<u8>, u64)> {
    let mut order: Vec<(Vec<u8>, u64)> = Vec::new();
    let mut found: HashMap<Vec<u8>, usize> = HashMap::new();
    for pretoken in pretokens {
        let index = *found.entry(pretoken.to_vec()).or_insert_with(|| {
            order.push((pretoken.to_vec(), 0));
            order.len() - 1
        });
        order[index].1 += 1;
    }
    order
}

#[test]
fn special_tokens_are_boundaries_and_not_counted() {
    let splitter = Splitter::new(r"[a-z]+|\s+(?!\S)|\s+|.").unwrap();
    let mut counts = Counts::default();
    let specials = special(&["<s>", "<s><s>", "</s>"]);
    counts.add_document(&splitter, &specials, b"<s>ab  <s><s>ab</s></s>abab <").unwrap();
    // The spaces before a special token are the end of a text: they stay together.
    let expected = [("ab", 2), ("  ", 1), ("abab", 1), (" ", 1), ("<", 1)];
    assert_eq!(listed(&counts), expected.map(|(p, n)| (p.as_bytes().to_vec(), n)));
    assert_eq!((counts.documents(), counts.total(), counts.total_bytes()), (1, 6, 12));
}

#[test]
fn documents_do_not_touch() {
    let mut counting = Counting::new(Splitter::whole(), SpecialTokens::default());
    let documents: [&[u8]; 4] = [b"ab", b"", b"ab", b"a"];
    counting.add_documents(&documents, 4, Cancel::default()).unwrap();
    let counts = counting.counts().unwrap();
    assert_eq!(listed(counts), [(b"ab".to_vec(), 2), (b"a".to_vec(), 1)]);
    assert_eq!(counts.documents(), 4);
}

/// Ten thousand short lines and some large documents: every number of threads gives the table of one by one, in the same order.
#[test]
fn any_number_of_threads_counts_the_same() {
    let splitter = Splitter::white_space();
    let mut lines = Vec::new();
    for i in 0..10_007_u64 {
        let mut line = String::new();
        for j in 0..if i % 1000 == 7 { 120_000 } else { 40 } {
            write!(line, "w{} ", (i * 131 + j * 31) * (i + j) % 4099).unwrap();
        }
        line.push_str(&"long".repeat(usize::try_from(i % 9).unwrap()));
        lines.push(line.into_bytes());
    }
    let documents: Vec<&[u8]> = lines.iter().map(|line| &line[..]).collect();
    let mut expected = Counts::default();
    for document in &documents {
        expected.add_document(&splitter, &SpecialTokens::default(), document).unwrap();
    }
    assert!(expected.total_bytes() > 16 << 18, "enough work for 16 threads");
    for threads in [0, 1, 2, 3, 7, 16] {
        let mut counting = Counting::new(splitter.clone(), SpecialTokens::default());
        counting.counts_mut().unwrap().add(b"before", 3).unwrap();
        counting.add_documents(&documents, threads, Cancel::default()).unwrap();
        let counts = counting.counts().unwrap();
        assert_eq!(listed(counts)[1..], listed(&expected), "{threads} threads");
        assert_eq!((counts.total(), counts.documents()), (expected.total() + 3, 10_007));
        assert_eq!(counts.total_bytes(), expected.total_bytes() + 18);
    }
}

#[test]
fn counts_past_64_bits_are_an_error_and_change_nothing() {
    let mut counts = Counts::default();
    counts.add(b"a", u64::MAX - 1).unwrap();
    counts.add(b"a", 1).unwrap();
    for (pretoken, count) in [(&b"a"[..], 1), (b"b", 1), (b"", 1), (b"bc", u64::MAX)] {
        assert!(matches!(counts.add(pretoken, count), Err(Error::Training(_))), "{pretoken:?}");
    }
    counts.add(b"zero", 0).unwrap();
    assert_eq!(listed(&counts), [(b"a".to_vec(), u64::MAX)]);
    assert_eq!((counts.total(), counts.total_bytes()), (u64::MAX, u128::from(u64::MAX)));
    let mut other = Counts::default();
    other.add(b"x", 1).unwrap();
    assert!(matches!(other.merge(&counts, Cancel::default()), Err(Error::Training(_))));
    assert_eq!(listed(&other), [(b"x".to_vec(), 1)]);
}

/// The index of the document at which the count passes 64 bits does not depend on the threads.
#[test]
fn an_error_names_the_document() {
    let text = b"x ".repeat(1 << 18);
    let documents: Vec<&[u8]> = vec![&text; 8];
    for threads in [1, 3, 8] {
        let mut counting = Counting::new(Splitter::white_space(), SpecialTokens::default());
        counting.counts_mut().unwrap().add(b"x", u64::MAX - 5 * (1 << 18) - 7).unwrap();
        let (index, error) = counting.add_documents(&documents, threads, Cancel::default()).unwrap_err();
        assert_eq!(index, 5, "{threads} threads");
        assert!(error.to_string().contains("2^64"), "{error}");
    }
}

proptest! {
    #[test]
    fn merging_two_tables_is_counting_both_texts(
        texts in prop::collection::vec(prop::collection::vec(prop::sample::select(b"ab \0\xff".to_vec()), 0..200), 2),
    ) {
        let tables: Vec<Counts> = texts.iter().map(|text| {
            let mut counts = Counts::default();
            text.split(|&byte| byte == b' ').for_each(|piece| counts.add(piece, 1).unwrap());
            counts
        }).collect();
        let mut merged = tables[0].clone();
        merged.merge(&tables[1], Cancel::default()).unwrap();
        let pieces = texts.iter().flat_map(|text| text.split(|&byte| byte == b' '));
        prop_assert_eq!(listed(&merged), plainly(pieces));
        prop_assert_eq!(merged.total_bytes() + u128::from(merged.total()) - 2, (texts[0].len() + texts[1].len()) as u128);
    }

    #[test]
    fn pretokens_of_any_length(lengths in prop::collection::vec(0..40_usize, 0..300)) {
        let text: Vec<u8> = (0..=255).cycle().take(400).collect();
        let pieces: Vec<&[u8]> = lengths.iter().map(|&length| &text[length * 3 % 64..][..length]).collect();
        let mut counts = Counts::default();
        for piece in &pieces {
            counts.add(piece, 1).unwrap();
        }
        prop_assert_eq!(listed(&counts), plainly(pieces.into_iter()));
    }
}
