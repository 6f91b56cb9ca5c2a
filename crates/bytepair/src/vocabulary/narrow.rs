//! (left id, right id) -> (rank, id) in eight bytes a slot, of which the processor's caches hold more: of a real vocabulary,
//! ids and ranks are small numbers.
//!
//! Idea: both ids and the rank fit into one word, the ids above the rank. The id that is made is found by the rank, or is
//! the rank (in a rank file).
//!
//! Invariant: an empty slot has all bits, which no pair has; there is always one, so a probe ends.
//!
//! Cost: one cache line a look-up in the usual case.

use super::pairs::{Made, NOTHING};
use crate::hash::{Mix, low};

/// The bits of an id.
const ID: u32 = 21;

/// The bits of a rank.
const RANK: u32 = 22;

const EMPTY: u64 = u64::MAX;

/// All pairs that merge.
#[derive(Debug, Clone)]
pub(super) struct Narrow {
    slots: Vec<u64>,
    mix: Mix,
    /// By rank, the id that is made; `None` where it is the rank.
    ids: Option<Vec<u32>>,
}

impl Narrow {
    /// A table for a merge list of `merges` merges, of ids below `n_vocab`; `None` if they are too many.
    pub(super) fn of_merges(merges: usize, n_vocab: usize) -> Option<Self> {
        Self::new(merges, n_vocab, merges, Some(Vec::with_capacity(merges)))
    }

    /// A table for a rank file of `tokens` tokens, whose ids are their ranks and below `n_vocab`; `None` if they are too
    /// many.
    pub(super) fn of_ranks(tokens: usize, n_vocab: usize) -> Option<Self> {
        Self::new(tokens, n_vocab, n_vocab, None)
    }

    fn new(pairs: usize, ids: usize, ranks: usize, made: Option<Vec<u32>>) -> Option<Self> {
        if ids >= 1 << ID || ranks >= 1 << RANK {
            return None;
        }
        Some(Self { slots: vec![EMPTY; (pairs * 2).next_power_of_two().max(2)], mix: Mix::random(), ids: made })
    }

    /// Adds a pair; gives the rank of the same pair if it is there already. The pairs of a merge list come in the order of
    /// their ranks, which have no gap.
    #[inline]
    pub(super) fn add(&mut self, left: u32, right: u32, made: Made) -> Option<u32> {
        let key = key(left, right);
        let at = self.seek(key);
        if self.slots[at] != EMPTY {
            return Some(rank(self.slots[at]));
        }
        self.slots[at] = key << RANK | u64::from(made.rank);
        if let Some(ids) = &mut self.ids {
            ids.push(made.id);
        }
        None
    }

    /// What a pair merges into.
    #[inline]
    pub(super) fn get(&self, left: u32, right: u32) -> Made {
        if (left | right) >> ID != 0 {
            return NOTHING;
        }
        self.made(self.slots[self.seek(key(left, right))])
    }

    /// All pairs (left, right), each with what it merges into, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = ((u32, u32), Made)> {
        #[allow(clippy::cast_possible_truncation)] // the bits of an id
        let id = |bits: u64| bits as u32 & ((1 << ID) - 1);
        let taken = self.slots.iter().filter(|&&slot| slot != EMPTY);
        taken.map(move |&slot| ((id(slot >> RANK >> ID), id(slot >> RANK)), self.made(slot)))
    }

    /// What the pair in a slot makes.
    #[inline]
    fn made(&self, slot: u64) -> Made {
        if slot == EMPTY {
            return NOTHING;
        }
        let rank = rank(slot);
        Made { rank, id: self.ids.as_ref().map_or(rank, |ids| ids[rank as usize]) }
    }

    /// The slot of a key, or the empty slot where it belongs.
    #[inline]
    fn seek(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = low(self.mix.fold(key, 0)) & mask;
        while self.slots[at] >> RANK != key && self.slots[at] != EMPTY {
            at = (at + 1) & mask;
        }
        at
    }
}

/// A pair as one number; both ids are small.
#[inline]
fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << ID | u64::from(right)
}

/// The rank in a slot.
#[inline]
#[allow(clippy::cast_possible_truncation)] // the low bits are meant
fn rank(slot: u64) -> u32 {
    slot as u32 & ((1 << RANK) - 1)
}
