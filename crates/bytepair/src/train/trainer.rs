//! The state of a training, one merge at a time.
//!
//! The idea: the best pair becomes a merge and is replaced everywhere. Several texts can be under training in step: a pair that
//! is best in one of them is merged in all. Cost: that of the merge in each text where its pair stands, a look-up in others.

use super::corpus::{Corpus, Merged};
use super::layout::Text;
use super::lexicon::Lexicon;
use super::map::PairMap;
use super::merge::Merger;
use super::tokens::Tokens;
use super::{Goal, Merge, Stopped, TrainOptions};
use crate::cancel::Cancel;
use crate::error::Result;

/// A training under way. Tokens are numbered without gaps here.
#[derive(Debug)]
pub(super) struct Trainer {
    lexicon: Lexicon,
    merger: Merger,
    texts: Vec<Corpus>,
    /// What the last merge did to each text.
    last: Vec<Merged>,
    /// So many of the texts are those whose counts a merge tells; the first ones.
    told: usize,
    /// The least count that is merged.
    least: u64,
    /// Merges made.
    merges: usize,
    /// What the counts may lack of a pair.
    lacking: u64,
    /// The first merge that what is lacking could change.
    doubtful: Option<usize>,
}

impl Trainer {
    /// The state of one text that stands in any tokens, none of which the `known` merges would merge; under `first`, its
    /// pretokens are in order of first appearance.
    pub(super) fn of(
        text: Text,
        tokens: Tokens,
        known: PairMap,
        options: &TrainOptions,
        cancel: Cancel<'_>,
    ) -> Result<Self> {
        Self::in_step(vec![text], 1, tokens, known, options, cancel)
    }

    /// The same of several texts in step, so many of which are told.
    pub(super) fn in_step(
        texts: Vec<Text>,
        told: usize,
        tokens: Tokens,
        known: PairMap,
        options: &TrainOptions,
        cancel: Cancel<'_>,
    ) -> Result<Self> {
        let lexicon = Lexicon::new(tokens, known, options);
        let least = options.min_count.max(1);
        // What one text chooses may be rare in another.
        let floor = if texts.len() == 1 { least } else { 1 };
        let texts: Result<_> = texts.into_iter().map(|text| Corpus::of(text, &lexicon, floor, cancel)).collect();
        Ok(Self {
            lexicon,
            merger: Merger::default(),
            texts: texts?,
            last: Vec::new(),
            told,
            lacking: 0,
            doubtful: None,
            least,
            merges: 0,
        })
    }

    /// Merges the best pair of the first of these texts that has one, and gives that text; or says why that is not done.
    pub(super) fn step(
        &mut self,
        texts: impl Iterator<Item = usize> + Clone,
        goal: Goal,
        cancel: Cancel<'_>,
    ) -> Result<std::result::Result<(Merge, usize), Stopped>> {
        let wanted = match goal {
            Goal::Tokens(goal) => goal.saturating_sub(self.lexicon.tokens.len()),
            Goal::Merges(goal) => goal.saturating_sub(self.merges),
        };
        if wanted == 0 {
            return Ok(Err(Stopped::Goal));
        }
        let mut is_next = true;
        for text in texts.clone() {
            if let Some(pair) = self.texts[text].best((wanted, self.least), &self.lexicon, cancel)? {
                if self.is_watched() && (!is_next || self.is_near(text, pair, wanted, cancel)?) {
                    self.doubtful = Some(self.merges);
                }
                return Ok(Ok((self.redo(pair, cancel)?, text)));
            }
            is_next = false; // what is lacking could have given it a pair
        }
        let highest = texts.map(|text| self.texts[text].highest()).max().unwrap_or(0);
        if self.is_watched() && highest.saturating_add(self.lacking) >= self.least {
            self.doubtful = Some(self.merges); // with what is lacking it could go on
        }
        Ok(Err(if highest > 0 { Stopped::MinCount } else { Stopped::NoPairs }))
    }

    /// The same, where the counts may lack so many of any pair.
    pub(super) fn lacking(self, lacking: u64) -> Self {
        Self { lacking, ..self }
    }

    /// Whether it is still to be seen which merge is the first doubtful one.
    pub(super) fn is_watched(&self) -> bool {
        self.lacking > 0 && self.doubtful.is_none()
    }

    /// The first merge that what is lacking could change.
    pub(super) fn doubtful(&self) -> Option<usize> {
        self.doubtful
    }

    /// Whether what is lacking could bring another pair before the best one of a text.
    fn is_near(&mut self, text: usize, best: (u32, u32), wanted: usize, cancel: Cancel<'_>) -> Result<bool> {
        let (first, next) = self.texts[text].lead(best, (wanted, self.least), &self.lexicon, cancel)?;
        Ok(next.saturating_add(self.lacking) >= first)
    }

    /// Whether the pair may be merged.
    pub(super) fn allows(&self, pair: (u32, u32)) -> bool {
        self.lexicon.allows(pair)
    }

    /// Merges this pair next, wherever it stands, if anywhere. One walk through each text where it is cold.
    pub(super) fn force(&mut self, pair: (u32, u32), cancel: Cancel<'_>) -> Result<Merge> {
        let made = self.lexicon.merge(pair, cancel)?;
        self.merges += 1;
        self.last.clear();
        for text in &mut self.texts {
            self.last.push(text.merge(made, &self.lexicon, &mut self.merger, cancel)?);
        }
        let (mut count, mut fired) = (0_u64, 0_u64);
        for merged in self.last.iter().take(self.told) {
            count = count.saturating_add(merged.count);
            fired = fired.saturating_add(merged.fired);
        }
        Ok(Merge { left: pair.0, right: pair.1, id: made.token, count, fired })
    }

    /// As [`force`](Self::force) of a pair that is the best of a text, or was: lets the cut-offs fall to its counts.
    pub(super) fn redo(&mut self, pair: (u32, u32), cancel: Cancel<'_>) -> Result<Merge> {
        for text in &mut self.texts {
            text.fall_to(pair, &self.lexicon, cancel)?;
        }
        self.force(pair, cancel)
    }

    /// What the last merge did to each text.
    pub(super) fn last(&self) -> &[Merged] {
        &self.last
    }

    /// Gives up all texts but so many.
    pub(super) fn keep(&mut self, texts: usize) {
        self.texts.truncate(texts);
    }

    /// The contents of the tokens of the first pretoken that is more than one token.
    pub(super) fn first_word(&self) -> Vec<&[u8]> {
        self.texts.first().map(|text| text.first_word(&self.lexicon)).unwrap_or_default()
    }

    /// The tokens, when the training is over.
    pub(super) fn into_tokens(self) -> Tokens {
        self.lexicon.tokens
    }

    /// The tokens so far.
    pub(super) fn tokens(&self) -> &Tokens {
        &self.lexicon.tokens
    }
}
