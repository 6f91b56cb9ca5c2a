//! `Counter`: the number of tokens of a text that grows.

use std::sync::Arc;

use bytepair::{Cancel, Error, encode};
use pyo3::prelude::*;

use crate::options::Encoding;
use crate::text::Text;
use crate::tokenizer::PyTokenizer;
use crate::{error, interrupt};

/// A counter of one text. Not for use by two threads at a time.
#[pyclass(name = "Counter", module = "bytepair._core")]
pub struct PyCounter {
    tokenizer: Py<PyTokenizer>,
    options: Arc<Encoding>,
    counter: encode::Counter,
}

#[pymethods]
impl PyCounter {
    #[new]
    #[pyo3(signature = (tokenizer, allowed_special=None, disallowed_special=None, unknown="raise"))]
    fn new(
        tokenizer: Py<PyTokenizer>,
        allowed_special: Option<&Bound<'_, PyAny>>,
        disallowed_special: Option<&Bound<'_, PyAny>>,
        unknown: &str,
    ) -> PyResult<Self> {
        let options = Arc::new(Encoding::of(&tokenizer.get().engine, allowed_special, disallowed_special, unknown)?);
        Ok(Self { tokenizer, options, counter: encode::Counter::default() })
    }

    fn append(&mut self, text: &Bound<'_, PyAny>) -> PyResult<()> {
        let read = Text::of(text, "the text")?;
        let (tokenizer, options, bytes) = (&self.tokenizer.get().engine, &self.options, read.bytes());
        let (waiting, counter) = (self.counter.waiting(), &mut self.counter);
        let work = |cancel: Cancel<'_>| counter.append(tokenizer, bytes, options.borrow(cancel));
        done(text.py(), interrupt::run(text.py(), waiting + bytes.len(), work)?)
    }

    /// The number of tokens of all that was appended.
    #[getter]
    fn count(&mut self, py: Python<'_>) -> PyResult<usize> {
        let (tokenizer, options) = (&self.tokenizer.get().engine, &self.options);
        let (waiting, counter) = (self.counter.waiting(), &mut self.counter);
        done(py, interrupt::run(py, waiting, |cancel| counter.count(tokenizer, options.borrow(cancel)))?)
    }

    /// As if nothing had been appended.
    fn reset(&mut self) {
        self.counter = encode::Counter::default();
    }

    fn copy(&self, py: Python<'_>) -> Self {
        let (options, counter) = (Arc::clone(&self.options), self.counter.clone());
        Self { tokenizer: self.tokenizer.clone_ref(py), options, counter }
    }
}

fn done<T>(py: Python<'_>, result: Result<T, Error>) -> PyResult<T> {
    result.map_err(|problem| error::raise(py, &problem))
}
