//! Python text -> bytes: `str` and `bytes` are borrowed, mutable buffers are copied, since the GIL is released while
//! the engine reads. Lone surrogates, which UTF-8 has no place for, become U+FFFD, here and so in every entry point.

use std::fmt::Display;

use bytepair::{Cancel, Error};
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PyString};

use crate::{characters, error, interrupt, spare};

/// A text as the engine reads it.
pub enum Text<'a> {
    /// The UTF-8 of a `str`, as it lies in the object.
    Str(&'a [u8]),
    /// The UTF-8 of a `str`, made here.
    Made(Vec<u8>),
    /// A `bytes`, as it lies in the object.
    Bytes(&'a [u8]),
    /// The bytes of a `bytearray` or `memoryview`.
    Copied(Vec<u8>),
}

impl<'a> Text<'a> {
    /// Reads one argument called `what`.
    #[inline]
    pub fn of(object: &'a Bound<'_, PyAny>, what: impl Display) -> PyResult<Self> {
        if let Ok(string) = object.cast::<PyString>() {
            if let Some(bytes) = characters::lying(string) {
                return Ok(Self::Str(bytes));
            }
            let mut made = Vec::new();
            if characters::append(string, &mut made) {
                made.shrink_to_fit();
            } else {
                made = match string.to_str() {
                    Ok(text) => return Ok(Self::Str(text.as_bytes())),
                    Err(problem) if problem.is_instance_of::<PyMemoryError>(object.py()) => return Err(problem),
                    Err(_) => repair(string)?.into_bytes(),
                };
            }
            return Ok(Self::Made(made));
        }
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Self::Bytes(bytes.as_bytes()));
        }
        if let Ok(array) = object.cast::<PyByteArray>() {
            return Ok(Self::Copied(array.to_vec()));
        }
        if let Ok(view) = object.cast::<PyMemoryView>() {
            let bytes = view.call_method0("tobytes")?;
            return Ok(Self::Copied(bytes.cast::<PyBytes>()?.as_bytes().to_vec()));
        }
        Err(PyTypeError::new_err(format!(
            "{what} is of type `{}`\nhint: text is a str or bytes",
            object.get_type().name()?
        )))
    }

    /// The text as bytes; UTF-8 if it was a `str`.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Str(bytes) | Self::Bytes(bytes) => bytes,
            Self::Made(bytes) | Self::Copied(bytes) => bytes,
        }
    }

    /// Whether it was a `str`.
    pub fn is_str(&self) -> bool {
        matches!(self, Self::Str(_) | Self::Made(_))
    }

    /// A part of the text as an object of the text's own type.
    pub fn slice<'py>(&self, py: Python<'py>, start: usize, end: usize) -> Bound<'py, PyAny> {
        let part = self.bytes().get(start..end).unwrap_or_default();
        if self.is_str() {
            PyString::new(py, &String::from_utf8_lossy(part)).into_any()
        } else {
            PyBytes::new(py, part).into_any()
        }
    }

    /// An error of the engine about this text; positions in a `str` are counted in characters.
    pub fn error(&self, py: Python<'_>, error: &Error) -> PyErr {
        error::about(py, error, self, "")
    }
}

/// The bytes that the engine reads for a text.
#[pyfunction]
pub fn raw<'py>(text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    let read = Text::of(text, "the text")?;
    Ok(PyBytes::new(text.py(), read.bytes()))
}

/// A `str` with surrogates: pairs become the character they spell, lone ones U+FFFD.
fn repair(string: &Bound<'_, PyString>) -> PyResult<String> {
    let encoded = string.call_method1("encode", ("utf-16-le", "surrogatepass"))?;
    let bytes = encoded.cast::<PyBytes>()?.as_bytes();
    let units = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    Ok(char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
}

/// Runs the engine on a text and turns its error into Python's. Nothing is moved for a short `str`.
#[inline]
pub fn with<T: Send>(
    text: &Bound<'_, PyAny>,
    work: impl FnOnce(&[u8], Cancel<'_>) -> bytepair::Result<T> + Send,
) -> PyResult<T> {
    if let Ok(string) = text.cast::<PyString>()
        && let Some(read) = characters::lying(string)
        && read.len() < interrupt::SMALL
    {
        return work(read, Cancel::default()).map_err(|e| Text::Str(read).error(text.py(), &e));
    }
    with_any(text, work)
}

/// The same for any text.
#[inline(never)]
fn with_any<T: Send>(
    text: &Bound<'_, PyAny>,
    work: impl FnOnce(&[u8], Cancel<'_>) -> bytepair::Result<T> + Send,
) -> PyResult<T> {
    let py = text.py();
    spare::with_bytes(|made| {
        let text = match text.cast::<PyString>() {
            Ok(string) if characters::append(string, made) => Text::Str(made),
            _ => Text::of(text, "the text")?,
        };
        let bytes = text.bytes();
        interrupt::run(py, bytes.len(), |cancel| work(bytes, cancel))?.map_err(|e| text.error(py, &e))
    })
}
