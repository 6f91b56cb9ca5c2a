//! The state of a training, one merge at a time.
//!
//! The idea: the best pair becomes a merge, is replaced everywhere, and the pairs around it change. A merge that re-uses an id
//! can bring back a pair that was merged before. An encoder would merge it on the spot, so it is merged again at once,
//! the earliest rank first, and is not listed a second time: the text always stands as the merges so far would leave it.
//!
//! Invariant: between two merges, no pair that is a merge stands in the text.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::layout::Text;
use super::limits::Limits;
use super::map::PairMap;
use super::merge::Merger;
use super::pairs::Pairs;
use super::queue::Queue;
use super::ties::Order;
use super::tokens::Tokens;
use super::{Goal, Merge, Stopped, TrainOptions};
use crate::cancel::Cancel;
use crate::error::Result;

/// A training under way. Tokens are numbered without gaps here.
#[derive(Debug)]
pub(super) struct Trainer {
    text: Text,
    tokens: Tokens,
    pairs: Pairs,
    order: Order,
    queue: Queue,
    merger: Merger,
    /// Merges made.
    merges: usize,
    /// What the counts may lack of a pair.
    lacking: u64,
    /// The least count that is merged.
    least: u64,
    /// The first merge that what is lacking could change.
    doubtful: Option<usize>,
    /// Merged pairs that stand in the text again: rank and number.
    again: BinaryHeap<Reverse<(u32, u32)>>,
}

impl Trainer {
    /// The state of a text that stands in any tokens, none of which the `known` merges would merge; under `first`, its
    /// pretokens are in order of first appearance.
    pub(super) fn of(
        text: Text,
        tokens: Tokens,
        known: PairMap,
        options: &TrainOptions,
        cancel: Cancel<'_>,
    ) -> Result<Self> {
        let order = Order::new(options.ties, &options.alphabet, &tokens);
        let limits = Limits::new(options.max_token_bytes, options.whole_characters, &options.alphabet);
        let mut pairs = Pairs::of(&text, &tokens, known, limits, options.min_count.max(1), cancel)?;
        let (mut queue, merger, again) = (Queue::default(), Merger::default(), BinaryHeap::new());
        queue.fall(usize::MAX, &mut pairs, &text, &tokens, &order, cancel)?;
        let least = options.min_count.max(1);
        Ok(Self { text, tokens, pairs, order, queue, merger, merges: 0, lacking: 0, least, doubtful: None, again })
    }

    /// Merges the best pair, or says why that is not done.
    pub(super) fn step(&mut self, goal: Goal, cancel: Cancel<'_>) -> Result<std::result::Result<Merge, Stopped>> {
        let wanted = match goal {
            Goal::Tokens(goal) => goal.saturating_sub(self.tokens.len()),
            Goal::Merges(goal) => goal.saturating_sub(self.merges),
        };
        if wanted == 0 {
            return Ok(Err(Stopped::Goal));
        }
        match self.queue.best(wanted, &mut self.pairs, &self.text, &self.tokens, &self.order, cancel)? {
            Some(index) => {
                if self.is_watched() {
                    self.watch(index, wanted, cancel)?;
                }
                self.merge(index, cancel).map(Ok)
            }
            None => Ok(Err(if self.pairs.any() { Stopped::MinCount } else { Stopped::NoPairs })),
        }
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

    /// Looks how far the best pair, whose entry is taken out of the queue, is before all others.
    fn watch(&mut self, best: u32, wanted: usize, cancel: Cancel<'_>) -> Result<()> {
        let next = loop {
            match self.queue.best(wanted, &mut self.pairs, &self.text, &self.tokens, &self.order, cancel)? {
                Some(index) if index == best => {} // an entry that it had twice
                next => break next,
            }
        };
        let others = next.map_or(self.least - 1, |index| self.pairs[index].count);
        if let Some(index) = next {
            self.queue.offer(index, &self.pairs, &self.order);
        }
        if others.saturating_add(self.lacking) >= self.pairs[best].count {
            self.doubtful = Some(self.merges);
        }
        Ok(())
    }

    /// Merges this pair next, wherever it stands, if anywhere; `None` when it may not be merged. One walk through the text, if
    /// it is cold.
    pub(super) fn force(&mut self, pair: (u32, u32), cancel: Cancel<'_>) -> Result<Option<Merge>> {
        let index = self.pairs.heat(pair, &self.text, &self.tokens, cancel)?;
        index.map(|index| self.merge(index, cancel)).transpose()
    }

    /// As [`force`](Self::force) of a pair that was the best: lets the cut-off fall to its count.
    pub(super) fn redo(&mut self, pair: (u32, u32), cancel: Cancel<'_>) -> Result<Option<Merge>> {
        let count = self.pairs.count(pair.0, pair.1);
        while !self.pairs.is_hot(count) && !self.pairs.is_at_floor() {
            self.queue.fall(usize::MAX, &mut self.pairs, &self.text, &self.tokens, &self.order, cancel)?;
        }
        self.force(pair, cancel)
    }

    fn merge(&mut self, index: u32, cancel: Cancel<'_>) -> Result<Merge> {
        let rank = self.pairs.first_rank() + self.merges;
        let pair = &mut self.pairs[index];
        pair.rank = u32::try_from(rank).ok();
        let (left, right, count) = (pair.left, pair.right, pair.count);
        self.merges += 1;
        let before = self.tokens.len();
        let id = self.tokens.join(left, right)?;
        if self.tokens.len() > before {
            self.order.learn(self.tokens.content(id));
        }
        let fired = self.replace(index, (id, self.tokens.len() == before), cancel)?;
        while let Some(Reverse((_, index))) = self.again.pop() {
            if self.pairs[index].count > 0 {
                let id = self.tokens.join(self.pairs[index].left, self.pairs[index].right)?;
                self.replace(index, (id, true), cancel)?;
            }
        }
        Ok(Merge { left, right, id, count, fired })
    }

    /// The contents of the tokens of the first pretoken that is more than one token.
    pub(super) fn first_word(&self) -> Vec<&[u8]> {
        let contents = |word: Vec<u32>| word.into_iter().map(|token| self.tokens.content(token)).collect();
        self.text.words(&self.tokens).map(contents).find(|word: &Vec<_>| word.len() > 1).unwrap_or_default()
    }

    /// The tokens, when the training is over.
    pub(super) fn into_tokens(self) -> Tokens {
        self.tokens
    }

    /// The tokens so far.
    pub(super) fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// Replaces a pair everywhere by a token, which may be one that was reused, and queues the pairs that this brings.
    fn replace(&mut self, index: u32, token: (u32, bool), cancel: Cancel<'_>) -> Result<u64> {
        let fired = self.merger.merge(index, token, &mut self.text, &mut self.pairs, &self.tokens, cancel)?;
        self.pairs.complete(&self.text, &self.tokens, cancel)?;
        for &raised in &self.merger.raised {
            let pair = &self.pairs[raised];
            match pair.rank {
                _ if pair.count == 0 => {}
                Some(rank) => self.again.push(Reverse((rank, raised))),
                None => self.queue.offer(raised, &self.pairs, &self.order),
            }
        }
        Ok(fired)
    }
}
