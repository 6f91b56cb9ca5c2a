//! The rank of the pair at each position, and which of them is the lowest, the leftmost among equals.
//!
//! Idea: a tree of lines of eight numbers. The leaves are the pairs, in the order of their positions, and every number
//! above is the greatest of the line below. A number holds a rank and its position, both turned round, so that the greatest
//! is the lowest rank, leftmost among equals, and says itself where it is; zero is no pair.
//!
//! The next pair to be merged mostly has the same rank and is a little to the right. So when the first pair goes, nothing
//! above it is brought up to date before the next is asked for, and then only as far up as that is.
//!
//! Invariant: a number above the leaves is the greatest of its line; it may be greater where the first pair is or was below.
//! A tree without pairs is all zeros, and so are the parts of it that are not in use.
//!
//! Cost: at most a line for each level, of which there are log n to the base of eight; a line or two when ranks are
//! equal. No memory is touched for positions that have no pair.

use crate::vocabulary::NONE;

/// The numbers of a line: as many as a line of the processor's caches has.
const LINE: usize = 8;

type Line = [u64; LINE];

/// The tree.
#[derive(Debug, Default)]
pub(super) struct Lowest {
    /// From the leaves up; the number above all stands alone in a line.
    levels: Vec<Vec<Line>>,
    /// The level of that number.
    height: usize,
    /// The pair that was first when it was asked for last.
    first: u64,
    /// Where that is.
    place: usize,
    /// Whether no pair before that one has been set since.
    is_rising: bool,
}

/// A rank and its position as one number; 0 for the rank [`NONE`].
#[inline]
fn number(rank: u32, at: u32) -> u64 {
    if rank == NONE { 0 } else { u64::from(!rank) << 32 | u64::from(!at) }
}

/// The rank of a number.
#[inline]
#[allow(clippy::cast_possible_truncation)] // the upper half is meant
fn rank(number: u64) -> u32 {
    !((number >> 32) as u32)
}

impl Lowest {
    /// Makes room for so many positions. There are no pairs now.
    pub(super) fn reset(&mut self, length: usize) {
        (self.height, self.place, self.is_rising) = (0, 0, false);
        let mut count = length;
        loop {
            if self.levels.len() == self.height {
                self.levels.push(Vec::new());
            }
            let level = &mut self.levels[self.height];
            let lines = count.div_ceil(LINE).max(1);
            if level.len() < lines {
                // Of arrays of numbers the system gives zeros without writing them.
                *level = vec![[0; LINE]; lines];
            }
            if count <= 1 {
                return;
            }
            count = lines;
            self.height += 1;
        }
    }

    /// The lowest pair: its rank and position.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // the lower half is meant
    pub(super) fn first(&mut self) -> Option<(u32, u32)> {
        (self.first, self.is_rising) = (self.greatest(), true);
        if self.first == 0 {
            return None;
        }
        let at = !(self.first as u32);
        self.place = at as usize;
        Some((rank(self.first), at))
    }

    /// The greatest number. Brings up to date what is above the pair that was first.
    #[inline]
    fn greatest(&mut self) -> u64 {
        let mut at = self.place;
        for level in 0..self.height {
            let number = greatest(&self.levels[level][at / LINE]);
            if self.is_rising && rank(number) == rank(self.first) {
                return number;
            }
            at /= LINE;
            self.levels[level + 1][at / LINE][at % LINE] = number;
        }
        self.levels[self.height][0][0]
    }

    /// The rank of the pair at a position, or [`NONE`].
    #[inline]
    pub(super) fn get(&self, at: u32) -> u32 {
        let at = at as usize;
        rank(self.levels[0][at / LINE][at % LINE])
    }

    /// Gives the pair that was first another rank; [`NONE`] takes it away.
    #[inline]
    pub(super) fn set_first(&mut self, at: u32, rank: u32) {
        self.replace(at, rank);
    }

    /// Gives the pair at a position a rank; [`NONE`] takes it away.
    #[inline]
    pub(super) fn set(&mut self, at: u32, rank: u32) {
        let (mut old, mut new) = self.replace(at, rank);
        let mut at = at as usize;
        for level in 0..self.height {
            let line = at / LINE;
            let above = self.levels[level + 1][line / LINE][line % LINE];
            if old.max(new) < above {
                return;
            }
            (old, new) = (above, if new < above { greatest(&self.levels[level][line]) } else { new });
            self.levels[level + 1][line / LINE][line % LINE] = new;
            at = line;
        }
    }

    /// Replaces a leaf; gives what it was and is.
    #[inline]
    fn replace(&mut self, at: u32, rank: u32) -> (u64, u64) {
        let new = number(rank, at);
        self.is_rising &= new <= self.first;
        let at = at as usize;
        (std::mem::replace(&mut self.levels[0][at / LINE][at % LINE], new), new)
    }
}

/// The greatest number of a line.
#[inline]
fn greatest(line: &Line) -> u64 {
    // In pairs, so that they do not wait for each other.
    let pairs = [line[0].max(line[1]), line[2].max(line[3]), line[4].max(line[5]), line[6].max(line[7])];
    pairs[0].max(pairs[1]).max(pairs[2].max(pairs[3]))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a test's way to fail
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::Lowest;
    use crate::vocabulary::NONE;

    fn rank() -> impl Strategy<Value = u32> {
        prop_oneof![3 => 0u32..5, 2 => Just(NONE), 1 => Just(NONE - 1), 1 => any::<u32>()]
    }

    proptest! {
        #[test]
        fn it_is_the_first_of_a_sorted_map(
            rounds in proptest::collection::vec((1u32..700, proptest::collection::vec((rank(), any::<prop::sample::Index>(), proptest::option::of(rank())), 0..200)), 1..4),
        ) {
            let mut lowest = Lowest::default();
            for (length, steps) in rounds {
                let mut map = BTreeMap::new();
                lowest.reset(length as usize);
                for (rank, at, of_first) in steps {
                    let at = u32::try_from(at.index(length as usize)).unwrap();
                    let first = lowest.first();
                    prop_assert_eq!(first, map.iter().map(|(&at, &rank)| (rank, at)).min());
                    for (at, rank) in [(at, rank)].into_iter().chain(first.and_then(|(_, at)| Some((at, of_first?)))) {
                        if Some(at) == first.map(|(_, at)| at) {
                            lowest.set_first(at, rank);
                        } else {
                            lowest.set(at, rank);
                        }
                        map.remove(&at);
                        if rank != NONE {
                            map.insert(at, rank);
                        }
                    }
                    for at in 0..length {
                        prop_assert_eq!(lowest.get(at), map.get(&at).copied().unwrap_or(NONE));
                    }
                }
                for &at in map.keys() {
                    lowest.set(at, NONE);
                }
                prop_assert_eq!(lowest.first(), None);
            }
        }
    }
}
