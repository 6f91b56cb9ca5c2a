//! Encoding by the pretoken table, a block of pretokens at a time.
//!
//! Idea: pretokens are collected into a block. A first loop makes the key of each and asks for its place in the [`Front`](super::front::Front), a
//! second looks there and lists those that are not there. These few are served by the larger tables
//! ([`Tables`]) and get a place at the side. A last loop copies the ids from the places, four whether there are four or one.
//! None of the loops has a branch that a processor cannot foretell. A text of few pretokens goes through one loop instead, as
//! long as they are in front, or nearly all. Clauses of scripts without spaces, and what is very long,
//! are cut into parts before, where the exact rule ([`Cuts`](super::cuts::Cuts)) lets them be cut.
//!
//! Invariant: the ids are those of [`Tokenizer::encode_plainly`](crate::Tokenizer::encode_plainly), whatever the tables
//! hold.
//!
//! Cost: two or three nanoseconds for a pretoken that is in front.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::few::Word;
use super::front::{BLOCK, Slots};
use super::piece::LONGEST;
use super::pool::Scratch;
use super::repeat::{self, Repeated};
use super::seed::Seed;
use super::serve::{Tables, Wanted};
use super::table::{INLINE, LONG};
use crate::cancel::Meter;
use crate::error::{Error, Report, Result};
use crate::hash::Mix;
use crate::key::{Key, SHORT};
use crate::split::Room;
use crate::tokenizer::Tokenizer;
use crate::vocabulary::Vocabulary;

/// How many pretokens are looked up in front at a time: their lines fit into the processor's first cache.
const SOME: usize = 256;

/// How many pretokens of a short text are looked for one by one where they are not in front.
const FEW: usize = 3;

/// The lead bytes of the scripts that are written without spaces, from here on (with some of others): a pretoken that
/// begins so is a clause rather than a word, and may not come again, where its parts do.
const CLAUSE: u8 = 0xE3;

/// How far before its end a text has the lead byte of its last character, if that is of these scripts.
const LEAST: usize = 3;

/// The most bytes of a character: a clause of no more is not cut.
const CHARACTER: usize = 4;

/// A block's pretokens end no farther from its beginning.
const FAR: usize = u32::MAX as usize;

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

/// The pretokens of a block, and the room that it needs.
#[derive(Debug)]
pub(super) struct Block {
    /// Where the first pretoken begins; where each ends, relative to that; and whether it is a part of a pretoken.
    base: usize,
    ends: [u32; BLOCK],
    parts: [bool; BLOCK],
    /// How many pretokens there are.
    filled: usize,
    /// Some keys, and where in front each pretoken is.
    keys: [Key; SOME],
    places: [u32; BLOCK],
    /// The numbers of pretokens that are not in front.
    missed: [u16; SOME + 1],
    wanted: Vec<Wanted>,
    words: Vec<Word>,
    /// The ids, until there are many.
    ids: [u32; (SOME + 1) * INLINE],
    /// The ids of pretokens that have more than a slot holds.
    more: Vec<u32>,
}

impl Default for Block {
    fn default() -> Self {
        Self {
            base: 0,
            ends: [0; BLOCK],
            parts: [false; BLOCK],
            filled: 0,
            keys: [Key::NONE; SOME],
            places: [0; BLOCK],
            missed: [0; SOME + 1],
            wanted: Vec::new(),
            words: Vec::new(),
            ids: [0; (SOME + 1) * INLINE],
            more: Vec::new(),
        }
    }
}

impl Block {
    /// Gives back what a very long pretoken took.
    pub(super) fn trim(&mut self) {
        if self.more.capacity() > LARGE {
            self.more = Vec::new();
        }
    }

    /// Where the last pretoken ends.
    fn end(&self) -> usize {
        self.filled.checked_sub(1).map_or(self.base, |last| self.base + self.ends[last] as usize)
    }
}

/// One call on one part of a text.
pub(super) struct Run<'a, 's, 'm> {
    pub(super) vocabulary: &'a Vocabulary,
    /// What lies behind the part is not read.
    pub(super) text: &'a [u8],
    pub(super) scratch: &'a mut Scratch,
    pub(super) sink: &'a mut Sink<'s>,
    pub(super) meter: &'a mut Meter<'m>,
}

impl Tokenizer {
    /// Gives the ids of a part of a text, without special tokens, to `sink`; may stop when there are more than `most`.
    pub(super) fn encode_segment(&self, segment: Range<usize>, most: usize, mut run: Run<'_, '_, '_>) -> Result<()> {
        let longest = self.vocabulary().longest().max(1);
        run.text = &run.text[..segment.end];
        let first = segment.start;
        (run.scratch.block.base, run.scratch.block.filled) = (first, 0);
        let mut outcome = Ok(());
        let mut room = run.scratch.room.take().unwrap_or_else(make_room);
        let split = self.splitter().cuts_part(&run.text[first..], first, &mut room, |base, ends| {
            // No token is longer than the longest: what waits need not be encoded to know that it is too much.
            if most != usize::MAX {
                let end = first + base + ends.last().map_or(0, |&end| end as usize);
                if (end - run.scratch.block.base).div_ceil(longest) > most.saturating_sub(run.sink.len())
                    && let Sink::Count(count) = run.sink
                {
                    **count = usize::MAX;
                    return ControlFlow::Break(());
                }
            }
            outcome = run.add(first + base, ends);
            if outcome.is_ok() && run.sink.len() <= most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        run.scratch.room = Some(room);
        outcome?;
        split?;
        if run.sink.len() <= most { run.flush() } else { Ok(()) }
    }
}

impl Run<'_, '_, '_> {
    /// Adds the pretokens that end at `base + ends[0]`, `base + ends[1]` and so on to the block.
    fn add(&mut self, base: usize, mut ends: &[u32]) -> Result<()> {
        self.meter.reach(base)?;
        if self.scratch.block.filled == 0 && ends.len() <= SOME {
            ends = &ends[self.add_at_once(base, ends)..];
        }
        let Some(&last) = ends.last() else { return Ok(()) };
        let (mut start, last) = (self.scratch.block.end(), base + last as usize);
        if has_clauses(&self.text[start..last]) || are_long(start, base, ends) || last - start > FAR {
            let seed = Arc::clone(&self.scratch.seed);
            for &end in ends {
                let end = base + end as usize;
                self.expand(&seed, start, end)?;
                start = end;
            }
            return Ok(());
        }
        let mut rest = ends;
        while !rest.is_empty() {
            if self.scratch.block.filled == BLOCK || last - self.scratch.block.base > FAR {
                self.flush()?;
            }
            let block = &mut self.scratch.block;
            let (now, later) = rest.split_at(rest.len().min(BLOCK - block.filled));
            let places = block.filled..block.filled + now.len();
            // Below `FAR`, so that in 32 bits all is right in the end.
            #[allow(clippy::cast_possible_truncation)]
            let shift = base.wrapping_sub(block.base) as u32;
            for (to, &end) in block.ends[places.clone()].iter_mut().zip(now) {
                *to = end.wrapping_add(shift);
            }
            block.parts[places].fill(false);
            block.filled += now.len();
            rest = later;
        }
        Ok(())
    }

    /// Gives the ids of some pretokens to the sink, if the block is empty: up to the first that no table holds, or until
    /// some were not in front; how many they are. A short text is done with that.
    fn add_at_once(&mut self, base: usize, ends: &[u32]) -> usize {
        let Scratch { seed, cache, front, block, .. } = &mut *self.scratch;
        let mix = cache.mix();
        let (mut start, mut filled, mut done) = (block.base, 0, 0);
        for _ in 0..=FEW {
            let slots = front.slots();
            let mut missed = None;
            for &end in &ends[done..] {
                let end = base + end as usize;
                let key = Key::short(self.text, start, end);
                let hash = key.hash(mix);
                let slot = slots.get(slots.place(hash));
                if !slot.holds(key) {
                    missed = Some((key, hash));
                    break;
                }
                if let Some(to) = block.ids[filled..].first_chunk_mut() {
                    *to = slot.ids;
                }
                (start, filled, done) = (end, filled + slot.count(), done + 1);
            }
            let Some((key, hash)) = missed.filter(|(key, _)| key.is_short()) else { break };
            let found = seed.table.find(key, hash).or_else(|| cache.find(key, hash));
            let Some(slot) = found.filter(|slot| slot.count() != 0) else { break };
            // The next round finds it, or looks again.
            front.keep(hash, *slot);
        }
        block.base = start;
        match self.sink {
            Sink::Count(count) => **count += filled,
            Sink::Ids(out) => out.extend_from_slice(&block.ids[..filled]),
        }
        done
    }

    /// Adds a pretoken, or the parts of it.
    fn expand(&mut self, seed: &Seed, start: usize, end: usize) -> Result<()> {
        let length = end - start;
        if length > LONGEST {
            return Err(too_long(start, length));
        }
        let text = &self.text[start..end];
        if length >= repeat::LEAST
            && seed.whole(self.vocabulary, text).is_none()
            && let Some(repeated) = Repeated::of(self.vocabulary, text, &mut self.scratch.piece)
        {
            self.flush()?;
            match self.sink {
                Sink::Count(count) => **count += repeated.len(),
                Sink::Ids(out) => repeated.write(out),
            }
            self.scratch.block.base = end;
            return Ok(());
        }
        // A longer one may begin with a quotation mark or a space.
        let is_clause = length > LONG
            || length > CHARACTER && self.text[start] >= CLAUSE
            || length > SHORT && self.text[end - LEAST] >= CLAUSE;
        match &seed.cuts {
            Some(cuts) if is_clause && seed.whole(self.vocabulary, text).is_none() => {
                let mut outcome = Ok(());
                cuts.parts(self.text, start, end, |_, to| {
                    if outcome.is_ok() {
                        outcome = self.push(to, true);
                    }
                });
                outcome
            }
            _ => self.push(end, false),
        }
    }

    /// Adds a pretoken or a part of one.
    fn push(&mut self, end: usize, is_part: bool) -> Result<()> {
        if self.scratch.block.filled == BLOCK || end - self.scratch.block.base > FAR {
            self.flush()?;
        }
        let block = &mut self.scratch.block;
        let at = block.filled % BLOCK;
        block.ends[at] = u32::try_from(end - block.base).unwrap_or(u32::MAX);
        block.parts[at] = is_part;
        block.filled += 1;
        Ok(())
    }

    /// Gives the ids of the block to the sink and empties it.
    ///
    /// # Errors
    /// [`Error::Interrupted`] when the call is cancelled.
    fn flush(&mut self) -> Result<()> {
        if self.scratch.block.filled == 0 {
            return Ok(());
        }
        let Self { vocabulary, text, scratch, sink, meter } = self;
        let Scratch { seed, cache, front, block, piece, .. } = &mut **scratch;
        let mix = cache.mix();
        let end = block.end();
        let Block { base, ends, parts, filled, keys, places, missed, wanted, words, ids, more } = block;
        let (ends, places) = (&ends[..*filled], &mut places[..*filled]);
        meter.reach(*base)?;
        more.clear();
        wanted.clear();
        words.clear();
        let mut start = *base;
        for (number, (ends, places)) in ends.chunks(SOME).zip(places.chunks_mut(SOME)).enumerate() {
            let keys = &mut keys[..ends.len()];
            make_keys(text, mix, start, *base, ends, front.slots(), keys, places);
            let count = look_up(front.slots(), keys, places, missed);
            wanted.extend(missed[..count].iter().map(|&at| {
                let at = usize::from(at);
                let pretoken = number * SOME + at;
                let start = at.checked_sub(1).map_or(start, |before| *base + ends[before] as usize);
                let at_text = start..*base + ends[at] as usize;
                let key = if keys[at].is_none() { long_key(text, at_text.clone(), mix) } else { keys[at] };
                Wanted { key, hash: key.hash(mix), at: at_text, pretoken, is_part: parts[pretoken] }
            }));
            start = ends.last().map_or(start, |&end| *base + end as usize);
        }
        let mut tables = Tables { vocabulary, seed, cache, piece, text, more, meter, stopped: false };
        tables.ask_for(wanted);
        for (number, wanted) in wanted.iter().enumerate() {
            match tables.find(wanted) {
                Some(slot) => places[wanted.pretoken] = front.put_aside(number, slot),
                None => words.push(Word::new(number, wanted.at.clone())),
            }
        }
        tables.merge(words);
        if tables.stopped {
            return Err(Error::Interrupted);
        }
        for word in &*words {
            let wanted = &wanted[word.number];
            places[wanted.pretoken] = front.put_aside(word.number, tables.keep(wanted, word));
        }
        match sink {
            Sink::Count(count) => **count += count_ids(front.slots(), places),
            Sink::Ids(out) => copy_ids(front.slots(), places, tables.more, ids, out),
        }
        front.settle(wanted.iter().map(|wanted| wanted.hash));
        (*base, *filled) = (end, 0);
        Ok(())
    }
}

/// Made once, and out of the way: it would take a large part of the stack.
#[cold]
#[inline(never)]
fn make_room() -> Box<Room> {
    Box::default()
}

/// Whether a text has characters of scripts without spaces.
#[allow(clippy::needless_bitwise_bool)] // a branch would end the loop
fn has_clauses(text: &[u8]) -> bool {
    // Without an early end, so that many bytes are looked at together.
    text.iter().fold(false, |found, &byte| found | (byte >= CLAUSE))
}

/// Whether one of some pretokens has no key.
#[allow(clippy::needless_bitwise_bool)] // as above
fn are_long(start: usize, base: usize, ends: &[u32]) -> bool {
    let first = ends.first().is_some_and(|&end| base + end as usize - start > LONG);
    #[allow(clippy::cast_possible_truncation)] // a small number
    ends.windows(2).fold(first, |found, pair| found | (pair[1] - pair[0] > LONG as u32))
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
    front: Slots<'_>,
    keys: &mut [Key],
    places: &mut [u32],
) {
    for ((&end, key), place) in ends.iter().zip(keys).zip(places) {
        let end = base + end as usize;
        *key = Key::short(text, start, end);
        *place = front.place(key.hash(mix));
        front.prefetch(*place);
        start = end;
    }
}

/// Looks keys up in front: how many are missed.
#[inline(never)]
fn look_up(front: Slots<'_>, keys: &[Key], places: &[u32], missed: &mut [u16; SOME + 1]) -> usize {
    let mut count = 0;
    for ((number, &key), &place) in (0..).zip(keys).zip(places) {
        if let Some(to) = missed.get_mut(count) {
            *to = number;
        }
        count += usize::from(!front.get(place).holds(key));
    }
    count
}

/// The key of more than [`SHORT`] bytes, if they have one.
#[inline]
fn long_key(text: &[u8], at: Range<usize>, mix: Mix) -> Key {
    if at.len() <= LONG { Key::long(&text[at.clone()], at.len(), mix) } else { Key::NONE }
}

/// How many ids the pretokens in some places have.
fn count_ids(front: Slots<'_>, places: &[u32]) -> usize {
    let counts = places.iter().map(|&place| {
        let slot = front.get(place);
        if slot.count() == 0 { slot.ids[1] as usize } else { slot.count() }
    });
    counts.sum()
}

/// Gives the ids of the pretokens in some places, those of some slots being in `more`; `ids` is room.
fn copy_ids(front: Slots<'_>, places: &[u32], more: &[u32], ids: &mut [u32; (SOME + 1) * INLINE], out: &mut Vec<u32>) {
    for places in places.chunks(SOME) {
        let mut filled = 0;
        for &place in places {
            let slot = front.get(place);
            if let Some(to) = ids[filled..].first_chunk_mut() {
                *to = slot.ids;
            }
            filled += slot.count();
            if slot.count() == 0 {
                out.extend_from_slice(&ids[..filled]);
                filled = 0;
                let [at, count, ..] = slot.ids.map(|part| part as usize);
                out.extend_from_slice(&more[at..at + count]);
            }
        }
        out.extend_from_slice(&ids[..filled]);
    }
}

/// The error for a pretoken of so many bytes.
pub(super) fn too_long(start: usize, length: usize) -> Error {
    Error::Pattern(Report::new(
        format!("the pretoken at byte {start} has {length} bytes, and {LONGEST} is the most"),
        "use a pattern that cuts the text, or encode it in parts",
    ))
}
