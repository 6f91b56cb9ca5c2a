//! Trainings that start from a base, with seeds, or where another was interrupted, against the naive trainer.

use std::collections::HashSet;
use std::ops::ControlFlow;

use proptest::prelude::*;

use super::super::{Goal, Start, TrainOptions, Training, train_from};
use super::naive::Naive;
use super::{Words, alphabets, counted, options, trained, words};
use crate::cancel::Cancel;
use crate::error::Result;
use crate::special::{SpecialToken, SpecialTokens};
use crate::split::Splitter;
use crate::tokenizer::Tokenizer;
use crate::vocabulary::{Alphabet, Vocabulary};

fn train_on(words: &Words, options: &TrainOptions, start: &Start<'_>) -> Result<Training> {
    let mut next = start.learned.len();
    train_from(counted(words), options, start, Cancel::default(), |rank, _| {
        assert_eq!(rank, next);
        next += 1;
        ControlFlow::Continue(())
    })
}

/// How a base differs from what a training gives.
#[derive(Debug, Clone)]
pub struct Bent {
    /// Added to the ids, by token: they need neither be dense nor in the order of the merges.
    ids: Vec<u32>,
    /// Merges that change places with the next one.
    swaps: HashSet<usize>,
    /// Merges whose tokens stay, though nothing makes them.
    lost: HashSet<usize>,
    whole_first: bool,
    special: u32,
}

pub fn bent() -> impl Strategy<Value = Bent> {
    let few = || prop::collection::hash_set(0..20_usize, 0..3);
    let ids = prop_oneof![Just(vec![0; 400]), prop::collection::vec(0..3_u32, 400), Just((0..400).rev().collect())];
    (ids, prop_oneof![3 => Just(HashSet::new()), 1 => few()], few(), any::<bool>(), 0..500_u32)
        .prop_map(|(ids, swaps, lost, whole_first, special)| Bent { ids, swaps, lost, whole_first, special })
}

/// What a training learned, bent.
pub fn base_of(training: &Training, alphabet: &Alphabet, bent: &Bent) -> Tokenizer {
    let tokens: Vec<(u32, Vec<u8>)> = training
        .vocabulary
        .ids()
        .iter()
        .map(|&id| (id * 3 + bent.ids[id as usize], training.vocabulary.content(id).unwrap().to_vec()))
        .collect();
    let id = |old: u32| old * 3 + bent.ids[old as usize];
    let mut merges: Vec<(u32, u32)> = training.vocabulary.pairs();
    for &at in &bent.swaps {
        if at + 1 < merges.len() {
            merges.swap(at, at + 1);
        }
    }
    let kept = merges.iter().enumerate().filter(|(at, _)| !bent.lost.contains(at));
    let merges = kept.map(|(_, &(left, right))| (id(left), id(right))).collect();
    let vocabulary = Vocabulary::from_merges(alphabet.clone(), tokens, merges, bent.whole_first).unwrap();
    let special = (bent.special..bent.special + 2000).find(|&id| vocabulary.content(id).is_none()).unwrap();
    tokenizer(vocabulary, special)
}

fn tokenizer(vocabulary: Vocabulary, special: u32) -> Tokenizer {
    let special = SpecialToken { content: "<|x|>".to_owned(), id: special, special: true, ..SpecialToken::default() };
    Tokenizer::new(Splitter::whole(), vocabulary, SpecialTokens::new(vec![special]).unwrap()).unwrap()
}

fn goals_above(options: TrainOptions, base: &Tokenizer) -> TrainOptions {
    let goal = match options.goal {
        Goal::Tokens(goal) => Goal::Tokens(base.vocabulary().len() + goal % 16),
        merges @ Goal::Merges(_) => merges,
    };
    TrainOptions { goal, ..options }
}

/// The engine and the naive trainer agree; a training that was interrupted anywhere comes to the same.
fn check(words: &Words, options: &TrainOptions, start: &Start<'_>) -> Option<Naive> {
    let mut naive = Naive::from(words, options, start);
    let over = match options.goal {
        Goal::Tokens(goal) => naive.tokens.len() > goal,
        Goal::Merges(goal) => naive.merges.len() > goal,
    };
    let training = match train_on(words, options, start) {
        Ok(training) => training,
        Err(error) => {
            let error = error.to_string();
            assert!(over || error.contains("stays in pieces"), "{error}");
            return None;
        }
    };
    assert!(!over);
    let stopped = naive.run();
    assert_eq!((&training.merges, training.stopped), (&naive.merges, stopped), "{words:?} {options:?} {start:?}");
    let vocabulary = &training.vocabulary;
    assert_eq!(vocabulary.ids(), naive.tokens.keys().copied().collect::<Vec<_>>());
    for (&id, content) in &naive.tokens {
        assert_eq!(vocabulary.content(id), Some(&content[..]));
    }
    let old = start.base.map_or_else(Vec::new, |base| base.vocabulary().pairs());
    let new = training.merges.iter().map(|merge| (merge.left, merge.right));
    assert_eq!(vocabulary.pairs(), old.into_iter().chain(new).collect::<Vec<_>>());
    assert_eq!(vocabulary.whole_first(), start.base.is_some_and(|base| base.vocabulary().whole_first()));
    for interrupted in 0..=training.merges.len() {
        let start = Start { learned: &training.merges[..interrupted], ..*start };
        let resumed = train_on(words, options, &start).unwrap();
        assert_eq!((&resumed.merges, resumed.stopped), (&training.merges, training.stopped), "from {interrupted}");
    }
    Some(naive)
}

const LETTERS: &[&str] = &["a", "b", "é", " "];

fn seeds() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let part = prop::sample::select(&["a", "b", "é", "x", "aa", "<w>"][..]);
    let seed = prop::collection::vec(part, 1..5).prop_map(|parts| parts.concat().into_bytes());
    prop::collection::vec(seed, 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_base_that_was_trained(
        (before, after) in (words(LETTERS, 20, 3), words(LETTERS, 20, 3)),
        (first, second) in (options(), options()),
        alphabet in alphabets(),
        (bent, seeds) in (bent(), seeds()),
    ) {
        let first = TrainOptions { alphabet: alphabet.clone(), goal: Goal::Merges(20), ..first };
        let base = base_of(&trained(&before, &first), &alphabet, &bent);
        let second = goals_above(TrainOptions { alphabet, ..second }, &base);
        check(&after, &second, &Start { base: Some(&base), seeds: &seeds, ..Start::default() });
    }

    #[test]
    fn a_base_from_a_rank_file(
        tokens in prop::collection::hash_set(prop::collection::vec(97..100_u8, 2..6), 0..12),
        words in words(&["a", "b", "c", "d"], 20, 3),
        (options, special) in (options(), 0..300_u32),
        lacking in prop::option::of(97..100_u8),
    ) {
        let bytes = (0..=255).filter(|&byte| Some(byte) != lacking).map(|byte| vec![byte]);
        let mut tokens: Vec<Vec<u8>> = tokens.into_iter().collect();
        tokens.sort();
        let ranks = (0..).zip(bytes.chain(tokens)).filter(|(id, _)| *id != special).collect();
        let base = tokenizer(Vocabulary::from_ranks(ranks).unwrap(), special);
        let options = goals_above(TrainOptions { alphabet: Alphabet::Bytes, ..options }, &base);
        check(&words, &options, &Start { base: Some(&base), ..Start::default() });
    }

    #[test]
    fn seeds_without_a_base(words in words(LETTERS, 20, 3), options in options(), seeds in seeds()) {
        if let Some(naive) = check(&words, &options, &Start { seeds: &seeds, ..Start::default() }) {
            for seed in &seeds {
                let marked = seed.strip_suffix(b"<w>").map(|before| [before, b"\xff"].concat());
                let is = |content: &Vec<u8>| content == seed || Some(content) == marked.as_ref();
                assert!(naive.tokens.values().any(is), "{seed:?}");
            }
        }
    }
}
