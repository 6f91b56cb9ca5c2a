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
        let mut pairs = Pairs::of(&text, &tokens, known, limits, cancel)?;
        let queue = Queue::new(&mut pairs, &order, options.min_count.max(1));
        let (merger, again) = (Merger::default(), BinaryHeap::new());
        Ok(Self { text, tokens, pairs, order, queue, merger, merges: 0, again })
    }

    /// Merges the best pair, or says why that is not done.
    pub(super) fn step(&mut self, goal: Goal) -> Result<std::result::Result<Merge, Stopped>> {
        let reached = match goal {
            Goal::Tokens(goal) => self.tokens.len() >= goal,
            Goal::Merges(goal) => self.merges >= goal,
        };
        if reached {
            return Ok(Err(Stopped::Goal));
        }
        match self.queue.best(&mut self.pairs, &self.text, &self.tokens, &self.order) {
            Some(index) => self.merge(index).map(Ok),
            None => Ok(Err(if self.queue.has_rest(&self.pairs) { Stopped::MinCount } else { Stopped::NoPairs })),
        }
    }

    /// Merges this pair next, wherever it stands, if anywhere; `None` when it may not be merged.
    pub(super) fn force(&mut self, left: u32, right: u32) -> Result<Option<Merge>> {
        self.pairs.find_or_create(left, right, &self.tokens).map(|index| self.merge(index)).transpose()
    }

    fn merge(&mut self, index: u32) -> Result<Merge> {
        let rank = self.pairs.first_rank() as usize + self.merges;
        let pair = &mut self.pairs[index];
        pair.rank = u32::try_from(rank).ok();
        let (left, right, count) = (pair.left, pair.right, pair.count);
        self.merges += 1;
        let before = self.tokens.len();
        let id = self.tokens.join(left, right)?;
        if self.tokens.len() > before {
            self.order.learn(self.tokens.content(id));
        }
        let fired = self.replace(index, id);
        while let Some(Reverse((_, index))) = self.again.pop() {
            if self.pairs[index].count > 0 {
                let id = self.tokens.join(self.pairs[index].left, self.pairs[index].right)?;
                self.replace(index, id);
            }
        }
        Ok(Merge { left, right, id, count, fired })
    }

    /// The contents of the tokens of the first pretoken that is more than one token.
    pub(super) fn first_word(&self) -> Vec<&[u8]> {
        let contents = |word: Vec<u32>| word.into_iter().map(|token| self.tokens.content(token)).collect();
        self.text.words(&self.tokens).map(contents).find(|word: &Vec<_>| word.len() > 1).unwrap_or_default()
    }

    /// The tokens so far.
    pub(super) fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// Replaces a pair everywhere and queues the pairs that this brings.
    fn replace(&mut self, index: u32, id: u32) -> u64 {
        let fired = self.merger.merge(index, id, &mut self.text, &mut self.pairs, &self.tokens);
        for &raised in &self.merger.raised {
            let pair = &self.pairs[raised];
            match pair.rank {
                _ if pair.count == 0 => {}
                Some(rank) => self.again.push(Reverse((rank, raised))),
                None => self.queue.offer(raised, &mut self.pairs, &self.order),
            }
        }
        fired
    }
}
