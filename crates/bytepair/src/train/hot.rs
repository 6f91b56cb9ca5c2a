//! A pair that may be merged soon: its count and where it stands.
//!
//! The idea: a position is added when the pair comes to stand there and is never removed; whether it still holds is seen from
//! the text. Invariant: `count` is the number of positions at which the pair stands, times the pretokens' counts; all of them
//! are in the list, each once, beside stale ones. Cost: 4 bytes a position, 56 bytes a pair.

use super::layout::Text;
use super::tokens::Tokens;

/// One pair.
#[derive(Debug)]
pub(super) struct Hot {
    /// The left token.
    pub(super) left: u32,
    /// The right token.
    pub(super) right: u32,
    /// Positions at which it stands, times the pretokens' counts.
    pub(super) count: u64,
    /// The merge that it is, if it is one.
    pub(super) rank: Option<u32>,
    /// Not after its first position.
    pub(super) first: u32,
    /// How many of the first positions are known to be stale, while they ascend.
    stale: u32,
    /// Whether the positions ascend.
    ascending: bool,
    positions: Vec<u32>,
}

impl Hot {
    /// A pair whose positions are not known.
    pub(super) fn new((left, right): (u32, u32), count: u64, rank: Option<u32>) -> Self {
        Self { left, right, count, rank, first: u32::MAX, stale: 0, ascending: true, positions: Vec::new() }
    }

    /// Adds sites: their positions, ascending and not in the list yet, and their count.
    pub(super) fn add(&mut self, count: u64, mut positions: Vec<u32>) {
        self.count += count;
        let Some(&first) = positions.first() else { return };
        self.first = self.first.min(first);
        if self.positions.is_empty() {
            self.positions = positions;
            return;
        }
        self.ascending &= self.positions.last() < Some(&first);
        self.positions.append(&mut positions);
        if !self.ascending {
            self.stale = 0;
        }
    }

    /// Takes sites from the count.
    pub(super) fn lower(&mut self, count: u64) {
        self.count -= count;
        if self.count == 0 {
            self.set_positions(Vec::new());
        }
    }

    /// Takes all sites: their positions, ascending.
    pub(super) fn take(&mut self) -> Vec<u32> {
        self.order();
        self.count = 0;
        self.set_positions(Vec::new())
    }

    /// Puts other positions in place of all; they ascend, and hold every one at which the pair stands. Gives the old ones.
    pub(super) fn set_positions(&mut self, positions: Vec<u32>) -> Vec<u32> {
        self.first = positions.first().copied().unwrap_or(u32::MAX);
        self.ascending = true;
        self.stale = 0;
        std::mem::replace(&mut self.positions, positions)
    }

    /// Moves `first` to the position at which the pair, which stands somewhere, first stands.
    pub(super) fn find_first(&mut self, text: &Text, tokens: &Tokens) {
        self.order();
        let width = tokens.width(self.left);
        let rest = &self.positions[self.stale as usize..];
        for (skip, &position) in (0..).zip(rest) {
            if text.holds(position, self.left, width, self.right) {
                self.first = position;
                self.stale += skip;
                return;
            }
        }
    }

    /// Makes the positions ascend. They are a few runs that do, which this sort joins in linear time.
    #[expect(clippy::stable_sort_primitive, reason = "it knows runs")]
    fn order(&mut self) {
        if !self.ascending {
            self.positions.sort();
            self.ascending = true;
        }
    }
}

impl Text {
    /// Whether `left`, of this width, stands at `position` with `right` after it. Every position in a list of this pair once
    /// began the token `left`; tokens only grow, so the slot holds `left` only while that token still stands there.
    #[inline]
    fn holds(&self, position: u32, left: u32, width: u32, right: u32) -> bool {
        self.symbols[position as usize] == left && self.symbols[position as usize + width as usize] == right
    }
}
