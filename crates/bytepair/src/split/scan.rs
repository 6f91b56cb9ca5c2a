//! Runs the automaton over a text: the scalar path, and the ground truth of every faster one.
//!
//! From each boundary the automaton runs until it is dead; the last match that it announced is the pretoken.
//! Where it announced none, one symbol becomes part of a gap. Nearly always the match ends at the very symbol at which
//! the automaton dies, and the table then leads straight into the next pretoken, so that one loop reads the text from
//! pretoken to pretoken ([`Scanner::stream`]); everything else is a run of its own ([`Scanner::run`]).
//!
//! A run may go far past the last match and come back (`a*b|a` looks through all the `a`s for a `b`), and the
//! next run may do so again. So a run that went more than [`FAR`] bytes too far is repeated with a notebook:
//! the (state, position) pairs from which no further match was announced are remembered, one in [`BLOCK`]
//! bytes, and later runs stop there (Reps, 1998). Each pair fails at most once, so the scan is linear.
//!
//! Cost: one table look-up per symbol; the notebook is touched only after a far run.

mod even;

use std::ops::ControlFlow;

use rustc_hash::FxHashSet;

use super::Pretoken;
use super::automaton::{Automaton, CUT, MATCH};
use super::budget::Budget;
use super::classes::Classes;
use super::lookahead::{Answers, LookAheads};
use super::parse::Pattern;
use super::program::{Program, Refusal};

/// A run this many bytes past its last match is worth remembering.
const FAR: usize = 64;
/// One position is remembered in a block of this many bytes.
const BLOCK: usize = 32;

/// Everything that is needed to split a text by a pattern in linear time.
#[derive(Debug)]
pub(super) struct Scanner {
    classes: Classes,
    automaton: Automaton,
    looks: LookAheads,
}

/// What one run of the automaton found.
#[derive(Debug, Clone, Copy)]
struct Run {
    /// The end of the match and its entry in the table.
    found: Option<(usize, usize)>,
    /// Where the automaton stopped.
    reached: usize,
}

impl Scanner {
    /// Compiles a pattern's tree.
    ///
    /// # Errors
    /// Why there is no automaton for it.
    pub fn new(pattern: &Pattern, budget: &mut Budget) -> Result<Self, Refusal> {
        let program = Program::new(pattern, budget)?;
        budget.spend(Classes::steps(&program.sets))?;
        let classes = Classes::new(&program.sets)
            .ok_or_else(|| Refusal::Unsupported("it tells too many classes of characters apart".to_owned()))?;
        let looks = LookAheads::new(&program.looks, &classes, budget)?;
        let automaton = Automaton::new(&program.code, &classes, looks.count(), budget)?;
        Ok(Self { classes, automaton, looks })
    }

    /// The states of the automaton.
    pub fn states(&self) -> usize {
        self.automaton.states
    }

    /// The classes of symbols, END not counted.
    pub fn classes(&self) -> usize {
        self.classes.count()
    }

    /// Calls `each` with every pretoken until it breaks.
    pub fn split(&self, text: &[u8], mut each: impl FnMut(Pretoken) -> ControlFlow<()>) {
        let _ = if self.looks.count() == 0 {
            self.scan::<false>(text, &Answers::default(), &mut each)
        } else {
            self.scan::<true>(text, &self.looks.answers(&self.classes, text), &mut each)
        };
    }

    /// The classes of symbols, and the automaton; `None` when it needs to know what look-aheads found.
    pub fn tables(&self) -> Option<(&Classes, &Automaton)> {
        (self.looks.count() == 0).then_some((&self.classes, &self.automaton))
    }

    /// The first boundary after a boundary `start`, for a pattern without long look-aheads. In one text the boundaries
    /// must rise from call to call, with one notebook: then all calls together are linear.
    pub fn next_boundary(&self, text: &[u8], start: usize, failed: &mut Failed) -> usize {
        let (answers, mut at) = (Answers::default(), start);
        while at < text.len() {
            let run = self.run_linear::<false>(text, &answers, at, failed);
            // A match that starts behind a gap is a boundary, even if it is empty.
            match run.found {
                Some(_) if at > start => return at,
                Some((end, _)) if end > start => return end,
                _ => {}
            }
            at += self.classes.at(text, at).map_or(1, |(_, length)| length);
        }
        text.len()
    }

    /// Calls `each` with the boundaries after a boundary `start` that lie before `stop`, and gives the next one. The same holds as
    /// for [`next_boundary`](Self::next_boundary), which is the faster for one boundary.
    pub fn boundaries(
        &self,
        text: &[u8],
        mut start: usize,
        stop: usize,
        failed: &mut Failed,
        mut each: impl FnMut(usize),
    ) -> usize {
        loop {
            if !failed.covers(start) {
                start = self.evenly(text, start, stop, &mut each);
                if start >= stop {
                    return start;
                }
                let begin = start;
                let mut push = |pretoken: Pretoken| {
                    start = pretoken.end;
                    if start >= stop {
                        return ControlFlow::Break(());
                    }
                    each(start);
                    ControlFlow::Continue(())
                };
                if self.stream::<false>(text, &Answers::default(), begin, &mut push).is_break() {
                    return start;
                }
            }
            start = self.next_boundary(text, start, failed);
            if start >= stop {
                return start;
            }
            each(start);
        }
    }

    /// Calls `each` with every boundary that a text has whatever follows it, and with the last byte at which what was read to
    /// find it, and those before it, begins. Gives none for a pattern that tells the start of the text from other places.
    pub fn certain(&self, text: &[u8], mut each: impl FnMut(usize, usize)) {
        if self.automaton.first != self.automaton.start {
            return;
        }
        if self.looks.count() == 0 {
            self.certain_by::<false>(text, &Answers::default(), &mut each);
        } else {
            let (answers, known) = self.looks.certain(&self.classes, text);
            self.certain_by::<true>(&text[..known], &answers, &mut each);
        }
    }

    /// Before which position of a text nothing can look past its end.
    pub fn sight(&self, text: &[u8]) -> usize {
        if self.looks.count() == 0 { text.len() } else { self.looks.certain(&self.classes, text).1 }
    }

    fn certain_by<const LOOKS: bool>(&self, text: &[u8], answers: &Answers, each: &mut impl FnMut(usize, usize)) {
        let (mut failed, mut start, mut read) = (Failed::default(), 0, 0);
        loop {
            if !failed.covers(start) {
                let mut push = |pretoken: Pretoken| {
                    each(pretoken.end, read.max(pretoken.end));
                    ControlFlow::Continue(())
                };
                let ControlFlow::Continue(at) = self.stream::<LOOKS>(text, answers, start, &mut push) else {
                    return;
                };
                (start, read) = (at, read.max(at));
            }
            let Some(next) = self.next_certain::<LOOKS>(text, answers, start, &mut failed, &mut read) else { return };
            start = next;
            each(start, read);
        }
    }

    /// As [`next_boundary`](Self::next_boundary), unless that depends on what follows the text: where a run has read all of it.
    fn next_certain<const LOOKS: bool>(
        &self,
        text: &[u8],
        answers: &Answers,
        start: usize,
        failed: &mut Failed,
        read: &mut usize,
    ) -> Option<usize> {
        let mut at = start;
        while at < text.len() {
            let run = self.run_linear::<LOOKS>(text, answers, at, failed);
            *read = run.reached.max(*read);
            if run.reached >= text.len() {
                return None;
            }
            match run.found {
                Some(_) if at > start => return Some(at),
                Some((end, _)) if end > start => return Some(end),
                _ => at += self.classes.at(text, at).map_or(1, |(_, length)| length),
            }
        }
        None
    }

    fn scan<const LOOKS: bool>(
        &self,
        text: &[u8],
        answers: &Answers,
        each: &mut impl FnMut(Pretoken) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut failed = Failed::default();
        let (mut at, mut gap) = (0, 0);
        while at < text.len() {
            if gap == at && !failed.covers(at) {
                at = self.stream::<LOOKS>(text, answers, at, each)?;
                gap = at;
            }
            let run = self.run_linear::<LOOKS>(text, answers, at, &mut failed);
            let end = run.end(at);
            if let Some((_, entry)) = run.found {
                if gap < at {
                    each(Pretoken { start: gap, end: at, alternative: None })?;
                }
                if at < end {
                    let alternative = Some(self.automaton.alternatives[entry]);
                    each(Pretoken { start: at, end, alternative })?;
                }
                gap = end;
            }
            at = if end > at { end } else { at + self.classes.at(text, at).map_or(1, |(_, length)| length) };
        }
        if gap < text.len() {
            each(Pretoken { start: gap, end: text.len(), alternative: None })?;
        }
        ControlFlow::Continue(())
    }

    /// The row to begin with at a position.
    fn start(&self, at: usize) -> u32 {
        if at == 0 { self.automaton.first } else { self.automaton.start }
    }

    /// From a boundary on, gives pretokens as long as each ends where the automaton dies; returns the first boundary from
    /// which this is not so.
    #[inline]
    fn stream<const LOOKS: bool>(
        &self,
        text: &[u8],
        answers: &Answers,
        mut start: usize,
        each: &mut impl FnMut(Pretoken) -> ControlFlow<()>,
    ) -> ControlFlow<(), usize> {
        let (mut at, mut row, begin) = (start, self.start(start), start);
        while at < text.len() {
            let (place, length) = self.entry::<LOOKS>(text, answers, at, row);
            let entry = self.automaton.table[place];
            if entry & CUT != 0 {
                let alternative = Some(self.automaton.alternatives[place]);
                each(Pretoken { start, end: at, alternative })?;
                start = at;
            }
            row = entry >> 2;
            if row == 0 {
                break;
            }
            at += length;
        }
        count(at - begin);
        ControlFlow::Continue(start)
    }

    /// The entry of the table for what stands at a position, and the length of it.
    #[inline]
    fn entry<const LOOKS: bool>(&self, text: &[u8], answers: &Answers, at: usize, row: u32) -> (usize, usize) {
        let (class, length) = match self.classes.at(text, at) {
            Some((class, length)) => (usize::from(class), length),
            None => (self.classes.count(), 0),
        };
        let symbol = if LOOKS { class << self.automaton.bits | answers.at(at) } else { class };
        (row as usize + symbol, length)
    }

    /// One run from a position, with the notebook where it is needed.
    fn run_linear<const LOOKS: bool>(&self, text: &[u8], answers: &Answers, at: usize, failed: &mut Failed) -> Run {
        let row = self.start(at);
        if !failed.covers(at) {
            let run = self.run::<LOOKS>(text, answers, at, row, None);
            count(run.reached - at + 1);
            if run.reached - run.end(at) <= FAR {
                return run;
            }
        }
        let run = self.run::<LOOKS>(text, answers, at, row, Some(failed));
        count(run.reached - at + 1);
        run
    }

    /// One run of the automaton. With a notebook it stops where an earlier run failed, and notes where this one did.
    fn run<const LOOKS: bool>(
        &self,
        text: &[u8],
        answers: &Answers,
        mut at: usize,
        mut row: u32,
        failed: Option<&mut Failed>,
    ) -> Run {
        let (mut found, mut last, mut block) = (None, at, usize::MAX);
        let mut notes = Vec::new();
        loop {
            if let Some(failed) = failed.as_deref().filter(|_| at / BLOCK != block) {
                block = at / BLOCK;
                if failed.holds(row, at) {
                    break;
                }
                notes.push((row, at));
            }
            let (place, length) = self.entry::<LOOKS>(text, answers, at, row);
            let entry = self.automaton.table[place];
            if entry & MATCH != 0 {
                (found, last) = (Some((at, place)), at);
                notes.clear();
            }
            row = if entry & CUT == 0 { entry >> 2 } else { 0 };
            if row == 0 {
                break;
            }
            at += length;
        }
        if let Some(failed) = failed.filter(|_| at - last > FAR) {
            failed.note(&notes);
        }
        Run { found, reached: at }
    }
}

impl Run {
    /// Where the match ends, or where the run began if there was none.
    fn end(self, start: usize) -> usize {
        self.found.map_or(start, |(end, _)| end)
    }
}

/// For the tests: adds up the bytes that this thread's runs read.
#[inline]
fn count(#[allow(unused_variables)] bytes: usize) {
    #[cfg(test)]
    WORK.set(WORK.get() + bytes);
}

#[cfg(test)]
thread_local! {
    static WORK: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The notebook: (row, position) pairs from which no match is announced.
#[derive(Debug, Default)]
pub(super) struct Failed {
    pairs: FxHashSet<(u32, usize)>,
    last: usize,
}

impl Failed {
    /// Whether anything is noted at a position or after it; forgets what lies behind.
    #[inline]
    fn covers(&mut self, at: usize) -> bool {
        if self.last < at && !self.pairs.is_empty() {
            self.pairs.clear();
        }
        !self.pairs.is_empty()
    }

    fn holds(&self, row: u32, at: usize) -> bool {
        self.pairs.contains(&(row, at))
    }

    fn note(&mut self, pairs: &[(u32, usize)]) {
        self.pairs.extend(pairs);
        self.last = pairs.iter().map(|&(_, at)| at).fold(self.last, usize::max);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a test's way to fail
mod tests {
    use super::*;
    use crate::split::presets::PRESETS;
    use crate::split::{Path, Splitter};

    const PATTERNS: [&str; 12] = [
        "a*b|a",
        "(?:ab)*c|a|b",
        "(?s:.)*c|a|b",
        r"a{1,50}c|a",
        r"(?:a|b)*c|ab|a|b",
        "a*?b|.",
        "a+b",
        "(a*)b|(aa)*c|a",
        r"\s+x|\s|\S+",
        r"[^c]*c|\p{L}+|\s|.",
        r"a(?=a*b)|a|b",
        r"",
    ];
    const KINDS: [&str; 19] = [
        "a", "é", "中", "🙂", " ", "\n", "\r\n", "1", "'", "!", "ab", "aab", " a", "\n ", "a'", "'s", "1a", "中 ",
        "a\u{301}",
    ];

    /// The bytes that runs read while something is done.
    fn work(done: impl FnOnce()) -> usize {
        let before = WORK.get();
        done();
        WORK.get() - before
    }

    /// However a text is cut, the automaton reads a bounded number of bytes for each byte of it.
    #[test]
    fn the_work_per_byte_is_bounded() {
        let allowed: [fn(&Path) -> bool; 3] =
            [|path| *path == Path::Avx512, |path| *path == Path::Avx2, |path| matches!(path, Path::Scalar { .. })];
        for pattern in PATTERNS.into_iter().chain(PRESETS.map(|(_, pattern)| pattern)) {
            let splitters = allowed.map(|allowed| Splitter::with_paths(pattern, allowed).unwrap());
            for kind in KINDS {
                let text = kind.repeat(100_000 / kind.chars().count());
                let split = || splitters[0].split(text.as_bytes(), |_| ControlFlow::Continue(())).unwrap();
                let effort = work(split) / text.len();
                assert!(effort < 200, "{pattern} on {kind:?}: {effort} bytes read for each byte");
                for splitter in &splitters {
                    let cuts = || splitter.cuts(text.as_bytes(), |_, _| ControlFlow::Continue(())).unwrap();
                    let effort = work(cuts) / text.len();
                    assert!(
                        effort < 200,
                        "{} {pattern} on {kind:?}: {effort} bytes read for each byte",
                        splitter.path()
                    );
                }
            }
        }
    }
}
