//! Cutting text into pretokens by a pattern.
//!
//! A pattern is compiled, never hand-coded: `parse` makes its tree, `program` an ordered graph of operations,
//! `classes` the partition of Unicode that the pattern needs, `lookahead` one backward automaton for each
//! look-ahead of more than one symbol, `automaton` the table, and `scan` runs it, linear in the text. What is not
//! regular goes to `backtrack`.
//!
//! An invalid byte is one character, which sets treat as a surrogate: it belongs to a set that holds both neighbours of
//! the surrogates, U+D7FF and U+E000; so `.`, `[^a]` and `\P{L}` match it, `\s`, `\p{L}` and `\p{N}` do not.
//!
//! Boundaries are the starts and ends of all matches. Text between two matches is a pretoken too, so nothing is lost; a
//! match of nothing is a boundary, and the search goes on one character later. `$` is the end of the text, as `\z` is.
//! A pattern may have stages (`stages`).

mod automaton;
mod backtrack;
mod blocks;
mod budget;
mod classes;
mod lookahead;
mod minimal;
mod parse;
mod parses;
pub mod presets;
mod program;
mod proven;
mod scan;
mod settle;
mod simd;
mod spelled;
mod stages;
mod syntax;

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use crate::error::{Error, Report, Result};
use backtrack::Backtracker;
use blocks::Blocks;
use budget::Budget;
use program::Refusal;
use proven::Proofs;
use scan::Scanner;
use simd::Fast;
pub use simd::Path;
pub(crate) use simd::Room;
use stages::Stages;

/// The longest pattern, in bytes.
pub const MAX_PATTERN: usize = 1 << 15;

/// Where a pretoken lies, and which alternative of the pattern matched it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pretoken {
    /// Its first byte.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
    /// The index of the top-level alternative that matched; `None` for text that none matched.
    pub alternative: Option<u16>,
}

/// What serves a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Engine {
    /// No pattern: the text is one pretoken.
    Whole,
    /// Words between white space; the white space is dropped (characters mode).
    WhiteSpace,
    /// A compiled automaton, linear in the text.
    Automaton {
        /// Its states.
        states: usize,
        /// The classes of characters that the pattern can tell apart.
        classes: usize,
    },
    /// A backtracking regular-expression engine, with a limit.
    Backtracking {
        /// Why the pattern could not be compiled to an automaton.
        reason: String,
    },
}

/// A compiled pattern, and whether only its matches are pretokens. Cheap to clone, safe to share.
///
/// ```
/// use std::ops::ControlFlow;
/// use bytepair::Splitter;
///
/// let splitter = Splitter::new(r" ?\p{L}+|\p{N}{1,3}")?;
/// let text = "two words, 1234";
/// let mut pieces = Vec::new();
/// splitter.split(text.as_bytes(), |p| {
///     pieces.push((&text[p.start..p.end], p.alternative));
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!(pieces, [("two", Some(0)), (" words", Some(0)), (", ", None), ("123", Some(1)), ("4", Some(1))]);
/// # Ok::<(), bytepair::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Splitter(Arc<Compiled>, bool);

#[derive(Debug)]
struct Compiled {
    pattern: Option<String>,
    alternatives: Vec<String>,
    means: Means,
}

#[derive(Debug)]
enum Means {
    Whole,
    WhiteSpace,
    Automaton(Box<Regular>),
    Backtracking { backtracker: Box<Backtracker>, reason: String },
    Staged(Stages),
}

/// A pattern with an automaton, and what is derived from it when it is first needed.
#[derive(Debug)]
struct Regular {
    scanner: Scanner,
    allowed: fn(&Path) -> bool,
    proofs: OnceLock<std::result::Result<Proofs, &'static str>>,
    fast: OnceLock<Fast>,
}

impl Regular {
    fn proofs(&self) -> std::result::Result<&Proofs, &'static str> {
        self.proofs.get_or_init(|| Proofs::new(&self.scanner)).as_ref().map_err(|reason| *reason)
    }

    fn fast(&self) -> &Fast {
        self.fast.get_or_init(|| Fast::new(&self.scanner, || self.proofs(), self.allowed))
    }
}

impl Splitter {
    /// Compiles a pattern: a regular expression (for a preset's see [`presets::pattern`]), or several with `(?then)` between
    /// two, of which each splits the pieces of the one before. Takes a few milliseconds.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use bytepair::Splitter;
    ///
    /// let mut pieces = Vec::new();
    /// Splitter::new(r"[0-9](?then)(?kept)\w+")?.split(b"ab12, c", |piece| {
    ///     pieces.push((piece.start, piece.end));
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(pieces, [(0, 2), (2, 3), (3, 4), (6, 7)]);
    /// # Ok::<(), bytepair::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Pattern`] when it is not a regular expression or too large.
    pub fn new(pattern: &str) -> Result<Self> {
        Self::with_paths(pattern, |_| true)
    }

    /// The same with only the paths that a test allows; nothing keeps the scalar path away.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    #[doc(hidden)]
    pub fn with_paths(pattern: &str, allowed: fn(&Path) -> bool) -> Result<Self> {
        if pattern.len() > MAX_PATTERN {
            return Err(Error::Pattern(Report::new(
                format!("the pattern is {} bytes long; {MAX_PATTERN} are allowed", pattern.len()),
                "shorten it, for instance by naming classes such as \\p{L} instead of characters",
            )));
        }
        if let Some(stages) = Stages::new(pattern, |source| Self::single(source, allowed))? {
            let alternatives = stages.alternatives();
            let compiled = Compiled { pattern: Some(pattern.to_owned()), alternatives, means: Means::Staged(stages) };
            return Ok(Self(Arc::new(compiled), false));
        }
        Self::single(pattern, allowed)
    }

    /// A pattern of one stage.
    fn single(pattern: &str, allowed: fn(&Path) -> bool) -> Result<Self> {
        let mut budget = Budget::new();
        let compiled = parse::parse(pattern, &mut budget).map_err(Refusal::Unsupported).and_then(|tree| {
            let scanner = Scanner::new(&tree, &mut budget)?;
            Ok((scanner, tree.alternatives.into_iter().map(|(source, _)| source).collect()))
        });
        let (means, alternatives) = match compiled {
            Ok((scanner, alternatives)) => {
                let regular = Regular { scanner, allowed, proofs: OnceLock::new(), fast: OnceLock::new() };
                (Means::Automaton(Box::new(regular)), alternatives)
            }
            Err(Refusal::Unsupported(reason)) => {
                let backtracker = Backtracker::new(pattern).map_err(|problem| not_a_pattern(pattern, &problem))?;
                let alternatives = backtracker.alternatives().to_vec();
                (Means::Backtracking { backtracker: Box::new(backtracker), reason }, alternatives)
            }
            Err(Refusal::TooLarge(problem)) => {
                return Err(Error::Pattern(Report::new(
                    format!("the pattern `{}` is too large: {problem}", shorten(pattern)),
                    "lower the bounds of its repetitions, or use `*` or `+`",
                )));
            }
        };
        Ok(Self(Arc::new(Compiled { pattern: Some(pattern.to_owned()), alternatives, means }), false))
    }

    /// The same splitter, for which only what an alternative matches is a pretoken: the text between is dropped.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use bytepair::Splitter;
    ///
    /// let mut words = Vec::new();
    /// Splitter::new(r"\p{L}+")?.matches_only().split(b"two, words", |word| {
    ///     words.push((word.start, word.end));
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(words, [(0, 3), (5, 10)]);
    /// # Ok::<(), bytepair::Error>(())
    /// ```
    #[must_use]
    pub fn matches_only(self) -> Self {
        Self(self.0, true)
    }

    /// Whether [`matches_only`](Self::matches_only) was said of it.
    pub(crate) fn gives_matches_only(&self) -> bool {
        self.1
    }

    /// No pattern: the text is one pretoken.
    pub fn whole() -> Self {
        Self(Arc::new(Compiled { pattern: None, alternatives: Vec::new(), means: Means::Whole }), false)
    }

    /// Words between white space (Unicode's `White_Space`), which is dropped (characters mode).
    pub fn white_space() -> Self {
        Self(Arc::new(Compiled { pattern: None, alternatives: Vec::new(), means: Means::WhiteSpace }), false)
    }

    /// The pattern as it was given; `None` for [`whole`](Self::whole) and [`white_space`](Self::white_space).
    pub fn pattern(&self) -> Option<&str> {
        self.0.pattern.as_deref()
    }

    /// The source of each top-level alternative, in order; empty without a pattern. A pattern for the
    /// backtracking engine whose alternatives cannot be told apart counts as one.
    pub fn alternatives(&self) -> &[String] {
        &self.0.alternatives
    }

    /// What serves the pattern, and why.
    pub fn engine(&self) -> Engine {
        match &self.0.means {
            Means::Whole => Engine::Whole,
            Means::WhiteSpace => Engine::WhiteSpace,
            Means::Automaton(regular) => {
                Engine::Automaton { states: regular.scanner.states(), classes: regular.scanner.classes() }
            }
            Means::Backtracking { reason, .. } => Engine::Backtracking { reason: reason.clone() },
            Means::Staged(stages) => stages.engine(),
        }
    }

    /// Whether some of a text is in no pretoken.
    pub(crate) fn drops_text(&self) -> bool {
        let drops = match &self.0.means {
            Means::WhiteSpace => true,
            Means::Staged(stages) => stages.drop_text(),
            Means::Whole | Means::Automaton(_) | Means::Backtracking { .. } => false,
        };
        self.1 || drops
    }

    /// How [`cuts`](Self::cuts) finds boundaries, and why not faster.
    ///
    /// ```
    /// use bytepair::{Splitter, split::Path};
    ///
    /// let grouped = Splitter::new(r"\d{1,3}(?=(?:\d{3})*\b)|\D+")?;
    /// assert!(matches!(grouped.path(), Path::Scalar { .. }));
    /// # Ok::<(), bytepair::Error>(())
    /// ```
    pub fn path(&self) -> Path {
        let reason = match &self.0.means {
            Means::Automaton(regular) => return regular.fast().path(),
            Means::Staged(_) => "it splits in stages",
            Means::Whole => "there is no pattern",
            Means::WhiteSpace => "words between white space",
            Means::Backtracking { reason, .. } => reason,
        };
        Path::Scalar { reason: reason.to_owned() }
    }

    /// Calls `each` with every boundary of `text` but its first position, in blocks: `each(base, ends)` says that the next
    /// pretokens end at `base + ends[0]`, `base + ends[1]` and so on, each beginning where the one before it ends; the
    /// last ends with the text. A block holds about a thousand at most. Faster than [`split`](Self::split), as alternatives are not named.
    ///
    /// Under [`white_space`](Self::white_space) and [`matches_only`](Self::matches_only), what lies between words is given as
    /// if it were a word.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use bytepair::Splitter;
    ///
    /// let splitter = Splitter::new(r" ?\p{L}+|\p{N}{1,3}")?;
    /// let mut all = Vec::new();
    /// splitter.cuts(b"two words, 1234", |base, ends| {
    ///     all.extend(ends.iter().map(|&end| base + end as usize));
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(all, [3, 9, 11, 14, 15]);
    /// # Ok::<(), bytepair::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Pattern`] when a backtracking pattern reaches its limit.
    pub fn cuts(&self, text: &[u8], each: impl FnMut(usize, &[u32]) -> ControlFlow<()>) -> Result<()> {
        self.cuts_part(text, 0, &mut Room::default(), each)
    }

    /// The same for a part of a text that starts at byte `base` of it, which only an error shows, in memory that may have
    /// served before.
    pub(crate) fn cuts_part(
        &self,
        text: &[u8],
        base: usize,
        room: &mut Room,
        mut each: impl FnMut(usize, &[u32]) -> ControlFlow<()>,
    ) -> Result<()> {
        if let Means::Automaton(regular) = &self.0.means
            && regular.fast().cuts(&regular.scanner, text, room, &mut each).is_some()
        {
            return Ok(());
        }
        let mut blocks = Blocks::new(text.len(), each);
        let (mut last, mut broken) = (0, ControlFlow::Continue(()));
        self.split_part(text, base, |pretoken| {
            if last < pretoken.start {
                broken = blocks.push(pretoken.start);
            }
            if broken.is_continue() {
                broken = blocks.push(pretoken.end);
            }
            last = pretoken.end;
            broken
        })?;
        if broken.is_continue() && last < text.len() {
            broken = blocks.push(text.len());
        }
        if broken.is_continue() {
            let _ = blocks.flush();
        }
        Ok(())
    }

    /// The position nearest to `around`, at most `within` bytes away, at which `text` may be taken apart: the boundaries of
    /// both parts, each split as a text of its own, are those of the whole. `None` if none can be proven: there is none in
    /// a run of one kind, nor for a pattern that tells the start of the text from other places, is not regular or is very large.
    ///
    /// ```
    /// use bytepair::{Splitter, split::presets};
    ///
    /// let splitter = Splitter::new(presets::CL100K)?;
    /// assert_eq!(splitter.cut_near(b"some words and 123456", 12, 4), Some(10));
    /// assert_eq!(splitter.cut_near(b"12345678901234567890", 10, 4), None, "digits are counted from their first");
    /// # Ok::<(), bytepair::Error>(())
    /// ```
    pub fn cut_near(&self, text: &[u8], around: usize, within: usize) -> Option<usize> {
        match &self.0.means {
            Means::Automaton(regular) => regular.proofs().ok()?.near(&regular.scanner, text, around, within),
            Means::WhiteSpace => proven::nearest(text, around, within, |at| proven::begins_a_word(text, at, false)),
            Means::Staged(stages) => stages.first()?.cut_near(text, around, within),
            Means::Whole | Means::Backtracking { .. } => None,
        }
    }

    /// How much of a text that may go on is settled: up to this boundary, the boundaries are the same however the text goes on, or
    /// if it ends there; and the rest, with all that follows, may be split as a text of its own. 0 if nothing is, as always for
    /// a pattern that is not regular or tells the start of the text from other places.
    ///
    /// ```
    /// use bytepair::{Splitter, split::presets};
    ///
    /// let splitter = Splitter::new(presets::CL100K)?;
    /// assert_eq!(splitter.settled(b"some words and mo"), "some words and".len());
    /// # Ok::<(), bytepair::Error>(())
    /// ```
    pub fn settled(&self, text: &[u8]) -> usize {
        match &self.0.means {
            Means::Automaton(regular) => {
                // From the start, or from what can be proven without it.
                let far = text.len().saturating_sub(FAR);
                let known = if far == 0 { None } else { self.cut_near(text, far, FAR / 2) };
                let start = known.unwrap_or(0);
                start + regular.scanner.settled(&text[start..])
            }
            Means::WhiteSpace => (0..text.len()).rev().find(|&at| proven::begins_a_word(text, at, true)).unwrap_or(0),
            Means::Staged(stages) => stages.first().map_or(0, |first| first.settled(text)),
            Means::Whole | Means::Backtracking { .. } => 0,
        }
    }

    /// Calls `each` with every pretoken of `text` in order, until it breaks. Except under
    /// [`white_space`](Self::white_space) and [`matches_only`](Self::matches_only), the pretokens are not empty and cover
    /// the text.
    ///
    /// # Errors
    /// [`Error::Pattern`] when a backtracking pattern reaches its limit.
    pub fn split(&self, text: &[u8], each: impl FnMut(Pretoken) -> ControlFlow<()>) -> Result<()> {
        self.split_part(text, 0, each)
    }

    /// The same for a part of a text that starts at byte `base` of it, which only an error shows.
    pub(crate) fn split_part(
        &self,
        text: &[u8],
        base: usize,
        mut each: impl FnMut(Pretoken) -> ControlFlow<()>,
    ) -> Result<()> {
        let all = !self.1;
        let mut each = |pretoken: Pretoken| {
            if all || pretoken.alternative.is_some() { each(pretoken) } else { ControlFlow::Continue(()) }
        };
        match &self.0.means {
            Means::Whole => {
                if !text.is_empty() {
                    let _ = each(Pretoken { start: 0, end: text.len(), alternative: None });
                }
            }
            Means::WhiteSpace => {
                let _ = words(text, each);
            }
            Means::Automaton(regular) => regular.scanner.split(text, each),
            Means::Backtracking { backtracker, .. } => return backtracker.split(text, base, each),
            Means::Staged(stages) => return stages.split(text, base, each),
        }
        Ok(())
    }
}

/// From the end of a text so far back, a boundary is proven rather than found by reading the text from its start.
const FAR: usize = 4096;

/// The words between white space. An invalid byte belongs to a word.
fn words(text: &[u8], mut each: impl FnMut(Pretoken) -> ControlFlow<()>) -> ControlFlow<()> {
    let (mut at, mut start) = (0, None);
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            if !c.is_whitespace() {
                start = start.or(Some(at));
            } else if let Some(start) = start.take() {
                each(Pretoken { start, end: at, alternative: None })?;
            }
            at += c.len_utf8();
        }
        if !chunk.invalid().is_empty() {
            start = start.or(Some(at));
            at += chunk.invalid().len();
        }
    }
    match start {
        Some(start) => each(Pretoken { start, end: at, alternative: None }),
        None => ControlFlow::Continue(()),
    }
}

/// The ranges of code points of a class as a pattern writes it; `None` where it is none.
pub(crate) fn class_ranges(source: &str) -> Option<Vec<(u32, u32)>> {
    syntax::symbols(source, false).ok().map(|symbols| symbols.chars)
}

fn not_a_pattern(pattern: &str, problem: &str) -> Error {
    Error::Pattern(Report::new(
        format!("the pattern `{}` cannot be used: {problem}", shorten(pattern)),
        "give the name of a preset or a regular expression; characters such as ( [ { . * + ? | stand for \
         themselves after a backslash",
    ))
}

/// A pattern for a message: at most 200 characters of it.
fn shorten(pattern: &str) -> String {
    match pattern.char_indices().nth(200) {
        Some((end, _)) => format!("{}..", &pattern[..end]),
        None => pattern.to_owned(),
    }
}
