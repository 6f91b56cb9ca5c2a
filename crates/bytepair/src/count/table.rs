//! Distinct byte strings, numbered in the order of their first appearance, each with a value.
//!
//! The idea: nearly every pretoken is its own [`Key`]; longer ones lie in one byte arena and their key is a hash. Entries stand in the order of first
//! appearance; beside them an open-addressed array of entry numbers finds them.
//!
//! Invariant: `slots` is a power of two, at most half full, and holds every entry's number exactly once.
//! Cost: O(length) a string; 16 bytes + the value + about 12 bytes of `slots` an entry, and the arena.

use crate::hash::{Mix, low};
use crate::key::{Key, SHORT};

/// A slot without an entry.
const EMPTY: u32 = u32::MAX;

/// One string and its value.
#[derive(Debug, Clone, Copy)]
struct Entry<V> {
    /// The bytes of its key. That of a longer string has its number among those, from 1.
    key: [u8; 16],
    value: V,
}

/// The table.
#[derive(Debug, Clone)]
pub(crate) struct Table<V> {
    entries: Vec<Entry<V>>,
    slots: Vec<u32>,
    arena: Vec<u8>,
    /// Where each long string ends in the arena; it starts where the one before ends.
    ends: Vec<usize>,
    mix: Mix,
}

impl<V> Default for Table<V> {
    fn default() -> Self {
        let (slots, arena) = (Vec::new(), Vec::new());
        Self { entries: Vec::new(), slots, arena, ends: Vec::new(), mix: Mix::random() }
    }
}

impl<V: Copy + Default> Table<V> {
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
        let entries = self.entries.capacity() * size_of::<Entry<V>>() + self.slots.capacity() * size_of::<u32>();
        entries + self.arena.capacity() + self.ends.capacity() * size_of::<usize>()
    }

    /// Forgets all strings.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

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
        if (self.entries.len() + 1) * 2 > self.slots.len() {
            self.grow();
        }
        let key = Key::short(text, start, end);
        if key.is_none() {
            return self.intern_long(&text[start..end]);
        }
        let mut slot = self.slot(key.hash(self.mix));
        loop {
            let index = self.slots[slot];
            if index == EMPTY {
                return self.insert(slot, key);
            }
            if Key::of_bytes(self.entries[index as usize].key) == key {
                return Some(index as usize);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    fn intern_long(&mut self, bytes: &[u8]) -> Option<usize> {
        let key = Key::long(bytes, self.ends.len() + 1, self.mix);
        let mut slot = self.slot(key.words().0);
        loop {
            let index = self.slots[slot];
            if index == EMPTY {
                break;
            }
            let found = Key::of_bytes(self.entries[index as usize].key);
            if is_long(found) && found.words().0 == key.words().0 && self.long(found) == bytes {
                return Some(index as usize);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        let index = self.insert(slot, key)?;
        self.arena.extend_from_slice(bytes);
        self.ends.push(self.arena.len());
        Some(index)
    }

    fn insert(&mut self, slot: usize, key: Key) -> Option<usize> {
        let index = u32::try_from(self.entries.len()).ok().filter(|&index| index != EMPTY)?;
        self.entries.push(Entry { key: key.bytes(), value: V::default() });
        self.slots[slot] = index;
        Some(index as usize)
    }

    /// The string of a long key.
    fn long(&self, key: Key) -> &[u8] {
        let number = key.number();
        let start = number.checked_sub(2).map_or(0, |before| self.ends[before]);
        &self.arena[start..self.ends[number - 1]]
    }

    fn slot(&self, hash: u64) -> usize {
        low(hash) & (self.slots.len() - 1)
    }

    #[cold]
    #[allow(clippy::cast_possible_truncation)] // `insert` admits no number past 32 bits
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(64);
        self.slots = Vec::new();
        self.slots.resize(size, EMPTY);
        for (index, entry) in self.entries.iter().enumerate() {
            let key = Key::of_bytes(entry.key);
            let mut slot = self.slot(if is_long(key) { key.words().0 } else { key.hash(self.mix) });
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = index as u32;
        }
    }
}

impl Table<u64> {
    /// Adds a string of another table, and its value to that which it has; `None` when the table has no number left.
    pub(crate) fn take_over(&mut self, other: &Self, index: usize) -> Option<()> {
        let bytes = other.bytes(index);
        let own = self.intern(bytes, 0, bytes.len())?;
        *self.value_mut(own) += other.value(index);
        Some(())
    }
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
