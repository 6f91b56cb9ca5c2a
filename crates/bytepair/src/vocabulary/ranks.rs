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
use crate::vocabulary::many::{self, Lanes};
use crate::vocabulary::{Alphabet, Made, NONE, Vocabulary, bit_of_length, show};

/// Tokens of so many bytes or more are few.
const LONG: usize = 64;

impl Vocabulary {
    /// Adds the pair of each token of a rank file that can occur. Merging a token's bytes makes shorter tokens only,
    /// so the tokens come in the order of their lengths.
    pub(super) fn add_pairs_of_ranks(&mut self) {
        let (mut lanes, mut piece) = (Lanes::default(), Piece::default());
        let (mut found, mut from) = (Vec::new(), 0);
        let ids = self.ids_by_length();
        self.unreached = 0;
        while let Some(&first) = ids.get(from) {
            let length = self.length(first);
            let is_short = length <= many::SHORT && self.n_vocab() <= many::TOO_HIGH;
            let most = ids.len().min(from + many::MANY);
            let count = ids[from..most].iter().take_while(|&&id| self.length(id) == length).count();
            let some = &ids[from..from + count];
            from += count;
            if is_short {
                lanes.last_pairs(self, some, |id, pair| found.push((id, pair)));
            } else {
                let pair = |&id: &u32| self.last_pair(id, NONE, &mut piece).map(|pair| (id, pair));
                found.extend(some.iter().filter_map(pair));
            }
            if found.len() < some.len() {
                self.unreached |= bit_of_length(length);
            }
            for (id, (left, right)) in found.drain(..) {
                self.add_pair_of_ranks(id, left, right);
            }
        }
    }

    fn add_pair_of_ranks(&mut self, id: u32, left: u32, right: u32) {
        let made = Made { rank: id, id };
        // A pair's concatenation is one content, so no pair comes twice.
        let _ = self.pairs.add(left, right, made);
        if let Some(&[left, right]) = self.content(id) {
            self.pairs.add_bytes(left, right, made);
        }
    }

    /// The ids of the tokens that have two bytes or more, all of them base symbols, the shorter first.
    fn ids_by_length(&self) -> Vec<u32> {
        let kept = |&&id: &&u32| {
            self.contents.is_found(id)
                && self.content(id).is_some_and(|content| content.len() > 1 && self.has_bytes(content))
        };
        let class = |id| self.length(id).min(LONG);
        let mut starts = [0; LONG + 2];
        for &id in self.ids().iter().filter(kept) {
            starts[class(id) + 1] += 1;
        }
        for length in 1..starts.len() {
            starts[length] += starts[length - 1];
        }
        let mut ids = vec![0; starts[LONG + 1]];
        for &id in self.ids().iter().filter(kept) {
            let place = &mut starts[class(id)];
            ids[*place] = id;
            *place += 1;
        }
        // Every class begins where the one before has come to its end.
        ids[starts[LONG - 1]..].sort_by_key(|&id| self.length(id));
        ids
    }

    fn length(&self, id: u32) -> usize {
        self.content(id).map_or(0, <[u8]>::len)
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
        let found = self.ids().iter().filter(|&&id| self.contents.is_found(id));
        found.filter_map(|&id| self.last_pair(id, id, &mut piece)).collect()
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
        if let Some(&twin) = self.twins().first() {
            let name = self.content(twin).map(show).unwrap_or_default();
            return Err(differs(format!("two tokens have the bytes `{name}`, id {twin} and another")));
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

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a test's way to fail
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use crate::vocabulary::Vocabulary;

    /// The last pair of a content by the rule itself: of all pairs whose concatenation is another token, the lowest rank
    /// merges first, the leftmost of equals.
    fn last_pair(content: &[u8], ids: &HashMap<&[u8], u32>) -> Option<(u32, u32)> {
        let mut parts: Vec<Vec<u8>> = content.iter().map(|&byte| vec![byte]).collect();
        loop {
            let pairs = parts.windows(2).enumerate().map(|(at, pair)| (pair.concat(), at));
            let made = pairs.filter(|(joined, _)| joined != content);
            let ranked = made.filter_map(|(joined, at)| ids.get(&joined[..]).map(|&rank| (rank, at)));
            let Some((_, at)) = ranked.min() else { break };
            let right = parts.remove(at + 1);
            parts[at].extend(right);
        }
        match &parts[..] {
            [left, right] => Some((*ids.get(&left[..])?, *ids.get(&right[..])?)),
            _ => None,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn the_pairs_are_those_that_merging_each_token_ends_in(
            contents in proptest::collection::hash_set(proptest::collection::vec(proptest::sample::select(&b"aab"[..]), 1..7), 0..90),
            long in proptest::collection::hash_set(proptest::collection::vec(proptest::sample::select(&b"ab"[..]), 14..70), 0..12),
            far in prop_oneof![Just(0u32), Just(1 << 21), Just(1 << 28), Just(u32::MAX - 200)],
            all in any::<bool>(),
        ) {
            let mut contents: Vec<Vec<u8>> = contents.into_iter().chain(long).collect();
            contents.extend([b"a".to_vec(), b"b".to_vec()].into_iter().filter(|byte| all && !contents.contains(byte)).collect::<Vec<_>>());
            let tokens: Vec<(u32, &[u8])> = (far..).zip(contents.iter().map(Vec::as_slice)).collect();
            let ids: HashMap<&[u8], u32> = tokens.iter().map(|&(id, content)| (content, id)).collect();
            let has_bytes = |content: &[u8]| content.iter().all(|byte| ids.contains_key(&[*byte][..]));
            let expected: Vec<(u32, u32)> = tokens
                .iter()
                .filter(|(_, content)| content.len() > 1 && has_bytes(content))
                .filter_map(|(_, content)| last_pair(content, &ids))
                .collect();
            prop_assert_eq!(Vocabulary::of_ranks(tokens.into()).unwrap().pairs(), expected);
        }
    }
}
