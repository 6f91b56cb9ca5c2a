//! Merging several words in turns.
//!
//! Idea: each merge looks two pairs up, in a table that the processor's nearer caches do not hold. So some words are in hand at
//! a time: a turn with one ends by asking for the lines that its next turn will read, and they come while the others
//! have theirs.
//!
//! Invariant: as that of [`few`](super); `here` and `before` are the lanes of the pairs that the last merge made, and wait.
//!
//! Cost: the instructions of the merges, and hardly any waiting.

use std::ops::Range;

use super::lanes::{Isa, Lanes, take_turns};
use super::{FEW, Ids, NOTHING, first, merge_with, number};
use crate::vocabulary::{NOBODY, Narrow, Vocabulary};

/// The most words in hand.
const HANDS: usize = 8;

/// Fewer words are merged one after the other.
const WORTH: usize = 3;

/// A word of a text and what was made of it.
#[derive(Debug)]
pub(in super::super) struct Word {
    /// What the caller knows it by.
    pub(in super::super) number: usize,
    /// Where it lies in the text.
    pub(in super::super) at: Range<usize>,
    from: usize,
    until: usize,
}

impl Word {
    /// A word that is not merged.
    pub(in super::super) fn new(number: usize, at: Range<usize>) -> Self {
        Self { number, at, from: 0, until: 0 }
    }

    /// Notes which ids it has.
    pub(in super::super) fn set_ids(&mut self, ids: Range<usize>) {
        (self.from, self.until) = (ids.start, ids.end);
    }

    /// Where its ids are; of a word that is not merged, nowhere.
    pub(in super::super) fn ids(&self) -> Range<usize> {
        self.from..self.until
    }
}

/// Merges those of the words that have at most [`FEW`] bytes, all of which are base symbols, and appends their ids. Does nothing
/// and says so where the vocabulary is too large.
pub(in super::super) fn merge_words(
    vocabulary: &Vocabulary,
    text: &[u8],
    words: &mut [Word],
    out: &mut Vec<u32>,
) -> bool {
    merge_words_with(Isa::best(), vocabulary, text, words, out)
}

pub(super) fn merge_words_with(
    isa: Isa,
    vocabulary: &Vocabulary,
    text: &[u8],
    words: &mut [Word],
    out: &mut Vec<u32>,
) -> bool {
    let Some(narrow) = vocabulary.narrow() else { return false };
    if words.len() < WORTH {
        for word in words {
            word.from = out.len();
            merge_with(isa, vocabulary, &text[word.at.clone()], |id| out.push(id));
            word.until = out.len();
        }
        return true;
    }
    let mut work = Work { vocabulary, narrow, text, words, out };
    for lengths in [1..17, 17..33, 33..FEW + 1] {
        take_turns(isa, &mut work, lengths);
    }
    true
}

/// Words that are merged, and where their ids go.
pub(super) struct Work<'a> {
    vocabulary: &'a Vocabulary,
    narrow: &'a Narrow,
    text: &'a [u8],
    words: &'a mut [Word],
    out: &'a mut Vec<u32>,
}

/// A word in hand.
struct Hand<L> {
    lanes: L,
    ids: Ids,
    alive: u64,
    /// Where the last merge stands, and the symbol before it one place behind its position; the lanes of both.
    at: u32,
    place: u32,
    here: u64,
    before: u64,
    /// The id that it made, those beside it, and the lines of the two pairs.
    id: u32,
    beside: [u32; 2],
    lines: [usize; 2],
}

impl<L: Lanes> Hand<L> {
    #[inline(always)]
    #[allow(clippy::inline_always)] // it becomes a part of functions for one kind of processor each
    fn new(vocabulary: &Vocabulary, narrow: &Narrow, word: &[u8]) -> Self {
        let mut ids = [NOBODY; FEW + 2];
        for (id, &byte) in ids[1..].iter_mut().zip(word) {
            *id = vocabulary.byte(byte);
        }
        let alive = word.len().checked_sub(1).map_or(0, |last| (2u64 << last).wrapping_sub(1));
        let lanes = first(narrow, word);
        let (at, place, here, before, id) = (0, 0, 0, 0, NOBODY);
        Self { lanes, ids, alive, at, place, here, before, id, beside: [NOBODY; 2], lines: [0; 2] }
    }

    /// Merges the lowest pair; says whether there was one.
    #[inline(always)]
    #[allow(clippy::inline_always)] // as above
    fn turn(&mut self, narrow: &Narrow) -> bool {
        if self.here != 0 {
            let [before, after] = self.beside;
            self.lanes.put(self.here, number::<L>(narrow.ranked_in(self.lines[1], self.id, after), self.at));
            let number = number::<L>(narrow.ranked_in(self.lines[0], before, self.id), self.place.wrapping_sub(1));
            self.lanes.put(self.before, number);
        }
        let lowest = self.lanes.lowest();
        if lowest >= NOTHING {
            return false;
        }
        self.at = lowest % L::COUNT;
        self.id = narrow.id(lowest / L::COUNT);
        self.ids[self.at as usize + 1] = self.id;
        // The positions after this one: the right side of the pair, which ends, and its neighbour.
        let after = self.alive & u64::MAX << self.at << 1;
        let right = after & after.wrapping_neg();
        self.alive ^= right;
        self.lanes.put(right, NOTHING);
        self.here = 1 << self.at;
        self.place = u64::BITS - (self.alive & (self.here - 1)).leading_zeros();
        self.before = (1 << self.place) >> 1;
        let next = (after ^ right).trailing_zeros();
        self.beside = [self.ids[self.place as usize], self.ids[next as usize + 1]];
        let [before, after] = self.beside;
        self.lines = [narrow.fetch(before, self.id), narrow.fetch(self.id, after)];
        true
    }
}

/// Merges the words of some lengths, of no more bytes than there are lanes.
#[inline(always)]
#[allow(clippy::inline_always)] // as above
pub(super) fn turns<L: Lanes>(work: &mut Work<'_>, lengths: Range<usize>) {
    let Work { vocabulary, narrow, text, words, out } = work;
    let mut waiting = words.iter_mut().filter(|word| lengths.contains(&word.at.len()));
    let begin = |word: &Word| Hand::<L>::new(vocabulary, narrow, &text[word.at.clone()]);
    let mut hands: Vec<(Hand<L>, &mut Word)> = Vec::with_capacity(HANDS);
    hands.extend(waiting.by_ref().take(HANDS).map(|word| (begin(word), word)));
    while !hands.is_empty() {
        let mut at = 0;
        while let Some((hand, word)) = hands.get_mut(at) {
            if hand.turn(narrow) {
                at += 1;
                continue;
            }
            word.from = out.len();
            while hand.alive != 0 {
                out.push(hand.ids[hand.alive.trailing_zeros() as usize + 1]);
                hand.alive &= hand.alive - 1;
            }
            word.until = out.len();
            if let Some(next) = waiting.next() {
                hands[at] = (begin(next), next);
            } else {
                hands.swap_remove(at);
            }
        }
    }
}
