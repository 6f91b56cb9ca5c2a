//! One thread's part of the counting.
//!
//! Idea: a thread counts unit after unit into a table of its own, and remembers with which entry each unit began. So the new entries
//! of all threads can be put in the order of the units later, which is the order of first appearance, at no cost an entry.
//!
//! Invariant: an entry stands in the run of the first unit, of those that this thread counted, in which it appeared.

use std::ops::{ControlFlow, Range};

use super::table::{Block, Table};
use super::too_distinct;
use super::units::{Place, parts};
use crate::cancel::{Cancel, Meter};
use crate::error::{Error, Result};
use crate::special::{Allowed, SpecialTokens};
use crate::split::{Room, Splitter};

/// What a thread has counted and not given to the common table.
#[derive(Debug, Clone)]
pub(super) struct Worker {
    pub(super) table: Table<u64>,
    /// The units that brought new entries: their numbers, and the first entry of each.
    pub(super) runs: Vec<(u64, usize)>,
    /// Pretokens and their bytes, since the last [`settle`](Self::settle).
    total: u64,
    total_bytes: u128,
    room: Box<Room>,
    block: Box<Block>,
}

/// What is counted.
#[derive(Clone, Copy)]
pub(super) struct Job<'a> {
    pub(super) splitter: &'a Splitter,
    pub(super) specials: &'a SpecialTokens,
    pub(super) texts: &'a [&'a [u8]],
    /// Where the texts begin in the one document that they are parts of; none if they are documents.
    pub(super) bases: &'a [usize],
    /// The units, each from its place to the next.
    pub(super) units: &'a [Place],
    /// How many units were counted before the first of these, since the tables were put together.
    pub(super) first: u64,
}

impl Worker {
    /// A worker with an empty table.
    pub(super) fn new(table: Table<u64>) -> Self {
        let (room, block) = (Box::default(), Box::default());
        Self { table, runs: Vec::new(), total: 0, total_bytes: 0, room, block }
    }

    /// Pretokens and bytes that were counted since the last time.
    pub(super) fn settle(&mut self) -> (u64, u128) {
        (std::mem::take(&mut self.total), std::mem::take(&mut self.total_bytes))
    }

    /// Counts a unit of a job.
    ///
    /// # Errors
    /// The number of the text that fails, and why.
    pub(super) fn count(
        &mut self,
        job: Job<'_>,
        unit: usize,
        cancel: Cancel<'_>,
    ) -> std::result::Result<(), (usize, Error)> {
        let before = self.table.len();
        let (mut meter, mut reached) = (Meter::new(cancel), 0);
        let counted = parts(job.units[unit]..job.units[unit + 1], job.texts).try_for_each(|(index, part)| {
            let length = part.len();
            self.count_part(job, index, part, &mut meter, reached).map_err(|error| (index, error))?;
            reached += length;
            Ok(())
        });
        if self.table.len() > before {
            self.runs.push((job.first + unit as u64, before));
        }
        counted
    }

    /// Counts a part of a text, in which special tokens are boundaries.
    fn count_part(
        &mut self,
        job: Job<'_>,
        index: usize,
        part: Range<usize>,
        meter: &mut Meter<'_>,
        reached: usize,
    ) -> Result<()> {
        let base = job.bases.get(index).copied().unwrap_or(0) + part.start;
        let text = &job.texts[index][part];
        for cut in job.specials.cuts(text, Allowed::All).filter(|cut| cut.token.is_none()) {
            let part = &text[cut.start..cut.end];
            self.count_text(job.splitter, part, base + cut.start, meter, reached + cut.start)?;
        }
        Ok(())
    }

    /// Counts a text that begins at byte `base` of its document.
    fn count_text(
        &mut self,
        splitter: &Splitter,
        text: &[u8],
        base: usize,
        meter: &mut Meter<'_>,
        reached: usize,
    ) -> Result<()> {
        if splitter.drops_text() {
            return self.count_words(splitter, text, base, meter, reached);
        }
        let Self { table, total, room, block, .. } = self;
        let (mut start, mut counted) = (0, Ok(()));
        let split = splitter.cuts_part(text, base, room, |from, ends| {
            counted = meter
                .reach(reached + start)
                .and_then(|()| table.count(text, start, from, ends, block).ok_or_else(too_distinct));
            start = ends.last().map_or(start, |&end| from + end as usize);
            *total += ends.len() as u64;
            if counted.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        self.total_bytes += text.len() as u128;
        split.and(counted)
    }

    /// The same where what lies between pretokens is dropped.
    fn count_words(
        &mut self,
        splitter: &Splitter,
        text: &[u8],
        base: usize,
        meter: &mut Meter<'_>,
        reached: usize,
    ) -> Result<()> {
        let mut counted = Ok(());
        splitter.split_part(text, base, |word| {
            counted = meter.reach(reached + word.start);
            match self.table.intern(text, word.start, word.end) {
                Some(index) => *self.table.value_mut(index) += 1,
                None => counted = Err(too_distinct()),
            }
            self.total += 1;
            self.total_bytes += (word.end - word.start) as u128;
            if counted.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        counted
    }
}
