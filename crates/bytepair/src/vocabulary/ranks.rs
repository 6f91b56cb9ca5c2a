//! Rank files: which of their pairs can occur, their merges, and where they mean the same as a merge list.
//!
//! Idea: what becomes of a stretch of text depends only on its own bytes: as long as no merge reaches across its edges,
//! the stretch is merged as if it stood alone. So if two tokens ever stand side by side, they also do when the bytes of
//! the two are merged alone, as the last two that are left. In a rank file every split of a token is a pair, but only one
//! can occur: the one that merging the token's own bytes ends in. (cl100k has 100,000 of them among several times as many
//! splits.) And two vocabularies encode every text alike if, for every token, merging the token's own bytes ends alike in
//! both, and the merges that end in the tokens come in the same order.
//!
//! Cost: every token's content is merged once (twice for the comparison).

use crate::encode::piece::{Merged, Piece};
use crate::encode::symbols::symbols_of_content;
use crate::error::{Error, Report, Result};
use crate::vocabulary::{Alphabet, Made, NONE, Vocabulary, show};

impl Vocabulary {
    /// Adds the pair of each token of a rank file that can occur. Merging a token's bytes makes shorter tokens only,
    /// so the tokens come in the order of their lengths.
    pub(super) fn add_pairs_of_ranks(&mut self) {
        let mut ids: Vec<(usize, u64, u32)> = self
            .ids()
            .iter()
            .map(|&id| {
                let content = self.content(id).unwrap_or_default();
                let mut first = [0; 8];
                for (to, from) in first.iter_mut().zip(content) {
                    *to = *from;
                }
                (content.len(), u64::from_be_bytes(first), id)
            })
            .collect();
        ids.sort_unstable();
        let mut piece = Piece::default();
        for (length, _, id) in ids {
            let Some((left, right)) = self.last_pair(id, NONE, &mut piece) else { continue };
            let made = Made { rank: id, id };
            // A pair's concatenation is one content, so no pair comes twice.
            let _ = self.pairs.add(left, right, made);
            if let (2, Some(&[left, right])) = (length, self.content(id)) {
                self.pairs.add_bytes(left, right, made);
            }
        }
    }

    /// The two tokens that are left when a token's own bytes are merged with ranks below `below`; `None` if there are
    /// more or fewer, or the vocabulary lacks a byte.
    fn last_pair(&self, id: u32, below: u32, piece: &mut Piece) -> Option<(u32, u32)> {
        let content = self.content(id).filter(|content| content.len() > 1 && self.has_bytes(content))?;
        let (mut pair, mut parts) = ((NONE, NONE), 0);
        piece.merge_bytes(self, content, below, |part| {
            pair = (pair.1, part);
            parts += 1;
        });
        (parts == 2).then_some(pair)
    }

    /// Of each token of a rank file, in rank order, the last pair when its own bytes are merged with lower ranks.
    pub(super) fn merges_of_ranks(&self) -> Vec<(u32, u32)> {
        let mut piece = Piece::default();
        self.ids().iter().filter_map(|&id| self.last_pair(id, id, &mut piece)).collect()
    }

    /// Whether a rank file of these tokens (each id its rank) encodes every text as this vocabulary does. A rank file
    /// itself does.
    ///
    /// # Errors
    /// [`Error::Vocabulary`], naming the token that is encoded otherwise, and how.
    pub fn ranks_equal_merges(&self) -> Result<()> {
        if self.is_ranks() {
            return Ok(());
        }
        if self.alphabet != Alphabet::Bytes {
            return Err(differs("a rank file holds tokens made of bytes, and these are made of characters".to_owned()));
        }
        let ranks = Self::of_contents(self.contents.clone());
        let mut piece = Piece::default();
        let mut latest: Option<(u32, u32)> = None;
        for &id in self.ids() {
            let Some(content) = self.content(id) else { continue };
            let name = || format!("the token `{}` (id {id})", show(content));
            let by_merges = outcome(self, content, &mut piece);
            let by_ranks = outcome(&ranks, content, &mut piece);
            if by_merges.ids != by_ranks.ids {
                return Err(differs(format!(
                    "{} is merged into {:?} by its merges, and into {:?} by its rank",
                    name(),
                    by_merges.ids,
                    by_ranks.ids
                )));
            }
            if by_merges.ids != [id] {
                if self.whole_first {
                    continue;
                }
                return Err(differs(format!("{} is made by no merge, and a rank file looks it up whole", name())));
            }
            let Some(rank) = by_merges.last else { continue };
            if let Some((earlier, earlier_rank)) = latest.filter(|&(_, earlier_rank)| earlier_rank > rank) {
                return Err(differs(format!(
                    "{} is made by merges[{rank}], and the token with the lower id {earlier} by merges[{earlier_rank}]",
                    name()
                )));
            }
            latest = Some((id, rank));
        }
        Ok(())
    }
}

/// What a content is merged into.
struct Outcome {
    ids: Vec<u32>,
    /// The rank of the last merge.
    last: Option<u32>,
}

/// Merges a content. Where a base byte is missing, nothing comes out.
fn outcome(vocabulary: &Vocabulary, content: &[u8], piece: &mut Piece) -> Outcome {
    let mut outcome = Outcome { ids: Vec::new(), last: None };
    if symbols_of_content(vocabulary, content, &mut piece.symbols).is_some() {
        let last = &mut outcome.last;
        piece.merge(vocabulary, NONE, |Merged { rank, .. }| *last = Some(rank), |id, _| outcome.ids.push(id));
    }
    outcome
}

fn differs(message: String) -> Error {
    Error::Vocabulary(Report::new(message, "keep the merges: write a tokenizer.json instead of a rank file"))
}
