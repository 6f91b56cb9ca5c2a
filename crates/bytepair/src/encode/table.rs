//! The pretoken table: what a short stretch of text is encoded into.
//!
//! Idea: a slot is a [`Key`] and up to [`INLINE`] ids, 32 bytes; two slots
//! share a cache line. A key stands in either slot of its line or, when that is full, in the line beside it, and nowhere
//! else: a look-up nearly always reads one line whether it finds or not, and where both are full an older entry gives
//! way, so that a table never fills up.
//!
//! Invariant: a slot is empty exactly when its key is zero, which is no text's key; a line that was full stays full (until
//! all is forgotten), so that what stands beside it is found. The slot of a
//! longer text must be confirmed by comparing bytes ([`Cache`](super::cache::Cache) keeps them).
//!
//! Cost: one cache line a look-up, nearly always the first slot of it.

use crate::hash::{Mix, low};
use crate::key::Key;
use crate::memory::{filled, prefetch};

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

    /// Whether its key is the text itself.
    #[inline]
    pub(super) fn is_short(&self) -> bool {
        self.key().is_short()
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

    use super::{INLINE, Slot, Table};
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
