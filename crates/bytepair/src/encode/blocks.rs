//! Encoding by the pretoken table, some pretokens at a time.
//!
//! Idea: some hundreds of pretokens are looked up in the table of a [`Cache`](super::cache::Cache) at a time
//! ([`lookup`](super::lookup)). What is not found is noted, and left out of the ids; when some hundreds are, they are served together
//! ([`Tables`]), and their ids put in between. Clauses of scripts without spaces, and what is very long, are cut into parts
//! before, where the exact rule ([`Cuts`](super::cuts::Cuts)) lets them be cut.
//!
//! Invariant: the ids are those of [`Tokenizer::encode_plainly`](crate::Tokenizer::encode_plainly), whatever the tables
//! hold.
//!
//! Cost: two or three nanoseconds for a pretoken that is found.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::cuts::LateCuts;
use super::few::Word;
use super::lookup::{FEW, ROOM, SOME, look_up, make_keys, make_long_keys, within};
use super::piece::LONGEST;
use super::pool::Scratch;
use super::repeat::{self, Repeated};
use super::serve::{Tables, Wanted};
use super::table::{LONG, Slot};
use crate::cancel::Meter;
use crate::error::{Error, Report, Result};
use crate::hash::low;
use crate::key::{Key, SHORT};
use crate::split::Room;
use crate::tokenizer::Tokenizer;
use crate::vocabulary::Vocabulary;

/// When so many pretokens were not found, they are served.
const MANY: usize = 256;

/// The lead bytes of the scripts that are written without spaces, from here on (with some of others): a pretoken that
/// begins so is a clause rather than a word, and may not come again, where its parts do.
const CLAUSE: u8 = 0xE3;

/// How far before its end a text has the lead byte of its last character, if that is of these scripts.
const LEAST: usize = 3;

/// The most bytes of a character: a clause of no more is not cut.
const CHARACTER: usize = 4;

/// Pretokens that are looked up together end no farther from where they begin.
const FAR: usize = u32::MAX as usize;

/// So many ids are copied at once.
const WIDE: usize = 8;

/// Fewer times so many are copied without a call.
const MUCH: usize = 4;

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

/// The pretokens at hand, and the room that they need.
#[derive(Debug)]
pub(super) struct Block {
    /// Where the last pretoken that was looked up ends.
    end: usize,
    /// Pretokens that wait to be looked up: how many, where each ends relative to `end`, and whether it is a part of one.
    filled: usize,
    ends: [u32; SOME],
    parts: [bool; SOME],
    /// Their keys and places in the table.
    keys: [Key; SOME],
    places: [u32; SOME],
    /// The ids that were found.
    ids: [u32; ROOM],
    /// The numbers of those that were not found, and how many ids there are before each.
    missed: [(u16, u16); SOME],
    /// The ids that were found behind the first of `wanted`.
    held: Vec<u32>,
    /// All that were not found.
    wanted: Vec<Wanted>,
    words: Vec<Word>,
    /// The ids of pretokens that have more than a slot holds.
    more: Vec<u32>,
}

impl Default for Block {
    fn default() -> Self {
        Self {
            end: 0,
            filled: 0,
            ends: [0; SOME],
            parts: [false; SOME],
            keys: [Key::NONE; SOME],
            places: [0; SOME],
            ids: [0; ROOM],
            missed: [(0, 0); SOME],
            held: Vec::new(),
            wanted: Vec::new(),
            words: Vec::new(),
            more: Vec::new(),
        }
    }
}

impl Block {
    /// Before the first pretoken, which begins here.
    fn begin(&mut self, start: usize) {
        (self.end, self.filled) = (start, 0);
        self.wanted.clear();
        self.held.clear();
    }

    /// Gives back what a very long pretoken took.
    pub(super) fn trim(&mut self) {
        for ids in [&mut self.more, &mut self.held] {
            if ids.capacity() > LARGE {
                *ids = Vec::new();
            }
        }
    }

    /// Where the last pretoken ends.
    fn last(&self) -> usize {
        self.filled.checked_sub(1).map_or(self.end, |last| self.end + self.ends[last] as usize)
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
        run.scratch.block.begin(first);
        let mut outcome = Ok(());
        let mut room = run.scratch.room.take().unwrap_or_else(make_room);
        let split = self.splitter().cuts_part(&run.text[first..], first, &mut room, |base, ends| {
            // No token is longer than the longest: what waits need not be encoded to know that it is too much.
            if most != usize::MAX {
                let end = first + base + ends.last().map_or(0, |&end| end as usize);
                if (end - run.scratch.block.end).div_ceil(longest) > most.saturating_sub(run.sink.len())
                    && let Sink::Count(count) = run.sink
                {
                    **count = usize::MAX;
                    return ControlFlow::Break(());
                }
            }
            // Nothing is moved when all is well.
            if let Err(error) = run.add(first + base, ends) {
                outcome = Err(error);
                return ControlFlow::Break(());
            }
            if run.len() <= most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        run.scratch.room = Some(room);
        outcome?;
        split?;
        if run.len() <= most {
            run.look_up_parts()?;
        }
        run.serve()
    }
}

impl Run<'_, '_, '_> {
    /// How many ids there are, without those of pretokens that wait.
    fn len(&self) -> usize {
        self.sink.len() + self.scratch.block.held.len()
    }

    /// Looks the pretokens up that end at `base + ends[0]`, `base + ends[1]` and so on, or the parts of them.
    fn add(&mut self, base: usize, ends: &[u32]) -> Result<()> {
        self.meter.reach(base)?;
        let Some(&last) = ends.last() else { return Ok(()) };
        if has_clauses(&self.text[self.scratch.block.last()..base + last as usize]) {
            return self.expand_all(base, ends);
        }
        self.look_up_parts()?;
        for ends in ends.chunks(SOME) {
            if self.make_keys(base, ends) > LONG {
                self.expand_all(base, ends)?;
                self.look_up_parts()?;
            } else {
                self.look_up(base, ends, None)?;
            }
        }
        Ok(())
    }

    /// Adds pretokens, or the parts of them, to those that wait to be looked up.
    fn expand_all(&mut self, base: usize, ends: &[u32]) -> Result<()> {
        let cuts = Arc::clone(&self.scratch.cuts);
        let mut start = self.scratch.block.last();
        for &end in ends {
            let end = base + end as usize;
            self.expand(&cuts, start, end)?;
            start = end;
        }
        Ok(())
    }

    /// The same for one.
    fn expand(&mut self, cuts: &LateCuts, start: usize, end: usize) -> Result<()> {
        let length = end - start;
        if length > LONGEST {
            return Err(too_long(start, length));
        }
        let text = &self.text[start..end];
        if length >= repeat::LEAST
            && self.vocabulary.whole(text).is_none()
            && let Some(repeated) = Repeated::of(self.vocabulary, text, &mut self.scratch.piece)
        {
            self.look_up_parts()?;
            self.serve()?;
            match self.sink {
                Sink::Count(count) => **count += repeated.len(),
                Sink::Ids(out) => repeated.write(out),
            }
            self.scratch.block.end = end;
            return Ok(());
        }
        // A longer one may begin with a quotation mark or a space.
        let is_clause = length > LONG
            || length > CHARACTER && self.text[start] >= CLAUSE
            || length > SHORT && self.text[end - LEAST] >= CLAUSE;
        let is_cut = is_clause && self.vocabulary.whole(text).is_none();
        match if is_cut { cuts.ask(self.vocabulary, text) } else { None } {
            Some(cuts) => {
                let mut outcome = Ok(());
                cuts.parts(self.text, start, end, |_, to| {
                    if outcome.is_ok() {
                        outcome = self.push(to, true);
                    }
                });
                outcome
            }
            None => self.push(end, false),
        }
    }

    /// Adds a pretoken or a part of one.
    fn push(&mut self, end: usize, is_part: bool) -> Result<()> {
        if self.scratch.block.filled == SOME || end - self.scratch.block.end > FAR {
            self.look_up_parts()?;
        }
        let block = &mut self.scratch.block;
        let at = block.filled % SOME;
        block.ends[at] = u32::try_from(end - block.end).unwrap_or(u32::MAX);
        block.parts[at] = is_part;
        block.filled += 1;
        Ok(())
    }

    /// Looks up what waits to be.
    fn look_up_parts(&mut self) -> Result<()> {
        let Block { end, filled, ends, parts, .. } = &mut self.scratch.block;
        if *filled == 0 {
            return Ok(());
        }
        let (base, ends, parts, filled) = (*end, *ends, *parts, std::mem::take(filled));
        self.meter.reach(base)?;
        self.make_keys(base, &ends[..filled]);
        self.look_up(base, &ends[..filled], Some(&parts))
    }

    /// Makes the keys of at most [`SOME`] pretokens and asks for their slots; how long the longest is.
    fn make_keys(&mut self, base: usize, ends: &[u32]) -> usize {
        let Scratch { cache, block, .. } = &mut *self.scratch;
        let Block { end, keys, places, .. } = block;
        let longest = make_keys(self.text, cache.mix(), *end, base, ends, cache.slots(), keys, places);
        if longest > SHORT {
            make_long_keys(self.text, cache, *end, base, ends, keys, places);
        }
        longest
    }

    /// Looks pretokens up whose keys were made.
    fn look_up(&mut self, base: usize, ends: &[u32], parts: Option<&[bool; SOME]>) -> Result<()> {
        let Scratch { cache, block, .. } = &mut *self.scratch;
        let mix = cache.mix();
        let Block { end, keys, places, ids, missed, held, wanted, .. } = block;
        let elsewhere = |number: usize, to: &mut [u32; FEW]| {
            let word = || &self.text[within(*end, base, ends, number)];
            cache.copy(keys[number], places[number] as usize, word, to)
        };
        let (found, count) = look_up(cache.slots(), &keys[..ends.len()], places, ids, missed, elsewhere);
        let position = held.len();
        for &(at, before) in &missed[..count] {
            let number = usize::from(at);
            let (at, key) = (within(*end, base, ends, number), keys[number]);
            let (hash, is_part) = (key.hash(mix), parts.is_some_and(|parts| parts[number]));
            wanted.push(Wanted {
                key,
                hash,
                at,
                is_part,
                position: position + usize::from(before),
                slot: Slot::default(),
            });
        }
        *end = ends.last().map_or(*end, |&last| base + last as usize);
        match self.sink {
            Sink::Count(count) => **count += found,
            Sink::Ids(out) => if wanted.is_empty() { &mut **out } else { held }.extend_from_slice(&ids[..found]),
        }
        // Few may be missed, and all that is found behind the first waits.
        let Block { held, wanted, .. } = &self.scratch.block;
        if wanted.len() < MANY && held.len() < LARGE { Ok(()) } else { self.serve() }
    }

    /// Finds or makes the ids of all that was not found at once, and puts them where they belong.
    ///
    /// # Errors
    /// [`Error::Interrupted`] when the call is cancelled.
    fn serve(&mut self) -> Result<()> {
        let Self { vocabulary, text, scratch, sink, meter } = self;
        let Scratch { cuts, cache, block: Block { held, wanted, words, more, .. }, piece, .. } = &mut **scratch;
        if wanted.is_empty() {
            return Ok(());
        }
        more.clear();
        words.clear();
        let mut tables = Tables { vocabulary, cuts, cache, piece, text, more, meter, stopped: false };
        // New words often come again at once: by hash, the number of the one that came last.
        let mut new = [usize::MAX; MANY];
        let mut again = Vec::new();
        for number in 0..wanted.len() {
            if let Some(slot) = tables.find(&wanted[number]).or_else(|| tables.find_parts(&wanted[number])) {
                wanted[number].slot = slot;
                continue;
            }
            let last = &mut new[low(wanted[number].hash) % MANY];
            if wanted.get(*last).is_some_and(|last| last.is_same(&wanted[number])) {
                again.push((number, *last));
            } else {
                words.push(Word::new(number, wanted[number].at.clone()));
                *last = number;
            }
        }
        for word in &*words {
            vocabulary.ask_for_whole(&text[word.at.clone()]);
        }
        tables.merge(words);
        if tables.stopped {
            return Err(Error::Interrupted);
        }
        for word in &*words {
            let slot = tables.keep(&wanted[word.number], word.ids());
            wanted[word.number].slot = slot;
        }
        for (number, last) in again {
            wanted[number].slot = wanted[last].slot;
        }
        match sink {
            // It may stand at more than can be, which is enough to know.
            Sink::Count(count) => **count = count.saturating_add(number_of_ids(wanted, more)),
            Sink::Ids(out) => put_between(out, held, wanted, more),
        }
        wanted.clear();
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
fn has_clauses(text: &[u8]) -> bool {
    // Without an early end, so that many bytes are looked at together.
    text.iter().fold(0, |highest, &byte| byte.max(highest)) >= CLAUSE
}

/// The ids of a slot; `more` has those that slots have no room for.
#[inline]
fn ids<'a>(slot: &'a Slot, more: &'a [u32]) -> &'a [u32] {
    let [at, count, ..] = slot.ids.map(|part| part as usize);
    if slot.count() == 0 { &more[at..at + count] } else { &slot.ids[..slot.count()] }
}

/// How many ids some pretokens have.
fn number_of_ids(wanted: &[Wanted], more: &[u32]) -> usize {
    wanted.iter().map(|wanted| ids(&wanted.slot, more).len()).sum()
}

/// Appends the ids that were held and those of some pretokens, each where it belongs.
fn put_between(out: &mut Vec<u32>, held: &mut Vec<u32>, wanted: &[Wanted], more: &mut Vec<u32>) {
    let count = held.len() + number_of_ids(wanted, more);
    let (start, end) = (out.len(), held.len());
    // What is copied is rounded up.
    for ids in [&mut *held, more] {
        ids.resize(ids.len() + WIDE, 0);
    }
    out.resize(start + count + WIDE, 0);
    let (mut to, mut from) = (start, 0);
    for Wanted { position, slot, .. } in wanted {
        copy(&mut out[to..], &held[from..], position - from);
        to += position - from;
        from = *position;
        let [at, count, ..] = slot.ids.map(|part| part as usize);
        match (slot.count(), out[to..].first_chunk_mut()) {
            (0, _) | (_, None) => {
                copy(&mut out[to..], &more[at..], count);
                to += count;
            }
            (count, Some(ids)) => {
                *ids = slot.ids;
                to += count;
            }
        }
    }
    copy(&mut out[to..], &held[from..], end - from);
    out.truncate(start + count);
    held.clear();
}

/// Copies some ids, and more than are asked for where there are as many.
#[inline]
fn copy(to: &mut [u32], from: &[u32], count: usize) {
    if count > MUCH * WIDE {
        return to[..count].copy_from_slice(&from[..count]);
    }
    let (to, from) = (to.as_chunks_mut::<WIDE>().0, from.as_chunks::<WIDE>().0);
    for (to, from) in to.iter_mut().zip(from).take(count.div_ceil(WIDE)) {
        *to = *from;
    }
}

/// The error for a pretoken of so many bytes.
pub(super) fn too_long(start: usize, length: usize) -> Error {
    Error::Pattern(Report::new(
        format!("the pretoken at byte {start} has {length} bytes, and {LONGEST} is the most"),
        "use a pattern that cuts the text, or encode it in parts",
    ))
}
