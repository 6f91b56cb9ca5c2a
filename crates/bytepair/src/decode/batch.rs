//! Many lists of ids at once.
//!
//! Idea: the lists are cut into contiguous shares of about equally many ids, one for each thread; a share's texts lie end to
//! end.
//!
//! Invariant: the shares, one after the other, hold the texts in the order of the lists; a failure is always that of the
//! first list that fails.
//!
//! Cost: as decoding. Few ids are not worth a thread.

use std::ops::Range;

use crate::error::Error;
use crate::shares::{run, shares};
use crate::tokenizer::{DecodeOptions, Tokenizer};

/// A share of fewer ids is not worth a thread of its own.
const SHARE: usize = 64 * 1024;

/// The bytes of some lists, end to end, and where those of each list end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Texts {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Texts {
    /// The bytes of each list.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.bytes[start..end])
    }
}

impl Tokenizer {
    /// The bytes of many lists of ids, in their order, on up to `threads` threads: a few parts that follow each other.
    ///
    /// # Errors
    /// As [`decode`](Self::decode), of the first list that fails: its index and the error.
    pub fn decode_batch(
        &self,
        lists: &[&[u32]],
        options: DecodeOptions,
        threads: usize,
    ) -> Result<Vec<Texts>, (usize, Error)> {
        let parts = run(shares(lists, threads, SHARE), |share| self.decode_share(lists, share, options));
        parts.into_iter().collect()
    }

    fn decode_share(
        &self,
        lists: &[&[u32]],
        share: Range<usize>,
        options: DecodeOptions,
    ) -> Result<Texts, (usize, Error)> {
        let mut texts = Texts { bytes: Vec::new(), ends: Vec::with_capacity(share.len()) };
        for index in share {
            self.decode(lists[index], options, &mut texts.bytes).map_err(|error| (index, error))?;
            texts.ends.push(texts.bytes.len());
        }
        Ok(texts)
    }
}
