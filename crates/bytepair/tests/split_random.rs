//! Random patterns cut random texts, invalid bytes included, as a backtracking matcher of a page does.
//!
//! The matcher below is the definition: it tries everything in order, with no tables and no look at the engine. (fancy-regex
//! is no oracle here: `(?:[ab]+?)*` on `aa`, for one, it cuts in two, where Perl, Python and the definition do not.)
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test's way to fail

mod split_oracle;

use bytepair::split::{Engine, Splitter};
use proptest::prelude::*;
use split_oracle::{config, pieces};

/// A character, or `None` for an invalid byte.
type Symbol = Option<char>;

/// One character of a pattern: its source, what it matches, and what it matches under `(?i)`.
type Set = (&'static str, fn(Symbol) -> bool, fn(Symbol) -> bool);

const SETS: &[Set] = &[
    ("a", |c| c == Some('a'), |c| matches!(c, Some('a' | 'A'))),
    ("b", |c| c == Some('b'), |c| matches!(c, Some('b' | 'B'))),
    ("1", |c| c == Some('1'), |c| c == Some('1')),
    (" ", |c| c == Some(' '), |c| c == Some(' ')),
    ("'", |c| c == Some('\''), |c| c == Some('\'')),
    (r"\n", |c| c == Some('\n'), |c| c == Some('\n')),
    ("s", |c| c == Some('s'), |c| matches!(c, Some('s' | 'S' | 'ſ'))),
    ("[ab]", |c| matches!(c, Some('a' | 'b')), |c| matches!(c, Some('a' | 'b' | 'A' | 'B'))),
    ("[^a]", |c| c != Some('a'), |c| !matches!(c, Some('a' | 'A'))),
    (".", |c| c != Some('\n'), |c| c != Some('\n')),
    ("(?s:.)", |_| true, |_| true),
    (r"\s", white, white),
    (r"\S", |c| !white(c), |c| !white(c)),
    (r"\p{L}", letter, letter),
    (r"\P{L}", |c| !letter(c), |c| !letter(c)),
    (r"\p{N}", digit, digit),
    (r"[^\s\p{L}\p{N}]", other, other),
    (r"[\p{L}--[bB]]", |c| letter(c) && !matches!(c, Some('b' | 'B')), |c| letter(c) && !matches!(c, Some('b' | 'B'))),
    (r"[\p{Lu}1]", |c| matches!(c, Some('A' | 'B' | 'S' | '1')), |c| letter(c) && c != Some('中') || c == Some('1')),
];

fn white(c: Symbol) -> bool {
    matches!(c, Some(' ' | '\n' | '\u{85}'))
}

fn letter(c: Symbol) -> bool {
    matches!(c, Some('a' | 'b' | 'A' | 'B' | 's' | 'S' | 'ſ' | '中'))
}

fn digit(c: Symbol) -> bool {
    matches!(c, Some('1' | '2' | '½'))
}

fn other(c: Symbol) -> bool {
    !white(c) && !letter(c) && !digit(c)
}

/// The characters of the texts: those that the functions above know, and nothing else. `\u{1}` stands for a byte 0xFF.
const ALPHABET: &[char] = &[
    'a', 'a', 'a', 'b', 'b', 'A', 'B', 's', 'S', 'ſ', '中', '1', '1', '2', '½', ' ', ' ', '\n', '\u{85}', '\'', '!',
    '\u{1}', '\u{1}',
];

#[derive(Debug, Clone)]
enum Ast {
    Set(usize),
    End,
    Start,
    Concat(Vec<Ast>),
    Either(Vec<Ast>),
    Repeat(Box<Ast>, usize),
    Look(Box<Ast>, bool),
    Atomic(Box<Ast>),
    IgnoreCase(Box<Ast>),
}

/// Source, least, most, greedy, possessive.
const QUANTIFIERS: &[(&str, usize, usize, bool, bool)] = &[
    ("?", 0, 1, true, false),
    ("*", 0, 99, true, false),
    ("+", 1, 99, true, false),
    ("{2}", 2, 2, true, false),
    ("{1,3}", 1, 3, true, false),
    ("{2,}", 2, 99, true, false),
    ("{,2}", 0, 2, true, false),
    ("??", 0, 1, false, false),
    ("*?", 0, 99, false, false),
    ("+?", 1, 99, false, false),
    ("{1,2}?", 1, 2, false, false),
    ("?+", 0, 1, true, true),
    ("*+", 0, 99, true, true),
    ("++", 1, 99, true, true),
    ("{1,2}+", 1, 2, true, true),
];

impl Ast {
    fn source(&self) -> String {
        let join = |parts: &[Ast], with: &str| parts.iter().map(Ast::source).collect::<Vec<_>>().join(with);
        match self {
            Ast::Set(set) => SETS[*set].0.to_owned(),
            Ast::End => "$".to_owned(),
            Ast::Start => r"\A".to_owned(),
            Ast::Concat(parts) => join(parts, ""),
            Ast::Either(parts) => format!("(?:{})", join(parts, "|")),
            Ast::Repeat(body, kind) => match **body {
                Ast::Set(_) | Ast::Either(_) => format!("{}{}", body.source(), QUANTIFIERS[*kind].0),
                _ => format!("({}){}", body.source(), QUANTIFIERS[*kind].0),
            },
            Ast::Look(body, negative) => format!("(?{}{})", if *negative { "!" } else { "=" }, body.source()),
            Ast::Atomic(body) => format!("(?>{})", body.source()),
            Ast::IgnoreCase(body) => format!("(?i:{})", body.source()),
        }
    }
}

/// The definition. `budget` bounds the work: past it nothing is said about a pattern.
struct Matcher<'t> {
    text: &'t [Symbol],
    budget: usize,
}

type Then<'k> = &'k mut dyn FnMut(&mut Matcher<'_>, usize) -> bool;

impl Matcher<'_> {
    /// Whether the pattern matches at a position in some way that `then` accepts, tried in order of preference.
    fn matches(&mut self, ast: &Ast, at: usize, fold: bool, then: Then<'_>) -> bool {
        if self.budget == 0 {
            return false;
        }
        self.budget -= 1;
        match ast {
            Ast::Set(set) => {
                let matches = if fold { SETS[*set].2 } else { SETS[*set].1 };
                self.text.get(at).is_some_and(|&c| matches(c)) && then(self, at + 1)
            }
            Ast::End => at == self.text.len() && then(self, at),
            Ast::Start => at == 0 && then(self, at),
            Ast::Concat(parts) => match parts.split_first() {
                None => then(self, at),
                Some((first, rest)) => {
                    let rest = Ast::Concat(rest.to_vec());
                    self.matches(first, at, fold, &mut |m, at| m.matches(&rest, at, fold, then))
                }
            },
            Ast::Either(parts) => parts.iter().any(|part| self.matches(part, at, fold, then)),
            Ast::Repeat(body, kind) => {
                let (_, least, most, greedy, possessive) = QUANTIFIERS[*kind];
                if possessive {
                    let end = self.first(at, |m, then| m.repeat(body, (least, most, greedy), at, fold, then));
                    end.is_some_and(|end| then(self, end))
                } else {
                    self.repeat(body, (least, most, greedy), at, fold, then)
                }
            }
            Ast::Look(body, negative) => {
                let found = self.first(at, |m, then| m.matches(body, at, fold, then)).is_some();
                found != *negative && then(self, at)
            }
            Ast::Atomic(body) => {
                let end = self.first(at, |m, then| m.matches(body, at, fold, then));
                end.is_some_and(|end| then(self, end))
            }
            Ast::IgnoreCase(body) => self.matches(body, at, true, then),
        }
    }

    /// The end of the preferred way.
    fn first(&mut self, at: usize, search: impl FnOnce(&mut Self, Then<'_>) -> bool) -> Option<usize> {
        let mut end = at;
        let mut accept = |_: &mut Matcher<'_>, found: usize| {
            end = found;
            true
        };
        search(self, &mut accept).then_some(end)
    }

    fn repeat(&mut self, body: &Ast, bounds: (usize, usize, bool), at: usize, fold: bool, then: Then<'_>) -> bool {
        let (least, most, greedy) = bounds;
        if most == 0 {
            return then(self, at);
        }
        let fewer = (least.saturating_sub(1), most - 1, greedy);
        if least == 0 && !greedy && then(self, at) {
            return true;
        }
        let once = self.matches(body, at, fold, &mut |m, end| {
            (end > at || least > 0 || most == 1) && m.repeat(body, fewer, end, fold, then)
        });
        once || (least == 0 && greedy && then(self, at))
    }
}

/// The boundaries, in symbols; `None` when the budget did not suffice.
fn expected(pattern: &Ast, text: &[Symbol]) -> Option<Vec<usize>> {
    let (mut cuts, mut at) = (vec![0, text.len()], 0);
    while at < text.len() {
        let mut matcher = Matcher { text, budget: 20_000 };
        let end = matcher.first(at, |m, then| m.matches(pattern, at, false, then));
        if matcher.budget == 0 {
            return None;
        }
        cuts.extend(end.into_iter().flat_map(|end| [at, end]));
        at = end.unwrap_or(at).max(at + usize::from(end.is_none_or(|end| end == at)));
    }
    cuts.sort_unstable();
    cuts.dedup();
    Some(cuts)
}

fn part() -> impl Strategy<Value = Ast> {
    let set = (0..SETS.len()).prop_map(Ast::Set);
    let leaf = prop_oneof![
        4 => set.clone(),
        4 => (set, 0..QUANTIFIERS.len()).prop_map(|(set, kind)| Ast::Repeat(Box::new(set), kind)),
        1 => Just(Ast::End),
        1 => Just(Ast::Start),
    ];
    leaf.prop_recursive(4, 16, 3, |inner| {
        prop_oneof![
            5 => prop::collection::vec(inner.clone(), 1..4).prop_map(Ast::Concat),
            2 => prop::collection::vec(inner.clone(), 1..4).prop_map(Ast::Either),
            4 => (inner.clone(), 0..QUANTIFIERS.len()).prop_map(|(part, kind)| Ast::Repeat(Box::new(part), kind)),
            1 => inner.clone().prop_map(|part| Ast::Atomic(Box::new(part))),
            2 => (inner.clone(), any::<bool>()).prop_map(|(part, negative)| Ast::Look(Box::new(part), negative)),
            1 => inner.prop_map(|part| Ast::IgnoreCase(Box::new(part))),
        ]
    })
}

fn text() -> impl Strategy<Value = Vec<char>> {
    prop::collection::vec(prop::sample::select(ALPHABET), 0..12)
}

proptest! {
    #![proptest_config(config(4_000))]

    #[test]
    fn any_pattern_cuts_as_the_definition_says(
        alternatives in prop::collection::vec(part(), 1..5),
        texts in prop::collection::vec(text(), 1..10),
    ) {
        let pattern = alternatives.iter().map(Ast::source).collect::<Vec<_>>().join("|");
        let Ok(splitter) = Splitter::new(&pattern) else { return Ok(()) };
        let Engine::Automaton { .. } = splitter.engine() else { return Ok(()) };
        let whole = Ast::Either(alternatives);
        for text in texts {
            let symbols: Vec<Symbol> = text.iter().map(|&c| Some(c).filter(|&c| c != '\u{1}')).collect();
            let mut bytes = Vec::new();
            let mut places = vec![0];
            for symbol in &symbols {
                match symbol {
                    Some(c) => bytes.extend(c.encode_utf8(&mut [0; 4]).bytes()),
                    None => bytes.push(0xFF),
                }
                places.push(bytes.len());
            }
            if let Some(cuts) = expected(&whole, &symbols) {
                let cuts: Vec<usize> = cuts.iter().map(|&cut| places[cut]).collect();
                let expected: Vec<_> = cuts.windows(2).map(|pair| (pair[0], pair[1])).collect();
                prop_assert_eq!(pieces(&splitter, &bytes), expected, "{:?} on {:?}", pattern, text);
            }
        }
    }
}

proptest! {
    #![proptest_config(config(4_000))]

    /// Patterns of pieces thrown together: served or refused, the text is covered or the limit reported.
    #[test]
    fn any_string_is_served_or_refused(
        pattern in prop::collection::vec(prop::sample::select(PIECES), 0..12),
        text in prop::collection::vec(prop::sample::select(&b"aab1 \n'\xc3\xa9\xff"[..]), 0..20),
    ) {
        let Ok(splitter) = Splitter::new(&pattern.concat()) else { return Ok(()) };
        let mut end = 0;
        let done = splitter.split(&text, |p| {
            assert!(p.start == end && p.end > p.start);
            end = p.end;
            std::ops::ControlFlow::Continue(())
        });
        prop_assert!(done.is_err() || end == text.len(), "{:?}", pattern);
    }
}

proptest! {
    #![proptest_config(config(4_000))]

    /// Whatever follows a text, it may be split in two where `settled` says.
    #[test]
    fn a_cut_parts_a_text_whatever_follows(
        alternatives in prop::collection::vec(part(), 1..5),
        texts in prop::collection::vec((text(), prop::collection::vec(text(), 1..6)), 1..5),
        torn in 0usize..4,
    ) {
        let pattern = alternatives.iter().map(Ast::source).collect::<Vec<_>>().join("|");
        let Ok(splitter) = Splitter::new(&pattern) else { return Ok(()) };
        let Engine::Automaton { .. } = splitter.engine() else { return Ok(()) };
        let bytes = |text: &[char]| text.iter().collect::<String>().into_bytes();
        for (text, ends) in texts {
            let mut text = bytes(&text);
            text.truncate(text.len().saturating_sub(torn));
            let cut = splitter.settled(&text);
            prop_assert!(cut <= text.len());
            for end in ends {
                let whole = [text.clone(), bytes(&end)].concat();
                let (left, right) = whole.split_at(cut);
                let right = pieces(&splitter, right).into_iter().map(|(start, end)| (cut + start, cut + end));
                let parts: Vec<_> = pieces(&splitter, left).into_iter().chain(right).collect();
                prop_assert_eq!(pieces(&splitter, &whole), parts, "{:?} on {:?} at {}", pattern, whole, cut);
            }
        }
    }
}

const PIECES: &[&str] = &[
    "a",
    "b",
    "1",
    "é",
    " ",
    "(",
    ")",
    "(?:",
    "(?i)",
    "(?x)",
    "(?=",
    "(?!",
    "(?<=",
    "(?<!",
    "(?>",
    "(?P<n>",
    "(?#",
    "[",
    "]",
    "[^",
    "&&",
    "--",
    "-",
    "^",
    "$",
    "|",
    "*",
    "+",
    "?",
    "{",
    "}",
    "{2}",
    "{1,3}",
    "{,2}",
    ",",
    "\\",
    "\\b",
    "\\p{L}",
    "\\p",
    "\\x",
    "\\1",
    "\\K",
    "\\G",
    "\\Z",
    "\\R",
    "\\s",
    "\\W",
    ".",
    "#",
    "\n",
    "\\u{e9}",
    "[[:alpha:]]",
    "\\h",
];

/// How often the generator's patterns become an automaton: the test above must not be about nothing.
#[test]
fn most_random_patterns_are_automata() {
    use proptest::strategy::ValueTree as _;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let served = (0..500)
        .filter(|_| {
            let pattern = part().new_tree(&mut runner).unwrap().current().source();
            Splitter::new(&pattern).is_ok_and(|s| matches!(s.engine(), Engine::Automaton { .. }))
        })
        .count();
    assert!(served > 250, "{served} of 500");
}
