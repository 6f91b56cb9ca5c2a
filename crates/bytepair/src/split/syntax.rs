//! The tree of a pattern, and the sets of symbols at its leaves.
//!
//! The text is read as a string of *symbols*: each character, each invalid byte, and one END after the
//! last of them. An invalid byte is one symbol INVALID that behaves as a surrogate code point would
//! (Python's `surrogateescape` view): a set of characters holds it when the set holds both neighbours of
//! the surrogates, U+D7FF and U+E000. So `.`, `[^a]` and `\P{L}` match it; `\s`, `\p{L}` and `\p{N}` do not.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

use super::budget::Budget;
use super::parse::Reason;

/// The code point before the surrogates.
const BEFORE_SURROGATES: u32 = 0xD7FF;
/// The code point after the surrogates.
const AFTER_SURROGATES: u32 = 0xE000;

/// A set of symbols: sorted ranges of code points that do not touch, and whether INVALID and END belong.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Symbols {
    /// Inclusive ranges of code points, sorted, none adjacent to the next.
    pub chars: Vec<(u32, u32)>,
    /// Whether an invalid byte belongs.
    pub invalid: bool,
    /// Whether the end of the text belongs.
    pub end: bool,
}

impl Symbols {
    /// The characters of a class, with INVALID by the rule above and without END.
    pub fn from_class(class: &ClassUnicode) -> Self {
        let chars: Vec<(u32, u32)> = class.iter().map(|r| (u32::from(r.start()), u32::from(r.end()))).collect();
        let holds = |point| chars.iter().any(|&(low, high)| low <= point && point <= high);
        let invalid = holds(BEFORE_SURROGATES) && holds(AFTER_SURROGATES);
        Self { chars, invalid, end: false }
    }

    /// One character.
    pub fn character(c: char) -> Self {
        Self { chars: vec![(u32::from(c), u32::from(c))], invalid: false, end: false }
    }

    /// Nothing but the end of the text.
    pub fn end() -> Self {
        Self { chars: Vec::new(), invalid: false, end: true }
    }

    /// Every symbol but END.
    pub fn any() -> Self {
        Self::from_class(&ClassUnicode::new([ClassUnicodeRange::new('\0', char::MAX)]))
    }

    /// Every symbol that this set lacks.
    pub fn complement(&self) -> Self {
        let mut class = self.class();
        class.negate();
        Self { invalid: !self.invalid, end: !self.end, ..Self::from_class(&class) }
    }

    /// The symbols of both together.
    pub fn union(&self, other: &Self) -> Self {
        let mut class = self.class();
        class.union(&other.class());
        Self { invalid: self.invalid || other.invalid, end: self.end || other.end, ..Self::from_class(&class) }
    }

    /// The symbols that both hold.
    pub fn intersection(&self, other: &Self) -> Self {
        let mut class = self.class();
        class.intersect(&other.class());
        Self { invalid: self.invalid && other.invalid, end: self.end && other.end, ..Self::from_class(&class) }
    }

    /// The steps that it takes to compare, hash or copy it.
    pub fn size(&self) -> usize {
        self.chars.len() / 4 + 1
    }

    fn class(&self) -> ClassUnicode {
        let range =
            |&(low, high): &(u32, u32)| Some(ClassUnicodeRange::new(char::from_u32(low)?, char::from_u32(high)?));
        ClassUnicode::new(self.chars.iter().filter_map(range))
    }
}

/// The set that one class, escape or character of a pattern stands for, by regex-syntax's tables.
///
/// # Errors
/// What regex-syntax has against it, or that it is not one character wide.
pub(super) fn symbols(source: &str, ignore_case: bool) -> Result<Symbols, String> {
    let parsed =
        regex_syntax::ParserBuilder::new().case_insensitive(ignore_case).nest_limit(64).build().parse(source).map_err(
            |error| match error {
                regex_syntax::Error::Parse(e) => e.kind().to_string(),
                regex_syntax::Error::Translate(e) => e.kind().to_string(),
                other => other.to_string(),
            },
        )?;
    let wide = || format!("`{source}` is not one character wide");
    match parsed.kind() {
        HirKind::Class(Class::Unicode(class)) => Ok(Symbols::from_class(class)),
        HirKind::Class(Class::Bytes(class)) if class.ranges().is_empty() => {
            Ok(Symbols { chars: Vec::new(), invalid: false, end: false })
        }
        HirKind::Literal(literal) => {
            let mut chars = std::str::from_utf8(&literal.0).map_err(|_| wide())?.chars();
            match (chars.next(), chars.next()) {
                (Some(c), None) => Ok(Symbols::character(c)),
                _ => Err(wide()),
            }
        }
        _ => Err(wide()),
    }
}

/// A part of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    /// Nothing.
    Empty,
    /// One symbol of a set.
    Set(Symbols),
    /// Nothing, where the next symbol is in the set.
    Check(Symbols),
    /// Nothing, at the start of the text.
    Start,
    /// Nothing, where the body matches (or, negative, does not match) what follows.
    Look {
        /// What is looked for.
        body: Box<Node>,
        /// Whether it must be missing.
        negative: bool,
    },
    /// One after the other.
    Concat(Vec<Node>),
    /// The first that leads to a match.
    Either(Vec<Node>),
    /// The body, from `min` to `max` times.
    Repeat {
        /// What is repeated; it never matches nothing when `max` is above 1.
        body: Box<Node>,
        /// The least number of times.
        min: u32,
        /// The greatest, if there is one.
        max: Option<u32>,
        /// Whether more times are preferred to fewer.
        greedy: bool,
    },
    /// The body, of which only the first way to match is ever tried.
    Atomic(Box<Node>),
}

impl Node {
    /// Whether it can match without reading a symbol.
    pub fn nullable(&self) -> bool {
        match self {
            Self::Empty | Self::Check(_) | Self::Start | Self::Look { .. } => true,
            Self::Set(_) => false,
            Self::Concat(parts) => parts.iter().all(Self::nullable),
            Self::Either(parts) => parts.iter().any(Self::nullable),
            Self::Repeat { body, min, .. } => *min == 0 || body.nullable(),
            Self::Atomic(body) => body.nullable(),
        }
    }

    /// For the body of a look-ahead that depends on the next symbol alone: the symbols that it finds.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn as_check(&self, budget: &mut Budget) -> Result<Option<Symbols>, Reason> {
        let found = match self {
            Self::Empty => Some(Symbols { end: true, ..Symbols::any() }),
            Self::Set(symbols) | Self::Check(symbols) => Some(symbols.clone()),
            Self::Look { body, negative } => {
                body.as_check(budget)?.map(|found| if *negative { found.complement() } else { found })
            }
            Self::Either(parts) => Self::join(parts, Symbols::union, budget)?,
            Self::Concat(parts) => match parts.split_last() {
                Some((_, checks)) if checks.iter().all(|part| matches!(part, Self::Check(_) | Self::Look { .. })) => {
                    Self::join(parts, Symbols::intersection, budget)?
                }
                _ => None,
            },
            Self::Atomic(body) | Self::Repeat { body, min: 1, .. } => body.as_check(budget)?,
            Self::Repeat { min: 0, .. } => Self::Empty.as_check(budget)?,
            Self::Start | Self::Repeat { .. } => None,
        };
        budget.spend(found.as_ref().map_or(1, Symbols::size))?;
        Ok(found)
    }

    /// What is found by all parts together.
    fn join(
        parts: &[Self],
        together: fn(&Symbols, &Symbols) -> Symbols,
        budget: &mut Budget,
    ) -> Result<Option<Symbols>, Reason> {
        let mut all: Option<Symbols> = None;
        for part in parts {
            let Some(found) = part.as_check(budget)? else { return Ok(None) };
            let joined = all.map_or_else(|| found.clone(), |all| together(&all, &found));
            budget.spend(10 * joined.size())?;
            all = Some(joined);
        }
        Ok(all)
    }

    /// The steps that it takes to compare or copy it.
    pub fn size(&self) -> usize {
        1 + match self {
            Self::Empty | Self::Start => 0,
            Self::Set(symbols) | Self::Check(symbols) => symbols.size(),
            Self::Look { body, .. } | Self::Repeat { body, .. } | Self::Atomic(body) => body.size(),
            Self::Concat(parts) | Self::Either(parts) => parts.iter().map(Self::size).sum(),
        }
    }
}
