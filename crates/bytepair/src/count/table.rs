//! Distinct byte strings, numbered in the order of their first appearance, each with a value.
//!
//! The idea: nearly every pretoken is its own [`Key`]; longer ones lie in one byte arena, and their key is a hash and the place there.
//! Entries stand in the order of first appearance; beside them an open-addressed array of entry numbers finds them.
//! Neither is in the processor's caches when the table is large, so many strings are looked up together: what is needed of all
//! is asked for first. What comes often came early, and stands in the slot that its hash names.
//!
//! Invariant: `slots` is empty or a power of two, at most half full, and holds every entry's number exactly once.
//! Cost: O(length) a string, a few nanoseconds; 16 bytes + the value + 8 to 16 bytes of `slots` an entry; of a longer string its bytes
//! and 8 more.

use std::ops::Range;

use crate::hash::{Mix, low};
use crate::key::{Key, SHORT};
use crate::memory::{filled, prefetch};

/// A slot without an entry.
const EMPTY: u32 = u32::MAX;

/// How many strings are looked up together: what is asked for fits in the first cache.
const SOME: usize = 128;

/// The bytes of a length in the arena.
const LENGTH: usize = 8;

/// No string's place in the arena: the number in the key of a longer string that is looked for.
const NOWHERE: usize = 1 << 55;

/// One string and its value.
#[derive(Debug, Clone, Copy)]
struct Entry<V> {
    /// The bytes of its key. The number in that of a longer string is its place in the arena, counted from 1.
    key: [u8; 16],
    value: V,
}

/// The table.
#[derive(Debug, Clone)]
pub(crate) struct Table<V> {
    entries: Vec<Entry<V>>,
    slots: Vec<u32>,
    /// The longer strings, each after its length.
    arena: Vec<u8>,
    /// The bytes of all strings together.
    content: u64,
    mix: Mix,
    /// It never has more strings; numbers are below it.
    pub(super) most: u32,
}

/// Some strings that are looked up together: their keys, and the first slot of each.
#[derive(Debug, Clone)]
pub(super) struct Block([(Key, u32); SOME]);

impl Default for Block {
    fn default() -> Self {
        Self([(Key::default(), 0); SOME])
    }
}

impl<V> Default for Table<V> {
    fn default() -> Self {
        Self::with(Mix::random())
    }
}

impl<V> Table<V> {
    fn with(mix: Mix) -> Self {
        Self { entries: Vec::new(), slots: Vec::new(), arena: Vec::new(), content: 0, mix, most: EMPTY }
    }

    /// An empty table from which this one [takes over](Self::take_over) faster than from others.
    pub(super) fn sibling(&self) -> Self {
        Self::with(self.mix)
    }

    /// How many strings there are.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// String number `index`.
    pub(crate) fn bytes(&self, index: usize) -> &[u8] {
        let bytes = &self.entries[index].key;
        let key = Key::of_bytes(*bytes);
        if is_long(key) { self.long(key) } else { &bytes[..usize::from(bytes[SHORT])] }
    }

    /// The length of string number `index`.
    pub(crate) fn length(&self, index: usize) -> usize {
        self.bytes(index).len()
    }

    /// The bytes of memory that it takes.
    pub(crate) fn memory(&self) -> usize {
        let entries = self.entries.capacity() * size_of::<Entry<V>>();
        entries + self.slots.capacity() * size_of::<u32>() + self.arena.capacity()
    }

    /// The bytes of all its strings together.
    pub(crate) fn content(&self) -> u64 {
        self.content
    }

    /// The bytes that its strings need, about; it may have taken twice that.
    pub(super) fn used(&self) -> usize {
        self.entries.len() * (size_of::<Entry<V>>() + 2 * size_of::<u32>()) + self.arena.len()
    }

    /// Forgets all strings, but keeps the memory.
    pub(super) fn clear(&mut self) {
        if self.entries.is_empty() {
            return;
        }
        self.entries.clear();
        self.arena.clear();
        self.content = 0;
        self.slots.fill(EMPTY);
    }

    /// The string of a long key.
    fn long(&self, key: Key) -> &[u8] {
        let place = key.number() - 1;
        &self.arena[place + LENGTH..][..length_at(&self.arena, place)]
    }

    /// The slot at which the search for a key begins.
    fn place(&self, key: Key) -> u32 {
        self.slot(if is_long(key) { key.words().0 } else { key.hash(self.mix) })
    }

    #[inline]
    #[allow(clippy::cast_possible_truncation)] // searches may begin in the first 2^32 slots only
    fn slot(&self, hash: u64) -> u32 {
        (low(hash) & (self.slots.len() - 1)) as u32
    }

    /// Makes room for so many more strings.
    #[inline]
    pub(super) fn reserve(&mut self, more: usize) {
        if (self.entries.len() + more) * 2 > self.slots.len() {
            self.grow(more);
        }
    }

    #[cold]
    #[allow(clippy::cast_possible_truncation)] // `insert` admits no number past 32 bits
    fn grow(&mut self, more: usize) {
        let size = ((self.entries.len() + more) * 2).next_power_of_two().max(64);
        // The old ones are given back first.
        self.slots = Vec::new();
        self.slots = filled(EMPTY, size);
        let mut places = [0; SOME];
        for start in (0..self.entries.len()).step_by(SOME) {
            let entries = &self.entries[start..self.entries.len().min(start + SOME)];
            for (place, entry) in places.iter_mut().zip(entries) {
                *place = self.place(Key::of_bytes(entry.key)) as usize;
                prefetch(&raw const self.slots[*place]);
            }
            for (&place, index) in places.iter().zip(start..start + entries.len()) {
                let mut slot = place;
                while self.slots[slot] != EMPTY {
                    slot = (slot + 1) & (size - 1);
                }
                self.slots[slot] = index as u32;
            }
        }
    }
}

impl<V: Copy + Default> Table<V> {
    /// The value of string number `index`.
    pub(crate) fn value(&self, index: usize) -> V {
        self.entries[index].value
    }

    /// The value of string number `index`, to be changed.
    pub(crate) fn value_mut(&mut self, index: usize) -> &mut V {
        &mut self.entries[index].value
    }

    /// The number of `text[start..end]`, which is added with the default value if it is new; `None` when the table
    /// has no number left. The text around it is only read to load 16 bytes at once.
    #[inline]
    pub(crate) fn intern(&mut self, text: &[u8], start: usize, end: usize) -> Option<usize> {
        self.reserve(1);
        let key = self.key(text, start, end);
        self.find_or_insert(key, self.place(key), || &text[start..end])
    }

    /// The key of `text[start..end]`; if that is long, with no place.
    #[inline]
    fn key(&self, text: &[u8], start: usize, end: usize) -> Key {
        let key = Key::short(text, start, end);
        if key.is_none() { Key::long(&text[start..end], NOWHERE, self.mix) } else { key }
    }

    /// The number of a string, if it is there.
    pub(crate) fn number(&self, string: &[u8]) -> Option<usize> {
        let key = self.key(string, 0, string.len());
        if self.slots.is_empty() { None } else { self.find(key, self.place(key), || string).ok() }
    }

    /// The number of the string with this key, or the empty slot where it would go; `word` gives the string itself, if it is long.
    #[inline]
    fn find<'a>(&self, key: Key, place: u32, word: impl Fn() -> &'a [u8]) -> std::result::Result<usize, usize> {
        let mut slot = place as usize;
        while let Some(index) = self.slots.get(slot).copied().filter(|&index| index != EMPTY) {
            let found = Key::of_bytes(self.entries[index as usize].key);
            let same_long = || is_long(found) && found.words().0 == key.words().0 && self.long(found) == word();
            if if is_long(key) { same_long() } else { found == key } {
                return Ok(index as usize);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        Err(slot)
    }

    /// The number of the string with this key, which is added if it is new.
    fn find_or_insert<'a>(&mut self, mut key: Key, place: u32, word: impl Fn() -> &'a [u8]) -> Option<usize> {
        let slot = match self.find(key, place, &word) {
            Ok(index) => return Some(index),
            Err(slot) => slot,
        };
        let index = u32::try_from(self.entries.len()).ok().filter(|&index| index < self.most)?;
        if is_long(key) {
            key = Key::of_words(key.words().0, self.arena.len() as u64 + 1);
            self.arena.extend_from_slice(&(word().len() as u64).to_le_bytes());
            self.arena.extend_from_slice(word());
            self.content += word().len() as u64;
        } else {
            self.content += u64::from(key.bytes()[SHORT]);
        }
        self.entries.push(Entry { key: key.bytes(), value: V::default() });
        self.slots[slot] = index;
        Some(index as usize)
    }
}

impl Table<u64> {
    /// Counts strings that lie end to end in a text, from `start` on: they end at `base + ends[0]`, `base + ends[1]` and so on. `None` when
    /// the table has no number left.
    pub(super) fn count(
        &mut self,
        text: &[u8],
        mut start: usize,
        base: usize,
        ends: &[u32],
        block: &mut Block,
    ) -> Option<()> {
        for ends in ends.chunks(SOME) {
            self.reserve(SOME);
            let block = &mut block.0[..ends.len()];
            let mut from = start;
            for (to, &end) in block.iter_mut().zip(ends) {
                let end = base + end as usize;
                *to = self.place_of(text, from, end);
                from = end;
            }
            let word = |number: usize| {
                let start = number.checked_sub(1).map_or(start, |before| base + ends[before] as usize);
                &text[start..base + ends[number] as usize]
            };
            self.add_block(block, word, |_| 1)?;
            start = from;
        }
        Some(())
    }

    /// Adds values to those of strings; `None` when the table has no number left.
    pub(super) fn add_all(&mut self, strings: &[&[u8]], values: &[u64], block: &mut Block) -> Option<()> {
        for (strings, values) in strings.chunks(SOME).zip(values.chunks(SOME)) {
            self.reserve(SOME);
            let block = &mut block.0[..strings.len().min(values.len())];
            for (to, string) in block.iter_mut().zip(strings) {
                *to = self.place_of(string, 0, string.len());
            }
            self.add_block(block, |number| strings[number], |number| values[number])?;
        }
        Some(())
    }

    /// The same for strings of another table and their values.
    pub(super) fn take_over(&mut self, other: &Self, strings: Range<usize>, block: &mut Block) -> Option<()> {
        let same_hashes = self.mix == other.mix;
        for first in strings.clone().step_by(SOME) {
            self.reserve(SOME);
            let entries = &other.entries[first..strings.end.min(first + SOME)];
            let block = &mut block.0[..entries.len()];
            for (to, entry) in block.iter_mut().zip(entries) {
                let mut key = Key::of_bytes(entry.key);
                if is_long(key) {
                    let hash = if same_hashes { key.words().0 } else { self.mix.bytes(other.long(key)) };
                    key = Key::of_words(hash, NOWHERE as u64);
                }
                *to = (key, self.place(key));
                prefetch(&raw const self.slots[to.1 as usize]);
            }
            self.add_block(block, |number| other.bytes(first + number), |number| entries[number].value)?;
        }
        Some(())
    }

    /// The key of `text[start..end]` and its first slot, which is asked for.
    #[inline]
    fn place_of(&self, text: &[u8], start: usize, end: usize) -> (Key, u32) {
        let key = Key::short(text, start, end);
        let (key, hash) = if key.is_none() { self.hash_long(&text[start..end]) } else { (key, key.hash(self.mix)) };
        let place = self.slot(hash);
        prefetch(&raw const self.slots[place as usize]);
        (key, place)
    }

    #[inline(never)]
    fn hash_long(&self, word: &[u8]) -> (Key, u64) {
        let key = Key::long(word, NOWHERE, self.mix);
        (key, key.words().0)
    }

    /// Adds values to those of some strings, for which there is room.
    #[inline]
    fn add_block<'a>(
        &mut self,
        block: &[(Key, u32)],
        string: impl Fn(usize) -> &'a [u8],
        value: impl Fn(usize) -> u64,
    ) -> Option<()> {
        for &(_, place) in block {
            prefetch(self.entries.as_ptr().wrapping_add(self.slots[place as usize] as usize));
        }
        for (number, &(key, place)) in block.iter().enumerate() {
            match self.entries.get_mut(self.slots[place as usize] as usize) {
                Some(entry) if entry.key == key.bytes() => entry.value += value(number),
                _ => {
                    let index = self.find_or_insert(key, place, || string(number))?;
                    self.entries[index].value += value(number);
                }
            }
        }
        Some(())
    }

    /// A table of the strings whose values are not below a bound, so many.
    pub(super) fn above(&self, bound: u64, count: usize) -> Self {
        let mut kept = self.sibling();
        kept.entries.reserve_exact(count);
        for entry in self.entries.iter().filter(|entry| entry.value >= bound) {
            let (key, mut entry) = (Key::of_bytes(entry.key), *entry);
            if is_long(key) {
                let start = key.number() - 1;
                let end = start + LENGTH + length_at(&self.arena, start);
                entry.key = Key::of_words(key.words().0, kept.arena.len() as u64 + 1).bytes();
                kept.arena.extend_from_slice(&self.arena[start..end]);
                kept.content += (end - start - LENGTH) as u64;
            } else {
                kept.content += u64::from(entry.key[SHORT]);
            }
            kept.entries.push(entry);
        }
        kept.grow(0);
        kept
    }
}

/// The length that stands at a place in the arena.
fn length_at(arena: &[u8], place: usize) -> usize {
    let length = arena[place..].first_chunk().map_or(0, |length| u64::from_le_bytes(*length));
    // What has this length is in memory.
    usize::try_from(length).unwrap_or(0)
}

/// Whether the key is that of a longer string. The key of no bytes is zero, and numbers begin with one.
fn is_long(key: Key) -> bool {
    !key.is_short() && key != Key::default()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_first_appearance_and_survive_growth() {
        let mut table = Table::<u64>::default();
        let strings: Vec<Vec<u8>> = (0..5000_usize)
            .map(|i| i.to_string().into_bytes().into_iter().cycle().take(i % 40).collect::<Vec<u8>>())
            .collect();
        let mut distinct: Vec<&Vec<u8>> = Vec::new();
        for string in &strings {
            let index = table.intern(string, 0, string.len()).unwrap();
            let expected = distinct.iter().position(|s| *s == string).unwrap_or_else(|| {
                distinct.push(string);
                distinct.len() - 1
            });
            assert_eq!(index, expected);
            *table.value_mut(index) += 1;
        }
        assert_eq!(table.len(), distinct.len());
        assert_eq!(table.number(b"not there"), None);
        assert_eq!(Table::<u64>::default().number(b""), None);
        for (number, string) in distinct.iter().enumerate() {
            assert_eq!(table.number(string), Some(number));
        }
        assert_eq!(table.content(), distinct.iter().map(|string| string.len() as u64).sum::<u64>());
        for (i, string) in distinct.iter().enumerate() {
            assert_eq!(table.bytes(i), string.as_slice());
            assert_eq!(table.value(i), strings.iter().filter(|s| s == string).count() as u64);
        }
    }

    #[test]
    fn a_key_depends_on_the_string_alone() {
        let mut table = Table::<()>::default();
        let text = b"xx ab\0\0yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy ab\0\0";
        assert_eq!(table.intern(text, 3, 5), table.intern(text, text.len() - 4, text.len() - 2));
        assert_ne!(table.intern(text, 3, 5), table.intern(text, 3, 6), "a NUL is a byte like another");
        assert_eq!(table.intern(text, 7, 7), table.intern(b"", 0, 0));
        assert_eq!(table.len(), 3);
    }
}
