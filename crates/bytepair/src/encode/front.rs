//! The pretokens that come all the time, close at hand.
//!
//! Idea: a few thousand words make up nearly all of a text. Their slots, copied out of the larger tables, lie side by side in
//! a table that fits into the processor's second cache. Every short pretoken is looked up here first, in one
//! place and nowhere else; what is found elsewhere, or merged, takes that place once the block that it stands in is done.
//! Until then it waits in a slot at the side, so that whatever a block needs has a place in one array.
//!
//! Invariant: a slot (not at the side) that is not empty holds a short key and one to [`INLINE`](super::table::INLINE) ids,
//! which hold for whole pretokens and for parts of them.
//!
//! Cost: half a cache line a look-up.

use super::table::Slot;
use crate::hash::low;
use crate::memory::{Aligned, filled_array, prefetch};

/// A megabyte of slots.
const SLOTS: usize = 1 << 15;

/// The most pretokens of a block, each of which may need a slot at the side.
pub(super) const BLOCK: usize = 1024;

/// A slot for each of many hashes, and those at the side.
#[derive(Debug)]
pub(super) struct Front(Box<Aligned<Slot, { SLOTS + BLOCK }>>);

impl Default for Front {
    fn default() -> Self {
        Self(filled_array(Slot::default()))
    }
}

impl Front {
    /// The place of a hash.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // there are fewer
    pub(super) fn place(hash: u64) -> u16 {
        (low(hash) % SLOTS) as u16
    }

    /// The place at the side with this number, below [`BLOCK`].
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // there are fewer
    pub(super) fn side(number: usize) -> u16 {
        (SLOTS + number % BLOCK) as u16
    }

    /// Asks for what lies in a place.
    #[inline]
    pub(super) fn prefetch(&self, place: u16) {
        prefetch(self.get(place));
    }

    /// What lies in a place.
    #[inline]
    pub(super) fn get(&self, place: u16) -> &Slot {
        &self.0.0[usize::from(place)]
    }

    /// Puts a slot into a place.
    #[inline]
    pub(super) fn put(&mut self, place: u16, slot: Slot) {
        self.0.0[usize::from(place)] = slot;
    }

    /// Moves what lies at the side, if it may, to the place of its hash.
    #[inline]
    pub(super) fn keep(&mut self, number: usize, hash: u64) {
        let slot = *self.get(Self::side(number));
        if slot.is_short() && slot.count() != 0 {
            self.put(Self::place(hash), slot);
        }
    }
}
