//! Encoding by the pretoken table, a block of pretokens at a time.
//!
//! Idea: the pretokens of a text are collected into a block. Then one loop gives each its key and asks for the line to be
//! fetched that it may be found in; clauses are cut into parts where they may be. A second loop looks the keys up and
//! has hardly a branch that a processor cannot foretell: four ids are copied whether there are four or one. What is
//! not found is merged, and kept.
//!
//! Invariant: the ids are those of [`Tokenizer::encode_plainly`](crate::Tokenizer::encode_plainly), whatever the tables
//! hold.
//!
//! Cost: a few nanoseconds for a pretoken that is found.

use std::hint::select_unpredictable;
use std::ops::ControlFlow;

use super::cache::Cache;
use super::few::merge_few;
use super::piece::Piece;
use super::pool::Scratch;
use super::seed::Seed;
use super::table::{INLINE, Key, LONG, SHORT};
use crate::cancel::{EVERY, Meter};
use crate::error::{Error, Result};
use crate::vocabulary::{NONE, Vocabulary};

/// The pretokens of a block, and the most entries that are looked up at once.
const BLOCK: usize = 256;

/// The lead bytes of the scripts that are written without spaces, from here on (with some of others): a pretoken that
/// begins so is a clause rather than a word, and may not come again, where its parts do.
const CLAUSE: u8 = 0xE3;

/// The most bytes of a character: a clause of no more is not cut.
const CHARACTER: usize = 4;

/// The pretokens that wait: the start and the end of each.
#[derive(Debug)]
pub(super) struct Block {
    pretokens: [(usize, usize); BLOCK],
    waiting: usize,
}

impl Default for Block {
    fn default() -> Self {
        Self { pretokens: [(0, 0); BLOCK], waiting: 0 }
    }
}

/// A pretoken, or a part of one, that is to be looked up.
#[derive(Debug, Clone, Copy)]
struct Entry {
    key: Key,
    hash: u64,
    start: usize,
    end: usize,
    is_part: bool,
}

/// What is to be looked up, and what was found.
#[derive(Debug)]
pub(super) struct Entries {
    waiting: [Entry; BLOCK],
    entered: usize,
    ids: [u32; BLOCK * INLINE],
}

impl Default for Entries {
    fn default() -> Self {
        let entry = Entry { key: Key::NONE, hash: 0, start: 0, end: 0, is_part: false };
        Self { waiting: [entry; BLOCK], entered: 0, ids: [0; BLOCK * INLINE] }
    }
}

impl Scratch {
    /// Adds a pretoken to the block; says whether the block is full.
    #[inline]
    pub(super) fn push(&mut self, start: usize, end: usize) -> bool {
        let block = &mut self.block;
        if let Some(place) = block.pretokens.get_mut(block.waiting) {
            *place = (start, end);
        }
        block.waiting += 1;
        block.waiting >= BLOCK
    }

    /// Forgets the block.
    pub(super) fn discard(&mut self) {
        self.block.waiting = 0;
    }

    /// The length of the longest pretoken in the block.
    pub(super) fn longest(&self) -> usize {
        self.block.pretokens.iter().take(self.block.waiting).map(|&(start, end)| end - start).max().unwrap_or(0)
    }

    /// Appends the ids of the block's pretokens to `out` and empties the block.
    ///
    /// # Errors
    /// [`Error::Interrupted`] when the call is cancelled.
    #[inline(never)]
    pub(super) fn flush(
        &mut self,
        vocabulary: &Vocabulary,
        text: &[u8],
        out: &mut Vec<u32>,
        meter: &mut Meter<'_>,
    ) -> Result<()> {
        let Self { seed, cache, block, entries, buffers } = self;
        entries.entered = 0;
        let mut tables =
            Tables { vocabulary, seed, cache, piece: &mut buffers.piece, text, out, meter, stopped: false };
        for &(start, end) in block.pretokens.iter().take(block.waiting) {
            let length = end - start;
            // A pattern that drops text may give none of it.
            let is_clause = text.get(start).is_some_and(|&byte| byte >= CLAUSE);
            if length > LONG || is_clause && length > CHARACTER {
                tables.enter_parts(entries, start, end);
            } else if length > SHORT {
                tables.enter(entries, Key::long(&text[start..end]), start, end, false);
            } else if length > 0 {
                tables.enter(entries, Key::short(text, start, end), start, end, false);
            }
            if entries.entered == BLOCK {
                tables.look_up(entries);
            }
        }
        block.waiting = 0;
        tables.look_up(entries);
        if tables.stopped { Err(Error::Interrupted) } else { Ok(()) }
    }
}

/// What a block is looked up in, and where its ids go.
struct Tables<'a, 'm> {
    vocabulary: &'a Vocabulary,
    seed: &'a Seed,
    cache: &'a mut Cache,
    piece: &'a mut Piece,
    text: &'a [u8],
    out: &'a mut Vec<u32>,
    meter: &'a mut Meter<'m>,
    /// Whether the call is cancelled: no more work is done, and nothing kept.
    stopped: bool,
}

impl Tables<'_, '_> {
    /// Adds an entry, for which there is room.
    #[inline]
    fn enter(&self, entries: &mut Entries, key: Key, start: usize, end: usize, is_part: bool) {
        let hash = key.hash();
        self.seed.table.prefetch(hash);
        self.cache.prefetch(hash);
        if let Some(place) = entries.waiting.get_mut(entries.entered) {
            *place = Entry { key, hash, start, end, is_part };
            entries.entered += 1;
        }
    }

    /// Adds the parts of a clause, for the first of which there is room.
    fn enter_parts(&mut self, entries: &mut Entries, start: usize, end: usize) {
        let (text, seed) = (self.text, self.seed);
        let cuts = match &seed.cuts {
            Some(cuts) if self.whole(&text[start..end]).is_none() => cuts,
            _ => return self.enter(entries, key(text, start, end), start, end, false),
        };
        cuts.parts(text, start, end, |from, to| {
            if entries.entered == BLOCK {
                self.look_up(entries);
            }
            self.enter(entries, key(text, from, to), from, to, true);
        });
    }

    /// Appends the ids of the entries.
    fn look_up(&mut self, entries: &mut Entries) {
        let Entries { waiting, entered, ids } = entries;
        let reached = waiting.get(entered.saturating_sub(1)).map_or(0, |last| last.start);
        self.stopped |= self.meter.reach(reached).is_err();
        if self.stopped {
            *entered = 0;
            return;
        }
        let mut at = 0;
        for entry in waiting.iter().take(*entered) {
            let (key, hash) = (entry.key, entry.hash);
            let seeded = self.seed.table.likely(key, hash);
            // Both are looked at: which of them it is cannot be foretold in all scripts.
            let slot = select_unpredictable(seeded.holds(key), seeded, self.cache.likely(key, hash));
            // The slot of a longer text counts none.
            if slot.holds(key)
                && slot.count() != 0
                && let Some(to) = ids.get_mut(at..at + INLINE)
            {
                to.copy_from_slice(&slot.ids);
                at += slot.count();
                continue;
            }
            self.out.extend_from_slice(&ids[..at]);
            at = 0;
            self.encode(entry);
        }
        self.out.extend_from_slice(&ids[..at]);
        *entered = 0;
    }

    /// Appends the ids of an entry for which there is no slot with ids in it.
    #[inline(never)]
    fn encode(&mut self, entry: &Entry) {
        let &Entry { key, hash, start, end, is_part } = entry;
        let word = &self.text[start..end];
        if key.is_short() {
            return match self.seed.table.find_beside(key, hash) {
                Some(slot) => self.out.push(slot.ids[0]),
                None => self.short(key, hash, word, is_part),
            };
        }
        self.long(key, hash, word, is_part);
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
        match self.seed.table.find(key, hash) {
            // What the seed holds is one id.
            Some(slot) => self.out.push(slot.ids[0]),
            None => self.short(key, hash, part, true),
        }
    }

    /// Appends the ids of a short text, a whole pretoken or a part of one, that the seed does not hold.
    fn short(&mut self, key: Key, hash: u64, word: &[u8], is_part: bool) {
        if let Some(slot) = self.cache.find(key, hash) {
            return self.out.extend_from_slice(self.cache.ids(slot));
        }
        let before = self.out.len();
        if !merge_few(self.vocabulary, word, |id| self.out.push(id)) {
            self.piece.merge_bytes(self.vocabulary, word, NONE, |id| self.out.push(id));
        }
        self.keep(key, hash, word, is_part, before);
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
            _ => self.cache.admit(key, hash, word, &self.out[before..]),
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
