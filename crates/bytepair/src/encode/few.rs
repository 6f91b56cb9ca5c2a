//! Merging a pretoken of at most sixteen bytes, which nearly every one is.
//!
//! Idea: the rank of each pair and its position, in one number, stand in an array of sixteen, so that the lowest rank,
//! leftmost among equals, is the smallest number: a few instructions without a branch. Nothing is moved when two symbols
//! become one; a set of bits says which positions still begin a symbol.
//!
//! Invariant: `order[at]` is the pair that begins at `at`, or [`NONE`] where none begins that merges; `alive` has the bits
//! of the positions that begin a symbol.
//!
//! Cost: two look-ups a merge, which do not wait for each other.

use crate::vocabulary::{Made, NONE, NOTHING, Vocabulary};

/// The most bytes.
pub(super) const FEW: usize = 16;

/// The bits of a position.
const BITS: u32 = FEW.ilog2();

/// Ranks from here on leave no room for a position.
const TOO_HIGH: u32 = NONE >> BITS;

/// Merges the bytes of `word`, all of which are base symbols, and emits the ids. Does nothing and says so where the word
/// is too long or a rank too high.
#[inline]
pub(super) fn merge_few(vocabulary: &Vocabulary, word: &[u8], mut emit: impl FnMut(u32)) -> bool {
    if word.len() > FEW || word.is_empty() {
        return word.is_empty();
    }
    let mut few =
        Few { ids: [NONE; FEW], made: [NONE; FEW], order: [NONE; FEW], alive: (2 << (word.len() - 1)) - 1, high: 0 };
    for (id, &byte) in few.ids.iter_mut().zip(word) {
        *id = vocabulary.byte(byte);
    }
    for (at, pair) in word.windows(2).enumerate() {
        if let &[left, right] = pair {
            few.set(at, vocabulary.made_of_bytes(left, right));
        }
    }
    while few.high < TOO_HIGH && few.merge_lowest(vocabulary) {}
    if few.high >= TOO_HIGH {
        return false;
    }
    while few.alive != 0 {
        emit(few.ids[few.alive.trailing_zeros() as usize % FEW]);
        few.alive &= few.alive - 1;
    }
    true
}

/// The symbols of a word, each at the position of its first byte.
struct Few {
    ids: [u32; FEW],
    /// What the pairs make.
    made: [u32; FEW],
    order: [u32; FEW],
    alive: u32,
    /// No rank that was met is higher.
    high: u32,
}

impl Few {
    /// Sets what the pair that begins at a position makes.
    #[inline]
    fn set(&mut self, at: usize, pair: Made) {
        let at = at % FEW;
        self.made[at] = pair.id;
        if pair.rank == NONE {
            self.order[at] = NONE;
        } else {
            self.high |= pair.rank;
            // Below sixteen.
            self.order[at] = pair.rank << BITS | u32::try_from(at).unwrap_or(0);
        }
    }

    /// Merges the pair of the lowest rank, if there is one.
    #[inline]
    fn merge_lowest(&mut self, vocabulary: &Vocabulary) -> bool {
        let lowest = self.order.iter().fold(NONE, |lowest, &order| lowest.min(order));
        if lowest == NONE {
            return false;
        }
        let at = lowest as usize % FEW;
        let id = self.made[at];
        self.ids[at] = id;
        // The positions after this one: the right side of the pair, which ends, and its neighbour.
        let mut after = self.alive & (u32::MAX << at << 1);
        let right = after.trailing_zeros() as usize;
        self.alive &= !(after & after.wrapping_neg());
        after &= after.wrapping_sub(1);
        self.order[right % FEW] = NONE;
        let before = self.alive & ((1 << at) - 1);
        let next =
            if after == 0 { NOTHING } else { vocabulary.made(id, self.ids[after.trailing_zeros() as usize % FEW]) };
        if before != 0 {
            let before = before.ilog2() as usize;
            self.set(before, vocabulary.made(self.ids[before % FEW], id));
        }
        self.set(at, next);
        true
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::{FEW, merge_few};
    use crate::encode::piece::Piece;
    use crate::vocabulary::{Alphabet, NONE, Vocabulary};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn few_are_merged_as_many_are(
            joins in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..30),
            shuffled in any::<bool>(),
            far in prop_oneof![Just(0u32), Just(1 << 20), Just(1 << 27), Just(NONE - 2000)],
            ranks in any::<bool>(),
            words in proptest::collection::vec(proptest::collection::vec(proptest::sample::select(&b"aabbc"[..]), 0..20), 1..10),
        ) {
            let mut contents: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![byte]).collect();
            let mut parts = vec![97, 98, 99];
            let mut merges = Vec::new();
            for (left, right) in joins {
                let (left, right) = (*left.get(&parts), *right.get(&parts));
                let joined = [contents[left].clone(), contents[right].clone()].concat();
                if contents.contains(&joined) {
                    continue;
                }
                parts.push(contents.len());
                merges.push((u32::try_from(left).unwrap(), u32::try_from(right).unwrap()));
                contents.push(joined);
            }
            if shuffled {
                merges.reverse();
            }
            let tokens: Vec<(u32, Vec<u8>)> = (0..).zip(contents).collect();
            let vocabulary = if ranks {
                Vocabulary::from_ranks(tokens.into_iter().map(|(id, content)| (id + far, content)).collect()).unwrap()
            } else {
                Vocabulary::from_merges(Alphabet::Bytes, tokens, merges, false).unwrap()
            };
            let mut piece = Piece::default();
            for word in words {
                let (mut few, mut many) = (Vec::new(), Vec::new());
                piece.symbols.clear();
                piece.symbols.extend(word.iter().map(|&byte| vocabulary.byte(byte)));
                piece.merge(&vocabulary, NONE, |_| {}, |id, _| many.push(id));
                if merge_few(&vocabulary, &word, |id| few.push(id)) {
                    prop_assert_eq!(few, many);
                } else {
                    prop_assert!(few.is_empty());
                    prop_assert!(word.len() > FEW || far > 1 << 26);
                }
            }
        }
    }
}
