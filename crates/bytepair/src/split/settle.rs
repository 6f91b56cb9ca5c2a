//! What of a text is settled although only its beginning is known.
//!
//! Idea: a run of the automaton that died before the end of what is known does not depend on what follows. So the
//! boundaries before the first run that read all of it stand whatever follows. Such a boundary is a place to take the text apart if
//! the text before it, now a text of its own, still has the same boundaries: the few runs that looked across it now find the
//! end there. They are repeated, and compared.
//!
//! Unlike a proof ([`proven`](super::proven)), which knows but a few symbols, this knows the text from its start (or from a proven
//! position): so it settles runs of digits cut in threes, too, and any pattern that is an automaton. What a long look-ahead answers
//! is certain where the text that is known decides it.
//!
//! Cost: one run over the text.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use super::proven::without_torn_character;
use super::scan::Scanner;

/// How many of the last boundaries are tried.
const TRIED: usize = 8;

impl Scanner {
    /// The last boundary found up to which the boundaries of a text stay the same however it goes on, or if it ends there; 0 if
    /// there is none.
    pub fn settled(&self, text: &[u8]) -> usize {
        let text = without_torn_character(text);
        // Boundaries, and how far was read to find them.
        let mut last = VecDeque::from([(0, 0)]);
        self.certain(text, |boundary, read| {
            if last.len() == TRIED {
                last.pop_front();
            }
            last.push_back((boundary, read));
        });
        while let Some((end, _)) = last.pop_back() {
            let known = self.sight(&text[..end]);
            let same = last.iter().rposition(|&(_, read)| read < known);
            if same.is_some_and(|same| self.closes(text, &last.make_contiguous()[same..], end)) {
                return end;
            }
        }
        0
    }

    /// Whether the text from the first of some boundaries to `end` has those and no others, as a text of its own, and the same
    /// pieces of it are matches: some splitters drop what is none.
    fn closes(&self, text: &[u8], boundaries: &[(usize, usize)], end: usize) -> bool {
        let [(start, _), expected @ ..] = boundaries else { return false };
        // Where each piece ends, and whether it is a match.
        let pieces = |until: usize| {
            let mut pieces = Vec::new();
            self.split(&text[*start..until], |found| {
                let at = start + found.end;
                pieces.push((at, found.alternative.is_some()));
                if at < end { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            pieces
        };
        let parts = pieces(end);
        let expected = expected.iter().map(|&(boundary, _)| boundary).chain([end]);
        parts.iter().map(|&(at, _)| at).eq(expected) && parts == pieces(text.len())
    }
}
