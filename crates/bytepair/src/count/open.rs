//! A document that comes in parts, and may be larger than memory.
//!
//! Idea: what lies before a place at which the text may be cut is counted as a document of its own and forgotten; the rest, the
//! **tail**, waits for the next part. Of a large part only the beginning is put behind the tail, to find the first such place in
//! it; from there on it is counted where it lies.
//!
//! Invariant: what was counted, and what the tail with all that follows would give, are what the whole gives.
//!
//! Cost: as counting. A tail that could not be cut is looked at again only when it has doubled; a text that has no place to cut
//! is kept whole.

use super::counting::Counting;
use crate::cancel::Cancel;
use crate::error::Result;
use crate::special::Allowed;

/// The end of a document that comes in parts.
#[derive(Debug, Clone, Default)]
pub(super) struct Open {
    tail: Vec<u8>,
    /// How much of it has no place to cut.
    looked: usize,
    /// How many bytes were forgotten before it.
    gone: usize,
}

impl Open {
    /// The bytes of memory that it takes.
    pub(super) fn memory(&self) -> usize {
        self.tail.capacity()
    }
}

impl Counting {
    /// How many bytes of a document that comes in parts are kept, since they may go on.
    pub fn waiting(&self) -> usize {
        self.open.tail.len()
    }

    /// The document that has come in part: its bytes that wait, how many were forgotten before them, and how many of those that wait
    /// have no place to cut; none if no part has come. With it and the counts, another counting can [go on](Self::reopen).
    pub fn opened(&self) -> Option<(&[u8], usize, usize)> {
        let Open { tail, looked, gone } = &self.open;
        (!tail.is_empty() || *gone > 0).then_some((tail, *gone, *looked))
    }

    /// Goes on with a document that has come in part, as [`opened`](Self::opened) gave it.
    pub fn reopen(&mut self, tail: Vec<u8>, gone: usize, looked: usize) {
        self.open = Open { looked: looked.min(tail.len()), tail, gone };
    }

    /// Counts a part of a document. Parts may be cut anywhere, also within characters and special tokens.
    ///
    /// # Errors
    /// As [`add_documents`](Self::add_documents).
    pub fn add_part(&mut self, part: &[u8], threads: usize, cancel: Cancel<'_>) -> Result<()> {
        let mut tail = std::mem::take(&mut self.open.tail);
        let before = tail.len();
        let is_little = before + part.len() < self.few().max(2 * self.open.looked);
        let joint = if is_little { None } else { self.joint(&mut tail, part) };
        if joint.is_none() {
            tail.extend_from_slice(part);
        }
        if is_little {
            self.open.tail = tail;
            return Ok(());
        }
        let (head, rest) = joint.map_or((&[][..], &tail[..]), |at| (&tail[..at], &part[at - before..]));
        let end = self.settled(rest);
        let bases = [self.open.gone, self.open.gone + head.len()];
        let counted = self.add_texts(&[head, &rest[..end]], &bases, threads, cancel);
        self.open.gone = bases[1] + end;
        let left = rest.len() - end;
        if joint.is_some() {
            tail.clear();
            tail.shrink_to(2 * self.few());
            tail.extend_from_slice(&part[part.len() - left..]);
        } else {
            tail.drain(..end);
        }
        self.open.looked = tail.len();
        self.open.tail = tail;
        counted.map_err(|(_, error)| error)
    }

    /// The document that came in parts ends here.
    ///
    /// # Errors
    /// As [`add_documents`](Self::add_documents).
    pub fn end_document(&mut self, threads: usize, cancel: Cancel<'_>) -> Result<()> {
        let Open { tail, gone, .. } = std::mem::take(&mut self.open);
        self.count_document();
        self.add_texts(&[&tail], &[gone], threads, cancel).map_err(|(_, error)| error)
    }

    /// Fewer bytes wait for more.
    fn few(&self) -> usize {
        self.cutter().size / 4
    }

    /// A place in a part, not far from its beginning, at which the text may be cut, counted from the beginning of the tail; the tail
    /// then holds the text up to there at least.
    fn joint(&self, tail: &mut Vec<u8>, part: &[u8]) -> Option<usize> {
        let before = tail.len();
        if before == 0 {
            return Some(0);
        }
        let known = part.get(..self.few().max(2 * self.cutter().sight()))?;
        tail.extend_from_slice(known);
        // No nearer to either end than it sees.
        let at = self.cutter().cut(tail, before + known.len() / 2);
        if at.is_none() {
            tail.truncate(before);
        }
        at
    }

    /// A place, late in a text of which more may follow, such that what lies before it and the rest with all that follows may
    /// be counted as documents of their own. 0 where there is none.
    fn settled(&self, text: &[u8]) -> usize {
        let cutter = self.cutter();
        // So far from the end that what is not known yet is out of sight.
        let far = text.len().saturating_sub(cutter.sight().max(self.few() / 8));
        if far > text.len() / 2
            && let Some(at) = cutter.cut(text, far)
        {
            return at;
        }
        cutter.specials.settled(cutter.splitter, text, Allowed::All, true)
    }
}
