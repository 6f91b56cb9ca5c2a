//! (left id, right id) -> (rank, id) in eight bytes a slot, of which the processor's caches hold more: of a real vocabulary,
//! ids and ranks are small numbers.
//!
//! Idea: both ids and the rank fit into one word, the ids above the rank. The id that is made is found by the rank, or is
//! the rank (in a rank file). Eight slots are a cache line, and a pair stands in the line that its hash chooses or, when that
//! is full, in one of the next. All slots of a line are compared at once: whether a pair is there cannot be foretold, and
//! nothing has to.
//!
//! Invariant: an empty slot is zero, which no pair's is, as its rank is counted from one; the slots of a line fill in order,
//! and there is always a line with an empty one, so a look-up ends.
//!
//! Cost: one cache line a look-up in the usual case.

use super::pairs::{Made, NOTHING};
use crate::hash::Mix;
use crate::memory::{filled, prefetch};

/// The bits of an id.
const ID: u32 = 21;

/// The bits of a rank.
const RANK: u32 = 22;

/// The slots of a line.
const SLOTS: usize = 8;

/// How many pairs there are for a line.
const FILL: usize = 4;

const EMPTY: u64 = 0;

/// An id that is none, for what has no neighbour. It merges with nothing.
pub(crate) const NOBODY: u32 = (1 << ID) - 1;

/// A cache line of pairs.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Line([u64; SLOTS]);

/// How many lines are asked for ahead.
const AT_ONCE: usize = 64;

/// All pairs that merge.
#[derive(Debug, Clone)]
pub(crate) struct Narrow {
    lines: Vec<Line>,
    mix: Mix,
    /// By rank, the id that is made; `None` where it is the rank.
    ids: Option<Vec<u32>>,
    /// By two base bytes, the rank of their merge and one, or 0. Empty if no two bytes merge.
    bytes: Vec<u32>,
}

impl Narrow {
    /// A table for a merge list of `merges` merges, of ids below `n_vocab`; `None` if they are too many.
    pub(super) fn of_merges(merges: usize, n_vocab: usize) -> Option<Self> {
        Self::new(merges, n_vocab, merges, Some(Vec::with_capacity(merges)))
    }

    /// A table for a rank file of `tokens` tokens, whose ids are their ranks and below `n_vocab`; `None` if they are too
    /// many.
    pub(super) fn of_ranks(tokens: usize, n_vocab: usize) -> Option<Self> {
        Self::new(tokens, n_vocab, n_vocab, None)
    }

    fn new(pairs: usize, ids: usize, ranks: usize, made: Option<Vec<u32>>) -> Option<Self> {
        if ids > NOBODY as usize || ranks >= 1 << RANK {
            return None;
        }
        let lines = filled(Line([EMPTY; SLOTS]), pairs / FILL + 1);
        Some(Self { lines, mix: Mix::random(), ids: made, bytes: Vec::new() })
    }

    /// Adds a pair; gives the rank of the same pair if it is there already. The pairs of a merge list come in the order of
    /// their ranks, which have no gap.
    #[inline]
    pub(super) fn add(&mut self, left: u32, right: u32, made: Made) -> Option<u32> {
        let key = key(left, right);
        let mut at = self.line(key);
        loop {
            for slot in &mut self.lines[at].0 {
                if *slot == EMPTY {
                    *slot = key << RANK | u64::from(made.rank + 1);
                    if let Some(ids) = &mut self.ids {
                        ids.push(made.id);
                    }
                    return None;
                }
                if *slot >> RANK == key {
                    return Some(rank(*slot) - 1);
                }
            }
            at = self.after(at);
        }
    }

    /// Adds what two base bytes merge into to the direct table.
    pub(super) fn add_bytes(&mut self, left: u8, right: u8, made: Made) {
        if self.bytes.is_empty() {
            self.bytes = vec![0; 1 << 16];
        }
        self.bytes[bytes(left, right)] = made.rank + 1;
    }

    /// The rank of a pair's merge and one, or 0 if it does not merge. The ids exist, or one of them is [`NOBODY`].
    #[inline(always)]
    #[allow(clippy::inline_always)] // the comparison is made with what the caller's processor has
    pub(crate) fn ranked(&self, left: u32, right: u32) -> u32 {
        self.ranked_in(self.line(key(left, right)), left, right)
    }

    /// The line that a pair is looked for in first, which is asked for.
    #[inline(always)]
    #[allow(clippy::inline_always)] // a few instructions between others
    pub(crate) fn fetch(&self, left: u32, right: u32) -> usize {
        let line = self.line(key(left, right));
        prefetch(&raw const self.lines[line]);
        line
    }

    /// As [`ranked`](Self::ranked), of a pair for which [`fetch`](Self::fetch) gave this line.
    #[inline(always)]
    #[allow(clippy::inline_always)] // the comparison is made with what the caller's processor has
    pub(crate) fn ranked_in(&self, mut line: usize, left: u32, right: u32) -> u32 {
        let key = key(left, right);
        loop {
            let slots = &self.lines[line].0;
            let slot = slots.iter().fold(0, |found, &slot| found | if slot >> RANK == key { slot } else { 0 });
            // One branch, nearly always the same way.
            if slot | u64::from(slots[SLOTS - 1] == EMPTY) != 0 {
                return rank(slot);
            }
            line = self.after(line);
        }
    }

    /// As [`ranked`](Self::ranked), of two base bytes, by the direct table.
    #[inline]
    pub(crate) fn ranked_bytes(&self, left: u8, right: u8) -> u32 {
        self.bytes.get(bytes(left, right)).copied().unwrap_or(0)
    }

    /// The id that the merge of a rank makes.
    #[inline]
    pub(crate) fn id(&self, rank: u32) -> u32 {
        self.ids.as_ref().map_or(rank, |ids| ids[rank as usize])
    }

    /// What a pair merges into.
    #[inline]
    pub(super) fn get(&self, left: u32, right: u32) -> Made {
        if (left | right) >> ID != 0 {
            return NOTHING;
        }
        self.made(self.ranked(left, right))
    }

    /// What each pair merges into. The lines of many of them are asked for before any is looked at, so that the processor waits
    /// for all at once.
    pub(super) fn get_many(&self, pairs: &[(u32, u32)], made: &mut Vec<Made>) {
        made.clear();
        for some in pairs.chunks(AT_ONCE) {
            for &(left, right) in some {
                if (left | right) >> ID == 0 {
                    prefetch(&raw const self.lines[self.line(key(left, right))]);
                }
            }
            made.extend(some.iter().map(|&(left, right)| self.get(left, right)));
        }
    }

    /// All pairs (left, right), each with what it merges into, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = ((u32, u32), Made)> {
        #[allow(clippy::cast_possible_truncation)] // the bits of an id
        let id = |bits: u64| bits as u32 & ((1 << ID) - 1);
        let taken = self.lines.iter().flat_map(|line| line.0).filter(|&slot| slot != EMPTY);
        taken.map(move |slot| ((id(slot >> RANK >> ID), id(slot >> RANK)), self.made(rank(slot))))
    }

    /// What the merge of a rank, counted from one, makes.
    #[inline]
    fn made(&self, ranked: u32) -> Made {
        match ranked.checked_sub(1) {
            Some(rank) => Made { rank, id: self.id(rank) },
            None => NOTHING,
        }
    }

    /// The line of a pair.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // less than the number of lines
    fn line(&self, key: u64) -> usize {
        ((u128::from(self.mix.fold(key, 0)) * self.lines.len() as u128) >> 64) as usize
    }

    /// The line that takes what another one has no room for.
    #[inline]
    fn after(&self, line: usize) -> usize {
        if line + 1 == self.lines.len() { 0 } else { line + 1 }
    }
}

/// A pair as one number; both ids are small.
#[inline]
fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << ID | u64::from(right)
}

/// The place of two bytes in the direct table.
#[inline]
fn bytes(left: u8, right: u8) -> usize {
    usize::from(left) << 8 | usize::from(right)
}

/// The rank in a slot, counted from one; 0 in an empty one.
#[inline]
#[allow(clippy::cast_possible_truncation)] // the low bits are meant
fn rank(slot: u64) -> u32 {
    slot as u32 & ((1 << RANK) - 1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a test's way to fail
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::{EMPTY, NOBODY, Narrow, RANK, SLOTS, key};
    use crate::hash::crafted;
    use crate::vocabulary::pairs::{Made, NOTHING};

    /// Ids at the edges of what fits.
    fn ids() -> impl Strategy<Value = u32> {
        prop_oneof![0u32..9, Just(NOBODY - 1), Just(NOBODY), Just(NOBODY + 1), Just(u32::MAX)]
    }

    proptest! {
        #[test]
        fn it_is_a_map(
            pairs in proptest::collection::vec((ids(), ids(), 0u32..9), 0..90),
            plain in any::<bool>(),
            asked in proptest::collection::vec((ids(), ids()), 0..40),
        ) {
            let pairs: Vec<_> = pairs.into_iter().filter(|pair| pair.0.max(pair.1) < NOBODY).collect();
            let n_vocab = NOBODY as usize;
            let mut narrow = if plain { Narrow::of_ranks(pairs.len(), n_vocab) } else { Narrow::of_merges(pairs.len(), n_vocab) }.unwrap();
            let mut map = HashMap::new();
            for (left, right, id) in pairs {
                let rank = u32::try_from(map.len()).unwrap();
                let made = Made { rank, id: if plain { rank } else { id } };
                let before = map.get(&(left, right)).copied();
                prop_assert_eq!(narrow.add(left, right, made), before.map(|made: Made| made.rank));
                map.entry((left, right)).or_insert(made);
            }
            let asked: Vec<(u32, u32)> = map.keys().copied().chain(asked).collect();
            let mut many = Vec::new();
            narrow.get_many(&asked, &mut many);
            for (&pair, many) in asked.iter().zip(many) {
                let expected = map.get(&pair).copied().unwrap_or(NOTHING);
                prop_assert_eq!((narrow.get(pair.0, pair.1), many), (expected, expected));
            }
            prop_assert_eq!(narrow.iter().collect::<HashMap<_, _>>(), map);
        }
    }

    #[test]
    fn the_highest_rank_fits_and_one_more_is_refused() {
        let (rank, id) = ((1 << RANK) - 2, (1 << RANK) - 2);
        assert!(Narrow::of_ranks(1, NOBODY as usize + 1).is_none());
        assert!(Narrow::of_merges(1 << RANK, 1).is_none());
        let mut narrow = Narrow::of_ranks(1, 1).unwrap();
        assert_eq!(narrow.add(NOBODY - 1, NOBODY - 1, Made { rank, id }), None);
        assert_eq!(narrow.get(NOBODY - 1, NOBODY - 1), Made { rank, id });
        assert_eq!(narrow.get(NOBODY, NOBODY), NOTHING);
        narrow.add_bytes(b'a', b'b', Made { rank, id });
        assert_eq!(narrow.ranked_bytes(b'a', b'b'), rank + 1);
        assert_eq!(narrow.ranked_bytes(b'b', b'a'), 0);
    }

    #[test]
    fn pairs_crafted_against_one_table_are_harmless_in_another() {
        let (one, mut two) = (Narrow::of_merges(640, 1 << 20).unwrap(), Narrow::of_merges(640, 1 << 20).unwrap());
        let pairs = (0..1_u32 << 20).flat_map(|left| [(left, 1), (left, 2), (left, 3)]);
        let pairs = crafted(1 << 10, pairs, |&(left, right)| one.mix.fold(key(left, right), 0) >> 54, 640);
        assert_eq!(pairs.len(), 640);
        for (rank, &(left, right)) in (0..).zip(&pairs) {
            assert_eq!(two.add(left, right, Made { rank, id: 0 }), None);
        }
        let far = |&&(left, right): &&(u32, u32)| {
            let at = two.line(key(left, right));
            (at..at + 4).all(|at| two.lines[at % two.lines.len()].0[SLOTS - 1] != EMPTY)
        };
        let far = pairs.iter().filter(far).count();
        assert!(far < 100, "{far}");
    }
}
