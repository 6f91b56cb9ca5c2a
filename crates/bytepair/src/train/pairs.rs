//! Every pair that occurs: its count and where it stands.
//!
//! The idea: a pair keeps the list of the positions where it may stand. A position is added when the pair comes to stand there
//! and is never removed; whether it still holds is seen from the text. So a merge touches only the sites of its own pair.
//!
//! Invariant: `count` is the number of positions at which the pair stands, times the pretokens' counts; all of them
//! are in `positions`, each once, beside stale ones. A pair that stood nowhere since it was first met may be missing, and one
//! whose token would be too long is never kept. Cost: 4 bytes a position, 64 bytes a pair.

use super::layout::{Cursor, EDGE, Text};
use super::limits::Limits;
use super::map::PairMap;
use super::tokens::Tokens;
use crate::cancel::{Cancel, Meter};
use crate::error::Result;

/// Where the queue keeps a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// It is not queued: it stood nowhere when the queue last saw it.
    Nowhere,
    /// In the heap.
    Heap,
    /// In the list of those below the cut-off.
    Cold,
}

/// One pair.
#[derive(Debug)]
pub(super) struct Pair {
    /// The left id.
    pub(super) left: u32,
    /// The right id.
    pub(super) right: u32,
    /// Positions at which it stands, times the pretokens' counts.
    pub(super) count: u64,
    /// The merge that it became, if it did.
    pub(super) rank: Option<u32>,
    /// Where the queue keeps it.
    pub(super) place: Place,
    /// Not after its first position.
    pub(super) first: u32,
    /// Whether `positions` ascend.
    ascending: bool,
    /// How many of the first positions are known to be stale, while they ascend.
    stale: usize,
    positions: Vec<u32>,
}

impl Pair {
    fn new(left: u32, right: u32) -> Self {
        Self {
            left,
            right,
            count: 0,
            rank: None,
            place: Place::Nowhere,
            first: u32::MAX,
            ascending: true,
            stale: 0,
            positions: Vec::new(),
        }
    }

    /// Adds sites: their positions, ascending and not in the list yet, and their count. Leaves `positions` empty.
    fn add(&mut self, count: u64, positions: &mut Vec<u32>) {
        self.count += count;
        let Some(&first) = positions.first() else { return };
        self.first = self.first.min(first);
        if self.positions.is_empty() {
            self.positions = std::mem::take(positions);
            self.positions.shrink_to_fit();
            return;
        }
        self.ascending &= self.positions.last() < Some(&first);
        self.positions.append(positions);
        if !self.ascending {
            self.stale = 0;
        }
    }

    /// Forgets all positions, when it stands nowhere.
    fn clear(&mut self) {
        self.positions = Vec::new();
        self.ascending = true;
        self.stale = 0;
        self.first = u32::MAX;
    }

    /// Makes the positions ascend.
    fn order(&mut self) {
        if !self.ascending {
            self.positions.sort_unstable();
            self.ascending = true;
        }
    }

    /// Moves `first` to the position at which the pair, which stands somewhere, first stands.
    pub(super) fn find_first(&mut self, text: &Text, tokens: &Tokens) {
        self.order();
        let width = tokens.width(self.left);
        let rest = &self.positions[self.stale..];
        if let Some(skip) = rest.iter().position(|&position| text.holds(position, self.left, width, self.right)) {
            self.first = rest[skip];
            self.stale += skip;
        }
    }
}

impl Text {
    /// Whether `left`, of this width, stands at `position` with `right` after it. Every position in a list of this pair once
    /// began the token `left`; tokens only grow, so the slot holds `left` only while that token still stands there.
    #[inline]
    pub(super) fn holds(&self, position: u32, left: u32, width: u32, right: u32) -> bool {
        self.symbols[position as usize] == left && self.symbols[position as usize + width as usize] == right
    }
}

/// All pairs.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    list: Vec<Pair>,
    map: PairMap,
    /// The merges of the base, by rank: where their pairs come to stand they are merged, whatever the limits.
    known: PairMap,
    limits: Limits,
}

impl std::ops::Index<u32> for Pairs {
    type Output = Pair;
    #[inline]
    fn index(&self, index: u32) -> &Pair {
        &self.list[index as usize]
    }
}

impl std::ops::IndexMut<u32> for Pairs {
    #[inline]
    fn index_mut(&mut self, index: u32) -> &mut Pair {
        &mut self.list[index as usize]
    }
}

impl Pairs {
    /// The pairs of a text.
    pub(super) fn of(text: &Text, tokens: &Tokens, known: PairMap, limits: Limits, cancel: Cancel<'_>) -> Result<Self> {
        let mut pairs = Self { known, limits, ..Self::default() };
        let mut sites = Vec::new();
        let mut cursor = Cursor::new(&text.runs);
        let mut meter = Meter::new(cancel);
        for (position, left, right) in text.adjacent(tokens) {
            meter.reach(position as usize)?;
            let Some(index) = pairs.find_or_create(left, right, tokens) else { continue };
            if index as usize == sites.len() {
                sites.push(0);
            }
            sites[index as usize] += 1;
            pairs[index].count += cursor.count(position);
        }
        for (pair, sites) in pairs.list.iter_mut().zip(sites) {
            pair.positions.reserve_exact(sites);
        }
        let mut meter = Meter::new(cancel);
        for (position, left, right) in text.adjacent(tokens) {
            meter.reach(position as usize)?;
            if let Some(index) = pairs.map.get(left, right) {
                pairs[index].positions.push(position);
            }
        }
        for pair in &mut pairs.list {
            pair.first = pair.positions.first().copied().unwrap_or(u32::MAX);
        }
        Ok(pairs)
    }

    /// The numbers of all pairs: those below this.
    pub(super) fn len(&self) -> u32 {
        self.map.len()
    }

    /// Adds sites to a pair, and the pair if need be; the positions ascend and are new to it. Gives its number, or
    /// `None` when its token would be too long. Leaves `positions` empty.
    pub(super) fn raise(
        &mut self,
        pair: (u32, u32),
        count: u64,
        positions: &mut Vec<u32>,
        tokens: &Tokens,
    ) -> Option<u32> {
        let index = self.find_or_create(pair.0, pair.1, tokens);
        match index {
            Some(index) => self[index].add(count, positions),
            None => positions.clear(),
        }
        index
    }

    /// Takes from a pair's count.
    pub(super) fn lower(&mut self, left: u32, right: u32, count: u64) {
        if let Some(index) = self.map.get(left, right) {
            let pair = &mut self[index];
            pair.count -= count;
            if pair.count == 0 {
                pair.clear();
            }
        }
    }

    /// Takes a pair out of the count, because it is merged everywhere: its positions, ascending.
    pub(super) fn take(&mut self, index: u32) -> Vec<u32> {
        let pair = &mut self[index];
        pair.order();
        let positions = std::mem::take(&mut pair.positions);
        pair.count = 0;
        pair.clear();
        positions
    }

    /// The number of a pair, which is added if need be; `None` when it may not be merged.
    pub(super) fn find_or_create(&mut self, left: u32, right: u32, tokens: &Tokens) -> Option<u32> {
        if let Some(index) = self.map.get(left, right) {
            return Some(index);
        }
        let rank = self.known.get(left, right);
        if rank.is_none() && !self.limits.allow(tokens.content(left), tokens.content(right)) {
            return None;
        }
        self.list.push(Pair { rank, ..Pair::new(left, right) });
        Some(self.map.insert(left, right))
    }

    /// The rank of the first merge that is not one of the base.
    pub(super) fn first_rank(&self) -> u32 {
        self.known.len()
    }
}

impl Text {
    /// Every two neighbouring tokens, with the position of the first.
    fn adjacent(&self, tokens: &Tokens) -> impl Iterator<Item = (u32, u32, u32)> {
        let mut at = 1;
        std::iter::from_fn(move || {
            loop {
                let left = *self.symbols.get(at as usize)?;
                let next = at + if left == EDGE { 1 } else { tokens.width(left) };
                let position = std::mem::replace(&mut at, next);
                match self.symbols.get(next as usize) {
                    Some(&right) if left != EDGE && right != EDGE => return Some((position, left, right)),
                    _ => {}
                }
            }
        })
    }

    /// The tokens of each pretoken.
    pub(super) fn words(&self, tokens: &Tokens) -> impl Iterator<Item = Vec<u32>> {
        self.symbols.split(|&slot| slot == EDGE).map(|word| {
            let mut rest = word;
            std::iter::from_fn(|| {
                let &token = rest.first()?;
                rest = &rest[tokens.width(token) as usize..];
                Some(token)
            })
            .collect()
        })
    }
}
