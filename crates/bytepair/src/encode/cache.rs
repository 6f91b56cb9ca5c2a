//! What one call at a time remembers of the pretokens it has merged, bounded in bytes.
//!
//! Idea: a [`Table`] that doubles when a quarter of it is full, up to the bound, and holds all that comes, what is a token
//! too, so that it is the only one to be looked at. Until half of it is full every new pretoken is
//! kept at first sight; after that only at second sight, so that a stream of words that never come back does not drive out those that
//! do. What does not fit into a slot (more ids, and the bytes of a longer text) lies in an arena; when that is full,
//! everything is forgotten.
//!
//! Invariant: an entry is what merging makes of a text *and* what a whole pretoken of these bytes is encoded into; a text
//! for which the two differ is never kept. The bytes of a longer text are compared.
//!
//! Cost: at most the bound: half for the table, a quarter for the arena, a little for the sights.

use super::table::{Slot, Table, place};
use crate::hash::Mix;
use crate::key::Key;

/// The slots of a new table: what a short call pays for.
const FIRST: usize = 512;

/// One slot in so many is filled when the table grows: nearly all that comes often then stands in the place that is looked
/// at first.
const GROWS: usize = 4;

/// One slot in so many is filled when a table that may not grow takes nothing more at first sight.
const FULL: usize = 2;

/// Entries of the table of sights: one for each of so many slots.
const SIGHT: usize = 8;

/// Pretokens and their ids.
#[derive(Debug)]
pub(super) struct Cache {
    table: Table,
    /// Of each longer entry its bytes, then its ids; of a short one its ids.
    arena: Vec<u8>,
    /// By hash, a part of the hash of the text that was refused last.
    sights: Vec<u32>,
    /// The most slots of the table; none: nothing is kept.
    most_slots: usize,
    /// The most bytes of the arena.
    most_bytes: usize,
}

impl Cache {
    /// An empty cache that takes at most this many bytes (a few kilobytes apart).
    pub(super) fn new(bytes: usize, mix: Mix) -> Self {
        let slots = bytes / 2 / size_of::<Slot>();
        let most_slots = if slots == 0 { 0 } else { 1 << slots.ilog2() };
        Self {
            table: Table::new(FIRST.min(most_slots), mix),
            arena: Vec::new(),
            sights: Vec::new(),
            most_slots,
            // A growing vector may take twice what it holds.
            most_bytes: bytes / 8,
        }
    }

    /// The slot of a short text, or one that may be that of a longer one.
    #[inline]
    pub(super) fn find(&self, key: Key, hash: u64) -> Option<&Slot> {
        self.table.find(key, hash)
    }

    /// The slots of all texts, to look at.
    #[inline]
    pub(super) fn slots(&self) -> &[Slot] {
        self.table.slots()
    }

    /// What hashes are made with.
    #[inline]
    pub(super) fn mix(&self) -> Mix {
        self.table.mix()
    }

    /// The place of a hash in [`slots`](Self::slots), which is asked for.
    #[inline]
    pub(super) fn ask_for(&self, hash: u64) -> usize {
        self.table.prefetch(hash);
        place(self.slots(), hash)
    }

    /// The ids of a slot that [`find`](Self::find) gave for a short text and that holds none itself.
    pub(super) fn ids(&self, slot: &Slot) -> impl Iterator<Item = u32> {
        self.entry(slot, 0).map(|(_, ids)| numbers(ids)).into_iter().flatten()
    }

    /// The ids of a longer text.
    pub(super) fn find_long(&self, key: Key, hash: u64, word: &[u8]) -> Option<impl ExactSizeIterator<Item = u32>> {
        let (bytes, ids) = self.entry(self.table.find(key, hash)?, word.len())?;
        are_equal(bytes, word).then(|| numbers(ids))
    }

    /// Copies the ids of a text that its slot does not hold, if they are so few and it stands in its own place; how many there
    /// are, or 0.
    #[inline]
    pub(super) fn copy<'a, const N: usize>(
        &self,
        key: Key,
        place: usize,
        word: impl FnOnce() -> &'a [u8],
        to: &mut [u32; N],
    ) -> usize {
        let slot = &self.slots()[place];
        if key.is_none() || !slot.holds(key) {
            return 0;
        }
        let word = if key.is_short() { &[] } else { word() };
        match self.entry(slot, word.len()) {
            Some((bytes, ids)) if ids.len() <= size_of_val(to) && (word.is_empty() || are_equal(bytes, word)) => {
                for (to, id) in to.iter_mut().zip(numbers(ids)) {
                    *to = id;
                }
                ids.len() / size_of::<u32>()
            }
            _ => 0,
        }
    }

    /// The bytes and the ids of an entry whose text has so many bytes in the arena.
    fn entry(&self, slot: &Slot, bytes: usize) -> Option<(&[u8], &[u8])> {
        let [at, count, ..] = slot.ids.map(|part| part as usize);
        self.arena.get(at..at + bytes + count * size_of::<u32>())?.split_at_checked(bytes)
    }

    /// Keeps the ids of a text that was not found, or notes that it was seen.
    pub(super) fn admit(&mut self, key: Key, hash: u64, word: &[u8], ids: &[u32]) {
        if key.is_none() || !self.makes_room(hash) {
            return;
        }
        let slot = if key.is_short() { Slot::inline(key, ids.iter().copied()) } else { None };
        if let Some(slot) = slot.or_else(|| self.write(key, word, ids)) {
            self.table.put(hash, slot);
        }
    }

    /// Whether a text with this hash may be kept; notes that it was seen if not.
    fn makes_room(&mut self, hash: u64) -> bool {
        if self.most_slots == 0 {
            return false;
        }
        let slots = self.table.slots().len();
        if slots < self.most_slots && self.table.is_full_to(GROWS) {
            self.table.grow(self.most_slots);
        }
        !self.table.is_full_to(FULL) && self.table.has_room(hash) || self.second_sight(hash)
    }

    /// Whether a text with this hash was refused not long ago; notes it if not.
    fn second_sight(&mut self, hash: u64) -> bool {
        if self.sights.len() * SIGHT < self.table.slots().len() {
            self.sights = vec![0; self.table.slots().len().div_ceil(SIGHT)];
        }
        // A power of two; the low bits of the hash choose the line, these the place, others tell texts apart.
        #[allow(clippy::cast_possible_truncation)] // the low bits are meant
        let place = (hash >> 40) as usize & (self.sights.len() - 1);
        #[allow(clippy::cast_possible_truncation)] // half of the bits are meant
        let part = (hash >> 8) as u32 | 1;
        match self.sights.get_mut(place) {
            Some(seen) if *seen == part => true,
            Some(seen) => {
                *seen = part;
                false
            }
            None => false,
        }
    }

    /// Writes an entry into the arena; `None` if the arena is too small for it.
    fn write(&mut self, key: Key, word: &[u8], ids: &[u32]) -> Option<Slot> {
        let bytes = if key.is_short() { &[] } else { word };
        let length = bytes.len() + size_of_val(ids);
        if length > self.most_bytes {
            return None;
        }
        if self.arena.len() + length > self.most_bytes {
            self.arena.clear();
            self.table.clear();
        }
        let at = u32::try_from(self.arena.len()).ok()?;
        let count = u32::try_from(ids.len()).ok()?;
        self.arena.extend_from_slice(bytes);
        for id in ids {
            self.arena.extend_from_slice(&id.to_le_bytes());
        }
        Some(Slot::elsewhere(key, at, count))
    }

    /// How many bytes it takes.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.table.slots()) + self.arena.capacity() + self.sights.capacity() * size_of::<u32>()
    }
}

/// Whether two texts of the same length, sixteen bytes or more, are equal; no call for so few bytes.
#[inline]
fn are_equal(one: &[u8], other: &[u8]) -> bool {
    let differ = |(one, other): (&[u8; 16], &[u8; 16])| u128::from_le_bytes(*one) ^ u128::from_le_bytes(*other);
    let blocks = one.as_chunks().0.iter().zip(other.as_chunks().0);
    // The last sixteen overlap those before.
    let last = one.last_chunk().zip(other.last_chunk());
    blocks.chain(last).all(|pair| differ(pair) == 0)
}

/// Ids as they lie in the arena.
fn numbers(bytes: &[u8]) -> impl ExactSizeIterator<Item = u32> {
    bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::super::table::{LONG, Slot};
    use super::Cache;
    use crate::hash::Mix;
    use crate::key::{Key, SHORT};

    /// Looks a word up as encoding does.
    fn look_up(cache: &Cache, word: &[u8]) -> (Key, Option<Vec<u32>>) {
        if word.len() <= SHORT {
            let key = Key::short(word, 0, word.len());
            let ids = |slot: &Slot| match slot.count() {
                0 => cache.ids(slot).collect(),
                count => slot.ids[..count].to_vec(),
            };
            return (key, cache.find(key, key.hash(cache.table.mix())).map(ids));
        }
        let key = Key::long(word, word.len(), cache.table.mix());
        (key, cache.find_long(key, key.hash(cache.table.mix()), word).map(Iterator::collect))
    }

    proptest! {
        #[test]
        fn it_forgets_but_never_lies_and_keeps_its_bound(
            bytes in prop_oneof![0usize..2000, 0usize..200_000],
            words in proptest::collection::vec((0..LONG, 0u8..20, 1u32..12), 0..600),
        ) {
            let mut cache = Cache::new(bytes, Mix::random());
            let mut kept = HashMap::new();
            for (length, letter, count) in words {
                let word: Vec<u8> = (0u8..64).take(length + 1).map(|at| letter.wrapping_mul(31).wrapping_add(at / 9)).collect();
                let (key, found) = look_up(&cache, &word);
                if let Some(ids) = found {
                    prop_assert_eq!(Some(&ids), kept.get(&word));
                } else {
                    let ids: Vec<u32> = (0..count).map(|n| n + u32::from(letter)).collect();
                    cache.admit(key, key.hash(cache.table.mix()), &word, &ids);
                    kept.insert(word, ids);
                }
                prop_assert!(cache.bytes() <= bytes + 1024, "{} > {bytes}", cache.bytes());
            }
        }
    }

    #[test]
    fn words_are_kept_at_first_sight_and_then_at_second() {
        let mut cache = Cache::new(1 << 16, Mix::known());
        let word = |n: u32| [b"word".as_slice(), &n.to_le_bytes()].concat();
        let mut kept_at_first = 0;
        for n in 0..10_000 {
            let (key, _) = look_up(&cache, &word(n));
            cache.admit(key, key.hash(cache.table.mix()), &word(n), &[n]);
            kept_at_first += usize::from(look_up(&cache, &word(n)).1.is_some());
        }
        assert!((300..1100).contains(&kept_at_first), "{kept_at_first}");
        let (key, found) = look_up(&cache, &word(20_000));
        assert_eq!(found, None);
        cache.admit(key, key.hash(cache.table.mix()), &word(20_000), &[1]);
        assert_eq!(look_up(&cache, &word(20_000)).1, None);
        cache.admit(key, key.hash(cache.table.mix()), &word(20_000), &[1]);
        assert_eq!(look_up(&cache, &word(20_000)).1, Some(vec![1]));
    }

    #[test]
    fn without_bytes_nothing_is_kept() {
        let mut cache = Cache::new(0, Mix::random());
        let (key, _) = look_up(&cache, b"word");
        for _ in 0..3 {
            cache.admit(key, key.hash(cache.table.mix()), b"word", &[1]);
            assert_eq!(look_up(&cache, b"word").1, None);
        }
    }
}
