//! A tokenizer: pattern + vocabulary + special tokens. Immutable; every option belongs to a call.

use crate::error::Result;
use crate::special::{Allowed, SpecialTokens};
use crate::split::Splitter;
use crate::vocabulary::Vocabulary;

/// Pattern + vocabulary + special tokens.
#[derive(Debug, Clone)]
pub struct Tokenizer {
    splitter: Splitter,
    vocabulary: Vocabulary,
    specials: SpecialTokens,
}

/// What to do with a byte or character that the vocabulary has no symbol for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownSymbol {
    /// [`Error::UnknownSymbol`](crate::Error::UnknownSymbol).
    #[default]
    Raise,
    /// This id in its place.
    Replace(u32),
    /// Leave it out.
    Skip,
}

/// What to do with an id that no token has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownId {
    /// [`Error::UnknownId`](crate::Error::UnknownId).
    #[default]
    Raise,
    /// Leave it out.
    Skip,
    /// U+FFFD in its place.
    Replace,
}

/// The options of one encoding.
#[derive(Debug, Clone, Copy)]
pub struct EncodeOptions<'a> {
    /// Special tokens to parse.
    pub allowed: Allowed<'a>,
    /// Special tokens that must not stand in the text (those that are `allowed` excepted).
    pub disallowed: Allowed<'a>,
    /// Symbols that the vocabulary lacks.
    pub unknown: UnknownSymbol,
}

impl Default for EncodeOptions<'_> {
    fn default() -> Self {
        Self { allowed: Allowed::None, disallowed: Allowed::None, unknown: UnknownSymbol::Raise }
    }
}

/// The options of one decoding.
#[derive(Debug, Clone, Copy, Default)]
pub struct DecodeOptions {
    /// Ids that no token has.
    pub unknown: UnknownId,
    /// Leave control tokens out.
    pub skip_special: bool,
}

impl Tokenizer {
    /// Puts the three together.
    ///
    /// # Errors
    /// [`Error::SpecialToken`](crate::Error::SpecialToken) when a special token has the id of a vocabulary token with other bytes.
    pub fn new(splitter: Splitter, vocabulary: Vocabulary, specials: SpecialTokens) -> Result<Self> {
        Ok(Self { splitter, vocabulary, specials })
    }

    /// The compiled pattern.
    pub fn splitter(&self) -> &Splitter {
        &self.splitter
    }

    /// The vocabulary.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The special tokens.
    pub fn specials(&self) -> &SpecialTokens {
        &self.specials
    }

    /// The highest id + 1, special tokens included.
    pub fn n_vocab(&self) -> usize {
        todo!()
    }

    /// How many tokens there are, special tokens included.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        todo!()
    }
}
