//! Counting any amount of text, on many threads, in bounded memory.
//!
//! Idea: threads take unit after unit, each counting into a table of its own, which it keeps from call to call. When
//! one of them is large, or somebody reads, all are emptied into the common table: the entries of the first unit, then those of the second
//! and so on, whichever thread counted it. A thread that is alone counts into the common table.
//!
//! Invariant: units are taken in order, and those that were taken are finished before tables are emptied, so the common table holds a prefix
//! of the text at any such time, in the order of first appearance: the result depends neither on threads nor on calls. The totals are
//! always those of all tables together.
//!
//! Cost: as one thread, and one more look-up for each entry of a thread's table.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::open::Open;
use super::units::{Place, units};
use super::worker::{Job, Worker};
use super::{Counts, too_distinct};
use crate::cancel::Cancel;
use crate::error::{Error, Result};
use crate::shares::run;
use crate::special::SpecialTokens;
use crate::split::Splitter;

/// Bytes that the threads' own tables may take together; each may take [`LEAST`].
const OWN: usize = 64 << 20;
const LEAST: usize = 4 << 20;

/// Counts under way: what finds pretokens, and all tables.
///
/// ```
/// use bytepair::count::Counting;
/// use bytepair::{Cancel, SpecialTokens, Splitter};
///
/// let mut counting = Counting::new(Splitter::new(r"\w+|\W")?, SpecialTokens::default());
/// counting.add_documents(&[b"a b", b"b"], 2, Cancel::default()).map_err(|(_, error)| error)?;
/// counting.add_part(b"a", 2, Cancel::default())?;
/// counting.add_part(b"b", 2, Cancel::default())?;
/// counting.end_document(2, Cancel::default())?;
/// let counts = counting.counts()?;
/// assert_eq!(counts.iter().map(|(p, n)| (p, n)).collect::<Vec<_>>(), [(&b"a"[..], 1), (b" ", 1), (b"b", 2), (b"ab", 1)]);
/// assert_eq!(counts.documents(), 3);
/// # Ok::<(), bytepair::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Counting {
    pub(super) splitter: Splitter,
    pub(super) specials: SpecialTokens,
    counts: Counts,
    workers: Vec<Worker>,
    /// Units that were counted since the workers' tables were empty.
    units: u64,
    pub(super) open: Open,
}

impl Counting {
    /// Nothing counted yet. Special tokens are boundaries and are not counted.
    pub fn new(splitter: Splitter, specials: SpecialTokens) -> Self {
        let (counts, open) = (Counts::default(), Open::default());
        Self { splitter, specials, counts, workers: Vec::new(), units: 0, open }
    }

    /// What are boundaries.
    pub fn specials(&self) -> &SpecialTokens {
        &self.specials
    }

    /// Counts many documents on up to `threads` threads; the same result as one by one. Ends early when cancelled.
    ///
    /// # Errors
    /// [`Error::Pattern`] from a backtracking pattern, [`Error::Training`] when the counts together pass 2^64 - 1 or there
    /// are more than 2^32 - 1 distinct pretokens, [`Error::Interrupted`]: the index of the first document that fails, and its
    /// error; the table then holds a part of the documents.
    pub fn add_documents(
        &mut self,
        documents: &[&[u8]],
        threads: usize,
        cancel: Cancel<'_>,
    ) -> std::result::Result<(), (usize, Error)> {
        self.counts.documents += documents.len() as u64;
        self.add_texts(documents, &[], threads, cancel)
    }

    /// A document that came in parts has ended.
    pub(super) fn count_document(&mut self) {
        self.counts.documents += 1;
    }

    /// Counts texts: documents, or parts of one that begin at these bytes of it and may each be counted as a document.
    pub(super) fn add_texts(
        &mut self,
        texts: &[&[u8]],
        bases: &[usize],
        threads: usize,
        cancel: Cancel<'_>,
    ) -> std::result::Result<(), (usize, Error)> {
        let bytes: u64 = texts.iter().map(|text| text.len() as u64).sum();
        if self.counts.total.checked_add(bytes).is_none() {
            return self.add_carefully(texts, bases);
        }
        let units = units(texts, &self.splitter, &self.specials);
        let threads = threads.clamp(1, units.len() - 1);
        if self.workers.len() < threads {
            self.workers.resize_with(threads, Worker::default);
        }
        let alone = threads == 1 && self.units == 0;
        if alone {
            std::mem::swap(&mut self.counts.table, &mut self.workers[0].table);
        }
        let mut next = 0;
        let mut done = Ok(());
        let bound = if alone { usize::MAX } else { (OWN / threads).max(LEAST) };
        while next + 1 < units.len() && done.is_ok() {
            let job = Job { splitter: &self.splitter, specials: &self.specials, texts, bases };
            let (before, first) = (next, self.units);
            (next, done) = count_units(&mut self.workers[..threads], job, &units, before, first, bound, cancel);
            self.units += (next - before) as u64;
            self.settle(alone);
            if !alone && self.workers.iter().any(|worker| worker.table.memory() > bound) {
                self.put_together().map_err(|error| (0, error))?;
            }
        }
        if alone {
            std::mem::swap(&mut self.counts.table, &mut self.workers[0].table);
        }
        done
    }

    /// Adds what the workers have counted to the totals.
    fn settle(&mut self, alone: bool) {
        for worker in &mut self.workers {
            let (total, total_bytes) = worker.settle();
            self.counts.total += total;
            self.counts.total_bytes += total_bytes;
            if alone {
                worker.runs.clear();
            }
        }
        if alone {
            self.units = 0;
        }
    }

    /// One after the other, with a look at the total before each pretoken.
    fn add_carefully(&mut self, texts: &[&[u8]], bases: &[usize]) -> std::result::Result<(), (usize, Error)> {
        self.put_together().map_err(|error| (0, error))?;
        for (index, text) in texts.iter().enumerate() {
            let base = bases.get(index).copied().unwrap_or(0);
            let added = self.counts.add_text(&self.splitter, &self.specials, text, base);
            added.map_err(|error| (index, error))?;
        }
        Ok(())
    }

    /// Empties the workers' tables into the common one.
    fn put_together(&mut self) -> Result<()> {
        let mut runs = Vec::new();
        for (number, worker) in self.workers.iter().enumerate() {
            let ends = worker.runs.iter().skip(1).map(|&(_, first)| first).chain([worker.table.len()]);
            runs.extend(worker.runs.iter().zip(ends).map(|(&(unit, first), end)| (unit, number, first..end)));
        }
        runs.sort_unstable_by_key(|&(unit, ..)| unit);
        for (_, number, entries) in runs {
            for entry in entries {
                self.counts.table.take_over(&self.workers[number].table, entry).ok_or_else(too_distinct)?;
            }
        }
        for worker in &mut self.workers {
            worker.table.clear();
            worker.runs.clear();
        }
        self.units = 0;
        Ok(())
    }

    /// What was counted so far. Of a document that comes in parts, what does not depend on the parts that follow may be missing.
    ///
    /// # Errors
    /// [`Error::Training`]: more than 2^32 - 1 distinct pretokens.
    pub fn counts(&mut self) -> Result<&Counts> {
        self.counts_mut().map(|counts| &*counts)
    }

    /// The same, to be changed.
    ///
    /// # Errors
    /// As [`counts`](Self::counts).
    pub fn counts_mut(&mut self) -> Result<&mut Counts> {
        self.put_together()?;
        Ok(&mut self.counts)
    }

    /// Documents, pretokens and their bytes that were counted so far, at no cost.
    pub fn totals(&self) -> (u64, u64, u128) {
        (self.counts.documents, self.counts.total, self.counts.total_bytes)
    }

    /// The bytes of memory that all tables take, and the document that comes in parts.
    pub fn memory(&self) -> usize {
        let workers: usize = self.workers.iter().map(|worker| worker.table.memory()).sum();
        self.counts.memory() + workers + self.open.memory()
    }
}

/// Counts units from number `from` on until all are counted, one fails or a table has more bytes than `bound`; the number of the first that
/// is not counted, and the first failure. `first` is the number of units since the tables were empty.
fn count_units(
    workers: &mut [Worker],
    job: Job<'_>,
    units: &[Place],
    from: usize,
    first: u64,
    bound: usize,
    cancel: Cancel<'_>,
) -> (usize, std::result::Result<(), (usize, Error)>) {
    let (next, stop) = (AtomicUsize::new(from), AtomicBool::new(false));
    let work = |worker: &mut Worker| {
        while !stop.load(Ordering::Relaxed) {
            let unit = next.fetch_add(1, Ordering::Relaxed);
            let Some(&[start, end]) = units.get(unit..unit + 2) else { break };
            let counted = worker.count(job, start..end, first + (unit - from) as u64, cancel);
            if counted.is_err() || worker.table.memory() > bound {
                stop.store(true, Ordering::Relaxed);
            }
            counted.map_err(|failed| (unit, failed))?;
        }
        Ok(())
    };
    let failures = run(workers, work).into_iter().filter_map(std::result::Result::err);
    let first_failure = failures.min_by_key(|&(unit, _)| unit).map_or(Ok(()), |(_, failed)| Err(failed));
    (next.into_inner().min(units.len() - 1), first_failure)
}
