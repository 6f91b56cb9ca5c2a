//! (left id, right id) -> (rank, id), whatever the numbers are.
//!
//! Invariant: a slot is empty exactly when its rank is [`NONE`]; there is always an empty slot, so a probe ends.
//!
//! Cost: one cache line a look-up in the usual case, sixteen bytes a slot.

use super::pairs::{Made, NOTHING};
use crate::hash::{Mix, low};
use crate::memory::filled;
use crate::vocabulary::NONE;

/// A slot of the table.
#[derive(Debug, Clone, Copy)]
struct Slot {
    key: u64,
    made: Made,
}

const EMPTY: Slot = Slot { key: u64::MAX, made: NOTHING };

/// All pairs that merge.
#[derive(Debug, Clone)]
pub(super) struct Wide {
    slots: Vec<Slot>,
    mix: Mix,
}

impl Wide {
    /// An empty table with room for so many pairs.
    pub(super) fn with_capacity(pairs: usize) -> Self {
        Self { slots: filled(EMPTY, (pairs * 2).next_power_of_two().max(2)), mix: Mix::random() }
    }

    /// Adds a pair; gives the rank of the same pair if it is there already.
    pub(super) fn add(&mut self, left: u32, right: u32, made: Made) -> Option<u32> {
        let key = key(left, right);
        let at = self.seek(key);
        if self.slots[at].made.rank != NONE {
            return Some(self.slots[at].made.rank);
        }
        self.slots[at] = Slot { key, made };
        None
    }

    /// All pairs (left, right), each with what it merges into, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = ((u32, u32), Made)> {
        let taken = self.slots.iter().filter(|slot| slot.made.rank != NONE);
        taken.map(|slot| (halves(slot.key), slot.made))
    }

    /// What a pair merges into.
    #[inline]
    pub(super) fn get(&self, left: u32, right: u32) -> Made {
        self.slots[self.seek(key(left, right))].made
    }

    /// The slot of a key, or the empty slot where it belongs.
    #[inline]
    fn seek(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = low(self.mix.fold(key, 0)) & mask;
        while self.slots[at].key != key && self.slots[at].made.rank != NONE {
            at = (at + 1) & mask;
        }
        at
    }
}

/// A pair as one number; never that of [`EMPTY`] for two ids that exist.
#[inline]
fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

/// The pair of a key.
#[allow(clippy::cast_possible_truncation)] // the upper half is cut on purpose
fn halves(key: u64) -> (u32, u32) {
    ((key >> 32) as u32, key as u32)
}
