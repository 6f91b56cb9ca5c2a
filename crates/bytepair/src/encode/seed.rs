//! What the vocabulary itself says about encoding, read by all threads.
//!
//! Idea: most pretokens are tokens. So the table of pretokens begins with every short token that merging its own bytes
//! makes: such a token is encoded as itself, as a whole pretoken and as a part of one.
//!
//! Invariant: as in [`Cache`](super::cache::Cache): an entry holds for whole pretokens and for parts of them. Tokens that
//! merging does not reach (llama3 has 588) are not in the table.
//!
//! Cost: of a rank file, whose pairs say which tokens merging reaches, one insertion a token; of a merge list, merging
//! each token once.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::cuts::Cuts;
use super::piece::Piece;
use super::table::{Slot, Table};
use crate::hash::Mix;
use crate::key::{Key, SHORT};
use crate::vocabulary::{NONE, Vocabulary, bit_of_length};

/// Lines that are asked for at a time.
const AHEAD: usize = 32;

/// The table is made when so many words that it would have held were merged, one for so many tokens of a rank file.
const MERGED_OF_RANKS: usize = 32;

/// The same of a merge list, of which every token has to be merged.
const MERGED_OF_MERGES: usize = 1;

/// The cuts are made when so many pretokens were merged that might have been cut, one for so many tokens.
const UNCUT: usize = 64;

/// What a vocabulary says.
#[derive(Debug)]
pub(super) struct Seed {
    mix: Mix,
    tokens: Late<Tokens>,
    cuts: Late<Cuts>,
}

/// The tokens that merging reaches, and the lengths of those that it does not.
#[derive(Debug)]
struct Tokens {
    table: Table,
    /// A bit for each length; the highest is for all from there on.
    unreached: u64,
}

/// Something that is made when it pays. Nobody waits for it: who finds that another one is making it does without.
#[derive(Debug)]
struct Late<T> {
    made: OnceLock<T>,
    begun: AtomicBool,
    /// How often it was not there.
    missed: AtomicUsize,
}

impl<T> Late<T> {
    fn new() -> Self {
        Self { made: OnceLock::new(), begun: AtomicBool::new(false), missed: AtomicUsize::new(0) }
    }

    #[inline]
    fn get(&self) -> Option<&T> {
        self.made.get()
    }

    /// Notes that it would have been of use so many times; makes it once it pays.
    fn miss(&self, times: usize, enough: usize, make: impl FnOnce() -> T) {
        if self.missed.fetch_add(times, Ordering::Relaxed) + times >= enough {
            self.make(make);
        }
    }

    /// Makes it unless that was begun.
    fn make(&self, make: impl FnOnce() -> T) {
        if !self.begun.swap(true, Ordering::Relaxed) {
            // Nobody else sets it, so that this does not wait.
            let _ = self.made.set(make());
        }
    }
}

impl Seed {
    /// What a tokenizer has that has not encoded much.
    pub(super) fn new(mix: Mix) -> Self {
        Self { mix, tokens: Late::new(), cuts: Late::new() }
    }

    /// The slots of the vocabulary's tokens.
    #[inline]
    pub(super) fn table(&self) -> Option<&Table> {
        self.tokens.get().map(|tokens| &tokens.table)
    }

    /// Where pretokens are cut.
    #[inline]
    pub(super) fn cuts(&self) -> Option<&Cuts> {
        self.cuts.get()
    }

    /// Makes all now.
    pub(super) fn prepare(&self, vocabulary: &Vocabulary) {
        self.tokens.make(|| Tokens::new(vocabulary, self.mix));
        self.cuts.make(|| Cuts::of(vocabulary));
    }

    /// Notes that so many pretokens were merged which are tokens.
    pub(super) fn merged(&self, vocabulary: &Vocabulary, count: usize) {
        if self.tokens.get().is_none() {
            let each = if vocabulary.is_ranks() { MERGED_OF_RANKS } else { MERGED_OF_MERGES };
            self.tokens.miss(count, vocabulary.len() / each, || Tokens::new(vocabulary, self.mix));
        }
    }

    /// Notes that so many pretokens were not cut because it is not known where.
    pub(super) fn uncut(&self, vocabulary: &Vocabulary, count: usize) {
        if self.cuts.get().is_none() {
            self.cuts.miss(count, vocabulary.len() / UNCUT, || Cuts::of(vocabulary));
        }
    }

    /// The id of a whole pretoken that merging its bytes might not give.
    #[inline]
    pub(super) fn whole(&self, vocabulary: &Vocabulary, word: &[u8]) -> Option<u32> {
        if vocabulary.whole_first() && self.may_be_whole(vocabulary, word) { vocabulary.id_of(word) } else { None }
    }

    /// Whether a text may be a token that merging the text does not give.
    #[inline]
    fn may_be_whole(&self, vocabulary: &Vocabulary, word: &[u8]) -> bool {
        let unreached = self.tokens.get().map_or_else(|| vocabulary.unreached(), |tokens| tokens.unreached);
        unreached & bit_of_length(word.len()) != 0
    }
}

impl Tokens {
    /// Those of a vocabulary of all bytes.
    fn new(vocabulary: &Vocabulary, mix: Mix) -> Self {
        let (mut unreached, mut piece) = (0, Piece::default());
        let mut table = Table::new(2 * vocabulary.len(), mix);
        // A table this large is in no cache: some lines are asked for, then filled.
        let mut some = Vec::with_capacity(AHEAD);
        for (&id, is_made) in vocabulary.ids().iter().zip(vocabulary.are_made()) {
            let Some(content) = vocabulary.content(id) else { continue };
            let is_reached = match content {
                [_] => true,
                _ if vocabulary.is_ranks() => is_made,
                _ => is_made && is_reached(vocabulary, id, content, &mut piece),
            };
            if !is_reached {
                unreached |= bit_of_length(content.len());
            } else if content.len() <= SHORT {
                let key = Key::short(content, 0, content.len());
                let hash = key.hash(mix);
                table.prefetch(hash);
                some.push((key, hash, id));
            }
            if some.len() == AHEAD {
                put(&mut table, &mut some);
            }
        }
        put(&mut table, &mut some);
        Self { table, unreached }
    }
}

/// Puts tokens, with their keys and hashes, into the table. They come in the order of their ids, and earlier ones are commoner:
/// none gives way.
fn put(table: &mut Table, tokens: &mut Vec<(Key, u64, u32)>) {
    for (key, hash, id) in tokens.drain(..) {
        if let Some(slot) = Slot::inline(key, [id].into_iter()).filter(|_| table.has_room(hash)) {
            table.put(hash, slot);
        }
    }
}

/// Whether merging these bytes ends in just this token.
fn is_reached(vocabulary: &Vocabulary, id: u32, content: &[u8], piece: &mut Piece) -> bool {
    let (mut parts, mut last) = (0, NONE);
    piece.merge_bytes(vocabulary, content, NONE, |part| {
        parts += 1;
        last = part;
    });
    parts == 1 && last == id
}
