//! Byte spans -> character spans.
//!
//! Idea: a cursor walks over what decodes to one character each (a character, or a maximal subpart that is replaced by
//! U+FFFD); the spans ascend, so it never goes back further than to where the last span began.
//!
//! Cost: linear in the text, and in the parts of it that spans have in common.

use crate::decode::unit_length;

/// A cursor over the characters of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Characters<'a> {
    text: &'a [u8],
    /// Where the current character starts.
    at: usize,
    /// Its index.
    index: usize,
}

/// The last span, and what was said about it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Last<'a> {
    span: (usize, usize),
    said: ((usize, usize), bool),
    first: Characters<'a>,
}

/// The spans of a text that overlap where normalising makes several tokens of what cannot be taken apart.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spans<'a> {
    cursor: Characters<'a>,
    last: Option<Last<'a>>,
}

impl<'a> Spans<'a> {
    /// Those of `text`.
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { cursor: Characters::new(text), last: None }
    }

    /// As [`Characters::span`]; a span may begin where the last one did, or behind that.
    pub(super) fn span(&mut self, start: usize, end: usize) -> ((usize, usize), bool) {
        if let Some(last) = self.last {
            if last.span == (start, end) {
                return last.said;
            }
            if start < self.cursor.at {
                self.cursor = last.first;
            }
        }
        self.cursor.seek(start);
        let first = self.cursor;
        let said = self.cursor.span(start, end);
        self.last = Some(Last { span: (start, end), said, first });
        said
    }
}

impl<'a> Characters<'a> {
    /// The cursor at the start of `text`.
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, index: 0 }
    }

    /// The characters that the bytes `start..end` touch, and whether they start or end inside one. An empty span
    /// touches none and lies before the character at `start`. Spans must be asked for in ascending order.
    pub(super) fn span(&mut self, start: usize, end: usize) -> ((usize, usize), bool) {
        self.seek(start);
        let first = self.index;
        let mut partial = self.at != start;
        if end == start {
            return ((first, first), partial);
        }
        let mut last = *self;
        last.seek(end - 1);
        partial |= last.at + last.length() != end;
        let index = last.index;
        // Where the next span may start: no earlier than in this character.
        *self = last;
        ((first, index + 1), partial)
    }

    /// Goes to the character that holds byte `to`, or to the end of the text.
    fn seek(&mut self, to: usize) {
        loop {
            let length = self.length();
            if length == 0 || self.at + length > to {
                return;
            }
            self.at += length;
            self.index += 1;
        }
    }

    /// The bytes of the current character; 0 at the end of the text.
    fn length(&self) -> usize {
        unit_length(self.text.get(self.at..).unwrap_or_default())
    }
}
