//! The pairs of a long pretoken, lowest rank first, leftmost first.
//!
//! Idea: many pairs share few ranks, and the pairs of one rank mostly arrive from left to right. So each rank has a bucket
//! with a run of ascending positions, and only ranks stand in a heap. A position that arrives out of order goes into the
//! bucket's own heap.
//!
//! Invariant: a bucket that holds something stands in `ranks` exactly once, an empty one never; a run ascends.
//!
//! Cost: log of the number of ranks when a bucket fills or empties, else constant; log n for a position out of order.
//! Empty buckets keep their memory for the next pretoken.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

/// A queue of (rank, position).
#[derive(Debug, Default)]
pub(super) struct Queue {
    buckets: Vec<Bucket>,
    of_rank: FxHashMap<u32, usize>,
    ranks: BinaryHeap<Reverse<(u32, usize)>>,
}

/// The positions of one rank.
#[derive(Debug, Default)]
struct Bucket {
    run: Vec<u32>,
    /// How much of `run` is taken.
    taken: usize,
    late: BinaryHeap<Reverse<u32>>,
}

impl Bucket {
    fn is_empty(&self) -> bool {
        self.taken == self.run.len() && self.late.is_empty()
    }

    fn push(&mut self, at: u32) {
        if self.run.last().is_none_or(|&last| last <= at) {
            self.run.push(at);
        } else {
            self.late.push(Reverse(at));
        }
    }

    fn pop(&mut self) -> Option<u32> {
        let next = self.run.get(self.taken).copied();
        let late = self.late.peek().map(|&Reverse(at)| at);
        if late.is_some_and(|late| next.is_none_or(|next| late < next)) {
            self.late.pop();
            return late;
        }
        self.taken += usize::from(next.is_some());
        if self.taken == self.run.len() {
            self.run.clear();
            self.taken = 0;
        }
        next
    }
}

impl Queue {
    /// Adds a pair.
    pub(super) fn push(&mut self, rank: u32, at: u32) {
        let index = *self.of_rank.entry(rank).or_insert_with(|| {
            self.buckets.push(Bucket::default());
            self.buckets.len() - 1
        });
        let bucket = &mut self.buckets[index];
        if bucket.is_empty() {
            self.ranks.push(Reverse((rank, index)));
        }
        bucket.push(at);
    }

    /// Takes the pair of the lowest rank, the leftmost of those.
    pub(super) fn pop(&mut self) -> Option<(u32, u32)> {
        let &Reverse((rank, index)) = self.ranks.peek()?;
        let bucket = &mut self.buckets[index];
        let at = bucket.pop();
        if bucket.is_empty() {
            self.ranks.pop();
        }
        at.map(|at| (rank, at))
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    use proptest::prelude::*;

    use super::Queue;

    proptest! {
        #[test]
        fn it_is_a_heap(steps in proptest::collection::vec(proptest::option::of((0u32..5, 0u32..30)), 0..200)) {
            let (mut queue, mut heap) = (Queue::default(), BinaryHeap::new());
            for step in steps {
                if let Some((rank, at)) = step {
                    queue.push(rank, at);
                    heap.push(Reverse((rank, at)));
                } else {
                    prop_assert_eq!(queue.pop(), heap.pop().map(|Reverse(pair)| pair));
                }
            }
            while let Some(Reverse(pair)) = heap.pop() {
                prop_assert_eq!(queue.pop(), Some(pair));
            }
            prop_assert_eq!(queue.pop(), None);
        }
    }
}
