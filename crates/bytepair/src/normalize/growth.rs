//! What a normaliser may make of a text: it must stay in proportion to it.
//!
//! Idea: of each step it is known what it makes of one byte at most. Steps multiply, so that a few dozen that replace `a` by
//! `aa` would make more than any memory holds; those of real models stay far below the bound.
//!
//! Cost: linear in the steps and their tables.

use super::charsmap::Charsmap;
use super::forms::Form;
use super::steps::{Old, Step};
use crate::error::{Error, Report, Result};

/// The most bytes that one may become.
const MOST: usize = 4096;

/// Refuses steps that make too much of a text, or would lose some of it.
pub(super) fn check<'s>(steps: impl Iterator<Item = &'s Step>) -> Result<()> {
    let mut most: usize = 1;
    let mut is_in_a_form = false;
    for step in steps {
        if let Step::Replace(Old::Pattern(pattern), _) = step
            && pattern.drops_text()
        {
            return Err(Error::Pattern(Report::new(
                format!("the pattern `{}` of a Replace step drops text", pattern.pattern().unwrap_or_default()),
                "use a pattern without `(?kept)` and `(?removed)`: Replace keeps what it does not match",
            )));
        }
        let (times, more) = growth(step, is_in_a_form);
        is_in_a_form = match step {
            Step::Form(_) => true,
            Step::Lowercase | Step::Strip(..) | Step::StripAccents | Step::Nmt => is_in_a_form,
            _ => false,
        };
        most = most.saturating_mul(times.max(1)).saturating_add(more);
    }
    if most > MOST {
        return Err(Error::Vocabulary(Report::new(
            format!("the steps of the normalizer may make more than {MOST} bytes of one"),
            "use fewer steps, or shorter replacements",
        )));
    }
    Ok(())
}

/// How many times as long a step may make a text, and how many bytes it adds besides.
fn growth(step: &Step, is_in_a_form: bool) -> (usize, usize) {
    match step {
        // The largest factors in UTF-8, as the Unicode Standard says (UAX 15). What is in a form already has nothing left
        // that the larger one stands for.
        Step::Form(Form::Nfc | Form::Nfd) => (3, 0),
        Step::Form(_) if is_in_a_form => (3, 0),
        Step::Form(Form::Nfkc | Form::Nfkd) => (11, 0),
        // Two bytes may become three.
        Step::Lowercase => (2, 0),
        Step::Strip(..) | Step::StripAccents | Step::Nmt => (1, 0),
        Step::Replace(Old::Text(old), _) if old.is_empty() => (1, 0),
        Step::Replace(Old::Text(old), new) => (new.len().div_ceil(old.len()), 0),
        Step::Replace(Old::Pattern(_), new) => (new.len(), 0),
        Step::Prepend(mark, _) => (1, mark.len()),
        Step::Precompiled(charsmap) => (charsmap.longest_replacement(), 0),
        Step::SentencePiece(all) => {
            let replaced = all.charsmap.as_ref().map_or(1, Charsmap::longest_replacement).max(1);
            // A space is one byte, and what it becomes and what is put before a text are three.
            let space = if all.escape_whitespaces { 3 } else { 1 };
            (replaced.saturating_mul(space), 3)
        }
    }
}
