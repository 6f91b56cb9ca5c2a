//! Encoding by the pretoken table, a block of pretokens at a time.
//!
//! Idea: the splitter gives boundaries in blocks. A first loop looks each pretoken of a block up in the [`Front`] and notes its
//! place there; those that are not there are listed. These few are then served together: first all lines that they may be found
//! in are asked for, then each is looked up in the larger tables, or merged and kept, and gets a place at the side. A last
//! loop copies the ids from the places, four whether there are four or one. The first loop and the last have no branch that a
//! processor cannot foretell. Clauses of scripts without spaces, and what is very long, are
//! cut into parts before, where the exact rule ([`Cuts`](super::cuts::Cuts)) lets them be cut.
//!
//! Invariant: the ids are those of [`Tokenizer::encode_plainly`](crate::Tokenizer::encode_plainly), whatever the tables
//! hold.
//!
//! Cost: two or three nanoseconds for a pretoken that is in front.

use std::ops::{ControlFlow, Range};

use super::cache::Cache;
use super::few::merge_few;
use super::front::{BLOCK, Front};
use super::piece::{LONGEST, Piece};
use super::pool::Scratch;
use super::seed::Seed;
use super::table::{INLINE, LONG, Slot};
use crate::key::{Key, SHORT};
use crate::cancel::{EVERY, Meter};
use crate::error::{Error, Report, Result};
use crate::hash::Mix;
use crate::vocabulary::{NONE, Vocabulary};

/// The lead bytes of the scripts that are written without spaces, from here on (with some of others): a pretoken that
/// begins so is a clause rather than a word, and may not come again, where its parts do.
const CLAUSE: u8 = 0xE3;

/// How far before its end a text has the lead byte of its last character, if that is of these scripts.
const LEAST: usize = 3;

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

/// The room that a block needs.
#[derive(Debug)]
pub(super) struct Block {
    /// The key of each pretoken, and where in front it is.
    keys: [Key; BLOCK],
    places: [u16; BLOCK],
    /// The pretokens that are not in front, and the hashes of these.
    missed: [u16; BLOCK + 1],
    hashes: [u64; BLOCK],
    /// The ids, until there are many.
    ids: [u32; (BLOCK + 1) * INLINE],
    /// The ids of pretokens that have more than a slot holds.
    more: Vec<u32>,
    /// Of clauses: where each part ends, and whether it is a part or a whole pretoken.
    ends: Vec<u32>,
    parts: Vec<bool>,
}

impl Default for Block {
    fn default() -> Self {
        Self {
            keys: [Key::NONE; BLOCK],
            places: [0; BLOCK],
            missed: [0; BLOCK + 1],
            hashes: [0; BLOCK],
            ids: [0; (BLOCK + 1) * INLINE],
            more: Vec::new(),
            ends: Vec::new(),
            parts: Vec::new(),
        }
    }
}

impl Block {
    /// Gives back what a very long pretoken took.
    pub(super) fn trim(&mut self) {
        if self.more.capacity() > LARGE || self.ends.capacity() > LARGE {
            (self.more, self.ends, self.parts) = (Vec::new(), Vec::new(), Vec::new());
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
        let Block { keys, places, missed, hashes, ids, more, ends: part_ends, parts } = block;
        let mix = cache.mix();
        let tables = Tables { vocabulary, seed, cache, piece, mix, text, more, meter, stopped: false };
        let mut work = Work { tables, front, keys, places, missed, hashes, ids, sink };
        if has_clauses(&text[start..base + last as usize]) || are_long(start, base, ends) {
            let base = work.tables.expand(start, base, ends, part_ends, parts)?;
            let mut start = start;
            for (ends, parts) in part_ends.chunks(BLOCK).zip(parts.chunks(BLOCK)) {
                start = work.run(start, base, ends, parts)?;
            }
        } else {
            let mut start = start;
            for ends in ends.chunks(BLOCK) {
                start = work.run(start, base, ends, &[])?;
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
    front: &'a mut Front,
    keys: &'a mut [Key; BLOCK],
    places: &'a mut [u16; BLOCK],
    missed: &'a mut [u16; BLOCK + 1],
    hashes: &'a mut [u64; BLOCK],
    ids: &'a mut [u32; (BLOCK + 1) * INLINE],
    sink: &'a mut Sink<'s>,
}

impl Work<'_, '_, '_> {
    /// Encodes at most [`BLOCK`] pretokens; gives where the last ends.
    fn run(&mut self, start: usize, base: usize, ends: &[u32], parts: &[bool]) -> Result<usize> {
        self.tables.more.clear();
        let Tables { text, mix, .. } = self.tables;
        make_keys(text, mix, start, base, ends, self.front, self.keys, self.places);
        let missed = look_up(self.front, &self.keys[..ends.len()], self.places, self.missed);
        self.ask_for(missed, start, base, ends);
        for number in 0..missed {
            self.serve(number, start, base, ends, parts);
            if self.tables.stopped {
                return Err(Error::Interrupted);
            }
        }
        match self.sink {
            Sink::Count(count) => **count += count_ids(self.front, &self.places[..ends.len()]),
            Sink::Ids(_) => self.copy(ends.len()),
        }
        for (number, &hash) in self.hashes[..missed].iter().enumerate() {
            self.front.keep(number, hash);
        }
        Ok(ends.last().map_or(start, |&end| base + end as usize))
    }

    /// Notes the keys of what is not in front, and asks for what will be read where they may be found.
    fn ask_for(&mut self, missed: usize, start: usize, base: usize, ends: &[u32]) {
        let Tables { text, mix, seed, cache, .. } = &self.tables;
        let mut are_longer = false;
        for (&number, to) in self.missed[..missed].iter().zip(&mut *self.hashes) {
            let key = &mut self.keys[usize::from(number)];
            if key.is_none() {
                *key = long_key(text, extent(start, base, ends, number), *mix);
                are_longer = true;
            } else {
                seed.table.prefetch(key.hash(*mix));
            }
            *to = key.hash(*mix);
            cache.prefetch(*to);
        }
        if are_longer {
            for (&number, &hash) in self.missed[..missed].iter().zip(&*self.hashes) {
                let key = self.keys[usize::from(number)];
                if !key.is_short() {
                    cache.prefetch_long(key, hash);
                }
            }
        }
    }

    /// Puts the ids of a pretoken that is not in front into its place at the side.
    fn serve(&mut self, number: usize, start: usize, base: usize, ends: &[u32], parts: &[bool]) {
        let pretoken = self.missed[number];
        let at = extent(start, base, ends, pretoken);
        let is_part = parts.get(usize::from(pretoken)).is_some_and(|&is_part| is_part);
        let key = self.keys[usize::from(pretoken)];
        let slot = self.tables.slot(key, self.hashes[number], at, is_part);
        self.places[usize::from(pretoken)] = Front::side(number);
        self.front.put(Front::side(number), slot);
    }

    /// Gives the ids of so many pretokens.
    fn copy(&mut self, pretokens: usize) {
        let Sink::Ids(out) = &mut self.sink else { return };
        let mut filled = 0;
        for &place in &self.places[..pretokens] {
            let slot = self.front.get(place);
            if let Some(to) = self.ids[filled..].first_chunk_mut() {
                *to = slot.ids;
            }
            filled += slot.count();
            if slot.count() == 0 {
                out.extend_from_slice(&self.ids[..filled]);
                filled = 0;
                let [at, count, ..] = slot.ids.map(|part| part as usize);
                out.extend_from_slice(&self.tables.more[at..at + count]);
            }
        }
        out.extend_from_slice(&self.ids[..filled]);
    }
}

/// Makes the keys of pretokens, and asks for the places in front that they may be found in.
#[inline(never)]
#[allow(clippy::too_many_arguments)] // so that all of them stay in registers
fn make_keys(
    text: &[u8],
    mix: Mix,
    mut start: usize,
    base: usize,
    ends: &[u32],
    front: &Front,
    keys: &mut [Key; BLOCK],
    places: &mut [u16; BLOCK],
) {
    for ((&end, key), place) in ends.iter().zip(keys).zip(places) {
        let end = base + end as usize;
        *key = Key::short(text, start, end);
        *place = Front::place(key.hash(mix));
        front.prefetch(*place);
        start = end;
    }
}

/// Looks keys up in front: how many are missed.
#[inline(never)]
fn look_up(front: &Front, keys: &[Key], places: &[u16; BLOCK], missed: &mut [u16; BLOCK + 1]) -> usize {
    let mut count = 0;
    for ((number, &key), &place) in (0..).zip(keys).zip(places) {
        if let Some(to) = missed.get_mut(count) {
            *to = number;
        }
        count += usize::from(!front.get(place).holds(key));
    }
    count
}

/// Where a pretoken with a number lies.
#[inline]
fn extent(start: usize, base: usize, ends: &[u32], number: u16) -> Range<usize> {
    let end = |number: usize| base + ends[number] as usize;
    let number = usize::from(number);
    number.checked_sub(1).map_or(start, end)..end(number)
}

/// The key of more than [`SHORT`] bytes, if they have one.
#[inline]
fn long_key(text: &[u8], at: Range<usize>, mix: Mix) -> Key {
    if at.len() <= LONG { Key::long(&text[at.clone()], at.len(), mix) } else { Key::NONE }
}

/// How many ids the pretokens in some places have.
fn count_ids(front: &Front, places: &[u16]) -> usize {
    let counts = places.iter().map(|&place| {
        let slot = front.get(place);
        if slot.count() == 0 { slot.ids[1] as usize } else { slot.count() }
    });
    counts.sum()
}

/// What a block is looked up in.
struct Tables<'a, 'm> {
    vocabulary: &'a Vocabulary,
    seed: &'a Seed,
    cache: &'a mut Cache,
    piece: &'a mut Piece,
    mix: Mix,
    text: &'a [u8],
    /// The ids that slots have no room for.
    more: &'a mut Vec<u32>,
    meter: &'a mut Meter<'m>,
    /// Whether the call is cancelled: no more work is done, and nothing kept.
    stopped: bool,
}

impl Tables<'_, '_> {
    /// Lists where pretokens end, and before each the parts of it, relative to what it gives back.
    fn expand(
        &self,
        mut start: usize,
        base: usize,
        ends: &[u32],
        all: &mut Vec<u32>,
        parts: &mut Vec<bool>,
    ) -> Result<usize> {
        all.clear();
        parts.clear();
        let first = start;
        for &end in ends {
            let end = base + end as usize;
            // A pretoken that is too long to be counted is refused before anything in it is.
            if end - first > LONGEST {
                return Err(too_long(start, end - start));
            }
            #[allow(clippy::cast_possible_truncation)] // as was just seen
            let mut push = |end: usize, is_part| {
                all.push((end - first) as u32);
                parts.push(is_part);
            };
            let length = end - start;
            // A longer one may begin with a quotation mark or a space.
            let is_clause = length > LONG
                || length > CHARACTER && self.text[start] >= CLAUSE
                || length > SHORT && self.text[end - LEAST] >= CLAUSE;
            match &self.seed.cuts {
                Some(cuts) if is_clause && self.whole(&self.text[start..end]).is_none() => {
                    cuts.parts(self.text, start, end, |_, to| push(to, true));
                }
                _ => push(end, false),
            }
            start = end;
        }
        Ok(first)
    }

    /// The slot of a pretoken or a part of one.
    fn slot(&mut self, key: Key, hash: u64, at: Range<usize>, is_part: bool) -> Slot {
        if key.is_short() { self.short(key, hash, at, is_part) } else { self.long(key, hash, at, is_part) }
    }

    /// The slot of a short text that is not in front.
    fn short(&mut self, key: Key, hash: u64, at: Range<usize>, is_part: bool) -> Slot {
        if let Some(slot) = self.seed.table.find(key, hash) {
            return *slot;
        }
        if let Some(slot) = self.cache.find(key, hash) {
            if slot.count() != 0 {
                return *slot;
            }
            return elsewhere(self.more, self.cache.ids(slot));
        }
        let before = self.more.len();
        let word = &self.text[at];
        if !merge_few(self.vocabulary, word, |id| self.more.push(id)) {
            self.piece.merge_bytes(self.vocabulary, word, NONE, |id| self.more.push(id));
        }
        self.keep(key, hash, word, is_part, before)
    }

    /// The slot of a longer text.
    fn long(&mut self, key: Key, hash: u64, at: Range<usize>, is_part: bool) -> Slot {
        let word = &self.text[at.clone()];
        if let Some(ids) = self.cache.find_long(key, hash, word) {
            return if ids.len() > INLINE { elsewhere(self.more, ids) } else { Slot::inline(key, ids).unwrap_or_default() };
        }
        let before = self.more.len();
        let seed = self.seed;
        match &seed.cuts {
            // A part is not cut again.
            Some(cuts) if !is_part => cuts.parts(self.text, at.start, at.end, |from, to| self.part(from..to)),
            _ => self.merge(word),
        }
        if self.stopped { Slot::default() } else { self.keep(key, hash, word, is_part, before) }
    }

    /// Appends the ids of a part of a longer pretoken.
    fn part(&mut self, at: Range<usize>) {
        let short = Key::short(self.text, at.start, at.end);
        let key = if short.is_none() { long_key(self.text, at.clone(), self.mix) } else { short };
        let slot = self.slot(key, key.hash(self.mix), at, true);
        // Those of a slot with more are there already.
        self.more.extend_from_slice(&slot.ids[..slot.count()]);
    }

    /// Merges a longer text; asks now and then whether to stop.
    fn merge(&mut self, word: &[u8]) {
        let Self { vocabulary, piece, more, meter, stopped, .. } = self;
        if word.len() <= EVERY {
            return piece.merge_bytes(vocabulary, word, NONE, |id| more.push(id));
        }
        piece.symbols.clear();
        piece.symbols.extend(word.iter().map(|&byte| vocabulary.byte(byte)));
        let mut merges = 0;
        let on_merge = |_| {
            merges += 1;
            *stopped |= merges % EVERY == 0 && meter.cancel().requested();
            if *stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        piece.merge(vocabulary, NONE, on_merge, |id, _| more.push(id));
    }

    /// The slot for the ids that merging a text gave, which stand in `more` from `before` on; it is kept unless a whole pretoken of
    /// these bytes is encoded otherwise: then the slot, of a whole pretoken, is of what that becomes.
    fn keep(&mut self, key: Key, hash: u64, word: &[u8], is_part: bool, before: usize) -> Slot {
        let key = match self.whole(word) {
            Some(id) if self.more[before..] != [id] => {
                if !is_part {
                    self.more.truncate(before);
                    self.more.push(id);
                }
                Key::NONE
            }
            _ => {
                self.cache.admit(key, hash, word, &self.more[before..]);
                key
            }
        };
        match Slot::inline(key, self.more[before..].iter().copied()) {
            Some(slot) => {
                self.more.truncate(before);
                slot
            }
            None => elsewhere_from(self.more, before),
        }
    }

    /// The id of a whole pretoken that merging its bytes might not give.
    #[inline]
    fn whole(&self, word: &[u8]) -> Option<u32> {
        if self.vocabulary.whole_first() && self.seed.may_be_whole(word) { self.vocabulary.id_of(word) } else { None }
    }
}

/// The slot for some ids, which join those that slots have no room for.
fn elsewhere(more: &mut Vec<u32>, ids: impl Iterator<Item = u32>) -> Slot {
    let before = more.len();
    more.extend(ids);
    elsewhere_from(more, before)
}

/// The slot for the ids from a place on.
#[allow(clippy::cast_possible_truncation)] // a pretoken has fewer bytes
fn elsewhere_from(more: &[u32], before: usize) -> Slot {
    Slot::elsewhere(Key::NONE, before as u32, (more.len() - before) as u32)
}

/// The error for a pretoken of so many bytes.
pub(super) fn too_long(start: usize, length: usize) -> Error {
    Error::Pattern(Report::new(
        format!("the pretoken at byte {start} has {length} bytes, and {LONGEST} is the most"),
        "use a pattern that cuts the text, or encode it in parts",
    ))
}
