//! The pretoken table: what a short stretch of text is encoded into.
//!
//! Idea: a stretch of at most [`SHORT`] bytes is its own key, the bytes and their number in 16 bytes, so that two keys are
//! compared in two instructions and no byte is read twice. A slot is a key and up to [`INLINE`] ids, 32 bytes; two slots
//! share a cache line. A key stands in either slot of its line or, when that is full, in the line beside it, and nowhere
//! else: a look-up nearly always reads one line whether it finds or not, and where both are full an older entry gives
//! way, so that a table never fills up.
//!
//! Invariant: a slot is empty exactly when its key is zero, which is no text's key; a line that was full stays full (until
//! all is forgotten), so that what stands beside it is found. The key of a longer text is only a
//! hash with the length 0: its slot must be confirmed by comparing bytes ([`Cache`](super::cache::Cache) keeps them).
//!
//! Cost: one cache line a look-up, nearly always the first slot of it.

use crate::hash::{Mix, low};
use crate::memory::{filled, prefetch};

/// The most bytes of a text that is its own key.
pub(super) const SHORT: usize = 15;

/// The most bytes of a longer text that has a key.
pub(super) const LONG: usize = 64;

/// How many ids a slot holds itself.
pub(super) const INLINE: usize = 4;

/// The number of ids stands in the four highest bits of a slot's key.
const COUNT: u32 = 60;

/// Where the number of bytes stands in a short key.
const LENGTH: u32 = 56;

/// Where the number of bytes stands in a long key.
const LONG_LENGTH: u32 = 48;

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
    // The last, of texts that are no key, makes `Key::NONE`.
    let mut masks = [Mask { lo: 0, hi: 0, length: 0xFF << LONG_LENGTH }; SHORT + 2];
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

/// The bytes from a place on where the text has fewer than sixteen, and zeros.
#[cold]
#[inline(never)]
fn last(text: &[u8], start: usize) -> [u8; 16] {
    let mut bytes = [0; 16];
    for (to, from) in bytes.iter_mut().zip(text.iter().skip(start)) {
        *to = *from;
    }
    bytes
}

/// A stretch of text as two words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Key {
    lo: u64,
    hi: u64,
}

impl Key {
    /// The key of a text that is never kept: it equals no other key.
    pub(super) const NONE: Self = Self { lo: 0, hi: 0xFF << LONG_LENGTH };

    /// The key of `text[start..end]`, 1 to [`SHORT`] bytes; of more bytes, a key that no slot has.
    #[inline]
    pub(super) fn short(text: &[u8], start: usize, end: usize) -> Self {
        let bytes = match text.get(start..).and_then(|rest| rest.first_chunk()) {
            Some(bytes) => *bytes,
            None => last(text, start),
        };
        let (lo, hi) = halves(bytes);
        let mask = MASKS[(end - start).min(SHORT + 1)];
        Self { lo: lo & mask.lo, hi: hi & mask.hi | mask.length }
    }

    /// The key of a text of more than [`SHORT`] and at most [`LONG`] bytes.
    #[inline]
    pub(super) fn long(word: &[u8], mix: Mix) -> Self {
        Self { lo: mix.bytes(word), hi: (word.len() as u64) << LONG_LENGTH }
    }

    /// Whether the key is the text itself.
    #[inline]
    pub(super) fn is_short(self) -> bool {
        self.hi >> LENGTH != 0
    }

    /// Whether there is a key at all.
    #[inline]
    pub(super) fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// What chooses a line of a table.
    #[inline]
    pub(super) fn hash(self, mix: Mix) -> u64 {
        mix.fold(self.lo, self.hi)
    }
}

/// The two words of 16 bytes.
#[inline]
fn halves(bytes: [u8; 16]) -> (u64, u64) {
    let both = u128::from_le_bytes(bytes);
    #[allow(clippy::cast_possible_truncation)] // both halves are cut on purpose
    (both as u64, (both >> 64) as u64)
}

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
        let mut slot = Self { lo: key.lo, hi: key.hi | (ids.len() as u64) << COUNT, ids: [0; INLINE] };
        for (to, from) in slot.ids.iter_mut().zip(ids) {
            *to = from;
        }
        Some(slot)
    }

    /// The slot of a text whose ids are elsewhere.
    pub(super) fn elsewhere(key: Key, at: u32, count: u32) -> Self {
        Self { lo: key.lo, hi: key.hi, ids: [at, count, 0, 0] }
    }

    /// How many ids the slot holds; 0 if they are elsewhere.
    #[inline]
    pub(super) fn count(&self) -> usize {
        // Four bits.
        (self.hi >> COUNT) as usize
    }

    /// Whether its key is the text itself.
    #[inline]
    pub(super) fn is_short(&self) -> bool {
        self.key().is_short()
    }

    /// Whether it is the slot of this key.
    #[inline]
    pub(super) fn holds(&self, key: Key) -> bool {
        (self.lo ^ key.lo) | (self.hi ^ key.hi) << (64 - COUNT) == 0
    }

    fn is_empty(&self) -> bool {
        self.lo == 0 && self.hi == 0
    }

    /// The key that the slot holds.
    fn key(&self) -> Key {
        Key { lo: self.lo, hi: self.hi & ((1 << COUNT) - 1) }
    }
}

/// A cache line: the slots that a key may stand in, the newer first.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(64))]
struct Line([Slot; 2]);

/// A table of a fixed size.
#[derive(Debug, Clone)]
pub(super) struct Table {
    /// A power of two of them.
    lines: Vec<Line>,
    /// How many slots are not empty.
    filled: usize,
    /// What hashes are made with.
    mix: Mix,
}

impl Table {
    /// An empty table of at least this many lines.
    pub(super) fn new(lines: usize, mix: Mix) -> Self {
        Self { lines: filled(Line::default(), lines.next_power_of_two()), filled: 0, mix }
    }

    /// How many lines there are.
    pub(super) fn lines(&self) -> usize {
        self.lines.len()
    }

    /// Whether at least half of the slots are filled.
    pub(super) fn is_half_full(&self) -> bool {
        self.filled >= self.lines.len()
    }

    #[inline]
    fn line(&self, hash: u64) -> usize {
        low(hash) & (self.lines.len() - 1)
    }

    /// The slot of a key; of a long one, a slot that may be its.
    #[inline]
    pub(super) fn find(&self, key: Key, hash: u64) -> Option<&Slot> {
        let [newer, older] = &self.lines[self.line(hash)].0;
        // Which of the two it is cannot be foretold: chosen without a branch.
        let slot = std::hint::select_unpredictable(newer.holds(key), newer, older);
        if slot.holds(key) { Some(slot) } else { self.find_beside(key, hash) }
    }

    /// The slot of a key that its own line does not hold: none unless that is full.
    fn find_beside(&self, key: Key, hash: u64) -> Option<&Slot> {
        let own = self.line(hash);
        if self.lines[own].0[1].is_empty() {
            return None;
        }
        self.lines[self.beside(own)].0.iter().find(|slot| slot.holds(key))
    }

    /// The line that takes what another one has no room for.
    #[inline]
    fn beside(&self, line: usize) -> usize {
        (line ^ 1) & (self.lines.len() - 1)
    }

    /// What hashes are made with.
    #[inline]
    pub(super) fn mix(&self) -> Mix {
        self.mix
    }

    /// Asks for the line of a hash to be fetched.
    #[inline]
    pub(super) fn prefetch(&self, hash: u64) {
        prefetch(&raw const self.lines[self.line(hash)]);
    }

    /// Whether an entry of this hash finds a place without another one giving way.
    pub(super) fn has_room(&self, hash: u64) -> bool {
        let at = self.line(hash);
        self.lines[at].0[1].is_empty() || self.lines[self.beside(at)].0[1].is_empty()
    }

    /// Adds an entry; where there is no room for it, the older entry of its line gives way.
    pub(super) fn put(&mut self, hash: u64, slot: Slot) {
        let own = self.line(hash);
        let beside = self.beside(own);
        let is_full = |line: &Line| !line.0[1].is_empty();
        let at = if is_full(&self.lines[own]) && !is_full(&self.lines[beside]) { beside } else { own };
        let [newer, older] = &mut self.lines[at].0;
        if newer.is_empty() {
            *newer = slot;
        } else {
            self.filled -= usize::from(!older.is_empty());
            *older = *newer;
            *newer = slot;
        }
        self.filled += 1;
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.lines.fill(Line::default());
        self.filled = 0;
    }

    /// Doubles the number of lines. What had room before has room after.
    pub(super) fn grow(&mut self) {
        let mut larger = Self::new(self.lines.len() * 2, self.mix);
        for slot in self.lines.iter().flat_map(|line| line.0.iter().rev()).filter(|slot| !slot.is_empty()) {
            larger.put(slot.key().hash(self.mix), *slot);
        }
        *self = larger;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a test's way to fail
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::{INLINE, Key, LONG, SHORT, Slot, Table};
    use crate::hash::Mix;

    fn key(word: &[u8]) -> Key {
        if word.len() <= SHORT { Key::short(word, 0, word.len()) } else { Key::long(word, Mix::random()) }
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
        fn long_keys_are_not_short_ones(word in proptest::collection::vec(any::<u8>(), SHORT + 1..=LONG)) {
            prop_assert!(!key(&word).is_short());
            prop_assert!(!key(&word).is_none());
            prop_assert!(key(&word) != Key::default());
        }

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
                        while !table.has_room(key.hash(table.mix())) && table.lines() < 1 << 16 {
                            table.grow();
                        }
                    }
                    let ids: Vec<u32> = (0..count).map(|n| n * 7 + u32::from(word[0])).collect();
                    table.put(key.hash(table.mix()), Slot::inline(key, ids.iter().copied()).unwrap());
                    put.insert(word, ids);
                }
            }
            let filled = table.lines.iter().flat_map(|line| line.0).filter(|slot| !slot.is_empty()).count();
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
}
