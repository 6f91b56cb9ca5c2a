//! One text under training: what stands where in it, which pair is best, and what a merge does to it.
//!
//! The idea: a pair is replaced everywhere, and the pairs around it change. A merge that re-uses an id can bring back a pair that
//! was merged before. An encoder would merge it on the spot, so it is merged again at once, the earliest rank first: the text
//! always stands as the merges so far would leave it.
//!
//! Invariant: between two merges, no pair that is a merge stands in the text.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::layout::Text;
use super::lexicon::{Lexicon, Made};
use super::merge::Merger;
use super::pairs::Pairs;
use super::queue::Queue;
use crate::cancel::Cancel;
use crate::error::Result;

/// A text and its pairs.
#[derive(Debug)]
pub(super) struct Corpus {
    text: Text,
    pairs: Pairs,
    queue: Queue,
    /// The pair that was given last as the best: it is hot.
    best: Option<u32>,
    /// Merged pairs that stand in the text again: rank and number.
    again: BinaryHeap<Reverse<(u32, u32)>>,
}

/// What a merge did to a text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Merged {
    /// The pair's positions, times the pretokens' counts.
    pub(super) count: u64,
    /// Its replacements, times the pretokens' counts.
    pub(super) fired: u64,
    /// The tokens that the text has lost: those replacements, and those of merges that were made again.
    pub(super) lost: u64,
}

impl Corpus {
    /// A text that stands in any tokens, none of which the merges of the lexicon would merge; under `first`, its pretokens are
    /// in order of first appearance. Pairs with counts below `floor` are not asked for often.
    pub(super) fn of(text: Text, lexicon: &Lexicon, floor: u64, cancel: Cancel<'_>) -> Result<Self> {
        let mut pairs = Pairs::of(&text, lexicon, floor, cancel)?;
        let mut queue = Queue::default();
        queue.fall(usize::MAX, &mut pairs, &text, lexicon, cancel)?;
        Ok(Self { text, pairs, queue, best: None, again: BinaryHeap::new() })
    }

    /// The best pair, where so many merges are still wanted; `None` when no count is as high as `least`. It is to be merged next.
    pub(super) fn best(
        &mut self,
        (wanted, least): (usize, u64),
        lexicon: &Lexicon,
        cancel: Cancel<'_>,
    ) -> Result<Option<(u32, u32)>> {
        self.best = self.queue.best((wanted, least), &mut self.pairs, &self.text, lexicon, cancel)?;
        Ok(self.best.map(|index| (self.pairs[index].left, self.pairs[index].right)))
    }

    /// How often the best pair stands, which [`best`](Self::best) has given just now, and how often the one after it. Counts all
    /// pairs where that is below `least`, which is once or a few times, at the end.
    pub(super) fn lead(
        &mut self,
        best: (u32, u32),
        (wanted, least): (usize, u64),
        lexicon: &Lexicon,
        cancel: Cancel<'_>,
    ) -> Result<(u64, u64)> {
        let count = self.pairs.count(best.0, best.1);
        loop {
            let next = self.queue.best((wanted, least), &mut self.pairs, &self.text, lexicon, cancel)?;
            let Some(index) = next else { return Ok((count, self.pairs.highest(Some(best)))) };
            let pair = &self.pairs[index];
            if (pair.left, pair.right) != best {
                let next = pair.count;
                self.queue.offer(index, &self.pairs, &lexicon.order);
                return Ok((count, next));
            } // or it is an entry that the best one had twice
        }
    }

    /// The highest count of a pair that may be merged; 0 if none stands.
    pub(super) fn highest(&self) -> u64 {
        self.pairs.highest(None)
    }

    /// Lets the cut-off fall to the count of a pair that is merged next, so that no walk is made for it alone.
    pub(super) fn fall_to(&mut self, pair: (u32, u32), lexicon: &Lexicon, cancel: Cancel<'_>) -> Result<()> {
        if self.best.is_some() {
            return Ok(());
        }
        let count = self.pairs.count(pair.0, pair.1);
        while count > 0 && !self.pairs.is_hot(count) && !self.pairs.is_at_floor() {
            self.queue.fall(usize::MAX, &mut self.pairs, &self.text, lexicon, cancel)?;
        }
        Ok(())
    }

    /// Makes a merge wherever its pair stands, if anywhere. One walk through the text, if the pair is cold.
    pub(super) fn merge(
        &mut self,
        made: Made,
        lexicon: &Lexicon,
        merger: &mut Merger,
        cancel: Cancel<'_>,
    ) -> Result<Merged> {
        // Where the pair was never met, the lexicon will say that it is a merge.
        let index = match self.best.take() {
            None => self.pairs.heat(made.pair, &self.text, &lexicon.tokens, cancel)?,
            best => best,
        };
        let Some(index) = index else { return Ok(Merged::default()) };
        self.pairs[index].rank = Some(made.rank);
        let count = self.pairs[index].count;
        let fired = self.replace(index, (made.token, made.reused), lexicon, merger, cancel)?;
        let mut lost = fired;
        while let Some(Reverse((_, index))) = self.again.pop() {
            let pair = &self.pairs[index];
            if let Some(token) = lexicon.tokens.made_of(pair.left, pair.right).filter(|_| pair.count > 0) {
                lost += self.replace(index, (token, true), lexicon, merger, cancel)?;
            }
        }
        Ok(Merged { count, fired, lost })
    }

    /// Replaces a pair everywhere by a token, which may be one that was reused, and queues the pairs that this brings.
    fn replace(
        &mut self,
        index: u32,
        token: (u32, bool),
        lexicon: &Lexicon,
        merger: &mut Merger,
        cancel: Cancel<'_>,
    ) -> Result<u64> {
        let fired = merger.merge(index, token, &mut self.text, &mut self.pairs, lexicon, cancel)?;
        self.pairs.complete(&self.text, &lexicon.tokens, cancel)?;
        for &raised in &merger.raised {
            let pair = &self.pairs[raised];
            match pair.rank {
                _ if pair.count == 0 => {}
                Some(rank) => self.again.push(Reverse((rank, raised))),
                None => self.queue.offer(raised, &self.pairs, &lexicon.order),
            }
        }
        Ok(fired)
    }

    /// The contents of the tokens of the first pretoken that is more than one token.
    pub(super) fn first_word<'a>(&self, lexicon: &'a Lexicon) -> Vec<&'a [u8]> {
        let contents = |word: Vec<u32>| word.into_iter().map(|token| lexicon.tokens.content(token)).collect();
        self.text.words(&lexicon.tokens).map(contents).find(|word: &Vec<_>| word.len() > 1).unwrap_or_default()
    }
}
