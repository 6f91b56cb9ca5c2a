//! The pretokens that come all the time, close at hand.
//!
//! Idea: some ten thousand words make up nearly all of a text. Their slots, copied out of the larger tables, lie side by side
//! in one table, of which the processor's caches hold what is used most. Every short pretoken is looked up here
//! first, in one place and nowhere else; what is found elsewhere, or merged, takes that place once the block that it stands in
//! is done. Until then it waits in a slot at the side, so that whatever a block needs has a place in one array. A tokenizer
//! that is used for little begins with a small table.
//!
//! Invariant: a slot (not at the side) that is not empty holds a short key and one to [`INLINE`](super::table::INLINE) ids,
//! which hold for whole pretokens and for parts of them. Places are good until [`Front::settle`].
//!
//! Cost: half a cache line a look-up, which is asked for ahead.

use super::table::Slot;
use crate::hash::low;
use crate::memory::{Aligned, filled_array, prefetch};

/// Slots of a first table.
const SMALL: usize = 1 << 10;

/// Slots of a later one: two megabytes.
const LARGE: usize = 1 << 16;

/// The most pretokens of a block, each of which may need a slot at the side.
pub(super) const BLOCK: usize = 1024;

/// A slot for each of many hashes, and those at the side.
#[derive(Debug)]
pub(super) struct Front {
    small: Vec<Slot>,
    large: Option<Box<Aligned<Slot, { LARGE + BLOCK }>>>,
    /// How many slots were put into the small table.
    kept: usize,
}

impl Default for Front {
    fn default() -> Self {
        Self { small: vec![Slot::default(); SMALL + BLOCK], large: None, kept: 0 }
    }
}

impl Front {
    /// All slots, to look at.
    pub(super) fn slots(&self) -> Slots<'_> {
        match &self.large {
            Some(large) => Slots(&large.0),
            None => Slots(&self.small),
        }
    }

    /// Puts a slot at the side, under a number below [`BLOCK`]; gives its place.
    pub(super) fn put_aside(&mut self, number: usize, slot: Slot) -> u32 {
        let place = self.slots().side(number);
        *self.at(place) = slot;
        place
    }

    /// After a block: moves what lies at the side, if it may, to the places of these hashes.
    pub(super) fn settle(&mut self, hashes: impl ExactSizeIterator<Item = u64>) {
        if self.grow(hashes.len()) {
            return;
        }
        for (number, hash) in hashes.enumerate() {
            let slots = self.slots();
            let (slot, place) = (*slots.get(slots.side(number)), slots.place(hash));
            if slot.is_short() && slot.count() != 0 {
                *self.at(place) = slot;
            }
        }
    }

    /// Puts a slot with a short key and some ids into the place of its hash, unless there are too many by now.
    pub(super) fn keep(&mut self, hash: u64, slot: Slot) {
        if !self.grow(1) {
            let place = self.slots().place(hash);
            *self.at(place) = slot;
        }
    }

    /// Makes the large table when so many more are too many for the small one; what is forgotten then comes again.
    fn grow(&mut self, more: usize) -> bool {
        if self.large.is_some() {
            return false;
        }
        self.kept += more;
        let grows = self.kept > SMALL;
        if grows {
            (self.small, self.large) = (Vec::new(), Some(filled_array(Slot::default())));
        }
        grows
    }

    fn at(&mut self, place: u32) -> &mut Slot {
        match &mut self.large {
            Some(large) => &mut large.0[place as usize],
            None => &mut self.small[place as usize],
        }
    }
}

/// All slots: a power of two of them, and those at the side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slots<'a>(&'a [Slot]);

impl<'a> Slots<'a> {
    /// How many are not at the side.
    #[inline]
    fn front(self) -> usize {
        self.0.len() - BLOCK
    }

    /// The place of a hash.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // there are fewer
    pub(super) fn place(self, hash: u64) -> u32 {
        (low(hash) & (self.front() - 1)) as u32
    }

    /// The place at the side with this number.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // there are fewer
    fn side(self, number: usize) -> u32 {
        (self.front() + number % BLOCK) as u32
    }

    /// Asks for what lies in a place.
    #[inline]
    pub(super) fn prefetch(self, place: u32) {
        prefetch(self.get(place));
    }

    /// What lies in a place.
    #[inline]
    pub(super) fn get(self, place: u32) -> &'a Slot {
        &self.0[place as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::Slot;
    use super::{BLOCK, Front, SMALL};
    use crate::key::Key;

    #[test]
    fn what_was_aside_is_in_front_after_a_block() {
        let mut front = Front::default();
        let key = |number: usize| Key::short(&number.to_le_bytes(), 0, 8);
        for block in 0..3 {
            // The third is after the table has grown.
            let hashes = (0..BLOCK as u64).map(|number| number * 0x9E37 + block);
            for (number, id) in (0..BLOCK).zip(0..) {
                let place = front.put_aside(number, Slot::inline(key(number), [id].into_iter()).unwrap_or_default());
                assert!(front.slots().get(place).holds(key(number)));
            }
            front.settle(hashes.clone().collect::<Vec<_>>().into_iter());
            let held = hashes.enumerate().filter(|&(number, hash)| {
                let slots = front.slots();
                slots.get(slots.place(hash)).holds(key(number))
            });
            let held = held.count();
            assert!(if block == 1 { held == 0 } else { held > SMALL / 3 }, "{block}: {held}");
        }
    }

    #[test]
    fn what_has_no_short_key_stays_aside() {
        let mut front = Front::default();
        front.put_aside(0, Slot::inline(Key::NONE, [7].into_iter()).unwrap_or_default());
        front.put_aside(1, Slot::elsewhere(Key::NONE, 1, 9));
        front.settle([3, 4].into_iter());
        let slots = front.slots();
        assert!([3, 4].iter().all(|&hash| slots.get(slots.place(hash)).count() == 0));
    }
}
