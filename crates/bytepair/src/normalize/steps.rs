//! The single steps. Each is what Hugging Face's library does under the same name, unless it says otherwise.

use std::ops::ControlFlow;

use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

use super::charsmap::Charsmap;
use super::edits::{Edits, Making};
use super::forms::Form;
use super::sentencepiece::SentencePiece;
use crate::cancel::Cancel;
use crate::error::Result;
use crate::split::Splitter;

/// Graphemes of so many bytes are replaced character by character.
const LONG: usize = 6;

/// What a [`Step::Replace`] looks for.
#[derive(Debug, Clone)]
pub enum Old {
    /// This text.
    Text(String),
    /// Whatever this pattern matches.
    Pattern(Splitter),
}

/// Which texts get a mark before them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Every text, but an empty one.
    All,
    /// Every text, unless it begins with the mark.
    Always,
    /// The same, of what stands at the beginning of the whole text only.
    First,
}

/// What a text is made into.
#[derive(Debug, Clone)]
pub enum Step {
    /// A normalisation form.
    Form(Form),
    /// Lower case, character by character.
    Lowercase,
    /// White space is taken away at the left, at the right.
    Strip(bool, bool),
    /// Combining marks are taken away.
    StripAccents,
    /// Control characters are taken away, and some others become spaces.
    Nmt,
    /// What is found becomes another text.
    Replace(Old, String),
    /// A mark is put before the text.
    Prepend(String, Scheme),
    /// `SentencePiece`'s table, applied grapheme by grapheme as Hugging Face's library does.
    Precompiled(Charsmap),
    /// All that `SentencePiece` does.
    SentencePiece(SentencePiece),
}

impl Step {
    /// Appends all that the step is, as `docs/design/fingerprint.md` says.
    pub(super) fn form(&self, form: &mut Vec<u8>) {
        match self {
            Self::Form(kind) => form.push(match kind {
                Form::Nfc => 1,
                Form::Nfd => 2,
                Form::Nfkc => 3,
                Form::Nfkd => 4,
            }),
            Self::Lowercase => form.push(5),
            Self::Strip(left, right) => form.extend([6, u8::from(*left) | u8::from(*right) << 1]),
            Self::StripAccents => form.push(7),
            Self::Nmt => form.push(8),
            Self::Replace(old, new) => {
                let (kind, old) = match old {
                    Old::Text(text) => (9, text.as_str()),
                    Old::Pattern(pattern) => (10, pattern.pattern().unwrap_or_default()),
                };
                form.push(kind);
                measured(form, old.as_bytes());
                measured(form, new.as_bytes());
            }
            Self::Prepend(mark, scheme) => {
                form.push(match scheme {
                    Scheme::All => 11,
                    Scheme::Always => 12,
                    Scheme::First => 13,
                });
                measured(form, mark.as_bytes());
            }
            Self::Precompiled(charsmap) => {
                form.push(14);
                measured(form, charsmap.bytes());
            }
            Self::SentencePiece(all) => {
                form.push(15);
                all.form(form);
            }
        }
        if let Some((_, version)) = self.unicode() {
            measured(form, version.as_bytes());
        }
    }

    /// What the step takes from tables of Unicode that are not those of patterns, and their version.
    pub(super) fn unicode(&self) -> Option<(&'static str, String)> {
        let (what, [major, minor, patch]) = match self {
            Self::Form(_) => ("normal forms", forms_version()),
            Self::StripAccents => ("combining marks", forms_version()),
            Self::Lowercase => ("small letters", <[u8; 3]>::from(char::UNICODE_VERSION).map(u64::from)),
            Self::Precompiled(_) => ("graphemes", unicode_segmentation::UNICODE_VERSION.into()),
            Self::Strip(..) | Self::Nmt | Self::Replace(..) | Self::Prepend(..) | Self::SentencePiece(_) => {
                return None;
            }
        };
        Some((what, format!("{major}.{minor}.{patch}")))
    }

    /// The text that this step makes of a text, and the record; `None` if it is the same.
    pub(super) fn apply(
        &self,
        text: &[u8],
        first: bool,
        edits: Option<&mut Edits>,
        cancel: Cancel<'_>,
    ) -> Result<Option<Vec<u8>>> {
        if text.is_empty() {
            return Ok(None);
        }
        let mut making = Making::new(text.len() + text.len() / 8, edits, cancel);
        making.reach(0)?;
        match self {
            Self::Form(form) if std::str::from_utf8(text).is_ok_and(|text| form.has(text)) => return Ok(None),
            Self::Form(form) => valid(text, &mut making, |text, making| form.make(text, making))?,
            Self::Lowercase => valid(text, &mut making, lowercase)?,
            Self::Strip(left, right) => return Ok(strip(text, *left, *right, making)),
            Self::StripAccents => valid(text, &mut making, |text, making| {
                map(text, making, |character| if is_combining_mark(character) { Some("") } else { None })
            })?,
            Self::Nmt => valid(text, &mut making, |text, making| map(text, making, nmt))?,
            Self::Replace(Old::Text(old), new) => return replace(text, old.as_bytes(), new.as_bytes(), making),
            Self::Replace(Old::Pattern(pattern), new) => replace_pattern(text, pattern, new.as_bytes(), &mut making)?,
            Self::Prepend(mark, scheme) => {
                let is_marked = match scheme {
                    Scheme::All => false,
                    Scheme::Always => text.starts_with(mark.as_bytes()),
                    Scheme::First => !first || text.starts_with(mark.as_bytes()),
                };
                if is_marked {
                    return Ok(None);
                }
                making.put(mark.as_bytes(), 0);
                making.keep(text);
            }
            Self::Precompiled(charsmap) => {
                valid(text, &mut making, |text, making| precompiled(text, charsmap, making))?;
            }
            Self::SentencePiece(all) => all.make(text, &mut making)?,
        }
        Ok(Some(making.finish()))
    }
}

fn forms_version() -> [u64; 3] {
    <[u8; 3]>::from(unicode_normalization::UNICODE_VERSION).map(u64::from)
}

/// Appends bytes and, before them, how many they are.
pub(super) fn measured(form: &mut Vec<u8>, bytes: &[u8]) {
    form.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    form.extend_from_slice(bytes);
}

/// Goes through what is UTF-8 of a text, and copies what is not.
fn valid<'c>(
    text: &[u8],
    making: &mut Making<'_, 'c>,
    mut each: impl FnMut(&str, &mut Making<'_, 'c>) -> Result<()>,
) -> Result<()> {
    for chunk in text.utf8_chunks() {
        each(chunk.valid(), making)?;
        making.keep(chunk.invalid());
    }
    Ok(())
}

/// Puts what `new` gives in place of each character for which it gives anything.
fn map(text: &str, making: &mut Making<'_, '_>, new: impl Fn(char) -> Option<&'static str>) -> Result<()> {
    let mut kept = 0;
    for (at, character) in text.char_indices() {
        making.reach(at - kept)?;
        let length = character.len_utf8();
        if let Some(new) = new(character) {
            making.keep(&text.as_bytes()[kept..at]);
            making.put(new.as_bytes(), length);
            kept = at + length;
        }
    }
    making.keep(&text.as_bytes()[kept..]);
    Ok(())
}

fn lowercase(text: &str, making: &mut Making<'_, '_>) -> Result<()> {
    let mut kept = 0;
    for (at, character) in text.char_indices() {
        making.reach(at - kept)?;
        let mut lower = character.to_lowercase();
        if lower.len() == 1 && lower.next() == Some(character) {
            continue;
        }
        making.keep(&text.as_bytes()[kept..at]);
        making.put(character.to_lowercase().collect::<String>().as_bytes(), character.len_utf8());
        kept = at + character.len_utf8();
    }
    making.keep(&text.as_bytes()[kept..]);
    Ok(())
}

/// The text without white space at its ends; bytes that are no UTF-8 are none.
fn strip(text: &[u8], left: bool, right: bool, mut making: Making<'_, '_>) -> Option<Vec<u8>> {
    let chunks = || text.utf8_chunks();
    let first = chunks().next().map_or("", |chunk| chunk.valid());
    let mut start = if left { first.len() - first.trim_start().len() } else { 0 };
    let last = chunks().last().filter(|chunk| chunk.invalid().is_empty()).map_or("", |chunk| chunk.valid());
    let end = text.len() - if right { last.len() - last.trim_end().len() } else { 0 };
    start = start.min(end);
    if start == 0 && end == text.len() {
        return None;
    }
    making.drop(start);
    making.keep(&text[start..end]);
    making.drop(text.len() - end);
    Some(making.finish())
}

/// As a step of `SentencePiece`'s `nmt_nfkc`.
fn nmt(character: char) -> Option<&'static str> {
    match u32::from(character) {
        0x01..=0x08 | 0x0B | 0x0E..=0x1F | 0x7F | 0x8F | 0x9F => Some(""),
        0x09 | 0x0A | 0x0C | 0x0D | 0x1680 | 0x200B..=0x200F | 0x2028 | 0x2029 | 0x2581 | 0xFEFF | 0xFFFD => Some(" "),
        _ => None,
    }
}

fn replace(text: &[u8], old: &[u8], new: &[u8], mut making: Making<'_, '_>) -> Result<Option<Vec<u8>>> {
    if old.is_empty() {
        return Ok(None);
    }
    let mut kept = 0;
    let finder = memchr::memmem::Finder::new(old);
    for at in finder.find_iter(text) {
        making.reach(0)?;
        making.keep(&text[kept..at]);
        making.put(new, old.len());
        kept = at + old.len();
    }
    if kept == 0 {
        return Ok(None);
    }
    making.keep(&text[kept..]);
    Ok(Some(making.finish()))
}

fn replace_pattern(text: &[u8], pattern: &Splitter, new: &[u8], making: &mut Making<'_, '_>) -> Result<()> {
    let mut reached = Ok(());
    pattern.split(text, |found| {
        match found.alternative {
            Some(_) => making.put(new, found.end - found.start),
            None => making.keep(&text[found.start..found.end]),
        }
        reached = making.reach(0);
        if reached.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    reached
}

fn precompiled(text: &str, charsmap: &Charsmap, making: &mut Making<'_, '_>) -> Result<()> {
    let put = |part: &str, making: &mut Making<'_, '_>| match charsmap.shortest(part.as_bytes()) {
        Some(new) if new != part.as_bytes() => making.put(new, part.len()),
        _ => making.keep(part.as_bytes()),
    };
    for grapheme in text.graphemes(true) {
        making.reach(0)?;
        if grapheme.len() < LONG && charsmap.shortest(grapheme.as_bytes()).is_some() {
            put(grapheme, making);
            continue;
        }
        for (at, character) in grapheme.char_indices() {
            put(&grapheme[at..at + character.len_utf8()], making);
        }
    }
    Ok(())
}
