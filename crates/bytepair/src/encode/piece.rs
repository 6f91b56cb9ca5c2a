//! Merging the symbols of one pretoken.
//!
//! Idea: the rule is "merge the pair of the lowest rank, the leftmost of equals, until none is left". A short pretoken
//! keeps the rank of each pair beside its left symbol and looks for the lowest by a plain scan, which beats anything
//! cleverer. A long one keeps its symbols in a linked list and the pairs in a [`Queue`] ordered by (rank, position); an
//! entry is out of date, and skipped, when the pair at its position no longer has its rank.
//!
//! Invariant: `made` beside a symbol is always what the pair that starts there merges into. Its rank may be lower than
//! one that was merged before (merge lists need not be monotonic): nothing here assumes otherwise.
//!
//! Cost: the square of at most [`SHORT`] symbols, or n log n. Buffers are re-used; nothing recurses.

use std::ops::ControlFlow;

use crate::encode::few::merge_few;
use crate::encode::queue::Queue;
use crate::vocabulary::{Made, NONE, NOTHING, Vocabulary};

/// Up to this many symbols are merged by scanning.
const SHORT: usize = 64;

/// Buffers for more symbols are not kept from call to call.
const LARGE: usize = 1 << 16;

/// No neighbour. Pretokens and contents are shorter than this ([`LONGEST`]).
const END: u32 = u32::MAX;

/// The most bytes of a pretoken or a content.
pub(crate) const LONGEST: usize = END as usize - 1;

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
    before: u32,
    after: u32,
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
    links: Vec<Link>,
    queue: Queue,
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
    /// Gives back what a very long pretoken took.
    pub(crate) fn trim(&mut self) {
        if self.links.capacity() > LARGE || self.symbols.capacity() > LARGE {
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
            self.merge_long(rules, on_merge, emit);
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

    /// Merges `symbols` by a queue over a linked list.
    fn merge_long<F: Flow>(
        &mut self,
        rules: Rules<'_>,
        mut on_merge: impl FnMut(Merged) -> F,
        mut emit: impl FnMut(u32, usize),
    ) {
        self.link(rules);
        let links = &mut self.links;
        while let Some((rank, at)) = self.queue.pop() {
            let left = links[at as usize];
            if left.made.rank != rank {
                continue;
            }
            // A pair with a rank has a right side.
            let right = links[left.after as usize];
            let id = left.made.id;
            let (start, next) = (at as usize, left.after as usize);
            let flow = on_merge(Merged { left: start, right: next, pair: (left.id, right.id), rank, id });
            links[next].made = NOTHING;
            let made = links.get(right.after as usize).map_or(NOTHING, |next| rules.made(id, next.id));
            links[start] = Link { id, made, before: left.before, after: right.after };
            if made.rank != NONE {
                self.queue.push(made.rank, at);
            }
            if let Some(next) = links.get_mut(right.after as usize) {
                next.before = at;
            }
            if let Some(before) = links.get_mut(left.before as usize) {
                before.made = rules.made(before.id, id);
                if before.made.rank != NONE {
                    self.queue.push(before.made.rank, left.before);
                }
            }
            if flow.stops() {
                self.queue = Queue::default();
                break;
            }
        }
        let mut at = 0;
        while let Some(link) = links.get(at) {
            emit(link.id, at);
            at = link.after as usize;
        }
    }

    /// Builds the linked list and the queue of `symbols`.
    fn link(&mut self, rules: Rules<'_>) {
        self.links.clear();
        let mut ids = (0..END).zip(&self.symbols).peekable();
        while let Some((at, &id)) = ids.next() {
            let next = ids.peek();
            let made = next.map_or(NOTHING, |&(_, &next)| rules.made(id, next));
            let after = next.map_or(END, |&(next, _)| next);
            self.links.push(Link { id, made, before: at.checked_sub(1).unwrap_or(END), after });
            if made.rank != NONE {
                self.queue.push(made.rank, at);
            }
        }
    }
}
