//! Patterns that split in stages: each splits the pieces of the one before it.
//!
//! `a(?then)b` is two patterns: `b` sees each piece that `a` made, a match or what lies between two, as a text of its own;
//! so its look-ahead sees the end of the piece as the end of the text. A stage may begin with what becomes of its
//! matches: `(?kept)`: only they remain; `(?removed)`: only what lies between remains; `(?joined)`: matches that follow each other
//! are one piece; `(?with-previous)` and `(?with-next)`: a match belongs to what lies before it, or behind it. Before that
//! may stand `(?spelled)`: the stage sees bytes as byte-level files spell them ([`spelled`](super::spelled)). None of these is
//! a regular expression otherwise. `(?then)` separates wherever it stands but in brackets and behind a backslash, where
//! it is made of characters; so nothing changes its meaning but a comment that holds it or a bracket.
//!
//! Each stage is compiled on its own, and is linear where it is regular; a piece costs a call for each stage.

use std::ops::ControlFlow;

use super::spelled::{Positions, spelled};
use super::{Engine, Pretoken, Splitter};
use crate::error::{Error, Report, Result};

/// What separates stages.
const THEN: &str = "(?then)";

/// What a stage begins with that sees the spelling of bytes.
const SPELLED: &str = "(?spelled)";

/// The most stages of a pattern.
const MOST: usize = 16;

/// What becomes of the matches of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Isolated,
    Kept,
    Removed,
    Joined,
    WithPrevious,
    WithNext,
}

const FATES: [(&str, Fate); 5] = [
    ("(?kept)", Fate::Kept),
    ("(?removed)", Fate::Removed),
    ("(?joined)", Fate::Joined),
    ("(?with-previous)", Fate::WithPrevious),
    ("(?with-next)", Fate::WithNext),
];

#[derive(Debug)]
struct Stage {
    splitter: Splitter,
    fate: Fate,
    /// Whether it sees the spelling of bytes.
    spelled: bool,
    /// How many alternatives the stages before have.
    before: u16,
}

/// The stages of a pattern.
#[derive(Debug)]
pub(super) struct Stages(Vec<Stage>);

impl Stages {
    /// The stages of a pattern; `None` for a pattern that has but one, of the usual kind.
    pub(super) fn new(pattern: &str, compile: impl Fn(&str) -> Result<Splitter>) -> Result<Option<Self>> {
        let sources = sources(pattern);
        let marks = FATES.map(|(mark, _)| mark);
        if sources.len() == 1 && !marks.iter().chain(&[SPELLED]).any(|mark| pattern.starts_with(mark)) {
            return Ok(None);
        }
        if sources.len() > MOST {
            return Err(Error::Pattern(Report::new(
                format!("the pattern has more than {MOST} stages"),
                "write some of them as one, as alternatives with `|`",
            )));
        }
        let (mut stages, mut before) = (Vec::new(), 0);
        for source in sources {
            let bare = source.strip_prefix(SPELLED);
            let (source, spelled) = (bare.unwrap_or(source), bare.is_some());
            let found = FATES.iter().find_map(|&(mark, fate)| Some((source.strip_prefix(mark)?, fate)));
            let (source, fate) = found.unwrap_or((source, Fate::Isolated));
            let splitter = compile(source)?;
            // A pattern is short enough for that.
            let alternatives = u16::try_from(splitter.alternatives().len()).unwrap_or(u16::MAX);
            stages.push(Stage { splitter, fate, spelled, before });
            before = before.saturating_add(alternatives);
        }
        Ok(Some(Self(stages)))
    }

    /// The alternatives of all stages, one stage after the other.
    pub(super) fn alternatives(&self) -> Vec<String> {
        self.0.iter().flat_map(|stage| stage.splitter.alternatives()).cloned().collect()
    }

    /// Whether some of a text is in no piece.
    pub(super) fn drop_text(&self) -> bool {
        self.0.iter().any(|stage| matches!(stage.fate, Fate::Kept | Fate::Removed))
    }

    /// What serves the stages: automata, in all so large; or backtracking, where it serves one.
    pub(super) fn engine(&self) -> Engine {
        let mut sum = (0, 0);
        for stage in &self.0 {
            match stage.splitter.engine() {
                Engine::Automaton { states, classes } => sum = (sum.0 + states, sum.1 + classes),
                other => return other,
            }
        }
        Engine::Automaton { states: sum.0, classes: sum.1 }
    }

    /// The first stage, if its boundaries are boundaries of the whole: then so are its proofs about them.
    pub(super) fn first(&self) -> Option<&Splitter> {
        let first = self.0.first()?;
        let settles = matches!(first.fate, Fate::Isolated | Fate::Kept | Fate::Removed) && !first.spelled;
        settles.then_some(&first.splitter)
    }

    /// Calls `each` with every piece, until it breaks. A piece is of the alternative of the last stage that matched it.
    pub(super) fn split(
        &self,
        text: &[u8],
        base: usize,
        mut each: impl FnMut(Pretoken) -> ControlFlow<()>,
    ) -> Result<()> {
        let whole = Pretoken { start: 0, end: text.len(), alternative: None };
        run(&self.0, text, base, whole, &mut each).map(|_| ())
    }
}

/// What each stage of a pattern says.
fn sources(pattern: &str) -> Vec<&str> {
    let bytes = pattern.as_bytes();
    let (mut sources, mut start, mut at, mut open) = (Vec::new(), 0, 0, 0usize);
    while let Some(byte) = bytes.get(at) {
        if open == 0 && bytes[at..].starts_with(THEN.as_bytes()) {
            sources.push(&pattern[start..at]);
            start = at + THEN.len();
            at = start;
            continue;
        }
        at += 1;
        match byte {
            b'\\' => at += 1,
            b'[' => {
                open += 1;
                // At the beginning a bracket closes nothing.
                for sign in b"^]" {
                    at += usize::from(bytes.get(at) == Some(sign));
                }
            }
            b']' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    sources.push(&pattern[start..]);
    sources
}

/// Splits a piece of a text by these stages: as deep as there are stages.
fn run(
    stages: &[Stage],
    text: &[u8],
    base: usize,
    piece: Pretoken,
    each: &mut dyn FnMut(Pretoken) -> ControlFlow<()>,
) -> Result<ControlFlow<()>> {
    let Some((stage, rest)) = stages.split_first() else { return Ok(each(piece)) };
    let (mut flow, mut failed) = (ControlFlow::Continue(()), Ok(()));
    let mut next = |found: Pretoken| {
        let alternative = found.alternative.map(|at| stage.before.saturating_add(at)).or(piece.alternative);
        let found = Pretoken { start: piece.start + found.start, end: piece.start + found.end, alternative };
        match run(rest, text, base, found, each) {
            Ok(done) => flow = done,
            Err(error) => {
                failed = Err(error);
                flow = ControlFlow::Break(());
            }
        }
        flow
    };
    let mut fated = Fated { fate: stage.fate, held: None, each: &mut next };
    let part = &text[piece.start..piece.end];
    if let Some(shown) = stage.spelled.then(|| spelled(part)).flatten() {
        let mut positions = Positions::new(&shown);
        stage.splitter.split_part(&shown, base + piece.start, |found| fated.push(positions.piece(found)))?;
    } else {
        stage.splitter.split_part(part, base + piece.start, |found| fated.push(found))?;
    }
    fated.end();
    failed.map(|()| flow)
}

/// Passes on what becomes of matches and of what lies between.
struct Fated<'a> {
    fate: Fate,
    /// The last piece, where what follows may belong to it, and whether a match does.
    held: Option<(Pretoken, bool)>,
    each: &'a mut dyn FnMut(Pretoken) -> ControlFlow<()>,
}

impl Fated<'_> {
    fn push(&mut self, found: Pretoken) -> ControlFlow<()> {
        let is_match = found.alternative.is_some();
        let joins = match (self.fate, self.held) {
            (Fate::Isolated, _) => return (self.each)(found),
            (Fate::Kept, _) => return if is_match { (self.each)(found) } else { ControlFlow::Continue(()) },
            (Fate::Removed, _) => return if is_match { ControlFlow::Continue(()) } else { (self.each)(found) },
            (Fate::Joined | Fate::WithPrevious, Some((_, open))) => open && is_match,
            (Fate::WithNext, Some((_, open))) => open && !is_match,
            (_, None) => false,
        };
        // Open is what the next piece may join: runs of matches; what lies before one match; a match.
        let open = if self.fate == Fate::WithPrevious { !is_match } else { is_match };
        match &mut self.held {
            Some((held, still)) if joins => {
                held.end = found.end;
                held.alternative = held.alternative.or(found.alternative);
                *still = open;
                ControlFlow::Continue(())
            }
            held => {
                let Some((done, _)) = held.replace((found, open)) else { return ControlFlow::Continue(()) };
                let flow = (self.each)(done);
                if flow.is_break() {
                    self.held = None;
                }
                flow
            }
        }
    }

    fn end(&mut self) {
        if let Some((last, _)) = self.held.take() {
            let _ = (self.each)(last);
        }
    }
}
