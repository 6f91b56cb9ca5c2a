//! Counts -> merges.

use std::ops::ControlFlow;

use crate::count::Counts;
use crate::error::Result;
use crate::vocabulary::{Alphabet, Vocabulary};

/// Which of the pairs with the highest count is merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Ties {
    /// The smallest (left id, right id).
    #[default]
    Lowest,
    /// The pair whose first occurrence in the current segmentation comes first.
    First,
    /// The smallest (left id, right id) with bytes numbered in the order of Hugging Face's byte alphabet.
    HuggingFace,
    /// The greatest (left, right), compared as text for characters, as bytes otherwise.
    Greatest,
}

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// At this many tokens (base symbols + tokens made by merges).
    Tokens(usize),
    /// At this many merges.
    Merges(usize),
}

/// The settings of one training.
#[derive(Debug, Clone)]
pub struct TrainOptions {
    /// What tokens are made of.
    pub alphabet: Alphabet,
    /// When to stop.
    pub goal: Goal,
    /// Which of equally frequent pairs comes first.
    pub ties: Ties,
    /// Stop when the best count is below this.
    pub min_count: u64,
    /// Never make a token longer than this many bytes.
    pub max_token_bytes: Option<usize>,
}

/// One learned merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merge {
    /// The left id.
    pub left: u32,
    /// The right id.
    pub right: u32,
    /// The id it makes: a new one, or that of a token with the same content.
    pub id: u32,
    /// The pair's count when it was chosen: its positions, times the pretokens' counts.
    pub count: u64,
    /// How often it was replaced, times the pretokens' counts (less than `count` where it overlaps itself).
    pub fired: u64,
}

/// Why training ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The goal was reached.
    Goal,
    /// No pair is left.
    NoPairs,
    /// The best pair's count is below `min_count`.
    MinCount,
}

/// What was learned.
#[derive(Debug, Clone)]
pub struct Training {
    /// The vocabulary, without special tokens.
    pub vocabulary: Vocabulary,
    /// The merges, in order.
    pub merges: Vec<Merge>,
    /// Why it ended.
    pub stopped: Stopped,
}

/// Learns merges from counts. `each` sees every merge as it is learned, with its rank, and can stop the training, which
/// then ends with [`Error::Interrupted`](crate::Error::Interrupted).
///
/// # Errors
/// [`Error::Training`](crate::Error::Training): a goal below the alphabet, or a pretoken that is not UTF-8 in characters mode.
pub fn train(
    _counts: &Counts,
    _options: &TrainOptions,
    _each: impl FnMut(usize, &Merge) -> ControlFlow<()>,
) -> Result<Training> {
    todo!()
}
