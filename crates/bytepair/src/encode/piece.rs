//! Merging the symbols of one pretoken.
//!
//! Idea: the rule is "merge the pair of the lowest rank, the leftmost of equals, until none is left". A short pretoken
//! keeps the rank of each pair beside its left symbol and looks for the lowest by a plain scan, which beats anything
//! cleverer. A longer one is merged by a queue ([`Long`]).
//!
//! Invariant: `made` beside a symbol is always what the pair that starts there merges into. Its rank may be lower than
//! one that was merged before (merge lists need not be monotonic): nothing here assumes otherwise.
//!
//! Cost: the square of at most [`SHORT`] symbols, or n log n. Buffers are re-used; nothing recurses.

use std::ops::ControlFlow;

use crate::encode::few::merge_few;
use crate::encode::long::Long;
use crate::vocabulary::{Made, NONE, NOTHING, Vocabulary};

/// Up to this many symbols are merged by scanning.
const SHORT: usize = 64;

/// Buffers for more symbols are not kept from call to call.
const LARGE: usize = 1 << 16;

/// The most bytes of a pretoken or a content.
pub(crate) const LONGEST: usize = u32::MAX as usize - 1;

/// One merge, as it happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Merged {
    /// The first base symbol of the left part.
    pub(crate) left: usize,
    /// The first base symbol of the right part.
    pub(crate) right: usize,
    /// The ids that were merged.
    pub(crate) pair: (u32, u32),
    /// The merge's rank.
    pub(crate) rank: u32,
    /// The id it made.
    pub(crate) id: u32,
}

/// A symbol of a short pretoken, with what it and the next one merge into.
#[derive(Debug, Clone, Copy)]
struct Part {
    id: u32,
    start: u32,
    made: Made,
}

/// What `on_merge` gives back: nothing, or whether to go on.
pub(crate) trait Flow {
    /// Whether to stop.
    fn stops(&self) -> bool;
}

impl Flow for () {
    #[inline]
    fn stops(&self) -> bool {
        false
    }
}

impl Flow for ControlFlow<()> {
    #[inline]
    fn stops(&self) -> bool {
        self.is_break()
    }
}

/// The buffers for merging pretokens, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    /// The base symbols of the next pretoken; [`NONE`] is one that merges with nothing.
    pub(crate) symbols: Vec<u32>,
    parts: Vec<Part>,
    long: Long,
}

/// Which merges apply.
#[derive(Clone, Copy)]
pub(super) struct Rules<'a> {
    pub(super) vocabulary: &'a Vocabulary,
    pub(super) below: u32,
}

impl Rules<'_> {
    #[inline]
    pub(super) fn made(self, left: u32, right: u32) -> Made {
        let made = self.vocabulary.made(left, right);
        if made.rank < self.below { made } else { NOTHING }
    }

    /// The rank of what a pair merges into, or [`NONE`].
    #[inline]
    pub(super) fn rank(self, left: u32, right: u32) -> u32 {
        self.made(left, right).rank
    }
}

impl Piece {
    /// Gives back what a very long pretoken took.
    pub(crate) fn trim(&mut self) {
        if self.long.capacity() > LARGE || self.symbols.capacity() > LARGE {
            *self = Self::default();
        }
    }

    /// Merges `symbols` and emits what is left: each id, and its first base symbol. Only merges of a rank below
    /// `below` apply ([`NONE`]: all). `on_merge` sees every merge; it may stop the merging of a long pretoken.
    pub(crate) fn merge<F: Flow>(
        &mut self,
        vocabulary: &Vocabulary,
        below: u32,
        mut on_merge: impl FnMut(Merged) -> F,
        emit: impl FnMut(u32, usize),
    ) {
        let rules = Rules { vocabulary, below };
        if self.symbols.len() <= SHORT {
            self.parts.clear();
            let mut ids = self.symbols.iter().zip(0u32..).peekable();
            while let Some((&id, start)) = ids.next() {
                let made = ids.peek().map_or(NOTHING, |&(&next, _)| rules.made(id, next));
                self.parts.push(Part { id, start, made });
            }
            self.merge_short(rules, |merged| drop(on_merge(merged)), emit);
        } else {
            self.long.merge(&self.symbols, rules, on_merge, emit);
        }
    }

    /// Merges the bytes of `word`, all of which are base symbols, and emits the ids. Only merges of a rank below
    /// `below` apply.
    #[inline]
    pub(crate) fn merge_bytes(&mut self, vocabulary: &Vocabulary, word: &[u8], below: u32, mut emit: impl FnMut(u32)) {
        if below == NONE && merge_few(vocabulary, word, &mut emit) {
            return;
        }
        self.symbols.clear();
        self.symbols.extend(word.iter().map(|&byte| vocabulary.byte(byte)));
        self.merge(vocabulary, below, |_| {}, |id, _| emit(id));
    }

    /// Merges `parts` by scanning for the lowest rank.
    #[inline]
    fn merge_short(&mut self, rules: Rules<'_>, mut on_merge: impl FnMut(Merged), mut emit: impl FnMut(u32, usize)) {
        let parts = &mut self.parts;
        loop {
            let mut rank = NONE;
            let mut at = 0;
            for (index, part) in parts.iter().enumerate() {
                if part.made.rank < rank {
                    rank = part.made.rank;
                    at = index;
                }
            }
            if rank == NONE {
                break;
            }
            // The last part's pair has no rank, so `at` has a neighbour.
            let left = parts[at];
            let right = parts.remove(at + 1);
            let id = left.made.id;
            on_merge(Merged {
                left: left.start as usize,
                right: right.start as usize,
                pair: (left.id, right.id),
                rank,
                id,
            });
            parts[at] =
                Part { id, start: left.start, made: parts.get(at + 1).map_or(NOTHING, |p| rules.made(id, p.id)) };
            if at > 0 {
                parts[at - 1].made = rules.made(parts[at - 1].id, id);
            }
        }
        for part in &*parts {
            emit(part.id, part.start as usize);
        }
    }
}
