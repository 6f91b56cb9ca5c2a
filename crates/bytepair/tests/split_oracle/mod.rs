//! The oracle of the splitter's tests: fancy-regex on the published pattern, and nothing clever.
#![allow(dead_code)] // each test file uses a part

use std::ops::ControlFlow;

use bytepair::split::{Engine, Pretoken, Splitter};
use proptest::prelude::*;

/// The pretokens by fancy-regex: boundaries are the starts and ends of all matches.
pub fn oracle(regex: &fancy_regex::Regex, text: &str) -> Vec<(usize, usize)> {
    let mut cuts = vec![0];
    for found in regex.find_iter(text) {
        let found = found.expect("the oracle reaches no limit");
        cuts.extend([found.start(), found.end()]);
    }
    cuts.push(text.len());
    cuts.dedup();
    cuts.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

pub fn pretokens(splitter: &Splitter, text: &[u8]) -> Vec<Pretoken> {
    let mut found = Vec::new();
    let each = |pretoken| {
        found.push(pretoken);
        ControlFlow::Continue(())
    };
    splitter.split(text, each).expect("no limit is reached");
    found
}

pub fn pieces(splitter: &Splitter, text: &[u8]) -> Vec<(usize, usize)> {
    pretokens(splitter, text).iter().map(|p| (p.start, p.end)).collect()
}

/// Fails with a short excerpt when the two disagree on a text.
pub fn assert_same(splitter: &Splitter, regex: &fancy_regex::Regex, text: &str) {
    let (ours, theirs) = (pieces(splitter, text.as_bytes()), oracle(regex, text));
    if ours == theirs {
        return;
    }
    let at = ours.iter().zip(&theirs).position(|(a, b)| a != b).unwrap_or(ours.len().min(theirs.len()));
    let show = |pieces: &[(usize, usize)]| {
        pieces.iter().skip(at.saturating_sub(1)).take(4).map(|&(a, b)| text[a..b].to_owned()).collect::<Vec<_>>()
    };
    panic!("{:?}: ours {:?}, fancy-regex {:?}", splitter.pattern(), show(&ours), show(&theirs));
}

pub fn is_automaton(splitter: &Splitter) -> bool {
    matches!(splitter.engine(), Engine::Automaton { .. })
}

/// A small random generator, so that the bulk tests are the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 33) % n as u64).unwrap_or(0)
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// Characters of every kind that the published patterns tell apart.
pub const CHARACTERS: &[&str] = &[
    "a",
    "b",
    "s",
    "S",
    "T",
    "l",
    "L",
    "v",
    "e",
    "r",
    "d",
    "m",
    "Z",
    "É",
    "ß",
    "ſ",
    "ǅ",
    "ʰ",
    "ª",
    "中",
    "あ",
    "ा",
    "\u{301}",
    "1",
    "7",
    "٣",
    "Ⅷ",
    "½",
    " ",
    " ",
    " ",
    "\t",
    "\n",
    "\n",
    "\r",
    "\u{85}",
    "\u{a0}",
    "\u{2028}",
    "\u{3000}",
    "\u{1c}",
    "'",
    "'",
    "’",
    ".",
    "/",
    "-",
    "_",
    "😀",
    "\u{200d}",
    "\u{feff}",
    "\0",
    "\u{e000}",
    "\u{10ffff}",
    "\u{d7ff}",
    "K",
    "ﬁ",
];

pub fn random_text(random: &mut Random, longest: usize) -> String {
    let alphabet: Vec<&str> = (0..=random.below(6)).map(|_| *random.pick(CHARACTERS)).collect();
    let length = random.below(longest + 1);
    (0..length).map(|_| if random.below(8) == 0 { *random.pick(CHARACTERS) } else { *random.pick(&alphabet) }).collect()
}

/// What random texts are made of: characters of all classes, all lengths, and invalid bytes.
pub const PARTS: &[&[u8]] = &[
    b"a",
    b"e",
    b"s",
    b"S",
    b"ll",
    b"L",
    b"re",
    b"T",
    b"v",
    b" ",
    b" ",
    b"  ",
    b"\n",
    b"\r",
    b"\t",
    b"\x0b",
    b"0",
    b"1",
    b"99",
    b"'",
    b"'",
    b"/",
    b".",
    b"!",
    b"-",
    b"\0",
    "é".as_bytes(),
    "É".as_bytes(),
    "ſ".as_bytes(),
    "ж".as_bytes(),
    "א".as_bytes(),
    "中".as_bytes(),
    "あ".as_bytes(),
    "ー".as_bytes(),
    "，".as_bytes(),
    "\u{301}".as_bytes(),
    "\u{a0}".as_bytes(),
    "\u{2003}".as_bytes(),
    "\u{2028}".as_bytes(),
    "½".as_bytes(),
    "٣".as_bytes(),
    "ǅ".as_bytes(),
    "ʰ".as_bytes(),
    "🙂".as_bytes(),
    "𐐀".as_bytes(),
    "\u{10ffff}".as_bytes(),
    b"\xff",
    b"\x80",
    b"\xc3",
    b"\xe4\xb8",
    b"\xed\xa0\x80",
    b"\xc0\x80",
    b"\xf0\x9f\x99",
    b"\xf5\x80\x80\x80",
    b"\xe0\x80\x80",
    b"\xf4\x90\x80\x80",
];

/// Parts of patterns that make automata of all kinds.
pub const PIECES: &[&str] = &[
    "a",
    "b",
    "[ab]+",
    "a*b",
    "(?:ab)*",
    r"\p{L}+",
    r" ?\p{L}+",
    r"\p{N}{1,3}",
    r"\p{N}",
    r"\s+",
    r"\s+(?!\S)",
    r"\s*[\r\n]+",
    "'(?:s|ll|re)",
    "(?i:'s|'t)",
    r"[^\s\p{L}\p{N}]+",
    ".",
    "(?s:.)*c",
    "a{2,5}",
    "$",
    r"\s+$",
    "(?:a|b)*?c",
    r"\p{Lu}\p{Ll}*",
    "é+",
    r"(?=\p{L})",
    r"(?!a)",
    r"\p{L}++",
    "(?>a|ab)",
    r"[^a]",
    r"\A",
    "b?",
    "",
];

/// As many cases as `PROPTEST_CASES` says, or so many.
pub fn config(cases: u32) -> ProptestConfig {
    let said = std::env::var("PROPTEST_CASES").ok().and_then(|said| said.parse().ok());
    ProptestConfig { cases: said.unwrap_or(cases), failure_persistence: None, ..ProptestConfig::default() }
}

/// Patterns of a few alternatives, each of a few of [`PIECES`].
pub fn patterns() -> impl Strategy<Value = String> {
    let alternative = prop::collection::vec(prop::sample::select(PIECES), 1..4).prop_map(|parts| parts.concat());
    prop::collection::vec(alternative, 1..5).prop_map(|alternatives| alternatives.join("|"))
}
