//! Counting pretokens: order, special tokens, threads, limits.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::fmt::Write;
use std::ops::ControlFlow;

use bytepair::count::{Counting, Counts};
use bytepair::train::{Goal, TrainOptions, train};
use bytepair::{Alphabet, Cancel, EndOfWord, Error, SpecialToken, SpecialTokens, Splitter};
use proptest::prelude::*;

fn listed(counts: &Counts) -> Vec<(Vec<u8>, u64)> {
    counts.iter().map(|(pretoken, count)| (pretoken.to_vec(), count)).collect()
}

fn special(contents: &[&str]) -> SpecialTokens {
    let token = |(id, content): (u32, &&str)| SpecialToken {
        content: (*content).to_owned(),
        id,
        special: true,
        ..SpecialToken::default()
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

/// Only the number of pretokens must fit in 64 bits.
#[test]
fn bytes_may_pass_64_bits() {
    let mut counts = Counts::default();
    counts.add(b"twelve bytes", u64::MAX - 1).unwrap();
    counts.add(b"", 1).unwrap();
    assert_eq!(counts.total_bytes(), 12 * u128::from(u64::MAX - 1));
    assert!(matches!(counts.scale(2), Err(Error::Training(_))));
    counts.scale(1).unwrap();
    assert_eq!(listed(&counts), [(b"twelve bytes".to_vec(), u64::MAX - 1), (Vec::new(), 1)]);
    let (mut counts, dropped) = counts.pruned(2, false);
    assert_eq!((dropped.distinct, dropped.total, dropped.pair), (1, 1, 0));
    counts.scale(0).unwrap();
    assert_eq!((counts.len(), counts.total(), counts.total_bytes()), (0, 0, 0));
}

/// Training needs the positions of each pair to be no more than 2^64 - 3, and nothing more.
#[test]
fn pairs_may_stand_as_often_as_64_bits_can_tell() {
    let most = |words: &[(&[u8], u64)]| {
        let mut counts = Counts::default();
        words.iter().try_for_each(|(word, count)| counts.add(word, *count)).unwrap();
        let options = TrainOptions { goal: Goal::Merges(1), ..TrainOptions::default() };
        train(&counts, &options, |_, _| ControlFlow::Continue(())).map(|training| training.merges[0].count)
    };
    assert_eq!(most(&[(b"twelve bytes", u64::MAX - 4), (b"tw", 2)]), Ok(u64::MAX - 2));
    assert_eq!(most(&[(b"aaa", u64::MAX / 2 - 1)]), Ok(u64::MAX - 3));
    assert_eq!(most(&[(b"ab", 3_000_000_000), (b"b", 1)]), Ok(3_000_000_000));
    for words in
        [&[(&b"aaa"[..], u64::MAX / 2), (b"aa", 2)][..], &[(b"aaa", u64::MAX / 2)], &[(b"xyxy", u64::MAX / 2 + 1)]]
    {
        let error = most(words).unwrap_err().to_string();
        assert!(error.starts_with("one pair of bytes stands 1844674407370955161"), "{error}");
        assert!(error.contains("\nhint: divide"), "{error}");
    }
}

/// A mark that is a symbol of its own stands beside the last character as often as there are words.
#[test]
fn marks_may_stand_as_often_as_64_bits_can_tell() {
    let most = |words: &[(&[u8], u64)], joined: bool| {
        let mut counts = Counts::default();
        words.iter().try_for_each(|(word, count)| counts.add(word, *count)).unwrap();
        let end_of_word = Some(EndOfWord { mark: "</w>".to_owned(), joined });
        let goal = Goal::Merges(1);
        let options = TrainOptions { alphabet: Alphabet::Characters { end_of_word }, goal, ..TrainOptions::default() };
        train(&counts, &options, |_, _| ControlFlow::Continue(())).map(|training| training.merges[0].count)
    };
    assert_eq!(most(&[(b"a", u64::MAX - 2)], false), Ok(u64::MAX - 2));
    assert_eq!(most(&[(b"a", u64::MAX - 3), (b"ba", 1)], false), Ok(u64::MAX - 2));
    assert_eq!(most(&[(b"a", u64::MAX - 2), (b"ba", 2)], true), Ok(2));
    for words in [&[(&b"a"[..], u64::MAX)][..], &[(b"a", u64::MAX - 1)], &[(b"a", u64::MAX - 2), (b"ba", 1)]] {
        let error = most(words, false).unwrap_err().to_string();
        assert!(error.contains("end-of-word marks stand") && error.contains("\nhint: divide"), "{error}");
    }
}

/// However long it is.
#[test]
fn an_error_shows_the_beginning_of_a_pretoken() {
    let mut counts = Counts::default();
    counts.add(b"low", u64::MAX).unwrap();
    for (word, shown) in [
        (b"caf\xe9 \n".to_vec(), "\"caf\\xe9 \\n\"".to_owned()),
        ("é".repeat(1 << 20).into_bytes(), format!("\"{}...\"", "é".repeat(40))),
        (vec![0xff; 1 << 20], format!("\"{}...\"", "\\xff".repeat(40))),
    ] {
        let error = counts.add(&word, 1).unwrap_err().to_string();
        assert!(error.starts_with(&format!("the counts pass 2^64 - 1 when 1 of {shown} are added\n")), "{error}");
    }
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
    fn a_table_is_what_was_added_scaled_and_kept(
        words in prop::collection::vec((prop::sample::select(b"ab\0\xff".to_vec()), 0_usize..40, 0_u64..5), 0..600),
        factor in 1_u64..4,
        below in 0_u64..20,
    ) {
        let words: Vec<(Vec<u8>, u64)> = words.into_iter().map(|(byte, length, count)| (vec![byte; length], count)).collect();
        let pretokens: Vec<&[u8]> = words.iter().map(|(word, _)| word.as_slice()).collect();
        let numbers: Vec<u64> = words.iter().map(|&(_, count)| count).collect();
        let mut one_by_one = Counts::default();
        for (word, count) in &words {
            one_by_one.add(word, *count).unwrap();
        }
        let mut counts = Counts::default();
        counts.add_many(&pretokens, &numbers, Cancel::default()).unwrap();
        prop_assert_eq!(listed(&counts), listed(&one_by_one));

        counts.scale(factor).unwrap();
        let all: Vec<(Vec<u8>, u64)> = listed(&one_by_one).into_iter().map(|(word, count)| (word, count * factor)).collect();
        prop_assert_eq!(listed(&counts), all.clone());
        let (kept, rare): (Vec<_>, Vec<_>) = all.into_iter().partition(|&(_, count)| count >= below);
        let before = listed(&counts);
        let (pruned, dropped) = counts.pruned(below, false);
        prop_assert_eq!((dropped.distinct, dropped.total), (rare.len(), rare.iter().map(|&(_, count)| count).sum()));
        prop_assert_eq!(listed(&counts), before);
        let mut counts = pruned;
        prop_assert_eq!(listed(&counts), kept.clone());
        let bytes: u128 = kept.iter().map(|(word, count)| word.len() as u128 * u128::from(*count)).sum();
        prop_assert_eq!((counts.total(), counts.total_bytes()), (kept.iter().map(|&(_, count)| count).sum(), bytes));
        let mut order: Vec<usize> = (0..kept.len()).collect();
        order.sort_by_key(|&index| (std::cmp::Reverse(kept[index].0.len()), index));
        order.retain(|&index| !kept[index].0.is_empty());
        order.truncate(7);
        prop_assert_eq!(counts.longest(7), order);

        // What was kept is found again, and what was dropped is new.
        counts.merge(&one_by_one, Cancel::default()).unwrap();
        let occurrences = |words: &[(Vec<u8>, u64)]| words.iter().map(|&(_, count)| count).sum::<u64>();
        prop_assert_eq!(counts.total(), occurrences(&kept) + one_by_one.total());
        prop_assert_eq!(counts.len(), one_by_one.len());
        let expected: Vec<Vec<u8>> = kept.into_iter().chain(rare).map(|(word, _)| word).collect();
        prop_assert_eq!(counts.iter().map(|(word, _)| word.to_vec()).collect::<Vec<_>>(), expected);
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
