//! One merge: the pair is replaced at all its sites, and the pairs around them change.
//!
//! The idea: at each site the token left of it and the token right of it lose one pair and gain another, so what a merge changes
//! is one sum for each distinct neighbour, and one list of positions for those few whose pair is hot. Sums are gathered
//! in arrays by token and then cost one look-up a neighbour, not one a site. What is looked up next is asked for ahead.
//!
//! Invariant: sites are taken in ascending order, which is from left to right in every pretoken; so overlapping sites are
//! replaced without overlap, a replaced site is the left neighbour of the next one, and the gathered lists ascend.
//! Gains are booked before losses, so no count passes below zero. Cost: O(1) a site, whatever the pretoken's length.

use super::layout::{Cursor, DEAD, EDGE, Text};
use super::lexicon::Lexicon;
use super::pairs::Pairs;
use super::tokens::Tokens;
use crate::cancel::Cancel;
use crate::error::Result;
use crate::memory::prefetch;

/// How many sites, and how many neighbours, ahead memory is asked for.
const AHEAD: usize = 16;
/// How many sites are gathered at a time.
const BLOCK: usize = 1 << 16;
/// No list.
const NONE: u32 = u32::MAX;

/// What a merge changes beside one neighbour.
#[derive(Debug, Clone, Copy)]
struct Change {
    count: u64,
    sites: u32,
    /// The number of the list of positions.
    list: u32,
}

/// Nothing.
const UNCHANGED: Change = Change { count: 0, sites: 0, list: NONE };

/// The changes on one side of the sites.
#[derive(Debug, Default)]
struct Side {
    /// By neighbour.
    changes: Vec<Change>,
    /// The neighbours met.
    met: Vec<u32>,
    lists: Vec<Vec<u32>>,
    /// The sites of this block: neighbour and the position of the pair with it.
    sites: Vec<(u32, u32)>,
}

impl Side {
    #[inline]
    fn add(&mut self, neighbour: u32, count: u64, position: u32) {
        let change = &mut self.changes[neighbour as usize];
        if change.sites == 0 {
            self.met.push(neighbour);
        }
        change.count += count;
        change.sites += 1;
        self.sites.push((neighbour, position));
    }

    /// Sorts the positions of the block into the lists of those neighbours that `wants` one.
    fn list(&mut self, wants: impl Fn(u64) -> bool) {
        for &neighbour in &self.met {
            let change = &mut self.changes[neighbour as usize];
            if change.list == NONE && wants(change.count) {
                // No merge has more neighbours than there are ids of 32 bits.
                change.list = u32::try_from(self.lists.len()).unwrap_or(NONE);
                self.lists.push(Vec::with_capacity(change.sites as usize));
            }
        }
        if !self.lists.is_empty() {
            for &(neighbour, position) in &self.sites {
                let list = self.changes[neighbour as usize].list;
                if list != NONE {
                    self.lists[list as usize].push(position);
                }
            }
        }
        self.sites.clear();
    }

    /// The neighbour `AHEAD` of this one.
    fn ahead(&self, at: usize) -> Option<u32> {
        self.met.get(at + AHEAD).copied()
    }

    /// The list of a neighbour, if there is one.
    fn take_list(&mut self, change: Change) -> Vec<u32> {
        self.lists.get_mut(change.list as usize).map(std::mem::take).unwrap_or_default()
    }

    fn clear(&mut self) {
        for neighbour in self.met.drain(..) {
            self.changes[neighbour as usize] = UNCHANGED;
        }
        self.lists.clear();
    }
}

/// Replaces pairs; keeps its arrays between merges.
#[derive(Debug, Default)]
pub(super) struct Merger {
    left: Side,
    right: Side,
    /// The hot pairs that the last merge gave new sites.
    pub(super) raised: Vec<u32>,
}

impl Merger {
    /// Replaces hot pair `index` by `token` at all its sites, and books what changes. `reused` says whether the token may
    /// stand in the text already. Gives the replacements, times the pretokens' counts.
    pub(super) fn merge(
        &mut self,
        index: u32,
        (token, reused): (u32, bool),
        text: &mut Text,
        pairs: &mut Pairs,
        lexicon: &Lexicon,
        cancel: Cancel<'_>,
    ) -> Result<u64> {
        let tokens = &lexicon.tokens;
        self.left.changes.resize(tokens.len(), UNCHANGED);
        self.right.changes.resize(tokens.len(), UNCHANGED);
        let pair = (pairs[index].left, pairs[index].right);
        let positions = pairs[index].take();
        // Which sums are hot is known after the last block; pairs with a reused token may be hot already.
        let all = reused || positions.len() > BLOCK;
        let mut cursor = Cursor::new(&text.runs);
        let mut fired = 0;
        for start in (0..positions.len()).step_by(BLOCK) {
            if start > 0 {
                cancel.check()?;
            }
            let block = start..positions.len().min(start + BLOCK);
            fired += self.replace(pair, token, &positions, block, &mut text.symbols, &mut cursor, tokens);
            self.left.list(|count| all || pairs.is_hot(count));
            self.right.list(|count| all || pairs.is_hot(count));
        }
        drop(positions);
        self.book(pair, (token, reused), pairs, lexicon, cancel)?;
        Ok(fired)
    }

    /// Replaces the pair in a block of its sites and gathers the changes.
    #[expect(clippy::too_many_arguments, reason = "the loop that everything else is for")]
    fn replace(
        &mut self,
        pair: (u32, u32),
        token: u32,
        positions: &[u32],
        block: std::ops::Range<usize>,
        symbols: &mut [u32],
        cursor: &mut Cursor<'_>,
        tokens: &Tokens,
    ) -> u64 {
        let (left_width, right_width) = (tokens.width(pair.0), tokens.width(pair.1));
        let mut fired = 0;
        for at in block {
            if let Some(&ahead) = positions.get(at + AHEAD) {
                prefetch(&raw const symbols[ahead as usize]);
            }
            let position = positions[at];
            let start = position as usize;
            if symbols[start] != pair.0 {
                continue;
            }
            let middle = start + left_width as usize;
            if symbols[middle] != pair.1 {
                continue;
            }
            let end = middle + right_width as usize;
            let count = cursor.count(position);
            fired += count;
            let (before, after) = (symbols[start - 1], symbols[end]);
            if before != EDGE {
                self.left.add(before, count, position - tokens.width(before));
            }
            if after != EDGE {
                self.right.add(after, count, position);
            }
            symbols[middle - 1] = DEAD;
            symbols[middle] = DEAD;
            symbols[start] = token;
            symbols[end - 1] = token;
        }
        fired
    }

    /// Books the gathered changes: gains first, then losses.
    fn book(
        &mut self,
        pair: (u32, u32),
        (token, reused): (u32, bool),
        pairs: &mut Pairs,
        lexicon: &Lexicon,
        cancel: Cancel<'_>,
    ) -> Result<()> {
        let Self { left, right, raised } = self;
        // What holds a token that is new was never merged.
        let known = reused.then_some(&lexicon.merges);
        raised.clear();
        pairs.reserve(left.met.len() + right.met.len(), cancel)?;
        for at in 0..left.met.len() {
            if let Some(ahead) = left.ahead(at) {
                pairs.prefetch(ahead, token);
            }
            let before = left.met[at];
            let change = left.changes[before as usize];
            raised.extend(pairs.raise((before, token), change.count, left.take_list(change), (lexicon, known)));
        }
        for at in 0..right.met.len() {
            if let Some(ahead) = right.ahead(at) {
                pairs.prefetch(token, ahead);
            }
            let after = right.met[at];
            let change = right.changes[after as usize];
            raised.extend(pairs.raise((token, after), change.count, right.take_list(change), (lexicon, known)));
        }
        // Where the pair overlaps itself (`aaa`), its own count is already settled: it stands nowhere.
        for (at, &before) in left.met.iter().enumerate() {
            if let Some(ahead) = left.ahead(at) {
                pairs.prefetch(ahead, pair.0);
            }
            if (before, pair.0) != pair {
                pairs.lower(before, pair.0, left.changes[before as usize].count);
            }
        }
        for (at, &after) in right.met.iter().enumerate() {
            if let Some(ahead) = right.ahead(at) {
                pairs.prefetch(pair.1, ahead);
            }
            if (pair.1, after) != pair {
                pairs.lower(pair.1, after, right.changes[after as usize].count);
            }
        }
        left.clear();
        right.clear();
        Ok(())
    }
}
