//! Encoding by the pretoken table, a block of pretokens at a time.
//!
//! Idea: the pretokens of a text are collected into a block, each with its key and hash, and the lines that they may be
//! found in are fetched meanwhile; then the block is looked up in one loop, which has no branch that a processor cannot
//! foretell: four ids are copied whether there are four or one. What is not found is merged, by parts where it may be
//! cut, and kept.
//!
//! Invariant: the ids are those of [`Tokenizer::encode_plainly`](crate::Tokenizer::encode_plainly), whatever the tables hold.
//!
//! Cost: a few nanoseconds for a pretoken that is found.

use super::pool::Scratch;
use super::seed::Seed;
use super::table::{INLINE, Key, LONG, SHORT};
use super::{Buffers, cache::Cache};
use crate::vocabulary::{NONE, Vocabulary};

/// The pretokens of a block.
const BLOCK: usize = 256;

/// The pretokens that wait to be looked up.
#[derive(Debug)]
pub(super) struct Block {
    keys: [Key; BLOCK],
    hashes: [u64; BLOCK],
    spans: [(usize, usize); BLOCK],
    length: usize,
    ids: [u32; BLOCK * INLINE],
}

impl Default for Block {
    fn default() -> Self {
        Self {
            keys: [Key::NONE; BLOCK],
            hashes: [0; BLOCK],
            spans: [(0, 0); BLOCK],
            length: 0,
            ids: [0; BLOCK * INLINE],
        }
    }
}

/// The lead bytes of characters whose scripts are written without spaces, of three bytes and up: a pretoken of them is
/// a clause rather than a word and hardly ever comes again.
const CLAUSE: u8 = 0xE3;

impl Scratch {
    /// Adds the pretoken `text[start..end]`, which is not empty, to the block; says whether the block is full.
    #[inline]
    pub(super) fn push(&mut self, text: &[u8], start: usize, end: usize) -> bool {
        let block = &mut self.block;
        let length = end - start;
        let key = if length <= SHORT {
            Key::short(text, start, end)
        } else if length <= LONG && text[start] < CLAUSE {
            Key::long(&text[start..end])
        } else {
            Key::NONE
        };
        let at = block.length.min(BLOCK - 1);
        let hash = key.hash();
        self.seed.table.prefetch(hash);
        self.cache.prefetch(hash);
        block.keys[at] = key;
        block.hashes[at] = hash;
        block.spans[at] = (start, end);
        block.length = at + 1;
        block.length == BLOCK
    }

    /// Appends the ids of the block's pretokens to `out` and empties the block.
    pub(super) fn flush(&mut self, vocabulary: &Vocabulary, text: &[u8], out: &mut Vec<u32>) {
        let Self { seed, cache, block, buffers } = self;
        let mut at = 0;
        for index in 0..block.length {
            let (key, hash) = (block.keys[index], block.hashes[index]);
            if key.is_short() {
                let slot = seed.table.find(key, hash).or_else(|| cache.find(key, hash));
                if let Some(slot) = slot.filter(|slot| slot.count() != 0) {
                    if let Some(to) = block.ids.get_mut(at..at + INLINE) {
                        to.copy_from_slice(&slot.ids);
                        at += slot.count();
                        continue;
                    }
                }
            }
            out.extend_from_slice(&block.ids[..at]);
            at = 0;
            let (start, end) = block.spans[index];
            encode(vocabulary, seed, cache, buffers, key, hash, &text[start..end], out);
        }
        out.extend_from_slice(&block.ids[..at]);
        block.length = 0;
    }

    /// Forgets the block.
    pub(super) fn discard(&mut self) {
        self.block.length = 0;
    }
}

/// Appends the ids of a pretoken that has no slot of its own.
#[allow(clippy::too_many_arguments)] // a scratch in its parts
#[inline(never)]
fn encode(
    vocabulary: &Vocabulary,
    seed: &Seed,
    cache: &mut Cache,
    buffers: &mut Buffers,
    key: Key,
    hash: u64,
    word: &[u8],
    out: &mut Vec<u32>,
) {
    if key.is_short() {
        return short(vocabulary, cache, buffers, key, hash, word, true, out);
    }
    if !key.is_none() {
        if let Some(ids) = cache.find_long(key, hash, word) {
            out.extend_from_slice(ids);
            return;
        }
    }
    let before = out.len();
    let whole = if vocabulary.whole_first() { vocabulary.id_of(word) } else { None };
    match (whole, &seed.cuts) {
        (Some(id), _) => out.push(id),
        (None, None) => buffers.piece.merge_bytes(vocabulary, word, NONE, |id| out.push(id)),
        (None, Some(cuts)) => cuts.parts(word, |start, end| {
            if end - start > SHORT {
                buffers.piece.merge_bytes(vocabulary, &word[start..end], NONE, |id| out.push(id));
                return;
            }
            let key = Key::short(word, start, end);
            let hash = key.hash();
            match seed.table.find(key, hash) {
                // What the seed holds is one id.
                Some(slot) => out.push(slot.ids[0]),
                None => short(vocabulary, cache, buffers, key, hash, &word[start..end], false, out),
            }
        }),
    }
    cache.admit(key, hash, word, &out[before..]);
}

/// Appends the ids of a short text, a whole pretoken or a part of one, that the seed does not hold.
#[allow(clippy::too_many_arguments)] // a scratch in its parts
fn short(
    vocabulary: &Vocabulary,
    cache: &mut Cache,
    buffers: &mut Buffers,
    key: Key,
    hash: u64,
    word: &[u8],
    is_whole: bool,
    out: &mut Vec<u32>,
) {
    if let Some(slot) = cache.find(key, hash) {
        out.extend_from_slice(cache.ids(slot));
        return;
    }
    let before = out.len();
    buffers.piece.merge_bytes(vocabulary, word, NONE, |id| out.push(id));
    let whole = if vocabulary.whole_first() { vocabulary.id_of(word) } else { None };
    match whole {
        // Merging does not reach this token: a whole pretoken and a part of one differ, and neither is kept.
        Some(id) if out[before..] != [id] => {
            if is_whole {
                out.truncate(before);
                out.push(id);
            }
        }
        _ => cache.admit(key, hash, word, &out[before..]),
    }
}
