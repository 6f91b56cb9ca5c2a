//! The pairs, best first.
//!
//! The idea: a heap of pairs as they stood when they were queued. Counts fall and first positions move back, so an entry is
//! at worst too good: it is compared with the pair when it comes to the top, and queued again if the pair has changed. Where
//! a pair gets better (a merge that re-uses an id), a new entry is queued at once. Most pairs never come near the top: those
//! below a cut-off wait in a list that is read only when the heap is empty and the cut-off falls.
//!
//! Invariant: every pair with a count, and not merged, either has an entry in the heap that is no worse than the pair is now,
//! or waits in the list and its count is below the cut-off. So the first entry that agrees with its pair is the best pair.
//! Cost: O(log n) an entry, a few entries a pair; the list is read O(log(highest count)) times.

use super::layout::Text;
use super::pairs::{Pairs, Place};
use super::ties::{Entry, Order};
use super::tokens::Tokens;

/// The cut-off falls to this part of what it was.
const FALL: u64 = 4;

/// The queue.
#[derive(Debug)]
pub(super) struct Queue {
    heap: Vec<Entry>,
    cold: Vec<u32>,
    cut: u64,
    /// The cut-off never falls below this: lower counts are not asked for.
    floor: u64,
}

impl Queue {
    /// Queues all pairs. Those whose count is below `floor` never come out.
    pub(super) fn new(pairs: &mut Pairs, order: &Order, floor: u64) -> Self {
        let highest = (0..pairs.len()).map(|index| pairs[index].count).max().unwrap_or(0);
        let mut queue = Self { heap: Vec::new(), cold: Vec::new(), cut: (highest / FALL).max(floor), floor };
        for index in 0..pairs.len() {
            queue.offer(index, pairs, order);
        }
        queue
    }

    /// Queues a pair that is new or has got better.
    pub(super) fn offer(&mut self, index: u32, pairs: &mut Pairs, order: &Order) {
        let pair = &mut pairs[index];
        if pair.count >= self.cut {
            pair.place = Place::Heap;
            self.push(Entry { count: pair.count, key: order.key(pair), pair: index }, order);
        } else {
            self.cool(index, pairs);
        }
    }

    /// The best pair; `None` when no count reaches the floor. Takes its entry out.
    pub(super) fn best(&mut self, pairs: &mut Pairs, text: &Text, tokens: &Tokens, order: &Order) -> Option<u32> {
        loop {
            let Some(top) = self.pop(order) else {
                if self.cut <= self.floor {
                    return None;
                }
                self.lower(pairs, order);
                continue;
            };
            let pair = &mut pairs[top.pair];
            if pair.count < self.cut {
                self.cool(top.pair, pairs);
                continue;
            }
            if pair.count == top.count && order.by_position() {
                pair.find_first(text, tokens);
            }
            let now = Entry { count: pair.count, key: order.key(pair), pair: top.pair };
            if now == top {
                return Some(top.pair);
            }
            self.push(now, order);
        }
    }

    /// Whether a pair with a count waits below the floor, once [`best`](Self::best) has found none.
    pub(super) fn has_rest(&self, pairs: &Pairs) -> bool {
        self.cold.iter().any(|&index| pairs[index].count > 0)
    }

    /// Puts a pair that is below the cut-off into the list, once; drops it when it stands nowhere.
    fn cool(&mut self, index: u32, pairs: &mut Pairs) {
        let pair = &mut pairs[index];
        if pair.count == 0 {
            if pair.place == Place::Heap {
                pair.place = Place::Nowhere;
            }
        } else if pair.place != Place::Cold {
            pair.place = Place::Cold;
            self.cold.push(index);
        }
    }

    /// Lowers the cut-off and moves what is above it from the list to the heap.
    fn lower(&mut self, pairs: &mut Pairs, order: &Order) {
        self.cut = (self.cut / FALL).max(self.floor);
        let mut kept = std::mem::take(&mut self.cold);
        kept.retain(|&index| {
            let pair = &mut pairs[index];
            if pair.place == Place::Heap {
                return false; // it rose above an earlier cut-off meanwhile
            }
            if pair.count >= self.cut {
                self.offer(index, pairs, order);
                return false;
            }
            if pair.count == 0 {
                pair.place = Place::Nowhere;
            }
            pair.count > 0
        });
        self.cold = kept;
    }

    fn push(&mut self, entry: Entry, order: &Order) {
        let mut at = self.heap.len();
        self.heap.push(entry);
        while at > 0 {
            let parent = (at - 1) / 2;
            if !order.precedes(&entry, &self.heap[parent]) {
                break;
            }
            self.heap.swap(at, parent);
            at = parent;
        }
    }

    fn pop(&mut self, order: &Order) -> Option<Entry> {
        let last = self.heap.len().checked_sub(1)?;
        let top = self.heap.swap_remove(0);
        let mut at = 0;
        loop {
            let mut child = 2 * at + 1;
            if child >= last {
                return Some(top);
            }
            if child + 1 < last && order.precedes(&self.heap[child + 1], &self.heap[child]) {
                child += 1;
            }
            if !order.precedes(&self.heap[child], &self.heap[at]) {
                return Some(top);
            }
            self.heap.swap(at, child);
            at = child;
        }
    }
}
