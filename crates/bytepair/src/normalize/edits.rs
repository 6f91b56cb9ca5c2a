//! A text that is made of another one, and which part of that each part came from.
//!
//! Idea: what is copied needs no record; what is put in place of something else is an [`Edit`]. Between two edits both texts
//! have the same bytes, so places there differ by a constant.
//!
//! Invariant: edits ascend in both texts and do not overlap.
//!
//! Cost: building is linear; a look-up is a binary search among the edits.

use crate::cancel::{Cancel, Meter};
use crate::error::Result;

/// Bytes of the new text that stand for bytes of the old one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Edit {
    /// In the new text: where they begin, and end.
    made: (usize, usize),
    /// In the old text.
    was: (usize, usize),
}

/// Where each part of a text came from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Edits {
    edits: Vec<Edit>,
}

impl Edits {
    /// The bytes of the old text that `start..end` of the new one came from: of what was put, all that it stands for. What
    /// was put in place of nothing has an empty span.
    pub(super) fn origin(&self, start: usize, end: usize) -> (usize, usize) {
        let from = self.place(start).0;
        if end <= start {
            return (from, from);
        }
        (from, self.place(end - 1).1.max(from))
    }

    /// The old bytes that one byte of the new text came from, or for its end, the place.
    fn place(&self, at: usize) -> (usize, usize) {
        // The last edit that begins no later; of those that begin at one place, what was taken away comes before what is put.
        let after = self.edits.partition_point(|edit| edit.made.0 <= at);
        match after.checked_sub(1).map(|last| self.edits[last]) {
            None => (at, at + 1),
            Some(edit) if at < edit.made.1 => edit.was,
            Some(edit) => (at - edit.made.1 + edit.was.1, at - edit.made.1 + edit.was.1 + 1),
        }
    }
}

/// A text in the making.
#[derive(Debug)]
pub(super) struct Making<'e, 'c> {
    text: Vec<u8>,
    /// How much of the old text was gone through.
    was: usize,
    /// The record, where it is wanted.
    edits: Option<&'e mut Edits>,
    meter: Meter<'c>,
}

impl<'e, 'c> Making<'e, 'c> {
    /// A text that will have about so many bytes.
    pub(super) fn new(bytes: usize, edits: Option<&'e mut Edits>, cancel: Cancel<'c>) -> Self {
        Self { text: Vec::with_capacity(bytes), was: 0, edits, meter: Meter::new(cancel) }
    }

    /// Asks now and then whether to go on. The work has come this many bytes further than what was gone through.
    #[inline]
    pub(super) fn reach(&mut self, ahead: usize) -> Result<()> {
        self.meter.reach(self.was + ahead)
    }

    /// Copies the next bytes of the old text.
    pub(super) fn keep(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
        self.was += bytes.len();
    }

    /// Puts something in place of the next `was` bytes of the old text.
    pub(super) fn put(&mut self, bytes: &[u8], was: usize) {
        let made = self.text.len();
        self.text.extend_from_slice(bytes);
        if let Some(edits) = &mut self.edits {
            edits.edits.push(Edit { made: (made, self.text.len()), was: (self.was, self.was + was) });
        }
        self.was += was;
    }

    /// Leaves the next bytes of the old text out.
    pub(super) fn drop(&mut self, was: usize) {
        if was > 0 {
            self.put(b"", was);
        }
    }

    /// What was made so far.
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Takes the last bytes away again.
    pub(super) fn cut(&mut self, length: usize) {
        self.text.truncate(length);
        if let Some(edits) = &mut self.edits {
            while let Some(last) = edits.edits.last_mut().filter(|edit| edit.made.1 > length) {
                // Of one that begins before that, the rest still stands for the same bytes.
                if last.made.0 < length {
                    last.made.1 = length;
                    break;
                }
                edits.edits.pop();
            }
        }
    }

    /// The text.
    pub(super) fn finish(self) -> Vec<u8> {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::{Edits, Making};
    use crate::cancel::Cancel;

    #[test]
    fn spans_of_the_new_text_are_spans_of_the_old() {
        let mut edits = Edits::default();
        let mut making = Making::new(0, Some(&mut edits), Cancel::default());
        // "  ab c" -> "_ab__c"
        making.drop(2);
        making.put(b"_", 0);
        making.keep(b"ab");
        making.put(b"__", 1);
        making.keep(b"c");
        assert_eq!(making.finish(), b"_ab__c");
        assert_eq!(edits.origin(0, 1), (2, 2));
        assert_eq!(edits.origin(0, 2), (2, 3));
        assert_eq!(edits.origin(1, 3), (2, 4));
        assert_eq!(edits.origin(3, 4), (4, 5));
        assert_eq!(edits.origin(4, 6), (4, 6));
        assert_eq!(edits.origin(6, 6), (6, 6));
        assert_eq!(Edits::default().origin(3, 5), (3, 5));
    }

    #[test]
    fn what_is_left_of_an_edit_still_stands_for_all_of_it() {
        let mut edits = Edits::default();
        let mut making = Making::new(0, Some(&mut edits), Cancel::default());
        making.keep(b"a");
        making.put(b"bcd ", 1);
        making.put(b"  ", 1);
        making.cut(4);
        making.put(b"_", 0);
        assert_eq!(making.finish(), b"abcd_");
        assert_eq!(edits.origin(3, 4), (1, 2));
        assert_eq!(edits.origin(4, 5), (3, 3));
    }
}
