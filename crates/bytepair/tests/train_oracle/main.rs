//! The trainer against a naive one that counts everything again before each merge, on small alphabets and small counts, where
//! ties, overlaps and re-used ids are frequent.

mod naive;

use std::ops::ControlFlow;

use bytepair::count::Counts;
use bytepair::train::{Goal, Ties, TrainOptions, Training, train};
use bytepair::{Alphabet, EndOfWord};
use naive::Naive;
use proptest::prelude::*;

/// Distinct pretokens with counts, in order of first appearance.
type Words = Vec<(Vec<u8>, u64)>;

fn counted(words: &Words) -> Counts {
    let mut counts = Counts::default();
    for (word, count) in words {
        counts.add(word, *count).unwrap();
    }
    counts
}

/// Words made of a few characters, repeated words summed up.
fn words(characters: &'static [&'static str], length: usize, max_count: u64) -> impl Strategy<Value = Words> {
    let word = prop::collection::vec(prop::sample::select(characters), 0..length).prop_map(|word| word.concat().into_bytes());
    prop::collection::vec((word, 1..=max_count), 0..8).prop_map(|list| {
        let mut counts = Counts::default();
        list.iter().for_each(|(word, count)| counts.add(word, *count).unwrap());
        counts.iter().map(|(word, count)| (word.to_vec(), count)).collect()
    })
}

fn ties() -> impl Strategy<Value = Ties> {
    prop::sample::select(vec![Ties::Lowest, Ties::First, Ties::HuggingFace, Ties::Greatest])
}

fn alphabets() -> impl Strategy<Value = Alphabet> {
    let mark = |joined| Some(EndOfWord { mark: "<w>".to_owned(), joined });
    let characters = |end_of_word| Alphabet::Characters { end_of_word };
    prop::sample::select(vec![Alphabet::Bytes, characters(None), characters(mark(false)), characters(mark(true))])
}

fn options() -> impl Strategy<Value = TrainOptions> {
    let goal = prop_oneof![
        3 => Just(Goal::Merges(usize::MAX)),
        1 => (0..12_usize).prop_map(Goal::Merges),
        1 => (256..270_usize).prop_map(Goal::Tokens),
    ];
    let max = prop_oneof![2 => Just(None), 1 => (0..9_usize).prop_map(Some)];
    (alphabets(), goal, ties(), prop_oneof![3 => Just(1), 1 => 0..6_u64], max).prop_map(
        |(alphabet, goal, ties, min_count, max_token_bytes)| TrainOptions {
            alphabet,
            goal,
            ties,
            min_count,
            max_token_bytes,
        },
    )
}

fn trained(words: &Words, options: &TrainOptions) -> Training {
    let mut seen = Vec::new();
    let training = train(&counted(words), options, |rank, merge| {
        assert_eq!(rank, seen.len());
        seen.push(*merge);
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(seen, training.merges);
    training
}

fn check(words: &Words, options: &TrainOptions) -> Naive {
    let training = trained(words, options);
    let mut naive = Naive::new(words, options);
    let stopped = naive.run();
    assert_eq!(training.merges, naive.merges, "{words:?} {options:?}");
    assert_eq!(training.stopped, stopped, "{words:?} {options:?}");
    let vocabulary = &training.vocabulary;
    assert_eq!(vocabulary.len(), naive.tokens.len());
    for (id, content) in (0..).zip(&naive.tokens) {
        assert_eq!(vocabulary.content(id), Some(&content[..]));
    }
    naive
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn two_letters(words in words(&["a", "b"], 24, 3), options in options()) {
        check(&words, &options);
    }

    #[test]
    fn three_letters(words in words(&["a", "b", " "], 40, 2), options in options()) {
        check(&words, &options);
    }

    #[test]
    fn letters_of_many_bytes_and_those_of_the_mark(words in words(&["é", "<", "w", ">", "\0"], 16, 4), options in options()) {
        check(&words, &options);
    }

    #[test]
    fn counts_beyond_32_bits(words in words(&["a", "b", "c"], 12, u64::MAX / 1000), options in options()) {
        check(&words, &options);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn one_long_pretoken(word in prop::collection::vec(97..100_u8, 0..400), ties in ties()) {
        check(&vec![(word, 3)], &TrainOptions { ties, ..TrainOptions::default() });
    }

    #[test]
    fn any_bytes(words in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..4), ties in ties()) {
        let mut counts = Counts::default();
        words.iter().for_each(|word| counts.add(word, 1).unwrap());
        let words: Words = counts.iter().map(|(word, count)| (word.to_vec(), count)).collect();
        check(&words, &TrainOptions { ties, ..TrainOptions::default() });
    }
}
