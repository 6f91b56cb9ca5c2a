//! Bytes that arrive in pieces -> text.
//!
//! Idea: one U+FFFD for each maximal subpart of a character, as Unicode recommends; what may still become a character is
//! held back.
//!
//! Invariant: whatever the pieces, a stream gives the text that [`String::from_utf8_lossy`] gives for all of them together.
//!
//! Cost: linear in the bytes; whole characters in one piece are not even copied.

use std::borrow::Cow;

/// What replaces bytes that are not text.
const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

/// Turns bytes that arrive in pieces into text: an incomplete character is held back until it is whole; bytes
/// that can start none come out at once as U+FFFD (one per maximal subpart, as Unicode recommends).
///
/// ```
/// let mut stream = bytepair::decode::Utf8Stream::default();
/// assert_eq!(stream.feed(&[0xC4]), "");
/// assert_eq!(stream.feed(&[0x8F, 0xFF]), "ď\u{FFFD}");
/// assert_eq!(stream.flush(), "");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Utf8Stream {
    /// The first bytes of a character that is not complete: at most three.
    pending: Vec<u8>,
}

impl Utf8Stream {
    /// The text that is complete after these bytes.
    pub fn feed<'a>(&mut self, bytes: &'a [u8]) -> Cow<'a, str> {
        if self.pending.is_empty()
            && let Ok(text) = std::str::from_utf8(bytes)
        {
            return Cow::Borrowed(text);
        }
        self.pending.extend_from_slice(bytes);
        let mut text = String::with_capacity(self.pending.len());
        let mut rest = self.pending.as_slice();
        loop {
            let error = match std::str::from_utf8(rest) {
                Ok(valid) => {
                    text.push_str(valid);
                    rest = &[];
                    break;
                }
                Err(error) => error,
            };
            let (valid, after) = rest.split_at(error.valid_up_to());
            // The error says that this part is valid.
            text.push_str(std::str::from_utf8(valid).unwrap_or_default());
            rest = after;
            let Some(length) = error.error_len() else { break };
            text.push(REPLACEMENT);
            rest = &rest[length..];
        }
        self.pending.drain(..self.pending.len() - rest.len());
        Cow::Owned(text)
    }

    /// What is left at the end: U+FFFD for an incomplete character, else nothing. The stream is empty afterwards.
    pub fn flush(&mut self) -> String {
        let text = if self.pending.is_empty() { String::new() } else { REPLACEMENT.to_string() };
        self.pending.clear();
        text
    }
}

/// The length of what decodes to one character at the start of `bytes`: a character, or a maximal subpart of one
/// that is replaced. 0 only for no bytes.
pub(crate) fn unit_length(bytes: &[u8]) -> usize {
    let head = &bytes[..bytes.len().min(4)];
    let length_of_first = |text: &str| text.chars().next().map_or(0, char::len_utf8);
    match std::str::from_utf8(head) {
        Ok(text) => length_of_first(text),
        Err(error) if error.valid_up_to() > 0 => {
            length_of_first(std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default())
        }
        Err(error) => error.error_len().unwrap_or(head.len()),
    }
}

/// Whether `at` lies between two characters of `text`, as they decode: not inside a character, nor inside a maximal
/// subpart of one that is replaced.
pub(crate) fn is_character_edge(text: &[u8], at: usize) -> bool {
    let is_continuation = |byte: &u8| byte & 0xC0 == 0x80;
    if at == 0 || !text.get(at).is_some_and(is_continuation) {
        return true;
    }
    // Every byte that is no continuation byte starts a character or a subpart, of at most four bytes.
    let lead = (at.saturating_sub(3)..at).rev().find(|&lead| !text.get(lead).is_some_and(is_continuation));
    lead.is_none_or(|lead| lead + unit_length(&text[lead..]) <= at)
}
