//! Encoding bytes that are one pretoken, whatever the pattern says: what interfaces of others call a single piece.

use crate::cancel::Cancel;
use crate::encode::Buffers;
use crate::encode::blocks::too_long;
use crate::encode::piece::LONGEST;
use crate::error::Result;
use crate::split::Pretoken;
use crate::tokenizer::{EncodeOptions, Tokenizer};

impl Tokenizer {
    /// Appends the ids of `word`, which is not cut, and in which no special token is looked for.
    ///
    /// # Errors
    /// [`Error::UnknownSymbol`](crate::Error::UnknownSymbol), [`Error::Pattern`](crate::Error::Pattern) for a word of 2^32 - 1
    /// bytes or more, and [`Error::Interrupted`](crate::Error::Interrupted).
    pub fn encode_single(&self, word: &[u8], cancel: Cancel<'_>, out: &mut Vec<u32>) -> Result<()> {
        if word.len() > LONGEST {
            return Err(too_long(0, word.len()));
        }
        let options = EncodeOptions { cancel, ..EncodeOptions::default() };
        let before = out.len();
        let whole = Pretoken { start: 0, end: word.len(), alternative: None };
        let done = self.pretoken(word, whole, options, &mut Buffers::default(), |id| out.push(id));
        if done.is_err() {
            out.truncate(before);
        }
        done
    }
}
