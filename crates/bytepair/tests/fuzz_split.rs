//! Any pattern on any text: an error of two lines, or pretokens that cover the text, the same as `fancy-regex` finds.
//!
//! Input: the first line is the pattern, the rest is the text.

#![allow(clippy::expect_used, reason = "a test that cannot go on should stop")]

mod replay;

use std::ops::ControlFlow;

use bytepair::split::Path;
use bytepair::{Pretoken, Splitter};

const FRAGMENTS: &[&str] = &[
    "\n",
    "\n",
    "a",
    "b",
    "ab",
    "A",
    " ",
    "  ",
    "1",
    "12",
    "é",
    "ß",
    "ſ",
    "İ",
    "漢",
    "🌱",
    "\u{301}",
    "\u{85}",
    "\r\n",
    "'s",
    "'LL",
    "|",
    "|",
    "(?:",
    "(?i:",
    ")",
    ")",
    "[",
    "]",
    "[^",
    "[a-z]",
    "\\s",
    "\\S",
    "\\d",
    "\\w",
    "\\p{L}",
    "\\p{N}",
    "\\P{Lu}",
    "\\p{Greek}",
    "+",
    "*",
    "?",
    "{1,3}",
    "{2}",
    "{0,70}",
    "++",
    "*+",
    "+?",
    "$",
    "^",
    "\\z",
    "\\b",
    "(?!\\S)",
    "(?=a)",
    "(?<=a)",
    "(?<!b)",
    "(?>",
    "\\1",
    "(",
    "\\",
    ".",
    "(?s:.)",
    "-",
    "\\r\\n",
    " ?",
];

const PATHS: [fn(&Path) -> bool; 3] = [|path| *path == Path::Avx512, |path| *path == Path::Avx2, |_| false];

#[test]
fn any_pattern_splits_any_text() {
    replay::run("split", FRAGMENTS, check);
}

fn check(input: &[u8]) {
    let end = input.iter().position(|&byte| byte == b'\n').unwrap_or(input.len());
    let pattern = String::from_utf8_lossy(&input[..end]);
    let text = input.get(end + 1..).unwrap_or_default();
    let splitter = match Splitter::new(&pattern) {
        Ok(splitter) => splitter,
        Err(error) => return two_lines(&error),
    };
    let pretokens = match all(&splitter, text) {
        Ok(pretokens) => pretokens,
        Err(error) => return two_lines(&error),
    };
    covers(&pretokens, text);
    let ends: Vec<usize> = pretokens.iter().map(|pretoken| pretoken.end).collect();
    for allowed in PATHS {
        let splitter = Splitter::with_paths(&pattern, allowed).expect("it was compiled before");
        if let Some(cuts) = cuts(&splitter, text) {
            assert_eq!(cuts, ends, "pattern {pattern:?} on {text:?}: {}", splitter.path());
        }
    }
    apart(&splitter, text, &ends);
    let mut first = None;
    let stopped = splitter.split(text, |pretoken| {
        assert!(first.is_none(), "called again after a break");
        first = Some(pretoken);
        ControlFlow::Break(())
    });
    assert!(stopped.is_ok());
    assert_eq!(first, pretokens.first().copied());
    if let (Ok(text), Ok(regex)) = (std::str::from_utf8(text), fancy_regex::Regex::new(&pattern))
        && let Some(expected) = by_regex(&regex, text)
    {
        let found: Vec<_> = pretokens.iter().map(|pretoken| (pretoken.start, pretoken.end)).collect();
        assert_eq!(found, expected, "pattern {pattern:?} on {text:?}");
    }
}

/// The boundaries by another way than `split`; `None` where the pattern gives up.
fn cuts(splitter: &Splitter, text: &[u8]) -> Option<Vec<usize>> {
    let mut found = Vec::new();
    let each = |base: usize, ends: &[u32]| {
        found.extend(ends.iter().map(|&end| base + end as usize));
        ControlFlow::Continue(())
    };
    splitter.cuts(text, each).ok()?;
    Some(found)
}

/// Where a text may be taken apart, both parts have the boundaries of the whole.
fn apart(splitter: &Splitter, text: &[u8], ends: &[usize]) {
    let places = (0..text.len().min(300)).filter_map(|at| splitter.cut_near(text, at, 0));
    for at in places.chain([splitter.settled(text)]) {
        let parts = (cuts(splitter, &text[..at]), cuts(splitter, &text[at..]));
        let (Some(left), Some(right)) = parts else { continue };
        let together: Vec<usize> = left.into_iter().chain(right.into_iter().map(|end| at + end)).collect();
        assert_eq!(together, ends, "{:?} on {text:?} at {at}", splitter.pattern());
    }
}

fn two_lines(error: &bytepair::Error) {
    let text = error.to_string();
    let (_, last) = text.rsplit_once('\n').expect("two lines");
    assert!(last.starts_with("hint: "), "{text}");
}

fn all(splitter: &Splitter, text: &[u8]) -> bytepair::Result<Vec<Pretoken>> {
    let mut pretokens = Vec::new();
    splitter.split(text, |pretoken| {
        pretokens.push(pretoken);
        ControlFlow::Continue(())
    })?;
    Ok(pretokens)
}

fn covers(pretokens: &[Pretoken], text: &[u8]) {
    let mut at = 0;
    for pretoken in pretokens {
        assert_eq!(pretoken.start, at, "a gap or an overlap");
        assert!(pretoken.end > at, "an empty pretoken");
        at = pretoken.end;
    }
    assert_eq!(at, text.len(), "the end of the text is missing");
}

/// The matches and what lies between them (a match of nothing is a border); `None` where the regular expression gives up.
fn by_regex(regex: &fancy_regex::Regex, text: &str) -> Option<Vec<(usize, usize)>> {
    let mut cuts = vec![0];
    for found in regex.find_iter(text) {
        let found = found.ok()?;
        cuts.extend([found.start(), found.end()]);
    }
    cuts.push(text.len());
    Some(cuts.windows(2).map(|pair| (pair[0], pair[1])).filter(|(start, end)| start < end).collect())
}
