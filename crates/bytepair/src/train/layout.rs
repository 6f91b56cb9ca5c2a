//! Counts -> the text that training works on: one array of symbols, an edge between pretokens.
//!
//! The idea: a token covers as many slots as it has base symbols and stands in the first and in the last of them; what lies
//! between is dead. So both neighbours of a token are found in one step, whatever the length of the pretoken, and a position
//! tells at once whether it still begins the token that a list says (see [`merge`](super::merge)). The count of a pretoken
//! is kept once for each run of neighbours with equal counts; pretokens in order of falling count make few and long runs, and
//! put the busiest sites side by side. Ties by first occurrence need the order of first appearance instead.
//!
//! Invariant: `symbols` begins and ends with an edge and holds one between any two pretokens; pretokens of less than two
//! tokens, which hold no pair, are left out. Cost: 4 bytes a symbol.

use std::cmp::Reverse;

use super::ground::Ground;
use super::symbols::Word;
use super::tokens::Tokens;
use crate::cancel::{Cancel, Meter};
use crate::count::Counts;
use crate::error::{Error, Report, Result};
use crate::memory::room_for;

/// The slot between two pretokens.
pub(super) const EDGE: u32 = u32::MAX;
/// A slot inside a token.
pub(super) const DEAD: u32 = u32::MAX - 1;

/// Counts below this are low.
const LOW: usize = 1 << 10;

/// All distinct pretokens, as symbols, with their counts.
#[derive(Debug)]
pub(super) struct Text {
    /// The slots.
    pub(super) symbols: Vec<u32>,
    /// The counts.
    pub(super) runs: Runs,
}

/// Which pretokens have which count: run `i` ends before position `ends[i]`.
#[derive(Debug, Default)]
pub(super) struct Runs {
    ends: Vec<u32>,
    counts: Vec<u64>,
}

impl Runs {
    /// Says that the positions from the last end up to `end` have this count.
    pub(super) fn extend(&mut self, end: u32, count: u64) {
        match (self.counts.last(), self.ends.last_mut()) {
            (Some(&last), Some(open)) if last == count => *open = end,
            _ => {
                self.ends.push(end);
                self.counts.push(count);
            }
        }
    }
}

/// Reads the counts of ascending positions.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    runs: &'a Runs,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// A cursor at the beginning.
    pub(super) fn new(runs: &'a Runs) -> Self {
        Self { runs, at: 0 }
    }

    /// The count at `position`, which is no smaller than any asked before.
    #[inline]
    pub(super) fn count(&mut self, position: u32) -> u64 {
        if position >= self.runs.ends[self.at] {
            self.seek(position);
        }
        self.runs.counts[self.at]
    }

    /// Doubling steps, then halving: the logarithm of the distance.
    fn seek(&mut self, position: u32) {
        let ends = &self.runs.ends;
        let mut step = 1;
        while self.at + step < ends.len() && ends[self.at + step] <= position {
            self.at += step;
            step *= 2;
        }
        let rest = &ends[self.at..ends.len().min(self.at + step + 1)];
        self.at += rest.partition_point(|&end| end <= position);
    }
}

/// Lays out the pretokens, by falling count or else in order of first appearance.
pub(super) fn lay_out(counts: &Counts, ground: &Ground<'_>, by_count: bool, cancel: Cancel<'_>) -> Result<Text> {
    let mut order: Vec<u32> = Vec::new();
    let mut slots = 1_u64;
    let mut meter = Meter::new(cancel);
    for (index, (pretoken, _)) in (0..).zip(counts.iter()) {
        meter.reach(index as usize)?;
        let length = ground.symbols.length(Word { text: pretoken, ends: true });
        if length > 1 {
            order.push(index);
            slots += length as u64 + 1;
        }
    }
    check_size(slots)?;
    if by_count {
        order = by_falling_count(order, |index| counts.count(index as usize), cancel)?;
    }
    let word = |index| (Word { text: counts.pretoken(index as usize), ends: true }, counts.count(index as usize));
    Text::of(order.into_iter().map(word), slots, ground, cancel)
}

/// Sorts by falling count, equal ones as they stand. Nearly all counts are low, and those need no comparison.
fn by_falling_count(order: Vec<u32>, count: impl Fn(u32) -> u64, cancel: Cancel<'_>) -> Result<Vec<u32>> {
    let low = |index: u32| usize::try_from(count(index)).ok().filter(|&count| count < LOW);
    let mut high: Vec<u32> = order.iter().copied().filter(|&index| low(index).is_none()).collect();
    high.sort_by_key(|&index| Reverse(count(index)));
    let mut starts = [0; LOW + 1];
    for index in &order {
        if let Some(count) = low(*index) {
            starts[count] += 1;
        }
    }
    // How many have this count becomes how many have a higher one.
    let mut seen = high.len();
    for start in starts.iter_mut().rev() {
        seen += std::mem::replace(start, seen);
    }
    high.resize(order.len(), 0);
    let mut meter = Meter::new(cancel);
    for (at, index) in order.into_iter().enumerate() {
        meter.reach(at)?;
        if let Some(count) = low(index) {
            high[starts[count]] = index;
            starts[count] += 1;
        }
    }
    Ok(high)
}

impl Text {
    /// A text of words with their counts, which fill at most so many slots.
    pub(super) fn of<'a>(
        words: impl Iterator<Item = (Word<'a>, u64)>,
        most: u64,
        ground: &Ground<'_>,
        cancel: Cancel<'_>,
    ) -> Result<Self> {
        let mut symbols = room_for(usize::try_from(most).unwrap_or(0));
        symbols.push(EDGE);
        let mut runs = Runs::default();
        let mut meter = Meter::new(cancel);
        let mut writer = ground.writer(cancel);
        for (word, count) in words {
            let start = symbols.len();
            meter.reach(start)?;
            if writer.append(word, &mut symbols)? > 1 {
                symbols.push(EDGE);
                runs.extend(check_size(symbols.len() as u64)?, count);
            } else {
                symbols.truncate(start);
            }
        }
        Ok(Self { symbols, runs })
    }
}

impl Text {
    /// Every two neighbouring tokens, with the position of the first.
    pub(super) fn adjacent(&self, tokens: &Tokens) -> impl Iterator<Item = (u32, u32, u32)> {
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

/// `slots` as a position, which is a number of 32 bits.
fn check_size(slots: u64) -> Result<u32> {
    u32::try_from(slots).map_err(|_| {
        Error::Training(Report::new(
            format!("the distinct pretokens hold {slots} symbols, but training can number only {}", u32::MAX),
            "use a pattern that splits into shorter pretokens, or less text",
        ))
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::symbols::Symbols;
    use super::*;
    use crate::vocabulary::Alphabet;

    #[test]
    fn pretokens_lie_between_edges_and_every_position_knows_its_count() {
        let mut counts = Counts::default();
        for (pretoken, count) in [("ab", 2), ("x", 9), ("cd", 7), ("efg", 2), ("", 1), ("h\0", 7)] {
            counts.add(pretoken.as_bytes(), count).unwrap();
        }
        let symbols = Symbols::new(&counts, &[], &Alphabet::Bytes, Cancel::default()).unwrap();
        let ground = Ground::new(symbols, None).unwrap();
        for (by_count, order) in [(true, "|cd|h\0|ab|efg|"), (false, "|ab|cd|efg|h\0|")] {
            let text = lay_out(&counts, &ground, by_count, Cancel::default()).unwrap();
            let shown = |&s: &u32| if s == EDGE { '|' } else { char::from_u32(s).unwrap() };
            assert_eq!(text.symbols.iter().map(shown).collect::<String>(), order);
            let mut cursor = Cursor::new(&text.runs);
            for (at, c) in order.char_indices().filter(|&(_, c)| c != '|') {
                assert_eq!(cursor.count(u32::try_from(at).unwrap()), if "cdh\0".contains(c) { 7 } else { 2 });
            }
        }
    }

    #[test]
    fn a_cursor_finds_any_later_run() {
        let mut runs = Runs::default();
        for i in 1..=500 {
            runs.extend(i * 3, u64::from(i));
        }
        for step in [1, 2, 7, 30, 100, 640, 1499] {
            let mut cursor = Cursor::new(&runs);
            for position in (0..1500).step_by(step) {
                assert_eq!(cursor.count(position), u64::from(position / 3 + 1), "{position} in steps of {step}");
            }
        }
    }

    #[test]
    fn positions_past_32_bits_are_an_error() {
        assert_eq!(check_size(u64::from(u32::MAX)), Ok(u32::MAX));
        let error = check_size(1 << 32).unwrap_err().to_string();
        assert!(error.contains("4294967296") && error.contains("\nhint: "), "{error}");
    }
}
