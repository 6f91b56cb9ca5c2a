//! (left id, right id) -> (rank, id) in eight bytes a pair, which half of the memory holds and the processor's caches with
//! it: of a real vocabulary, ids and ranks are small numbers.
//!
//! Idea: both ids and the rank fit into one word, the ids above the rank. The id that is made is found by the rank, or is
//! the rank (in a rank file).
//!
//! Invariant: an empty slot has all bits, which no pair has; there is always one, so a probe ends.
//!
//! Cost: one cache line a look-up in the usual case.

use super::contents::NONE;
use super::pairs::{Made, NOTHING};
use crate::hash::{Mix, low};

/// The bits of an id.
const ID: u32 = 21;

/// The bits of a rank.
const RANK: u32 = 22;

const EMPTY: u64 = u64::MAX;

/// All pairs that merge.
#[derive(Debug, Clone)]
pub(super) struct Narrow {
    slots: Vec<u64>,
    mix: Mix,
    /// By rank, the id that is made; empty where it is the rank.
    ids: Vec<u32>,
}

impl Narrow {
    /// The pairs of a vocabulary, so many of them; `None` if a number is too large.
    pub(super) fn new(pairs: impl Iterator<Item = (u32, u32, Made)> + Clone, count: usize) -> Option<Self> {
        let fits = |id: u32| id < (1 << ID) - 1;
        if !pairs.clone().all(|(left, right, made)| fits(left) && fits(right) && made.rank < (1 << RANK) - 1) {
            return None;
        }
        let mut ids = Vec::new();
        if pairs.clone().any(|(_, _, made)| made.id != made.rank) {
            let ranks = pairs.clone().map(|(_, _, made)| made.rank as usize + 1).max().unwrap_or(0);
            ids = vec![NONE; ranks];
            for (_, _, made) in pairs.clone() {
                ids[made.rank as usize] = made.id;
            }
        }
        let slots = vec![EMPTY; (count * 2).next_power_of_two().max(2)];
        let mut narrow = Self { slots, mix: Mix::random(), ids };
        for (left, right, made) in pairs {
            let key = key(left, right);
            let at = narrow.seek(key);
            narrow.slots[at] = key << RANK | u64::from(made.rank);
        }
        Some(narrow)
    }

    /// What a pair merges into.
    #[inline]
    pub(super) fn get(&self, left: u32, right: u32) -> Made {
        if (left | right) >> ID != 0 {
            return NOTHING;
        }
        self.made(self.slots[self.seek(key(left, right))])
    }

    /// All pairs (left, right), each with what it merges into, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = ((u32, u32), Made)> + Clone {
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
        #[allow(clippy::cast_possible_truncation)] // the low bits are meant
        let rank = slot as u32 & ((1 << RANK) - 1);
        let id = if self.ids.is_empty() { rank } else { self.ids[rank as usize] };
        Made { rank, id }
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

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a test's way to fail
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::{ID, Narrow, RANK};
    use crate::vocabulary::pairs::{Made, NOTHING};

    /// Ids and ranks at the edges of what fits.
    fn numbers(bits: u32) -> impl Strategy<Value = u32> {
        prop_oneof![0u32..6, Just((1 << bits) - 2), Just((1 << bits) - 1), Just(1 << bits), Just(u32::MAX)]
    }

    proptest! {
        #[test]
        fn it_is_a_map(
            pairs in proptest::collection::vec((numbers(ID), numbers(ID), numbers(RANK), 0u32..9), 0..12),
            plain in any::<bool>(),
            large in any::<bool>(),
            asked in proptest::collection::vec((numbers(ID), numbers(ID)), 0..40),
        ) {
            let mut map = HashMap::new();
            let mut ranks = Vec::new();
            for (left, right, rank, id) in pairs {
                let fits = left.max(right) < (1 << ID) - 1 && rank < (1 << RANK) - 1;
                if (fits || large) && !ranks.contains(&rank) && !map.contains_key(&(left, right)) {
                    ranks.push(rank);
                    map.insert((left, right), Made { rank, id: if plain { rank } else { id } });
                }
            }
            let fit = map.iter().all(|(&(left, right), made)| left.max(right) < (1 << ID) - 1 && made.rank < (1 << RANK) - 1);
            let narrow = Narrow::new(map.iter().map(|(&(left, right), &made)| (left, right, made)), map.len());
            prop_assert_eq!(narrow.is_some(), fit);
            if let Some(narrow) = narrow {
                for pair in map.keys().copied().chain(asked) {
                    prop_assert_eq!(narrow.get(pair.0, pair.1), map.get(&pair).copied().unwrap_or(NOTHING));
                }
                prop_assert_eq!(narrow.iter().collect::<HashMap<_, _>>(), map);
            }
        }
    }
}
