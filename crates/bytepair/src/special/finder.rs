//! The search of one text for the tokens of a round.
//!
//! Idea: nothing is faster than the automaton of the round where there is little to find. But behind what it finds it reads
//! on, since a longer one may follow, and what is not accepted makes it start again one byte later: where a long one nearly
//! matches, every find may cost as much as that is long. So what it reads is counted. Where that is many times the text,
//! the next block is read backwards ([`Backward`](super::backward::Backward)), which tells what begins at each of its places.
//!
//! Where a call allows only some, a longer forbidden token must not hide a shorter allowed one: the tokens that are prefixes
//! of a token hang from it as a chain. Where a chain led to is remembered, so that no link is followed twice.
//!
//! Invariant: `begins` are all places of `known` at which a token begins, in order, each with the longest.
//!
//! Cost: linear in the text, whatever the tokens: a byte is read [`TIMES`] times and a few at worst. What is looked up in a
//! block is found by halving.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::backward::Begin;
use super::round::Round;

/// How often the automaton may read a text.
const TIMES: usize = 8;
/// So many bytes of it are read for nothing.
const FREE: usize = 1 << 10;
/// Bytes that are read backwards at a time; more where a token has more.
const BLOCK: usize = 1 << 12;

/// A token in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The index of the token.
    pub(super) token: usize,
}

/// A text, and what is known of it.
#[derive(Debug)]
pub(super) struct Finder<'s, 't> {
    round: &'s Round,
    text: &'t [u8],
    /// The block that was read backwards last.
    known: Range<usize>,
    /// Where in it something begins.
    begins: Vec<Begin>,
    /// How many bytes were read, at most.
    pub(super) read: usize,
    /// Of those that are not accepted, the longest that is and that they begin with.
    shorter: FxHashMap<usize, Option<usize>>,
}

impl<'s, 't> Finder<'s, 't> {
    pub(super) fn new(round: &'s Round, text: &'t [u8]) -> Self {
        Self { round, text, known: 0..0, begins: Vec::new(), read: 0, shorter: FxHashMap::default() }
    }

    /// The first accepted token that starts at or after byte `from` and before `until`: of those that start first, the
    /// longest. Every call must accept the same.
    pub(super) fn find(&mut self, mut from: usize, until: usize, accept: impl Fn(usize) -> bool) -> Option<Found> {
        let until = until.min(self.text.len());
        while from < until {
            let (start, number) = self.first(from, until)?;
            let whole = self.round.of_pattern(number);
            let is_accepted = |sought: usize| accept(self.round.sought(sought).1);
            let sought = if is_accepted(whole) { Some(whole) } else { self.shorter(whole, &accept) };
            if let Some(sought) = sought {
                let (length, token) = self.round.sought(sought);
                return Some(Found { start, end: start + length, token });
            }
            from = start + 1;
        }
        None
    }

    /// The first place in a part of the text at which anything begins, and the number of the longest.
    #[inline]
    fn first(&mut self, mut from: usize, until: usize) -> Option<(usize, u32)> {
        let longest = self.round.longest();
        while from < until {
            if self.known.contains(&from) {
                let place = |begin: &Begin| self.known.start + begin.at as usize;
                let at = self.begins.partition_point(|begin| place(begin) < from);
                if let Some(begin) = self.begins.get(at) {
                    return Some((place(begin), begin.number)).filter(|&(start, _)| start < until);
                }
                from = self.known.end;
            } else if self.read <= FREE + TIMES * from {
                let seen = self.text.len().min(until + longest);
                let first = self.round.first(self.text, from..seen);
                // Once it has found one, the automaton only looks how long it is.
                self.read += first.map_or(seen, |(start, _)| seen.min(start + longest)) - from;
                return first.filter(|&(start, _)| start < until);
            } else {
                self.read_backwards(from);
            }
        }
        None
    }

    /// Comes to know a block.
    #[cold]
    fn read_backwards(&mut self, from: usize) {
        let longest = self.round.longest();
        let end = self.text.len().min(from + longest.max(BLOCK));
        let seen = self.text.len().min(end + longest);
        self.begins = self.round.backward().begins(&self.text[from..seen], end - from);
        self.known = from..end;
        self.read += seen - from;
    }

    /// Of what is sought, the longest that is accepted and that one text, which is not, begins with.
    #[cold]
    fn shorter(&mut self, sought: usize, accept: &impl Fn(usize) -> bool) -> Option<usize> {
        let mut next = Some(self.round.prefix(sought)?);
        if let Some(&known) = self.shorter.get(&sought) {
            return known;
        }
        let mut passed = vec![sought];
        while let Some(sought) = next.filter(|&next| !accept(self.round.sought(next).1)) {
            if let Some(&known) = self.shorter.get(&sought) {
                next = known;
                break;
            }
            passed.push(sought);
            next = self.round.prefix(sought);
        }
        self.shorter.extend(passed.into_iter().map(|sought| (sought, next)));
        next
    }
}
