//! Text -> pretoken counts.
//!
//! The idea: training needs each distinct pretoken once, with a number. [`Counts`] is that table, in the order of first appearance;
//! it can be added to, scaled, thinned out and taken apart again. [`Counting`] fills one from any amount of text, on any number of
//! threads. The rooms: `table` finds a pretoken, `worker` is one thread's part of the work, `units` cuts texts into pieces for
//! them, `open` is a document that comes in parts, and `counting` puts their tables together.
//!
//! Invariant: the sum of all counts fits in 64 bits. Cost: one look-up a pretoken.

mod counting;
mod open;
mod table;
mod units;
mod worker;

use std::ops::ControlFlow;

use crate::cancel::{Cancel, EVERY, Meter};
use crate::error::{Error, Report, Result, shortened};
use crate::special::{Allowed, SpecialTokens};
use crate::split::Splitter;

pub use counting::Counting;
use table::Block;
pub(crate) use table::Table;

/// The most positions of one pair that training can tell: the two numbers above stand for other things.
pub(crate) const MOST_POSITIONS: u64 = u64::MAX - 2;

/// Distinct pretokens with how often each occurs, in the order of their first appearance.
///
/// ```
/// use bytepair::count::Counts;
///
/// let mut counts = Counts::default();
/// counts.add(b"low", 5)?;
/// counts.add(b"lower", 2)?;
/// counts.add(b"low", 1)?;
/// assert_eq!(counts.iter().collect::<Vec<_>>(), [(&b"low"[..], 6), (&b"lower"[..], 2)]);
/// assert_eq!((counts.len(), counts.total(), counts.total_bytes()), (2, 8, 28));
/// # Ok::<(), bytepair::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Counts {
    table: Table<u64>,
    documents: u64,
    total: u64,
    total_bytes: u128,
}

/// What [`Counts::pruned`] has dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dropped {
    /// Different pretokens.
    pub distinct: usize,
    /// How often they occur together.
    pub total: u64,
    /// At how many positions in them any pair of tokens stands, at most, whatever the tokens are: where two tokens meet, the
    /// last byte of one meets the first byte of the other (or the end-of-word mark), and no two bytes meet more often.
    pub pair: u64,
}

/// What may follow a byte: any byte, or the mark.
const FOLLOWERS: usize = 257;
const MARK: usize = 256;

impl Counts {
    /// Counts the pretokens of one document, the plain way: what [`Counting`] does faster. Special tokens in it are
    /// boundaries and are not counted.
    ///
    /// # Errors
    /// [`Error::Pattern`] from a backtracking pattern, [`Error::Training`] as [`add`](Self::add); the table then holds
    /// a part of the document.
    pub fn add_document(&mut self, splitter: &Splitter, specials: &SpecialTokens, document: &[u8]) -> Result<()> {
        self.documents += 1;
        self.add_text(splitter, specials, document, 0)
    }

    /// The same for a part of a document that begins at byte `base` of it.
    fn add_text(&mut self, splitter: &Splitter, specials: &SpecialTokens, text: &[u8], base: usize) -> Result<()> {
        for cut in specials.cuts(text, Allowed::All).filter(|cut| cut.token.is_none()) {
            let part = &text[cut.start..cut.end];
            let mut added = Ok(());
            splitter.split_part(part, base + cut.start, |pretoken| {
                added = self.add(&part[pretoken.start..pretoken.end], 1);
                if added.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })?;
            added?;
        }
        Ok(())
    }

    /// Adds `count` occurrences of one pretoken; none leave the table as it is.
    ///
    /// # Errors
    /// [`Error::Training`] when all counts together pass 2^64 - 1; the table is then as it was.
    pub fn add(&mut self, pretoken: &[u8], count: u64) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        let Some(total) = self.total.checked_add(count) else { return Err(too_many(Some(pretoken), count)) };
        let Some(index) = self.table.intern(pretoken, 0, pretoken.len()) else { return Err(too_distinct()) };
        // Cannot pass 64 bits: it is at most `total`.
        *self.table.value_mut(index) += count;
        self.total = total;
        self.total_bytes += u128::from(count) * pretoken.len() as u128;
        Ok(())
    }

    /// Adds to the counts of many pretokens.
    ///
    /// # Errors
    /// As [`add`](Self::add); [`Error::Interrupted`], and then a part of them was added.
    pub fn add_many(&mut self, pretokens: &[&[u8]], counts: &[u64], cancel: Cancel<'_>) -> Result<()> {
        let sum = counts.iter().try_fold(self.total, |sum, &count| sum.checked_add(count));
        let mut block = Block::default();
        for (pretokens, counts) in pretokens.chunks(EVERY).zip(counts.chunks(EVERY)) {
            cancel.check()?;
            if sum.is_none() || counts.contains(&0) {
                pretokens.iter().zip(counts).try_for_each(|(pretoken, &count)| self.add(pretoken, count))?;
            } else {
                self.table.add_all(pretokens, counts, &mut block).ok_or_else(too_distinct)?;
                self.total += counts.iter().sum::<u64>();
                let bytes = pretokens.iter().zip(counts).map(|(word, &count)| u128::from(count) * word.len() as u128);
                self.total_bytes += bytes.sum::<u128>();
            }
        }
        Ok(())
    }

    /// Adds another table, whose pretokens appeared after these.
    ///
    /// # Errors
    /// As [`add`](Self::add); [`Error::Interrupted`], and then a part of it was added, but all of its totals.
    pub fn merge(&mut self, other: &Counts, cancel: Cancel<'_>) -> Result<()> {
        let Some(total) = self.total.checked_add(other.total) else { return Err(too_many(None, other.total)) };
        self.documents += other.documents;
        self.total = total;
        self.total_bytes += other.total_bytes;
        let mut block = Block::default();
        for start in (0..other.len()).step_by(EVERY) {
            cancel.check()?;
            let strings = start..other.len().min(start + EVERY);
            self.table.take_over(&other.table, strings, &mut block).ok_or_else(too_distinct)?;
        }
        Ok(())
    }

    /// Where the pretokens of another table stand in this one, in its order; the number of all where one does not.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn places(&self, other: &Counts, cancel: Cancel<'_>) -> Result<Vec<u64>> {
        let mut places = Vec::with_capacity(other.len());
        let mut meter = Meter::new(cancel);
        for (index, (pretoken, _)) in other.iter().enumerate() {
            meter.reach(index)?;
            places.push(self.table.number(pretoken).unwrap_or(self.len()) as u64);
        }
        Ok(places)
    }

    /// The totals anew, from the table.
    fn add_up(&mut self) {
        self.total = self.iter().map(|(_, count)| count).sum();
        self.total_bytes = self.iter().map(|(pretoken, count)| u128::from(count) * pretoken.len() as u128).sum();
    }

    /// Multiplies every count; by zero, no pretoken is left.
    ///
    /// # Errors
    /// [`Error::Training`] when all counts together pass 2^64 - 1; the table is then as it was.
    pub fn scale(&mut self, factor: u64) -> Result<()> {
        if factor == 0 {
            *self = Self { documents: self.documents, ..Self::default() };
            return Ok(());
        }
        let Some(total) = self.total.checked_mul(factor) else {
            return Err(Error::Training(Report::new(
                format!("the counts pass 2^64 - 1 when all {} of them are multiplied by {factor}", self.total),
                "divide all factors by a common divisor, or take smaller ones",
            )));
        };
        for index in 0..self.len() {
            *self.table.value_mut(index) *= factor;
        }
        self.total = total;
        self.total_bytes *= u128::from(factor);
        Ok(())
    }

    /// The same without the pretokens with counts below a bound, and what was dropped.
    ///
    /// ```
    /// # let mut counts = bytepair::count::Counts::default();
    /// counts.add(b"low", 5)?;
    /// counts.add(b"banana", 2)?;
    /// let (kept, dropped) = counts.pruned(5, false);
    /// assert_eq!((kept.len(), dropped.distinct, dropped.total, dropped.pair), (1, 1, 2, 4));
    /// # Ok::<(), bytepair::Error>(())
    /// ```
    #[must_use]
    pub fn pruned(&self, below: u64, has_mark: bool) -> (Self, Dropped) {
        let (mut distinct, mut total, mut total_bytes) = (0, 0, 0);
        let mut pairs = vec![0_u64; 256 * FOLLOWERS];
        for (pretoken, count) in self.iter().filter(|&(_, count)| count < below) {
            distinct += 1;
            total += count;
            total_bytes += u128::from(count) * pretoken.len() as u128;
            let followers = pretoken.iter().skip(1).map(|&byte| usize::from(byte)).chain(has_mark.then_some(MARK));
            for (&byte, follower) in pretoken.iter().zip(followers) {
                let pair = &mut pairs[usize::from(byte) * FOLLOWERS + follower];
                *pair = pair.saturating_add(count);
            }
        }
        let kept = Self {
            table: self.table.above(below, self.len() - distinct),
            documents: self.documents,
            total: self.total - total,
            total_bytes: self.total_bytes - total_bytes,
        };
        let pair = pairs.into_iter().max().unwrap_or(0);
        (kept, Dropped { distinct, total, pair })
    }

    /// The longest pretokens, the longest first and of equally long ones the earliest first: their numbers.
    ///
    /// ```
    /// # let mut counts = bytepair::count::Counts::default();
    /// for word in ["a", "longest", "bb", "cc"] {
    ///     counts.add(word.as_bytes(), 1)?;
    /// }
    /// assert_eq!(counts.longest(2), [1, 2]);
    /// # Ok::<(), bytepair::Error>(())
    /// ```
    pub fn longest(&self, most: usize) -> Vec<usize> {
        let mut longest: Vec<usize> = Vec::new();
        let mut least = 0;
        for index in 0..self.len() {
            if self.table.length(index) <= least {
                continue;
            }
            longest.push(index);
            // So that each is looked at a few times only.
            if longest.len() >= most.saturating_mul(2).max(EVERY) {
                self.cut_to_longest(&mut longest, most);
                least = longest.last().map_or(usize::MAX, |&last| self.table.length(last));
            }
        }
        self.cut_to_longest(&mut longest, most);
        longest
    }

    fn cut_to_longest(&self, longest: &mut Vec<usize>, most: usize) {
        longest.sort_by_key(|&index| (std::cmp::Reverse(self.table.length(index)), index));
        longest.truncate(most);
    }

    /// Whether the number of positions at which each pair of bytes stands is no more than training can tell, and so that of any
    /// pair of tokens: where they meet, a pair of bytes stands, or the last one and a mark of its own, where words are `marked`.
    pub(crate) fn check_pairs(&self, marked: bool) -> Result<()> {
        if marked && self.total > MOST_POSITIONS {
            return Err(Error::Training(Report::new(
                format!(
                    "{} end-of-word marks stand in the counted pretokens; {MOST_POSITIONS} are allowed",
                    self.total
                ),
                "divide all counts by a common factor",
            )));
        }
        if u64::try_from(self.total_bytes).is_ok() {
            return Ok(()); // a pair stands less often than there are bytes
        }
        let mut positions = vec![0_u128; 1 << 16];
        for (pretoken, count) in self.iter() {
            for pair in pretoken.windows(2) {
                positions[usize::from(pair[0]) << 8 | usize::from(pair[1])] += u128::from(count);
            }
        }
        let most = positions.iter().copied().max().unwrap_or(0);
        if most <= u128::from(MOST_POSITIONS) {
            return Ok(());
        }
        Err(Error::Training(Report::new(
            format!("one pair of bytes stands {most} times in the counted pretokens; {MOST_POSITIONS} are allowed"),
            "divide all counts by a common factor",
        )))
    }

    /// Distinct pretokens.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Documents that were counted.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// All pretokens, repeated ones repeatedly.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Bytes of all pretokens, repeated ones repeatedly.
    pub fn total_bytes(&self) -> u128 {
        self.total_bytes
    }

    /// Bytes of the distinct pretokens, and an edge after each: the most symbols that training lays out.
    pub fn symbols(&self) -> u64 {
        self.table.content() + self.len() as u64
    }

    /// The bytes of memory that the table takes.
    pub fn memory(&self) -> usize {
        self.table.memory()
    }

    /// The pretokens and their counts, in the order of first appearance.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], u64)> {
        (0..self.len()).map(|index| (self.pretoken(index), self.count(index)))
    }

    /// The distinct pretoken that appeared as number `index`, from 0.
    pub fn pretoken(&self, index: usize) -> &[u8] {
        self.table.bytes(index)
    }

    /// Its count.
    pub fn count(&self, index: usize) -> u64 {
        self.table.value(index)
    }
}

#[cold]
fn too_many(pretoken: Option<&[u8]>, count: u64) -> Error {
    let what = pretoken.map_or_else(|| "another table".to_owned(), |word| format!("\"{}\"", shortened(word)));
    Error::Training(Report::new(
        format!("the counts pass 2^64 - 1 when {count} of {what} are added"),
        "divide all counts by a common factor",
    ))
}

#[cold]
fn too_distinct() -> Error {
    Error::Training(Report::new(
        format!("more than {} distinct pretokens", u32::MAX),
        "use a pattern that splits into shorter pretokens, or less text",
    ))
}
