//! The oracle of the splitter's tests: fancy-regex on the published pattern, and nothing clever.
#![allow(dead_code)] // each test file uses a part

use std::ops::ControlFlow;

use bytepair::split::{Engine, Pretoken, Splitter};

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
