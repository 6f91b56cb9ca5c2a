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
        let mut made: Vec<u32> = vocabulary.made_ids().collect();
        made.sort_unstable();
        made.dedup();
        let mut unreached = 0;
        let mut piece = Piece::default();
        let mut rest = made.iter().peekable();
        let mut short = Vec::with_capacity(vocabulary.len());
        for &id in vocabulary.ids() {
            let Some(content) = vocabulary.content(id) else { continue };
            let is_made = rest.next_if_eq(&&id).is_some();
            let is_reached = match content {
                [_] => true,
                _ if vocabulary.is_ranks() => is_made,
                _ => is_made && is_reached(vocabulary, id, content, &mut piece),
            };
            if !is_reached {
                unreached |= bit(content.len());
            } else if content.len() <= SHORT {
                let key = Key::short(content, 0, content.len());
                short.push((key, key.hash(mix), id));
            }
        }
        let mut table = Table::new(2 * vocabulary.len(), mix);
        // A table this large is in no cache: many lines are asked for, then filled.
        for some in short.chunks(AHEAD) {
            for &(_, hash, _) in some {
                table.prefetch(hash);
            }
            for &(key, hash, id) in some {
                // Tokens come in the order of their ids, and earlier ones are commoner: none gives way.
                if let Some(slot) = Slot::inline(key, [id].into_iter()).filter(|_| table.has_room(hash)) {
                    table.put(hash, slot);
                }
            }
        }
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

/// Whether merging these bytes ends in just this token.
fn is_reached(vocabulary: &Vocabulary, id: u32, content: &[u8], piece: &mut Piece) -> bool {
    let (mut parts, mut last) = (0, NONE);
    piece.merge_bytes(vocabulary, content, NONE, |part| {
        parts += 1;
        last = part;
    });
    parts == 1 && last == id
}
