//! Encoding by the pretoken table, a block of pretokens at a time.
//!
//! Idea: the splitter gives boundaries in blocks. One loop without a branch that a processor cannot foretell looks every
//! pretoken of a block up in the [`Front`]: four ids are copied whether there are four, one or none, and a pretoken that
//! was not found is noted together with the place where its ids belong. The few that were not found are then served
//! together: first all lines that they may be found in are asked for, then each is looked up in the larger tables,
//! or merged and kept. Last, the ids are put together in order. Clauses of scripts without spaces, and what is very long, are
//! cut into parts before, where the exact rule ([`Cuts`](super::cuts::Cuts)) lets them be cut.
//!
//! Invariant: the ids are those of [`Tokenizer::encode_plainly`](crate::Tokenizer::encode_plainly), whatever the tables
//! hold.
//!
//! Cost: two or three nanoseconds for a pretoken that is in front.

use std::ops::{ControlFlow, Range};

use super::cache::Cache;
use super::few::merge_few;
use super::front::Front;
use super::piece::{LONGEST, Piece};
use super::pool::Scratch;
use super::seed::Seed;
use super::table::{INLINE, Key, LONG, SHORT, Slot};
use crate::cancel::{EVERY, Meter};
use crate::error::{Error, Report, Result};
use crate::vocabulary::{NONE, Vocabulary};

/// The most pretokens that are looked up together.
const BLOCK: usize = 256;

/// The lead bytes of the scripts that are written without spaces, from here on (with some of others): a pretoken that
/// begins so is a clause rather than a word, and may not come again, where its parts do.
const CLAUSE: u8 = 0xE3;

/// The most bytes of a character: a clause of no more is not cut.
const CHARACTER: usize = 4;

/// Buffers for more are not kept from call to call.
const LARGE: usize = 1 << 16;

/// Where ids go.
#[derive(Debug)]
pub(super) enum Sink<'a> {
    /// Appended to these.
    Ids(&'a mut Vec<u32>),
    /// Only counted.
    Count(&'a mut usize),
}

impl Sink<'_> {
    /// How many ids there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Ids(ids) => ids.len(),
            Self::Count(count) => **count,
        }
    }
}

/// A pretoken, or a part of one, that was not in front.
#[derive(Debug, Clone, Copy, Default)]
struct Missed {
    start: usize,
    end: usize,
    key: Key,
    hash: u64,
    /// Its number in the block.
    number: u32,
    /// How many ids of the block lie before its own, other missed ones apart.
    place: u32,
    /// How many ids all missed ones have up to it.
    until: u32,
}

/// The room that a block needs.
#[derive(Debug)]
pub(super) struct Block {
    found: [u32; (BLOCK + 1) * INLINE],
    missed: [Missed; BLOCK + 1],
    /// The ids of those that were missed.
    ids: Vec<u32>,
    /// The parts of clauses: where each ends, and whether it is a part or a whole pretoken.
    ends: Vec<usize>,
    parts: Vec<bool>,
}

impl Default for Block {
    fn default() -> Self {
        Self {
            found: [0; (BLOCK + 1) * INLINE],
            missed: [Missed::default(); BLOCK + 1],
            ids: Vec::new(),
            ends: Vec::new(),
            parts: Vec::new(),
        }
    }
}

impl Block {
    /// Gives back what a very long pretoken took.
    pub(super) fn trim(&mut self) {
        if self.ids.capacity() > LARGE || self.ends.capacity() > LARGE {
            (self.ids, self.ends, self.parts) = (Vec::new(), Vec::new(), Vec::new());
        }
    }
}

impl Scratch {
    /// Gives the ids of the pretokens that end at `base + ends[0]`, `base + ends[1]` and so on, the first beginning at `start`,
    /// to `sink`.
    ///
    /// # Errors
    /// [`Error::Interrupted`] when the call is cancelled, [`Error::Pattern`] for a pretoken that is too long.
    #[inline(never)]
    pub(super) fn encode(
        &mut self,
        vocabulary: &Vocabulary,
        text: &[u8],
        start: usize,
        (base, ends): (usize, &[u32]),
        sink: &mut Sink<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<()> {
        let Some(&last) = ends.last() else { return Ok(()) };
        meter.reach(start)?;
        let Self { seed, cache, front, block, piece } = self;
        block.ids.clear();
        let tables = Tables { vocabulary, seed, cache, front, piece, text, out: &mut block.ids, meter, stopped: false };
        let mut work = Work { tables, found: &mut block.found, missed: &mut block.missed, sink };
        if has_clauses(&text[start..base + last as usize]) || are_long(start, base, ends) {
            work.tables.expand(start, base, ends, &mut block.ends, &mut block.parts)?;
            let mut start = start;
            for (ends, parts) in block.ends.chunks(BLOCK).zip(block.parts.chunks(BLOCK)) {
                start = work.run(start, ends.iter().copied(), parts)?;
            }
        } else {
            let mut start = start;
            for ends in ends.chunks(BLOCK) {
                start = work.run(start, ends.iter().map(|&end| base + end as usize), &[])?;
            }
        }
        Ok(())
    }
}

/// Whether a text has characters of scripts without spaces.
fn has_clauses(text: &[u8]) -> bool {
    // Without an early end, so that many bytes are looked at together.
    text.iter().fold(false, |found, &byte| found | (byte >= CLAUSE))
}

/// Whether one of some pretokens has no key.
fn are_long(start: usize, base: usize, ends: &[u32]) -> bool {
    let first = ends.first().is_some_and(|&end| base + end as usize - start > LONG);
    #[allow(clippy::cast_possible_truncation)] // a small number
    ends.windows(2).fold(first, |found, pair| found | (pair[1] - pair[0] > LONG as u32))
}

/// One block of pretokens.
struct Work<'a, 'm, 's> {
    tables: Tables<'a, 'm>,
    found: &'a mut [u32; (BLOCK + 1) * INLINE],
    missed: &'a mut [Missed; BLOCK + 1],
    sink: &'a mut Sink<'s>,
}

impl Work<'_, '_, '_> {
    /// Encodes at most [`BLOCK`] pretokens; gives where the last ends.
    fn run(&mut self, start: usize, ends: impl Iterator<Item = usize>, parts: &[bool]) -> Result<usize> {
        let (found, missed, end) = self.look_up(start, ends);
        self.tables.out.clear();
        let missed = &mut self.missed[..missed];
        self.tables.serve(missed, parts);
        if self.tables.stopped {
            return Err(Error::Interrupted);
        }
        let served = &self.tables.out[..];
        match self.sink {
            Sink::Count(count) => **count += found + served.len(),
            Sink::Ids(ids) => {
                let (mut from, mut patched) = (0, 0);
                for missed in &*missed {
                    let (place, until) = (missed.place as usize, missed.until as usize);
                    ids.extend_from_slice(&self.found[from..place]);
                    ids.extend_from_slice(&served[patched..until]);
                    (from, patched) = (place, until);
                }
                ids.extend_from_slice(&self.found[from..found]);
            }
        }
        Ok(end)
    }

    /// Looks the pretokens up in front: how many ids that gives, how many pretokens are missed, and where the last ends.
    #[inline(always)]
    fn look_up(&mut self, mut start: usize, ends: impl Iterator<Item = usize>) -> (usize, usize, usize) {
        let Tables { front, text, .. } = &self.tables;
        let (mut place, mut missed) = (0, 0);
        for (number, end) in (0..).zip(ends) {
            let length = end - start;
            let key = Key::short(text, start, end);
            let hash = key.hash();
            let slot = front.likely(hash);
            let is_found = slot.holds(key) & (length <= SHORT);
            if let Some(to) = self.found[place..].first_chunk_mut() {
                *to = slot.ids;
            }
            #[allow(clippy::cast_possible_truncation)] // a small number
            if let Some(to) = self.missed.get_mut(missed) {
                *to = Missed { start, end, key, hash, number, place: place as u32, until: 0 };
            }
            place += if is_found { slot.count() } else { 0 };
            missed += usize::from(!is_found);
            start = end;
        }
        (place, missed, start)
    }
}

/// What a block is looked up in.
struct Tables<'a, 'm> {
    vocabulary: &'a Vocabulary,
    seed: &'a Seed,
    cache: &'a mut Cache,
    front: &'a mut Front,
    piece: &'a mut Piece,
    text: &'a [u8],
    /// The ids of what was not in front.
    out: &'a mut Vec<u32>,
    meter: &'a mut Meter<'m>,
    /// Whether the call is cancelled: no more work is done, and nothing kept.
    stopped: bool,
}

impl Tables<'_, '_> {
    /// Lists where pretokens end, and before each the parts of it.
    fn expand(
        &self,
        mut start: usize,
        base: usize,
        ends: &[u32],
        all: &mut Vec<usize>,
        parts: &mut Vec<bool>,
    ) -> Result<()> {
        all.clear();
        parts.clear();
        for &end in ends {
            let end = base + end as usize;
            let length = end - start;
            if length > LONGEST {
                return Err(too_long(start, length));
            }
            let is_clause = length > LONG || length > CHARACTER && self.text[start] >= CLAUSE;
            match &self.seed.cuts {
                Some(cuts) if is_clause && self.whole(&self.text[start..end]).is_none() => {
                    cuts.parts(self.text, start, end, |_, to| {
                        all.push(to);
                        parts.push(true);
                    });
                }
                _ => {
                    all.push(end);
                    parts.push(false);
                }
            }
            start = end;
        }
        Ok(())
    }

    /// Appends the ids of what was not in front.
    fn serve(&mut self, missed: &mut [Missed], parts: &[bool]) {
        for missed in &mut *missed {
            if missed.end - missed.start > SHORT {
                missed.key = key(self.text, missed.start, missed.end);
                missed.hash = missed.key.hash();
            } else {
                self.seed.table.prefetch(missed.hash);
            }
            self.cache.prefetch(missed.hash);
        }
        for missed in missed {
            let is_part = parts.get(missed.number as usize).is_some_and(|&is_part| is_part);
            self.encode(missed.key, missed.hash, missed.start..missed.end, is_part);
            if self.stopped {
                return;
            }
            #[allow(clippy::cast_possible_truncation)] // pretokens have fewer bytes than that
            let until = self.out.len() as u32;
            missed.until = until;
        }
    }

    /// Appends the ids of a pretoken or a part of one.
    fn encode(&mut self, key: Key, hash: u64, at: Range<usize>, is_part: bool) {
        let word = &self.text[at];
        if key.is_short() { self.short(key, hash, word, is_part) } else { self.long(key, hash, word, is_part) }
    }

    /// Appends the ids of a short text that is not in front.
    fn short(&mut self, key: Key, hash: u64, word: &[u8], is_part: bool) {
        if let Some(&slot) = self.seed.table.find(key, hash) {
            // What the seed holds is one id.
            self.out.push(slot.ids[0]);
            return self.front.put(hash, slot);
        }
        if let Some(&slot) = self.cache.find(key, hash) {
            self.out.extend_from_slice(self.cache.ids(&slot));
            if slot.count() != 0 {
                self.front.put(hash, slot);
            }
            return;
        }
        let before = self.out.len();
        if !merge_few(self.vocabulary, word, |id| self.out.push(id)) {
            self.piece.merge_bytes(self.vocabulary, word, NONE, |id| self.out.push(id));
        }
        self.keep(key, hash, word, is_part, before);
    }

    /// Appends the ids of a longer text, a whole pretoken or a part of one.
    fn long(&mut self, key: Key, hash: u64, word: &[u8], is_part: bool) {
        if let Some(ids) = self.cache.find_long(key, hash, word) {
            return self.out.extend_from_slice(ids);
        }
        let before = self.out.len();
        let seed = self.seed;
        match &seed.cuts {
            // A part is not cut again.
            Some(cuts) if !is_part => cuts.parts(word, 0, word.len(), |from, to| self.part(&word[from..to])),
            _ => self.merge(word),
        }
        if self.stopped {
            return;
        }
        self.keep(key, hash, word, is_part, before);
    }

    /// Merges a longer text; asks now and then whether to stop.
    fn merge(&mut self, word: &[u8]) {
        let Self { vocabulary, piece, out, meter, stopped, .. } = self;
        if word.len() <= EVERY {
            return piece.merge_bytes(vocabulary, word, NONE, |id| out.push(id));
        }
        piece.symbols.clear();
        piece.symbols.extend(word.iter().map(|&byte| vocabulary.byte(byte)));
        let mut merges = 0;
        let on_merge = |_| {
            merges += 1;
            *stopped |= merges % EVERY == 0 && meter.cancel().requested();
            if *stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        piece.merge(vocabulary, NONE, on_merge, |id, _| out.push(id));
    }

    /// Appends the ids of a part of a pretoken.
    fn part(&mut self, part: &[u8]) {
        let key = key(part, 0, part.len());
        let hash = key.hash();
        if !key.is_short() {
            return self.long(key, hash, part, true);
        }
        let slot = self.front.likely(hash);
        if slot.holds(key) {
            self.out.extend_from_slice(&slot.ids[..slot.count()]);
        } else {
            self.short(key, hash, part, true);
        }
    }

    /// Keeps the ids that merging a text gave, which stand in `out` from `before` on, unless a whole pretoken of these
    /// bytes is encoded otherwise: then that is what a whole pretoken becomes, and nothing is kept.
    fn keep(&mut self, key: Key, hash: u64, word: &[u8], is_part: bool, before: usize) {
        match self.whole(word) {
            Some(id) if self.out[before..] != [id] => {
                if !is_part {
                    self.out.truncate(before);
                    self.out.push(id);
                }
            }
            _ => {
                let ids = &self.out[before..];
                if key.is_short() && let Some(slot) = Slot::inline(key, ids) {
                    self.front.put(hash, slot);
                }
                self.cache.admit(key, hash, word, ids);
            }
        }
    }

    /// The id of a whole pretoken that merging its bytes might not give.
    #[inline]
    fn whole(&self, word: &[u8]) -> Option<u32> {
        if self.vocabulary.whole_first() && self.seed.may_be_whole(word) { self.vocabulary.id_of(word) } else { None }
    }
}

/// The key of a part of a text.
#[inline]
fn key(text: &[u8], start: usize, end: usize) -> Key {
    match end - start {
        0..=SHORT => Key::short(text, start, end),
        length if length <= LONG => Key::long(&text[start..end]),
        _ => Key::NONE,
    }
}

/// The error for a pretoken of so many bytes.
pub(super) fn too_long(start: usize, length: usize) -> Error {
    Error::Pattern(Report::new(
        format!("the pretoken at byte {start} has {length} bytes, and {LONGEST} is the most"),
        "use a pattern that cuts the text, or encode it in parts",
    ))
}
