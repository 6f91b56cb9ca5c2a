//! Patterns that are not regular, or look behind: fancy-regex, within a limit.
//!
//! Boundaries are the starts and ends of all matches, as with the automaton. Which alternative matched is found
//! by asking for ever longer prefixes of the pattern at the same place; where that would be dear, the pattern counts as one.
//!
//! fancy-regex reads valid UTF-8 only. An invalid byte `b` is shown to it as the private-use character
//! U+10FE00 + b, which `.`, `[^..]` and `\P{..}` match and `\s`, `\w`, `\p{L}` and `\p{N}` do not, as an invalid
//! byte should. The view is not exact in one point: `\p{C}` and its part `\p{Co}` match it.
//!
//! Cost: exponential in the worst case, so steps are limited. fancy-regex takes a limit but does not say what it used, so
//! a search begins with a low limit, and where that is reached it goes on from one character to the next, each with
//! a limit of its own that rises ([`LIMITS`]). Every limit that was reached is paid for from a budget that is proportional
//! to the text; when it is spent, or a match reaches the last limit, there is a typed error. So a text of n bytes takes
//! O(n) steps, the steps inside fancy-regex's own automata excepted.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use fancy_regex::{Error as Problem, Regex, RegexBuilder, RegexInput, RuntimeError};

use super::{Pretoken, shorten};
use crate::error::{Error, Report, Result};

/// The most backtracking steps of a search, and then of a match at one position, from limit to limit.
const LIMITS: [usize; 4] = [256, 4096, 65_536, 1_000_000];
/// The sum of all limits that may be reached in a text: so many for any text, and so many for each byte.
const BUDGET: (usize, usize) = (1_000_000, 16);

/// The most alternatives that are told apart.
const MAX_ALTERNATIVES: usize = 64;
/// The most bytes of pattern that are compiled to tell alternatives apart.
const MAX_PREFIXES: usize = 4096;

/// The most memory, in bytes, of each part of a pattern that is an automaton within fancy-regex.
const MAX_PART: usize = 4 << 20;
/// The most named classes where case is ignored: the other cases of all characters are looked up for each of them.
const MAX_FOLDED: usize = 40;

/// A pattern compiled by fancy-regex.
#[derive(Debug)]
pub(super) struct Backtracker {
    pattern: String,
    limits: [usize; LIMITS.len()],
    /// With the first limit.
    regex: Regex,
    /// With the others, compiled when they are needed.
    patient: [OnceLock<Regex>; LIMITS.len() - 1],
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
        Self::with_limits(pattern, LIMITS)
    }

    fn with_limits(pattern: &str, limits: [usize; LIMITS.len()]) -> std::result::Result<Self, String> {
        let regex = compile(pattern, limits[0])?;
        let (prefixes, alternatives) = by_alternative(pattern).unwrap_or((Vec::new(), vec![pattern.to_owned()]));
        Ok(Self { pattern: pattern.to_owned(), limits, regex, patient: Default::default(), prefixes, alternatives })
    }

    /// The source of each top-level alternative; the whole pattern where they cannot be told apart.
    pub fn alternatives(&self) -> &[String] {
        &self.alternatives
    }

    /// Calls `each` with every pretoken until it breaks. In an error the text begins at byte `base`.
    pub fn split(&self, text: &[u8], base: usize, mut each: impl FnMut(Pretoken) -> ControlFlow<()>) -> Result<()> {
        let shown = Shown::new(text);
        let give_up = |(at, problem): (usize, Problem)| self.give_up(base + shown.byte(at), text.len(), &problem);
        let mut budget = BUDGET.0 + BUDGET.1.saturating_mul(text.len());
        let (mut at, mut gap) = (0, 0);
        while at < shown.text.len() {
            let Some((first, last)) = self.search(&shown.text, at, &mut budget).map_err(give_up)? else { break };
            let (start, end) = (first.max(gap), last.max(gap));
            for (start, end, matched) in [(gap, start, false), (start, end, true)] {
                if start < end {
                    let alternative =
                        if matched { Some(self.alternative(&shown.text, start, end).map_err(give_up)?) } else { None };
                    if each(Pretoken { start: shown.byte(start), end: shown.byte(end), alternative }).is_break() {
                        return Ok(());
                    }
                }
            }
            gap = end;
            at = if end > first { end } else { next_character(&shown.text, end) };
        }
        if gap < shown.text.len() {
            let _ = each(Pretoken { start: shown.byte(gap), end: text.len(), alternative: None });
        }
        Ok(())
    }

    /// The first match from a position on. Takes the limits that were reached from the budget; where it gives up, says at
    /// which position and why.
    fn search(
        &self,
        text: &str,
        from: usize,
        budget: &mut usize,
    ) -> std::result::Result<Option<(usize, usize)>, (usize, Problem)> {
        match self.regex.find_from_pos(text, from) {
            Err(problem) if is_limit(&problem) => pay(budget, self.limits[0], from, problem)?,
            found => return found.map(|found| found.map(|m| (m.start(), m.end()))).map_err(|e| (from, e)),
        }
        if self.pattern.contains(r"\G") {
            // It holds where the search begins, so there must be one search.
            return self.match_at(&RegexInput::new(text).from_pos(from), from, budget);
        }
        let mut at = from;
        while at < text.len() {
            let input = RegexInput::new(text).from_pos(at).anchored(true);
            if let Some(found) = self.match_at(&input, at, budget)? {
                return Ok(Some(found));
            }
            at = next_character(text, at);
        }
        Ok(None)
    }

    /// What is found from a position, with one limit after the other.
    fn match_at(
        &self,
        input: &RegexInput<'_, str>,
        at: usize,
        budget: &mut usize,
    ) -> std::result::Result<Option<(usize, usize)>, (usize, Problem)> {
        let mut level = 0;
        loop {
            let regex = match level {
                0 => &self.regex,
                _ => self.patient(level).map_err(|problem| (at, problem))?,
            };
            match regex.find_input(input.clone()) {
                Err(problem) if is_limit(&problem) && level + 1 < self.limits.len() => {
                    pay(budget, self.limits[level], at, problem)?;
                    level += 1;
                }
                found => return found.map(|found| found.map(|m| (m.start(), m.end()))).map_err(|e| (at, e)),
            }
        }
    }

    /// The pattern with a higher limit.
    fn patient(&self, level: usize) -> std::result::Result<&Regex, Problem> {
        let cell = &self.patient[level - 1];
        if let Some(regex) = cell.get() {
            return Ok(regex);
        }
        let regex = builder(&self.pattern, self.limits[level]).build()?;
        Ok(cell.get_or_init(|| regex))
    }

    /// Which alternative matched: the last of the shortest prefix of the pattern that matches alike. Longer ones do too.
    fn alternative(&self, text: &str, start: usize, end: usize) -> std::result::Result<u16, (usize, Problem)> {
        let (mut low, mut high) = (0, self.prefixes.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let found = self.prefixes[middle].find_from_pos(text, start).map_err(|e| (start, e))?;
            if found.is_some_and(|found| found.start() == start && found.end() == end) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Ok(u16::try_from(low).unwrap_or(u16::MAX))
    }

    fn give_up(&self, at: usize, length: usize, problem: &Problem) -> Error {
        let pattern = shorten(&self.pattern);
        let what = if is_limit(problem) {
            let last = LIMITS[LIMITS.len() - 1];
            format!("took too many steps ({last} for one match, or too many for {length} bytes of text)")
        } else {
            format!("failed: {problem}")
        };
        Error::Pattern(Report::new(
            format!("the pattern `{pattern}` gave up at byte {at}: it {what}"),
            "write the pattern without look-behind, back references and nested repetitions, so that it becomes an automaton",
        ))
    }
}

fn is_limit(problem: &Problem) -> bool {
    matches!(problem, Problem::RuntimeError(RuntimeError::BacktrackLimitExceeded))
}

/// Pays for a limit that was reached at a position.
fn pay(budget: &mut usize, limit: usize, at: usize, problem: Problem) -> std::result::Result<(), (usize, Problem)> {
    *budget = budget.checked_sub(limit).ok_or((at, problem))?;
    Ok(())
}

fn compile(pattern: &str, limit: usize) -> std::result::Result<Regex, String> {
    let named = pattern.matches(r"\p").count() + pattern.matches(r"\P").count();
    if named > MAX_FOLDED && ignores_case(pattern) {
        return Err(format!("it ignores case and has {named} named classes; {MAX_FOLDED} are allowed"));
    }
    builder(pattern, limit).build().map_err(|e| e.to_string())
}

fn builder(pattern: &str, limit: usize) -> RegexBuilder {
    let mut builder = RegexBuilder::new(pattern);
    builder.backtrack_limit(limit).delegate_size_limit(MAX_PART);
    builder
}

/// Whether a pattern ignores case somewhere: `(?i)`, `(?s-i:`. It may say so of one that does not.
fn ignores_case(pattern: &str) -> bool {
    let flags = |rest: &str| rest.bytes().take_while(|b| b.is_ascii_alphabetic() || *b == b'-').any(|b| b == b'i');
    pattern.split("(?").skip(1).any(flags)
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
    if bars.iter().sum::<usize>() > MAX_PREFIXES {
        return None;
    }
    let prefix = |&end: &usize| compile(&format!(r"\G(?:{})", &pattern[..end]), LIMITS[LIMITS.len() - 1]).ok();
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

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a test's way to fail
mod tests {
    use super::*;

    /// The pretokens, or the error.
    fn split(backtracker: &Backtracker, text: &str) -> Result<Vec<(usize, usize, Option<u16>)>> {
        let mut found = Vec::new();
        backtracker.split(text.as_bytes(), 100, |p| {
            found.push((p.start, p.end, p.alternative));
            ControlFlow::Continue(())
        })?;
        Ok(found)
    }

    #[test]
    fn going_on_character_by_character_finds_the_same() {
        let patterns = [
            r"(?<=a)b+|c",
            r"(?<!a)b|(a|b)+?c",
            r"(.)\1+|.",
            r"(?:(?<=a)|c)b*|a(?!b)",
            r"a\Kb+|c",
            r"\Ga|(?<=c)b",
            r"(?<=é)|b",
            r"(?>a|ab)c|(?<=b)c+|$",
            r"(?<=b)(a|b)*a",
        ];
        let texts = ["", "abc", "aabbabcbbc", "cccccabbbab", "aéaéébbaabcébb", "bcbcbcabababacab", "cacacacbbbbbbbbc"];
        for pattern in patterns {
            let at_once = Backtracker::with_limits(pattern, [1_000_000; 4]).unwrap();
            let slowly = Backtracker::with_limits(pattern, [0, 1, 3, 1_000_000]).unwrap();
            for text in texts {
                assert_eq!(split(&slowly, text), split(&at_once, text), "{pattern} {text}");
            }
        }
    }

    #[test]
    fn a_slow_pattern_gives_up_on_a_long_text() {
        // Each position takes fewer steps than one match may, all together would take minutes.
        let backtracker = Backtracker::new("(?:(?!b)a){0,300}(?:(?!b)a){0,300}c|a").unwrap();
        let text = "a".repeat(200_000);
        assert!(split(&backtracker, &text[..5]).is_ok());
        let Err(Error::Pattern(report)) = split(&backtracker, &text) else { unreachable!("it must give up") };
        let at = report.message.split_once(" gave up at byte 1").unwrap().1;
        assert!(at.split(':').next().unwrap().parse::<usize>().unwrap() < 100, "{}", report.message);
        assert!(
            report.message.starts_with("the pattern `(?:(?!b)a){0,300}(?:(?!b)a){0,300}c|a` gave up"),
            "{}",
            report.message
        );
    }

    #[test]
    fn one_match_that_explodes_gives_up() {
        let backtracker = Backtracker::new("(?<!b)(?:a|aa)+c|a").unwrap();
        let error = split(&backtracker, &format!("b{}", "a".repeat(100))).unwrap_err().to_string();
        assert!(error.contains("gave up at byte 102: it took too many steps (1000000 for one match"), "{error}");
    }

    #[test]
    fn long_texts_of_little_work_are_cut() {
        for (pattern, text, pretokens) in [
            ("(?<=a)b", "c".repeat(3_000_000) + "ab", 2),
            (r"(?<!x)\w+(?<!y)|.", "a".repeat(100_000), 1),
            (r"(.)\1*", "a".repeat(100_000) + "b", 2),
            (r"(?<=^|\s)\S+|\s", "word ".repeat(200_000), 400_000),
        ] {
            let backtracker = Backtracker::new(pattern).unwrap();
            assert_eq!(split(&backtracker, &text).map(|found| found.len()), Ok(pretokens), "{pattern}");
        }
    }

    #[test]
    fn the_alternative_is_that_of_a_search_from_the_first_on() {
        let alternatives = ["(?<=b)a", "ab?", "b+", "c", "(?!d)c+", "d|e", "."];
        let backtracker = Backtracker::new(&alternatives.join("|")).unwrap();
        let found = split(&backtracker, "abbaccdef").unwrap();
        let expected = [(0, 2, 1), (2, 3, 2), (3, 4, 0), (4, 5, 3), (5, 6, 3), (6, 7, 5), (7, 8, 6), (8, 9, 7)];
        assert_eq!(found, expected.map(|(start, end, alternative)| (start, end, Some(alternative))));
    }
}
