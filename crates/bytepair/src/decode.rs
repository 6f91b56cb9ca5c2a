//! Ids -> bytes, and the streaming UTF-8 decoder.

use crate::error::Result;
use crate::tokenizer::{DecodeOptions, Tokenizer};

impl Tokenizer {
    /// Appends the bytes of `ids` to `out`. In characters mode an end-of-word mark becomes one space and the last
    /// one is dropped.
    ///
    /// # Errors
    /// [`Error::UnknownId`](crate::Error::UnknownId), if the options ask for it.
    pub fn decode(&self, _ids: &[u32], _options: DecodeOptions, _out: &mut Vec<u8>) -> Result<()> {
        todo!()
    }
}

/// Turns bytes that arrive in pieces into text: an incomplete character is held back until it is whole; bytes
/// that can start none come out at once as U+FFFD (one per maximal subpart, as Unicode recommends).
#[derive(Debug, Clone, Default)]
pub struct Utf8Stream {
    pending: Vec<u8>,
}

impl Utf8Stream {
    /// The text that is complete after these bytes.
    pub fn feed(&mut self, _bytes: &[u8]) -> String {
        let _ = &self.pending;
        todo!()
    }

    /// What is left at the end: U+FFFD for an incomplete character, else nothing. The stream is empty afterwards.
    pub fn flush(&mut self) -> String {
        todo!()
    }
}
