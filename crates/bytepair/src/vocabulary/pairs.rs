//! (left id, right id) -> (rank, id): what a pair of neighbours merges into.
//!
//! Idea: one flat open-addressed table, of eight bytes a pair where the numbers are small enough ([`Narrow`], with a direct
//! table for the pairs of base bytes, which every pretoken asks for first) and sixteen where not ([`Wide`]).
//!
//! Cost: one cache line a look-up in the usual case.

use super::contents::NONE;
use super::narrow::Narrow;
use super::wide::Wide;

/// What a pair merges into; `rank` is [`NONE`] for a pair that does not merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Made {
    /// The merge's rank.
    pub(crate) rank: u32,
    /// The id it makes.
    pub(crate) id: u32,
}

/// No merge.
pub(crate) const NOTHING: Made = Made { rank: NONE, id: NONE };

/// All pairs that merge.
#[derive(Debug, Clone)]
pub(super) enum Pairs {
    Narrow(Narrow),
    Wide(Wide),
}

impl Pairs {
    /// The table of a merge list of `merges` merges, of ids below `n_vocab`.
    pub(super) fn of_merges(merges: usize, n_vocab: usize) -> Self {
        Self::new(Narrow::of_merges(merges, n_vocab), merges)
    }

    /// The table of a rank file of `tokens` tokens, with ids below `n_vocab`; each of them may be made by one pair.
    pub(super) fn of_ranks(tokens: usize, n_vocab: usize) -> Self {
        Self::new(Narrow::of_ranks(tokens, n_vocab), tokens)
    }

    fn new(narrow: Option<Narrow>, pairs: usize) -> Self {
        narrow.map_or_else(|| Self::Wide(Wide::with_capacity(pairs)), Self::Narrow)
    }

    /// Adds a pair; gives the rank of the same pair if it is there already. No more pairs may be added than there
    /// is room for.
    #[inline]
    pub(super) fn add(&mut self, left: u32, right: u32, made: Made) -> Option<u32> {
        match self {
            Self::Narrow(narrow) => narrow.add(left, right, made),
            Self::Wide(wide) => wide.add(left, right, made),
        }
    }

    /// Adds what two base bytes merge into to the direct table.
    pub(super) fn add_bytes(&mut self, left: u8, right: u8, made: Made) {
        if let Self::Narrow(narrow) = self {
            narrow.add_bytes(left, right, made);
        }
    }

    /// The table of small numbers, if it is that.
    #[inline]
    pub(super) fn narrow(&self) -> Option<&Narrow> {
        match self {
            Self::Narrow(narrow) => Some(narrow),
            Self::Wide(_) => None,
        }
    }

    /// All pairs (left, right), each with what it merges into, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = ((u32, u32), Made)> {
        let (narrow, wide) = match self {
            Self::Narrow(narrow) => (Some(narrow.iter()), None),
            Self::Wide(wide) => (None, Some(wide.iter())),
        };
        narrow.into_iter().flatten().chain(wide.into_iter().flatten())
    }

    /// What a pair merges into. An id of [`NONE`] merges with nothing.
    #[inline]
    pub(super) fn get(&self, left: u32, right: u32) -> Made {
        match self {
            Self::Narrow(narrow) => narrow.get(left, right),
            Self::Wide(wide) => wide.get(left, right),
        }
    }

    /// What each pair merges into; sooner than one by one.
    pub(super) fn get_many(&self, pairs: &[(u32, u32)], made: &mut Vec<Made>) {
        match self {
            Self::Narrow(narrow) => narrow.get_many(pairs, made),
            Self::Wide(wide) => {
                made.clear();
                made.extend(pairs.iter().map(|&(left, right)| wide.get(left, right)));
            }
        }
    }
}
