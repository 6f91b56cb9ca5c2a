//! A text cut into special tokens and what lies between them.
//!
//! Idea: the finds of a round in order, each with the white space that its flags give it. As in Hugging Face's library
//! the search goes on behind a token's own text, not behind that white space; a token that begins in white space which
//! one before it would take ends that, unless it is white space itself and takes what is before it (`lstrip`): then there is
//! nothing left of it. A token that must be a single word and is none is passed over whole: what is
//! inside it is not looked for.
//!
//! Invariant: the cuts follow each other without gap or overlap and are never empty; no two texts stand side by side.
//!
//! Cost: as `special`; white space is looked at a few times at most.

use std::iter;

use super::finder::{Finder, Found};
use super::letters::{Letters, white_before, white_behind};
use super::round::Round;
use super::{Allowed, SpecialToken, SpecialTokens};

/// A part of a text: a special token with the white space that it takes, or what lies between two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut<'a> {
    /// Where it starts, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The token; `None` for what lies between.
    pub token: Option<&'a SpecialToken>,
}

/// Bytes of white space that are looked at before it is seen whether a token begins in them.
const SOME: usize = 64;

impl SpecialTokens {
    /// The allowed special tokens in a text, and what lies between them, in order. Both rounds look at the same text.
    pub fn cuts<'s, 't>(&'s self, text: &'t [u8], allowed: Allowed<'t>) -> impl Iterator<Item = Cut<'s>> {
        let second = !self.rounds[1].is_empty();
        self.raw_cuts(text, allowed).flat_map(move |cut| {
            let whole = (cut.token.is_some() || !second).then_some(cut);
            // What lies between is a text of its own for the second round.
            let inner = whole.is_none().then(|| self.normalized_cuts(&text[cut.start..cut.end], allowed));
            let place = move |part: Cut<'s>| Cut { start: cut.start + part.start, end: cut.start + part.end, ..part };
            whole.into_iter().chain(inner.into_iter().flatten().map(place))
        })
    }

    /// The cuts of the first round: by tokens that are not `normalized`.
    pub fn raw_cuts<'s, 't>(&'s self, text: &'t [u8], allowed: Allowed<'t>) -> Cuts<'s, 't> {
        Cuts::new(self, &self.rounds[0], text, text.len(), allowed)
    }

    /// The cuts of the second round: by tokens that are `normalized`, in a text that is.
    pub fn normalized_cuts<'s, 't>(&'s self, text: &'t [u8], allowed: Allowed<'t>) -> Cuts<'s, 't> {
        Cuts::new(self, &self.rounds[1], text, text.len(), allowed)
    }
}

/// The cuts of a text by one round.
#[derive(Debug)]
pub struct Cuts<'s, 't> {
    tokens: &'s [SpecialToken],
    pub(super) finder: Finder<'s, 't>,
    allowed: Allowed<'t>,
    /// Tokens that start from here on are not looked for.
    until: usize,
    /// How much of the text was given.
    done: usize,
    /// From where on tokens are looked for.
    search: usize,
    /// A token that was found, and is given after what lies before it.
    waiting: Option<Cut<'s>>,
    /// Where the tokens start and end that were passed over, since they are no single words; where that is asked for.
    passed_over: Option<Vec<(usize, usize)>>,
}

impl<'s, 't> Cuts<'s, 't> {
    /// The cuts by tokens that start before byte `until`.
    pub(super) fn new(
        specials: &'s SpecialTokens,
        round: &'s Round,
        text: &'t [u8],
        until: usize,
        allowed: Allowed<'t>,
    ) -> Self {
        let until = if allowed.is_empty() { 0 } else { until };
        let (tokens, finder) = (&specials.tokens, Finder::new(round, text));
        Self { tokens, finder, allowed, until, done: 0, search: 0, waiting: None, passed_over: None }
    }

    /// The same, which remember what they pass over.
    pub(super) fn remembering(self) -> Self {
        Self { passed_over: Some(Vec::new()), ..self }
    }

    /// Where the tokens start and end that were passed over, since they are no single words, in order.
    pub(super) fn passed_over(&self) -> &[(usize, usize)] {
        self.passed_over.as_deref().unwrap_or_default()
    }

    /// The next token that counts and starts before `until`.
    fn find(&mut self, until: usize) -> Option<Found> {
        loop {
            let allowed = |token: usize| self.allowed.contains(self.tokens[token].id);
            let found = self.finder.find(self.search, until.min(self.until), allowed)?;
            self.search = found.end;
            let spare = |letters: &Letters| letters.spare(self.finder.text, found.start, found.end);
            if !self.tokens[found.token].single_word || self.finder.round.letters.as_ref().is_none_or(spare) {
                return Some(found);
            }
            if let Some(passed_over) = &mut self.passed_over {
                passed_over.push((found.start, found.end));
            }
        }
    }

    /// Where the white space ends that a token takes which ends at `end`.
    fn white_behind(&mut self, end: usize) -> usize {
        let (search, passed_over, tokens, text) = (self.search, self.passed_over.take(), self.tokens, self.finder.text);
        // White space that takes white space is taken with what is before it.
        let is_lost = |next: &Found| tokens[next.token].lstrip && white_before(&text[next.start..next.end]) == 0;
        let mut most = SOME;
        loop {
            let white = end + white_behind(&self.finder.text[end..], most);
            let next = iter::from_fn(|| self.find(white)).find(|next| !is_lost(next));
            self.search = search;
            if next.is_some() || white < end + most {
                self.passed_over = passed_over;
                return next.map_or(white, |next| next.start);
            }
            most *= 2;
        }
    }
}

impl<'s> Iterator for Cuts<'s, '_> {
    type Item = Cut<'s>;

    #[inline]
    fn next(&mut self) -> Option<Cut<'s>> {
        if let Some(cut) = self.waiting.take() {
            self.done = cut.end;
            return Some(cut);
        }
        let done = self.done;
        let Some(found) = iter::from_fn(|| self.find(self.finder.text.len())).find(|found| found.start >= done) else {
            let rest = Cut { start: self.done, end: self.finder.text.len(), token: None };
            (self.done, self.until) = (rest.end, 0);
            return (rest.start < rest.end).then_some(rest);
        };
        let token = &self.tokens[found.token];
        let before = &self.finder.text[self.done..found.start];
        let start = if token.lstrip { self.done + white_before(before) } else { found.start };
        let end = if token.rstrip { self.white_behind(found.end) } else { found.end };
        let cut = Cut { start, end, token: Some(token) };
        if self.done < start {
            let between = Cut { start: self.done, end: start, token: None };
            (self.waiting, self.done) = (Some(cut), start);
            return Some(between);
        }
        self.done = end;
        Some(cut)
    }
}
