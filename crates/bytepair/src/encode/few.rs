//! Merging a pretoken of at most 64 bytes, which nearly every one is.
//!
//! Idea: the rank of each pair and its position, in one number, stand in the lanes of a register, so that the lowest rank,
//! leftmost among equals, is the smallest number: a few instructions without a branch. Nothing is moved when two symbols
//! become one; a set of bits says which positions still begin a symbol. What a merge makes of its two neighbours takes a while
//! to be looked up, and seldom is the next to be merged: so the lowest of the others is found meanwhile, and the processor
//! foretells that it will be that one.
//!
//! Invariant: a lane holds the [`number`] of the pair that begins at its position; where none begins that merges, one that is
//! no less than [`NOTHING`]. `alive` has the bits of the positions that begin a symbol. The lanes of the pairs that the last
//! merge made hold nothing yet: these are waiting.
//!
//! Cost: two look-ups a merge, which do not wait for each other.

mod lanes;
mod turns;

use crate::vocabulary::{NOBODY, Narrow, Vocabulary};
use lanes::{Isa, Lanes};
pub(super) use turns::{Word, merge_words};

/// The most bytes.
const FEW: usize = 64;

/// Numbers from here on are of no pair.
const NOTHING: u32 = u32::MAX << FEW.ilog2();

/// The ids of the symbols, each one place behind the position of its first byte, and [`NOBODY`] before and after all.
type Ids = [u32; FEW + 2];

/// Merges the bytes of `word`, all of which are base symbols, and emits the ids. Does nothing and says so where the word
/// is too long or the vocabulary too large.
#[inline]
pub(super) fn merge_few(vocabulary: &Vocabulary, word: &[u8], emit: impl FnMut(u32)) -> bool {
    merge_with(Isa::best(), vocabulary, word, emit)
}

#[inline]
fn merge_with(isa: Isa, vocabulary: &Vocabulary, word: &[u8], mut emit: impl FnMut(u32)) -> bool {
    let Some(narrow) = vocabulary.narrow().filter(|_| word.len() <= FEW) else { return false };
    if word.is_empty() {
        return true;
    }
    let mut ids = [NOBODY; FEW + 2];
    for (id, &byte) in ids[1..].iter_mut().zip(word) {
        *id = vocabulary.byte(byte);
    }
    let mut alive = lanes::merge(isa, narrow, word, &mut ids);
    while alive != 0 {
        emit(ids[alive.trailing_zeros() as usize + 1]);
        alive &= alive - 1;
    }
    true
}

/// Merges `word`, which is not empty, of no more bytes than there are lanes; gives the positions at which a symbol begins.
#[inline(always)]
#[allow(clippy::inline_always)] // it becomes a part of functions for one kind of processor each
fn merge<L: Lanes>(narrow: &Narrow, word: &[u8], ids: &mut Ids) -> u64 {
    let mut lanes: L = first(narrow, word);
    let mut alive = (2u64 << (word.len() - 1)).wrapping_sub(1);
    // The pairs that wait: the position of each, as a bit, and its number.
    let (mut here, mut here_number, mut before, mut before_number) = (0, NOTHING, 0, NOTHING);
    loop {
        let settled = lanes.lowest();
        let waiting = here_number.min(before_number);
        lanes.put(here, here_number);
        lanes.put(before, before_number);
        // A branch, not the smaller of the two: else the next merge waited for what was looked up.
        let lowest = if waiting < settled { std::hint::black_box(waiting) } else { settled };
        if lowest >= NOTHING {
            return alive;
        }
        let at = lowest % L::COUNT;
        let id = narrow.id(lowest / L::COUNT);
        ids[at as usize + 1] = id;
        // The positions after this one: the right side of the pair, which ends, and its neighbour.
        let after = alive & u64::MAX << at << 1;
        let right = after & after.wrapping_neg();
        alive ^= right;
        here = 1 << at;
        // One place behind its position, as ids are; 0 if there is none.
        let place = u64::BITS - (alive & (here - 1)).leading_zeros();
        before = (1 << place) >> 1;
        lanes.put(right | here | before, NOTHING);
        let next = (after ^ right).trailing_zeros();
        here_number = number::<L>(narrow.ranked(id, ids[next as usize + 1]), at);
        before_number = number::<L>(narrow.ranked(ids[place as usize], id), place.wrapping_sub(1));
    }
}

/// The numbers of the pairs of bytes of a word.
#[inline(always)]
#[allow(clippy::inline_always)] // as above
fn first<L: Lanes>(narrow: &Narrow, word: &[u8]) -> L {
    let mut numbers = [NOTHING; FEW];
    for ((place, pair), at) in numbers.iter_mut().zip(word.windows(2)).zip(0..) {
        if let &[left, right] = pair {
            *place = number::<L>(narrow.ranked_bytes(left, right), at);
        }
    }
    L::new(&numbers)
}

/// A rank, counted from one, and a position as one number; at least [`NOTHING`] for the rank 0.
#[inline]
fn number<L: Lanes>(ranked: u32, at: u32) -> u32 {
    (ranked * L::COUNT + at % L::COUNT).wrapping_sub(L::COUNT)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::lanes::Isa;
    use super::turns::merge_words_with;
    use super::{FEW, Word, merge_with};
    use crate::encode::piece::Piece;
    use crate::vocabulary::{Alphabet, NONE, Vocabulary};

    fn word(length: std::ops::Range<usize>) -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec(proptest::sample::select(&b"aabbc"[..]), length)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn few_are_merged_as_many_are(
            joins in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..30),
            shuffled in any::<bool>(),
            far in prop_oneof![Just(0u32), Just(1 << 20), Just((1 << 21) - 1100), Just(1 << 21), Just(NONE - 2000)],
            ranks in any::<bool>(),
            words in proptest::collection::vec(prop_oneof![word(0..20), word(0..70)], 1..10),
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
            let text = words.concat();
            let ends = words.iter().scan(0, |end, word| { *end += word.len(); Some((*end - word.len(), *end)) });
            let fit = |word: &&[u8]| word.len() <= FEW;
            for isa in Isa::all() {
                let mut ids = Vec::new();
                let mut all: Vec<Word> = ends.clone().map(|(start, end)| Word::new(0, start..end)).collect();
                if merge_words_with(isa, &vocabulary, &text, &mut all, &mut ids) {
                    for (word, merged) in words.iter().zip(&all).filter(|(word, _)| fit(&word.as_slice())) {
                        let mut one = Vec::new();
                        prop_assert!(merge_with(isa, &vocabulary, word, |id| one.push(id)));
                        prop_assert_eq!(&ids[merged.ids()], &one, "{:?}", isa);
                    }
                    prop_assert!(all.iter().zip(&words).all(|(merged, word)| merged.ids().is_empty() == (word.is_empty() || word.len() > FEW)));
                } else {
                    prop_assert!(far > 1 << 20);
                }
            }
            for word in words {
                let mut many = Vec::new();
                piece.symbols.clear();
                piece.symbols.extend(word.iter().map(|&byte| vocabulary.byte(byte)));
                piece.merge(&vocabulary, NONE, |_| {}, |id, _| many.push(id));
                for isa in Isa::all() {
                    let mut few = Vec::new();
                    if merge_with(isa, &vocabulary, &word, |id| few.push(id)) {
                        prop_assert_eq!(&few, &many, "{:?}", isa);
                    } else {
                        prop_assert!(few.is_empty());
                        prop_assert!(word.len() > FEW || far > 1 << 20);
                    }
                }
            }
        }
    }
}
