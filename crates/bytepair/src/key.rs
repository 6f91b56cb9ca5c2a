//! A stretch of text as two words, for tables.
//!
//! Idea: a stretch of at most [`SHORT`] bytes, which nearly every pretoken is, is its own key: the bytes and their number in 16
//! bytes, so that two keys are compared in two instructions and no byte is read twice. The key of a longer one is a hash and
//! a number that tells tables more.
//!
//! Invariant: two short keys are equal exactly when the texts are, and no longer key equals a short one. The four highest
//! bits are free for who keeps a key.
//!
//! Cost: one load of 16 bytes, whatever stands behind the text.

use crate::hash::Mix;

/// The most bytes of a text that is its own key.
pub(crate) const SHORT: usize = 15;

/// Where the number of bytes stands in a short key.
const LENGTH: u32 = 56;

/// What makes a key of the two words at a place, by the number of bytes.
const MASKS: [Mask; SHORT + 2] = masks();

/// The bits of the two words that are in the key, and the length as it stands in the second.
#[derive(Clone, Copy)]
struct Mask {
    lo: u64,
    hi: u64,
    length: u64,
}

const fn masks() -> [Mask; SHORT + 2] {
    // The last is for texts that are not their own key.
    let mut masks = [Mask { lo: 0, hi: 0, length: Key::NONE.hi }; SHORT + 2];
    let mut length = 0;
    while length <= SHORT {
        let (low, high) = if length < 8 { (length, 0) } else { (8, length - 8) };
        masks[length].lo = if low == 8 { u64::MAX } else { (1 << (8 * low)) - 1 };
        masks[length].hi = (1 << (8 * high)) - 1;
        masks[length].length = (length as u64) << LENGTH;
        length += 1;
    }
    masks
}

/// A stretch of text as two words. That of no bytes is zero, the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Key {
    lo: u64,
    hi: u64,
}

impl Key {
    /// The key of a text that is never kept: it equals that of no text.
    pub(crate) const NONE: Self = Self { lo: 0, hi: (1 << LENGTH) - 1 };

    /// The key of `text[start..end]`, up to [`SHORT`] bytes; [`NONE`](Self::NONE) if there are more.
    #[inline]
    pub(crate) fn short(text: &[u8], start: usize, end: usize) -> Self {
        // Halved on both ways, so that the bytes are never put together in memory.
        let (lo, hi) = match text.get(start..).and_then(|rest| rest.first_chunk()) {
            Some(bytes) => halves(*bytes),
            None => halves(last(text, start)),
        };
        let mask = MASKS[(end - start).min(SHORT + 1)];
        Self { lo: lo & mask.lo, hi: hi & mask.hi | mask.length }
    }

    /// The key of a longer text, with a number from 1 to 2^55.
    #[inline]
    pub(crate) fn long(word: &[u8], number: usize, mix: Mix) -> Self {
        Self { lo: mix.bytes(word), hi: number as u64 }
    }

    /// The number in the key of a longer text.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // it came from there
    pub(crate) fn number(self) -> usize {
        self.hi as usize
    }

    /// Its bytes: those of a short text, then zeros, and in the last place their number.
    #[inline]
    pub(crate) fn bytes(self) -> [u8; 16] {
        (u128::from(self.hi) << 64 | u128::from(self.lo)).to_le_bytes()
    }

    /// What [`bytes`](Self::bytes) gave.
    #[inline]
    pub(crate) fn of_bytes(bytes: [u8; 16]) -> Self {
        let (lo, hi) = halves(bytes);
        Self { lo, hi }
    }

    /// The two words. The four highest bits of the second are zero.
    #[inline]
    pub(crate) fn words(self) -> (u64, u64) {
        (self.lo, self.hi)
    }

    /// What [`words`](Self::words) gave.
    #[inline]
    pub(crate) fn of_words(lo: u64, hi: u64) -> Self {
        Self { lo, hi }
    }

    /// Whether the key is the text itself, of a byte or more.
    #[inline]
    pub(crate) fn is_short(self) -> bool {
        self.hi >> LENGTH != 0
    }

    /// Whether there is no key.
    #[inline]
    pub(crate) fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// What chooses a place in a table.
    #[inline]
    pub(crate) fn hash(self, mix: Mix) -> u64 {
        mix.fold(self.lo, self.hi)
    }
}

/// The bytes from a place on where the text has fewer than sixteen, and zeros.
#[inline]
fn last(text: &[u8], start: usize) -> [u8; 16] {
    match text.last_chunk() {
        // Sixteen bytes that end with the text, without those before the place.
        Some(bytes) => (u128::from_le_bytes(*bytes) >> (8 * (start + 16 - text.len()).min(15))).to_le_bytes(),
        None => all(&text[start..]),
    }
}

/// The bytes of a text that has fewer than sixteen, and zeros.
#[inline(never)]
fn all(text: &[u8]) -> [u8; 16] {
    let mut bytes = [0; 16];
    for (to, from) in bytes.iter_mut().zip(text) {
        *to = *from;
    }
    bytes
}

/// The two words of 16 bytes.
#[inline]
fn halves(bytes: [u8; 16]) -> (u64, u64) {
    let both = u128::from_le_bytes(bytes);
    #[allow(clippy::cast_possible_truncation)] // both halves are cut on purpose
    (both as u64, (both >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Key, SHORT};
    use crate::hash::Mix;

    fn key(word: &[u8]) -> Key {
        let short = Key::short(word, 0, word.len());
        if short.is_none() { Key::long(word, word.len(), Mix::random()) } else { short }
    }

    proptest! {
        #[test]
        fn keys_are_the_text(text in proptest::collection::vec(0u8..3, 1..40), start in 0usize..40, length in 1usize..=SHORT) {
            let start = start % text.len();
            let end = (start + length).min(text.len());
            let word = &text[start..end];
            // What stands around it does not matter.
            prop_assert_eq!(Key::short(&text, start, end), key(word));
            prop_assert!(key(word).is_short());
            prop_assert!(key(word) != Key::default());
        }

        #[test]
        fn different_texts_have_different_keys(a in proptest::collection::vec(0u8..3, 1..=SHORT), b in proptest::collection::vec(0u8..3, 1..=SHORT)) {
            prop_assert_eq!(a == b, key(&a) == key(&b));
        }

        #[test]
        fn long_keys_are_not_short_ones(word in proptest::collection::vec(any::<u8>(), SHORT + 1..=64)) {
            prop_assert!(!key(&word).is_short());
            prop_assert!(!key(&word).is_none());
            prop_assert!(key(&word) != Key::default());
        }
    }
}
