//! The state of a training, one merge at a time.
//!
//! The idea: the best pair becomes a merge, is replaced everywhere, and the pairs around it change. A merge that re-uses an id
//! can bring back a pair that was merged before. An encoder would merge it on the spot, so it is merged again at once,
//! the earliest rank first, and is not listed a second time: the text always stands as the merges so far would leave it.
//!
//! Invariant: between two merges, no pair that is a merge stands in the text.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::base::Base;
use super::layout::{Text, lay_out};
use super::merge::Merger;
use super::pairs::Pairs;
use super::queue::Queue;
use super::ties::Order;
use super::tokens::Tokens;
use super::{Goal, Merge, Stopped, Ties, TrainOptions};
use crate::cancel::Cancel;
use crate::count::Counts;
use crate::error::{Error, Report, Result};

/// A training under way.
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
    goal: Goal,
    /// Merged pairs that stand in the text again: rank and number.
    again: BinaryHeap<Reverse<(u32, u32)>>,
}

impl Trainer {
    /// The state before the first merge.
    pub(super) fn new(counts: &Counts, options: &TrainOptions, cancel: Cancel<'_>) -> Result<Self> {
        let base = Base::new(counts, &options.alphabet, cancel)?;
        if let Goal::Tokens(goal) = options.goal
            && goal < base.len()
        {
            return Err(below_alphabet(goal, base.len()));
        }
        let (text, tokens) = lay_out(counts, &base, options.ties != Ties::First, cancel)?;
        Self::of(text, tokens, options, cancel)
    }

    /// The state of a text that stands in any tokens; under `first`, its pretokens are in order of first appearance.
    pub(super) fn of(text: Text, tokens: Tokens, options: &TrainOptions, cancel: Cancel<'_>) -> Result<Self> {
        let mut order = Order::new(options.ties, &options.alphabet);
        for (_, content) in tokens.contents() {
            order.learn(&content);
        }
        let mut pairs = Pairs::of(&text, &tokens, options.max_token_bytes, cancel)?;
        let queue = Queue::new(&mut pairs, &order, options.min_count.max(1));
        let (merger, again) = (Merger::default(), BinaryHeap::new());
        Ok(Self { text, tokens, pairs, order, queue, merger, merges: 0, goal: options.goal, again })
    }

    /// Makes the next merge, or says why there is none.
    pub(super) fn step(&mut self) -> Result<std::result::Result<Merge, Stopped>> {
        let reached = match self.goal {
            Goal::Tokens(goal) => self.tokens.len() >= goal,
            Goal::Merges(goal) => self.merges >= goal,
        };
        if reached {
            return Ok(Err(Stopped::Goal));
        }
        let Some(index) = self.queue.best(&mut self.pairs, &self.text, &self.tokens, &self.order) else {
            let rest = self.queue.has_rest(&self.pairs);
            return Ok(Err(if rest { Stopped::MinCount } else { Stopped::NoPairs }));
        };
        let pair = &mut self.pairs[index];
        pair.rank = u32::try_from(self.merges).ok();
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
        Ok(Ok(Merge { left, right, id, count, fired }))
    }

    /// The tokens, when the training is over.
    pub(super) fn into_tokens(self) -> Tokens {
        self.tokens
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

fn below_alphabet(goal: usize, base: usize) -> Error {
    Error::Training(Report::new(
        format!("a vocabulary of {goal} tokens is asked for, but the alphabet alone has {base}"),
        format!("ask for {base} tokens or more"),
    ))
}
