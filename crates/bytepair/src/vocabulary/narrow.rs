//! (left id, right id) -> (rank, id) in eight bytes a slot, of which the processor's caches hold more: of a real vocabulary,
//! ids and ranks are small numbers.
//!
//! Idea: both ids and the rank fit into one word, the ids above the rank. The id that is made is found by the rank, or is
//! the rank (in a rank file).
//!
//! Invariant: an empty slot has all bits, which no pair has; there is always one, so a probe ends.
//!
//! Cost: one cache line a look-up in the usual case.

use super::pairs::{Made, NOTHING};
use crate::hash::{Mix, low};
use crate::memory::filled;

/// The bits of an id.
const ID: u32 = 21;

/// The bits of a rank.
const RANK: u32 = 22;

const EMPTY: u64 = u64::MAX;

/// How many slots are read ahead.
const AT_ONCE: usize = 64;

/// All pairs that merge.
#[derive(Debug, Clone)]
pub(super) struct Narrow {
    slots: Vec<u64>,
    mix: Mix,
    /// By rank, the id that is made; `None` where it is the rank.
    ids: Option<Vec<u32>>,
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
        if ids >= 1 << ID || ranks >= 1 << RANK {
            return None;
        }
        Some(Self { slots: filled(EMPTY, (pairs * 2).next_power_of_two().max(2)), mix: Mix::random(), ids: made })
    }

    /// Adds a pair; gives the rank of the same pair if it is there already. The pairs of a merge list come in the order of
    /// their ranks, which have no gap.
    #[inline]
    pub(super) fn add(&mut self, left: u32, right: u32, made: Made) -> Option<u32> {
        let key = key(left, right);
        let at = self.seek(key);
        if self.slots[at] != EMPTY {
            return Some(rank(self.slots[at]));
        }
        self.slots[at] = key << RANK | u64::from(made.rank);
        if let Some(ids) = &mut self.ids {
            ids.push(made.id);
        }
        None
    }

    /// What a pair merges into.
    #[inline]
    pub(super) fn get(&self, left: u32, right: u32) -> Made {
        if (left | right) >> ID != 0 {
            return NOTHING;
        }
        self.made(self.slots[self.seek(key(left, right))])
    }

    /// What each pair merges into. The first slots of all of them are read before any is looked at, so that the
    /// processor waits for many at once.
    pub(super) fn get_many(&self, pairs: &[(u32, u32)], made: &mut Vec<Made>) {
        let mask = self.slots.len() - 1;
        made.clear();
        for some in pairs.chunks(AT_ONCE) {
            let mut slots = [EMPTY; AT_ONCE];
            for (slot, &(left, right)) in slots.iter_mut().zip(some) {
                *slot = self.slots[low(self.mix.fold(key(left, right), 0)) & mask];
            }
            made.extend(slots.iter().zip(some).map(|(&slot, &(left, right))| {
                let is_it = slot == EMPTY || slot >> RANK == key(left, right);
                if is_it && (left | right) >> ID == 0 { self.made(slot) } else { self.get(left, right) }
            }));
        }
    }

    /// All pairs (left, right), each with what it merges into, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = ((u32, u32), Made)> {
        #[allow(clippy::cast_possible_truncation)] // the bits of an id
        let id = |bits: u64| bits as u32 & ((1 << ID) - 1);
        let taken = self.slots.iter().filter(|&&slot| slot != EMPTY);
        taken.map(move |&slot| ((id(slot >> RANK >> ID), id(slot >> RANK)), self.made(slot)))
    }

    /// What the pair in a slot makes.
    #[inline]
    fn made(&self, slot: u64) -> Made {
        if slot == EMPTY {
            return NOTHING;
        }
        let rank = rank(slot);
        Made { rank, id: self.ids.as_ref().map_or(rank, |ids| ids[rank as usize]) }
    }

    /// The slot of a key, or the empty slot where it belongs.
    #[inline]
    fn seek(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = low(self.mix.fold(key, 0)) & mask;
        while self.slots[at] >> RANK != key && self.slots[at] != EMPTY {
            at = (at + 1) & mask;
        }
        at
    }
}

/// A pair as one number; both ids are small.
#[inline]
fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << ID | u64::from(right)
}

/// The rank in a slot.
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

    use super::{EMPTY, ID, Narrow, RANK, key, low};
    use crate::hash::crafted;
    use crate::vocabulary::pairs::{Made, NOTHING};
    use crate::vocabulary::wide::Wide;

    /// Ids at the edges of what fits.
    fn ids() -> impl Strategy<Value = u32> {
        prop_oneof![0u32..6, Just((1 << ID) - 2), Just((1 << ID) - 1), Just(1 << ID), Just(u32::MAX)]
    }

    proptest! {
        #[test]
        fn both_tables_are_maps(
            pairs in proptest::collection::vec((ids(), ids(), 0u32..9), 0..12),
            ranks in any::<bool>(),
            asked in proptest::collection::vec((ids(), ids()), 0..200),
        ) {
            let fits = |&(left, right, _): &(u32, u32, u32)| left.max(right) < (1 << ID) - 1;
            let pairs: Vec<_> = pairs.into_iter().filter(fits).collect();
            let new = if ranks { Narrow::of_ranks } else { Narrow::of_merges };
            let (mut narrow, mut wide) = (new(pairs.len(), (1 << ID) - 1).unwrap(), Wide::with_capacity(pairs.len()));
            let mut map: HashMap<(u32, u32), Made> = HashMap::new();
            for (left, right, id) in pairs {
                let rank = u32::try_from(map.len()).unwrap();
                let made = Made { rank, id: if ranks { rank } else { id } };
                let before = map.get(&(left, right)).map(|made| made.rank);
                prop_assert_eq!(narrow.add(left, right, made), before);
                prop_assert_eq!(wide.add(left, right, made), before);
                map.entry((left, right)).or_insert(made);
            }
            let asked: Vec<(u32, u32)> = map.keys().copied().chain(asked).collect();
            let expected: Vec<Made> = asked.iter().map(|pair| map.get(pair).copied().unwrap_or(NOTHING)).collect();
            prop_assert_eq!(&asked.iter().map(|pair| narrow.get(pair.0, pair.1)).collect::<Vec<_>>(), &expected);
            prop_assert_eq!(&asked.iter().map(|pair| wide.get(pair.0, pair.1)).collect::<Vec<_>>(), &expected);
            let mut many = Vec::new();
            narrow.get_many(&asked, &mut many);
            prop_assert_eq!(&many, &expected);
            prop_assert_eq!(&narrow.iter().collect::<HashMap<_, _>>(), &map);
            prop_assert_eq!(&wide.iter().collect::<HashMap<_, _>>(), &map);
        }
    }

    #[test]
    fn what_is_too_large_does_not_fit() {
        assert!(Narrow::of_merges(3, 1 << ID).is_none());
        assert!(Narrow::of_ranks(3, 1 << ID).is_none());
        assert!(Narrow::of_merges(1 << RANK, 3).is_none());
        assert!(Narrow::of_merges((1 << RANK) - 1, (1 << ID) - 1).is_some());
    }

    #[test]
    fn pairs_crafted_against_one_table_are_harmless_in_another() {
        let (one, mut two) = (Narrow::of_merges(512, 1 << 20).unwrap(), Narrow::of_merges(512, 1 << 20).unwrap());
        let pairs = (0..1_u32 << 20).flat_map(|left| [(left, 1), (left, 2), (left, 3)]);
        let pairs = crafted(two.slots.len(), pairs, |&(left, right)| one.mix.fold(key(left, right), 0), 512);
        assert_eq!((pairs.len(), two.slots.len()), (512, 1 << 10));
        for (rank, (left, right)) in (0..).zip(pairs) {
            assert_eq!(two.add(left, right, Made { rank, id: 0 }), None);
        }
        let mask = two.slots.len() - 1;
        let taken = two.slots.iter().enumerate().filter(|(_, slot)| **slot != EMPTY);
        let probes = taken.map(|(at, slot)| at.wrapping_sub(low(two.mix.fold(slot >> RANK, 0))) & mask);
        let longest = probes.max().unwrap();
        assert!(longest < 100, "{longest}");
    }
}
