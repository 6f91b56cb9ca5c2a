//! The pretoken table: what a short stretch of text is encoded into.
//!
//! Idea: a slot is a [`Key`] and up to [`INLINE`] ids, 32 bytes. A key stands in the place that its hash chooses, or in one
//! of the other three of the same row, the first of which shares a cache line with it, and nowhere else: a look-up nearly
//! always reads one slot, and where all four are full an older entry gives way, so that a table never fills up. What comes
//! all the time came first, and stands in its place.
//!
//! Invariant: a slot is empty exactly when its key is zero, which is no text's key. A slot that was filled stays filled
//! (until all is forgotten), so that no key stands behind an empty one. The slot of a longer text must be confirmed by
//! comparing bytes ([`Cache`](super::cache::Cache) keeps them).
//!
//! Cost: one cache line a look-up.

use crate::hash::{Mix, low};
use crate::key::Key;
use crate::memory::{Rows, prefetch};

/// The most bytes of a longer text that has a key.
pub(super) const LONG: usize = 64;

/// How many ids a slot holds itself.
pub(super) const INLINE: usize = 4;

/// The number of ids stands in the four highest bits of a slot's key, which a key leaves free.
const COUNT: u32 = 60;

/// A key and what the text is encoded into: the ids themselves, or where they are.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(32))]
pub(super) struct Slot {
    lo: u64,
    hi: u64,
    pub(super) ids: [u32; INLINE],
}

impl Slot {
    /// The slot of a text with 1 to [`INLINE`] ids; `None` if there are more.
    #[inline]
    pub(super) fn inline(key: Key, ids: impl ExactSizeIterator<Item = u32>) -> Option<Self> {
        if ids.len() == 0 || ids.len() > INLINE {
            return None;
        }
        let mut slot = Self { lo: key.words().0, hi: key.words().1 | (ids.len() as u64) << COUNT, ids: [0; INLINE] };
        for (to, from) in slot.ids.iter_mut().zip(ids) {
            *to = from;
        }
        Some(slot)
    }

    /// The slot of a text whose ids are elsewhere.
    pub(super) fn elsewhere(key: Key, at: u32, count: u32) -> Self {
        Self { lo: key.words().0, hi: key.words().1, ids: [at, count, 0, 0] }
    }

    /// How many ids the slot holds; 0 if they are elsewhere.
    #[inline]
    pub(super) fn count(&self) -> usize {
        // Four bits.
        (self.hi >> COUNT) as usize
    }

    /// How many ids the slot holds of the text with this key: 0 if it is the slot of another, or they are elsewhere.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // at most INLINE
    pub(super) fn count_of(&self, key: Key) -> usize {
        // The number that `count` would give if all other bits are equal, else a larger one.
        let (lo, hi) = key.words();
        let count = (self.hi ^ hi).rotate_left(u64::BITS - COUNT);
        if self.lo == lo && count.wrapping_sub(1) < INLINE as u64 { count as usize } else { 0 }
    }

    /// Whether it is the slot of this key.
    #[inline]
    pub(super) fn holds(&self, key: Key) -> bool {
        (self.lo ^ key.words().0) | (self.hi ^ key.words().1) << (64 - COUNT) == 0
    }

    fn is_empty(&self) -> bool {
        self.lo == 0 && self.hi == 0
    }

    /// The key that the slot holds.
    fn key(&self) -> Key {
        Key::of_words(self.lo, self.hi & ((1 << COUNT) - 1))
    }
}

/// How many slots a key may stand in.
const WAYS: usize = 4;

/// A table of this size takes the room that the largest needs when it grows, or room for [`RESERVED`] slots if that is less.
const RESERVES: usize = 4096;

/// The most slots that room is taken for before they are needed: 64 MB.
const RESERVED: usize = 1 << 21;

/// A table that may grow.
#[derive(Debug)]
pub(super) struct Table {
    /// A power of two of them.
    slots: Rows<Slot>,
    /// How many slots are not empty.
    filled: usize,
    /// What hashes are made with.
    mix: Mix,
}

impl Table {
    /// An empty table of at least this many slots.
    pub(super) fn new(slots: usize, mix: Mix) -> Self {
        let rows = slots.div_ceil(WAYS).next_power_of_two();
        Self { slots: Rows::filled(Slot::default(), rows), filled: 0, mix }
    }

    /// All slots, to look at.
    #[inline]
    pub(super) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Whether at least one slot in so many is filled.
    pub(super) fn is_full_to(&self, one_in: usize) -> bool {
        self.filled * one_in >= self.slots.len()
    }

    /// The places that a key may stand in, in the order in which they are filled.
    #[inline]
    fn places(&self, hash: u64) -> [usize; WAYS] {
        near(place(&self.slots, hash))
    }

    /// The slot of a key; of a long one, a slot that may be its.
    #[inline]
    pub(super) fn find(&self, key: Key, hash: u64) -> Option<&Slot> {
        let mut slots = self.places(hash).into_iter().map(|place| &self.slots[place]);
        slots.find(|slot| slot.is_empty() || slot.holds(key)).filter(|slot| !slot.is_empty())
    }

    /// What hashes are made with.
    #[inline]
    pub(super) fn mix(&self) -> Mix {
        self.mix
    }

    /// Asks for the line of a hash to be fetched.
    #[inline]
    pub(super) fn prefetch(&self, hash: u64) {
        prefetch(&raw const self.slots[place(&self.slots, hash)]);
    }

    /// Whether an entry of this hash finds a place without another one giving way.
    pub(super) fn has_room(&self, hash: u64) -> bool {
        self.places(hash).iter().any(|&place| self.slots[place].is_empty())
    }

    /// Adds an entry; where there is no room for it, an older one gives way.
    pub(super) fn put(&mut self, hash: u64, slot: Slot) {
        let places = self.places(hash);
        if let Some(&empty) = places.iter().find(|&&place| self.slots[place].is_empty()) {
            self.slots[empty] = slot;
            self.filled += 1;
        } else {
            self.slots[places[1]] = self.slots[places[0]];
            self.slots[places[0]] = slot;
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.slots.fill(Slot::default());
        self.filled = 0;
    }

    /// Doubles the number of slots, of which there will never be more than `most`. What had room before has room after, and
    /// what stood in its own place, as the oldest and commonest do, does so again.
    pub(super) fn grow(&mut self, most: usize) {
        let (before, mix) = (self.slots.len(), self.mix);
        let room = if before < RESERVES { 2 * before } else { most.min(RESERVED).max(2 * before) };
        // What stands in a row stays there, or goes to the row that is as far behind as there were slots.
        self.slots.double(room / WAYS, |row| {
            let (mut stay, mut go) = ([Slot::default(); WAYS], [Slot::default(); WAYS]);
            for at_home in [true, false] {
                for (at, slot) in row.iter().enumerate().filter(|(_, slot)| !slot.is_empty()) {
                    let hash = slot.key().hash(mix);
                    let home = place(row, hash);
                    if (home == at) == at_home {
                        let to = if low(hash) & before == 0 { &mut stay } else { &mut go };
                        let free = near(home).into_iter().find(|&place| to[place].is_empty());
                        to[free.unwrap_or(home)] = *slot;
                    }
                }
            }
            *row = stay;
            go
        });
    }
}

/// The places of a row in the order in which they are filled, of a key that this one is the own place of.
#[inline]
fn near(place: usize) -> [usize; WAYS] {
    [place, place ^ 1, place ^ 2, place ^ 3]
}

/// The place among some slots that a hash chooses.
#[inline]
pub(super) fn place(slots: &[Slot], hash: u64) -> usize {
    low(hash) & (slots.len() - 1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a test's way to fail
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::{INLINE, RESERVES, Slot, Table};
    use crate::hash::Mix;
    use crate::key::Key;

    fn key(word: &[u8]) -> Key {
        Key::short(word, 0, word.len())
    }

    proptest! {
        #[test]
        fn a_table_forgets_but_never_lies(
            words in proptest::collection::vec((proptest::collection::vec(0u8..3, 1..6), 1u32..=4), 0..300),
            lines in 1usize..64,
            grows in any::<bool>(),
        ) {
            let mut table = Table::new(lines, Mix::random());
            let mut put = HashMap::new();
            for (word, count) in words {
                let key = key(&word);
                let found = table.find(key, key.hash(table.mix())).copied();
                if let Some(slot) = found {
                    let expected: &Vec<u32> = &put[&word];
                    prop_assert_eq!(&slot.ids[..slot.count()], expected.as_slice());
                } else {
                    prop_assert!(!grows || !put.contains_key(&word), "a table that grows in time forgets nothing");
                    if grows && !table.has_room(key.hash(table.mix())) {
                        while !table.has_room(key.hash(table.mix())) && table.slots().len() < 1 << 18 {
                            table.grow(1 << 12);
                        }
                    }
                    let ids: Vec<u32> = (0..count).map(|n| n * 7 + u32::from(word[0])).collect();
                    table.put(key.hash(table.mix()), Slot::inline(key, ids.iter().copied()).unwrap());
                    put.insert(word, ids);
                }
            }
            let filled = table.slots.iter().filter(|slot| !slot.is_empty()).count();
            prop_assert_eq!(filled, table.filled);
        }
    }

    #[test]
    fn a_slot_holds_as_many_ids_as_fit() {
        let key = key(b"word");
        assert!(Slot::inline(key, [].into_iter()).is_none());
        assert!(Slot::inline(key, [0; INLINE + 1].into_iter()).is_none());
        let slot = Slot::inline(key, [1, 2, 3, 4].into_iter()).unwrap();
        assert_eq!((slot.count(), slot.ids, slot.key()), (4, [1, 2, 3, 4], key));
        assert_eq!(Slot::elsewhere(key, 7, 9).count(), 0);
    }

    #[test]
    fn growing_takes_no_room_for_more_than_it_may_soon_need() {
        let mut table = Table::new(RESERVES, Mix::random());
        // As many as memory of 2^63 bytes holds: asked for at once, they would end the process.
        table.grow(1 << 58);
        assert_eq!(table.slots().len(), 2 * RESERVES);
    }
}
