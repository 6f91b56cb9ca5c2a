//! One round of the search for special tokens: an automaton over those that are looked for in the same text.
//!
//! Idea: an Aho-Corasick automaton finds the leftmost and, of those, the longest. Where a call allows only some, a longer
//! forbidden token must not hide a shorter allowed one: the tokens that are prefixes of a token hang from it as a chain
//! (its longest proper prefix first), so the allowed ones at the same place are found without a second look at the text;
//! if there is none, the search goes on one byte later.
//!
//! Invariant: `sought` ascends; of tokens that are looked for by the same text (a normaliser may do that), the one
//! that is preferred comes last (a control token, and then the lowest id): the automaton knows it, and the others hang from it.
//!
//! Cost: as `special`.

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};

use super::letters::Letters;
use super::{SpecialToken, refuse};
use crate::error::Result;

/// A text of more bytes than this, if it repeats itself, makes the table of all transitions, which is the fastest, cost the
/// square of its length to build; so then failures stay links.
const LONG: usize = 512;

/// The tokens of one round.
#[derive(Debug, Clone, Default)]
pub(super) struct Round {
    /// What is looked for: the length of each text, and the index of its token.
    sought: Vec<(usize, usize)>,
    /// Of each, the longest other that its text begins with.
    prefix: Vec<Option<usize>>,
    /// Of each pattern of the automaton, which of them it is.
    distinct: Vec<usize>,
    automaton: Option<AhoCorasick>,
    longest: usize,
    /// Whether a token has this flag.
    pub(super) lstrip: bool,
    pub(super) rstrip: bool,
    /// What a single word must not touch; if a token has that flag.
    pub(super) letters: Option<Letters>,
}

/// A token in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The index of the token.
    pub(super) token: usize,
}

impl Round {
    /// The round of those tokens that are `normalized`, or that are not, as `normalize` writes them.
    pub(super) fn new(tokens: &[SpecialToken], normalized: bool, normalize: impl Fn(&str) -> String) -> Result<Self> {
        let ours = || tokens.iter().enumerate().filter(|(_, token)| token.normalized == normalized);
        let mut texts: Vec<(String, usize)> = ours().map(|(index, token)| (normalize(&token.content), index)).collect();
        texts.retain(|(text, _)| !text.is_empty());
        if texts.is_empty() {
            return Ok(Self::default());
        }
        texts.sort_by(|(one, first), (two, second)| {
            one.cmp(two).then((!tokens[*second].special, second).cmp(&(!tokens[*first].special, first)))
        });
        // Of equal texts the last, which begins with all the others.
        let is_last = |at: &usize| texts.get(at + 1).is_none_or(|(next, _)| *next != texts[*at].0);
        let distinct: Vec<usize> = (0..texts.len()).filter(is_last).collect();
        let long = texts.iter().any(|(text, _)| text.len() > LONG);
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .kind(long.then_some(AhoCorasickKind::ContiguousNFA))
            .build(distinct.iter().map(|&at| &texts[at].0))
            .map_err(|error| {
                refuse(format!("the special tokens are too many or too long: {error}"), "use fewer or shorter ones")
            })?;
        Ok(Self {
            prefix: prefixes(&texts),
            distinct,
            automaton: Some(automaton),
            longest: texts.iter().map(|(text, _)| text.len()).max().unwrap_or(0),
            sought: texts.into_iter().map(|(text, token)| (text.len(), token)).collect(),
            lstrip: ours().any(|(_, token)| token.lstrip),
            rstrip: ours().any(|(_, token)| token.rstrip),
            letters: ours().any(|(_, token)| token.single_word).then(Letters::new),
        })
    }

    /// Whether there is nothing to look for.
    pub(super) fn is_empty(&self) -> bool {
        self.sought.is_empty()
    }

    /// The length in bytes of the longest text that is looked for.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// The first accepted token that starts at or after byte `from` and before `until`: of those that start first, the
    /// longest.
    pub(super) fn find(
        &self,
        text: &[u8],
        mut from: usize,
        until: usize,
        accept: impl Fn(usize) -> bool,
    ) -> Option<Found> {
        let automaton = self.automaton.as_ref()?;
        let end = text.len().min(until.saturating_add(self.longest));
        while from < end {
            let found = automaton.find(Input::new(text).span(from..end)).filter(|found| found.start() < until)?;
            let mut candidate = Some(self.distinct[found.pattern().as_usize()]);
            while let Some(index) = candidate {
                let (length, token) = self.sought[index];
                if accept(token) {
                    return Some(Found { start: found.start(), end: found.start() + length, token });
                }
                candidate = self.prefix[index];
            }
            from = found.start() + 1;
        }
        None
    }
}

/// Of each text, the one before it that it begins with. In their order a prefix comes before what it begins, and the
/// prefixes of one text form a stack.
fn prefixes(texts: &[(String, usize)]) -> Vec<Option<usize>> {
    let mut prefix = vec![None; texts.len()];
    let mut open: Vec<usize> = Vec::new();
    for (index, (text, _)) in texts.iter().enumerate() {
        while open.last().is_some_and(|&top| !text.starts_with(&texts[top].0)) {
            open.pop();
        }
        prefix[index] = open.last().copied();
        open.push(index);
    }
    prefix
}
