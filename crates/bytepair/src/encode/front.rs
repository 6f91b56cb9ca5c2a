//! The pretokens that come all the time, close at hand.
//!
//! Idea: a few thousand words make up nearly all of a text. Their slots, copied out of the larger tables, lie side by side in a table
//! that fits into the processor's second cache. Every short pretoken is looked up here first, in one place
//! and nowhere else; what is found elsewhere, or merged, takes that place.
//!
//! Invariant: a slot that is not empty holds a short key and one to [`INLINE`](super::table::INLINE) ids, which hold for
//! whole pretokens and for parts of them.
//!
//! Cost: half a cache line a look-up.

use super::table::Slot;

/// Half a megabyte of slots.
const SLOTS: usize = 1 << 13;

/// A slot for each of many hashes.
#[derive(Debug)]
pub(super) struct Front(Box<[Slot; SLOTS]>);

impl Default for Front {
    fn default() -> Self {
        // Made on the heap: the array is too large for a stack.
        let slots = vec![Slot::default(); SLOTS].into_boxed_slice();
        Self(slots.try_into().unwrap_or_else(|_| Box::new([Slot::default(); SLOTS])))
    }
}

impl Front {
    /// The slot of a hash.
    #[inline]
    pub(super) fn likely(&self, hash: u64) -> &Slot {
        &self.0[place(hash)]
    }

    /// Puts a slot into the place of its hash.
    #[inline]
    pub(super) fn put(&mut self, hash: u64, slot: Slot) {
        self.0[place(hash)] = slot;
    }
}

#[inline]
#[allow(clippy::cast_possible_truncation)] // the low bits are meant
fn place(hash: u64) -> usize {
    hash as usize % SLOTS
}
