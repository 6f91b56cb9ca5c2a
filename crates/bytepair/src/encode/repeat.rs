//! A very long pretoken that repeats a few bytes again and again, such as a line of a million dashes.
//!
//! Idea: merging it gives, but for its two ends, the same few ids again and again. So only a beginning and an end are
//! merged, and what lies between is written. That this is right need not be foreseen, it can be checked: some tokens
//! one after the other are what their bytes are merged into if, and only if, that holds of every two neighbours. (Of
//! whatever is merged, two neighbours that are left were never joined with anything outside of them, so they were
//! merged as if they stood alone: the "only if". And if the first merge that joins two of the tokens, in the order in
//! which merges are made, joined these two neighbours, the same merge would have been made between them alone: the "if".)
//! All neighbours of what is written stand side by side in the beginning, or in the end, too.
//!
//! Invariant: the ids are those that merging the whole gives, or there is no answer.
//!
//! Cost: a comparison of the text with itself, some thousand bytes merged, and the ids written.

use super::piece::Piece;
use crate::memory::reserve;
use crate::vocabulary::{NONE, Vocabulary};

/// Fewer bytes are not worth it.
pub(super) const LEAST: usize = 1 << 14;

/// The most bytes that are repeated.
const PERIOD: usize = 64;

/// So many bytes at either end may be others.
const MARGIN: usize = 512;

/// So many bytes more are merged at either end: tokens of some hundred bytes may repeat there.
const CONTEXT: usize = 2048;

/// The ids of a word that repeats itself: some, then others again and again, then some.
#[derive(Debug)]
pub(super) struct Repeated {
    before: Vec<u32>,
    cycle: Vec<u32>,
    turns: usize,
    after: Vec<u32>,
}

impl Repeated {
    /// The ids of a word of at least [`LEAST`] bytes that repeats itself. All bytes are base symbols.
    pub(super) fn of(vocabulary: &Vocabulary, word: &[u8], piece: &mut Piece) -> Option<Self> {
        let period = period(word)?;
        let beginning = merged(vocabulary, &word[..MARGIN + CONTEXT], piece);
        let (first, next) = turn(&beginning, period)?;
        let (id, from) = beginning[first];
        let length = beginning[next].1 - from;
        let start = from + (word.len() - MARGIN - CONTEXT - from) / length * length;
        let end = merged(vocabulary, &word[start..], piece);
        // Where the last turn ends, and the first token of another one stands.
        let is_turn = |&(other, at): &Placed| other == id && at % length == 0 && start + at <= word.len() - MARGIN;
        let place = end.iter().position(is_turn)?;
        let ids = |placed: &[Placed]| placed.iter().map(|placed| placed.0).collect();
        Some(Self {
            before: ids(&beginning[..first]),
            cycle: ids(&beginning[first..next]),
            turns: (start + end[place].1 - from) / length,
            after: ids(&end[place..]),
        })
    }

    /// How many ids these are.
    pub(super) fn len(&self) -> usize {
        self.before.len() + self.cycle.len() * self.turns + self.after.len()
    }

    /// Appends the ids.
    pub(super) fn write(&self, ids: &mut Vec<u32>) {
        reserve(ids, self.len());
        ids.extend_from_slice(&self.before);
        let (written, wanted) = (ids.len(), ids.len() + self.cycle.len() * self.turns);
        if self.turns > 0 {
            ids.extend_from_slice(&self.cycle);
        }
        // What is written is written again, twice as much each time.
        while ids.len() < wanted {
            ids.extend_from_within(written..ids.len().min(written + wanted - ids.len()));
        }
        ids.extend_from_slice(&self.after);
    }
}

/// How many bytes a word repeats, if it does so between its margins.
fn period(word: &[u8]) -> Option<usize> {
    let middle = &word[MARGIN..word.len() - MARGIN];
    let period = (1..=PERIOD).find(|&period| middle[..2 * PERIOD] == middle[period..2 * PERIOD + period])?;
    (middle[..middle.len() - period] == middle[period..]).then_some(period)
}

/// An id, and where its bytes begin.
type Placed = (u32, usize);

/// What some bytes are merged into.
fn merged(vocabulary: &Vocabulary, bytes: &[u8], piece: &mut Piece) -> Vec<Placed> {
    piece.symbols.clear();
    piece.symbols.extend(bytes.iter().map(|&byte| vocabulary.byte(byte)));
    let mut ids = Vec::new();
    piece.merge(vocabulary, NONE, |_| {}, |id, at| ids.push((id, at)));
    ids
}

/// Two places in the ids of a beginning from which the same goes on: the same id, whole periods further on.
fn turn(beginning: &[Placed], period: usize) -> Option<(usize, usize)> {
    let first = beginning.iter().position(|placed| placed.1 >= MARGIN + CONTEXT / 2)?;
    let (id, from) = beginning[first];
    let again = |&(other, at): &Placed| other == id && (at - from) % period == 0;
    Some((first, first + 1 + beginning[first + 1..].iter().position(again)?))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a test's way to fail
mod tests {
    use proptest::prelude::*;

    use super::{LEAST, MARGIN, Repeated, merged, period};
    use crate::encode::piece::Piece;
    use crate::vocabulary::{Alphabet, Vocabulary};

    fn bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec(proptest::sample::select(b"ab\xE4".as_slice()), 1..most)
    }

    /// A rank file, or a merge list in any order, of all bytes and some tokens.
    fn vocabulary(more: Vec<Vec<u8>>, is_list: bool) -> Vocabulary {
        let mut tokens: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![byte]).collect();
        let mut merges = Vec::new();
        for token in more {
            let place =
                |part: &[u8]| tokens.iter().position(|other| other == part).map(|at| u32::try_from(at).unwrap());
            let split = (1..token.len()).find_map(|at| Some((place(&token[..at])?, place(&token[at..])?)));
            if place(&token).is_none() && (split.is_some() || !is_list) {
                merges.extend(split);
                tokens.push(token);
            }
        }
        let tokens = (0..).zip(tokens).collect();
        if !is_list {
            return Vocabulary::from_ranks(tokens).unwrap();
        }
        merges.reverse(); // the longer first: ranks do not rise from a part to the whole
        Vocabulary::from_merges(Alphabet::Bytes, tokens, merges, false).unwrap()
    }

    proptest! {
        #[test]
        fn what_repeats_is_merged_as_a_whole(
            more in proptest::collection::vec(bytes(7), 0..30),
            is_list in any::<bool>(),
            unit in bytes(9),
            (before, after) in (bytes(MARGIN), bytes(MARGIN)),
            length in 0usize..40,
        ) {
            let vocabulary = vocabulary(more, is_list);
            let repeated = unit.iter().cycle().take(LEAST - before.len() - after.len() + length).copied();
            let word: Vec<u8> = before.iter().copied().chain(repeated).chain(after).collect();
            let period = period(&word).unwrap();
            prop_assert_eq!(unit.len() % period, 0);
            let (mut piece, mut ids) = (Piece::default(), vec![7]);
            let repeated = Repeated::of(&vocabulary, &word, &mut piece).unwrap();
            repeated.write(&mut ids);
            let whole: Vec<u32> = merged(&vocabulary, &word, &mut piece).iter().map(|placed| placed.0).collect();
            prop_assert_eq!(repeated.len(), whole.len());
            prop_assert_eq!(ids, [&[7][..], &whole].concat());
        }
    }

    #[test]
    fn what_does_not_repeat_has_no_period() {
        let word = b"ab".repeat(LEAST / 2);
        assert_eq!(period(&word), Some(2));
        for at in [MARGIN, LEAST / 2, LEAST - MARGIN - 1] {
            let mut word = word.clone();
            word[at] = b'c';
            assert_eq!(period(&word), None);
        }
        let long: Vec<u8> = (0..65).cycle().take(LEAST).collect();
        assert_eq!((period(&long), period(&[0; LEAST])), (None, Some(1)));
    }
}
