//! Boundaries among characters that the pattern cannot tell apart, such as the digits of a long number.
//!
//! Idea: a pattern may take three digits at a time. Having done so once, and come to the state that it was in, it does so
//! again, as long as there are digits: then only that has to be looked at, and no step waits for the one before.
//!
//! Invariant: what is given are boundaries that the automaton gives one by one.
//!
//! Cost: some steps of the automaton, and a look at each byte.

use super::{Scanner, count};
use crate::split::automaton::CUT;

/// The most characters of a pretoken that is looked for.
const EVEN: usize = 8;

impl Scanner {
    /// Calls `each` with some boundaries after a boundary `start` that lie before `stop`, and gives the last of them (`start` if
    /// there is none), or the one at `stop` or after it.
    #[allow(clippy::needless_bitwise_bool)] // a branch would end the look at once
    pub(super) fn evenly(&self, text: &[u8], start: usize, stop: usize, each: &mut impl FnMut(usize)) -> usize {
        let (Some((class, 1)), true) = (self.classes.at(text, start), start > 0) else { return start };
        let next = |row: u32| self.automaton.table[row as usize + usize::from(class)];
        let begun = next(self.automaton.start) >> 2;
        let (mut row, mut length) = (begun, 0);
        let is_even = begun != 0
            && (1..=EVEN).any(|taken| {
                let entry = next(row);
                (row, length) = (entry >> 2, taken);
                entry & CUT != 0
            })
            && row == begun;
        let mut end = start;
        while is_even
            && let Some(turn) = text.get(end + 1..=end + length)
            && turn.iter().fold(true, |all, &byte| all & self.classes.is_ascii_of(byte, class))
        {
            end += length;
            if end >= stop {
                break;
            }
            each(end);
        }
        count(end + length - start);
        end
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a test's way to fail
mod tests {
    use std::ops::ControlFlow;

    use crate::split::Splitter;
    use crate::split::presets::PRESETS;

    /// Where a pattern takes some of many equal characters at a time, the boundaries are those that the automaton gives one by
    /// one, whatever stands around them.
    #[test]
    fn runs_are_cut_as_by_the_automaton() {
        let patterns = [
            r"\p{N}{1,3}|.",
            r"\d{2}|\d|\s",
            r"\d{8}|.",
            r"\d{9}|\d",
            r"\d{3}(?!\d)|\d|\s",
            r"(?:\d\d)+|\d{1,3}|.",
            r"\d{2,3}1|\d{3}|.",
        ];
        for pattern in patterns.into_iter().chain(PRESETS.map(|(_, pattern)| pattern)) {
            let splitter = Splitter::new(pattern).unwrap();
            for (kind, after) in
                ["7", "a", "\n", "٣", "\u{FF}"].into_iter().zip([" ", "1", "7", "a", "'s"].into_iter().cycle())
            {
                for length in (1..40).chain([63, 64, 65, 66, 130, 200]) {
                    let text = format!("x {}{after}{}", kind.repeat(length), kind.repeat(length / 2));
                    let (mut split, mut cuts) = (Vec::new(), Vec::new());
                    splitter
                        .split(text.as_bytes(), |found| {
                            split.push(found.end);
                            ControlFlow::Continue(())
                        })
                        .unwrap();
                    splitter
                        .cuts(text.as_bytes(), |base, ends| {
                            cuts.extend(ends.iter().map(|&end| base + end as usize));
                            ControlFlow::Continue(())
                        })
                        .unwrap();
                    assert_eq!(cuts, split, "{pattern} on {text:?}");
                }
            }
        }
    }
}
