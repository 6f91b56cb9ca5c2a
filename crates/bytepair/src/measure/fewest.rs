//! How many tokens merging makes of pretokens, and the fewest that the same vocabulary allows.
//!
//! Idea: the fewest tokens of a beginning are one more than the fewest of a shorter beginning, from which one token leads
//! there; the shortest way through a pretoken, from left to right.
//!
//! Invariant: both numbers are of the same pretokens, so that the pattern plays no part. Cost: a look-up for each stretch of
//! a pretoken that is no longer than the longest token.

use crate::cancel::{Cancel, Meter};
use crate::encode::symbols::symbols;
use crate::encode::{Buffers, whole};
use crate::error::Result;
use crate::tokenizer::{Tokenizer, UnknownSymbol};
use crate::vocabulary::{Alphabet, MARK, NONE};

/// A pretoken that merging makes more tokens of than it must.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Longer {
    /// Which of the pretokens, from 0.
    pub index: usize,
    /// How often it occurs.
    pub count: u64,
    /// Tokens that merging makes.
    pub merged: usize,
    /// The fewest.
    pub fewest: usize,
}

/// Tokens of all pretokens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fewest {
    /// Tokens that merging makes.
    pub merged: u128,
    /// The fewest that the vocabulary allows.
    pub fewest: u128,
    /// Pretokens that merging makes more tokens of, in their order.
    pub longer: Vec<Longer>,
}

impl Tokenizer {
    /// The tokens of pretokens, each with how often it occurs, and the fewest that there could be of the same symbols:
    /// bytes, or characters, with what stands for those that are no token. Special tokens are text.
    ///
    /// # Errors
    /// [`Error::UnknownSymbol`](crate::Error::UnknownSymbol) for a symbol that the vocabulary lacks, with its place in the
    /// pretoken; [`Error::Interrupted`](crate::Error::Interrupted).
    pub fn fewest_tokens<'a>(
        &self,
        pretokens: impl Iterator<Item = (&'a [u8], u64)>,
        cancel: Cancel<'_>,
    ) -> Result<Fewest> {
        let mut found = Fewest::default();
        let mut buffers = Buffers::default();
        let mut search = Search::new(self);
        let mut meter = Meter::new(cancel);
        for (index, (word, count)) in pretokens.enumerate() {
            let is_whole = whole(self.vocabulary(), word, &mut buffers).is_some();
            let piece = &mut buffers.piece;
            piece.symbols.clear();
            search.ends.clear();
            symbols(self.vocabulary(), word, 0, UnknownSymbol::Raise, |id, _, end| {
                piece.symbols.push(id);
                search.ends.push(end);
            })?;
            let mut merged = 0;
            if is_whole {
                merged = 1;
            } else {
                piece.merge(self.vocabulary(), NONE, |_| {}, |_, _| merged += 1);
                piece.trim();
            }
            let fewest = if merged > 1 { search.fewest(word, &mut meter)?.min(merged) } else { merged };
            found.merged += merged as u128 * u128::from(count);
            found.fewest += fewest as u128 * u128::from(count);
            if fewest < merged {
                found.longer.push(Longer { index, count, merged, fewest });
            }
        }
        Ok(found)
    }
}

/// The buffers of a search, re-used from pretoken to pretoken.
struct Search<'a> {
    tokenizer: &'a Tokenizer,
    /// Whether a token has this length in bytes: of most others none has, and a long text takes long to look up.
    lengths: Vec<bool>,
    /// Where each symbol of the pretoken ends.
    ends: Vec<usize>,
    /// The fewest tokens before each symbol, and of all.
    ways: Vec<usize>,
    /// How many stretches were looked at so far.
    looked: usize,
}

impl<'a> Search<'a> {
    fn new(tokenizer: &'a Tokenizer) -> Self {
        let vocabulary = tokenizer.vocabulary();
        let mut lengths = vec![false; vocabulary.longest() + 1];
        for content in vocabulary.ids().iter().filter_map(|&id| vocabulary.content(id)) {
            lengths[content.len()] = true;
        }
        Self { tokenizer, lengths, ends: Vec::new(), ways: Vec::new(), looked: 0 }
    }

    /// The fewest tokens of a pretoken.
    fn fewest(&mut self, word: &[u8], meter: &mut Meter<'_>) -> Result<usize> {
        let longest = self.tokenizer.vocabulary().longest();
        self.ways.clear();
        self.ways.extend(0..=self.ends.len());
        let mut start = 0;
        for (from, &next_start) in self.ends.iter().enumerate() {
            let next = self.ways[from] + 1;
            self.ways[from + 1] = self.ways[from + 1].min(next);
            let further = self.ends[from + 1..].iter().take_while(|&&end| end - start <= longest);
            for (to, &end) in (from + 2..).zip(further) {
                self.looked += 1;
                // Looking up costs more than comparing.
                if next < self.ways[to] && self.lengths[end - start] && self.is_token(&word[start..end]) {
                    self.ways[to] = next;
                }
            }
            self.looked += 1;
            meter.reach(self.looked)?;
            start = next_start;
        }
        Ok(self.ways[self.ends.len()])
    }

    /// Whether some text is a token that is no control token.
    fn is_token(&self, text: &[u8]) -> bool {
        let Some(id) = self.tokenizer.vocabulary().id_of(text) else { return false };
        // What begins with the mark stands for a byte, and is no text.
        let is_text = *self.tokenizer.vocabulary().alphabet() == Alphabet::Bytes || !text.contains(&MARK);
        is_text && self.tokenizer.specials().by_id(id).is_none_or(|token| !token.special)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Alphabet, Error, SpecialTokens, Splitter, Vocabulary};

    #[test]
    fn greedy_merging_may_take_more() -> Result<()> {
        let contents: [&[u8]; 6] = [b"a", b"b", b"c", b"ab", b"bc", b"abc"];
        let tokens = (0..).zip(contents).map(|(id, content)| (id, content.to_vec())).collect();
        let merges = vec![(0, 1), (1, 2), (0, 4)];
        let vocabulary = Vocabulary::from_merges(Alphabet::Bytes, tokens, merges, false)?;
        let tokenizer = Tokenizer::new(Splitter::whole(), vocabulary, SpecialTokens::default())?;
        let counted = [(&b"ab"[..], 2), (b"abc", 3), (b"", 1), (b"bcabc", 1)];
        let found = tokenizer.fewest_tokens(counted.into_iter(), Cancel::default())?;
        assert_eq!((found.merged, found.fewest), (2 + 6 + 3, 2 + 3 + 2));
        assert_eq!(found.longer[0], Longer { index: 1, count: 3, merged: 2, fewest: 1 });
        assert_eq!(found.longer[1], Longer { index: 3, count: 1, merged: 3, fewest: 2 });
        let unknown = tokenizer.fewest_tokens([(&b"ax"[..], 1)].into_iter(), Cancel::default());
        assert_eq!(unknown, Err(Error::UnknownSymbol { symbol: vec![b'x'], at: 1 }));
        Ok(())
    }

    /// The fewest tokens of a text, by trying all; a character that is no token costs as many as it has bytes.
    fn tried(tokens: &[&str], text: &str) -> usize {
        let Some(first) = text.chars().next().map(char::len_utf8) else { return 0 };
        let fits = |token: &&str| text.strip_prefix(token).map(|rest| 1 + tried(tokens, rest));
        let letter = if tokens.contains(&&text[..first]) { 1 } else { first };
        tokens.iter().filter_map(fits).chain([letter + tried(tokens, &text[first..])]).min().unwrap_or(0)
    }

    #[test]
    fn characters_that_are_no_token_are_their_bytes() -> Result<()> {
        let texts = ["a", "b", "▁", "ab", "▁a", "ba", "bab", "▁ab", "éa"];
        let bytes = (0..=255u8).map(|byte| vec![MARK, byte]);
        let contents = texts.iter().map(|text| text.as_bytes().to_vec()).chain(bytes);
        let merges = vec![(0, 1), (2, 0), (1, 0), (5, 1), (4, 1), (2, 3)];
        let alphabet = Alphabet::Unicode { unknown: None, fuse: false };
        let vocabulary = Vocabulary::from_merges(alphabet, (0..).zip(contents).collect(), merges, false)?;
        let tokenizer = Tokenizer::new(Splitter::whole(), vocabulary, SpecialTokens::default())?;
        let mut words = vec![String::new()];
        for start in 0..156 {
            for letter in ["a", "b", "▁", "é", "A"] {
                words.push(words[start].clone() + letter);
            }
        }
        for word in &words {
            let mut ids = Vec::new();
            tokenizer.encode(word.as_bytes(), crate::tokenizer::EncodeOptions::default(), &mut ids)?;
            let found = tokenizer.fewest_tokens([(word.as_bytes(), 1)].into_iter(), Cancel::default())?;
            assert_eq!((found.merged, found.fewest), (ids.len() as u128, tried(&texts, word) as u128), "{word}");
        }
        // An invalid byte FF and a letter are no token that means a byte.
        let found = tokenizer.fewest_tokens([(&b"\xFFA"[..], 1)].into_iter(), Cancel::default())?;
        assert_eq!((found.merged, found.fewest), (2, 2));
        Ok(())
    }
}
