//! Where a text may be cut in two although only its beginning is known.
//!
//! Idea: a run of the automaton that died before the end of what is known does not depend on what follows. So the last
//! boundaries before the first run that read all of it stand whatever follows. Such a boundary is a place to cut if
//! the text before it, now a text of its own, still has the same boundaries: the few runs that looked across it now find the
//! end there. They are repeated, and compared.
//!
//! Invariant: for [`Splitter::cut`]'s position `p` and whatever follows, the boundaries of the whole are `p`, those of
//! `text[..p]` and those of the rest, each split as a text of its own.
//!
//! Cost: one run over the text, by the scalar automaton.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use super::scan::Scanner;
use super::{Means, Splitter, words};

/// How many of the last boundaries are tried.
const TRIED: usize = 8;

impl Splitter {
    /// A position, late in a text of which more may follow, such that what lies before it, and the rest with all that
    /// follows, have as texts of their own the pretokens that the whole has. 0 where there is none: a pattern for the
    /// backtracking engine, with a long look-ahead or with `^` has none; nor has a text without a boundary.
    ///
    /// ```
    /// use bytepair::{Splitter, split::presets};
    ///
    /// let splitter = Splitter::new(presets::CL100K)?;
    /// assert_eq!(splitter.cut(b"two words"), 3, "the second may go on");
    /// assert_eq!(splitter.cut(b"letters"), 0);
    /// # Ok::<(), bytepair::Error>(())
    /// ```
    pub fn cut(&self, text: &[u8]) -> usize {
        let text = &text[..whole_characters(text)];
        match &self.0.means {
            Means::Whole | Means::Backtracking { .. } => 0,
            Means::WhiteSpace => cut_words(text),
            Means::Automaton { scanner, .. } => scanner.cut(text),
        }
    }
}

impl Scanner {
    fn cut(&self, text: &[u8]) -> usize {
        // Boundaries, and how far was read to find them.
        let mut last = VecDeque::from([(0, 0)]);
        self.settled(text, |boundary, read| {
            if last.len() == TRIED {
                last.pop_front();
            }
            last.push_back((boundary, read));
        });
        while let Some((end, _)) = last.pop_back() {
            let same = last.iter().rposition(|&(_, read)| read < end);
            if same.is_some_and(|same| self.closes(text, &last.make_contiguous()[same..], end)) {
                return end;
            }
        }
        0
    }

    /// Whether the text from the first of some boundaries to `end` has those and no others, as a text of its own.
    fn closes(&self, text: &[u8], boundaries: &[(usize, usize)], end: usize) -> bool {
        let [(start, _), expected @ ..] = boundaries else { return false };
        let mut expected = expected.iter().map(|&(boundary, _)| boundary).chain([end]);
        let mut same = true;
        self.split(&text[*start..end], |found| {
            same = expected.next() == Some(start + found.end);
            if same { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        same && expected.next().is_none()
    }
}

/// The start of the last word if it may go on, and else the end.
fn cut_words(text: &[u8]) -> usize {
    let mut last = None;
    let _ = words(text, |word| {
        last = Some(word);
        ControlFlow::Continue(())
    });
    last.filter(|word| word.end == text.len()).map_or(text.len(), |word| word.start)
}

/// The length of a text without a character at its end that may not be whole yet.
fn whole_characters(text: &[u8]) -> usize {
    let from = (1..=3.min(text.len())).map(|back| text.len() - back).find(|&at| text[at] & 0xC0 != 0x80);
    match from.map(|from| (from, std::str::from_utf8(&text[from..]))) {
        Some((from, Err(error))) if error.error_len().is_none() => from,
        _ => text.len(),
    }
}
