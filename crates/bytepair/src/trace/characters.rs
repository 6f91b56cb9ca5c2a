//! Byte spans -> character spans.
//!
//! Idea: a cursor walks over what decodes to one character each (a character, or a maximal subpart that is replaced by
//! U+FFFD); the spans ascend, so it never goes back further than one character.
//!
//! Cost: linear in the text.

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
