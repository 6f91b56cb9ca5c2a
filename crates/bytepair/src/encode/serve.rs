//! What was not found at once: found elsewhere in the table, put together from parts, or merged, and kept.
//!
//! Idea: these pretokens are few, and are served together. Where the exact rule ([`Cuts`](super::cuts::Cuts)) lets a word that is not all
//! ASCII be cut, its parts are few letters each, and hardly any of them is new: their ids are looked up, one after the other. What has no
//! such cut, as all English, is merged together. (Each part must be its own text: its ids are kept, and served, as those of any other.)
//!
//! Invariant: a slot with a key holds what merging makes of a text *and* what a whole pretoken of these bytes is encoded
//! into. Where the two differ, the slot has no key.
//!
//! Cost: some tens of nanoseconds for what is found, a hundred for what has parts, a few hundred for what is merged.

use std::ops::{ControlFlow, Range};

use super::cache::Cache;
use super::cuts::LateCuts;
use super::few::{Word, merge_words};
use super::piece::Piece;
use super::table::{INLINE, LONG, Slot};
use crate::cancel::{EVERY, Meter};
use crate::hash::Mix;
use crate::key::Key;
use crate::vocabulary::{NONE, Vocabulary};

/// A pretoken, or a part of one, that was not found at once.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub(super) key: Key,
    pub(super) hash: u64,
    /// Where it lies in the text.
    pub(super) at: Range<usize>,
    pub(super) is_part: bool,
    /// How many ids there are before its own, without those of others that wait.
    pub(super) position: usize,
    /// Its ids, when they are known.
    pub(super) slot: Slot,
}

impl Wanted {
    /// Whether another one is the same text, and a part if this one is.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.key.is_short() && self.key == other.key && self.is_part == other.is_part
    }
}

/// What pretokens are looked up in, and what they are merged by.
pub(super) struct Tables<'a, 'm> {
    pub(super) vocabulary: &'a Vocabulary,
    pub(super) cuts: &'a LateCuts,
    pub(super) cache: &'a mut Cache,
    pub(super) piece: &'a mut Piece,
    pub(super) text: &'a [u8],
    /// The ids that slots have no room for.
    pub(super) more: &'a mut Vec<u32>,
    pub(super) meter: &'a mut Meter<'m>,
    /// Whether the call is cancelled: no more work is done, and nothing kept.
    pub(super) stopped: bool,
}

impl Tables<'_, '_> {
    /// The slot of a pretoken, or a part of one, that the table holds.
    pub(super) fn find(&mut self, wanted: &Wanted) -> Option<Slot> {
        let &Wanted { key, hash, .. } = wanted;
        if !key.is_short() {
            let ids = self.cache.find_long(key, hash, &self.text[wanted.at.clone()])?;
            return if ids.len() > INLINE { Some(elsewhere(self.more, ids)) } else { Slot::inline(key, ids) };
        }
        let slot = self.cache.find(key, hash)?;
        Some(if slot.count() == 0 { elsewhere(self.more, self.cache.ids(slot)) } else { *slot })
    }

    /// The slot of a word that falls into parts, each found or merged; it is kept.
    pub(super) fn find_parts(&mut self, wanted: &Wanted) -> Option<Slot> {
        let Range { start, end } = wanted.at;
        if wanted.is_part || end - start > LONG || self.text[start..end].is_ascii() {
            return None;
        }
        let cuts = self.cuts.ask(self.vocabulary, &self.text[start..end])?;
        let (mut ids, mut count) = ([0; LONG + INLINE], 0);
        cuts.parts(self.text, start, end, |from, to| {
            if to - from < end - start {
                let slot = self.part(from..to);
                let [at, many, ..] = slot.ids.map(|part| part as usize);
                if slot.count() == 0 {
                    ids[count..count + many].copy_from_slice(&self.more[at..at + many]);
                    count += many;
                } else {
                    // All four, as their number is not foretold.
                    ids[count..count + INLINE].copy_from_slice(&slot.ids);
                    count += slot.count();
                }
            }
        });
        if count == 0 {
            return None;
        }
        let from = self.more.len();
        self.more.extend_from_slice(&ids[..count]);
        Some(self.keep(wanted, from..from + count))
    }

    /// The slot of a part of a word, found or merged.
    fn part(&mut self, at: Range<usize>) -> Slot {
        let mix = self.cache.mix();
        let key = key(self.text, at.clone(), mix);
        let part = Wanted { key, hash: key.hash(mix), at, is_part: true, position: 0, slot: Slot::default() };
        self.find(&part).unwrap_or_else(|| {
            let from = self.more.len();
            self.piece.merge_bytes(self.vocabulary, &self.text[part.at.clone()], NONE, |id| self.more.push(id));
            self.keep(&part, from..self.more.len())
        })
    }

    /// Merges words, all that the table does not hold, and notes which ids each has.
    pub(super) fn merge(&mut self, words: &mut [Word]) {
        if !merge_words(self.vocabulary, self.text, words, self.more) {
            for word in &mut *words {
                word.set_ids(0..0);
            }
        }
        for word in words.iter_mut().filter(|word| word.ids().is_empty()) {
            let from = self.more.len();
            self.merge_one(&self.text[word.at.clone()]);
            if self.stopped {
                return;
            }
            word.set_ids(from..self.more.len());
        }
    }

    /// Merges a longer text; asks now and then whether to stop.
    fn merge_one(&mut self, word: &[u8]) {
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

    /// The slot of a word that was merged; it is kept unless a whole pretoken of these bytes is encoded otherwise: then the
    /// slot, of a whole pretoken, is of what that becomes.
    pub(super) fn keep(&mut self, wanted: &Wanted, made: Range<usize>) -> Slot {
        let &Wanted { key, hash, is_part, .. } = wanted;
        let (text, ids) = (&self.text[wanted.at.clone()], &self.more[made.clone()]);
        match self.vocabulary.whole(text) {
            Some(id) if !is_part && *ids != [id] => Slot::inline(Key::NONE, [id].into_iter()).unwrap_or_default(),
            Some(id) if *ids != [id] => slot(Key::NONE, made, self.more),
            _ => {
                self.cache.admit(key, hash, text, ids);
                slot(key, made, self.more)
            }
        }
    }
}

/// The key of a text of at most [`LONG`] bytes.
#[inline]
fn key(text: &[u8], at: Range<usize>, mix: Mix) -> Key {
    let key = Key::short(text, at.start, at.end);
    if key.is_none() { Key::long(&text[at.clone()], at.len(), mix) } else { key }
}

/// The slot for some ids, which join those that slots have no room for.
fn elsewhere(more: &mut Vec<u32>, ids: impl Iterator<Item = u32>) -> Slot {
    let before = more.len();
    more.extend(ids);
    slot(Key::NONE, before..more.len(), more)
}

/// The slot for the ids in a place: these, or where they are.
#[allow(clippy::cast_possible_truncation)] // pretokens have fewer bytes
fn slot(key: Key, ids: Range<usize>, more: &[u32]) -> Slot {
    let found = Slot::inline(key, more[ids.clone()].iter().copied());
    found.unwrap_or_else(|| Slot::elsewhere(Key::NONE, ids.start as u32, ids.len() as u32))
}
