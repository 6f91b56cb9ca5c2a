//! (left id, right id) -> (rank, id): what a pair of neighbours merges into.
//!
//! Idea: one flat open-addressed table of 16-byte slots, at most half full, and a direct table for the pairs of
//! base bytes, which every pretoken asks for first. Once all pairs are there, slots of half the size ([`Narrow`]) take
//! over where the numbers allow it.
//!
//! Invariant: a slot is empty exactly when its rank is [`NONE`]; there is always an empty slot, so a probe ends.
//!
//! Cost: one cache line a look-up in the usual case.

use super::contents::NONE;
use super::narrow::Narrow;
use crate::hash::{Mix, low};

/// What a pair merges into; `rank` is [`NONE`] for a pair that does not merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Made {
    /// The merge's rank.
    pub(crate) rank: u32,
    /// The id it makes.
    pub(crate) id: u32,
}

/// No merge.
pub(crate) const NOTHING: Made = Made { rank: NONE, id: NONE };

#[derive(Debug, Clone, Copy)]
struct Slot {
    key: u64,
    made: Made,
}

const EMPTY: Slot = Slot { key: u64::MAX, made: NOTHING };

/// All pairs that merge.
#[derive(Debug, Clone)]
pub(super) struct Pairs {
    slots: Vec<Slot>,
    mix: Mix,
    bytes: Vec<Made>,
    narrow: Option<Narrow>,
}

impl Pairs {
    /// An empty table with room for `pairs` pairs; with a direct table for pairs of bytes if `bytes`.
    pub(super) fn with_capacity(pairs: usize, bytes: bool) -> Self {
        Self {
            slots: vec![EMPTY; (pairs * 2).next_power_of_two().max(2)],
            mix: Mix::random(),
            bytes: if bytes { vec![NOTHING; 1 << 16] } else { Vec::new() },
            narrow: None,
        }
    }

    /// Says that no pair will be added any more.
    pub(super) fn finish(&mut self) {
        let pairs = self.iter().map(|((left, right), made)| (left, right, made));
        let narrow = Narrow::new(pairs.clone(), pairs.count());
        if narrow.is_some() {
            self.slots = vec![EMPTY];
        }
        self.narrow = narrow;
    }

    /// Adds a pair; gives the rank of the same pair if it is there already. No more pairs may be added than there
    /// is room for.
    pub(super) fn add(&mut self, left: u32, right: u32, made: Made) -> Option<u32> {
        let key = key(left, right);
        let at = self.seek(key);
        if self.slots[at].made.rank != NONE {
            return Some(self.slots[at].made.rank);
        }
        self.slots[at] = Slot { key, made };
        None
    }

    /// Adds what two bytes merge into to the direct table.
    pub(super) fn add_bytes(&mut self, left: u8, right: u8, made: Made) {
        if let Some(entry) = self.bytes.get_mut(usize::from(left) << 8 | usize::from(right)) {
            *entry = made;
        }
    }

    /// All pairs (left, right), each with what it merges into, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = ((u32, u32), Made)> + Clone {
        let taken = self.slots.iter().filter(|slot| slot.made.rank != NONE);
        let wide = taken.map(|slot| (halves(slot.key), slot.made));
        wide.chain(self.narrow.iter().flat_map(Narrow::iter))
    }

    /// What a pair merges into. An id of [`NONE`] merges with nothing.
    #[inline]
    pub(super) fn get(&self, left: u32, right: u32) -> Made {
        match &self.narrow {
            Some(narrow) => narrow.get(left, right),
            None => self.slots[self.seek(key(left, right))].made,
        }
    }

    /// What two bytes merge into, by the direct table.
    #[inline]
    pub(super) fn of_bytes(&self, left: u8, right: u8) -> Made {
        self.bytes.get(usize::from(left) << 8 | usize::from(right)).copied().unwrap_or(NOTHING)
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
