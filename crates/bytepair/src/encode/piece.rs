//! Merging the symbols of one pretoken.
//!
//! Idea: the rule is "merge the pair of the lowest rank, the leftmost of equals, until none is left". A short pretoken
//! keeps the rank of each pair beside its left symbol and looks for the lowest by a plain scan, which beats anything
//! cleverer. A long one keeps its symbols in a linked list and the pairs in a heap ordered by (rank, position); an
//! entry is out of date, and skipped, when the pair at its position no longer has its rank.
//!
//! Invariant: `rank` beside a symbol is always the rank of the pair that starts there. It may be lower than a rank that
//! was merged before (merge lists need not be monotonic): nothing here assumes otherwise.
//!
//! Cost: the square of at most [`SHORT`] symbols, or n log n. Buffers are re-used; nothing recurses.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::vocabulary::{Made, NONE, NOTHING, Vocabulary};

/// Up to this many symbols are merged by scanning.
const SHORT: usize = 64;

/// No neighbour.
const END: usize = usize::MAX;

/// One merge, as it happens.
#[derive(Debug, Clone, Copy)]
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

/// A symbol of a long pretoken; its index is its first base symbol.
#[derive(Debug, Clone, Copy)]
struct Link {
    id: u32,
    made: Made,
    before: usize,
    after: usize,
}

/// The buffers for merging pretokens, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    /// The base symbols of the next pretoken; [`NONE`] is one that merges with nothing.
    pub(crate) symbols: Vec<u32>,
    parts: Vec<Part>,
    links: Vec<Link>,
    heap: BinaryHeap<Reverse<(u32, usize)>>,
}

/// Which merges apply.
#[derive(Clone, Copy)]
struct Rules<'a> {
    vocabulary: &'a Vocabulary,
    below: u32,
}

impl Rules<'_> {
    #[inline]
    fn made(self, left: u32, right: u32) -> Made {
        let made = self.vocabulary.made(left, right);
        if made.rank < self.below { made } else { NOTHING }
    }
}

impl Piece {
    /// Merges `symbols` and emits what is left: each id, and its first base symbol. Only merges of a rank below
    /// `below` apply ([`NONE`]: all). `on_merge` sees every merge.
    pub(crate) fn merge(
        &mut self,
        vocabulary: &Vocabulary,
        below: u32,
        on_merge: impl FnMut(Merged),
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
            self.merge_short(rules, on_merge, emit);
        } else {
            self.merge_long(rules, on_merge, emit);
        }
    }

    /// Merges the bytes of `word`, all of which are base symbols, and emits the ids.
    #[inline]
    pub(crate) fn merge_bytes(&mut self, vocabulary: &Vocabulary, word: &[u8], mut emit: impl FnMut(u32)) {
        if word.len() > SHORT {
            self.symbols.clear();
            self.symbols.extend(word.iter().map(|&byte| vocabulary.byte(byte)));
            self.merge_long(Rules { vocabulary, below: NONE }, |_| {}, |id, _| emit(id));
            return;
        }
        self.parts.clear();
        let pairs = word.windows(2).map(|pair| match *pair {
            [left, right] => vocabulary.made_of_bytes(left, right),
            _ => NOTHING,
        });
        let symbols = word.iter().zip(0u32..).zip(pairs.chain([NOTHING]));
        self.parts.extend(symbols.map(|((&byte, start), made)| Part { id: vocabulary.byte(byte), start, made }));
        self.merge_short(Rules { vocabulary, below: NONE }, |_| {}, |id, _| emit(id));
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

    /// Merges `symbols` by a heap over a linked list.
    fn merge_long(&mut self, rules: Rules<'_>, mut on_merge: impl FnMut(Merged), mut emit: impl FnMut(u32, usize)) {
        self.link(rules);
        let links = &mut self.links;
        while let Some(Reverse((rank, at))) = self.heap.pop() {
            let left = links[at];
            if left.made.rank != rank {
                continue;
            }
            // A pair with a rank has a right side.
            let right = links[left.after];
            let id = left.made.id;
            on_merge(Merged { left: at, right: left.after, pair: (left.id, right.id), rank, id });
            links[left.after].made = NOTHING;
            let made = links.get(right.after).map_or(NOTHING, |next| rules.made(id, next.id));
            links[at] = Link { id, made, before: left.before, after: right.after };
            if made.rank != NONE {
                self.heap.push(Reverse((made.rank, at)));
            }
            if let Some(next) = links.get_mut(right.after) {
                next.before = at;
            }
            if let Some(before) = links.get_mut(left.before) {
                before.made = rules.made(before.id, id);
                if before.made.rank != NONE {
                    self.heap.push(Reverse((before.made.rank, left.before)));
                }
            }
        }
        let mut at = 0;
        while let Some(link) = links.get(at) {
            emit(link.id, at);
            at = link.after;
        }
    }

    /// Builds the linked list and the heap of `symbols`.
    fn link(&mut self, rules: Rules<'_>) {
        let ids = &self.symbols;
        self.links.clear();
        self.links.extend(ids.iter().enumerate().map(|(index, &id)| {
            let next = ids.get(index + 1);
            Link {
                id,
                made: next.map_or(NOTHING, |&next| rules.made(id, next)),
                before: if index == 0 { END } else { index - 1 },
                after: if next.is_some() { index + 1 } else { END },
            }
        }));
        self.heap.clear();
        let pairs = self.links.iter().enumerate().filter(|(_, link)| link.made.rank != NONE);
        self.heap.extend(pairs.map(|(index, link)| Reverse((link.made.rank, index))));
    }
}
