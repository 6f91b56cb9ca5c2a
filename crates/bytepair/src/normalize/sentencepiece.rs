//! All that `SentencePiece` does to a text, in one step, as its `Normalizer::Normalize` does it.
//!
//! Idea: the text is taken apart into what its table replaces, what is protected and single characters; spaces are counted
//! on the way.
//!
//! Invariant: bytes that are no UTF-8 are left as they are, where `SentencePiece` puts U+FFFD for each.
//!
//! Cost: linear in the text.

use aho_corasick::{AhoCorasick, Anchored, Input, MatchKind};

use super::charsmap::Charsmap;
use super::edits::Making;
use super::steps::measured;
use crate::decode::unit_length;
use crate::error::{Error, Report, Result};

/// What stands for a space: U+2581.
const SPACE: &[u8] = "\u{2581}".as_bytes();

/// Its options, named as in its `NormalizerSpec`.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "they are its options")]
pub struct SentencePiece {
    /// The table of replacements, if there is one.
    pub charsmap: Option<Charsmap>,
    /// A space is put before the text (behind it, where `suffix`).
    pub add_dummy_prefix: bool,
    /// Spaces at the ends, and all but one of those that follow each other, are taken away.
    pub remove_extra_whitespaces: bool,
    /// Spaces become U+2581.
    pub escape_whitespaces: bool,
    /// `treat_whitespace_as_suffix`.
    pub suffix: bool,
    protected: Option<AhoCorasick>,
    texts: Vec<String>,
}

impl SentencePiece {
    /// The same step, which leaves these texts as they are: the user-defined symbols.
    ///
    /// # Errors
    /// [`Error::SpecialToken`] for too many.
    pub fn protecting(self, texts: Vec<String>) -> Result<Self> {
        if texts.is_empty() {
            return Ok(self);
        }
        let built = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .start_kind(aho_corasick::StartKind::Anchored)
            .build(&texts)
            .map_err(|error| {
                Error::SpecialToken(Report::new(format!("too many texts to protect: {error}"), "use fewer"))
            })?;
        Ok(Self { protected: Some(built), texts, ..self })
    }

    /// The texts that are left as they are.
    pub fn protected(&self) -> &[String] {
        &self.texts
    }

    /// Appends all that the step is.
    pub(super) fn form(&self, form: &mut Vec<u8>) {
        let flags = [self.add_dummy_prefix, self.remove_extra_whitespaces, self.escape_whitespaces, self.suffix];
        form.push((0..).zip(flags).map(|(bit, flag)| u8::from(flag) << bit).sum());
        measured(form, self.charsmap.as_ref().map_or(&[], Charsmap::bytes));
        form.extend_from_slice(&(self.texts.len() as u64).to_le_bytes());
        for text in &self.texts {
            measured(form, text.as_bytes());
        }
    }

    /// What the text begins with: what it becomes, and how long it is.
    fn unit<'a>(&'a self, text: &'a [u8]) -> (&'a [u8], usize) {
        if let Some(protected) = &self.protected
            && let Some(found) = protected.find(Input::new(text).anchored(Anchored::Yes))
        {
            return (&text[..found.end()], found.end());
        }
        if let Some((new, length)) = self.charsmap.as_ref().and_then(|charsmap| charsmap.longest(text)) {
            return (new, length);
        }
        let length = unit_length(text);
        (&text[..length], length)
    }

    /// Makes the text.
    pub(super) fn make(&self, text: &[u8], making: &mut Making<'_, '_>) -> Result<()> {
        let mut rest = text;
        let mut skipped = 0;
        if self.remove_extra_whitespaces {
            while !rest.is_empty() {
                making.reach(skipped)?;
                let (new, length) = self.unit(rest);
                if new != b" " {
                    break;
                }
                rest = &rest[length..];
                skipped += length;
            }
        }
        making.drop(skipped);
        if rest.is_empty() {
            return Ok(());
        }
        let space: &[u8] = if self.escape_whitespaces { SPACE } else { b" " };
        if self.add_dummy_prefix && !self.suffix {
            making.put(space, 0);
        }
        let mut after_space = self.remove_extra_whitespaces;
        while !rest.is_empty() {
            making.reach(0)?;
            let (mut new, length) = self.unit(rest);
            let old = &rest[..length];
            rest = &rest[length..];
            while after_space && let Some(less) = new.strip_prefix(b" ") {
                new = less;
            }
            if new.is_empty() {
                making.drop(length);
            } else {
                if self.escape_whitespaces && new.contains(&b' ') {
                    making.put(&escaped(new), length);
                } else if new == old {
                    making.keep(old);
                } else {
                    making.put(new, length);
                }
                after_space = new.ends_with(b" ");
            }
            after_space &= self.remove_extra_whitespaces;
        }
        if self.remove_extra_whitespaces {
            let mut length = making.text().len();
            while making.text()[..length].ends_with(space) {
                length -= space.len();
            }
            making.cut(length);
        }
        if self.add_dummy_prefix && self.suffix {
            making.put(space, 0);
        }
        Ok(())
    }
}

/// A text with its spaces escaped.
fn escaped(text: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(text.len() + 2);
    for &byte in text {
        if byte == b' ' {
            escaped.extend_from_slice(SPACE);
        } else {
            escaped.push(byte);
        }
    }
    escaped
}
