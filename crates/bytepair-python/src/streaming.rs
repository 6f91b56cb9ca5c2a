//! `StreamDecoder`: ids that arrive one by one -> text, never with half a character.

use bytepair::decode::{Decoding, Utf8Stream};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString};

use crate::ids::{self, Outside, Reading};
use crate::tokenizer::PyTokenizer;
use crate::{error, options};

/// A decoder of one stream. Not for use by two threads at a time.
#[pyclass(name = "StreamDecoder", module = "bytepair._core", subclass)]
pub struct PyStreamDecoder {
    tokenizer: Py<PyTokenizer>,
    decoding: Decoding,
    stream: Utf8Stream,
    /// The bytes of the last ids; kept for its room.
    bytes: Vec<u8>,
}

#[pymethods]
impl PyStreamDecoder {
    #[new]
    #[pyo3(signature = (tokenizer, *, skip_special=false, unknown="raise"))]
    fn new(tokenizer: Py<PyTokenizer>, skip_special: bool, unknown: &str) -> PyResult<Self> {
        let decoding = Decoding::new(options::decoding(skip_special, unknown)?);
        Ok(Self { tokenizer, decoding, stream: Utf8Stream::default(), bytes: Vec::new() })
    }

    /// The text that is complete after one more id, or several.
    ///
    /// Raises:
    ///     UnknownTokenError: an id that no token has. Nothing of this call is kept then.
    ///     TypeError: what is neither an id nor a list or an array of ids.
    #[expect(clippy::doc_markdown, reason = "it is Python's docstring")]
    fn feed<'py>(&mut self, ids: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
        let py = ids.py();
        let outside = Outside::of(self.decoding.options());
        let (one, mut many);
        let ids = if ids.is_instance_of::<PyInt>() || (ids.hasattr("__index__")? && !ids.hasattr("__len__")?) {
            one = [Reading::new(outside).one(ids, 0)?];
            one.as_slice()
        } else {
            many = Vec::new();
            ids::read(ids, outside, &mut many).map_err(|problem| explain(py, problem))?;
            many.as_slice()
        };
        self.bytes.clear();
        let fed = self.decoding.feed(&self.tokenizer.get().engine, ids, &mut self.bytes);
        fed.map_err(|problem| error::raise(py, &problem))?;
        Ok(PyString::new(py, &self.stream.feed(&self.bytes)))
    }

    /// The end of the stream: U+FFFD for an incomplete character, else nothing. The decoder is as new afterwards.
    fn flush(&mut self) -> String {
        self.decoding = Decoding::new(self.decoding.options());
        self.stream.flush()
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
