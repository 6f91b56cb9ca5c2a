//! Why a text became these ids: offsets, pretokens, merge trees, single steps.

use crate::error::Result;
use crate::split::Pretoken;
use crate::tokenizer::{EncodeOptions, Tokenizer};

/// A text's ids with where each came from. All vectors named after tokens have one item per id.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// The ids.
    pub ids: Vec<u32>,
    /// Each token's (start, end) in bytes.
    pub bytes: Vec<(usize, usize)>,
    /// Each token's (start, end) in characters, as `decode(errors="replace")` counts them; ids inside one character
    /// share its span.
    pub characters: Vec<(usize, usize)>,
    /// Whether the token starts or ends inside a character.
    pub partial: Vec<bool>,
    /// Whether the id came from a special token in the text.
    pub special: Vec<bool>,
    /// The index in `pretokens` that each token belongs to; `usize::MAX` for special tokens.
    pub pretoken: Vec<usize>,
    /// The pretokens.
    pub pretokens: Vec<Pretoken>,
}

/// A node of a merge tree, in a vector where children stand before their parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeNode {
    /// The token's id.
    pub id: u32,
    /// Indices of the two nodes that were merged; `None` for a base symbol, and for a token that whole-pretoken
    /// lookup found and no merge makes.
    pub children: Option<(usize, usize)>,
    /// The merge's rank, where there was one.
    pub rank: Option<u32>,
}

/// One merge in the encoding of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The index of the pretoken, in [`Trace::pretokens`].
    pub pretoken: usize,
    /// The index of the left symbol among the pretoken's symbols before the step.
    pub at: usize,
    /// Left id, right id.
    pub pair: (u32, u32),
    /// The merge's rank.
    pub rank: u32,
    /// The id it makes.
    pub id: u32,
}

/// The merge trees of a text.
#[derive(Debug, Clone, Default)]
pub struct Forest {
    /// All nodes; children stand before their parent.
    pub nodes: Vec<TreeNode>,
    /// The node of each id of the text, in order.
    pub roots: Vec<usize>,
}

impl Tokenizer {
    /// The ids of `text` with their offsets and pretokens.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn trace(&self, _text: &[u8], _options: EncodeOptions<'_>) -> Result<Trace> {
        todo!()
    }

    /// The merge tree of every id of `text`.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn explain(&self, _text: &[u8], _options: EncodeOptions<'_>) -> Result<Forest> {
        todo!()
    }

    /// The merge tree of one token, from merging its own content. `None` for an unknown id.
    pub fn explain_id(&self, _id: u32) -> Option<Forest> {
        todo!()
    }

    /// The encoding of `text`, one merge at a time, pretoken by pretoken, and the base symbols of each pretoken. A
    /// pretoken that whole-pretoken lookup finds has no steps unless merging makes it too.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn steps(&self, _text: &[u8], _options: EncodeOptions<'_>) -> Result<(Vec<Vec<u32>>, Vec<Step>)> {
        todo!()
    }
}
