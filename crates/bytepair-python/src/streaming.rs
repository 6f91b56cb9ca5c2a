//! `StreamDecoder`: ids that arrive one by one -> text, never with half a character.

use bytepair::decode::Utf8Stream;
use bytepair::tokenizer::{DecodeOptions, UnknownId};
use bytepair::{Alphabet, Error};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyInt;

use crate::error;
use crate::ids::{self, Outside};
use crate::options;
use crate::parts;
use crate::tokenizer::PyTokenizer;

/// A decoder of one stream. Not for use by two threads at a time.
#[pyclass(name = "StreamDecoder", module = "bytepair._core")]
pub struct PyStreamDecoder {
    tokenizer: Py<PyTokenizer>,
    options: DecodeOptions,
    stream: Utf8Stream,
    /// Characters mode: the last id that was decoded. Its end-of-word mark is a space only if something follows.
    last: Option<u32>,
}

#[pymethods]
impl PyStreamDecoder {
    #[new]
    #[pyo3(signature = (tokenizer, skip_special=false, unknown="raise"))]
    fn new(tokenizer: Py<PyTokenizer>, skip_special: bool, unknown: &str) -> PyResult<Self> {
        let options = options::decoding(skip_special, unknown)?;
        Ok(Self { tokenizer, options, stream: Utf8Stream::default(), last: None })
    }

    /// The text that is complete after one more id, or several.
    fn feed(&mut self, ids: &Bound<'_, PyAny>) -> PyResult<String> {
        let py = ids.py();
        let outside = Outside::of(self.options);
        let ids = if ids.is_instance_of::<PyInt>() || (ids.hasattr("__index__")? && !ids.hasattr("__len__")?) {
            vec![ids::one(ids, 0, outside)?]
        } else {
            ids::read(ids, outside).map_err(|problem| explain(py, problem))?
        };
        let mut bytes = Vec::new();
        let last = self.decode(py, &ids, &mut bytes)?;
        self.last = last;
        Ok(self.stream.feed(&bytes))
    }

    /// The end of the stream: U+FFFD for an incomplete character, else nothing. The decoder can then be used anew.
    fn flush(&mut self) -> String {
        self.last = None;
        self.stream.flush()
    }
}

impl PyStreamDecoder {
    /// Appends the bytes of `ids`, and says which id is the last one now. Nothing changes where this fails.
    fn decode(&self, py: Python<'_>, ids: &[u32], out: &mut Vec<u8>) -> PyResult<Option<u32>> {
        let tokenizer = &self.tokenizer.get().engine;
        if *tokenizer.vocabulary().alphabet() == Alphabet::Bytes {
            tokenizer.decode(ids, self.options, out).map_err(|e| error::raise(py, &e))?;
            return Ok(None);
        }
        // The engine drops the mark of the last id, so decode it again in front of those that follow.
        let kept: Vec<u32> = self.last.into_iter().chain(ids.iter().copied().filter(|&id| self.shown(id))).collect();
        let mut before = Vec::new();
        tokenizer.decode(self.last.as_slice(), self.options, &mut before).map_err(|e| error::raise(py, &e))?;
        let mut all = Vec::new();
        tokenizer.decode(&kept, self.options, &mut all).map_err(|e| error::raise(py, &place(e, ids)))?;
        out.extend_from_slice(all.get(before.len()..).unwrap_or_default());
        Ok(kept.last().copied())
    }

    /// Whether decoding this id shows anything (or fails).
    fn shown(&self, id: u32) -> bool {
        let tokenizer = &self.tokenizer.get().engine;
        let control = tokenizer.specials().by_id(id).is_some_and(|token| token.special);
        let hidden = (control && self.options.skip_special)
            || (self.options.unknown == UnknownId::Skip && parts::bytes_of(tokenizer, id).is_none());
        !hidden
    }
}

/// An unknown id's place among the ids that the caller gave.
fn place(problem: Error, ids: &[u32]) -> Error {
    match problem {
        Error::UnknownId { id, at } => Error::UnknownId { id, at: ids.iter().position(|&i| i == id).unwrap_or(at) },
        other => other,
    }
}

/// A type error of `ids::read`, for a method that takes one id as well.
fn explain(py: Python<'_>, problem: PyErr) -> PyErr {
    if problem.is_instance_of::<PyTypeError>(py) && problem.value(py).to_string().starts_with("the ids are") {
        let text = problem.value(py).to_string();
        let first = text.lines().next().unwrap_or_default();
        return PyTypeError::new_err(format!("{first}\nhint: feed takes one id, or a list or an array of ids"));
    }
    problem
}
