//! The one error type of the engine. Its text is two lines: what is wrong (with the value and the
//! place), then `hint:` and what to do.

use std::fmt;

/// A result whose error is [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// What can go wrong, by noun.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A pattern that cannot be used, or that gave up on a text.
    Pattern(Report),
    /// A vocabulary that contradicts itself.
    Vocabulary(Report),
    /// Special tokens that contradict each other or the vocabulary.
    SpecialToken(Report),
    /// A special token that the caller forbade stands in the text.
    DisallowedSpecial {
        /// The token's text.
        token: String,
        /// Where it starts, in bytes.
        at: usize,
    },
    /// An id that no token has.
    UnknownId {
        /// The id.
        id: u32,
        /// Its index in the ids that were to be decoded.
        at: usize,
    },
    /// A byte or character that the vocabulary has no symbol for.
    UnknownSymbol {
        /// The byte or character, as UTF-8 where it is text.
        symbol: Vec<u8>,
        /// Where it starts, in bytes.
        at: usize,
    },
    /// Training that cannot be done as asked.
    Training(Report),
    /// The caller asked to stop.
    Interrupted,
}

/// One problem: what is wrong, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// What is wrong, with the value and the place.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl Report {
    /// A report from its two lines. They may quote what a file or a person gave: line breaks and other controls are
    /// escaped, and of a very long message the middle is left out.
    ///
    /// ```
    /// let report = bytepair::error::Report::new("the token `a\nb` is empty", "leave it out");
    /// assert_eq!(report.message, "the token `a\\nb` is empty");
    /// ```
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: line(&message.into()), hint: line(&hint.into()) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pattern(r) | Self::Vocabulary(r) | Self::SpecialToken(r) | Self::Training(r) => {
                write!(f, "{}\nhint: {}", r.message, r.hint)
            }
            Self::DisallowedSpecial { token, at } => write!(
                f,
                "the text holds the special token `{}` at byte {at}, which `disallowed_special` forbids\n\
                 hint: name it in `allowed_special` to encode it as one id, or leave it out of \
                 `disallowed_special` to encode it as text",
                line(token)
            ),
            Self::UnknownId { id, at } => write!(
                f,
                "no token has id {id} (item {at})\n\
                 hint: pass unknown=\"skip\" to leave such ids out, or unknown=\"replace\" to decode them as U+FFFD"
            ),
            Self::UnknownSymbol { symbol, at } => write!(
                f,
                "the vocabulary has no symbol for {} at byte {at}\n\
                 hint: pass unknown=\"skip\" to leave such symbols out, or train on text that contains them",
                show(symbol)
            ),
            Self::Interrupted => write!(f, "interrupted\nhint: nothing was kept"),
        }
    }
}

impl std::error::Error for Error {}

/// How much of a message's beginning and of its end is kept, in characters.
const KEPT: usize = 400;

/// How much of a word is shown, in characters, or bytes that are none.
const SHOWN: usize = 40;

/// A text that stays one line, of bounded length.
fn line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let length = text.chars().count();
    for (at, sign) in text.chars().enumerate() {
        if at == KEPT && length > 2 * KEPT {
            line.push_str("...");
        }
        if at >= KEPT && at + KEPT < length {
            continue;
        }
        if sign.is_control() || matches!(sign, '\u{2028}' | '\u{2029}') {
            line.extend(sign.escape_default());
        } else {
            line.push(sign);
        }
    }
    line
}

/// The beginning of a word, with bytes that are not UTF-8 in hexadecimal.
pub(crate) fn shortened(word: &[u8]) -> String {
    let mut shown = String::new();
    let mut left = SHOWN;
    for chunk in word.utf8_chunks() {
        for sign in
            chunk.valid().chars().map(String::from).chain(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")))
        {
            if left == 0 {
                return shown + "...";
            }
            shown += &sign;
            left -= 1;
        }
    }
    shown
}

/// A symbol as text where it is UTF-8, as hexadecimal bytes otherwise.
fn show(symbol: &[u8]) -> String {
    match std::str::from_utf8(symbol) {
        Ok(text) => format!("{text:?}"),
        Err(_) => symbol.iter().map(|b| format!("0x{b:02x}")).collect::<Vec<_>>().join(" "),
    }
}
