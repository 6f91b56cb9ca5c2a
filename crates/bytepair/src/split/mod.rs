//! Cutting text into pretokens by a pattern.

use std::ops::ControlFlow;

use crate::error::{Error, Report, Result};

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

/// A compiled pattern. Cheap to clone, safe to share.
#[derive(Debug, Clone)]
pub struct Splitter {
    pattern: Option<String>,
    regex: Option<fancy_regex::Regex>, // stub: replaced by the automaton
    white_space: bool,
}

impl Splitter {
    /// Compiles a pattern (a regular expression; presets are resolved by [`presets`](crate::split)).
    ///
    /// # Errors
    /// [`Error::Pattern`] when it is not a regular expression or too large.
    pub fn new(pattern: &str) -> Result<Self> {
        let regex = fancy_regex::Regex::new(pattern)
            .map_err(|e| Error::Pattern(Report::new(e.to_string(), "see docs/guide")))?;
        Ok(Self { pattern: Some(pattern.to_owned()), regex: Some(regex), white_space: false })
    }

    /// No pattern: the text is one pretoken.
    pub fn whole() -> Self {
        Self { pattern: None, regex: None, white_space: false }
    }

    /// Words between white space, which is dropped (characters mode).
    pub fn white_space() -> Self {
        Self { pattern: None, regex: None, white_space: true }
    }

    /// The pattern as it was given; `None` for [`whole`](Self::whole) and [`white_space`](Self::white_space).
    pub fn pattern(&self) -> Option<&str> {
        self.pattern.as_deref()
    }

    /// The source of each top-level alternative, in order; empty without a pattern.
    pub fn alternatives(&self) -> &[String] {
        &[]
    }

    /// What serves the pattern, and why.
    pub fn engine(&self) -> Engine {
        match (&self.regex, self.white_space) {
            (Some(_), _) => Engine::Backtracking { reason: "stub".to_owned() },
            (None, true) => Engine::WhiteSpace,
            (None, false) => Engine::Whole,
        }
    }

    /// Calls `each` with every pretoken of `text` in order, until it breaks. Except under
    /// [`white_space`](Self::white_space), the pretokens are not empty and cover the text.
    ///
    /// # Errors
    /// [`Error::Pattern`] when a backtracking pattern reaches its limit.
    pub fn split(&self, text: &[u8], mut each: impl FnMut(Pretoken) -> ControlFlow<()>) -> Result<()> {
        if self.white_space {
            let mut at = 0;
            for word in text.split(|b| b.is_ascii_whitespace()) {
                if !word.is_empty() && each(Pretoken { start: at, end: at + word.len(), alternative: None }).is_break()
                {
                    return Ok(());
                }
                at += word.len() + 1;
            }
            return Ok(());
        }
        let (Some(regex), Ok(string)) = (&self.regex, std::str::from_utf8(text)) else {
            if !text.is_empty() {
                let _ = each(Pretoken { start: 0, end: text.len(), alternative: None });
            }
            return Ok(());
        };
        let mut end = 0;
        for found in regex.find_iter(string) {
            let found = found.map_err(|e| Error::Pattern(Report::new(e.to_string(), "shorten the text")))?;
            if found.start() > end && each(Pretoken { start: end, end: found.start(), alternative: None }).is_break() {
                return Ok(());
            }
            if found.end() > found.start()
                && each(Pretoken { start: found.start(), end: found.end(), alternative: Some(0) }).is_break()
            {
                return Ok(());
            }
            end = found.end();
        }
        if end < text.len() {
            let _ = each(Pretoken { start: end, end: text.len(), alternative: None });
        }
        Ok(())
    }
}
