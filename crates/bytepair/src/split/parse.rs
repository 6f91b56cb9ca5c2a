//! A pattern's text to its tree.
//!
//! The structure (alternation, groups, quantifiers, look-ahead) is parsed here; everything that stands for
//! one character (`[..]`, `\p{..}`, `\d`, a letter under `(?i)`) is cut out as text and handed to
//! regex-syntax, so that classes and case folding are exactly regex-syntax's. Where a construct is not
//! regular or looks behind, or the text is not well formed, the parser stops and says why, and the
//! backtracking engine, whose syntax is a superset, has the last word.
//!
//! Cost: linear in the pattern, plus regex-syntax's work once per distinct class. The recursion is at most
//! [`MAX_DEPTH`] groups deep.

use rustc_hash::FxHashMap;

use super::budget::Budget;
use super::syntax::{Node, Symbols, symbols};

/// Steps for each byte of the source of a class when regex-syntax reads it.
const READING: usize = 400;
/// Steps for each named class in it where case is ignored: the other cases of all its characters are looked up.
const FOLDING: usize = 200_000;

/// Groups may nest this deep.
pub(super) const MAX_DEPTH: usize = 100;

/// A pattern's tree by top-level alternative, each with its own text.
#[derive(Debug)]
pub(super) struct Pattern {
    pub alternatives: Vec<(String, Node)>,
}

/// Why no automaton serves a pattern.
pub(super) type Reason = String;

/// Parses a pattern.
///
/// # Errors
/// The reason why it is outside the supported language, or too dear.
pub(super) fn parse(pattern: &str, budget: &mut Budget) -> Result<Pattern, Reason> {
    let (flags, sets) = (Flags::default(), FxHashMap::default());
    let mut parser = Parser { text: pattern, at: 0, flags, depth: 0, sets, budget };
    let mut alternatives = Vec::new();
    loop {
        let start = parser.at;
        let node = parser.branch()?;
        alternatives.push((pattern[start..parser.at].to_owned(), node));
        if !parser.take("|") {
            break;
        }
    }
    if parser.at < pattern.len() {
        return Err(parser.misplaced());
    }
    Ok(Pattern { alternatives })
}

/// `(?i)`, `(?s)`, `(?m)` and `(?x)`.
#[derive(Debug, Clone, Copy, Default)]
#[allow(clippy::struct_excessive_bools)] // four independent switches of the language
struct Flags {
    ignore_case: bool,
    dot_newline: bool,
    multi_line: bool,
    verbose: bool,
}

struct Parser<'p, 'b> {
    text: &'p str,
    at: usize,
    flags: Flags,
    depth: usize,
    sets: FxHashMap<(&'p str, bool), Symbols>,
    budget: &'b mut Budget,
}

impl<'p> Parser<'p, '_> {
    fn rest(&self) -> &'p str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.at += expected.len();
        }
        found
    }

    fn misplaced(&self) -> Reason {
        match self.peek() {
            Some(c) => format!("`{c}` at byte {} is out of place", self.at),
            None => "the pattern ends too early".to_owned(),
        }
    }

    /// Passes comments and, under `(?x)`, white space.
    fn skip_trivia(&mut self) -> Result<(), Reason> {
        loop {
            if self.rest().starts_with("(?#") {
                let length = self.rest().find(')').ok_or("a comment is not closed")?;
                if self.rest()[..length].contains('\\') {
                    return Err("a comment holds a backslash".to_owned());
                }
                self.at += length + 1;
            } else if self.flags.verbose && self.rest().starts_with('#') {
                self.at += self.rest().find('\n').map_or(self.rest().len(), |i| i + 1);
            } else if self.flags.verbose && self.rest().starts_with([' ', '\r', '\n', '\t']) {
                self.at += 1;
            } else {
                return Ok(());
            }
        }
    }

    fn alternation(&mut self) -> Result<Node, Reason> {
        let mut branches = vec![self.branch()?];
        while self.take("|") {
            branches.push(self.branch()?);
        }
        Ok(if branches.len() == 1 { branches.swap_remove(0) } else { Node::Either(branches) })
    }

    fn branch(&mut self) -> Result<Node, Reason> {
        let mut parts = Vec::new();
        loop {
            self.skip_trivia()?;
            match self.peek() {
                None | Some('|' | ')') => break,
                Some(c) => {
                    let atom = self.atom(c)?;
                    self.skip_trivia()?;
                    match self.quantified(atom)? {
                        Node::Empty => {}
                        part => parts.push(part),
                    }
                }
            }
        }
        Ok(match parts.len() {
            0 => Node::Empty,
            1 => parts.swap_remove(0),
            _ => Node::Concat(parts),
        })
    }

    fn atom(&mut self, first: char) -> Result<Node, Reason> {
        let start = self.at;
        self.at += first.len_utf8();
        match first {
            '.' if self.flags.dot_newline => Ok(Node::Set(Symbols::any())),
            '.' => self.set(r"[^\n]", false),
            '^' if self.flags.multi_line => Err("`^` under `(?m)` looks behind".to_owned()),
            '^' => Ok(Node::Start),
            '$' if self.flags.multi_line => Ok(Node::Check(Symbols { end: true, ..Symbols::character('\n') })),
            '$' => Ok(Node::Check(Symbols::end())),
            '(' => self.group(),
            '[' => self.class(start),
            '\\' => self.escape(start),
            '?' | '*' | '+' => {
                self.at = start;
                Err(self.misplaced())
            }
            c => self.literal(c, &self.text[start..start + c.len_utf8()]),
        }
    }

    /// One character as itself; `source` is how regex-syntax may be asked for it under `(?i)`.
    fn literal(&mut self, c: char, source: &'p str) -> Result<Node, Reason> {
        if !self.flags.ignore_case {
            return Ok(Node::Set(Symbols::character(c)));
        }
        if c.is_ascii() && !c.is_ascii_alphabetic() {
            return Ok(Node::Set(Symbols::character(c)));
        }
        self.set(source, true)
    }

    fn set(&mut self, source: &'p str, ignore_case: bool) -> Result<Node, Reason> {
        if let Some(found) = self.sets.get(&(source, ignore_case)) {
            self.budget.spend(found.size())?;
            return Ok(Node::Set(found.clone()));
        }
        self.budget.spend(READING * source.len() + if ignore_case { FOLDING * large_parts(source) } else { 0 })?;
        let found = symbols(source, ignore_case)?;
        self.budget.spend(found.size())?;
        self.sets.insert((source, ignore_case), found.clone());
        Ok(Node::Set(found))
    }

    /// A bracketed class that opened at `start`: finds its end; a `]` right after `[` or `[^` is a character.
    fn class(&mut self, start: usize) -> Result<Node, Reason> {
        self.take("^");
        self.take("]");
        let mut open = 1;
        while open > 0 {
            let c = self.peek().ok_or("a class is not closed")?;
            self.at += c.len_utf8();
            match c {
                '\\' => {
                    let escaped = self.peek().ok_or("a class is not closed")?;
                    self.at += escaped.len_utf8();
                    if escaped == 'b' {
                        return Err("a class holds `\\b`".to_owned());
                    }
                }
                '[' => {
                    open += 1;
                    self.take("^");
                    self.take("]");
                }
                ']' => open -= 1,
                _ => {}
            }
        }
        self.set(&self.text[start..self.at], self.flags.ignore_case)
    }

    fn escape(&mut self, start: usize) -> Result<Node, Reason> {
        let c = self.peek().ok_or("the pattern ends with a backslash")?;
        self.at += c.len_utf8();
        let plain = match c {
            'a' => '\x07',
            'e' => '\x1b',
            'f' => '\x0c',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\x0b',
            'd' | 's' | 'w' | 'D' | 'S' | 'W' => {
                return self.set(&self.text[start..self.at], self.flags.ignore_case);
            }
            'p' | 'P' | 'x' | 'u' | 'U' => return self.braced(c, start),
            'A' => return Ok(Node::Start),
            'z' => return Ok(Node::Check(Symbols::end())),
            'Z' => return Ok(before_last_newlines()),
            'b' | 'B' | '<' | '>' => return Err(format!("`\\{c}` is a word boundary, which looks behind")),
            '1'..='9' | 'k' | 'g' => return Err(format!("`\\{c}` refers back to a group")),
            c if c.is_ascii_alphanumeric() => return Err(format!("`\\{c}` is not supported by the automaton")),
            c => return self.literal(c, &self.text[start + 1..self.at]),
        };
        Ok(Node::Set(Symbols::character(plain)))
    }

    /// `\p{..}`, `\pL`, `\x41`, `\x{..}`, `\u0041`, `\u{..}`: finds the end of the escape.
    fn braced(&mut self, kind: char, start: usize) -> Result<Node, Reason> {
        if self.take("{") {
            let length = self.rest().find('}').ok_or("a brace is not closed")?;
            self.at += length + 1;
        } else {
            let length = match kind {
                'p' | 'P' => self.peek().map_or(0, char::len_utf8),
                'x' => 2,
                'u' => 4,
                _ => 8,
            };
            if self.rest().get(..length).is_none_or(str::is_empty) {
                return Err("an escape is not complete".to_owned());
            }
            self.at += length;
        }
        self.set(&self.text[start..self.at], self.flags.ignore_case)
    }

    fn group(&mut self) -> Result<Node, Reason> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("groups nest more than {MAX_DEPTH} deep"));
        }
        let outer = self.flags;
        let mut wrap: fn(Node) -> Node = |body| body;
        if self.take("?=") {
            wrap = |body| Node::Look { body: Box::new(body), negative: false };
        } else if self.take("?!") {
            wrap = |body| Node::Look { body: Box::new(body), negative: true };
        } else if self.take("?>") {
            wrap = |body| Node::Atomic(Box::new(body));
        } else if self.rest().starts_with("?<=") || self.rest().starts_with("?<!") {
            return Err("look-behind".to_owned());
        } else if self.take("?P<") || self.take("?<") {
            self.name()?;
        } else if self.take("?") {
            if self.bare_flags()? {
                self.depth -= 1;
                return Ok(Node::Empty);
            }
        } else if self.rest().starts_with('*') {
            return Err("a control verb".to_owned());
        }
        let body = self.alternation()?;
        if !self.take(")") {
            return Err("a group is not closed".to_owned());
        }
        self.flags = outer;
        self.depth -= 1;
        Ok(wrap(body))
    }

    fn name(&mut self) -> Result<(), Reason> {
        let length = self.rest().find('>').ok_or("a group's name is not closed")?;
        let name = &self.rest()[..length];
        let first = name.chars().next().is_some_and(|c| c == '_' || c.is_ascii_alphabetic());
        if !first || !name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()) {
            return Err(format!("`{name}` as the name of a group"));
        }
        self.at += length + 1;
        Ok(())
    }

    /// The flags after `(?`: true when they stand alone, `(?i)`; false when a group follows, `(?i:`.
    fn bare_flags(&mut self) -> Result<bool, Reason> {
        let (mut on, mut seen) = (true, false);
        loop {
            let c = self.peek().ok_or("a group is not closed")?;
            self.at += c.len_utf8();
            match c {
                'i' => self.flags.ignore_case = on,
                's' => self.flags.dot_newline = on,
                'm' => self.flags.multi_line = on,
                'x' => self.flags.verbose = on,
                '-' if on => on = false,
                ')' if seen => return Ok(true),
                ':' if seen || on => return Ok(false),
                c => return Err(format!("`(?{c}` is not supported by the automaton")),
            }
            seen = c != '-';
        }
    }

    fn quantified(&mut self, body: Node) -> Result<Node, Reason> {
        let (min, max) = if self.take("?") {
            (0, Some(1))
        } else if self.take("*") {
            (0, None)
        } else if self.take("+") {
            (1, None)
        } else if let Some((length, min, max)) = self.counts()? {
            self.at += length;
            (min, max)
        } else {
            return Ok(body);
        };
        self.skip_trivia()?;
        let greedy = !self.take("?");
        let possessive = self.take("+");
        if matches!(body, Node::Empty | Node::Check(_) | Node::Start | Node::Look { .. }) {
            return Err("a quantifier after an assertion".to_owned());
        }
        if max.is_some_and(|max| max < min) {
            return Err(format!("a quantifier from {min} down to {}", max.unwrap_or(0)));
        }
        if max != Some(1) && max != Some(0) && body.nullable() {
            return Err("what is repeated can match nothing".to_owned());
        }
        let repeat = match max {
            Some(0) => Node::Empty,
            _ => Node::Repeat { body: Box::new(body), min, max, greedy },
        };
        Ok(if possessive { Node::Atomic(Box::new(repeat)) } else { repeat })
    }

    /// `{3}`, `{1,3}`, `{2,}`, `{,4}`: its length and bounds; `None` where the brace is a character.
    #[allow(clippy::type_complexity)]
    fn counts(&self) -> Result<Option<(usize, u32, Option<u32>)>, Reason> {
        let Some(inner) = self.rest().strip_prefix('{').and_then(|r| r.split_once('}')).map(|(inner, _)| inner) else {
            return Ok(None);
        };
        if !inner.bytes().all(|b| b.is_ascii_digit() || b == b',' || (self.flags.verbose && b == b' ')) {
            return Ok(None);
        }
        let number = |digits: &str| digits.parse::<u32>().map_err(|_| format!("`{{{inner}}}` is not a count"));
        let (low, high) = match inner.split_once(',') {
            None if inner.is_empty() => return Ok(None),
            None => (number(inner)?, Some(number(inner)?)),
            Some((low, high)) => (
                if low.is_empty() { 0 } else { number(low)? },
                if high.is_empty() { None } else { Some(number(high)?) },
            ),
        };
        Ok(Some((inner.len() + 2, low, high)))
    }
}

/// How many parts of a class may hold very many characters: names such as `\p{L}` and `\W`, and ranges beyond ASCII.
fn large_parts(source: &str) -> usize {
    let names = source.as_bytes().windows(2).filter(|pair| pair[0] == b'\\' && b"pPdDsSwW".contains(&pair[1])).count();
    let plain = source.bytes().all(|byte| byte.is_ascii() && byte != b'\\');
    names + usize::from(source.contains('-') && !plain)
}

/// `\Z`: at the end, or before newlines that reach to the end.
fn before_last_newlines() -> Node {
    let newline = Box::new(Node::Set(Symbols::character('\n')));
    let newlines = Node::Repeat { body: newline, min: 0, max: None, greedy: true };
    let body = Node::Concat(vec![newlines, Node::Check(Symbols::end())]);
    Node::Look { body: Box::new(body), negative: false }
}
