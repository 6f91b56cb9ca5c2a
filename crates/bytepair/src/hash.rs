//! Hashing that no input can be crafted against: numbers and byte strings, mixed with two secret numbers.
//!
//! Idea: both halves of a long product, folded, are the cheapest good mixing there is; but whoever knows the numbers that
//! are mixed in can make as many colliding keys as they like, and a table of them takes quadratic time. So every table
//! draws numbers of its own, which are never shown.
//!
//! Invariant: nothing that a caller sees may depend on a hash: neither results nor their order.
//!
//! Cost: one multiplication for eight bytes.

use std::hash::BuildHasher;
use std::hash::RandomState;

/// The secret numbers of one table. A clone of the table keeps them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Mix(u64, u64);

impl Mix {
    /// New ones, as hard to guess as the seeds of the standard library's tables.
    pub(crate) fn random() -> Self {
        let source = RandomState::new();
        Self(source.hash_one(0), source.hash_one(1))
    }

    /// Known ones, for tests that count what falls where.
    #[cfg(test)]
    pub(crate) fn known() -> Self {
        Self(0x243F_6A88_85A3_08D3, 0x1319_8A2E_0370_7344)
    }

    /// The hash of two numbers. Its low bits choose a slot; every bit depends on every bit.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // both halves are cut on purpose
    pub(crate) fn fold(self, a: u64, b: u64) -> u64 {
        let product = u128::from(a ^ self.0) * u128::from(b ^ self.1);
        let folded = product as u64 ^ (product >> 64) as u64;
        // A factor that ends in many zeros leaves the low bits to few of the others.
        folded ^ folded >> 32
    }

    /// The hash of a byte string; its length is part of it.
    #[inline]
    pub(crate) fn bytes(self, bytes: &[u8]) -> u64 {
        let (words, rest) = bytes.as_chunks::<8>();
        // Of a longer string the last eight bytes, some of which were already mixed in.
        let last = bytes.last_chunk().copied().unwrap_or_else(|| {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            last
        });
        let hash = words.iter().fold(bytes.len() as u64, |hash, &word| self.fold(hash, u64::from_le_bytes(word)));
        self.fold(hash, u64::from_le_bytes(last))
    }
}

/// The part of a hash that a table's slots are chosen by.
#[inline]
#[allow(clippy::cast_possible_truncation)] // the low bits are meant
pub(crate) fn low(hash: u64) -> usize {
    hash as usize
}

/// For the tests of tables: keys that all hash to the same slot of a table of `slots` slots with these numbers.
#[cfg(test)]
pub(crate) fn crafted<K>(
    slots: usize,
    keys: impl Iterator<Item = K>,
    hash: impl Fn(&K) -> u64,
    count: usize,
) -> Vec<K> {
    keys.filter(|key| low(hash(key)) & (slots - 1) == 0).take(count).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Mix, crafted, low};

    #[test]
    fn keys_crafted_against_one_table_spread_in_another() {
        let slots = 1 << 10;
        let (one, two) = (Mix::random(), Mix::random());
        let numbers = crafted(slots, 0.., |&key| one.fold(key, 0), 512);
        let strings = crafted(slots, (0_u64..).map(u64::to_le_bytes), |key| one.bytes(key), 512);
        let spread = |hashes: &mut dyn Iterator<Item = u64>| {
            hashes.map(|hash| low(hash) & (slots - 1)).collect::<HashSet<_>>().len()
        };
        assert_eq!(spread(&mut numbers.iter().map(|&key| one.fold(key, 0))), 1);
        assert_eq!(spread(&mut strings.iter().map(|key| one.bytes(key))), 1);
        assert!(spread(&mut numbers.iter().map(|&key| two.fold(key, 0))) > 256);
        assert!(spread(&mut strings.iter().map(|key| two.bytes(key))) > 256);
    }

    #[test]
    fn no_numbers_spread_keys_in_a_row_thinly() {
        for zeros in 0..40 {
            // One secret number that ends in zeros.
            let mix = Mix(Mix::known().0, Mix::known().1 >> zeros << zeros);
            for (slots, keys) in [(1 << 10, 10_000), (1 << 16, 65_536)] {
                let taken: HashSet<usize> = (0..keys).map(|key| low(mix.fold(key, 0)) & (slots - 1)).collect();
                assert!(taken.len() > slots / 2, "{zeros} zeros: {} of {slots}", taken.len());
            }
        }
    }

    #[test]
    fn a_string_is_hashed_with_its_length() {
        let mix = Mix::random();
        let hashes: HashSet<u64> = (0..40).map(|length| mix.bytes(&vec![0; length])).collect();
        assert_eq!(hashes.len(), 40);
    }
}
