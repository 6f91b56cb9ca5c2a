//! Text -> pretoken counts, mergeable between threads.
//!
//! The idea: training needs each distinct pretoken once, with a number. The table keeps them in the order of their first
//! appearance, which makes the result of many threads the same as that of one: each counts a contiguous share of
//! the documents, and the tables are merged from left to right.
//!
//! Invariant: the sum of the counts and the sum of count times length both fit in 64 bits; so does, later, the count of every
//! pair in training. Cost: one split and one table look-up a pretoken.

mod table;

use std::ops::{ControlFlow, Range};

use crate::cancel::{Cancel, Meter};
use crate::error::{Error, Report, Result};
use crate::shares::{run_beside, shares};
use crate::special::{Allowed, SpecialTokens};
use crate::split::{Room, Splitter};

pub(crate) use table::Table;

/// The least work, in bytes, that is worth a thread of its own.
const SHARE: usize = 1 << 18;

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
    total_bytes: u64,
    /// The memory that texts are split in, while none is.
    room: Option<Box<Room>>,
}

impl Counts {
    /// Counts the pretokens of one document. Special tokens in it are boundaries and are not counted.
    ///
    /// # Errors
    /// [`Error::Pattern`] from a backtracking pattern, [`Error::Training`] as [`add`](Self::add); the table then holds
    /// a part of the document.
    pub fn add_document(&mut self, splitter: &Splitter, specials: &SpecialTokens, document: &[u8]) -> Result<()> {
        self.add_one(splitter, specials, document, Cancel::default())
    }

    fn add_one(
        &mut self,
        splitter: &Splitter,
        specials: &SpecialTokens,
        document: &[u8],
        cancel: Cancel<'_>,
    ) -> Result<()> {
        self.documents += 1;
        let mut start = 0;
        let mut meter = Meter::new(cancel);
        while !specials.tokens().is_empty() {
            let Some((at, token)) = specials.find(document, start, Allowed::All) else { break };
            self.add_text(splitter, document, start..at, &mut meter)?;
            start = at + token.content.len();
        }
        self.add_text(splitter, document, start..document.len(), &mut meter)
    }

    /// Counts many documents on up to `threads` threads; the same result as one by one. Ends early when cancelled.
    ///
    /// # Errors
    /// As [`add_document`](Self::add_document), and [`Error::Interrupted`]: the index of the first document that fails, and its error; the table then
    /// holds a part of the documents.
    pub fn add_documents(
        &mut self,
        splitter: &Splitter,
        specials: &SpecialTokens,
        documents: &[&[u8]],
        threads: usize,
        cancel: Cancel<'_>,
    ) -> std::result::Result<(), (usize, Error)> {
        let shares = shares(documents, threads, SHARE);
        let Some((first, rest)) = shares.split_first() else { return Ok(()) };
        let count = |share| {
            let mut counts = Self::default();
            counts.add_share(splitter, specials, documents, share, cancel).map(|()| counts)
        };
        let own = || self.add_share(splitter, specials, documents, first.clone(), cancel);
        let (done, tables) = run_beside(own, rest, count);
        done?;
        for (table, share) in tables.into_iter().zip(rest) {
            if self.merge(&table?).is_err() {
                // Past 64 bits: one by one tells in which document.
                self.add_share(splitter, specials, documents, share.clone(), cancel)?;
            }
        }
        Ok(())
    }

    /// Adds `count` occurrences of one pretoken; none leave the table as it is.
    ///
    /// # Errors
    /// [`Error::Training`] when all counts together, or all counted bytes together, pass 2^64 - 1; the table is then
    /// as it was.
    pub fn add(&mut self, pretoken: &[u8], count: u64) -> Result<()> {
        if count == 0 { Ok(()) } else { self.record(pretoken, 0, pretoken.len(), count) }
    }

    /// Adds another table, whose pretokens appeared after these.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn merge(&mut self, other: &Counts) -> Result<()> {
        if self.total.checked_add(other.total).is_none() || self.total_bytes.checked_add(other.total_bytes).is_none() {
            return Err(too_many(None, other.total));
        }
        for (pretoken, count) in other.iter() {
            self.add(pretoken, count)?;
        }
        self.documents += other.documents;
        Ok(())
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
    pub fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    /// The pretokens and their counts, in the order of first appearance.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], u64)> {
        (0..self.len()).map(|index| (self.pretoken(index), self.count(index)))
    }

    /// The distinct pretoken that appeared as number `index`, from 0.
    pub(crate) fn pretoken(&self, index: usize) -> &[u8] {
        self.table.bytes(index)
    }

    /// Its count.
    pub(crate) fn count(&self, index: usize) -> u64 {
        self.table.value(index)
    }

    fn add_share(
        &mut self,
        splitter: &Splitter,
        specials: &SpecialTokens,
        documents: &[&[u8]],
        share: Range<usize>,
        cancel: Cancel<'_>,
    ) -> std::result::Result<(), (usize, Error)> {
        for index in share {
            self.add_one(splitter, specials, documents[index], cancel).map_err(|error| (index, error))?;
        }
        Ok(())
    }

    /// Counts what lies between two special tokens: a text of its own.
    fn add_text(
        &mut self,
        splitter: &Splitter,
        document: &[u8],
        part: Range<usize>,
        meter: &mut Meter<'_>,
    ) -> Result<()> {
        let base = part.start;
        let text = &document[part];
        meter.reach(base)?;
        if splitter.drops_text() {
            return self.add_words(splitter, text, base, meter);
        }
        let (mut start, mut recorded) = (0, Ok(()));
        let mut room = self.room.take().unwrap_or_default();
        let split = splitter.cuts_part(text, base, &mut room, |from, ends| {
            recorded = meter.reach(base + start);
            for &end in ends {
                let end = from + end as usize;
                if recorded.is_ok() {
                    recorded = self.record(text, start, end, 1);
                }
                start = end;
            }
            if recorded.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        self.room = Some(room);
        split.and(recorded)
    }

    /// The same where what lies between pretokens is dropped.
    fn add_words(&mut self, splitter: &Splitter, text: &[u8], base: usize, meter: &mut Meter<'_>) -> Result<()> {
        let mut recorded = Ok(());
        splitter.split_part(text, base, |pretoken| {
            recorded = meter.reach(base + pretoken.start);
            if recorded.is_ok() {
                recorded = self.record(text, pretoken.start, pretoken.end, 1);
            }
            if recorded.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        recorded
    }

    #[inline]
    fn record(&mut self, text: &[u8], start: usize, end: usize, count: u64) -> Result<()> {
        let bytes = ((end - start) as u64).checked_mul(count).and_then(|bytes| bytes.checked_add(self.total_bytes));
        let (Some(total), Some(total_bytes)) = (self.total.checked_add(count), bytes) else {
            return Err(too_many(Some(&text[start..end]), count));
        };
        let Some(index) = self.table.intern(text, start, end) else { return Err(too_distinct()) };
        // Cannot pass 64 bits: it is at most `total`.
        *self.table.value_mut(index) += count;
        self.total = total;
        self.total_bytes = total_bytes;
        Ok(())
    }
}

#[cold]
fn too_many(pretoken: Option<&[u8]>, count: u64) -> Error {
    let what = pretoken.map_or_else(|| "another table".to_owned(), |p| format!("{:?}", String::from_utf8_lossy(p)));
    Error::Training(Report::new(
        format!("the counts pass 2^64 - 1 pretokens or bytes when {count} of {what} are added"),
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
