//! Special tokens: found in text by longest match, only where the caller allows them.

use std::collections::HashSet;

use crate::error::Result;

/// One special (or added) token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecialToken {
    /// Its text.
    pub content: String,
    /// Its id.
    pub id: u32,
    /// Whether it is a control token (left out by `skip_special`), or only an added word.
    pub special: bool,
    /// Hugging Face's flag of the same name; kept, without effect while nothing is normalised.
    pub normalized: bool,
}

/// The special tokens that a call may parse; all others are text.
#[derive(Debug, Clone, Copy)]
pub enum Allowed<'a> {
    /// None: special tokens in the text are text.
    None,
    /// All of them.
    All,
    /// Those with these ids.
    Only(&'a HashSet<u32>),
}

/// A set of special tokens and the automaton that finds them.
#[derive(Debug, Clone, Default)]
pub struct SpecialTokens {
    tokens: Vec<SpecialToken>,
}

impl SpecialTokens {
    /// Validates the tokens and builds the automaton.
    ///
    /// # Errors
    /// [`Error::SpecialToken`](crate::Error::SpecialToken) for an empty text, or a text or an id that stands twice.
    pub fn new(tokens: Vec<SpecialToken>) -> Result<Self> {
        Ok(Self { tokens })
    }

    /// The tokens, in the order of their ids.
    pub fn tokens(&self) -> &[SpecialToken] {
        &self.tokens
    }

    /// The token with this id.
    pub fn by_id(&self, _id: u32) -> Option<&SpecialToken> {
        todo!()
    }

    /// The token with this text.
    pub fn by_content(&self, _content: &str) -> Option<&SpecialToken> {
        todo!()
    }

    /// The first allowed special token at or after byte `from`: of those that start first, the longest.
    pub fn find(&self, _text: &[u8], _from: usize, _allowed: Allowed<'_>) -> Option<(usize, &SpecialToken)> {
        todo!()
    }
}
