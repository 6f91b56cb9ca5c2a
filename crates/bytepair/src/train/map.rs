//! (left, right) -> a number, for pairs of tokens.
//!
//! The idea: one open-addressed array, the number beside the pair, so that a look-up costs one memory access, which can be
//! asked for ahead. Where it would grow, what is not worth keeping is dropped first.
//!
//! Invariant: the array is a power of two, and at most two thirds of it are taken. Cost: 24 to 48 bytes a pair.

use crate::cancel::{Cancel, Meter};
use crate::error::Result;
use crate::hash::{Mix, low};
use crate::memory::prefetch;

/// The left side of a slot that holds no pair.
const EMPTY: u32 = u32::MAX;
/// The least number of slots.
const LEAST: usize = 1024;

/// The map.
#[derive(Debug, Clone)]
pub(super) struct PairMap {
    slots: Vec<Slot>,
    len: usize,
    mix: Mix,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    left: u32,
    right: u32,
    value: u64,
}

const FREE: Slot = Slot { left: EMPTY, right: 0, value: 0 };

impl Default for PairMap {
    fn default() -> Self {
        Self { slots: vec![FREE; LEAST], len: 0, mix: Mix::random() }
    }
}

impl PairMap {
    /// How many pairs there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// A hash of a pair.
    #[inline]
    pub(super) fn hash(&self, left: u32, right: u32) -> u64 {
        self.mix.fold(u64::from(left) << 32 | u64::from(right), 0)
    }

    /// Asks for what a look-up of this pair will read.
    #[inline]
    pub(super) fn prefetch(&self, left: u32, right: u32) {
        prefetch(&raw const self.slots[low(self.hash(left, right)) & (self.slots.len() - 1)]);
    }

    /// The number of a pair.
    #[inline]
    pub(super) fn get(&self, left: u32, right: u32) -> Option<u64> {
        let slot = &self.slots[self.find(left, right)];
        (slot.left != EMPTY).then_some(slot.value)
    }

    /// The number of a pair, to be changed.
    #[inline]
    pub(super) fn get_mut(&mut self, left: u32, right: u32) -> Option<&mut u64> {
        let slot = self.find(left, right);
        let slot = &mut self.slots[slot];
        (slot.left != EMPTY).then_some(&mut slot.value)
    }

    /// The number of a pair, to be changed; `new` if it was not there. There must be room for it.
    #[inline]
    pub(super) fn entry(&mut self, left: u32, right: u32, new: u64) -> &mut u64 {
        let slot = self.find(left, right);
        let slot = &mut self.slots[slot];
        if slot.left == EMPTY {
            self.len += 1;
            *slot = Slot { left, right, value: new };
        }
        &mut slot.value
    }

    /// All pairs and their numbers, to be changed.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (u32, u32, &mut u64)> {
        self.slots.iter_mut().filter(|slot| slot.left != EMPTY).map(|slot| (slot.left, slot.right, &mut slot.value))
    }

    /// All numbers.
    pub(super) fn values(&self) -> impl Iterator<Item = u64> {
        self.slots.iter().filter(|slot| slot.left != EMPTY).map(|slot| slot.value)
    }

    /// Makes room for so many more pairs; may drop some that `keep` does not want.
    #[inline]
    pub(super) fn reserve(&mut self, more: usize, keep: impl Fn(u64) -> bool, cancel: Cancel<'_>) -> Result<()> {
        if (self.len + more) * 3 <= self.slots.len() * 2 { Ok(()) } else { self.rebuild(more, keep, cancel) }
    }

    #[cold]
    fn rebuild(&mut self, more: usize, keep: impl Fn(u64) -> bool, cancel: Cancel<'_>) -> Result<()> {
        let mut meter = Meter::new(cancel);
        let kept = |slot: &Slot| slot.left != EMPTY && keep(slot.value);
        self.len = self.slots.iter().filter(|slot| kept(slot)).count();
        // A third of it stays free for what comes next.
        let size = ((self.len + more) * 2).next_power_of_two().max(LEAST);
        for (at, old) in std::mem::replace(&mut self.slots, vec![FREE; size]).iter().enumerate() {
            meter.reach(at)?;
            if kept(old) {
                let slot = self.find(old.left, old.right);
                self.slots[slot] = *old;
            }
        }
        Ok(())
    }

    /// The slot that holds a pair, or the empty one where it would go.
    #[inline]
    fn find(&self, left: u32, right: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = low(self.hash(left, right)) & mask;
        loop {
            let found = &self.slots[slot];
            if found.left == EMPTY || (found.left == left && found.right == right) {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_added_and_nothing_else() {
        let mut map = PairMap::default();
        let pairs: Vec<(u32, u32)> = (0..60).flat_map(|i| (0..60).map(move |j| (i * 9, j * 7))).collect();
        assert_eq!(map.get(1, 1), None);
        for (number, &(left, right)) in (0..).zip(&pairs) {
            assert_eq!(map.get(left, right), None);
            map.reserve(1, |_| true, Cancel::default()).unwrap();
            assert_eq!(*map.entry(left, right, number), number);
        }
        for (number, &(left, right)) in (0..).zip(&pairs) {
            map.prefetch(left, right);
            assert_eq!(map.get(left, right), Some(number));
            assert_eq!(*map.entry(left, right, 0), number);
            assert_eq!(map.get(left, right + 1), None);
            *map.get_mut(left, right).unwrap() *= 2;
        }
        assert_eq!(map.len(), 3600);
        assert_eq!(map.values().sum::<u64>(), 3600 * 3599);
    }

    #[test]
    fn what_is_not_worth_keeping_makes_room() {
        let mut map = PairMap::default();
        for number in 0..100_000 {
            map.reserve(1, |value| value > 99_990, Cancel::default()).unwrap();
            map.entry(number, number, u64::from(number));
        }
        assert!(map.slots.len() == LEAST && map.len() < LEAST);
        assert!((99_991..100_000).all(|number| map.get(number, number) == Some(u64::from(number))));
        assert_eq!(map.get(3, 3), None);
    }
}
