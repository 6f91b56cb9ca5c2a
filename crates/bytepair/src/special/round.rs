//! One round of the search for special tokens: what is looked for in the same text.
//!
//! Idea: an Aho-Corasick automaton finds the leftmost and, of those, the longest; where that would read too much, another
//! one reads backwards, which is made when it is first needed.
//!
//! Invariant: `sought` ascends; of tokens that are looked for by the same text (a normaliser may do that), the one
//! that is preferred comes last (a control token, and then the lowest id): the automata know it, and the others are prefixes
//! of it.
//!
//! Cost: linear in the tokens, once they are sorted; of a search, see `finder`.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};

use super::backward::Backward;
use super::letters::Letters;
use super::{SpecialToken, refuse};
use crate::error::Result;
use crate::late::Late;

/// A text of more bytes than this, if it repeats itself, makes the table of all transitions, which is the fastest, cost the
/// square of its length to build; so then failures stay links.
const LONG: usize = 512;
/// So few texts with many first bytes the library may look for with vector instructions, and then compares them all wherever
/// one may begin...
const FEW: usize = 128;
/// ... which it may not if they have more bytes than this altogether.
const SHORT: usize = 1 << 12;

/// The tokens of one round.
#[derive(Debug, Clone, Default)]
pub(super) struct Round {
    /// What is looked for: each text, and the index of its token.
    sought: Vec<(String, usize)>,
    /// Of each, the longest other that its text begins with.
    prefix: Vec<Option<usize>>,
    /// Of each pattern of the automata, which of them it is.
    distinct: Vec<usize>,
    automaton: Option<AhoCorasick>,
    /// No lock: a child that was forked while it was made would wait for ever.
    pub(super) backward: Arc<Late<Backward>>,
    longest: usize,
    /// Whether a token has this flag.
    pub(super) lstrip: bool,
    pub(super) rstrip: bool,
    /// What a single word must not touch; if a token has that flag.
    pub(super) letters: Option<Letters>,
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
        let patterns = || distinct.iter().map(|&at| &texts[at].0);
        let longest = patterns().map(String::len).max().unwrap_or(0);
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .kind((longest > LONG).then_some(AhoCorasickKind::ContiguousNFA))
            .prefilter(!are_compared(patterns().map(String::as_str)))
            .build(patterns())
            .map_err(|error| {
                refuse(format!("the special tokens are too many or too long: {error}"), "use fewer or shorter ones")
            })?;
        Ok(Self {
            prefix: prefixes(&texts),
            distinct,
            automaton: Some(automaton),
            backward: Arc::default(),
            longest,
            sought: texts,
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

    /// The length of a text that is looked for, and the index of its token.
    pub(super) fn sought(&self, at: usize) -> (usize, usize) {
        let (text, token) = &self.sought[at];
        (text.len(), *token)
    }

    /// Which text a pattern of the automata is.
    pub(super) fn of_pattern(&self, number: usize) -> usize {
        self.distinct[number]
    }

    /// The longest other that a text begins with.
    pub(super) fn prefix(&self, at: usize) -> Option<usize> {
        self.prefix[at]
    }

    /// Where the first text starts in a part of another one, and the longest that starts there.
    #[inline]
    pub(super) fn first(&self, text: &[u8], part: Range<usize>) -> Option<(usize, usize)> {
        let found = self.automaton.as_ref()?.find(Input::new(text).span(part))?;
        Some((found.start(), self.of_pattern(found.pattern().as_usize())))
    }

    /// The automaton that reads backwards, unless another thread is making it.
    pub(super) fn backward(&self) -> Option<&Backward> {
        if self.backward.get().is_none() {
            self.backward.make(|| self.new_backward());
        }
        self.backward.get()
    }

    /// The same, made anew.
    pub(super) fn new_backward(&self) -> Backward {
        Backward::new(&self.distinct.iter().map(|&at| self.sought[at].0.as_bytes()).collect::<Vec<_>>())
    }
}

/// Whether texts would be compared one by one, and are too long for that.
fn are_compared<'a>(texts: impl ExactSizeIterator<Item = &'a str> + Clone) -> bool {
    let starts: HashSet<u8> = texts.clone().filter_map(|text| text.bytes().next()).collect();
    let is_sought_by_start = starts.len() < 3 && starts.iter().all(u8::is_ascii);
    !is_sought_by_start && (2..=FEW).contains(&texts.len()) && texts.map(str::len).sum::<usize>() > SHORT
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
