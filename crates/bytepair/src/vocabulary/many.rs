//! Merging many short contents at a time, to find the pairs that the tokens of a rank file are made of.
//!
//! Idea: merging one content is a chain of look-ups, and each waits for memory. So some dozens of contents of one length
//! take a step each: all the look-ups of a step are collected, and then made one after the other with nothing in between
//! that needs their answers, so that the processor waits for many of them at once.
//!
//! Invariant: as in `encode::few`: `order[at]` is the rank of the pair that begins at `at`, and `at`, in one number, or
//! [`NONE`] where none begins that merges; `alive` has the bits of the positions that begin a symbol.
//!
//! Cost: two look-ups a merge, and the smallest of sixteen numbers.

use crate::vocabulary::{Made, NONE, Vocabulary};

/// The most bytes of a content.
pub(super) const SHORT: usize = 16;

/// The bits of a position.
const BITS: u32 = SHORT.ilog2();

/// Ids from here on leave no room for a position.
pub(super) const TOO_HIGH: usize = 1 << (32 - BITS);

/// How many contents are merged at a time.
pub(super) const MANY: usize = 32;

/// A content that is being merged.
struct Lane {
    /// Its token.
    id: u32,
    ids: [u32; SHORT],
    order: [u32; SHORT],
    alive: u32,
}

/// The buffers.
#[derive(Default)]
pub(super) struct Lanes {
    merging: Vec<Lane>,
    asked: Asked,
    made: Vec<Made>,
}

/// The pairs that are to be looked up, and of which lane and position each is.
#[derive(Default)]
struct Asked {
    pairs: Vec<(u32, u32)>,
    places: Vec<(usize, usize)>,
}

impl Asked {
    fn push(&mut self, lane: usize, at: usize, pair: (u32, u32)) {
        self.pairs.push(pair);
        self.places.push((lane, at));
    }
}

impl Lanes {
    /// Merges the bytes of some tokens of a rank file, each of 2 to [`SHORT`] of them, all base symbols; of each token for
    /// which two symbols are left, `found` gets the token and the two.
    pub(super) fn last_pairs(&mut self, vocabulary: &Vocabulary, ids: &[u32], mut found: impl FnMut(u32, (u32, u32))) {
        self.merging.clear();
        self.merging.extend(ids.iter().map(|&id| Lane::new(vocabulary, id)));
        while !self.merging.is_empty() {
            self.asked.pairs.clear();
            self.asked.places.clear();
            let mut lane = 0;
            while lane < self.merging.len() {
                if self.merging[lane].step(lane, &mut self.asked) {
                    lane += 1;
                } else {
                    let done = self.merging.swap_remove(lane);
                    if let Some(pair) = done.pair() {
                        found(done.id, pair);
                    }
                }
            }
            vocabulary.pairs.get_many(&self.asked.pairs, &mut self.made);
            for (&(lane, at), &made) in self.asked.places.iter().zip(&self.made) {
                self.merging[lane].set(at, made);
            }
        }
    }
}

impl Lane {
    fn new(vocabulary: &Vocabulary, id: u32) -> Self {
        let content = vocabulary.content(id).unwrap_or_default();
        let content = &content[..content.len().min(SHORT)];
        let mut lane = Self { id, ids: [NONE; SHORT], order: [NONE; SHORT], alive: (1 << content.len()) - 1 };
        for (id, &byte) in lane.ids.iter_mut().zip(content) {
            *id = vocabulary.byte(byte);
        }
        for (at, pair) in content.windows(2).enumerate() {
            if let &[left, right] = pair {
                lane.set(at, vocabulary.made(vocabulary.byte(left), vocabulary.byte(right)));
            }
        }
        lane
    }

    /// Sets what the pair that begins at a position makes; in a rank file the id is the rank.
    #[inline]
    fn set(&mut self, at: usize, made: Made) {
        // Below sixteen.
        let place = u32::try_from(at).unwrap_or(0);
        self.order[at % SHORT] = if made.rank == NONE { NONE } else { made.rank << BITS | place };
    }

    /// Merges the pair of the lowest rank, if there is one, and asks for the pairs of what it makes.
    #[inline]
    fn step(&mut self, lane: usize, asked: &mut Asked) -> bool {
        let lowest = self.order.iter().fold(NONE, |lowest, &order| lowest.min(order));
        if lowest == NONE {
            return false;
        }
        let (id, at) = (lowest >> BITS, lowest as usize % SHORT);
        self.ids[at] = id;
        self.order[at] = NONE;
        // The positions after this one: the right side of the pair, which ends, and its neighbour.
        let mut after = self.alive & (u32::MAX << at << 1);
        let right = after.trailing_zeros() as usize;
        self.alive &= !(after & after.wrapping_neg());
        after &= after.wrapping_sub(1);
        self.order[right % SHORT] = NONE;
        let before = self.alive & ((1 << at) - 1);
        if after != 0 {
            let next = self.ids[after.trailing_zeros() as usize % SHORT];
            asked.push(lane, at, (id, next));
        }
        if before != 0 {
            let at = before.ilog2() as usize % SHORT;
            asked.push(lane, at, (self.ids[at], id));
        }
        true
    }

    /// The two symbols that are left, if there are two.
    fn pair(&self) -> Option<(u32, u32)> {
        let (first, rest) = (self.alive.trailing_zeros(), self.alive & self.alive.wrapping_sub(1));
        rest.is_power_of_two()
            .then(|| (self.ids[first as usize % SHORT], self.ids[rest.trailing_zeros() as usize % SHORT]))
    }
}
