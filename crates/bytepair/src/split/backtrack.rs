//! Patterns that are not regular, or look behind: fancy-regex, within a limit.
//!
//! Boundaries are the starts and ends of all matches, as with the automaton. Which alternative matched is found
//! by asking for ever longer prefixes of the pattern at the same place.
//!
//! fancy-regex reads valid UTF-8 only. An invalid byte `b` is shown to it as the private-use character
//! U+10FE00 + b, which `.`, `[^..]` and `\P{..}` match and `\s`, `\w`, `\p{L}` and `\p{N}` do not, as an invalid
//! byte should. The view is not exact in one point: `\p{C}` and its part `\p{Co}` match it.
//!
//! Cost: exponential in the worst case, so each match may take [`LIMIT`] steps; past it there is a typed error.

use std::ops::ControlFlow;

use fancy_regex::{Regex, RegexBuilder};

use super::Pretoken;
use crate::error::{Error, Report, Result};

/// The most backtracking steps of one match.
pub(super) const LIMIT: usize = 1_000_000;

/// The most alternatives that are told apart.
const MAX_ALTERNATIVES: usize = 64;

/// A pattern compiled by fancy-regex.
#[derive(Debug)]
pub(super) struct Backtracker {
    regex: Regex,
    /// The first alternative, the first two, .. all but the last; each anchored to where the search starts.
    prefixes: Vec<Regex>,
    alternatives: Vec<String>,
}

impl Backtracker {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// What fancy-regex has against it.
    pub fn new(pattern: &str) -> std::result::Result<Self, String> {
        let regex = compile(pattern)?;
        let (prefixes, alternatives) = by_alternative(pattern).unwrap_or((Vec::new(), vec![pattern.to_owned()]));
        Ok(Self { regex, prefixes, alternatives })
    }

    /// The source of each top-level alternative; the whole pattern where they cannot be told apart.
    pub fn alternatives(&self) -> &[String] {
        &self.alternatives
    }

    /// Calls `each` with every pretoken until it breaks.
    pub fn split(&self, text: &[u8], mut each: impl FnMut(Pretoken) -> ControlFlow<()>) -> Result<()> {
        let shown = Shown::new(text);
        let (mut at, mut gap) = (0, 0);
        while at < shown.text.len() {
            let found = self.regex.find_from_pos(&shown.text, at).map_err(|e| gave_up(&e, shown.byte(at)))?;
            let Some(found) = found else { break };
            let (start, end) = (found.start().max(gap), found.end().max(gap));
            for (start, end, matched) in [(gap, start, false), (start, end, true)] {
                if start < end {
                    let alternative = if matched { Some(self.alternative(&shown.text, start, end)?) } else { None };
                    if each(Pretoken { start: shown.byte(start), end: shown.byte(end), alternative }).is_break() {
                        return Ok(());
                    }
                }
            }
            gap = end;
            at = if end > found.start() { end } else { next_character(&shown.text, end) };
        }
        if gap < shown.text.len() {
            let _ = each(Pretoken { start: shown.byte(gap), end: text.len(), alternative: None });
        }
        Ok(())
    }

    fn alternative(&self, text: &str, start: usize, end: usize) -> Result<u16> {
        for (index, prefix) in self.prefixes.iter().enumerate() {
            let found = prefix.find_from_pos(text, start).map_err(|e| gave_up(&e, start))?;
            if found.is_some_and(|found| found.start() == start && found.end() == end) {
                return Ok(u16::try_from(index).unwrap_or(u16::MAX));
            }
        }
        Ok(u16::try_from(self.prefixes.len()).unwrap_or(u16::MAX))
    }
}

fn compile(pattern: &str) -> std::result::Result<Regex, String> {
    RegexBuilder::new(pattern).backtrack_limit(LIMIT).build().map_err(|e| e.to_string())
}

fn gave_up(error: &fancy_regex::Error, at: usize) -> Error {
    Error::Pattern(Report::new(
        format!("the pattern gave up on the text near byte {at}: {error} (limit: {LIMIT} steps for one match)"),
        "write the pattern without look-behind, back references and nested repetitions, so that it becomes an automaton",
    ))
}

fn next_character(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(1, char::len_utf8)
}

/// The top-level alternatives, and a regular expression for each proper prefix of them; `None` where the
/// pattern moves the start of a match, has too many alternatives, or cannot be cut at its bars.
fn by_alternative(pattern: &str) -> Option<(Vec<Regex>, Vec<String>)> {
    if pattern.contains(r"\K") || pattern.contains(r"\G") || pattern.contains(r"\Q") {
        return None;
    }
    let bars = bars(pattern);
    if bars.len() >= MAX_ALTERNATIVES {
        return None;
    }
    let mut alternatives = Vec::new();
    let mut start = 0;
    for &end in bars.iter().chain([&pattern.len()]) {
        alternatives.push(pattern[start..end].to_owned());
        start = end + 1;
    }
    let prefix = |&end: &usize| compile(&format!(r"\G(?:{})", &pattern[..end])).ok();
    let prefixes = bars.iter().map(prefix).collect::<Option<Vec<_>>>()?;
    Some((prefixes, alternatives))
}

/// The places of the bars outside of groups and classes.
fn bars(pattern: &str) -> Vec<usize> {
    let (mut groups, mut classes, mut escaped) = (0_usize, 0_usize, false);
    let mut found = Vec::new();
    for (at, byte) in pattern.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'[' => classes += 1,
            b']' => classes = classes.saturating_sub(1),
            _ if classes > 0 => {}
            b'(' => groups += 1,
            b')' => groups = groups.saturating_sub(1),
            b'|' if groups == 0 => found.push(at),
            _ => {}
        }
    }
    found
}

/// A text as fancy-regex sees it, and the way back to the bytes.
struct Shown {
    text: String,
    /// The ends of the stand-ins in `text`, ascending. Each stands for one byte with four.
    stand_ins: Vec<usize>,
}

impl Shown {
    fn new(bytes: &[u8]) -> Self {
        let mut shown = Self { text: String::with_capacity(bytes.len()), stand_ins: Vec::new() };
        for chunk in bytes.utf8_chunks() {
            shown.text.push_str(chunk.valid());
            for &byte in chunk.invalid() {
                shown.text.extend(char::from_u32(0x10_FE00 + u32::from(byte)));
                shown.stand_ins.push(shown.text.len());
            }
        }
        shown
    }

    /// The byte for a place in the shown text that is a character's edge.
    fn byte(&self, at: usize) -> usize {
        at - 3 * self.stand_ins.partition_point(|&end| end <= at)
    }
}
