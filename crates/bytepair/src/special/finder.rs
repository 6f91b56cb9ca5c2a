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

use super::backward::{Backward, Begin};
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

/// A text, and what is known of it. It is small, since iterators over cuts move it about.
#[derive(Debug)]
pub(super) struct Finder<'s, 't> {
    pub(super) round: &'s Round,
    pub(super) text: &'t [u8],
    /// How many bytes were read, at most.
    pub(super) read: usize,
    known: Option<Box<Known>>,
}

/// What is known of a text, if anything had to be.
#[derive(Debug, Default)]
struct Known {
    /// The block that was read backwards last.
    block: Range<usize>,
    /// Where in it something begins.
    begins: Vec<Begin>,
    /// Of those that are not accepted, the longest that is and that they begin with.
    shorter: FxHashMap<usize, Option<usize>>,
    /// What reads backwards, where that of the round is still being made.
    own: Option<Backward>,
}

impl<'s, 't> Finder<'s, 't> {
    pub(super) fn new(round: &'s Round, text: &'t [u8]) -> Self {
        Self { round, text, read: 0, known: None }
    }

    /// The first accepted token that starts at or after byte `from` and before `until`: of those that start first, the
    /// longest. Every call must accept the same.
    pub(super) fn find(&mut self, mut from: usize, until: usize, accept: impl Fn(usize) -> bool) -> Option<Found> {
        let round = self.round;
        let until = until.min(self.text.len());
        while from < until {
            let known = self.known.as_ref().map_or(0, |known| known.block.end);
            let first = if from >= known && self.read <= FREE + TIMES * from {
                let seen = self.text.len().min(until + round.longest());
                let first = round.first(self.text, from..seen);
                // Once it has found one, the automaton only looks how long it is.
                self.read += first.map_or(seen, |(start, _)| seen.min(start + round.longest())) - from;
                Ok(first?)
            } else {
                self.look_up(from)
            };
            let (start, whole) = match first {
                Ok(first) => first,
                Err(end) => {
                    from = end;
                    continue;
                }
            };
            if start >= until {
                return None;
            }
            let is_accepted = accept(round.sought(whole).1);
            if let Some(sought) = if is_accepted { Some(whole) } else { self.shorter(whole, &accept) } {
                let (length, token) = round.sought(sought);
                return Some(Found { start, end: start + length, token });
            }
            from = start + 1;
        }
        None
    }

    /// The first place in the known block, or in one that starts there and becomes it, at which anything begins, and the longest
    /// that does; or where the block ends.
    #[cold]
    fn look_up(&mut self, from: usize) -> std::result::Result<(usize, usize), usize> {
        let round = self.round;
        let known = self.known.get_or_insert_default();
        if !known.block.contains(&from) {
            let end = self.text.len().min(from + round.longest().max(BLOCK));
            let seen = self.text.len().min(end + round.longest());
            let backward = match round.backward() {
                Some(backward) => backward,
                None => known.own.get_or_insert_with(|| round.new_backward()),
            };
            known.begins = backward.begins(&self.text[from..seen], end - from);
            known.block = from..end;
            self.read += seen - from;
        }
        let place = |begin: &Begin| known.block.start + begin.at as usize;
        let at = known.begins.partition_point(|begin| place(begin) < from);
        let first = known.begins.get(at).ok_or(known.block.end)?;
        Ok((place(first), round.of_pattern(first.number as usize)))
    }

    /// The longest that is accepted and that one text, which is not, begins with; all by their places in what is sought.
    #[cold]
    fn shorter(&mut self, sought: usize, accept: &impl Fn(usize) -> bool) -> Option<usize> {
        let round = self.round;
        let mut next = Some(round.prefix(sought)?);
        let known = &mut self.known.get_or_insert_default().shorter;
        if let Some(&next) = known.get(&sought) {
            return next;
        }
        let mut passed = vec![sought];
        while let Some(sought) = next.filter(|&next| !accept(round.sought(next).1)) {
            if let Some(&known) = known.get(&sought) {
                next = known;
                break;
            }
            passed.push(sought);
            next = round.prefix(sought);
        }
        known.extend(passed.into_iter().map(|sought| (sought, next)));
        next
    }
}
