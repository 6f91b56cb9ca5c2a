//! Many texts at once.
//!
//! Idea: the texts are cut into contiguous shares of about equal bytes, one for each thread; the shares' results are
//! put one after the other, so the result does not depend on the number of threads. A large text is cut into pieces before
//! ([`stream`](super::stream)), which are shared out as if they were texts.
//!
//! Invariant: `offsets[i]..offsets[i + 1]` are the ids of text i; a failure is always that of the first text that fails.
//!
//! Cost: as encoding; the ids of all threads but one are copied once. Few bytes are not worth a thread.

use std::iter;
use std::ops::Range;

use super::stream::{PIECE, shifted};
use crate::encode::Buffers;
use crate::error::{Error, Result};
use crate::memory::reserve;
use crate::shares::{run, shares};
use crate::tokenizer::{EncodeOptions, Tokenizer};

/// A share of fewer bytes is not worth a thread of its own.
const SHARE: usize = 64 * 1024;

/// Hardly any text has fewer bytes for each id.
pub(super) const FEW: usize = 3;

/// Room for no more ids is made before they are known.
pub(super) const MANY: usize = 1 << 24;

/// Where the ids of each text end; or the first text that failed, and why.
type Share = std::result::Result<Vec<u64>, (usize, Error)>;

/// Where the ids of all threads but one are put at first.
#[derive(Debug, Clone, Default)]
pub(super) struct Room(Vec<Vec<u32>>);

impl Tokenizer {
    /// The ids of many texts, one after the other, and the n + 1 offsets between them; on up to `threads` threads.
    ///
    /// # Errors
    /// As [`encode`](Self::encode), of the first text that fails: its index and the error.
    pub fn encode_batch(
        &self,
        texts: &[&[u8]],
        options: EncodeOptions<'_>,
        threads: usize,
    ) -> std::result::Result<(Vec<u32>, Vec<u64>), (usize, Error)> {
        // What is disallowed must be looked for in whole texts.
        let whole = threads < 2 || !options.disallowed.is_empty() || texts.iter().all(|text| text.len() < 2 * PIECE);
        let mut ids = Vec::new();
        let mut room = Room::default();
        if whole {
            let ends = self.encode_texts(texts, options, threads, &mut ids, &mut room)?;
            return Ok((ids, [0].into_iter().chain(ends).collect()));
        }
        // Of each piece its text, and where it starts and ends in it.
        let mut pieces: Vec<(usize, Range<usize>)> = Vec::new();
        for (index, text) in texts.iter().enumerate() {
            let mut start = 0;
            for end in self.pieces(text, PIECE, options).into_iter().chain([text.len()]) {
                pieces.push((index, start..end));
                start = end;
            }
        }
        let parts: Vec<&[u8]> = pieces.iter().map(|(index, piece)| &texts[*index][piece.clone()]).collect();
        let ends = self.encode_texts(&parts, options, threads, &mut ids, &mut room).map_err(|(piece, error)| {
            let (index, piece) = &pieces[piece];
            (*index, shifted(error, piece.start))
        })?;
        // The ends of the last piece of each text.
        let mut offsets = vec![0; texts.len() + 1];
        for ((index, _), end) in pieces.iter().zip(ends) {
            offsets[index + 1] = end;
        }
        Ok((ids, offsets))
    }

    /// Appends the ids of many texts, each encoded by one thread, and gives the end of each text's; after a failure some ids
    /// may be there.
    pub(super) fn encode_texts(
        &self,
        texts: &[&[u8]],
        options: EncodeOptions<'_>,
        threads: usize,
        ids: &mut Vec<u32>,
        Room(room): &mut Room,
    ) -> Share {
        let shares = shares(texts, threads, SHARE);
        room.resize_with(room.len().max(shares.len()), Vec::new);
        room.iter_mut().for_each(Vec::clear);
        let places = iter::once(&mut *ids).chain(&mut *room);
        let results = run(shares.into_iter().zip(places), |(share, ids)| self.encode_share(texts, share, options, ids));
        let mut results = results.into_iter();
        let mut all = results.next().unwrap_or_else(|| Ok(Vec::new()))?;
        for (ends, more) in results.zip(room) {
            let base = ids.len() as u64;
            ids.extend_from_slice(more);
            all.extend(ends?.into_iter().map(|end| base + end));
        }
        Ok(all)
    }

    /// Appends the ids of the texts of one share.
    fn encode_share(
        &self,
        texts: &[&[u8]],
        share: Range<usize>,
        options: EncodeOptions<'_>,
        ids: &mut Vec<u32>,
    ) -> Share {
        if self.normalizer().is_some() {
            return collect(texts, share, ids, |text, ids| self.encode(text, options, ids));
        }
        if !self.has_table() {
            let mut buffers = Buffers::default();
            return collect(texts, share, ids, |text, ids| self.encode_plain(text, options, ids, &mut buffers));
        }
        let bytes: usize = texts[share.clone()].iter().map(|text| text.len()).sum();
        reserve(ids, (bytes / FEW).min(MANY));
        self.pool()
            .with(|scratch| collect(texts, share, ids, |text, ids| self.encode_fast(text, options, ids, scratch)))
    }
}

/// Encodes the texts of one share by `encode`.
fn collect(
    texts: &[&[u8]],
    share: Range<usize>,
    ids: &mut Vec<u32>,
    mut encode: impl FnMut(&[u8], &mut Vec<u32>) -> Result<()>,
) -> Share {
    let mut ends = Vec::with_capacity(share.len());
    for index in share {
        encode(texts[index], ids).map_err(|error| (index, error))?;
        ends.push(ids.len() as u64);
    }
    Ok(ends)
}
