//! Languages that take turns, against naive trainers in step: one for each language, one for each development text, and one
//! for all languages together.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use proptest::prelude::*;

use super::super::{Balance, Goal, Language, Merge, Start, Stopped, Ties, TrainOptions, Training, Window, train_from};
use super::naive::Naive;
use super::starts::{base_of, bent};
use super::{Words, counted, options, trained, words};
use crate::cancel::Cancel;
use crate::count::Counts;
use crate::error::Result;
use crate::vocabulary::{Alphabet, EndOfWord};

/// Languages with their development texts, and who chooses.
#[derive(Debug, Clone)]
struct Setting {
    languages: Vec<(Words, Option<Words>)>,
    classic: usize,
    window: Option<Window>,
}

impl Setting {
    /// All languages together.
    fn whole(&self) -> Counts {
        let mut whole = Counts::default();
        for (word, count) in self.languages.iter().flat_map(|(words, _)| words) {
            whole.add(word, *count).unwrap();
        }
        whole
    }

    fn train(&self, options: &TrainOptions, start: &Start<'_>) -> Result<Training> {
        let tables: Vec<(Counts, Option<Counts>)> =
            self.languages.iter().map(|(words, text)| (counted(words), text.as_ref().map(counted))).collect();
        let languages: Vec<Language<'_>> =
            tables.iter().map(|(counts, text)| Language { counts, development: text.as_ref() }).collect();
        let balance = Balance { languages: &languages, classic: self.classic, window: self.window };
        let start = Start { balance: Some(balance), ..*start };
        train_from(self.whole(), options, &start, Cancel::default(), |_, _| ControlFlow::Continue(()))
    }

    /// The same without any cleverness.
    fn naive(&self, options: &TrainOptions, start: &Start<'_>) -> (Vec<Merge>, Vec<Option<usize>>, Stopped) {
        let naive = |words: &Words| Naive::from(words, options, start);
        let whole: Words = self.whole().iter().map(|(word, count)| (word.to_vec(), count)).collect();
        let mut whole = naive(&whole);
        let mut texts: Vec<Naive> = self.languages.iter().map(|(words, _)| naive(words)).collect();
        let mut developments: Vec<Option<Naive>> =
            self.languages.iter().map(|(_, text)| text.as_ref().map(naive)).collect();
        let seeded = whole.merges.len();
        let mut choosers = vec![None; seeded];
        let stopped = loop {
            let reached = match options.goal {
                Goal::Tokens(goal) => whole.tokens.len() >= goal,
                Goal::Merges(goal) => whole.merges.len() >= goal,
            };
            if reached {
                break Stopped::Goal;
            }
            let is_classic = whole.merges.len() - seeded < self.classic;
            let order = if is_classic { vec![None] } else { self.order(&developments, &choosers) };
            let best = |who: &Option<usize>| who.map_or(&whole, |language| &texts[language]).best();
            let found: Vec<_> = order.iter().filter_map(|who| Some((*who, best(who)?))).collect();
            let Some(&(who, (pair, _))) = found.iter().find(|(_, (_, count))| *count >= options.min_count) else {
                break if found.is_empty() { Stopped::NoPairs } else { Stopped::MinCount };
            };
            whole.merge(pair);
            texts.iter_mut().chain(developments.iter_mut().flatten()).for_each(|text| text.merge(pair));
            choosers.push(who);
        };
        for (at, merge) in whole.merges.iter().enumerate() {
            let sum = |of: fn(&Merge) -> u64| texts.iter().map(|text| of(&text.merges[at])).sum::<u64>();
            assert_eq!((sum(|merge| merge.count), sum(|merge| merge.fired)), (merge.count, merge.fired));
        }
        (whole.merges, choosers, stopped)
    }

    /// Who is asked, in which order.
    fn order(&self, developments: &[Option<Naive>], choosers: &[Option<usize>]) -> Vec<Option<usize>> {
        let length = |text: &Naive| text.words.iter().map(|(word, count)| word.len() as u64 * count).sum::<u64>();
        let lengths = developments.iter().map(|text| text.as_ref().map(length));
        let mut able: Vec<(usize, u64)> =
            lengths.enumerate().filter_map(|(language, length)| Some((language, length?))).collect();
        let languages = able.len();
        let waits = |language: usize| {
            let Some(Window { merges, share }) = self.window else { return false };
            let last = choosers.iter().flatten().rev().take(merges);
            last.filter(|&&chooser| chooser == language).count() * languages > share * merges
        };
        able.sort_by_key(|&(language, length)| (waits(language), Reverse(length), language));
        able.into_iter().map(|(language, _)| Some(language)).collect()
    }

    /// The engine and the naive trainers agree; a training that was interrupted anywhere comes to the same.
    fn check(&self, options: &TrainOptions, start: &Start<'_>) {
        let training = match self.train(options, start) {
            Ok(training) => training,
            Err(error) => {
                let error = error.to_string();
                assert!(error.contains("there are") || error.contains("stays in pieces"), "{error}");
                return;
            }
        };
        let expected = self.naive(options, start);
        assert_eq!(
            (&training.merges, &training.choosers, training.stopped),
            (&expected.0, &expected.1, expected.2),
            "{self:?} {options:?} {start:?}"
        );
        for interrupted in 0..=training.merges.len() {
            let start = Start { learned: &training.merges[..interrupted], ..*start };
            let resumed = self.train(options, &start).unwrap();
            assert_eq!((resumed.merges, resumed.choosers), (training.merges.clone(), training.choosers.clone()));
        }
    }
}

const LETTERS: &[&str] = &["a", "b", "é"];

fn settings() -> impl Strategy<Value = Setting> {
    let language = (words(LETTERS, 14, 3), prop::option::weighted(0.8, words(LETTERS, 14, 3)));
    let window = (1..6_usize, 0..3_usize).prop_map(|(merges, share)| Window { merges, share });
    let classic = prop_oneof![2 => Just(0), 1 => 0..6_usize];
    (prop::collection::vec(language, 1..4), classic, prop::option::of(window))
        .prop_map(|(languages, classic, window)| Setting { languages, classic, window })
}

/// Options of trainings that can be balanced.
fn able() -> impl Strategy<Value = TrainOptions> {
    let ties = prop::sample::select(vec![Ties::Lowest, Ties::HuggingFace, Ties::Greatest]);
    (options(), ties).prop_map(|(options, ties)| TrainOptions { alphabet: Alphabet::Bytes, ties, ..options })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn turns_equal_naive_turns(setting in settings(), options in able()) {
        setting.check(&options, &Start::default());
    }

    #[test]
    fn turns_on_top_of_a_base_with_seeds(
        setting in settings(),
        (before, first, second) in (words(LETTERS, 20, 3), able(), able()),
        bent in bent(),
        seeds in prop::collection::vec(prop::sample::select(&["ab", "aé", "bbb"][..]), 0..2),
    ) {
        let base = base_of(&trained(&before, &TrainOptions { goal: Goal::Merges(20), ..first }), &Alphabet::Bytes, &bent);
        let goal = match second.goal {
            Goal::Tokens(goal) => Goal::Tokens(base.vocabulary().len() + goal % 16),
            merges @ Goal::Merges(_) => merges,
        };
        let seeds: Vec<Vec<u8>> = seeds.into_iter().map(|seed| seed.as_bytes().to_vec()).collect();
        let start = Start { base: Some(&base), seeds: &seeds, ..Start::default() };
        setting.check(&TrainOptions { goal, ..second }, &start);
    }
}

#[test]
fn a_language_that_has_no_pair_lets_the_next_one_choose() {
    let text = |text: &str| vec![(text.as_bytes().to_vec(), 1)];
    let setting = Setting {
        languages: vec![(text("ab"), Some(text("aaaaaaaa"))), (text("cdcd"), Some(text("c")))],
        classic: 0,
        window: None,
    };
    let training = setting.train(&TrainOptions::default(), &Start::default()).unwrap();
    assert_eq!(training.choosers, [Some(0), Some(1), Some(1)]);
    assert_eq!(training.stopped, Stopped::NoPairs);
}

#[test]
fn what_cannot_be_balanced_is_refused() {
    let setting = Setting { languages: vec![(vec![(b"ab".to_vec(), 1)], None)], classic: 0, window: None };
    let mark = EndOfWord { mark: "_".to_owned(), joined: true };
    for (alphabet, ties, what) in [
        (Alphabet::Characters { end_of_word: None }, Ties::Lowest, "bytes"),
        (Alphabet::Characters { end_of_word: Some(mark) }, Ties::Lowest, "bytes"),
        (Alphabet::Bytes, Ties::First, "order"),
    ] {
        let options = TrainOptions { alphabet, ties, ..TrainOptions::default() };
        let error = setting.train(&options, &Start::default()).unwrap_err().to_string();
        assert!(error.contains(what) && error.contains("\nhint: "), "{error}");
    }
    let training = setting.train(&TrainOptions::default(), &Start::default()).unwrap();
    assert_eq!((training.merges.len(), training.stopped), (0, Stopped::NoPairs));
}

/// Whoever chooses, and also where it is watched which merge is doubtful.
#[test]
fn a_goal_below_what_was_learned_is_refused() {
    let text = |text: &str| vec![(text.as_bytes().to_vec(), 1)];
    let languages = vec![(text("abcabc"), Some(text("abcabc"))), (text("cdcd"), Some(text("c")))];
    let setting = Setting { languages, classic: 1, window: None };
    for goal in [Goal::Merges(2), Goal::Tokens(258)] {
        let wanted = TrainOptions { goal, ..TrainOptions::default() };
        for lacking in [0, 1] {
            let balanced = |options: &TrainOptions, start: &Start<'_>| setting.train(options, start);
            let alone = |options: &TrainOptions, start: &Start<'_>| {
                train_from(setting.whole(), options, start, Cancel::default(), |_, _| ControlFlow::Continue(()))
            };
            for train in [&balanced as &dyn Fn(&TrainOptions, &Start<'_>) -> Result<Training>, &alone] {
                let start = Start { lacking, ..Start::default() };
                let all = train(&TrainOptions::default(), &start).unwrap();
                let error = train(&wanted, &Start { learned: &all.merges, ..start }).unwrap_err().to_string();
                let (there, what) = match goal {
                    Goal::Merges(_) => (all.merges.len(), "merges"),
                    Goal::Tokens(_) => (all.vocabulary.len(), "tokens"),
                };
                assert!(error.contains("with what was learned before there are"), "{error}");
                assert!(error.ends_with(&format!("ask for {there} {what} or more")), "{error}");
            }
        }
    }
}
