//! What is done to a text before it is split: normalisation, and what `SentencePiece` does with spaces.
//!
//! Idea: a list of steps, each of which makes a text of a text and records what came from where (`edits`), so that places in
//! the last text lead back to places in the first. They apply to what lies between special tokens; those that are themselves
//! normalised are looked for in what the first steps made, and the steps `after` them apply to what lies between those.
//!
//! Bytes that are no UTF-8 are left as they are, and no step reaches across them.
//!
//! Cost: each step is linear in the text (a pattern that backtracks excepted). A step asks on its way whether to go on.

mod calls;
mod charsmap;
mod edits;
mod forms;
mod growth;
mod sentencepiece;
mod steps;

pub use charsmap::Charsmap;
pub use forms::Form;
pub use sentencepiece::SentencePiece;
pub use steps::{Old, Scheme, Step};

use std::borrow::Cow;

use crate::cancel::Cancel;
use crate::error::Result;
use edits::Edits;

/// What is done to a text before it is split.
///
/// ```
/// use bytepair::normalize::{Form, Normalizer, Step};
///
/// let normalizer = Normalizer { before: vec![Step::Form(Form::Nfkc), Step::Lowercase], ..Normalizer::default() };
/// assert_eq!(normalizer.text("Ⅳ ﬁ".as_bytes())?, "iv fi".as_bytes());
/// # Ok::<(), bytepair::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Normalizer {
    /// What applies between the special tokens that are found in the text as it is.
    pub before: Vec<Step>,
    /// What applies then between those that are found in the normalised text.
    pub after: Vec<Step>,
    /// Whether special tokens that are found in the normalised text are looked for as they are, and not as the steps make
    /// them.
    pub plain: bool,
}

impl Normalizer {
    /// Whether it leaves every text as it is.
    pub fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }

    /// Whether it depends on where a text stands what is put before it.
    fn asks_where(&self) -> bool {
        self.after.iter().any(|step| matches!(step, Step::Prepend(_, Scheme::First)))
    }

    /// What the steps take from tables of Unicode that are not those of patterns, and the version of each.
    ///
    /// ```
    /// use bytepair::normalize::{Normalizer, Step};
    ///
    /// let normalizer = Normalizer { before: vec![Step::Nmt, Step::Lowercase], ..Normalizer::default() };
    /// let (major, ..) = char::UNICODE_VERSION;
    /// let found = normalizer.unicode();
    /// assert!(found.len() == 1 && found[0].0 == "small letters" && found[0].1.starts_with(&format!("{major}.")));
    /// ```
    pub fn unicode(&self) -> Vec<(&'static str, String)> {
        let mut found: Vec<_> = self.before.iter().chain(&self.after).filter_map(Step::unicode).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Refuses what no text may be given to.
    ///
    /// # Errors
    /// [`Error::Vocabulary`](crate::Error::Vocabulary) for steps that would make thousands of bytes of each byte, and
    /// [`Error::Pattern`](crate::Error::Pattern) for a pattern of a [`Step::Replace`] that drops text.
    pub fn check(&self) -> Result<()> {
        growth::check(self.before.iter().chain(&self.after))
    }

    /// All that the normalised text depends on, as bytes; see `docs/design/fingerprint.md`.
    pub(crate) fn form(&self) -> Vec<u8> {
        let mut form = vec![u8::from(self.plain)];
        for steps in [&self.before, &self.after] {
            form.extend_from_slice(&(steps.len() as u64).to_le_bytes());
            for step in steps {
                step.form(&mut form);
            }
        }
        form
    }

    /// The text of a special token that is looked for in normalised text.
    pub(crate) fn content(&self, content: &str) -> Result<String> {
        if self.plain {
            return Ok(content.to_owned());
        }
        let made = run(&self.before, content.as_bytes().into(), true, &mut Chain::default(), Cancel::default())?;
        Ok(String::from_utf8_lossy(&made).into_owned())
    }

    /// A text without special tokens, normalised.
    ///
    /// # Errors
    /// [`Error::Pattern`](crate::Error::Pattern) from a pattern that backtracks.
    pub fn text<'t>(&self, text: &'t [u8]) -> Result<Cow<'t, [u8]>> {
        self.normalized(text, Cancel::default())
    }

    /// The same, which asks whether to go on.
    pub(crate) fn normalized<'t>(&self, text: &'t [u8], cancel: Cancel<'_>) -> Result<Cow<'t, [u8]>> {
        let mut chain = Chain { is_kept: self.asks_where(), ..Chain::default() };
        let made = run(&self.before, text.into(), true, &mut chain, cancel)?;
        // A text whose beginning was taken away begins elsewhere.
        let is_first = self.asks_where() && chain.origin((0, 1)).0 == 0;
        run(&self.after, made, is_first, &mut Chain::default(), cancel)
    }
}

/// Where a text came from, step by step.
#[derive(Debug, Clone, Default)]
struct Chain {
    /// Whether anybody wants to know.
    is_kept: bool,
    /// Of each step that changed the text.
    edits: Vec<Edits>,
}

impl Chain {
    /// The span of the first text that a span of the last came from.
    fn origin(&self, span: (usize, usize)) -> (usize, usize) {
        self.edits.iter().rev().fold(span, |(start, end), edits| edits.origin(start, end))
    }
}

/// A text after some steps; `first` says whether it stands at the beginning of the whole text.
fn run<'t>(
    steps: &[Step],
    mut text: Cow<'t, [u8]>,
    first: bool,
    chain: &mut Chain,
    cancel: Cancel<'_>,
) -> Result<Cow<'t, [u8]>> {
    for step in steps {
        let mut edits = chain.is_kept.then(Edits::default);
        if let Some(made) = step.apply(&text, first, edits.as_mut(), cancel)? {
            text = made.into();
            chain.edits.extend(edits);
        }
    }
    Ok(text)
}
