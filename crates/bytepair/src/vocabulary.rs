//! Tokens, merges and ranks: validated once, immutable after.

use crate::error::Result;

/// What tokens are made of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Alphabet {
    /// The 256 bytes.
    #[default]
    Bytes,
    /// Characters, with an optional mark at the end of each word.
    Characters {
        /// The mark.
        end_of_word: Option<EndOfWord>,
    },
}

/// The end-of-word mark of characters mode. It is a symbol: the same letters in a text are not it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndOfWord {
    /// How it is written, `</w>` say.
    pub mark: String,
    /// Whether it is joined to the word's last character, or a symbol of its own.
    pub joined: bool,
}

/// The byte that stands for the end-of-word mark in a token's *content*: it occurs in no UTF-8 text, so
/// the mark can never be confused with the same letters in a text.
pub const MARK: u8 = 0xFF;

/// id -> content, (left id, right id) -> (rank, id), and whether whole pretokens are looked up first.
///
/// A token's *content* is its bytes; in characters mode, UTF-8 with [`MARK`] for the end-of-word mark.
#[derive(Debug, Clone)]
pub struct Vocabulary {
    alphabet: Alphabet,
}

impl Vocabulary {
    /// A vocabulary from its tokens (id, content) and a merge list in rank order. The base symbols are the
    /// tokens of one byte (of one character, of the mark, of a character and the mark, in characters mode). A
    /// merge makes the token whose content is the concatenation. Ids need not be dense.
    ///
    /// # Errors
    /// [`Error::Vocabulary`](crate::Error::Vocabulary), naming the token or `merges[k]`: an id or a content that
    /// stands twice, an empty token, a merge of an unknown id, a merge whose result is no token, a pair that stands twice.
    pub fn from_merges(
        _alphabet: Alphabet,
        _tokens: Vec<(u32, Vec<u8>)>,
        _merges: Vec<(u32, u32)>,
        _whole_first: bool,
    ) -> Result<Self> {
        todo!()
    }

    /// A vocabulary from a rank file: any two tokens whose concatenation is a token merge, with the rank of
    /// the result; whole pretokens are looked up first. Id and rank are the same number here.
    ///
    /// # Errors
    /// [`Error::Vocabulary`](crate::Error::Vocabulary): an id or a token that stands twice, an empty token.
    pub fn from_ranks(_ranks: Vec<(u32, Vec<u8>)>) -> Result<Self> {
        todo!()
    }

    /// What tokens are made of.
    pub fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    /// The highest id + 1.
    pub fn n_vocab(&self) -> usize {
        todo!()
    }

    /// How many tokens there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        todo!()
    }

    /// A token's content.
    pub fn content(&self, _id: u32) -> Option<&[u8]> {
        todo!()
    }

    /// The id of the token with this content.
    pub fn id_of(&self, _content: &[u8]) -> Option<u32> {
        todo!()
    }

    /// What a pair merges into: (rank, id).
    pub fn merge(&self, _left: u32, _right: u32) -> Option<(u32, u32)> {
        todo!()
    }

    /// The merges (left id, right id) in rank order; for a rank file, of each token the last pair merged when its
    /// own bytes are merged.
    pub fn merges(&self) -> Vec<(u32, u32)> {
        todo!()
    }

    /// Whether whole pretokens are looked up before they are merged.
    pub fn whole_first(&self) -> bool {
        todo!()
    }

    /// Whether this came from a rank file: every pair whose concatenation is a token merges.
    pub fn is_ranks(&self) -> bool {
        todo!()
    }
}
