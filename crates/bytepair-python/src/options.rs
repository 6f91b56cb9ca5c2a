//! The options of a call, from Python's words to the engine's.

use std::collections::HashSet;

use bytepair::tokenizer::{DecodeOptions, EncodeOptions, UnknownId, UnknownSymbol};
use bytepair::{Allowed, Cancel, SpecialTokens, Tokenizer};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::error;

/// What is done about unknown symbols unless the call says otherwise.
const RAISE: &str = "raise";

/// A choice among the special tokens, owned.
enum Choice {
    None,
    All,
    Only(HashSet<u32>),
}

impl Choice {
    /// Reads `"all"` or a collection of the tokens' texts, given for the option called `name`.
    fn of(object: Option<&Bound<'_, PyAny>>, specials: &SpecialTokens, name: &str) -> PyResult<Self> {
        // `()` is the default, and by far the most frequent.
        let chosen = object.filter(|object| !object.cast::<PyTuple>().is_ok_and(PyTupleMethods::is_empty));
        let Some(object) = chosen else { return Ok(Self::None) };
        if let Ok(word) = object.cast::<PyString>() {
            if word.to_cow().is_ok_and(|word| word == "all") {
                return Ok(Self::All);
            }
            return Err(PyTypeError::new_err(format!(
                "{name} is the string {}\nhint: pass a collection of special tokens, such as {{{0}}}, or \"all\"",
                word.repr()?
            )));
        }
        let mut ids = HashSet::new();
        let Ok(items) = object.try_iter() else {
            let kind = object.get_type().name()?;
            let hint = "pass a collection of special tokens, or \"all\"";
            return Err(PyTypeError::new_err(format!("{name} is of type `{kind}`\nhint: {hint}")));
        };
        for item in items {
            let item = item?;
            let known = item.cast::<PyString>().ok().and_then(|text| text.to_cow().ok());
            let Some(token) = known.and_then(|text| specials.by_content(&text)) else {
                return Err(unknown(&item, specials, name)?);
            };
            ids.insert(token.id);
        }
        Ok(if ids.is_empty() { Self::None } else { Self::Only(ids) })
    }

    fn borrow(&self) -> Allowed<'_> {
        match self {
            Self::None => Allowed::None,
            Self::All => Allowed::All,
            Self::Only(ids) => Allowed::Only(ids),
        }
    }
}

fn unknown(item: &Bound<'_, PyAny>, specials: &SpecialTokens, name: &str) -> PyResult<PyErr> {
    let message = format!("{name} names {}, which is no special token of this tokenizer", item.repr()?);
    let known: Vec<String> = specials.tokens().iter().take(5).map(|token| format!("`{}`", token.content)).collect();
    let more = if specials.tokens().len() > 5 { ", ..." } else { "" };
    let hint = if known.is_empty() {
        "this tokenizer has none; give them with special_tokens= when training or loading it".to_owned()
    } else {
        format!("it has {}{more}", known.join(", "))
    };
    Ok(error::make(item.py(), "SpecialTokenError", &message, &hint))
}

/// The options of one encoding, owned.
#[derive(Default)]
pub struct Encoding {
    unknown: UnknownSymbol,
    /// What is allowed and what is disallowed; most calls choose nothing.
    special: Option<Box<[Choice; 2]>>,
}

impl Encoding {
    /// Reads the options as `Tokenizer.encode` documents them.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "most calls choose nothing, and then nothing is left of it")]
    pub fn of(
        tokenizer: &Tokenizer,
        allowed: Option<&Bound<'_, PyAny>>,
        disallowed: Option<&Bound<'_, PyAny>>,
        unknown: &str,
    ) -> PyResult<Self> {
        if allowed.is_none() && disallowed.is_none() && unknown == RAISE {
            return Ok(Self::default());
        }
        Self::read(tokenizer.specials(), allowed, disallowed, unknown)
    }

    #[cold]
    fn read(
        specials: &SpecialTokens,
        allowed: Option<&Bound<'_, PyAny>>,
        disallowed: Option<&Bound<'_, PyAny>>,
        unknown: &str,
    ) -> PyResult<Self> {
        let unknown = match unknown {
            RAISE => UnknownSymbol::Raise,
            "skip" => UnknownSymbol::Skip,
            "unk" => match specials.by_content("<unk>") {
                Some(token) => UnknownSymbol::Replace(token.id),
                None => {
                    return Err(PyValueError::new_err(
                        "unknown=\"unk\", but the tokenizer has no special token `<unk>`\n\
                         hint: train it with special_tokens=[\"<unk>\"], or pass unknown=\"skip\"",
                    ));
                }
            },
            other => return Err(no_such("unknown", other, "\"raise\", \"unk\" or \"skip\"")),
        };
        let allowed = Choice::of(allowed, specials, "allowed_special")?;
        let disallowed = Choice::of(disallowed, specials, "disallowed_special")?;
        let special = match (allowed, disallowed) {
            (Choice::None, Choice::None) => None,
            chosen => Some(Box::new(chosen.into())),
        };
        Ok(Self { unknown, special })
    }

    /// As the engine takes them.
    #[inline]
    pub fn borrow<'a>(&'a self, cancel: Cancel<'a>) -> EncodeOptions<'a> {
        let (allowed, disallowed) = match self.special.as_deref() {
            Some([allowed, disallowed]) => (allowed.borrow(), disallowed.borrow()),
            None => (Allowed::None, Allowed::None),
        };
        EncodeOptions { allowed, disallowed, unknown: self.unknown, cancel }
    }
}

/// The options of one decoding.
pub fn decoding(skip_special: bool, unknown: &str) -> PyResult<DecodeOptions> {
    let unknown = match unknown {
        "raise" => UnknownId::Raise,
        "skip" => UnknownId::Skip,
        "replace" => UnknownId::Replace,
        other => return Err(no_such("unknown", other, "\"raise\", \"skip\" or \"replace\"")),
    };
    Ok(DecodeOptions { unknown, skip_special })
}

/// A value that an option does not have.
pub fn no_such(option: &str, value: &str, values: &str) -> PyErr {
    PyValueError::new_err(format!("{option} is {value:?}\nhint: it is {values}"))
}
