//! Languages that learn in balance: who chooses the next merge.
//!
//! The idea (Foroutan et al., "Parity-Aware Byte-Pair Encoding", 2025): a development text says the same in each language. The
//! language whose development text is longest, in tokens, is the one that pays most; it chooses the next merge, by its own
//! counts, and the merge applies to all. So every language has a text of its own, and its development text beside it, and all
//! go in step. The first merges can be chosen by all languages together, as ever (a hybrid); and a language that has chosen
//! many of the last merges can be made to wait, so that one which does not get shorter does not take them all.
//!
//! Invariant: a length is the number of tokens that the merges so far make of a development text. Cost: the sum of the
//! trainings of all these texts; a sort of the languages a merge.

use std::cmp::Reverse;
use std::collections::VecDeque;

use super::corpus::Merged;
use super::ground::Ground;
use super::layout::{Text, lay_out};
use super::symbols::Word;
use super::trainer::Trainer;
use super::{Goal, Merge, Stopped, Ties, TrainOptions};
use crate::cancel::{Cancel, Meter};
use crate::count::Counts;
use crate::error::{Error, Report, Result};
use crate::vocabulary::Alphabet;

/// A training in which languages take turns.
#[derive(Debug, Clone, Copy)]
pub struct Balance<'a> {
    /// The languages. Their counts together are the counts that are trained on. The first of equally long ones goes first.
    pub languages: &'a [Language<'a>],
    /// So many merges are chosen by all languages together first, after those of seeds.
    pub classic: usize,
    /// Who waits; `None`: nobody.
    pub window: Option<Window>,
}

/// One language.
#[derive(Debug, Clone, Copy)]
pub struct Language<'a> {
    /// Its pretokens.
    pub counts: &'a Counts,
    /// The pretokens of its development text; without any it never chooses.
    pub development: Option<&'a Counts>,
}

/// A language waits while it has chosen more of the last `merges` than `share` times its equal part of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// How many merges are looked back at.
    pub merges: usize,
    /// How many equal parts a language may take.
    pub share: usize,
}

impl Balance<'_> {
    /// That a training with these options can be balanced.
    pub(super) fn check(&self, options: &TrainOptions) -> Result<()> {
        let wrong = |what: &str, hint: &str| Err(Error::Training(Report::new(what, hint)));
        if options.alphabet != Alphabet::Bytes {
            return wrong(
                "languages in balance are made of bytes, not of characters",
                "train with an alphabet of bytes",
            );
        }
        if options.ties == Ties::First {
            return wrong(
                "which pair comes first depends on the order of all languages, and each of them chooses alone",
                "use another rule for ties",
            );
        }
        for language in self.languages {
            language.counts.check_pairs(false)?;
            language.development.map_or(Ok(()), |counts| counts.check_pairs(false))?;
        }
        Ok(())
    }

    /// The tables of all texts.
    pub(super) fn tables(&self) -> impl Iterator<Item = &Counts> {
        self.languages.iter().flat_map(|language| [language.counts].into_iter().chain(language.development))
    }

    /// All texts that go in step: that of each language, its development text, and that of all together (`whole`), where that
    /// chooses first.
    pub(super) fn texts(&self, whole: &Counts, ground: &Ground<'_>, cancel: Cancel<'_>) -> Result<Vec<Text>> {
        let none = Counts::default();
        let counts = self.languages.iter().map(|language| language.counts);
        let development = self.languages.iter().map(|language| language.development.unwrap_or(&none));
        let all = counts.chain(development).chain((self.classic > 0).then_some(whole));
        all.map(|counts| lay_out(counts, ground, true, cancel)).collect()
    }
}

/// Whose turn it is.
#[derive(Debug)]
pub(super) struct Turns {
    /// The tokens of each development text; `None`: the language never chooses.
    lengths: Vec<Option<u128>>,
    /// Merges that all choose together.
    classic: usize,
    window: Option<Window>,
    /// Who chose the last merges of the window.
    last: VecDeque<usize>,
    /// How many of them each language chose.
    chosen: Vec<usize>,
    /// Of each merge the language that chose it; `None`: all together, or nobody.
    pub(super) choosers: Vec<Option<usize>>,
}

impl Turns {
    /// Before the first merge.
    pub(super) fn new(balance: &Balance<'_>, ground: &Ground<'_>, cancel: Cancel<'_>) -> Result<Self> {
        let length =
            |language: &Language<'_>| language.development.map(|counts| tokens_of(counts, ground, cancel)).transpose();
        Ok(Self {
            lengths: balance.languages.iter().map(length).collect::<Result<_>>()?,
            classic: balance.classic,
            window: balance.window,
            last: VecDeque::new(),
            chosen: vec![0; balance.languages.len()],
            choosers: Vec::new(),
        })
    }

    /// Makes the next merge, or says why that is not done.
    pub(super) fn step(
        &mut self,
        trainer: &mut Trainer,
        goal: Goal,
        cancel: Cancel<'_>,
    ) -> Result<std::result::Result<Merge, Stopped>> {
        let languages = self.lengths.len();
        let order = if self.classic > 0 { vec![2 * languages] } else { self.order() };
        let step = trainer.step(order.into_iter(), goal, cancel)?;
        Ok(step.map(|(merge, text)| {
            self.choosers.push((text < languages).then_some(text));
            if text < languages {
                self.remember(text);
            } else {
                self.classic -= 1;
                if self.classic == 0 {
                    trainer.keep(2 * languages);
                }
            }
            self.shorten(trainer.last());
            merge
        }))
    }

    /// A merge was made that nobody chose.
    pub(super) fn forced(&mut self, trainer: &Trainer) {
        self.choosers.push(None);
        self.shorten(trainer.last());
    }

    /// The languages in the order in which they are asked: those that wait come last.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> =
            (0..self.lengths.len()).filter(|&language| self.lengths[language].is_some()).collect();
        let among = order.len() as u128;
        let waits = |language: usize| {
            self.window.is_some_and(|Window { merges, share }| {
                self.chosen[language] as u128 * among > (share as u128).saturating_mul(merges as u128)
            })
        };
        order.sort_by_key(|&language| (waits(language), Reverse(self.lengths[language])));
        order
    }

    /// Takes note of who chose.
    fn remember(&mut self, language: usize) {
        let Some(window) = self.window else { return };
        self.last.push_back(language);
        self.chosen[language] += 1;
        let first = if self.last.len() > window.merges { self.last.pop_front() } else { None };
        if let Some(first) = first {
            self.chosen[first] -= 1;
        }
    }

    /// Development texts get shorter.
    fn shorten(&mut self, merged: &[Merged]) {
        let development = merged.get(self.lengths.len()..).unwrap_or_default();
        for (length, merged) in self.lengths.iter_mut().zip(development) {
            if let Some(length) = length {
                *length -= u128::from(merged.lost);
            }
        }
    }
}

/// How many tokens a text is before the first merge.
fn tokens_of(counts: &Counts, ground: &Ground<'_>, cancel: Cancel<'_>) -> Result<u128> {
    let (mut slots, mut writer, mut meter) = (Vec::new(), ground.writer(cancel), Meter::new(cancel));
    let (mut tokens, mut read) = (0, 0);
    for (pretoken, count) in counts.iter() {
        read += pretoken.len();
        meter.reach(read)?;
        slots.clear();
        tokens += writer.append(Word { text: pretoken, ends: true }, &mut slots)? as u128 * u128::from(count);
    }
    Ok(tokens)
}
