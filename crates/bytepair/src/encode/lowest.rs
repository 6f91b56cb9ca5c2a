//! The rank of the pair at each position, and which of them is the lowest, the leftmost among equals.
//!
//! Idea: a tree of lines of eight numbers. The leaves are the pairs, in the order of their positions, and every number
//! above is the greatest of the line below. A number holds a rank and its position, both turned round, so that the greatest
//! is the lowest rank, leftmost among equals, and says itself where it is; zero is no pair.
//!
//! Invariant: a number above the leaves is the greatest of its line, and `top` of all. A tree without pairs is all zeros,
//! and so are the parts of it that are not in use.
//!
//! Cost: a line for each level that changes, of which there are log n to the base of eight. No memory is touched for
//! positions that have no pair.

use crate::vocabulary::NONE;

/// The numbers of a line: as many as a line of the processor's caches has.
const LINE: usize = 8;

type Line = [u64; LINE];

/// The tree.
#[derive(Debug, Default)]
pub(super) struct Lowest {
    /// From the leaves up; the last has one line.
    levels: Vec<Vec<Line>>,
    /// How many levels are in use.
    height: usize,
    top: u64,
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
        let mut lines = length;
        self.height = 0;
        while lines > 1 || self.height == 0 {
            lines = lines.div_ceil(LINE);
            if self.levels.len() == self.height {
                self.levels.push(Vec::new());
            }
            let level = &mut self.levels[self.height];
            if level.len() < lines {
                // Of arrays of numbers the system gives zeros without writing them.
                *level = vec![[0; LINE]; lines];
            }
            self.height += 1;
        }
    }

    /// The lowest pair: its rank and position.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // the lower half is meant
    pub(super) fn first(&self) -> Option<(u32, u32)> {
        (self.top != 0).then(|| (rank(self.top), !(self.top as u32)))
    }

    /// The rank of the pair at a position, or [`NONE`].
    #[inline]
    pub(super) fn get(&self, at: u32) -> u32 {
        let at = at as usize;
        rank(self.levels[0][at / LINE][at % LINE])
    }

    /// Gives the pair at a position a rank; [`NONE`] takes it away.
    #[inline]
    pub(super) fn set(&mut self, at: u32, rank: u32) {
        let (mut number, mut at) = (number(rank, at), at as usize);
        for level in &mut self.levels[..self.height] {
            let line = &mut level[at / LINE];
            if line[at % LINE] == number {
                return;
            }
            line[at % LINE] = number;
            number = greatest(line);
            at /= LINE;
        }
        self.top = number;
    }

    /// The same where there is no pair yet.
    #[inline]
    pub(super) fn add(&mut self, at: u32, rank: u32) {
        let (number, mut at) = (number(rank, at), at as usize);
        for level in &mut self.levels[..self.height] {
            let place = &mut level[at / LINE][at % LINE];
            if *place >= number {
                return;
            }
            *place = number;
            at /= LINE;
        }
        self.top = self.top.max(number);
    }
}

/// The greatest number of a line.
#[inline]
fn greatest(&[a, b, c, d, e, f, g, h]: &Line) -> u64 {
    a.max(b).max(c.max(d)).max(e.max(f).max(g.max(h)))
}

#[cfg(test)]
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
            rounds in proptest::collection::vec((1u32..700, proptest::collection::vec((rank(), any::<prop::sample::Index>()), 0..200)), 1..4),
        ) {
            let mut lowest = Lowest::default();
            for (length, steps) in rounds {
                let mut map = BTreeMap::new();
                lowest.reset(length as usize);
                for (rank, at) in steps {
                    #[allow(clippy::cast_possible_truncation)]
                    let at = at.index(length as usize) as u32;
                    if rank != NONE && !map.contains_key(&at) && rank % 2 == 0 {
                        lowest.add(at, rank);
                    } else {
                        lowest.set(at, rank);
                    }
                    map.remove(&at);
                    if rank != NONE {
                        map.insert(at, rank);
                    }
                    let first = map.iter().map(|(&at, &rank)| (rank, at)).min();
                    prop_assert_eq!(lowest.first(), first);
                    for at in 0..length {
                        prop_assert_eq!(lowest.get(at), map.get(&at).copied().unwrap_or(NONE));
                    }
                }
                for (&at, _) in &map {
                    lowest.set(at, NONE);
                }
                prop_assert_eq!(lowest.first(), None);
            }
        }
    }
}
