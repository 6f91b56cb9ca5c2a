//! Counts -> merges.
//!
//! The rooms: `symbols` turns pretokens into symbols, `ground` is what there is before the first merge and cuts them into
//! tokens, `layout` lays them out as one text and `laying` tells how far that is, `tokens` holds the tokens, `limits` says which may be made, `pairs`
//! (found through `map`) what stands where and how often, `queue` which pair is best under the rule of `ties`, `merge` replaces
//! a pair. `lexicon` is what all texts share, `corpus` one text, `trainer` does all of it once a merge, `balance` lets languages
//! take turns, `seeds` makes tokens that are asked for by name, and `run` is the whole.
//!
//! Cost: O(sites) a merge and one look-up for each distinct neighbour, after one pass over the distinct pretokens.

mod balance;
mod corpus;
mod ground;
mod hot;
mod laying;
mod layout;
mod lexicon;
mod limits;
mod map;
mod merge;
mod pairs;
mod queue;
mod run;
mod seeds;
mod symbols;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
mod ties;
mod tokens;
mod trainer;

use std::ops::ControlFlow;

use crate::cancel::Cancel;
use crate::count::Counts;
use crate::error::Result;
use crate::tokenizer::Tokenizer;
use crate::vocabulary::{Alphabet, Vocabulary};
pub use balance::{Balance, Language, Window};
pub use laying::Laying;
pub use run::train_from;

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
    /// At this many tokens in the vocabulary: base symbols, tokens made by merges, and those of a base.
    Tokens(usize),
    /// At this many merges, those of a base not counted.
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
    /// Never make a token longer than this many bytes of content (an end-of-word mark is one of them).
    pub max_token_bytes: Option<usize>,
    /// Make only tokens that are valid UTF-8, or a part of one character.
    pub whole_characters: bool,
}

impl Default for TrainOptions {
    /// As many merges as there are, of bytes, the lowest ids first among equals.
    fn default() -> Self {
        Self {
            alphabet: Alphabet::Bytes,
            goal: Goal::Merges(usize::MAX),
            ties: Ties::Lowest,
            min_count: 1,
            max_token_bytes: None,
            whole_characters: false,
        }
    }
}

/// What a training starts from; by default from nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Start<'a> {
    /// A tokenizer that is continued: its tokens keep their ids and its merges come first. Pretokens are cut as it would
    /// encode them. New tokens take the ids after its highest one, those of special tokens included; base symbols that
    /// it lacks come first among them.
    pub base: Option<&'a Tokenizer>,
    /// Contents that become tokens before anything is learned from the counts. Their merges are those of a training on
    /// the seeds alone, each once. In characters mode they are parts of words; one that ends with the end-of-word mark as
    /// it is written ends a word.
    pub seeds: &'a [Vec<u8>],
    /// What an interrupted training with the same counts, options, base and seeds has learned: its first merges, which are
    /// made again. The result is that of the training without the interruption.
    pub learned: &'a [Merge],
    /// Languages that take turns to choose, in place of all together.
    pub balance: Option<Balance<'a>>,
    /// Is told how far it is before the first merge.
    pub laying: Laying<'a>,
    /// What the counts may lack, at most, of any pair of tokens, since rare pretokens were dropped; see [`Training::doubtful`].
    pub lacking: u64,
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
    /// The vocabulary, without special tokens that are not in that of a base.
    pub vocabulary: Vocabulary,
    /// The merges that were learned, in order: those of seeds first, those of a base not among them.
    pub merges: Vec<Merge>,
    /// Where languages took turns: of each merge the one that chose it, `None` where all together or a seed did.
    pub choosers: Vec<Option<usize>>,
    /// Why it ended.
    pub stopped: Stopped,
    /// The first merge that may be another one if what the counts are [`lacking`](Start::lacking) were there: another pair
    /// stood so near to it that it could have had as many. All before it would be the same. As many as there are merges, if
    /// the training could have gone on where it ended early. `None` if all would be the same.
    pub doubtful: Option<usize>,
}

/// Learns merges from counts. `each` sees every merge as it is learned, with its rank, and can stop the training, which
/// then ends with [`Error::Interrupted`](crate::Error::Interrupted).
///
/// A pair's count is the number of positions at which it stands (`aaa` holds two `aa`), times the pretokens' counts; it is
/// replaced from left to right without overlap. The best count wins, [`Ties`] decide among equals. A merge whose content
/// is a token already re-uses its id; where that brings back a pair that was merged before, the pair is merged again at once and
/// not listed twice.
///
/// # Errors
/// [`Error::Training`](crate::Error::Training): a goal below the alphabet, a pretoken that is not UTF-8 in characters mode, or more than 2^32 symbols
/// in the distinct pretokens; [`Error::Interrupted`](crate::Error::Interrupted).
///
/// ```
/// use std::ops::ControlFlow;
///
/// use bytepair::count::Counts;
/// use bytepair::train::{Goal, Stopped, Ties, TrainOptions, train};
///
/// let mut counts = Counts::default();
/// counts.add(b"low", 5)?;
/// counts.add(b"lower", 2)?;
/// let options = TrainOptions { goal: Goal::Merges(3), ..TrainOptions::default() };
/// let training = train(&counts, &options, |_, _| ControlFlow::Continue(()))?;
/// let merges: Vec<_> = training.merges.iter().map(|m| (m.left, m.right, m.id, m.count)).collect();
/// let (l, o, w, e, r) = (108, 111, 119, 101, 114);
/// assert_eq!(merges, [(l, o, 256, 7), (256, w, 257, 7), (e, r, 258, 2)]);
/// assert_eq!(training.stopped, Stopped::Goal);
/// # Ok::<(), bytepair::Error>(())
/// ```
pub fn train(
    counts: &Counts,
    options: &TrainOptions,
    each: impl FnMut(usize, &Merge) -> ControlFlow<()>,
) -> Result<Training> {
    train_from(counts, options, &Start::default(), Cancel::default(), each)
}

/// The bytes of memory that a training on so many [`symbols`](Counts::symbols) takes beside its counts, about: for the symbols, for
/// where pairs stand, and for the pairs. 8 to 19 a symbol were measured.
pub fn memory(symbols: u64) -> u64 {
    SYMBOL * symbols
}

/// Bytes a symbol.
const SYMBOL: u64 = 14;

/// The contents of the base symbols that a training on these counts and [`seeds`](Start::seeds) starts from; the `i`-th has
/// id `i`. All 256 bytes, or the mark (where it is a symbol of its own) and the characters that occur, by code point.
///
/// # Errors
/// [`Error::Training`](crate::Error::Training): a pretoken or a seed that is not UTF-8 in characters mode; an empty seed.
///
/// ```
/// use bytepair::Alphabet;
/// use bytepair::count::Counts;
/// use bytepair::train::symbols;
///
/// let mut counts = Counts::default();
/// counts.add("bé".as_bytes(), 1)?;
/// assert_eq!(symbols(&counts, &[], &Alphabet::Characters { end_of_word: None })?, [b"b".to_vec(), "é".into()]);
/// assert_eq!(symbols(&counts, &[], &Alphabet::Bytes)?.len(), 256);
/// # Ok::<(), bytepair::Error>(())
/// ```
pub fn symbols(counts: &Counts, seeds: &[Vec<u8>], alphabet: &Alphabet) -> Result<Vec<Vec<u8>>> {
    Ok(symbols::Symbols::new(counts, &seeds::words(seeds, alphabet)?, alphabet, Cancel::default())?.contents())
}
