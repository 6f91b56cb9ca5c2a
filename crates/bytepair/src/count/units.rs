//! Many texts as units of work for threads: stretches of about equally many bytes.
//!
//! Idea: small texts are put together, large ones are cut, at places that the splitter proves from the few characters around
//! them. Where a special token stands nearby, no place is proven: a special token is the end of a text, which a proof
//! does not know of, and may be found at other places when the search for it begins elsewhere.
//!
//! Invariant: the units, one after the other, are the texts; what is counted in each, from its first byte in the first text to its last
//! in the last, as in texts of their own is what is counted in the whole.
//!
//! Cost: some microseconds a cut.

use std::iter::successors;
use std::ops::Range;

use crate::special::SpecialTokens;
use crate::split::Splitter;

/// How far from where it is wanted a cut may be, at most.
const WITHIN: usize = 2048;

/// How many bytes around a cut its proof may depend on: four characters before and three after.
const SIGHT: usize = 16;

/// A place in one of many texts: its number, and the byte in it.
pub(super) type Place = (usize, usize);

/// What finds places to cut.
#[derive(Clone, Copy)]
pub(super) struct Cutter<'a> {
    pub(super) splitter: &'a Splitter,
    pub(super) specials: &'a SpecialTokens,
    /// Bytes of a unit, about.
    pub(super) size: usize,
}

impl Cutter<'_> {
    /// Where some units begin, the first of them at `from`, which is the beginning or was given by an earlier call; at most so many. The
    /// last place is where the last of them ends.
    pub(super) fn units(self, texts: &[&[u8]], from: Place, most: usize) -> Vec<Place> {
        let ends = successors(Some(from), |&begin| (begin.0 < texts.len()).then(|| self.end(texts, begin)));
        ends.take(most + 1).collect()
    }

    /// Where the unit that begins at a place ends.
    fn end(self, texts: &[&[u8]], (mut number, mut start): Place) -> Place {
        let mut wanted = self.size;
        while let Some(text) = texts.get(number) {
            let left = text.len() - start;
            let mut around = start + wanted;
            while around + self.size < text.len() {
                if let Some(at) = self.cut(text, around).filter(|&at| at > start) {
                    return (number, at);
                }
                around += self.size;
            }
            (number, start) = (number + 1, 0);
            if left >= wanted {
                break;
            }
            wanted -= left;
        }
        (number, start)
    }

    /// A place near `around` at which a text may be cut: both parts, each counted as a text of its own, are the whole.
    pub(super) fn cut(self, text: &[u8], around: usize) -> Option<usize> {
        if !self.specials.are_plain() {
            return None;
        }
        let at = self.splitter.cut_near(text, around, self.within())?;
        let sight = SIGHT + self.specials.longest();
        let near = at.saturating_sub(sight)..text.len().min(at + sight);
        self.specials.find(&text[near], |_| true).is_none().then_some(at)
    }

    /// How far from `around` the text is looked at for a [`cut`](Self::cut).
    pub(super) fn sight(self) -> usize {
        self.within() + SIGHT + self.specials.longest()
    }

    fn within(self) -> usize {
        WITHIN.min(self.size / 4)
    }
}

/// The parts of texts that a unit consists of: the number of each text, and which bytes of it.
pub(super) fn parts(unit: Range<Place>, texts: &[&[u8]]) -> impl Iterator<Item = (usize, Range<usize>)> {
    let Range { start: (first, from), end: (last, to) } = unit;
    (first..last + usize::from(to > 0)).map(move |number| {
        let start = if number == first { from } else { 0 };
        let end = if number == last { to } else { texts[number].len() };
        (number, start..end)
    })
}
