//! Where a text of which more may follow can be taken apart, special tokens considered.
//!
//! Idea: walk the tokens that are certain, since they lie far enough before the end; behind the last one the place is the
//! splitter's. What flags make uncertain is kept out: white space that a later token may take (`lstrip`), a token whose
//! white space may go on (`rstrip`), and, where single words count, the neighbourhood of every token that was passed over.
//! Where that leaves nothing, there is the last edge of a token that nothing which was passed over touches.
//!
//! Invariant: what lies before the place and the rest with all that follows, each a text of its own, have the tokens of
//! the whole.
//!
//! Cost: linear in the text.

use super::cuts::Cuts;
use super::letters::white_before;
use super::round::Round;
use super::{Allowed, SpecialTokens};
use crate::split::Splitter;

/// The longest character, in bytes.
const CHARACTER: usize = 4;

/// How often a place is looked for that touches nothing that was passed over.
const TRIES: usize = 4;

impl SpecialTokens {
    /// A position, late in a text of which more may follow, at which it may be taken apart: no special token stands across it, and
    /// [`Splitter::settled`] gives it for what lies behind the last one. 0 if there is none. If any of the tokens `matter`, none may
    /// stand across it, though only allowed ones end texts.
    pub(crate) fn settled(&self, splitter: &Splitter, text: &[u8], allowed: Allowed<'_>, matter: bool) -> usize {
        if !matter {
            return splitter.settled(text);
        }
        let [first, second] = &self.rounds;
        // A token of either round may begin here that is not whole yet, and one of the second in what the first leaves.
        self.settled_by(first, text, allowed, |text| {
            self.settled_by(second, text, allowed, |text| splitter.settled(text))
        })
    }

    /// The same for one round; `inner` tells it of what lies between.
    fn settled_by(&self, round: &Round, text: &[u8], allowed: Allowed<'_>, inner: impl Fn(&[u8]) -> usize) -> usize {
        let single = round.letters.is_some();
        // From `known` on, a token may begin that is not whole yet.
        let mut known = text.len().saturating_sub(round.longest().saturating_sub(1));
        if single || round.lstrip || round.rstrip {
            // The character behind a token is known too, and what is known ends with a whole character.
            known = known.saturating_sub(CHARACTER);
            known -= (1..CHARACTER).find(|&back| back <= known && text[known - back] >= 0xC0).unwrap_or(0);
        }
        let (mut from, mut until, mut edges) = (0, known, Vec::new());
        let mut cuts = Cuts::new(self, round, text, known, allowed);
        if single {
            cuts = cuts.remembering();
        }
        for cut in cuts.by_ref().filter(|cut| cut.token.is_some()) {
            // What begins at `known` is not looked for.
            edges.extend([cut.start, cut.end].into_iter().filter(|&edge| single && edge < known));
            // It ends behind what is known, or the white space that it takes may go on.
            if cut.end > known || (round.rstrip && cut.end == known) {
                until = cut.start;
                break;
            }
            from = cut.end;
        }
        if until == known && round.lstrip {
            until = from + white_before(&text[from..until]);
        }
        if !single {
            return from + inner(&text[from..until]);
        }
        // What a single word stands beside must stay beside it, and what was passed over must stay whole.
        let touched = |at| {
            let before = cuts.passed_over().partition_point(|&(start, _)| start <= at);
            before.checked_sub(1).map(|last| cuts.passed_over()[last]).filter(|&(_, end)| end >= at)
        };
        until = until.saturating_sub(CHARACTER).max(from);
        for _ in 0..TRIES {
            let at = from + inner(&text[from..until]);
            match touched(at) {
                _ if at <= from => break,
                None => return at,
                Some((start, _)) => until = start.max(from),
            }
        }
        edges.into_iter().rev().find(|&edge| touched(edge).is_none()).unwrap_or(0)
    }
}
