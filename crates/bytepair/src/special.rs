//! Special tokens: found in text by longest match, only where the caller allows them.
//!
//! Idea: one Aho-Corasick automaton over all special tokens finds the leftmost and, of those, the longest. Where a
//! call allows only some, a longer forbidden token must not hide a shorter allowed one: the tokens that are prefixes of
//! a token hang from it as a chain (its longest proper prefix first), so the allowed ones at the same place are found
//! without a second look at the text; if there is none, the search goes on one byte later.
//!
//! Invariant: `tokens` ascends by id; `by_content` holds their indices in the order of their texts.
//!
//! Cost: linear in the text; with forbidden tokens in it, at worst the text times the longest special token.
//! [`Allowed::None`] costs nothing.

use std::collections::HashSet;

use aho_corasick::{AhoCorasick, Input, MatchKind};

use crate::error::{Error, Report, Result};
use crate::split::Splitter;

/// One special (or added) token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecialToken {
    /// Its text.
    pub content: String,
    /// Its id.
    pub id: u32,
    /// Whether it is a control token (left out by `skip_special`), or only an added word.
    pub special: bool,
    /// Hugging Face's flag of the same name; kept, without effect while nothing is normalised.
    pub normalized: bool,
}

/// The special tokens that a call may parse; all others are text.
#[derive(Debug, Clone, Copy)]
pub enum Allowed<'a> {
    /// None: special tokens in the text are text.
    None,
    /// All of them.
    All,
    /// Those with these ids.
    Only(&'a HashSet<u32>),
}

impl Allowed<'_> {
    /// Whether the token with this id is among them.
    pub fn contains(self, id: u32) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Only(ids) => ids.contains(&id),
        }
    }

    /// Whether it is plain that there are none.
    pub(crate) fn is_empty(self) -> bool {
        match self {
            Self::None => true,
            Self::All => false,
            Self::Only(ids) => ids.is_empty(),
        }
    }
}

/// A set of special tokens and the automaton that finds them.
///
/// ```
/// use bytepair::{Allowed, SpecialToken, SpecialTokens};
///
/// let end = SpecialToken { content: "<|end|>".to_owned(), id: 256, special: true, normalized: false };
/// let specials = SpecialTokens::new(vec![end])?;
/// let found = specials.find(b"one<|end|>two", 0, Allowed::All).map(|(at, token)| (at, token.id));
/// assert_eq!(found, Some((3, 256)));
/// assert!(specials.find(b"one<|end|>two", 0, Allowed::None).is_none());
/// # Ok::<(), bytepair::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct SpecialTokens {
    tokens: Vec<SpecialToken>,
    by_content: Vec<usize>,
    /// Of each token, the longest other token that its text begins with.
    prefix: Vec<Option<usize>>,
    automaton: Option<AhoCorasick>,
    longest: usize,
}

impl SpecialTokens {
    /// Validates the tokens and builds the automaton.
    ///
    /// # Errors
    /// [`Error::SpecialToken`] for an empty text, or a text or an id that stands twice.
    pub fn new(mut tokens: Vec<SpecialToken>) -> Result<Self> {
        tokens.sort_by_key(|token| token.id);
        for token in &tokens {
            if token.content.is_empty() {
                return Err(refuse(
                    format!("the special token with id {} has an empty text", token.id),
                    "give it a text, or leave it out",
                ));
            }
        }
        for pair in tokens.windows(2) {
            if let [one, two] = pair
                && one.id == two.id
            {
                return Err(refuse(
                    format!("the special tokens `{}` and `{}` both have id {}", one.content, two.content, one.id),
                    "give every special token an id of its own",
                ));
            }
        }
        let mut by_content: Vec<usize> = (0..tokens.len()).collect();
        by_content.sort_by(|&one, &two| tokens[one].content.cmp(&tokens[two].content));
        for pair in by_content.windows(2) {
            if let [one, two] = pair.iter().map(|&index| &tokens[index]).collect::<Vec<_>>()[..]
                && one.content == two.content
            {
                return Err(refuse(
                    format!("the special token `{}` stands twice, with ids {} and {}", one.content, one.id, two.id),
                    "leave one of the two out",
                ));
            }
        }
        let prefix = prefixes(&tokens, &by_content);
        let automaton = if tokens.is_empty() { None } else { Some(build(&tokens)?) };
        let longest = tokens.iter().map(|token| token.content.len()).max().unwrap_or(0);
        Ok(Self { tokens, by_content, prefix, automaton, longest })
    }

    /// The tokens, in the order of their ids.
    pub fn tokens(&self) -> &[SpecialToken] {
        &self.tokens
    }

    /// The length in bytes of the longest; 0 if there are none.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// The token with this id.
    pub fn by_id(&self, id: u32) -> Option<&SpecialToken> {
        // Most ids lie outside the range of the special ones.
        if id < self.tokens.first()?.id || id > self.tokens.last()?.id {
            return None;
        }
        self.tokens.binary_search_by_key(&id, |token| token.id).ok().map(|index| &self.tokens[index])
    }

    /// The token with this text.
    pub fn by_content(&self, content: &str) -> Option<&SpecialToken> {
        let found = self.by_content.binary_search_by(|&index| self.tokens[index].content.as_str().cmp(content));
        found.ok().map(|at| &self.tokens[self.by_content[at]])
    }

    /// The first allowed special token at or after byte `from`: of those that start first, the longest.
    pub fn find(&self, text: &[u8], from: usize, allowed: Allowed<'_>) -> Option<(usize, &SpecialToken)> {
        if allowed.is_empty() {
            return None;
        }
        self.find_where(text, from, |token| allowed.contains(token.id))
    }

    /// The first special token at or after byte `from` that `accept` accepts: of those that start first, the longest.
    pub(crate) fn find_where(
        &self,
        text: &[u8],
        mut from: usize,
        accept: impl Fn(&SpecialToken) -> bool,
    ) -> Option<(usize, &SpecialToken)> {
        let automaton = self.automaton.as_ref()?;
        while from < text.len() {
            let found = automaton.find(Input::new(text).span(from..text.len()))?;
            let mut candidate = Some(found.pattern().as_usize());
            while let Some(index) = candidate {
                if accept(&self.tokens[index]) {
                    return Some((found.start(), &self.tokens[index]));
                }
                candidate = self.prefix[index];
            }
            from = found.start() + 1;
        }
        None
    }

    /// A position, late in a text of which more may follow, at which it may be taken apart: no special token stands across it, and
    /// [`Splitter::settled`] gives it for what lies behind the last one. 0 if there is none. If any of the tokens `matter`, none may
    /// stand across it, though only allowed ones end texts.
    pub(crate) fn settled(&self, splitter: &Splitter, text: &[u8], allowed: Allowed<'_>, matter: bool) -> usize {
        // From `known` on, a special token may begin that is not whole yet.
        let known = text.len().saturating_sub(if matter { self.longest.saturating_sub(1) } else { 0 });
        let mut from = 0;
        while let Some((at, token)) = self.find(text, from, allowed)
            && at < known
        {
            if at + token.content.len() > known {
                return at;
            }
            from = at + token.content.len();
        }
        from + splitter.settled(&text[from..known])
    }
}

/// Of each token, the longest other token that its text begins with. In the order of the texts a prefix comes before
/// what it begins, and the prefixes of one text form a stack.
fn prefixes(tokens: &[SpecialToken], by_content: &[usize]) -> Vec<Option<usize>> {
    let mut prefix = vec![None; tokens.len()];
    let mut open: Vec<usize> = Vec::new();
    for &index in by_content {
        while open.last().is_some_and(|&top| !tokens[index].content.starts_with(&tokens[top].content)) {
            open.pop();
        }
        prefix[index] = open.last().copied();
        open.push(index);
    }
    prefix
}

fn build(tokens: &[SpecialToken]) -> Result<AhoCorasick> {
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(tokens.iter().map(|token| &token.content))
        .map_err(|error| {
            refuse(format!("the special tokens are too many or too long: {error}"), "use fewer or shorter ones")
        })
}

fn refuse(message: String, hint: impl Into<String>) -> Error {
    Error::SpecialToken(Report::new(message, hint))
}
