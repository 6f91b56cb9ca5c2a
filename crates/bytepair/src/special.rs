//! Special and added tokens: found in text by longest match, only where the caller allows them.
//!
//! Idea: as in Hugging Face's library, there are two rounds. Tokens that are not `normalized` are looked for in the text
//! as it is; what lies between them is normalised, if there is a normaliser, and searched for those that are, as the
//! normaliser writes them. Each round is one automaton (`round`; `finder` searches a text with it), whose finds are cut out
//! of the text with the white space that `lstrip` and `rstrip` give them (`cuts`).
//!
//! Invariant: `tokens` ascends by id; `by_content` holds their indices in the order of their texts; each token is in
//! one round.
//!
//! Cost: linear in the text, whatever the tokens and which of them are allowed. [`Allowed::None`] costs nothing.

mod backward;
mod cuts;
mod finder;
mod letters;
mod round;
mod settled;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use crate::error::{Error, Report, Result};
pub use cuts::{Cut, Cuts};
use finder::Finder;
use round::Round;

/// One special (or added) token. The flags are Hugging Face's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(clippy::struct_excessive_bools)] // each is a flag of its own in the files
pub struct SpecialToken {
    /// Its text.
    pub content: String,
    /// Its id.
    pub id: u32,
    /// Whether it is a control token (left out by `skip_special`), or only an added word.
    pub special: bool,
    /// Whether it is looked for in the normalised text, in the second round; else in the text as it is.
    pub normalized: bool,
    /// Whether it takes the white space before it.
    pub lstrip: bool,
    /// Whether it takes the white space behind it.
    pub rstrip: bool,
    /// Whether it counts only where no letter, digit or other character of `\w` stands before or behind it.
    pub single_word: bool,
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

/// A set of special tokens and what finds them.
///
/// ```
/// use bytepair::{Allowed, SpecialToken, SpecialTokens};
///
/// let end = SpecialToken { content: "<|end|>".to_owned(), id: 256, special: true, ..SpecialToken::default() };
/// let specials = SpecialTokens::new(vec![end])?;
/// let cuts = |allowed| specials.cuts(b"one<|end|>two", allowed).map(|cut| (cut.start, cut.token.map(|token| token.id)));
/// assert_eq!(cuts(Allowed::All).collect::<Vec<_>>(), [(0, None), (3, Some(256)), (10, None)]);
/// assert_eq!(cuts(Allowed::None).collect::<Vec<_>>(), [(0, None)]);
/// # Ok::<(), bytepair::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct SpecialTokens {
    tokens: Vec<SpecialToken>,
    by_content: Vec<usize>,
    /// What is looked for in the text as it is, and in the normalised one.
    rounds: [Round; 2],
    /// The second round as its tokens are written, where a normaliser writes them in another way.
    written: Option<Round>,
}

impl SpecialTokens {
    /// Validates the tokens and builds the automata.
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
        let rounds = [Round::new(&tokens, false, str::to_owned)?, Round::new(&tokens, true, str::to_owned)?];
        Ok(Self { tokens, by_content, rounds, written: None })
    }

    /// The same tokens where a normaliser writes texts in another way: those of the second round are looked for as it
    /// writes them, and not at all if it leaves nothing of them.
    ///
    /// # Errors
    /// [`Error::SpecialToken`] for texts that have become too long.
    pub fn normalized_by(mut self, normalize: impl Fn(&str) -> String) -> Result<Self> {
        let written = std::mem::replace(&mut self.rounds[1], Round::new(&self.tokens, true, normalize)?);
        self.written.get_or_insert(written);
        Ok(self)
    }

    /// The tokens, in the order of their ids.
    pub fn tokens(&self) -> &[SpecialToken] {
        &self.tokens
    }

    /// The length in bytes of the longest, as it is looked for; 0 if there are none.
    pub fn longest(&self) -> usize {
        self.rounds[0].longest().max(self.rounds[1].longest())
    }

    /// Whether a token takes white space with it, which decoding does not give back.
    pub fn strips(&self) -> bool {
        self.rounds.iter().any(|round| round.lstrip || round.rstrip)
    }

    /// Whether no token looks at what stands around it.
    pub(crate) fn are_plain(&self) -> bool {
        !self.strips() && self.rounds.iter().all(|round| round.letters.is_none())
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

    /// The first text of an accepted token, as tokens are written and whatever their flags: of those that start first, the
    /// longest.
    pub(crate) fn find(&self, text: &[u8], accept: impl Fn(&SpecialToken) -> bool) -> Option<(usize, &SpecialToken)> {
        let [first, second] = &self.rounds;
        let [one, two] = [first, self.written.as_ref().unwrap_or(second)]
            .map(|round| Finder::new(round, text).find(0, text.len(), |at| accept(&self.tokens[at])));
        let first = match (one, two) {
            (Some(one), Some(two)) if (two.start, one.end) < (one.start, two.end) => two,
            (one, two) => one.or(two)?,
        };
        Some((first.start, &self.tokens[first.token]))
    }

    /// The first text of an accepted token of the second round in a text that is normalised: its start and end, whatever
    /// its flags.
    pub(crate) fn find_normalized(
        &self,
        text: &[u8],
        accept: impl Fn(&SpecialToken) -> bool,
    ) -> Option<((usize, usize), &SpecialToken)> {
        let found = Finder::new(&self.rounds[1], text).find(0, text.len(), |at| accept(&self.tokens[at]))?;
        Some(((found.start, found.end), &self.tokens[found.token]))
    }
}

fn refuse(message: String, hint: impl Into<String>) -> Error {
    Error::SpecialToken(Report::new(message, hint))
}
