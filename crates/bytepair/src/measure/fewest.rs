//! How many tokens merging makes of pretokens, and the fewest that the same vocabulary allows.
//!
//! Idea: the fewest tokens of a beginning are one more than the fewest of a shorter beginning, from which one token leads
//! there; the shortest way through a pretoken, from left to right.
//!
//! Invariant: both numbers are of the same pretokens, so that the pattern plays no part. Cost: a look-up for each stretch of
//! a pretoken that is no longer than the longest token.

use crate::cancel::{Cancel, EVERY};
use crate::encode::{Buffers, whole};
use crate::error::{Error, Result};
use crate::tokenizer::Tokenizer;
use crate::vocabulary::{NONE, Vocabulary};

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
    /// The tokens of pretokens of bytes, each with how often it occurs, and the fewest that there could be.
    ///
    /// # Errors
    /// [`Error::UnknownSymbol`] for a byte that the vocabulary lacks, with its place in the pretoken;
    /// [`Error::Interrupted`].
    pub fn fewest_tokens<'a>(
        &self,
        pretokens: impl Iterator<Item = (&'a [u8], u64)>,
        cancel: Cancel<'_>,
    ) -> Result<Fewest> {
        let mut found = Fewest::default();
        let mut buffers = Buffers::default();
        let mut ways = Vec::new();
        let mut looked = 0;
        for (index, (word, count)) in pretokens.enumerate() {
            let missing = word.iter().position(|&byte| self.vocabulary().byte(byte) == NONE);
            if let Some(at) = missing {
                return Err(Error::UnknownSymbol { symbol: vec![word[at]], at });
            }
            let mut merged = 0;
            if whole(self.vocabulary(), word, &mut buffers).is_some() {
                merged = 1;
            } else {
                buffers.piece.merge_bytes(self.vocabulary(), word, NONE, |_| merged += 1);
                buffers.piece.trim();
            }
            let mut fewest = merged;
            if merged > 1 {
                fewest = shortest(self.vocabulary(), word, &mut ways, &mut looked, cancel)?;
            }
            found.merged += merged as u128 * u128::from(count);
            found.fewest += fewest as u128 * u128::from(count);
            if fewest < merged {
                found.longer.push(Longer { index, count, merged, fewest });
            }
        }
        Ok(found)
    }
}

/// The fewest tokens of a pretoken, all of whose bytes are tokens.
fn shortest(
    vocabulary: &Vocabulary,
    word: &[u8],
    ways: &mut Vec<usize>,
    looked: &mut usize,
    cancel: Cancel<'_>,
) -> Result<usize> {
    ways.clear();
    ways.extend(0..=word.len());
    for start in 0..word.len() {
        let next = ways[start] + 1;
        let longest = vocabulary.longest().min(word.len() - start);
        for length in 2..=longest {
            // Looking up costs more than comparing.
            if next < ways[start + length] && vocabulary.id_of(&word[start..start + length]).is_some() {
                ways[start + length] = next;
            }
        }
        ways[start + 1] = ways[start + 1].min(next);
        *looked += longest;
        if *looked >= EVERY {
            *looked = 0;
            cancel.check()?;
        }
    }
    Ok(ways[word.len()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Alphabet, SpecialTokens, Splitter};

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
}
