//! The hot pairs, best first.
//!
//! The idea: a heap of pairs as they stood when they were queued. Counts fall and first positions move back, so an entry is
//! at worst too good: it is compared with the pair when it comes to the top, and queued again if the pair has changed. Where
//! a pair gets better (a merge that re-uses an id), a new entry is queued at once. When the heap is empty, the cut-off of
//! [`Pairs`] falls, and brings the next ones.
//!
//! Invariant: every hot pair with a count that is not merged has an entry that is no worse than the pair is now, and all others
//! are below the cut-off. So the first entry that agrees with its pair is the best pair. An entry may outlive its pair, whose
//! place another may have taken: it does not agree with that. Cost: O(log n) an entry, a few entries a hot pair.

use super::layout::Text;
use super::lexicon::Lexicon;
use super::pairs::Pairs;
use super::ties::{Entry, Order};
use crate::cancel::{Cancel, Meter};
use crate::error::Result;

/// How many entries hang from one: two levels of a binary heap in one, and half the cache misses.
const CHILDREN: usize = 4;

/// The queue.
#[derive(Debug, Default)]
pub(super) struct Queue {
    heap: Vec<Entry>,
}

impl Queue {
    /// Queues a pair that is new or has got better.
    pub(super) fn offer(&mut self, index: u32, pairs: &Pairs, order: &Order) {
        self.push(Entry::of(index, &pairs[index], order), order);
    }

    /// The best pair, where so many more are wanted; `None` when no count is as high as `least`. Takes its entry out.
    pub(super) fn best(
        &mut self,
        (wanted, least): (usize, u64),
        pairs: &mut Pairs,
        text: &Text,
        lexicon: &Lexicon,
        cancel: Cancel<'_>,
    ) -> Result<Option<u32>> {
        let order = &lexicon.order;
        loop {
            let Some(top) = self.pop(order) else {
                if pairs.is_hot(least) {
                    return Ok(None);
                }
                self.fall(wanted, pairs, text, lexicon, cancel)?;
                continue;
            };
            if !pairs.is_hot(pairs[top.pair].count) {
                pairs.cool(top.pair);
                continue;
            }
            let pair = &mut pairs[top.pair];
            if pair.count == top.count && order.by_position() {
                pair.find_first(text, &lexicon.tokens);
            }
            let now = Entry::of(top.pair, pair, order);
            if now == top && now.count >= least {
                return Ok(Some(top.pair));
            }
            self.push(now, order);
            if now == top {
                return Ok(None);
            }
        }
    }

    /// Lowers the cut-off and queues the pairs that are hot now.
    pub(super) fn fall(
        &mut self,
        wanted: usize,
        pairs: &mut Pairs,
        text: &Text,
        lexicon: &Lexicon,
        cancel: Cancel<'_>,
    ) -> Result<()> {
        let mut meter = Meter::new(cancel);
        for (at, index) in pairs.fall(wanted, text, &lexicon.tokens, cancel)?.into_iter().enumerate() {
            meter.reach(at)?;
            self.offer(index, pairs, &lexicon.order);
        }
        Ok(())
    }

    fn push(&mut self, entry: Entry, order: &Order) {
        let mut at = self.heap.len();
        self.heap.push(entry);
        while at > 0 {
            let parent = (at - 1) / CHILDREN;
            if !order.precedes(&entry, &self.heap[parent]) {
                break;
            }
            self.heap[at] = self.heap[parent];
            at = parent;
        }
        self.heap[at] = entry;
    }

    fn pop(&mut self, order: &Order) -> Option<Entry> {
        let last = self.heap.pop()?;
        let Some(&top) = self.heap.first() else { return Some(last) };
        let mut at = 0;
        loop {
            let children = CHILDREN * at + 1..self.heap.len().min(CHILDREN * at + CHILDREN + 1);
            let better = |one, other| if order.precedes(&self.heap[one], &self.heap[other]) { one } else { other };
            let Some(child) = children.reduce(better).filter(|&child| order.precedes(&self.heap[child], &last)) else {
                break;
            };
            self.heap[at] = self.heap[child];
            at = child;
        }
        self.heap[at] = last;
        Some(top)
    }
}
