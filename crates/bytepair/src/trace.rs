//! Why a text became these ids: offsets, pretokens, merge trees, single steps.
//!
//! Idea: the same walk and the same merging as in encoding, watched. The merging reports each merge by the first base
//! symbols of its two parts, which is enough to build trees and, with a tree of counts, to say at which place among the
//! symbols that were left the merge happened.
//!
//! Invariant: the ids are those of encoding; a node's children stand before it; spans ascend.
//!
//! Cost: as encoding, and n log n for the places of a long pretoken's steps. Trees are vectors; nothing recurses.

mod characters;
mod places;

use std::ops::ControlFlow;

use crate::encode::piece::{Merged, Piece};
use crate::encode::symbols::{symbols, symbols_of_content};
use crate::encode::{Buffers, Stop, replaced, whole};
use crate::error::Result;
use crate::split::Pretoken;
use crate::tokenizer::{EncodeOptions, Tokenizer};
use crate::vocabulary::{NONE, Vocabulary};
use characters::Spans;
use places::Places;

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

impl Trace {
    /// Adds a token.
    pub(crate) fn push(&mut self, id: u32, bytes: (usize, usize), special: bool, pretoken: usize) {
        self.ids.push(id);
        self.bytes.push(bytes);
        self.special.push(special);
        self.pretoken.push(pretoken);
    }
}

impl Tokenizer {
    /// The ids of `text` with their offsets and pretokens. An id that stands for an end-of-word mark has an empty
    /// span, where the word ends; a symbol that was left out belongs to no span, or to that of a token around it.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn trace(&self, text: &[u8], options: EncodeOptions<'_>) -> Result<Trace> {
        self.refuse_disallowed(text, options)?;
        let mut trace = Trace::default();
        if self.normalizer().is_some() {
            self.trace_normalized(text, options, &mut trace)?;
        } else {
            self.trace_text(text, options, &mut trace)?;
        }
        let mut characters = Spans::new(text);
        for &(start, end) in &trace.bytes {
            let (span, partial) = characters.span(start, end);
            trace.characters.push(span);
            trace.partial.push(partial);
        }
        Ok(trace)
    }

    /// Adds the ids of a text that is normalised, and their spans in it.
    pub(crate) fn trace_text(&self, text: &[u8], options: EncodeOptions<'_>, trace: &mut Trace) -> Result<()> {
        let mut buffers = Buffers::default();
        let mut spans = Vec::new();
        self.walk(text, options, |stop| {
            match stop {
                Stop::Special(start, end, token) => trace.push(token.id, (start, end), true, usize::MAX),
                Stop::Pretoken(at) => {
                    self.spans(text, at, options, &mut buffers, &mut spans)?;
                    for &(id, start, end) in &spans {
                        trace.push(id, (start, end), false, trace.pretokens.len());
                    }
                    trace.pretokens.push(at);
                }
            }
            Ok(ControlFlow::Continue(()))
        })
    }

    /// Fills `spans` with (id, start, end) of each token of a pretoken.
    pub(crate) fn spans(
        &self,
        text: &[u8],
        at: Pretoken,
        options: EncodeOptions<'_>,
        buffers: &mut Buffers,
        spans: &mut Vec<(u32, usize, usize)>,
    ) -> Result<()> {
        spans.clear();
        let word = &text[at.start..at.end];
        if let Some(id) = whole(self.vocabulary(), word, buffers) {
            spans.push((id, at.start, at.end));
            return Ok(());
        }
        let piece = &mut buffers.piece;
        let mut bounds = Vec::with_capacity(word.len());
        piece.symbols.clear();
        symbols(self.vocabulary(), word, at.start, options.unknown, |id, start, end| {
            piece.symbols.push(id);
            bounds.push((start, end));
        })?;
        piece.merge(
            self.vocabulary(),
            NONE,
            |_| {},
            |id, first| {
                // A token reaches to the end of the last symbol before the next token's first.
                if let (Some(open), Some(last)) = (spans.last_mut(), first.checked_sub(1)) {
                    open.2 = bounds[last].1;
                }
                let (start, end) = bounds[first];
                spans.push((replaced(id, options.unknown), start, end));
            },
        );
        if let (Some(open), Some(&(_, end))) = (spans.last_mut(), bounds.last()) {
            open.2 = end;
        }
        Ok(())
    }

    /// The merge tree of every id of `text`. A token that whole-pretoken lookup found has the tree of merging its own
    /// content, if that ends in just this token; otherwise it is a leaf, as special tokens and base symbols are.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn explain(&self, text: &[u8], options: EncodeOptions<'_>) -> Result<Forest> {
        self.refuse_disallowed(text, options)?;
        let mut forest = Forest::default();
        if self.normalizer().is_some() {
            self.explain_normalized(text, options, &mut forest)?;
        } else {
            self.explain_text(text, options, &mut forest)?;
        }
        Ok(forest)
    }

    /// Adds the merge trees of a text that is normalised.
    pub(crate) fn explain_text(&self, text: &[u8], options: EncodeOptions<'_>, forest: &mut Forest) -> Result<()> {
        let mut buffers = Buffers::default();
        self.walk(text, options, |stop| {
            match stop {
                Stop::Special(.., token) => forest.leaf(token.id),
                Stop::Pretoken(at) => {
                    let word = &text[at.start..at.end];
                    if let Some(id) = whole(self.vocabulary(), word, &mut buffers) {
                        forest.token(self.vocabulary(), id, &mut buffers.piece);
                    } else {
                        let piece = &mut buffers.piece;
                        piece.symbols.clear();
                        symbols(self.vocabulary(), word, at.start, options.unknown, |id, _, _| piece.symbols.push(id))?;
                        forest.grow(self.vocabulary(), piece, |id| replaced(id, options.unknown));
                    }
                }
            }
            Ok(ControlFlow::Continue(()))
        })
    }

    /// The merge tree of one token, from merging its own content; a leaf if that does not end in just this token.
    /// `None` for an unknown id.
    pub fn explain_id(&self, id: u32) -> Option<Forest> {
        let mut forest = Forest::default();
        if self.vocabulary().content(id).is_some() {
            forest.token(self.vocabulary(), id, &mut Piece::default());
        } else {
            forest.leaf(self.specials().by_id(id)?.id);
        }
        Some(forest)
    }

    /// The encoding of `text`, one merge at a time, pretoken by pretoken, and the base symbols of each pretoken. A
    /// pretoken that whole-pretoken lookup finds has no steps unless merging makes it too; if not, its one symbol is
    /// the token.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn steps(&self, text: &[u8], options: EncodeOptions<'_>) -> Result<(Vec<Vec<u32>>, Vec<Step>)> {
        self.refuse_disallowed(text, options)?;
        let mut bases: Vec<Vec<u32>> = Vec::new();
        let mut steps = Vec::new();
        if self.normalizer().is_some() {
            self.steps_normalized(text, options, &mut bases, &mut steps)?;
        } else {
            self.steps_text(text, options, &mut bases, &mut steps)?;
        }
        Ok((bases, steps))
    }

    /// Adds the steps of a text that is normalised, and the base symbols of its pretokens.
    pub(crate) fn steps_text(
        &self,
        text: &[u8],
        options: EncodeOptions<'_>,
        bases: &mut Vec<Vec<u32>>,
        steps: &mut Vec<Step>,
    ) -> Result<()> {
        let mut buffers = Buffers::default();
        self.walk(text, options, |stop| {
            let Stop::Pretoken(at) = stop else { return Ok(ControlFlow::Continue(())) };
            let word = &text[at.start..at.end];
            let looked_up = whole(self.vocabulary(), word, &mut buffers);
            let piece = &mut buffers.piece;
            let base = if let Some(id) = looked_up {
                if !makes(self.vocabulary(), id, piece) {
                    bases.push(vec![id]);
                    return Ok(ControlFlow::Continue(()));
                }
                piece.symbols.clone()
            } else {
                piece.symbols.clear();
                symbols(self.vocabulary(), word, at.start, options.unknown, |id, _, _| piece.symbols.push(id))?;
                piece.symbols.iter().map(|&id| replaced(id, options.unknown)).collect()
            };
            let mut places = Places::new(piece.symbols.len());
            let pretoken = bases.len();
            piece.merge(
                self.vocabulary(),
                NONE,
                |Merged { left, right, pair, rank, id }| {
                    steps.push(Step { pretoken, at: places.before(left), pair, rank, id });
                    places.remove(right);
                },
                |_, _| {},
            );
            bases.push(base);
            Ok(ControlFlow::Continue(()))
        })
    }
}

/// Whether merging a token's own content ends in just this token. Leaves its base symbols in `piece`.
fn makes(vocabulary: &Vocabulary, id: u32, piece: &mut Piece) -> bool {
    let Some(content) = vocabulary.content(id) else { return false };
    if symbols_of_content(vocabulary, content, &mut piece.symbols).is_none() {
        return false;
    }
    let (mut parts, mut last) = (0, NONE);
    piece.merge(
        vocabulary,
        NONE,
        |_| {},
        |part, _| {
            parts += 1;
            last = part;
        },
    );
    parts == 1 && last == id
}

impl Forest {
    /// Adds a node without children as a root.
    pub(crate) fn leaf(&mut self, id: u32) {
        self.roots.push(self.nodes.len());
        self.nodes.push(TreeNode { id, children: None, rank: None });
    }

    /// Adds the tree of one token.
    fn token(&mut self, vocabulary: &Vocabulary, id: u32, piece: &mut Piece) {
        if makes(vocabulary, id, piece) {
            self.grow(vocabulary, piece, |id| id);
        } else {
            self.leaf(id);
        }
    }

    /// Adds the trees that merging the symbols in `piece` makes.
    fn grow(&mut self, vocabulary: &Vocabulary, piece: &mut Piece, id_of: impl Fn(u32) -> u32) {
        let base = self.nodes.len();
        let Self { nodes, roots } = self;
        nodes.extend(piece.symbols.iter().map(|&id| TreeNode { id: id_of(id), children: None, rank: None }));
        // The node of the part that starts with each base symbol.
        let mut node: Vec<usize> = (base..nodes.len()).collect();
        let mut merges = Vec::new();
        let mut starts = Vec::new();
        piece.merge(vocabulary, NONE, |merged| merges.push(merged), |_, start| starts.push(start));
        for Merged { left, right, rank, id, .. } in merges {
            let children = Some((node[left], node[right]));
            node[left] = nodes.len();
            nodes.push(TreeNode { id, children, rank: Some(rank) });
        }
        roots.extend(starts.into_iter().map(|start| node[start]));
    }
}
