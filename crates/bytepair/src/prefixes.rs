//! Tokens by how they begin: what token healing and constrained decoding ask.
//!
//! Idea: in the order of their bytes, the tokens with one beginning stand together, so a beginning is a range, found by two
//! binary searches. A trie over them is nodes that each have such a range; its nodes are numbered level by level, so the
//! children of a node stand together too, and six plain arrays hold everything.
//!
//! Left out are control tokens, whose bytes are no text; added words are in. The end-of-word mark is spelled out.
//!
//! Invariant: the ids ascend by (bytes, id); a node's range holds first the tokens that end there, then, in the order of
//! their next bytes, those of its children.
//!
//! Cost: sorting once; then a beginning costs two binary searches, a trie one visit to each byte of each token.

use std::ops::Range;

use crate::error::{Error, Report, Result};
use crate::tokenizer::Tokenizer;

/// The tokens that are text, in the order of their bytes.
#[derive(Debug, Clone)]
pub struct Prefixes {
    ids: Vec<u32>,
    /// Where each one's bytes end; they begin where those of the one before end.
    ends: Vec<usize>,
    bytes: Vec<u8>,
}

/// A trie of tokens, in arrays; see the module. Node 0 is the empty beginning.
#[derive(Debug, Clone, Default)]
pub struct Trie {
    /// The byte that leads to each node; 0 for the first.
    pub bytes: Vec<u8>,
    /// The first child of each node, and at the end the number of nodes: those of node n are `children[n]..children[n + 1]`,
    /// in the order of their bytes.
    pub children: Vec<u32>,
    /// Where each node's tokens begin in the ids.
    pub starts: Vec<u32>,
    /// Where those end that end at the node itself.
    pub own_ends: Vec<u32>,
    /// Where all of them end.
    pub ends: Vec<u32>,
}

impl Prefixes {
    /// Sorts the tokens of a tokenizer.
    pub fn new(tokenizer: &Tokenizer) -> Self {
        let (vocabulary, specials) = (tokenizer.vocabulary(), tokenizer.specials());
        let is_control = |id: u32| specials.by_id(id).is_some_and(|token| token.special);
        let written = vocabulary.ids().iter().filter(|&&id| !is_control(id));
        let written = written.map(|&id| (vocabulary.written(id).unwrap_or_default(), id));
        let added = specials.tokens().iter().filter(|token| !token.special && vocabulary.content(token.id).is_none());
        let added = added.map(|token| (token.content.as_bytes().into(), token.id));
        let mut tokens: Vec<_> = written.chain(added).collect();
        tokens.sort_unstable();
        let mut prefixes = Self { ids: Vec::with_capacity(tokens.len()), ends: Vec::new(), bytes: Vec::new() };
        for (content, id) in tokens {
            prefixes.ids.push(id);
            prefixes.bytes.extend_from_slice(&content);
            prefixes.ends.push(prefixes.bytes.len());
        }
        prefixes
    }

    /// All ids, in the order of their bytes.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// The bytes of the i-th token in that order.
    fn content(&self, index: usize) -> &[u8] {
        let end = self.ends.get(index).copied().unwrap_or(0);
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// Where in the ids the tokens are that begin with `prefix`.
    pub fn range(&self, prefix: &[u8]) -> Range<usize> {
        let start = self.first(|content| content >= prefix);
        let end = self.first(|content| content >= prefix && !content.starts_with(prefix));
        start..end
    }

    /// The index of the first token of which this is true, as it is of all that follow.
    fn first(&self, holds: impl Fn(&[u8]) -> bool) -> usize {
        let (mut low, mut high) = (0, self.ids.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if holds(self.content(middle)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }

    /// The trie of all tokens.
    ///
    /// # Errors
    /// [`Error::Vocabulary`]: more bytes than 32 bits can count.
    pub fn trie(&self) -> Result<Trie> {
        let too_large = |_| {
            let message = format!("the tokens have {} bytes, too many for a trie", self.bytes.len());
            Error::Vocabulary(Report::new(message, "use tokens_with_prefix, which needs none"))
        };
        u32::try_from(self.bytes.len() + 1).map_err(too_large)?;
        let tokens = u32::try_from(self.ids.len()).map_err(too_large)?;
        let mut trie = Trie { bytes: vec![0], starts: vec![0], ends: vec![tokens], ..Trie::default() };
        let (mut level, mut depth) = (0..1, 0);
        while !level.is_empty() {
            for node in level.clone() {
                self.branch(&mut trie, node, depth);
            }
            level = level.end..trie.bytes.len();
            depth += 1;
        }
        trie.children.push(trie.count());
        Ok(trie)
    }

    /// Appends the children of a node, whose tokens all have its `depth` first bytes in common.
    fn branch(&self, trie: &mut Trie, node: usize, depth: usize) {
        trie.children.push(trie.count());
        let (Some(&start), Some(&end)) = (trie.starts.get(node), trie.ends.get(node)) else { return };
        let next = |at: u32| self.content(at as usize).get(depth).copied();
        let mut at = start;
        while at < end && next(at).is_none() {
            at += 1;
        }
        trie.own_ends.push(at);
        while let Some(byte) = next(at).filter(|_| at < end) {
            trie.bytes.push(byte);
            trie.starts.push(at);
            while at < end && next(at) == Some(byte) {
                at += 1;
            }
            trie.ends.push(at);
        }
    }
}

impl Trie {
    /// How many nodes there are.
    #[expect(clippy::cast_possible_truncation, reason = "no more than the tokens have bytes, and one")]
    fn count(&self) -> u32 {
        self.bytes.len() as u32
    }
}
