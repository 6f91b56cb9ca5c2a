//! Text -> pretoken counts, mergeable between threads.

use crate::error::Result;
use crate::special::SpecialTokens;
use crate::split::Splitter;

/// Distinct pretokens with how often each occurs, in the order of their first appearance.
#[derive(Debug, Clone, Default)]
pub struct Counts {}

impl Counts {
    /// Counts the pretokens of one document. Special tokens in it are boundaries and are not counted.
    ///
    /// # Errors
    /// [`Error::Pattern`](crate::Error::Pattern) from a backtracking pattern.
    pub fn add_document(&mut self, _splitter: &Splitter, _specials: &SpecialTokens, _document: &[u8]) -> Result<()> {
        todo!()
    }

    /// Counts many documents on up to `threads` threads; the same result as one by one.
    ///
    /// # Errors
    /// As [`add_document`](Self::add_document): the index of the document and the error.
    pub fn add_documents(
        &mut self,
        _splitter: &Splitter,
        _specials: &SpecialTokens,
        _documents: &[&[u8]],
        _threads: usize,
    ) -> std::result::Result<(), (usize, crate::Error)> {
        todo!()
    }

    /// Adds `count` occurrences of one pretoken.
    ///
    /// # Errors
    /// [`Error::Training`](crate::Error::Training) past 2^64.
    pub fn add(&mut self, _pretoken: &[u8], _count: u64) -> Result<()> {
        todo!()
    }

    /// Adds another table, whose pretokens appeared after these.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn merge(&mut self, _other: &Counts) -> Result<()> {
        todo!()
    }

    /// Distinct pretokens.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        todo!()
    }

    /// All pretokens, repeated ones repeatedly.
    pub fn total(&self) -> u64 {
        todo!()
    }

    /// Bytes of all pretokens, repeated ones repeatedly.
    pub fn total_bytes(&self) -> u64 {
        todo!()
    }

    /// The pretokens and their counts, in the order of first appearance.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], u64)> {
        std::iter::empty()
    }
}
