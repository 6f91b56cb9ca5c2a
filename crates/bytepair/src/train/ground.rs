//! What a training starts from: the tokens and merges that are there before it learns any.
//!
//! From nothing these are the base symbols. On top of a base tokenizer they are all its tokens and merges, then the base
//! symbols that it lacks. Inside a training tokens are numbered without gaps; [`Ids`] knows their ids. Both are in the same
//! order, so ties that ask for the lowest ids need not know of it.
//!
//! Invariant: a text is cut into the tokens that the base would encode it with, so no pair that is a merge of the base
//! stands in it. Cost: linear in the base, and what encoding costs.

use std::ops::ControlFlow;

use super::layout::DEAD;
use super::map::PairMap;
use super::symbols::{Symbols, Word};
use super::tokens::Tokens;
use crate::cancel::{Cancel, EVERY};
use crate::encode::piece::Piece;
use crate::error::{Error, Report, Result};
use crate::tokenizer::Tokenizer;
use crate::vocabulary::{NONE, Vocabulary};

/// The state before the first merge.
#[derive(Debug)]
pub(super) struct Ground<'a> {
    /// How words become symbols.
    pub(super) symbols: Symbols,
    /// The tokens.
    pub(super) tokens: Tokens,
    /// The merges: a pair's number is its rank.
    pub(super) known: PairMap,
    /// The tokens' ids.
    pub(super) ids: Ids,
    base: Option<&'a Vocabulary>,
}

/// Number inside a training <-> id.
#[derive(Debug, Clone)]
pub(super) struct Ids {
    /// The base's ids, ascending.
    old: Vec<u32>,
    /// The id of the first token after those.
    next: u32,
}

impl Ids {
    /// The id of a token.
    pub(super) fn id(&self, token: u32) -> Result<u32> {
        let new = || (token - u32::try_from(self.old.len()).ok()?).checked_add(self.next).filter(|&id| id < NONE);
        self.old.get(token as usize).copied().or_else(new).ok_or_else(too_many)
    }

    /// The token of an id, if it is one of the base or comes after those.
    #[inline]
    pub(super) fn token(&self, id: u32) -> Option<u32> {
        // Where the first ids have no gap, the two are the same.
        if self.old.get(id as usize) == Some(&id) {
            return Some(id);
        }
        if id >= self.next {
            return u32::try_from(self.old.len()).ok()?.checked_add(id - self.next);
        }
        self.old.binary_search(&id).ok().and_then(|token| u32::try_from(token).ok())
    }
}

impl<'a> Ground<'a> {
    /// The tokens and merges of the base, if there is one, and the base symbols that it lacks.
    pub(super) fn new(mut symbols: Symbols, base: Option<&'a Tokenizer>) -> Result<Self> {
        let (mut tokens, mut known, mut ids) =
            (Tokens::default(), PairMap::default(), Ids { old: Vec::new(), next: 0 });
        if let Some(base) = base {
            ids.next = u32::try_from(base.n_vocab()).map_err(|_| too_many())?;
            let vocabulary = base.vocabulary();
            ids.old = vocabulary.ids().to_vec();
            for &id in &ids.old {
                let content = vocabulary.content(id).unwrap_or_default();
                tokens.add(content, symbols.width(content))?;
            }
            let pairs = vocabulary.pairs();
            known.reserve(pairs.len(), |_| true, Cancel::default())?;
            for (rank, (left, right)) in (0..).zip(pairs) {
                if let (Some(left), Some(right)) = (ids.token(left), ids.token(right)) {
                    known.entry(left, right, rank);
                }
            }
        }
        let settled: Result<Vec<u32>> = symbols.contents().iter().map(|content| tokens.add(content, 1)).collect();
        symbols.settle(settled?);
        Ok(Self { symbols, tokens, known, ids, base: base.map(Tokenizer::vocabulary) })
    }

    /// A writer of words.
    pub(super) fn writer(&self, cancel: Cancel<'a>) -> Writer<'_> {
        Writer { ground: self, piece: Piece::default(), content: Vec::new(), pieces: Vec::new(), cancel }
    }
}

/// Cuts words into tokens.
#[derive(Debug)]
pub(super) struct Writer<'a> {
    ground: &'a Ground<'a>,
    piece: Piece,
    /// The content of the word, with the mark.
    content: Vec<u8>,
    /// The tokens of the word: each with its first symbol.
    pieces: Vec<(u32, usize)>,
    cancel: Cancel<'a>,
}

impl Writer<'_> {
    /// Appends the slots of a word: a token in its first and its last, and between them nothing. Gives the number of tokens.
    pub(super) fn append(&mut self, word: Word<'_>, slots: &mut Vec<u32>) -> Result<usize> {
        let start = slots.len();
        self.ground.symbols.append(word, slots);
        let Some(base) = self.ground.base else { return Ok(slots.len() - start) };
        self.encode(base, word, &slots[start..])?;
        let mut end = slots.len();
        for &(token, at) in self.pieces.iter().rev() {
            slots[start + at..end].fill(DEAD);
            slots[start + at] = token;
            slots[end - 1] = token;
            end = start + at;
        }
        Ok(self.pieces.len())
    }

    /// Finds the tokens of a word of these symbols.
    fn encode(&mut self, base: &Vocabulary, word: Word<'_>, symbols: &[u32]) -> Result<()> {
        let Self { ground, piece, content, pieces, cancel } = self;
        pieces.clear();
        if base.whole_first() {
            let mark = ground.symbols.mark().filter(|_| word.ends);
            content.clear();
            content.extend_from_slice(word.text);
            content.extend(mark);
            if let Some(token) = base.id_of(content).and_then(|id| ground.ids.token(id)) {
                pieces.push((token, 0));
                return Ok(());
            }
        }
        piece.symbols.clear();
        piece.symbols.extend(symbols.iter().map(|&token| ground.ids.old.get(token as usize).copied().unwrap_or(NONE)));
        let (mut merges, mut stopped) = (0, false);
        let on_merge = |_| {
            merges += 1;
            stopped |= merges % EVERY == 0 && cancel.requested();
            if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        // A symbol that the base lacks merges with nothing.
        let token = |id, at: usize| if id == NONE { symbols[at] } else { ground.ids.token(id).unwrap_or(symbols[at]) };
        piece.merge(base, NONE, on_merge, |id, at| pieces.push((token(id, at), at)));
        piece.trim();
        if stopped { Err(Error::Interrupted) } else { Ok(()) }
    }
}

fn too_many() -> Error {
    Error::Training(Report::new("more tokens than ids of 32 bits", "ask for fewer tokens"))
}
