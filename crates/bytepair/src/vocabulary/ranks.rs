//! Rank files and merge lists, compared.
//!
//! Idea: what becomes of a pair of neighbours depends only on their own bytes: as long as no merge reaches across the
//! edges of a stretch of text, the stretch is merged as if it stood alone. So two vocabularies encode every text alike
//! if, for every token, merging the token's own bytes ends alike in both, and the merges that end in the tokens come in
//! the same order.
//!
//! Cost: every token's content is merged once (twice for the comparison).

use crate::encode::piece::{Merged, Piece};
use crate::encode::symbols::symbols_of_content;
use crate::error::{Error, Report, Result};
use crate::vocabulary::{Alphabet, NONE, Vocabulary, show};

impl Vocabulary {
    /// Of each token of a rank file, in rank order, the last pair when its own bytes are merged with lower ranks.
    pub(super) fn merges_of_ranks(&self) -> Vec<(u32, u32)> {
        let mut piece = Piece::default();
        let mut merges = Vec::new();
        for &id in self.ids() {
            let Some(content) = self.content(id).filter(|content| content.len() > 1) else { continue };
            if symbols_of_content(self, content, &mut piece.symbols).is_none() {
                continue;
            }
            let (mut left, mut parts) = ((NONE, NONE), 0);
            piece.merge(
                self,
                id,
                |_| {},
                |part, _| {
                    left = (left.1, part);
                    parts += 1;
                },
            );
            if parts == 2 {
                merges.push(left);
            }
        }
        merges
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
