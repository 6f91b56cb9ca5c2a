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

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::open::Open;
use super::table::Block;
use super::units::{Cutter, Place};
use super::worker::{Job, Worker};
use super::{Counts, too_distinct};
use crate::cancel::Cancel;
use crate::error::{Error, Result};
use crate::shares::run;
use crate::special::SpecialTokens;
use crate::split::Splitter;

/// Bytes of a unit of work.
const UNIT: usize = 1 << 18;

/// Bytes that the strings of the threads' own tables may take together, before these are emptied; in memory they take about twice that.
const OWN: usize = 32 << 20;

/// Units that are counted together at most, whose places are found beforehand.
const ROUND: usize = 256;

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
    splitter: Splitter,
    specials: SpecialTokens,
    counts: Arc<Counts>,
    workers: Vec<Worker>,
    /// Units that were counted since the workers' tables were empty.
    units: u64,
    pub(super) open: Open,
    /// As [`UNIT`] and [`OWN`].
    unit: usize,
    own: usize,
}

impl Counting {
    /// Nothing counted yet. Special tokens are boundaries and are not counted.
    pub fn new(splitter: Splitter, specials: SpecialTokens) -> Self {
        let (counts, open, workers) = (Arc::default(), Open::default(), Vec::new());
        Self { splitter, specials, counts, workers, units: 0, open, unit: UNIT, own: OWN }
    }

    /// The same with units, and with tables of the threads, of so many bytes, for tests with little text.
    #[doc(hidden)]
    #[must_use]
    pub fn with_sizes(self, unit: usize, own: usize) -> Self {
        Self { unit, own, ..self }
    }

    /// Nothing counted yet, with the same pattern, which is not compiled again, and the same special tokens.
    #[must_use]
    pub fn empty(&self) -> Self {
        Self::new(self.splitter.clone(), self.specials.clone()).with_sizes(self.unit, self.own)
    }

    /// What finds places to cut.
    pub(super) fn cutter(&self) -> Cutter<'_> {
        Cutter { splitter: &self.splitter, specials: &self.specials, size: self.unit }
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
        self.own_counts().documents += documents.len() as u64;
        self.add_texts(documents, &[], threads, cancel)
    }

    /// A document that came in parts has ended.
    pub(super) fn count_document(&mut self) {
        self.own_counts().documents += 1;
    }

    /// The common table, to be changed: a copy of it, while others read it.
    fn own_counts(&mut self) -> &mut Counts {
        Arc::make_mut(&mut self.counts)
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
            return self.add_carefully(texts, bases, cancel);
        }
        let mut from = (0, 0);
        while from.0 < texts.len() {
            let units = self.cutter().units(texts, from, ROUND);
            let (counted, done) = self.count_units(texts, bases, &units, threads, cancel);
            done?;
            from = units[counted];
        }
        Ok(())
    }

    /// Counts units until all are counted, one fails or a thread's table is full: how many, and the first failure.
    fn count_units(
        &mut self,
        texts: &[&[u8]],
        bases: &[usize],
        units: &[Place],
        threads: usize,
        cancel: Cancel<'_>,
    ) -> (usize, std::result::Result<(), (usize, Error)>) {
        let threads = threads.min(units.len() - 1).max(1);
        if self.workers.len() < threads {
            self.workers.resize_with(threads, || Worker::new(self.counts.table.sibling()));
        }
        let counts = Arc::make_mut(&mut self.counts);
        let alone = threads == 1 && self.units == 0;
        if alone {
            std::mem::swap(&mut counts.table, &mut self.workers[0].table);
        }
        let job = Job { splitter: &self.splitter, specials: &self.specials, texts, bases, units, first: self.units };
        let bound = if alone { usize::MAX } else { self.own / threads };
        let (counted, mut done) = job.run(&mut self.workers[..threads], bound, cancel);
        self.units += counted as u64;
        for worker in &mut self.workers {
            let (total, total_bytes) = worker.settle();
            counts.total += total;
            counts.total_bytes += total_bytes;
        }
        if alone {
            std::mem::swap(&mut counts.table, &mut self.workers[0].table);
            self.workers[0].runs.clear();
            self.units = 0;
        } else if self.workers.iter().any(|worker| worker.table.used() > bound) {
            done = done.and(self.put_together().map_err(|error| (0, error)));
        }
        (counted, done)
    }

    /// One after the other, with a look at the total before each pretoken.
    fn add_carefully(
        &mut self,
        texts: &[&[u8]],
        bases: &[usize],
        cancel: Cancel<'_>,
    ) -> std::result::Result<(), (usize, Error)> {
        self.put_together().map_err(|error| (0, error))?;
        let counts = Arc::make_mut(&mut self.counts);
        for (index, text) in texts.iter().enumerate() {
            let base = bases.get(index).copied().unwrap_or(0);
            let mut add = || counts.add_text(&self.splitter, &self.specials, text, base);
            cancel.check().and_then(|()| add()).map_err(|error| (index, error))?;
        }
        Ok(())
    }

    /// Empties the workers' tables into the common one; where that has no number left, what they hold is lost.
    fn put_together(&mut self) -> Result<()> {
        if self.units == 0 {
            return Ok(());
        }
        let mut runs = Vec::new();
        for (number, worker) in self.workers.iter().enumerate() {
            let ends = worker.runs.iter().skip(1).map(|&(_, first)| first).chain([worker.table.len()]);
            runs.extend(worker.runs.iter().zip(ends).map(|(&(unit, first), end)| (unit, number, first..end)));
        }
        runs.sort_unstable_by_key(|&(unit, ..)| unit);
        // There will be as many entries as in any of them, at least.
        let most = self.workers.iter().map(|worker| worker.table.len()).max().unwrap_or(0);
        let counts = Arc::make_mut(&mut self.counts);
        counts.table.reserve(most.saturating_sub(counts.table.len()));
        let mut block = Block::default();
        let mut take = |(_, number, entries): (u64, usize, Range<usize>)| {
            counts.table.take_over(&self.workers[number].table, entries, &mut block)
        };
        let taken = runs.into_iter().try_for_each(&mut take).ok_or_else(too_distinct);
        if taken.is_err() {
            counts.add_up();
        }
        for worker in &mut self.workers {
            worker.table.clear();
            worker.runs.clear();
        }
        self.units = 0;
        taken
    }

    /// What was counted so far. Of a document that comes in parts, the end is missing.
    ///
    /// # Errors
    /// [`Error::Training`]: more than 2^32 - 1 distinct pretokens.
    pub fn counts(&mut self) -> Result<&Counts> {
        self.put_together()?;
        Ok(&self.counts)
    }

    /// The same, to be read as long as one likes: what is added meanwhile goes into a copy.
    ///
    /// # Errors
    /// As [`counts`](Self::counts).
    pub fn shared(&mut self) -> Result<Arc<Counts>> {
        self.put_together()?;
        Ok(Arc::clone(&self.counts))
    }

    /// Puts another table in place of all that was counted. Nothing is copied before one of its owners changes it.
    pub fn replace(&mut self, counts: Arc<Counts>) {
        *self = Self { counts, ..self.empty() };
    }

    /// The same, to be changed.
    ///
    /// # Errors
    /// As [`counts`](Self::counts).
    pub fn counts_mut(&mut self) -> Result<&mut Counts> {
        self.put_together()?;
        Ok(self.own_counts())
    }

    /// What was counted, as [`counts`](Self::counts), and gives back what memory the threads took.
    ///
    /// # Errors
    /// As [`counts`](Self::counts).
    pub fn finish(&mut self) -> Result<&Counts> {
        self.put_together()?;
        self.workers = Vec::new();
        Ok(&self.counts)
    }

    /// Documents, pretokens and their bytes that were counted so far, at no cost.
    pub fn totals(&self) -> (u64, u64, u128) {
        (self.counts.documents, self.counts.total, self.counts.total_bytes)
    }

    /// As [`Counts::symbols`], at no cost; pretokens that several threads have met are counted several times.
    pub fn symbols(&self) -> u64 {
        let workers = self.workers.iter().map(|worker| worker.table.content() + worker.table.len() as u64);
        self.counts.symbols() + workers.sum::<u64>()
    }

    /// The bytes of memory that all tables take, and the document that comes in parts.
    pub fn memory(&self) -> usize {
        let workers: usize = self.workers.iter().map(|worker| worker.table.memory()).sum();
        self.counts.memory() + workers + self.open.memory()
    }
}

impl Job<'_> {
    /// Counts its units on as many threads as there are workers, until all are counted, one fails or a table takes more bytes than
    /// `bound`: how many, and the first failure.
    fn run(
        self,
        workers: &mut [Worker],
        bound: usize,
        cancel: Cancel<'_>,
    ) -> (usize, std::result::Result<(), (usize, Error)>) {
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let work = |worker: &mut Worker| {
            while !stop.load(Ordering::Relaxed) {
                let unit = next.fetch_add(1, Ordering::Relaxed);
                if unit + 1 >= self.units.len() {
                    break;
                }
                let counted = worker.count(self, unit, cancel);
                if counted.is_err() || worker.table.used() > bound {
                    stop.store(true, Ordering::Relaxed);
                }
                counted.map_err(|failed| (unit, failed))?;
            }
            Ok(())
        };
        let failures = run(workers, work).into_iter().filter_map(std::result::Result::err);
        let first_failure = failures.min_by_key(|&(unit, _)| unit).map_or(Ok(()), |(_, failed)| Err(failed));
        (next.into_inner().min(self.units.len() - 1), first_failure)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn words() -> Counting {
        Counting::new(Splitter::white_space(), SpecialTokens::default()).with_sizes(4, 1 << 10)
    }

    #[test]
    fn what_does_not_fit_is_not_added_again() {
        let mut counting = words();
        counting.add_documents(&[b"a b a b a b a b"], 2, Cancel::default()).unwrap();
        counting.own_counts().table.most = 3;
        counting.add_documents(&[&b"a c d e f g h i j k l"[..]; 2], 2, Cancel::default()).unwrap();
        assert!(counting.counts().is_err());
        let listed = |counting: &mut Counting| {
            let counts = counting.counts().unwrap();
            let sum: u64 = counts.iter().map(|(_, count)| count).sum();
            assert_eq!((counts.total(), counts.total_bytes()), (sum, u128::from(sum)));
            counts.iter().map(|(word, count)| (word.to_vec(), count)).collect::<Vec<_>>()
        };
        let first = listed(&mut counting);
        assert_eq!(first.len(), 3);
        assert_eq!(listed(&mut counting), first);
    }

    #[test]
    fn who_reads_a_table_does_not_see_what_is_added_later() {
        for threads in [1, 2] {
            let mut counting = words();
            counting.add_documents(&[b"a b a"], threads, Cancel::default()).unwrap();
            let shared = counting.shared().unwrap();
            assert!(Arc::ptr_eq(&shared, &counting.shared().unwrap()), "reading copies nothing");
            counting.add_documents(&[b"a c c c c c"], threads, Cancel::default()).unwrap();
            assert_eq!((shared.documents(), shared.len(), shared.total()), (1, 2, 3));
            let counts = counting.counts().unwrap();
            assert_eq!((counts.documents(), counts.len(), counts.total(), counts.count(0)), (2, 3, 9, 3));
        }
    }

    #[test]
    fn an_empty_one_counts_in_the_same_way() {
        let mut counting = words();
        counting.add_documents(&[b"a b"], 1, Cancel::default()).unwrap();
        let mut other = counting.empty();
        assert_eq!(other.totals(), (0, 0, 0));
        other.add_documents(&[b"b a"], 1, Cancel::default()).unwrap();
        assert_eq!(other.counts().unwrap().iter().collect::<Vec<_>>(), [(&b"b"[..], 1), (b"a", 1)]);
    }
}
