//! A stretch of text as groups, one byte a character, with the place of each character.
//!
//! Idea: windows count characters, so continuation bytes must go. Sixty-four bytes of ASCII are one look-up, and places
//! need not be written while all characters are one byte long (*plain*). Other blocks are decoded: by the instruction set where it
//! can ([`wide`]), else one character after the other, which is also the way for invalid bytes.
//!
//! Invariant: `groups[FRONT..filled]` are the characters of the stretch, before them stand the last [`FRONT`] of
//! the stretch before (or EDGE), of which only the very last has a place. `place(j)` is relative to `origin`, the start of
//! that last one (or of the text).

use super::super::classes::Classes;
use super::Tables;
use super::isa::Isa;
use super::wide;
use super::windows::EDGE;
use crate::memory::prefetch;

/// Characters of the stretch before that are kept.
pub(super) const FRONT: usize = 16;
/// Bytes that are looked at together.
pub(super) const BLOCK: usize = 64;
/// Bytes that [`wide::characters`] may look at: a block and the rest of its last character.
pub(super) const REACH: usize = BLOCK + 3;
/// Bytes of a stretch; up to a block more may come.
const STRETCH: usize = 1024;
/// Room for a stretch, the block that begins at its end, and two more that may be read or written beyond.
pub(super) const SIZE: usize = STRETCH + FRONT + 3 * BLOCK;

/// A stretch. What an earlier text left behind its end is not cleared, for it decides nothing.
#[derive(Debug, Clone)]
pub(super) struct Buffer {
    pub groups: [u8; SIZE],
    pub places: [u32; SIZE],
    pub filled: usize,
    /// Whether every place is that of the character before and one.
    plain: bool,
    /// What places are relative to, in the text.
    pub origin: usize,
    /// Where the stretch begins, relative to the origin.
    lead: usize,
}

impl Default for Buffer {
    fn default() -> Self {
        Self { groups: [EDGE; SIZE], places: [0; SIZE], filled: FRONT, plain: true, origin: 0, lead: 0 }
    }
}

impl Buffer {
    /// Before the first stretch of a text.
    #[inline(always)]
    pub fn begin(&mut self) {
        self.groups[..FRONT].fill(EDGE);
        (self.filled, self.plain, self.origin, self.lead) = (FRONT, true, 0, 0);
    }

    /// Reads the next stretch, from a position on; gives the position after it.
    #[inline(always)]
    pub fn fill<I: Isa>(&mut self, isa: I, tables: &Tables, text: &[u8], mut at: usize) -> usize {
        let stop = text.len().min(at + STRETCH);
        while at < stop {
            // The stretch after this one: it comes while this one is worked on.
            prefetch(text.as_ptr().wrapping_add(at + STRETCH));
            at = match text[at..].first_chunk::<BLOCK>() {
                Some(block) => self.block(isa, tables, text, at, block),
                None => self.tail(isa, tables, text, at),
            };
        }
        if at == text.len() {
            self.groups[self.filled] = EDGE;
        }
        at
    }

    #[inline(always)]
    fn block<I: Isa>(&mut self, isa: I, tables: &Tables, text: &[u8], at: usize, block: &[u8; BLOCK]) -> usize {
        let Some(groups) = self.groups[self.filled..].first_chunk_mut::<BLOCK>() else { return at };
        if ascii(isa, tables, block, groups) {
            self.count(at, BLOCK);
            return at + BLOCK;
        }
        self.write_places();
        let first = relative(at, self.origin);
        if let Some(bytes) = text[at..].first_chunk::<REACH>()
            && let Some(groups) = self.groups[self.filled..].first_chunk_mut::<BLOCK>()
            && let Some(places) = self.places[self.filled..].first_chunk_mut::<BLOCK>()
            && let Some((characters, length)) = wide::characters(isa, tables, bytes, first, groups, places)
        {
            self.filled += characters;
            return at + length;
        }
        self.decode(&tables.groups, text, at, at + BLOCK)
    }

    /// Less than a block is left.
    #[inline(always)]
    fn tail<I: Isa>(&mut self, isa: I, tables: &Tables, text: &[u8], at: usize) -> usize {
        let rest = &text[at..];
        let mut block = [0; BLOCK];
        block[..rest.len()].copy_from_slice(rest);
        let Some(groups) = self.groups[self.filled..].first_chunk_mut::<BLOCK>() else { return at };
        if ascii(isa, tables, &block, groups) {
            self.count(at, rest.len());
            return text.len();
        }
        self.write_places();
        self.decode(&tables.groups, text, at, text.len())
    }

    /// Counts characters of one byte each.
    #[inline(always)]
    fn count(&mut self, at: usize, characters: usize) {
        if !self.plain {
            let first = relative(at, self.origin);
            for (place, number) in self.places[self.filled..][..characters].iter_mut().zip(first..) {
                *place = number;
            }
        }
        self.filled += characters;
    }

    /// From here on places are written; those of the characters so far are.
    #[inline(always)]
    fn write_places(&mut self) {
        if self.plain {
            let first = relative(self.lead, 0);
            for (place, number) in self.places[FRONT..self.filled].iter_mut().zip(first..) {
                *place = number;
            }
            self.plain = false;
        }
    }

    /// One character after the other, up to the first that begins at `stop` or after it.
    fn decode(&mut self, groups: &Classes, text: &[u8], mut at: usize, stop: usize) -> usize {
        while at < stop {
            let Some((group, length)) = groups.at(text, at) else { return at };
            self.groups[self.filled] = group;
            self.places[self.filled] = relative(at, self.origin);
            self.filled += 1;
            at += length;
        }
        at
    }

    /// The places of characters from a number on, where they are written.
    #[inline(always)]
    pub fn places(&self, from: usize) -> Option<&[u32; BLOCK]> {
        if self.plain { None } else { self.places[from..].first_chunk() }
    }

    /// The place of a character in the stretch, or of the last before it.
    #[inline(always)]
    pub fn place(&self, number: usize) -> usize {
        if self.plain { number + self.lead - FRONT } else { self.places[number] as usize }
    }

    /// The first character from `from` on that lies behind a place, which is relative to the origin.
    #[inline(always)]
    pub fn after(&self, place: usize, from: usize) -> usize {
        if self.plain {
            return (place + FRONT - self.lead + 1).clamp(from, self.filled);
        }
        let behind = |&&known: &&u32| known as usize <= place;
        from + self.places[from..self.filled].iter().take_while(behind).count()
    }

    /// Makes room for the next stretch, which begins at `at`.
    #[inline(always)]
    pub fn turn(&mut self, at: usize) {
        self.origin += self.place(self.filled - 1);
        self.groups.copy_within(self.filled - FRONT..self.filled, 0);
        self.places[FRONT - 1] = 0;
        self.filled = FRONT;
        self.lead = at - self.origin;
        self.plain = self.lead == 1;
    }
}

/// Writes the groups of 64 bytes; says whether all are ASCII (the groups of others mean nothing).
#[inline(always)]
pub(super) fn ascii<I: Isa>(isa: I, tables: &Tables, block: &[u8; BLOCK], groups: &mut [u8; BLOCK]) -> bool {
    let bytes = isa.load(block);
    isa.store(isa.half(tables.groups.ascii(), bytes), groups);
    isa.bits(isa.at_least(bytes, 0x80)) == 0
}

/// A position of a stretch as a number relative to the origin: a few thousand at most.
#[allow(clippy::cast_possible_truncation)]
#[inline(always)]
pub(super) fn relative(at: usize, origin: usize) -> u32 {
    (at - origin) as u32
}
