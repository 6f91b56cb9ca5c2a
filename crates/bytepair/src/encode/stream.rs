//! Encoding a text that comes in parts, or that is larger than memory.
//!
//! Idea: [`Tokenizer::settled`] finds a place behind which nothing depends on what was before, and before which nothing depends on
//! what follows. The text up to there is encoded as a text of its own and forgotten; the rest, the **tail**, waits for more.
//!
//! Invariant: the ids given so far, and those of the tail with all that follows, are the ids of the whole.
//!
//! Cost: as encoding. The tail is looked at again only when it has doubled, so a text that has no place to cut costs no more
//! than a few times its length; but all of it is kept. A file is read in large parts, each cut into pieces for the threads.

use super::bulk::{FEW as FEWEST, MANY, Room};
use crate::error::{Error, Result};
use crate::memory::reserve;
use crate::special::Allowed;
use crate::tokenizer::{EncodeOptions, Tokenizer};

/// A tail of fewer bytes waits for more before it is looked at.
const FEW: usize = 1024;
/// Bytes of a piece that a thread gets at a time.
pub(super) const PIECE: usize = 1 << 20;

impl Tokenizer {
    /// A position, late in a text of which more may follow, such that the ids of what lies before it and those of the rest
    /// with all that follows, each encoded as a text of its own, are those of the whole. 0 where there is none; see
    /// [`Splitter::settled`](crate::Splitter::settled).
    pub fn settled(&self, text: &[u8], options: EncodeOptions<'_>) -> usize {
        // What is put before a text is not put before its parts.
        if self.normalizer().is_some() {
            return 0;
        }
        let EncodeOptions { allowed, disallowed, .. } = options;
        let matter = !allowed.is_empty() || !disallowed.is_empty();
        self.specials().settled(self.splitter(), text, allowed, matter)
    }

    /// Positions that cut a text of which more may follow into pieces of about `size` bytes, each of which, and the rest with all
    /// that follows, may be encoded as a text of its own. Fewer than there might be where the call is cancelled.
    pub fn pieces(&self, text: &[u8], size: usize, options: EncodeOptions<'_>) -> Vec<usize> {
        let mut ends = Vec::new();
        let (mut start, mut length) = (0, size.max(1));
        loop {
            let end = text.len().min(start + length);
            let cut = self.settled(&text[start..end], options);
            if cut > 0 {
                start += cut;
                ends.push(start);
            }
            if end == text.len() || options.cancel.requested() {
                return ends;
            }
            length = if cut > 0 { size.max(1) } else { 2 * length };
        }
    }
}

/// The end of a text that comes in parts.
#[derive(Debug, Clone, Default)]
pub(super) struct Tail {
    pub(super) text: Vec<u8>,
    /// How much of it was found to have no place to cut.
    looked: usize,
    /// How many bytes were forgotten before it.
    gone: usize,
}

impl Tail {
    /// Adds more text; says whether it is worth looking for a place to cut.
    pub(super) fn push(&mut self, text: &[u8]) -> bool {
        self.text.extend_from_slice(text);
        self.text.len() >= FEW.max(2 * self.looked)
    }

    /// Takes back the end, as if it had not been pushed.
    pub(super) fn pop(&mut self, bytes: usize) {
        self.text.truncate(self.text.len().saturating_sub(bytes));
    }

    /// Whether it was looked at since something was added.
    pub(super) fn is_looked_at(&self) -> bool {
        self.looked == self.text.len()
    }

    /// Forgets what lies before a place to cut, the last that there is.
    pub(super) fn forget(&mut self, cut: usize) {
        self.text.drain(..cut);
        self.is_rest(cut);
    }

    /// What is there has no place to cut; so many bytes before it are forgotten.
    fn is_rest(&mut self, cut: usize) {
        self.text.shrink_to(2 * self.text.len() + FEW);
        (self.looked, self.gone) = (self.text.len(), self.gone + cut);
    }

    /// An error about this text as one about the whole.
    pub(super) fn place(&self, error: Error) -> Error {
        shifted(error, self.gone)
    }
}

/// An error about a part of a text as one about the text, in which the part starts at byte `start`.
pub(super) fn shifted(error: Error, start: usize) -> Error {
    match error {
        Error::DisallowedSpecial { token, at } => Error::DisallowedSpecial { token, at: at + start },
        Error::UnknownSymbol { symbol, at } => Error::UnknownSymbol { symbol, at: at + start },
        other => other,
    }
}

/// The pieces of a text that end at some places.
fn cut_at<'a>(text: &'a [u8], ends: &'a [usize]) -> impl Iterator<Item = &'a [u8]> {
    let starts = [0].into_iter().chain(ends.iter().copied());
    starts.zip(ends).map(|(start, &end)| &text[start..end])
}

/// Encodes a text that comes in parts. All parts must be given the same tokenizer and options.
///
/// ```
/// use bytepair::encode::Stream;
/// use bytepair::tokenizer::EncodeOptions;
/// use bytepair::{SpecialTokens, Splitter, Tokenizer, Vocabulary};
///
/// let bytes = (0..=255u8).map(|byte| (u32::from(byte), vec![byte])).collect();
/// let splitter = Splitter::new(r"\w+|\W")?;
/// let tokenizer = Tokenizer::new(splitter, Vocabulary::from_ranks(bytes)?, SpecialTokens::default())?;
/// let (mut stream, mut ids) = (Stream::default(), Vec::new());
/// for part in ["one wo", "rd and an", "other"] {
///     stream.feed(&tokenizer, part.as_bytes(), EncodeOptions::default(), 1, &mut ids)?;
/// }
/// stream.finish(&tokenizer, EncodeOptions::default(), &mut ids)?;
/// assert_eq!(ids, b"one word and another".map(u32::from));
/// # Ok::<(), bytepair::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Stream {
    tail: Tail,
    /// What the threads need for one part is there for the next.
    room: Room,
}

impl Stream {
    /// Adds a part of the text and appends the ids that are certain now to `out`. On up to `threads` threads where it is large.
    ///
    /// # Errors
    /// As [`Tokenizer::encode`], with places in the whole text. Nothing of this part is kept then.
    pub fn feed(
        &mut self,
        tokenizer: &Tokenizer,
        text: &[u8],
        options: EncodeOptions<'_>,
        threads: usize,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        let (waiting, given) = (self.tail.text.len(), out.len());
        let fed = self.settle(tokenizer, text, options, threads, out);
        fed.map_err(|error| {
            let error = self.tail.place(error);
            self.tail.text.truncate(waiting);
            out.truncate(given);
            error
        })
    }

    /// The same, but for what is left after an error, which is placed in what waits and the part.
    fn settle(
        &mut self,
        tokenizer: &Tokenizer,
        text: &[u8],
        options: EncodeOptions<'_>,
        threads: usize,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        let tail = &mut self.tail;
        let waiting = tail.text.len();
        // What waits is joined with as much of the part, and some more. If there is a place to cut in that, the rest is
        // encoded where it lies; if not, it is joined too.
        let (head, rest) = text.split_at(text.len().min(waiting + FEW));
        if !tail.push(head) {
            return Ok(());
        }
        let cut = tokenizer.settled(&tail.text, options);
        let (joined, rest) = if cut > waiting {
            (vec![cut], &text[cut - waiting..])
        } else {
            tail.push(rest);
            (tokenizer.pieces(&tail.text, PIECE, options), &[][..])
        };
        let base = joined.last().copied().unwrap_or(0);
        // Of a text that is normalised, only the whole says what it becomes.
        tokenizer.refuse_written(&tail.text, options)?;
        tokenizer.refuse_written(rest, options).map_err(|error| shifted(error, base))?;
        let ends = tokenizer.pieces(rest, PIECE, options);
        let pieces: Vec<&[u8]> = cut_at(&tail.text, &joined).chain(cut_at(rest, &ends)).collect();
        let options = EncodeOptions { disallowed: Allowed::None, ..options };
        tokenizer.encode_texts(&pieces, options, threads, out, &mut self.room).map_err(|(piece, error)| {
            let start = pieces[..piece].iter().map(|piece| piece.len()).sum();
            shifted(error, start)
        })?;
        if cut > waiting {
            let end = ends.last().copied().unwrap_or(0);
            tail.text.clear();
            tail.text.extend_from_slice(&rest[end..]);
            tail.is_rest(base + end);
        } else {
            tail.forget(base);
        }
        Ok(())
    }

    /// Makes room in `out` for the ids of about so many bytes.
    pub fn expect(bytes: usize, out: &mut Vec<u32>) {
        reserve(out, (bytes / FEWEST).min(MANY));
    }

    /// How many bytes of the text are kept, since their ids may depend on what follows.
    pub fn waiting(&self) -> usize {
        self.tail.text.len()
    }

    /// The end of the text: appends its last ids to `out`. The stream is as new afterwards.
    ///
    /// # Errors
    /// As [`Tokenizer::encode`], with places in the whole text.
    pub fn finish(&mut self, tokenizer: &Tokenizer, options: EncodeOptions<'_>, out: &mut Vec<u32>) -> Result<()> {
        let tail = std::mem::take(&mut self.tail);
        tokenizer.encode(&tail.text, options, out).map_err(|error| tail.place(error))
    }
}
