//! Every pair that occurs, and how often.
//!
//! The idea: most pairs never come near the top, so only those whose count reaches a cut-off, the *hot* ones, have a list of
//! the positions where they stand; of all others, the *cold* ones, the count is kept, and nothing else. When no hot pair is
//! left, the cut-off falls, and one walk through the text finds the positions of those that are above it now; never of many
//! more than there are merges to make.
//!
//! Invariant: a cold count is below the cut-off. A pair that stands nowhere may be missing, one that may never be merged is
//! marked as such or missing. Cost: 24 to 48 bytes a cold pair; one walk a fall, so O(log(highest count)) walks.

use super::hot::Hot;
use super::layout::{Cursor, Text};
use super::lexicon::Lexicon;
use super::map::PairMap;
use super::tokens::Tokens;
use crate::cancel::{Cancel, EVERY, Meter};
use crate::count::MOST_POSITIONS;
use crate::error::Result;

/// The cut-off falls to this part of the highest cold count.
const FALL: u64 = 8;
/// No fall stops at fewer pairs than this, if there are more below.
const FEWEST: usize = 1 << 10;
/// Set in the number of a pair that is hot; the low half is its place among those.
const HOT: u64 = 1 << 63;
/// The number of a pair that may not be merged.
const BARRED: u64 = MOST_POSITIONS + 2;
/// The number of a pair that has just been met.
const NEW: u64 = MOST_POSITIONS + 1;
/// How many neighbours that may be looked for are held, to be looked up together.
const CANDIDATES: usize = 1 << 10;
/// How many of them ahead memory is asked for.
const AHEAD: usize = 16;
/// A list starts with no more room than this.
const SMALL: usize = 32;
/// No token.
const NOBODY: u32 = u32::MAX;
/// No cold count is as high as this.
const MOST: u64 = 1 << 62;

/// All pairs.
#[derive(Debug)]
pub(super) struct Pairs {
    /// The count of a cold pair, or the place of a hot one.
    map: PairMap,
    hot: Vec<Hot>,
    /// Places that are free.
    free: Vec<u32>,
    /// Hot pairs whose positions are not all known.
    lacking: Vec<u32>,
    /// The cut-off.
    cut: u64,
    /// The cut-off never falls below this: lower counts are not asked for.
    floor: u64,
}

impl std::ops::Index<u32> for Pairs {
    type Output = Hot;
    #[inline]
    fn index(&self, index: u32) -> &Hot {
        &self.hot[index as usize]
    }
}

impl std::ops::IndexMut<u32> for Pairs {
    #[inline]
    fn index_mut(&mut self, index: u32) -> &mut Hot {
        &mut self.hot[index as usize]
    }
}

impl Pairs {
    /// The pairs of a text; none is hot yet. Counts below `floor` are not asked for.
    pub(super) fn of(text: &Text, lexicon: &Lexicon, floor: u64, cancel: Cancel<'_>) -> Result<Self> {
        let Lexicon { tokens, limits, .. } = lexicon;
        let mut map = PairMap::default();
        let mut cursor = Cursor::new(&text.runs);
        let mut next = 0;
        for (position, left, right) in text.adjacent(tokens) {
            if position as usize >= next {
                cancel.check()?;
                // Room for as many pairs as can come until the next check.
                map.reserve(EVERY, |_| true, cancel)?;
                next = position as usize + EVERY;
            }
            let number = map.entry(left, right, NEW);
            if *number == NEW {
                *number = if limits.allow(tokens.content(left), tokens.content(right)) { 0 } else { BARRED };
            }
            if *number != BARRED {
                *number += cursor.count(position);
            }
        }
        let (hot, free, lacking) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { map, hot, free, lacking, cut: u64::MAX, floor })
    }

    /// Whether the cut-off has fallen as far as it may.
    pub(super) fn is_at_floor(&self) -> bool {
        self.cut <= self.floor
    }

    /// Whether a list of positions is asked for beside this count.
    #[inline]
    pub(super) fn is_hot(&self, count: u64) -> bool {
        count >= self.cut
    }

    /// Lowers the cut-off, where so many more merges are wanted. Gives the pairs that are hot now and were not.
    pub(super) fn fall(&mut self, wanted: usize, text: &Text, tokens: &Tokens, cancel: Cancel<'_>) -> Result<Vec<u32>> {
        cancel.check()?;
        // Before the first fall all numbers are counts, as high as a number can be.
        let hot = if self.cut == u64::MAX { BARRED } else { HOT };
        self.cut = self.next_cut(wanted, hot);
        let mut fresh = Vec::new();
        for (left, right, number) in self.map.iter_mut() {
            if *number >= self.cut && *number < hot {
                let index = seat(&mut self.hot, &mut self.free, Hot::new((left, right), *number, None));
                *number = HOT | u64::from(index);
                fresh.push(index);
            }
        }
        self.lacking.extend(&fresh);
        self.complete(text, tokens, cancel)?;
        Ok(fresh)
    }

    /// A part of the highest cold count; higher, if so many pairs are not wanted; never below the floor.
    fn next_cut(&self, wanted: usize, hot: u64) -> u64 {
        let counts = || self.map.values().filter(|&number| number < hot);
        let lowest = (counts().max().unwrap_or(0) / FALL).max(self.floor);
        let mut above: Vec<u64> = counts().filter(|&count| count >= lowest).collect();
        let last = wanted.max(FEWEST);
        let cut = if above.len() > last { *above.select_nth_unstable_by(last, |a, b| b.cmp(a)).1 } else { lowest };
        cut.min(MOST)
    }

    /// Makes a hot pair cold again whose count is below the cut-off and that is no merge.
    pub(super) fn cool(&mut self, index: u32) {
        let hot = &mut self.hot[index as usize];
        if hot.rank.is_some() || hot.count >= self.cut {
            return;
        }
        let cold = std::mem::replace(hot, Hot::new((NOBODY, NOBODY), 0, None));
        if let Some(number) = self.map.get_mut(cold.left, cold.right) {
            *number = cold.count;
            self.free.push(index);
        }
    }

    /// Makes a pair hot that is merged next, whatever its count; `None` when it was never met, or is not known any more, or may not
    /// be merged.
    pub(super) fn heat(
        &mut self,
        (left, right): (u32, u32),
        text: &Text,
        tokens: &Tokens,
        cancel: Cancel<'_>,
    ) -> Result<Option<u32>> {
        let Some(number) = self.map.get(left, right).filter(|&number| number != BARRED) else { return Ok(None) };
        if number >= HOT {
            return Ok(Some(place(number)));
        }
        let index = self.promote(left, right, number, None);
        if number > 0 {
            self.lacking.push(index);
            self.complete(text, tokens, cancel)?;
        }
        Ok(Some(index))
    }

    /// The count of a pair.
    pub(super) fn count(&self, left: u32, right: u32) -> u64 {
        match self.map.get(left, right) {
            None | Some(BARRED) => 0,
            Some(number) if number >= HOT => self[place(number)].count,
            Some(number) => number,
        }
    }

    /// Makes room for so many pairs that come.
    pub(super) fn reserve(&mut self, more: usize, cancel: Cancel<'_>) -> Result<()> {
        self.map.reserve(more, |number| number != 0 && number != BARRED, cancel)
    }

    /// Asks for what the next change of this pair's count will read.
    #[inline]
    pub(super) fn prefetch(&self, left: u32, right: u32) {
        self.map.prefetch(left, right);
    }

    /// Adds sites to a pair. The positions ascend and are new to it; they are needed where this count alone
    /// [is hot](Self::is_hot), and for a pair that may have stood somewhere before. `known` are the merges, if the pair may be one
    /// of them. Gives the place of a hot pair.
    pub(super) fn raise(
        &mut self,
        (left, right): (u32, u32),
        count: u64,
        positions: Vec<u32>,
        (lexicon, known): (&Lexicon, Option<&PairMap>),
    ) -> Option<u32> {
        let cut = self.cut;
        let number = self.meet(left, right, lexicon, known);
        if *number == BARRED {
            return None;
        }
        if *number >= HOT {
            let index = place(*number);
            self[index].add(count, positions);
            return Some(index);
        }
        let before = *number;
        if before + count < cut {
            *number += count;
            return None;
        }
        let index = self.promote(left, right, before, None);
        self[index].add(count, positions);
        if before > 0 {
            self.lacking.push(index);
        }
        Some(index)
    }

    /// Takes from a pair's count.
    #[inline]
    pub(super) fn lower(&mut self, left: u32, right: u32, count: u64) {
        match self.map.get_mut(left, right) {
            Some(number) if *number < HOT => *number -= count,
            None | Some(&mut BARRED) => {}
            Some(&mut number) => self[place(number)].lower(count),
        }
    }

    /// The highest count of a pair that may be merged, one left out; 0 if none stands.
    pub(super) fn highest(&self, but: Option<(u32, u32)>) -> u64 {
        let hot = self.hot.iter().filter(|hot| hot.rank.is_none() && but != Some((hot.left, hot.right)));
        let cold = self.map.values().filter(|&number| number < HOT);
        cold.chain(hot.map(|hot| hot.count)).max().unwrap_or(0)
    }

    /// Finds the positions of the pairs that lack some, in one walk through the text.
    pub(super) fn complete(&mut self, text: &Text, tokens: &Tokens, cancel: Cancel<'_>) -> Result<()> {
        if self.lacking.is_empty() {
            return Ok(());
        }
        let mut sieve = Sieve::new(self.lacking.len());
        // A list has no more positions than the count says.
        let room = |&index: &u32| usize::try_from(self[index].count).unwrap_or(usize::MAX).min(SMALL);
        let mut lists: Vec<Vec<u32>> = self.lacking.iter().map(|index| Vec::with_capacity(room(index))).collect();
        let mut found = PairMap::default();
        found.reserve(lists.len(), |_| true, cancel)?;
        for (number, &index) in (0..).zip(&self.lacking) {
            let hot = &self[index];
            sieve.add(found.hash(hot.left, hot.right));
            found.entry(hot.left, hot.right, number);
        }
        let mut look = |candidates: &[(u32, u32, u32)]| {
            for (at, &(position, left, right)) in candidates.iter().enumerate() {
                if let Some(&(_, left, right)) = candidates.get(at + AHEAD) {
                    found.prefetch(left, right);
                }
                if let Some(number) = found.get(left, right) {
                    lists[place(number) as usize].push(position);
                }
            }
        };
        let mut candidates = [(0, 0, 0); CANDIDATES];
        let mut held = 0;
        let mut meter = Meter::new(cancel);
        for candidate @ (position, left, right) in text.adjacent(tokens) {
            meter.reach(position as usize)?;
            candidates[held] = candidate;
            held += usize::from(sieve.has(found.hash(left, right)));
            if held == CANDIDATES {
                look(&candidates);
                held = 0;
            }
        }
        look(&candidates[..held]);
        for (index, mut list) in std::mem::take(&mut self.lacking).into_iter().zip(lists) {
            list.shrink_to_fit();
            self[index].set_positions(list);
        }
        Ok(())
    }

    /// The number of a pair that is met. There is room for it.
    #[inline]
    fn meet(&mut self, left: u32, right: u32, lexicon: &Lexicon, known: Option<&PairMap>) -> &mut u64 {
        if *self.map.entry(left, right, NEW) == NEW {
            self.admit(left, right, lexicon, known);
        }
        self.map.entry(left, right, NEW)
    }

    /// Decides what a pair is that was not there.
    fn admit(&mut self, left: u32, right: u32, lexicon: &Lexicon, known: Option<&PairMap>) {
        let Lexicon { tokens, limits, .. } = lexicon;
        let rank = known.and_then(|merges| merges.get(left, right)).map(place);
        if rank.is_some() {
            self.promote(left, right, 0, rank);
        } else {
            let allowed = limits.allow(tokens.content(left), tokens.content(right));
            *self.map.entry(left, right, NEW) = if allowed { 0 } else { BARRED };
        }
    }

    /// Makes a pair hot.
    fn promote(&mut self, left: u32, right: u32, count: u64, rank: Option<u32>) -> u32 {
        let index = seat(&mut self.hot, &mut self.free, Hot::new((left, right), count, rank));
        *self.map.entry(left, right, NEW) = HOT | u64::from(index);
        index
    }
}

/// The place in the number of a hot pair.
#[allow(clippy::cast_possible_truncation)] // the low half is meant
fn place(number: u64) -> u32 {
    number as u32
}

/// Puts a hot pair in a free place.
fn seat(list: &mut Vec<Hot>, free: &mut Vec<u32>, hot: Hot) -> u32 {
    if let Some(index) = free.pop() {
        list[index as usize] = hot;
        return index;
    }
    list.push(hot);
    // There are fewer pairs than positions in the text.
    u32::try_from(list.len() - 1).unwrap_or(u32::MAX)
}

/// Holds back most pairs that are not looked for: it is small enough to be at hand.
struct Sieve(Vec<u64>);

impl Sieve {
    fn new(pairs: usize) -> Self {
        Self(vec![0; (pairs / 4).next_power_of_two().clamp(64, 1 << 14)])
    }

    fn add(&mut self, hash: u64) {
        let at = self.at(hash);
        self.0[at] |= 1 << (hash >> 58);
    }

    #[inline]
    fn has(&self, hash: u64) -> bool {
        self.0[self.at(hash)] >> (hash >> 58) & 1 == 1
    }

    #[inline]
    fn at(&self, hash: u64) -> usize {
        crate::hash::low(hash >> 32) & (self.0.len() - 1)
    }
}
