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

use super::cuts::Cuts;
use super::piece::Piece;
use super::table::{Slot, Table};
use crate::hash::Mix;
use crate::key::{Key, SHORT};
use crate::vocabulary::{NONE, Vocabulary};

/// Lines that are asked for at a time.
const AHEAD: usize = 32;

/// The table and the cuts of a vocabulary.
#[derive(Debug)]
pub(super) struct Seed {
    pub(super) table: Table,
    /// `None` before it pays: nothing is cut.
    pub(super) cuts: Option<Cuts>,
    /// The lengths of the tokens that merging does not reach, a bit each; the highest is for all from there on.
    unreached: u64,
}

/// The bit of a length.
fn bit(length: usize) -> u64 {
    1 << length.min(63)
}

impl Seed {
    /// What a tokenizer has that has not encoded much.
    pub(super) fn empty(mix: Mix) -> Self {
        Self { table: Table::new(1, mix), cuts: None, unreached: u64::MAX }
    }

    /// The seed of a vocabulary of all bytes.
    pub(super) fn new(vocabulary: &Vocabulary, mix: Mix) -> Self {
        let mut is_made = vec![false; vocabulary.len()];
        vocabulary.made_ids().filter_map(|id| vocabulary.index_of(id)).for_each(|index| is_made[index] = true);
        let made: Vec<u32> =
            vocabulary.ids().iter().zip(&is_made).filter(|(_, is_made)| **is_made).map(|(&id, _)| id).collect();
        let (mut unreached, mut piece) = (0, Piece::default());
        let mut table = Table::new(2 * vocabulary.len(), mix);
        // A table this large is in no cache: some lines are asked for, then filled.
        let mut some = Vec::with_capacity(AHEAD);
        for (&id, is_made) in vocabulary.ids().iter().zip(is_made) {
            let Some(content) = vocabulary.content(id) else { continue };
            let is_reached = match content {
                [_] => true,
                _ if vocabulary.is_ranks() => is_made,
                _ => is_made && is_reached(vocabulary, id, content, &mut piece),
            };
            if !is_reached {
                unreached |= bit(content.len());
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
        Self { table, cuts: Some(Cuts::new(vocabulary, &made)), unreached }
    }

    /// The id of a whole pretoken that merging its bytes might not give.
    #[inline]
    pub(super) fn whole(&self, vocabulary: &Vocabulary, word: &[u8]) -> Option<u32> {
        if vocabulary.whole_first() && self.may_be_whole(word) { vocabulary.id_of(word) } else { None }
    }

    /// Whether a text may be a token that merging the text does not give.
    #[inline]
    fn may_be_whole(&self, word: &[u8]) -> bool {
        self.unreached & bit(word.len()) != 0
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
