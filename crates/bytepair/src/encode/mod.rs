//! Text -> ids.
//!
//! Idea: one walk visits, in order, the recognised special tokens and the pretokens between them; encoding, counting,
//! truncating and tracing differ only in what they do at each stop.
//!
//! Invariant: what lies between two recognised special tokens is split as a text of its own.
//!
//! A vocabulary of all bytes is served by the pretoken table (`table`: what it is; `blocks`: how a text goes through it);
//! anything else by merging each pretoken, the plain path, which is also what the tests compare with.
//!
//! Cost: linear in the text, and n log n in a long pretoken (`piece`).

mod blocks;
mod bulk;
mod cache;
mod counter;
pub(crate) mod cuts;
mod dropout;
mod few;
mod links;
mod long;
mod lookup;
mod lowest;
mod ordered;
pub(crate) mod piece;
pub(crate) mod pool;
mod repeat;
mod serve;
mod single;
mod stream;
pub(crate) mod symbols;
mod table;
mod truncate;

use std::ops::ControlFlow;

use crate::cancel::{EVERY, Meter};
use crate::error::{Error, Result};
use crate::special::{Allowed, SpecialToken};
use crate::split::{Engine, Pretoken};
use crate::tokenizer::{EncodeOptions, Tokenizer, UnknownSymbol};
use crate::vocabulary::{Alphabet, MARK, NONE, Vocabulary};
use blocks::{Run, Sink};
pub use counter::Counter;
pub use dropout::Dropout;
use piece::{LONGEST, Piece};
use pool::Scratch;
pub use stream::Stream;

/// A stop on the walk through a text.
pub(crate) enum Stop<'a> {
    /// A recognised special token, and its start and end, with the white space that it takes.
    Special(usize, usize, &'a SpecialToken),
    /// A pretoken.
    Pretoken(Pretoken),
}

/// A part of a text.
enum Segment<'a> {
    /// A recognised special token, and its start and end, with the white space that it takes.
    Special(usize, usize, &'a SpecialToken),
    /// What lies between two of them, a text of its own: its start and end.
    Text(usize, usize),
}

/// The buffers of one call, re-used from pretoken to pretoken.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    pub(crate) piece: Piece,
    whole: Vec<u8>,
}

impl Tokenizer {
    /// Appends the ids of `text` to `out`, which is left as it was when there is an error.
    ///
    /// # Errors
    /// As the options ask: [`Error::DisallowedSpecial`] (of the whole text),
    /// [`Error::UnknownSymbol`]; [`Error::Pattern`] from a
    /// backtracking pattern.
    pub fn encode(&self, text: &[u8], options: EncodeOptions<'_>, out: &mut Vec<u32>) -> Result<()> {
        if self.normalizer().is_some() {
            return self
                .encode_normalized(text, options, out, |text, options, out| self.encode_text(text, options, out));
        }
        self.encode_text(text, options, out)
    }

    /// [`encode`](Self::encode) of a text that is normalised.
    pub(crate) fn encode_text(&self, text: &[u8], options: EncodeOptions<'_>, out: &mut Vec<u32>) -> Result<()> {
        if !self.has_table() {
            return self.encode_plain(text, options, out, &mut Buffers::default());
        }
        self.pool().with(|scratch| self.encode_fast(text, options, out, scratch))
    }

    /// [`encode`](Self::encode) by merging every pretoken anew: slow, the same ids, and what tests compare with.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    #[doc(hidden)]
    pub fn encode_plainly(&self, text: &[u8], options: EncodeOptions<'_>, out: &mut Vec<u32>) -> Result<()> {
        let mut buffers = Buffers::default();
        let mut encode = |text: &[u8], options: EncodeOptions<'_>, out: &mut Vec<u32>| {
            self.encode_plain(text, options, out, &mut buffers)
        };
        if self.normalizer().is_some() {
            return self.encode_normalized(text, options, out, encode);
        }
        encode(text, options, out)
    }

    /// Makes now what encoding makes when it first pays: where its tokens let a pretoken be cut, a few milliseconds.
    /// Where processes are forked, the children then share it.
    pub fn prepare(&self) {
        if self.has_table() {
            self.pool().prepare(self.vocabulary());
        }
    }

    /// Whether the pretoken table serves this vocabulary.
    pub(crate) fn has_table(&self) -> bool {
        *self.vocabulary().alphabet() == Alphabet::Bytes
            && self.vocabulary().is_complete()
            && !self.splitter().drops_text()
    }

    /// [`encode`](Self::encode) by the table.
    fn encode_fast(
        &self,
        text: &[u8],
        options: EncodeOptions<'_>,
        out: &mut Vec<u32>,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let before = out.len();
        let mut meter = Meter::new(options.cancel);
        let done = self.refuse_disallowed(text, options).and_then(|()| {
            self.segments(text, options, |segment| {
                match segment {
                    Segment::Special(.., token) => out.push(token.id),
                    Segment::Text(start, end) => {
                        let (vocabulary, sink, meter) = (self.vocabulary(), &mut Sink::Ids(out), &mut meter);
                        let run = Run { vocabulary, text, scratch, sink, meter };
                        self.encode_segment(start..end, usize::MAX, run)?;
                    }
                }
                Ok(ControlFlow::Continue(()))
            })
        });
        if done.is_err() {
            out.truncate(before);
        }
        done
    }

    /// [`encode`](Self::encode) by the plain path, with buffers that outlive the text.
    fn encode_plain(
        &self,
        text: &[u8],
        options: EncodeOptions<'_>,
        out: &mut Vec<u32>,
        buffers: &mut Buffers,
    ) -> Result<()> {
        let before = out.len();
        let done = self.refuse_disallowed(text, options).and_then(|()| {
            self.walk(text, options, |stop| {
                match stop {
                    Stop::Special(.., token) => out.push(token.id),
                    Stop::Pretoken(at) => self.pretoken(text, at, options, buffers, |id| out.push(id))?,
                }
                Ok(ControlFlow::Continue(()))
            })
        });
        if done.is_err() {
            out.truncate(before);
        }
        done
    }

    /// How many ids `text` has, without keeping them.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn count(&self, text: &[u8], options: EncodeOptions<'_>) -> Result<usize> {
        Ok(self.count_up_to(text, usize::MAX, options)?.unwrap_or(usize::MAX))
    }

    /// How many ids `text` has, or `None` as soon as there are more than `limit`.
    ///
    /// # Errors
    /// As [`encode`](Self::encode), of the part that was read.
    pub fn count_up_to(&self, text: &[u8], limit: usize, options: EncodeOptions<'_>) -> Result<Option<usize>> {
        self.refuse_disallowed(text, options)?;
        if self.normalizer().is_some() {
            return self.count_normalized(text, limit, options);
        }
        self.count_text(text, limit, options)
    }

    /// [`count_up_to`](Self::count_up_to) of a text that is normalised, without looking for disallowed special tokens.
    pub(crate) fn count_text(&self, text: &[u8], limit: usize, options: EncodeOptions<'_>) -> Result<Option<usize>> {
        // No token is longer than the longest, so of a long text nothing need be read, not even for special tokens.
        let longest = self.vocabulary().longest().max(self.specials().longest()).max(1);
        let strips = self.specials().strips() && !options.allowed.is_empty();
        let is_whole = self.has_table() && self.splitter().engine() != Engine::WhiteSpace && !strips;
        if is_whole && text.len().div_ceil(longest) > limit {
            return Ok(None);
        }
        self.count_here(text, limit, options)
    }

    /// [`count_up_to`](Self::count_up_to) without looking for disallowed special tokens.
    fn count_stopping(&self, text: &[u8], limit: usize, options: EncodeOptions<'_>) -> Result<Option<usize>> {
        if self.normalizer().is_some() {
            return self.count_normalized(text, limit, options);
        }
        self.count_here(text, limit, options)
    }

    /// The same of a text that is normalised.
    fn count_here(&self, text: &[u8], limit: usize, options: EncodeOptions<'_>) -> Result<Option<usize>> {
        if !self.has_table() {
            return self.count_plain(text, limit, options, &mut Buffers::default());
        }
        self.pool().with(|scratch| self.count_fast(text, limit, options, scratch))
    }

    /// [`count_up_to`](Self::count_up_to) by the table, a block at a time.
    fn count_fast(
        &self,
        text: &[u8],
        limit: usize,
        options: EncodeOptions<'_>,
        scratch: &mut Scratch,
    ) -> Result<Option<usize>> {
        let mut count = 0usize;
        let mut meter = Meter::new(options.cancel);
        self.segments(text, options, |segment| {
            match segment {
                Segment::Special(..) => count += 1,
                Segment::Text(start, end) => {
                    let (vocabulary, sink, meter) = (self.vocabulary(), &mut Sink::Count(&mut count), &mut meter);
                    self.encode_segment(start..end, limit, Run { vocabulary, text, scratch, sink, meter })?;
                }
            }
            Ok(if count > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        Ok((count <= limit).then_some(count))
    }

    /// [`count_up_to`](Self::count_up_to) by the plain path.
    fn count_plain(
        &self,
        text: &[u8],
        limit: usize,
        options: EncodeOptions<'_>,
        buffers: &mut Buffers,
    ) -> Result<Option<usize>> {
        let mut count = 0usize;
        self.walk(text, options, |stop| {
            match stop {
                Stop::Special(..) => count += 1,
                Stop::Pretoken(at) => {
                    if self.fewest(at, options.unknown) > limit.saturating_sub(count) {
                        count = usize::MAX;
                        return Ok(ControlFlow::Break(()));
                    }
                    self.pretoken(text, at, options, buffers, |_| count += 1)?;
                }
            }
            Ok(if count > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        Ok((count <= limit).then_some(count))
    }

    /// How many ids a pretoken has at least, known without merging it: no token is longer than the longest.
    fn fewest(&self, at: Pretoken, unknown: UnknownSymbol) -> usize {
        if *self.vocabulary().alphabet() != Alphabet::Bytes || unknown == UnknownSymbol::Skip {
            return 0;
        }
        (at.end - at.start).div_ceil(self.vocabulary().longest().max(1))
    }

    /// The first special token in `text` that is disallowed and not allowed, as an error: as it is written, or else in
    /// what normalising makes of the text.
    pub(crate) fn refuse_disallowed(&self, text: &[u8], options: EncodeOptions<'_>) -> Result<()> {
        self.refuse_written(text, options)?;
        self.refuse_normalized(text, options)
    }

    /// The same of tokens as they are written. What is refused stays refused when more of the text follows.
    pub(crate) fn refuse_written(&self, text: &[u8], options: EncodeOptions<'_>) -> Result<()> {
        if options.disallowed.is_empty() || matches!(options.allowed, Allowed::All) {
            return Ok(());
        }
        match self.specials().find(text, |token| options.refuses(token.id)) {
            Some((at, token)) => Err(Error::DisallowedSpecial { token: token.content.clone(), at }),
            None => Ok(()),
        }
    }

    /// Visits the allowed special tokens and the pretokens of `text` in order, until `each` breaks or fails or the call is
    /// cancelled.
    pub(crate) fn walk<'a>(
        &'a self,
        text: &[u8],
        options: EncodeOptions<'_>,
        mut each: impl FnMut(Stop<'a>) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let mut meter = Meter::new(options.cancel);
        self.segments(text, options, |segment| match segment {
            Segment::Special(start, end, token) => each(Stop::Special(start, end, token)),
            Segment::Text(start, end) => self.walk_between(text, start, end, &mut meter, &mut each),
        })
    }

    /// Visits the allowed special tokens of `text` and what lies between them, if anything, in order, until `each` breaks
    /// or fails.
    fn segments<'a>(
        &'a self,
        text: &[u8],
        options: EncodeOptions<'_>,
        mut each: impl FnMut(Segment<'a>) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        if options.allowed.is_empty() {
            return if text.is_empty() { Ok(()) } else { each(Segment::Text(0, text.len())).map(|_| ()) };
        }
        let mut meter = Meter::new(options.cancel);
        for cut in self.specials().cuts(text, options.allowed) {
            meter.reach(cut.start)?;
            let segment = match cut.token {
                Some(token) => Segment::Special(cut.start, cut.end, token),
                None => Segment::Text(cut.start, cut.end),
            };
            if each(segment)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Visits the pretokens of `text[from..end]`, a text of its own.
    fn walk_between<'a>(
        &self,
        text: &[u8],
        from: usize,
        end: usize,
        meter: &mut Meter<'_>,
        each: &mut impl FnMut(Stop<'a>) -> Result<ControlFlow<()>>,
    ) -> Result<ControlFlow<()>> {
        let mut outcome = Ok(ControlFlow::Continue(()));
        self.splitter().split_part(&text[from..end], from, |found| {
            let at = Pretoken { start: from + found.start, end: from + found.end, ..found };
            outcome = if at.end - at.start > LONGEST {
                Err(blocks::too_long(at.start, at.end - at.start))
            } else {
                meter.reach(at.start).and_then(|()| each(Stop::Pretoken(at)))
            };
            match outcome {
                Ok(flow) => flow,
                Err(_) => ControlFlow::Break(()),
            }
        })?;
        outcome
    }

    /// Emits the ids of one pretoken of `text`.
    fn pretoken(
        &self,
        text: &[u8],
        at: Pretoken,
        options: EncodeOptions<'_>,
        buffers: &mut Buffers,
        mut emit: impl FnMut(u32),
    ) -> Result<()> {
        let EncodeOptions { unknown, cancel, .. } = options;
        let vocabulary = self.vocabulary();
        let word = &text[at.start..at.end];
        if let Some(id) = whole(vocabulary, word, buffers) {
            emit(id);
            return Ok(());
        }
        let piece = &mut buffers.piece;
        let (mut merges, mut stopped) = (0, false);
        let mut merge = |piece: &mut Piece| {
            let on_merge = |_| {
                merges += 1;
                stopped |= merges % EVERY == 0 && cancel.requested();
                if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            piece.merge(vocabulary, NONE, on_merge, |id, _| emit(replaced(id, unknown)));
            piece.symbols.clear();
        };
        // What is left out of a text brings together what stands apart in it.
        let cuts = self.cuts().filter(|_| unknown != UnknownSymbol::Skip);
        piece.symbols.clear();
        symbols::symbols(vocabulary, word, at.start, unknown, |id, start, _| {
            if !piece.symbols.is_empty() && cuts.is_some_and(|cuts| cuts.is_cut_at(text, start)) {
                merge(piece);
            }
            piece.symbols.push(id);
        })?;
        merge(piece);
        if stopped { Err(Error::Interrupted) } else { Ok(()) }
    }
}

/// The id that stands for a symbol: its own, or the one that replaces unknown symbols.
pub(crate) fn replaced(id: u32, unknown: UnknownSymbol) -> u32 {
    match unknown {
        UnknownSymbol::Replace(unknown) if id == NONE => unknown,
        _ => id,
    }
}

/// The id of a whole pretoken, where whole pretokens are looked up first.
#[inline]
pub(crate) fn whole(vocabulary: &Vocabulary, word: &[u8], buffers: &mut Buffers) -> Option<u32> {
    if !vocabulary.whole_first() {
        return None;
    }
    if *vocabulary.alphabet() == Alphabet::Bytes {
        return vocabulary.id_of(word);
    }
    match vocabulary.alphabet() {
        Alphabet::MarkedBytes { .. } => {}
        // The mark is never looked for in the text.
        _ if word.contains(&MARK) => return None,
        Alphabet::Characters { end_of_word: Some(_) } => {}
        _ => return vocabulary.id_of(word),
    }
    buffers.whole.clear();
    buffers.whole.extend_from_slice(word);
    buffers.whole.push(MARK);
    vocabulary.id_of(&buffers.whole)
}
