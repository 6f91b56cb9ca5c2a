//! The engine's errors -> the tree in `bytepair.errors`, whose classes are looked up only when one is raised.

use bytepair::Error;
use pyo3::prelude::*;

use crate::text::Text;

/// An error that is about no text.
pub fn raise(py: Python<'_>, error: &Error) -> PyErr {
    let text = error.to_string();
    let (message, hint) = text.split_once("\nhint: ").unwrap_or((&text, ""));
    make(py, class(error), message, hint)
}

/// An error about a text; `place` stands before the message ("texts[3]: ") where there are many.
pub fn about(py: Python<'_>, error: &Error, text: &Text<'_>, place: &str) -> PyErr {
    let whole = error.to_string();
    let (message, hint) = whole.split_once("\nhint: ").unwrap_or((&whole, ""));
    let mut message = message.to_owned();
    if let (true, Some(at)) = (text.is_str(), position(error)) {
        let characters = count_characters(text.bytes().get(..at).unwrap_or_default());
        let (bytes, replacement) = (format!("byte {at}"), format!("character {characters}"));
        if let Some(found) = message.rfind(&bytes) {
            message.replace_range(found..found + bytes.len(), &replacement);
        }
    }
    make(py, class(error), &format!("{place}{message}"), hint)
}

/// An instance of `bytepair.errors.<class>`.
pub fn make(py: Python<'_>, class: &str, message: &str, hint: &str) -> PyErr {
    py.import("bytepair.errors")
        .and_then(|module| module.getattr(class))
        .and_then(|class| class.call1((message, hint)))
        .map_or_else(|error| error, PyErr::from_value)
}

/// The name of the Python class.
fn class(error: &Error) -> &'static str {
    match error {
        Error::Pattern(_) => "PatternError",
        Error::Vocabulary(_) => "VocabularyError",
        Error::SpecialToken(_) | Error::DisallowedSpecial { .. } => "SpecialTokenError",
        Error::UnknownId { .. } => "UnknownTokenError",
        Error::UnknownSymbol { .. } => "UnknownSymbolError",
        Error::Training(_) => "TrainingError",
        _ => "BytepairError",
    }
}

/// Where in the text the error lies, in bytes.
fn position(error: &Error) -> Option<usize> {
    match error {
        Error::DisallowedSpecial { at, .. } | Error::UnknownSymbol { at, .. } => Some(*at),
        // What a pattern failed on is only in its words.
        Error::Pattern(report) => {
            let (_, after) = report.message.rsplit_once(" gave up at byte ")?;
            after.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
        }
        _ => None,
    }
}

/// The characters of a piece of UTF-8.
fn count_characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}
