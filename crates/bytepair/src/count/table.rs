//! Distinct byte strings, numbered in the order of their first appearance, each with a value.
//!
//! The idea: nearly every pretoken has at most 15 bytes, so its bytes and its length are one 16-byte key that is compared
//! in one step; longer ones lie in one byte arena and their key is a hash. Entries stand in the order of first
//! appearance; beside them an open-addressed array of entry numbers finds them.
//!
//! Invariant: `slots` is a power of two, at most half full, and holds every entry's number exactly once.
//! Cost: O(length) a string; 16 bytes + the value + about 12 bytes of `slots` an entry, and the arena.

use std::hash::Hasher;

use rustc_hash::FxHasher;

/// The longest string that is its own key.
const INLINE: usize = 15;
/// The last byte of the key of a longer string; of a short one it is the length.
const LONG: u8 = 0xFF;
/// A slot without an entry.
const EMPTY: u32 = u32::MAX;

/// One string and its value.
#[derive(Debug, Clone, Copy)]
struct Entry<V> {
    /// Up to 15 bytes and their number; or 8 bytes of hash, 7 of index into `ends`, and `LONG`.
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
}

impl<V> Default for Table<V> {
    fn default() -> Self {
        Self { entries: Vec::new(), slots: Vec::new(), arena: Vec::new(), ends: Vec::new() }
    }
}

impl<V: Copy + Default> Table<V> {
    /// How many strings there are.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// String number `index`.
    pub(crate) fn bytes(&self, index: usize) -> &[u8] {
        let key = &self.entries[index].key;
        if key[INLINE] == LONG { self.long(long_index(key)) } else { &key[..usize::from(key[INLINE])] }
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
        if end - start > INLINE {
            return self.intern_long(&text[start..end]);
        }
        let key = short_key(text, start, end);
        let mut slot = self.slot(fold(key));
        loop {
            let index = self.slots[slot];
            if index == EMPTY {
                return self.insert(slot, key.to_le_bytes());
            }
            if u128::from_le_bytes(self.entries[index as usize].key) == key {
                return Some(index as usize);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    fn intern_long(&mut self, bytes: &[u8]) -> Option<usize> {
        let hash = hash_long(bytes);
        let mut slot = self.slot(hash);
        loop {
            let index = self.slots[slot];
            if index == EMPTY {
                break;
            }
            let key = &self.entries[index as usize].key;
            if key[INLINE] == LONG && key[..8] == hash.to_le_bytes() && self.long(long_index(key)) == bytes {
                return Some(index as usize);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        let mut key = [LONG; 16];
        key[..8].copy_from_slice(&hash.to_le_bytes());
        key[8..INLINE].copy_from_slice(&(self.ends.len() as u64).to_le_bytes()[..7]);
        let index = self.insert(slot, key)?;
        self.arena.extend_from_slice(bytes);
        self.ends.push(self.arena.len());
        Some(index)
    }

    fn insert(&mut self, slot: usize, key: [u8; 16]) -> Option<usize> {
        let index = u32::try_from(self.entries.len()).ok().filter(|&index| index != EMPTY)?;
        self.entries.push(Entry { key, value: V::default() });
        self.slots[slot] = index;
        Some(index as usize)
    }

    fn long(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.arena[start..self.ends[index]]
    }

    #[allow(clippy::cast_possible_truncation)] // a slot number: only the low bits count
    fn slot(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    #[cold]
    #[allow(clippy::cast_possible_truncation)] // `insert` admits no number past 32 bits
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(64);
        self.slots = Vec::new();
        self.slots.resize(size, EMPTY);
        for (index, entry) in self.entries.iter().enumerate() {
            let mut slot = self.slot(hash_of(&entry.key));
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = index as u32;
        }
    }
}

/// The key of a string of at most 15 bytes: its bytes, zeros, its length.
#[inline]
fn short_key(text: &[u8], start: usize, end: usize) -> u128 {
    let length = end - start;
    let mut window = [0; 16];
    if let Some(bytes) = text.get(start..start + 16) {
        window.copy_from_slice(bytes);
        let mask = (1_u128 << (8 * length)) - 1;
        return (u128::from_le_bytes(window) & mask) | (length as u128) << (8 * INLINE);
    }
    window[..length].copy_from_slice(&text[start..end]);
    u128::from_le_bytes(window) | (length as u128) << (8 * INLINE)
}

/// The hash of a short key: both halves multiplied, the product folded.
#[inline]
#[allow(clippy::cast_possible_truncation)] // taking the halves of a number
fn fold(key: u128) -> u64 {
    let low = (key as u64) ^ 0x9E37_79B9_7F4A_7C15;
    let high = ((key >> 64) as u64) ^ 0xD1B5_4A32_D192_ED03;
    let product = u128::from(low) * u128::from(high);
    let mixed = (product as u64) ^ ((product >> 64) as u64);
    mixed ^ (mixed >> 29)
}

fn hash_long(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

fn hash_of(key: &[u8; 16]) -> u64 {
    let number = u128::from_le_bytes(*key);
    #[allow(clippy::cast_possible_truncation)] // the low half of the key of a long string is its hash
    if key[INLINE] == LONG { number as u64 } else { fold(number) }
}

#[allow(clippy::cast_possible_truncation)] // seven bytes of a number that came from a usize
fn long_index(key: &[u8; 16]) -> usize {
    let mut number = [0; 8];
    number[..7].copy_from_slice(&key[8..INLINE]);
    u64::from_le_bytes(number) as usize
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
