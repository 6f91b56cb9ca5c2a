//! Ids -> `str` or `bytes`, for one list of ids or many.

use std::ffi::CStr;

use bytepair::decode::{Decoding, Texts};
use bytepair::tokenizer::DecodeOptions;
use bytepair::{Error, Tokenizer};
use pyo3::exceptions::PyUnicodeDecodeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

use crate::ids::{self, Outside, Rows};
use crate::text::Text;
use crate::{characters, error, options, spare};

/// Ids that are decoded between two looks for Ctrl-C: a fraction of a millisecond.
const STEP: usize = 1 << 18;
/// From this many ids on, others may run meanwhile.
const LARGE: usize = 1 << 13;
/// Ids of a batch that each thread gets between two looks: their bytes are still near when objects are made of them.
const SLICE: usize = 1 << 17;

/// What to make of bytes.
#[derive(Clone, Copy)]
pub enum Made {
    /// A `bytes`.
    Bytes,
    /// A `str`; what is not UTF-8 is dealt with by this error handler.
    Text(&'static CStr),
}

impl Made {
    /// As the option `errors` says.
    pub fn text(errors: &str) -> PyResult<Self> {
        match errors {
            "replace" => Ok(Self::Text(c"replace")),
            "strict" => Ok(Self::Text(c"strict")),
            "ignore" => Ok(Self::Text(c"ignore")),
            other => Err(options::no_such("errors", other, "\"replace\", \"strict\" or \"ignore\"")),
        }
    }

    fn make<'py>(self, py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        let Self::Text(errors) = self else { return Ok(PyBytes::new(py, bytes).into_any()) };
        if let Some(text) = characters::of_ascii(py, bytes) {
            return Ok(text.into_any());
        }
        // Python checks that it is UTF-8 while it makes the text; nearly always it is.
        let text = PyString::from_bytes(py, bytes).or_else(|problem| {
            if !problem.is_instance_of::<PyUnicodeDecodeError>(py) {
                return Err(problem);
            }
            PyString::from_encoded_object(&PyBytes::new(py, bytes), Some(c"utf-8"), Some(errors))
        });
        Ok(text?.into_any())
    }
}

/// Decodes one list or array of ids.
pub fn one<'py>(
    tokenizer: &Tokenizer,
    ids: &Bound<'py, PyAny>,
    options: DecodeOptions,
    into: Made,
) -> PyResult<Bound<'py, PyAny>> {
    spare::with_ids(|read| {
        ids::read(ids, Outside::of(options), read)?;
        spare::with_bytes(|bytes| decoded(ids.py(), tokenizer, read, options, into, bytes))
    })
}

fn decoded<'py>(
    py: Python<'py>,
    tokenizer: &Tokenizer,
    ids: &[u32],
    options: DecodeOptions,
    into: Made,
    bytes: &mut Vec<u8>,
) -> PyResult<Bound<'py, PyAny>> {
    // English has four to five bytes a token; the rest is what copying wants to have free.
    bytes.reserve(ids.len() * 5 + 4096);
    let mut decoding = Decoding::new(options);
    for (step, ids) in ids.chunks(STEP).enumerate() {
        aside(py, ids.len(), || decoding.feed(tokenizer, ids, bytes))
            .map_err(|problem| error::raise(py, &later(problem, step * STEP)))?;
        if ids.len() >= LARGE {
            py.check_signals()?;
        }
    }
    into.make(py, bytes)
}

/// Decodes each of many lists of ids.
pub fn batch<'py>(
    py: Python<'py>,
    tokenizer: &Tokenizer,
    rows: &Rows,
    options: DecodeOptions,
    into: Made,
    threads: usize,
) -> PyResult<Bound<'py, PyList>> {
    let made = PyList::empty(py);
    let lists: Vec<&[u32]> = rows.iter().collect();
    let mut first = 0;
    while first < lists.len() {
        let slice = fitting(&lists[first..], SLICE.saturating_mul(threads));
        let ids = slice.iter().map(|list| list.len()).sum();
        let texts =
            aside(py, ids, || tokenizer.decode_batch(slice, options, threads)).map_err(|(index, problem)| {
                let row = first + index;
                let problem = later(problem, rows.skipped(row));
                error::about(py, &problem, &Text::Bytes(&[]), &format!("row {row} of the batch: "))
            })?;
        for bytes in texts.iter().flat_map(Texts::iter) {
            made.append(into.make(py, bytes)?)?;
        }
        first += slice.len();
        py.check_signals()?;
    }
    Ok(made)
}

/// Decodes some number of ids, without the GIL where they are many.
fn aside<T: Send>(py: Python<'_>, ids: usize, work: impl FnOnce() -> T + Send) -> T {
    if ids < LARGE { work() } else { py.detach(work) }
}

/// The first of the lists that stay within so many items, one at least.
pub fn fitting<'a, 'b, T>(lists: &'a [&'b [T]], items: usize) -> &'a [&'b [T]] {
    let mut sum = 0_usize;
    let fit = lists.iter().take_while(|list| {
        sum = sum.saturating_add(list.len());
        sum <= items
    });
    &lists[..fit.count().max(1).min(lists.len())]
}

/// The same problem, in ids that stand after `before` others.
fn later(problem: Error, before: usize) -> Error {
    match problem {
        Error::UnknownId { id, at } => Error::UnknownId { id, at: at + before },
        other => other,
    }
}
