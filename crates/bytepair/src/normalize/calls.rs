//! The calls of a tokenizer that normalises: the same as without, for each text that normalising makes.
//!
//! Idea: [`Tokenizer::parts`] gives, in order, the special tokens that are allowed and what lies between them, normalised.
//! Every such text is encoded, counted or traced by itself as a text without special tokens, and places in it are led back.
//!
//! Cost: normalising, and what the call costs otherwise.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::rc::Rc;

use super::{Chain, run};
use crate::cancel::Cancel;
use crate::error::{Error, Result};
use crate::special::{Allowed, SpecialToken};
use crate::split::Pretoken;
use crate::tokenizer::{EncodeOptions, Tokenizer, UnknownSymbol};
use crate::trace::{Forest, Step, Trace};

/// A part of a text.
enum Part<'t> {
    /// A special token: its span, and its id.
    Special((usize, usize), u32),
    /// What lies between two, normalised.
    Text(Made<'t>),
}

/// A text that normalising made.
struct Made<'t> {
    text: Cow<'t, [u8]>,
    /// The steps behind special tokens that are normalised.
    after: Chain,
    /// Where the text starts in what the first steps made.
    start: usize,
    /// The first steps.
    before: Rc<Chain>,
    /// Where the part that they were given starts in the whole text.
    base: usize,
}

impl Made<'_> {
    /// The span of the whole text that a span of this one came from.
    fn origin(&self, (start, end): (usize, usize)) -> (usize, usize) {
        let (start, end) = self.after.origin((start, end));
        let (start, end) = self.before.origin((start + self.start, end + self.start));
        (start + self.base, end + self.base)
    }
}

impl Made<'_> {
    /// A result about this text as one about the whole.
    fn place<T>(&self, result: Result<T>) -> Result<T> {
        result.map_err(|error| match error {
            Error::UnknownSymbol { symbol, at } => {
                let (at, _) = self.origin((at, at + symbol.len().max(1)));
                Error::UnknownSymbol { symbol, at }
            }
            other => other,
        })
    }
}

/// The options for a text without special tokens.
fn plain(options: EncodeOptions<'_>) -> EncodeOptions<'_> {
    EncodeOptions { allowed: Allowed::None, disallowed: Allowed::None, ..options }
}

impl Tokenizer {
    /// Visits the parts of a text in order, until `each` breaks or fails. Places are known where `placed`.
    fn parts(
        &self,
        text: &[u8],
        options: EncodeOptions<'_>,
        placed: bool,
        mut each: impl FnMut(Part<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let Some(normalizer) = self.normalizer() else { return Ok(()) };
        for cut in self.specials().raw_cuts(text, options.allowed) {
            if let Some(token) = cut.token {
                if each(Part::Special((cut.start, cut.end), token.id))?.is_break() {
                    return Ok(());
                }
                continue;
            }
            let is_kept = placed || cut.start == 0 && normalizer.asks_where();
            let mut before = Chain { is_kept, ..Chain::default() };
            let made =
                run(&normalizer.before, text[cut.start..cut.end].into(), cut.start == 0, &mut before, options.cancel)?;
            if self.parts_of_normalized(&made, cut.start, before, options, &mut each)?.is_break() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The same for what the first steps made of the part of the text that starts at `base`.
    fn parts_of_normalized(
        &self,
        text: &[u8],
        base: usize,
        before: Chain,
        options: EncodeOptions<'_>,
        each: &mut impl FnMut(Part<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<ControlFlow<()>> {
        let Some(normalizer) = self.normalizer() else { return Ok(ControlFlow::Break(())) };
        let whole = Made { text: Cow::Borrowed(&[]), after: Chain::default(), start: 0, before: Rc::new(before), base };
        for cut in self.specials().normalized_cuts(text, options.allowed) {
            let part = if let Some(token) = cut.token {
                Part::Special(whole.origin((cut.start, cut.end)), token.id)
            } else {
                let part = Cow::Borrowed(&text[cut.start..cut.end]);
                let mut after = Chain { is_kept: whole.before.is_kept, ..Chain::default() };
                // A text whose beginning was taken away begins elsewhere.
                let is_first = base == 0 && normalizer.asks_where() && whole.origin((cut.start, cut.start + 1)).0 == 0;
                let made = run(&normalizer.after, part, is_first, &mut after, options.cancel)?;
                Part::Text(Made { text: made, after, start: cut.start, before: Rc::clone(&whole.before), base })
            };
            let flow = each(part)?;
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The first special token in what the first steps make of a text that is disallowed and not allowed, as an error.
    /// Those that are found before normalising are refused by what is written.
    pub(crate) fn refuse_normalized(&self, text: &[u8], options: EncodeOptions<'_>) -> Result<()> {
        let Some(normalizer) = self.normalizer().filter(|_| !options.disallowed.is_empty()) else { return Ok(()) };
        let is_refused = |token: &SpecialToken| token.normalized && options.refuses(token.id);
        if !self.specials().tokens().iter().any(is_refused) {
            return Ok(());
        }
        for cut in self.specials().raw_cuts(text, options.allowed).filter(|cut| cut.token.is_none()) {
            let made = |before: &mut Chain| {
                let part = text[cut.start..cut.end].into();
                run(&normalizer.before, part, cut.start == 0, before, options.cancel)
            };
            if let Some((span, token)) = self.specials().find_normalized(&made(&mut Chain::default())?, is_refused) {
                let mut before = Chain { is_kept: true, ..Chain::default() };
                made(&mut before)?;
                let at = cut.start + before.origin(span).0;
                return Err(Error::DisallowedSpecial { token: token.content.clone(), at });
            }
        }
        Ok(())
    }

    /// A text as it is split where no special token is allowed: normalised.
    ///
    /// # Errors
    /// [`Error::Pattern`] from a pattern that backtracks; [`Error::Interrupted`].
    pub fn normalized<'t>(&self, text: &'t [u8], cancel: Cancel<'_>) -> Result<Cow<'t, [u8]>> {
        self.normalizer().map_or(Ok(text.into()), |normalizer| normalizer.normalized(text, cancel))
    }

    /// [`encode`](Self::encode), normalised; `encode` appends the ids of a text that is.
    pub(crate) fn encode_normalized(
        &self,
        text: &[u8],
        options: EncodeOptions<'_>,
        out: &mut Vec<u32>,
        mut encode: impl FnMut(&[u8], EncodeOptions<'_>, &mut Vec<u32>) -> Result<()>,
    ) -> Result<()> {
        let before = out.len();
        let done = self.refuse_disallowed(text, options).and_then(|()| {
            placed(options, |placed| {
                out.truncate(before);
                self.parts(text, options, placed, |part| {
                    match part {
                        Part::Special(_, id) => out.push(id),
                        Part::Text(made) => made.place(encode(&made.text, plain(options), out))?,
                    }
                    Ok(ControlFlow::Continue(()))
                })
            })
        });
        if done.is_err() {
            out.truncate(before);
        }
        done
    }

    /// [`count_up_to`](Self::count_up_to), normalised, without looking for disallowed special tokens.
    pub(crate) fn count_normalized(
        &self,
        text: &[u8],
        limit: usize,
        options: EncodeOptions<'_>,
    ) -> Result<Option<usize>> {
        let mut count = 0usize;
        placed(options, |placed| {
            count = 0;
            self.parts(text, options, placed, |part| {
                match part {
                    Part::Special(..) => count += 1,
                    Part::Text(made) => {
                        let more = self.count_text(&made.text, limit.saturating_sub(count), plain(options));
                        count = made.place(more)?.map_or(usize::MAX, |more| count + more);
                    }
                }
                Ok(if count > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            })
        })?;
        Ok((count <= limit).then_some(count))
    }

    /// Where each of the first `most` tokens ends in `text`; `None` if there are no more than those.
    pub(crate) fn ends_normalized(
        &self,
        text: &[u8],
        most: usize,
        options: EncodeOptions<'_>,
    ) -> Result<Option<Vec<usize>>> {
        let mut ends = Vec::new();
        self.parts(text, options, true, |part| {
            match part {
                Part::Special((_, end), _) => ends.push(end),
                Part::Text(made) => {
                    let mut trace = Trace::default();
                    made.place(self.trace_text(&made.text, plain(options), &mut trace))?;
                    ends.extend(trace.bytes.iter().map(|&span| made.origin(span).1));
                }
            }
            Ok(if ends.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        if ends.len() <= most {
            return Ok(None);
        }
        ends.truncate(most);
        Ok(Some(ends))
    }

    /// [`trace`](Self::trace), normalised, without what is said about characters.
    pub(crate) fn trace_normalized(&self, text: &[u8], options: EncodeOptions<'_>, trace: &mut Trace) -> Result<()> {
        self.parts(text, options, true, |part| {
            match part {
                Part::Special(span, id) => trace.push(id, span, true, usize::MAX),
                Part::Text(made) => {
                    let (tokens, pretokens) = (trace.ids.len(), trace.pretokens.len());
                    made.place(self.trace_text(&made.text, plain(options), trace))?;
                    for span in &mut trace.bytes[tokens..] {
                        *span = made.origin(*span);
                    }
                    for pretoken in &mut trace.pretokens[pretokens..] {
                        let (start, end) = made.origin((pretoken.start, pretoken.end));
                        *pretoken = Pretoken { start, end, ..*pretoken };
                    }
                }
            }
            Ok(ControlFlow::Continue(()))
        })
    }

    /// [`explain`](Self::explain), normalised.
    pub(crate) fn explain_normalized(
        &self,
        text: &[u8],
        options: EncodeOptions<'_>,
        forest: &mut Forest,
    ) -> Result<()> {
        placed(options, |placed| {
            *forest = Forest::default();
            self.parts(text, options, placed, |part| {
                match part {
                    Part::Special(_, id) => forest.leaf(id),
                    Part::Text(made) => made.place(self.explain_text(&made.text, plain(options), forest))?,
                }
                Ok(ControlFlow::Continue(()))
            })
        })
    }

    /// [`steps`](Self::steps), normalised.
    pub(crate) fn steps_normalized(
        &self,
        text: &[u8],
        options: EncodeOptions<'_>,
        bases: &mut Vec<Vec<u32>>,
        steps: &mut Vec<Step>,
    ) -> Result<()> {
        placed(options, |placed| {
            bases.clear();
            steps.clear();
            self.parts(text, options, placed, |part| {
                if let Part::Text(made) = part {
                    made.place(self.steps_text(&made.text, plain(options), bases, steps))?;
                }
                Ok(ControlFlow::Continue(()))
            })
        })
    }

    /// The pretokens of a text as spans of it; of a tokenizer that does not normalise, those of its pattern.
    ///
    /// # Errors
    /// [`Error::Pattern`] from a backtracking pattern.
    pub fn split(&self, text: &[u8], mut each: impl FnMut(Pretoken) -> ControlFlow<()>) -> Result<()> {
        if self.normalizer().is_none() {
            return self.splitter().split(text, each);
        }
        self.parts(text, EncodeOptions::default(), true, |part| {
            let Part::Text(made) = part else { return Ok(ControlFlow::Continue(())) };
            let mut flow = ControlFlow::Continue(());
            self.splitter().split(&made.text, |found| {
                let (start, end) = made.origin((found.start, found.end));
                flow = each(Pretoken { start, end, ..found });
                flow
            })?;
            Ok(flow)
        })
    }
}

/// Calls `work` without places, and again with them if a symbol is unknown and has to be placed.
fn placed(options: EncodeOptions<'_>, mut work: impl FnMut(bool) -> Result<()>) -> Result<()> {
    match work(false) {
        Err(Error::UnknownSymbol { .. }) if options.unknown == UnknownSymbol::Raise => work(true),
        done => done,
    }
}
