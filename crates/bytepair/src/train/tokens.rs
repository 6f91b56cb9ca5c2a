//! The tokens of a training: their contents and their lengths, ids numbered from 0.
//!
//! The idea: a token's length in base symbols follows from its id, so the text need not store it. Invariant: tokens of equal
//! content are one token (equal contents hold equal base symbols, so the length is well defined). Cost: O(content) a
//! token made; a look-up of one array for a length.

use crate::count::Table;
use crate::error::{Error, Report, Result};

/// The base symbols and the tokens made so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Tokens {
    contents: Table<()>,
    /// Length of each token in base symbols.
    widths: Vec<u32>,
}

impl Tokens {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.widths.len()
    }

    /// All of them with their contents.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &[u8])> {
        (0..).zip(&self.widths).map(|(id, _)| (id, self.content(id)))
    }

    /// A token's content.
    pub(super) fn content(&self, id: u32) -> &[u8] {
        self.contents.bytes(id as usize)
    }

    /// A token's length in base symbols.
    #[inline]
    pub(super) fn width(&self, id: u32) -> u32 {
        self.widths[id as usize]
    }

    /// The token that two tokens make together: a new one, or the one that has this content already.
    pub(super) fn join(&mut self, left: u32, right: u32) -> Result<u32> {
        let content = [self.content(left), self.content(right)].concat();
        self.add(&content, (self.width(left) + self.width(right)) as usize)
    }

    /// The token that two tokens have made together, if they have.
    pub(super) fn made_of(&self, left: u32, right: u32) -> Option<u32> {
        let index = self.contents.number(&[self.content(left), self.content(right)].concat())?;
        u32::try_from(index).ok()
    }

    /// The token with this content and length in base symbols; a new one if there is none.
    pub(super) fn add(&mut self, content: &[u8], width: usize) -> Result<u32> {
        let index = self.contents.intern(content, 0, content.len()).and_then(|index| u32::try_from(index).ok());
        let Some(id) = index.filter(|&id| id < super::layout::DEAD) else {
            return Err(Error::Training(Report::new("more tokens than ids of 32 bits", "ask for fewer tokens")));
        };
        if id as usize == self.widths.len() {
            // A token that is longer than any text stands nowhere.
            self.widths.push(u32::try_from(width).unwrap_or(u32::MAX));
        }
        Ok(id)
    }
}
