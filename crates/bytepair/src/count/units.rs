//! Many texts as units of work for threads: stretches of about equally many bytes.
//!
//! Idea: small texts are put together, large ones are cut, at places that the splitter proves from the few characters around
//! them. Where a special token stands nearby, another place is taken: a special token is the end of a text, which a proof
//! does not know of, and may be found at other places when the search for it begins elsewhere.
//!
//! Invariant: the units, one after the other, are the texts; what is counted in each as in a text of its own (from its first byte in the first
//! text, to its last in the last) is what is counted in the whole.
//!
//! Cost: some microseconds a cut.

use std::ops::Range;

use crate::special::{Allowed, SpecialTokens};
use crate::split::Splitter;

/// Bytes of a unit, about.
const UNIT: usize = 1 << 18;

/// How far from where a cut should be it may be.
const WITHIN: usize = 2048;

/// How many bytes around a cut its proof may depend on: four characters before and three after.
const SIGHT: usize = 16;

/// A place in one of many texts: its number, and the byte in it.
pub(super) type Place = (usize, usize);

/// Where units begin; and, last, where the texts end.
pub(super) fn units(texts: &[&[u8]], splitter: &Splitter, specials: &SpecialTokens) -> Vec<Place> {
    let mut begins = vec![(0, 0)];
    let mut taken = 0;
    for (number, text) in texts.iter().enumerate() {
        if taken >= UNIT {
            begins.push((number, 0));
            taken = 0;
        }
        let mut start = 0;
        while text.len() - start > 2 * UNIT - taken {
            start += UNIT - taken;
            taken = 0;
            if let Some(at) = cut(text, start, splitter, specials) {
                begins.push((number, at));
            }
        }
        taken += text.len() - start;
    }
    begins.push((texts.len(), 0));
    begins
}

/// The parts of texts that a unit consists of: the number of each text, and which bytes of it.
pub(super) fn parts(unit: Range<Place>, texts: &[&[u8]]) -> impl Iterator<Item = (usize, Range<usize>)> {
    let Range { start: (first, from), end: (last, to) } = unit;
    (first..texts.len().min(last + usize::from(to > 0))).map(move |number| {
        let start = if number == first { from } else { 0 };
        let end = if number == last { to } else { texts[number].len() };
        (number, start..end)
    })
}

/// A place near `around` at which a text may be cut: both parts, each counted as a text of its own, are the whole.
pub(super) fn cut(text: &[u8], around: usize, splitter: &Splitter, specials: &SpecialTokens) -> Option<usize> {
    let at = splitter.cut_near(text, around, WITHIN)?;
    let margin = SIGHT + specials.longest();
    let near = at.saturating_sub(margin)..text.len().min(at + margin);
    specials.find(&text[near], 0, Allowed::All).is_none().then_some(at)
}
