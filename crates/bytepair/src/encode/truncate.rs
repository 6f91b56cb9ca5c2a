//! The longest prefix of a text that fits into a number of tokens.
//!
//! Idea: a candidate is the text of the first k tokens, for k from `max_tokens` down, where that ends on a character
//! edge. A prefix is a text of its own and may be split otherwise than the whole (a look-ahead now sees its end), so its
//! own tokens are counted before it is taken. Nearly always the first or second candidate fits.
//!
//! Invariant: what is given back fits, ends on a character edge and ends where a token ends. It is the longest such
//! prefix if one of the [`CLOSEST`] longest fits, or if beyond them the counts rise with the length (only a pattern that
//! looks far ahead can make them not do so): there the search is by halving.
//!
//! Cost: at most [`CLOSEST`] + log n countings, each of which stops when it is over.

use std::ops::ControlFlow;

use crate::cancel::Meter;
use crate::decode::is_character_edge;
use crate::encode::blocks::{Run, Sink};
use crate::encode::pool::Scratch;
use crate::encode::{Buffers, Segment, Stop};
use crate::error::Result;
use crate::tokenizer::{EncodeOptions, Tokenizer};

/// How many candidates are tried one by one.
const CLOSEST: usize = 64;

impl Tokenizer {
    /// The length in bytes of the longest prefix of `text` that is made of its first k <= `max_tokens` tokens, ends
    /// on a character edge and has itself at most `max_tokens` tokens. In a text of n bytes, n log n at worst.
    ///
    /// # Errors
    /// As [`encode`](Self::encode), of the part that was read.
    pub fn truncate(&self, text: &[u8], max_tokens: usize, options: EncodeOptions<'_>) -> Result<usize> {
        self.refuse_disallowed(text, options)?;
        // By the table, tokens are as long as their contents.
        let ends = if self.normalizer().is_some() {
            self.ends_normalized(text, max_tokens, options)?
        } else if self.has_table() {
            let work = |scratch: &mut Scratch| self.ends_by_table(text, max_tokens, options, scratch);
            self.pool().with(work)?
        } else {
            self.ends_by_tracing(text, max_tokens, options)?
        };
        let Some(mut ends) = ends else { return Ok(text.len()) };
        ends.dedup();
        ends.retain(|&end| is_character_edge(text, end));
        let fits = |end: usize| Ok(self.count_stopping(&text[..end], max_tokens, options)?.is_some());
        let near = ends.len().saturating_sub(CLOSEST);
        for &end in ends[near..].iter().rev() {
            if fits(end)? {
                return Ok(end);
            }
        }
        let (mut fitting, mut low, mut high) = (0, 0, near);
        while low < high {
            let middle = low + (high - low) / 2;
            if fits(ends[middle])? {
                fitting = ends[middle];
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(fitting)
    }

    /// Where each of the first `max_tokens` tokens ends; `None` if there are no more than those.
    fn ends_by_table(
        &self,
        text: &[u8],
        max_tokens: usize,
        options: EncodeOptions<'_>,
        scratch: &mut Scratch,
    ) -> Result<Option<Vec<usize>>> {
        let (mut ends, mut ids) = (Vec::new(), Vec::new());
        let mut meter = Meter::new(options.cancel);
        self.segments(text, options, |segment| {
            match segment {
                Segment::Special(_, end, _) => ends.push(end),
                Segment::Text(start, end) => {
                    let most = max_tokens.saturating_sub(ends.len());
                    let (vocabulary, sink, meter) = (self.vocabulary(), &mut Sink::Ids(&mut ids), &mut meter);
                    self.encode_segment(start..end, most, Run { vocabulary, text, scratch, sink, meter })?;
                    let lengths = ids.drain(..).map(|id| self.vocabulary().content(id).map_or(0, <[u8]>::len));
                    ends.extend(lengths.scan(start, |end, length| {
                        *end += length;
                        Some(*end)
                    }));
                }
            }
            Ok(if ends.len() > max_tokens { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        Ok(first(ends, max_tokens))
    }

    /// The same, whatever the vocabulary and the pattern.
    fn ends_by_tracing(
        &self,
        text: &[u8],
        max_tokens: usize,
        options: EncodeOptions<'_>,
    ) -> Result<Option<Vec<usize>>> {
        let mut ends = Vec::new();
        let mut buffers = Buffers::default();
        let mut spans = Vec::new();
        self.walk(text, options, |stop| {
            match stop {
                Stop::Special(_, end, _) => ends.push(end),
                Stop::Pretoken(at) => {
                    self.spans(text, at, options, &mut buffers, &mut spans)?;
                    ends.extend(spans.iter().map(|&(_, _, end)| end));
                }
            }
            Ok(if ends.len() > max_tokens { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        Ok(first(ends, max_tokens))
    }
}

/// The first `max_tokens` ends, if there are more.
fn first(mut ends: Vec<usize>, max_tokens: usize) -> Option<Vec<usize>> {
    if ends.len() <= max_tokens {
        return None;
    }
    ends.truncate(max_tokens);
    Some(ends)
}
