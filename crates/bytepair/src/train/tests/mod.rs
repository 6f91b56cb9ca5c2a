//! The trainer against a naive one that counts everything again before each merge, on small alphabets and small counts, where
//! ties and overlaps are frequent.
//!
//! From base symbols alone no two merges make the same content: two stretches of text with equal symbols, whose ends no
//! merge has crossed, stand in equal tokens. Ids are re-used, and counts rise, only in a text that stood in tokens which its
//! merges do not make; so the trainer is also started on such texts.

mod balance;
mod naive;
mod starts;

use std::ops::ControlFlow;

use naive::{Naive, Word};
use proptest::prelude::*;

use super::layout::{DEAD, EDGE, Runs, Text};
use super::map::PairMap;
use super::tokens::Tokens;
use super::trainer::Trainer;
use super::{Goal, Ties, TrainOptions, Training, train};
use crate::cancel::Cancel;
use crate::count::Counts;
use crate::vocabulary::{Alphabet, EndOfWord};

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
    let word =
        prop::collection::vec(prop::sample::select(characters), 0..length).prop_map(|word| word.concat().into_bytes());
    prop::collection::vec((word, 1..=max_count), 0..8).prop_map(|list| {
        let mut counts = Counts::default();
        for (word, count) in &list {
            counts.add(word, *count).unwrap();
        }
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
    (alphabets(), goal, ties(), prop_oneof![3 => Just(1), 1 => 0..6_u64], max, any::<bool>()).prop_map(
        |(alphabet, goal, ties, min_count, max_token_bytes, whole_characters)| TrainOptions {
            alphabet,
            goal,
            ties,
            min_count,
            max_token_bytes,
            whole_characters,
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
    for (&id, content) in &naive.tokens {
        assert_eq!(vocabulary.content(id), Some(&content[..]));
    }
    naive
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

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

/// Pretokens over `a`, `b` and `c` that stand in arbitrary tokens of one to four letters.
fn segmented() -> impl Strategy<Value = (Vec<Vec<u8>>, Vec<Word>)> {
    let letters = |length| prop::collection::vec(97..100_u8, length);
    let extra = prop::collection::hash_set(letters(2..5), 0..12);
    let piece = (letters(1..2), any::<prop::sample::Index>(), any::<bool>());
    let word = (prop::collection::vec(piece, 0..16), 1..4_u64);
    (extra, prop::collection::vec(word, 0..8)).prop_map(|(extra, words)| {
        let mut extra: Vec<Vec<u8>> = extra.into_iter().collect();
        extra.sort();
        let tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).chain(extra).collect();
        let id = |(letter, any, wide): &(Vec<u8>, prop::sample::Index, bool)| {
            if *wide && tokens.len() > 256 { 256 + any.index(tokens.len() - 256) } else { usize::from(letter[0]) }
        };
        let id = |piece| u32::try_from(id(piece)).unwrap();
        let words = words.iter().map(|(word, count)| (word.iter().map(id).collect(), *count)).collect();
        (tokens, words)
    })
}

/// The trainer on pretokens that stand in any tokens.
fn trainer_of(contents: &[Vec<u8>], words: &[Word], options: &TrainOptions) -> Trainer {
    let mut tokens = Tokens::default();
    for content in contents {
        tokens.add(content, content.len()).unwrap();
    }
    let (mut symbols, mut runs) = (vec![EDGE], Runs::default());
    for (word, count) in words {
        for &id in word {
            let width = contents[id as usize].len();
            let start = symbols.len();
            symbols.resize(start + width, DEAD);
            symbols[start] = id;
            symbols[start + width - 1] = id;
        }
        symbols.push(EDGE);
        runs.extend(u32::try_from(symbols.len()).unwrap(), *count);
    }
    Trainer::of(Text { symbols, runs }, tokens, PairMap::default(), options, Cancel::default()).unwrap()
}

fn check_segmented(tokens: Vec<Vec<u8>>, words: Vec<Word>, options: &TrainOptions) -> Naive {
    let mut trainer = trainer_of(&tokens, &words, options);
    let mut naive = Naive::of((0..).zip(tokens).collect(), words, options);
    let expected = naive.run();
    let mut merges = Vec::new();
    let stopped = loop {
        match trainer.step(std::iter::once(0), options.goal, Cancel::default()).unwrap() {
            Ok((merge, _)) => merges.push(merge),
            Err(stopped) => break stopped,
        }
    };
    assert_eq!((merges, stopped), (naive.merges.clone(), expected));
    naive
}

#[test]
fn a_pair_that_comes_back_is_merged_again_and_listed_once() {
    // 257 is `bcd`, 258 is `abcd`. `a`,`bcd` is merged first; `bc`,`d` then makes a second `bcd` after an `a`.
    let tokens = (0..=255).map(|byte| vec![byte]).chain([b"bc".to_vec(), b"bcd".to_vec()]).collect();
    let words = vec![(vec![97, 257], 5), (vec![97, 256, 100], 3), (vec![256, 100], 1)];
    let naive = check_segmented(tokens, words, &TrainOptions::default());
    let merges: Vec<_> = naive.merges.iter().map(|m| (m.left, m.right, m.id, m.count, m.fired)).collect();
    assert_eq!(merges, [(97, 257, 258, 5, 5), (256, 100, 257, 4, 4)]);
    assert_eq!(naive.words, [(vec![258], 5), (vec![258], 3), (vec![257], 1)]);
    assert_eq!(naive.again, 1);
}

#[test]
fn an_earlier_site_of_a_pair_that_rises_counts_for_first() {
    // `_` stands for the token `bc`.
    let ids =
        |word: &str| word.bytes().map(|byte| if byte == b'_' { 256 } else { u32::from(byte) }).collect::<Vec<u32>>();
    let words = [("xd", 100), ("xd_", 10), ("dbc", 2), ("xd_", 10), ("ebc", 4), ("d_", 6), ("e_", 4)];
    let words = words.map(|(word, count)| (ids(word), count)).to_vec();
    let tokens = (0..=255).map(|byte| vec![byte]).chain([b"bc".to_vec()]).collect();
    let naive = check_segmented(tokens, words, &TrainOptions { ties: Ties::First, ..TrainOptions::default() });
    // `d`,`bc` lost its first and third site to `xd`; `b`,`c` gives it one between them, before the first of `e`,`bc`.
    let merges: Vec<_> = naive.merges.iter().map(|m| (vec![m.left, m.right], m.count)).collect();
    assert_eq!(merges, [(ids("xd"), 120), (vec![257, 256], 20), (ids("bc"), 6), (ids("d_"), 8), (ids("e_"), 8)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn texts_that_stand_in_any_tokens((tokens, words) in segmented(), options in options()) {
        check_segmented(tokens, words, &TrainOptions { alphabet: Alphabet::Bytes, ..options });
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
        for word in &words {
            counts.add(word, 1).unwrap();
        }
        let words: Words = counts.iter().map(|(word, count)| (word.to_vec(), count)).collect();
        check(&words, &TrainOptions { ties, ..TrainOptions::default() });
    }
}
