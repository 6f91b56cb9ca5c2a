//! Text -> ids.

use crate::error::Result;
use crate::tokenizer::{EncodeOptions, Tokenizer};

impl Tokenizer {
    /// Appends the ids of `text` to `out`.
    ///
    /// # Errors
    /// As the options ask: [`Error::DisallowedSpecial`](crate::Error::DisallowedSpecial),
    /// [`Error::UnknownSymbol`](crate::Error::UnknownSymbol); [`Error::Pattern`](crate::Error::Pattern) from a backtracking pattern.
    pub fn encode(&self, _text: &[u8], _options: EncodeOptions<'_>, _out: &mut Vec<u32>) -> Result<()> {
        todo!()
    }

    /// The ids of many texts, one after the other, and the n + 1 offsets between them; on up to `threads` threads.
    ///
    /// # Errors
    /// As [`encode`](Self::encode), of the first text that fails: its index and the error.
    pub fn encode_batch(
        &self,
        _texts: &[&[u8]],
        _options: EncodeOptions<'_>,
        _threads: usize,
    ) -> std::result::Result<(Vec<u32>, Vec<u64>), (usize, crate::Error)> {
        todo!()
    }

    /// How many ids `text` has, without keeping them.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn count(&self, _text: &[u8], _options: EncodeOptions<'_>) -> Result<usize> {
        todo!()
    }

    /// How many ids `text` has, or `None` as soon as there are more than `limit`.
    ///
    /// # Errors
    /// As [`encode`](Self::encode), of the part that was read.
    pub fn count_up_to(&self, _text: &[u8], _limit: usize, _options: EncodeOptions<'_>) -> Result<Option<usize>> {
        todo!()
    }

    /// The length in bytes of the longest prefix of `text` that is made of its first k <= `max_tokens` tokens, ends
    /// on a character edge and has itself at most `max_tokens` tokens.
    ///
    /// # Errors
    /// As [`encode`](Self::encode), of the part that was read.
    pub fn truncate(&self, _text: &[u8], _max_tokens: usize, _options: EncodeOptions<'_>) -> Result<usize> {
        todo!()
    }
}
