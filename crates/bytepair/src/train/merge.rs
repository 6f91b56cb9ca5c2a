//! One merge: the pair is replaced at all its sites, and the pairs around them change.
//!
//! The idea: at each site the token left of it and the token right of it lose one pair and gain another, so what a merge changes
//! is one sum and one list of positions for each distinct neighbour. They are gathered in arrays by token id and
//! then cost one look-up a neighbour, not one a site.
//!
//! Invariant: sites are taken in ascending order, which is from left to right in every pretoken; so overlapping sites are
//! replaced without overlap, a replaced site is the left neighbour of the next one, and the gathered lists ascend.
//! Gains are booked before losses, so no count passes below zero. Cost: O(1) a site, whatever the pretoken's length.

use super::layout::{Cursor, DEAD, EDGE, Text};
use super::pairs::Pairs;
use super::tokens::Tokens;

/// What a merge changes beside one neighbour.
#[derive(Debug, Default)]
struct Change {
    count: u64,
    positions: Vec<u32>,
}

/// The changes on one side of the sites.
#[derive(Debug, Default)]
struct Side {
    /// By id of the neighbour.
    changes: Vec<Change>,
    /// The neighbours met.
    met: Vec<u32>,
}

impl Side {
    #[inline]
    fn add(&mut self, neighbour: u32, count: u64, position: u32) {
        let change = &mut self.changes[neighbour as usize];
        if change.positions.is_empty() {
            self.met.push(neighbour);
        }
        change.count += count;
        change.positions.push(position);
    }
}

/// Replaces pairs; keeps its arrays between merges.
#[derive(Debug, Default)]
pub(super) struct Merger {
    left: Side,
    right: Side,
    /// The pairs that the last merge gave new sites.
    pub(super) raised: Vec<u32>,
}

impl Merger {
    /// Replaces pair `index` by `token` at all its sites, and books what changes. Gives the replacements, times the
    /// pretokens' counts.
    pub(super) fn merge(&mut self, index: u32, token: u32, text: &mut Text, pairs: &mut Pairs, tokens: &Tokens) -> u64 {
        self.left.changes.resize_with(tokens.len(), Change::default);
        self.right.changes.resize_with(tokens.len(), Change::default);
        let (left, right) = (pairs[index].left, pairs[index].right);
        let positions = pairs.take(index);
        let fired = self.replace((left, right), token, &positions, text, tokens);
        drop(positions);
        self.book((left, right), token, pairs, tokens);
        fired
    }

    /// Replaces the pair in the text and gathers the changes.
    fn replace(&mut self, pair: (u32, u32), token: u32, positions: &[u32], text: &mut Text, tokens: &Tokens) -> u64 {
        let (left_width, right_width) = (tokens.width(pair.0), tokens.width(pair.1));
        let mut cursor = Cursor::new(&text.runs);
        let symbols = &mut text.symbols;
        let mut fired = 0;
        for &position in positions {
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
    fn book(&mut self, pair: (u32, u32), token: u32, pairs: &mut Pairs, tokens: &Tokens) {
        self.raised.clear();
        for &before in &self.left.met {
            let change = &mut self.left.changes[before as usize];
            self.raised.extend(pairs.raise((before, token), change.count, &mut change.positions, tokens));
        }
        for &after in &self.right.met {
            let change = &mut self.right.changes[after as usize];
            self.raised.extend(pairs.raise((token, after), change.count, &mut change.positions, tokens));
        }
        // Where the pair overlaps itself (`aaa`), its own count is already settled: it stands nowhere.
        for before in self.left.met.drain(..) {
            let count = std::mem::take(&mut self.left.changes[before as usize].count);
            if (before, pair.0) != pair {
                pairs.lower(before, pair.0, count);
            }
        }
        for after in self.right.met.drain(..) {
            let count = std::mem::take(&mut self.right.changes[after as usize].count);
            if (pair.1, after) != pair {
                pairs.lower(pair.1, after, count);
            }
        }
    }
}
