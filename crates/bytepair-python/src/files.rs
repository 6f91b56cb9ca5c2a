//! `StreamEncoder`: a text that comes in parts, such as a large file, as arrays of ids.

use bytepair::encode::Stream;
use bytepair::{Cancel, Error};
use pyo3::prelude::*;
use pyo3::types::PyMemoryView;

use crate::options::Encoding;
use crate::text::Text;
use crate::tokenizer::PyTokenizer;
use crate::{error, interrupt, numbers};

/// An encoder of one text. Not for use by two threads at a time.
#[pyclass(name = "StreamEncoder", module = "bytepair._core")]
pub struct PyStreamEncoder {
    tokenizer: Py<PyTokenizer>,
    options: Encoding,
    threads: usize,
    /// Whether the ids go into arrays of uint16.
    narrow: bool,
    stream: Stream,
}

#[pymethods]
impl PyStreamEncoder {
    #[new]
    #[pyo3(signature = (tokenizer, threads, narrow, allowed_special=None, disallowed_special=None, unknown="raise"))]
    fn new(
        tokenizer: Py<PyTokenizer>,
        threads: usize,
        narrow: bool,
        allowed_special: Option<&Bound<'_, PyAny>>,
        disallowed_special: Option<&Bound<'_, PyAny>>,
        unknown: &str,
    ) -> PyResult<Self> {
        let options = Encoding::of(&tokenizer.get().engine, allowed_special, disallowed_special, unknown)?;
        Ok(Self { tokenizer, options, threads, narrow, stream: Stream::default() })
    }

    /// The ids that are certain after one more part, as an array.
    fn feed<'py>(&mut self, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyMemoryView>> {
        let (py, read) = (text.py(), Text::of(text, "the text")?);
        let bytes = read.bytes();
        let (tokenizer, options, threads) = (&self.tokenizer.get().engine, &self.options, self.threads);
        let (waiting, stream) = (self.stream.waiting(), &mut self.stream);
        let encoded = interrupt::run(py, waiting + bytes.len(), |cancel: Cancel<'_>| {
            let mut ids = Vec::new();
            stream.feed(tokenizer, bytes, options.borrow(cancel), threads, &mut ids).map(|()| ids)
        });
        array(py, encoded?, self.narrow)
    }

    /// The end of the text: its last ids. The encoder can then be used anew.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyMemoryView>> {
        let (tokenizer, options) = (&self.tokenizer.get().engine, &self.options);
        let (waiting, stream) = (self.stream.waiting(), &mut self.stream);
        let encoded = interrupt::run(py, waiting, |cancel: Cancel<'_>| {
            let mut ids = Vec::new();
            stream.finish(tokenizer, options.borrow(cancel), &mut ids).map(|()| ids)
        });
        array(py, encoded?, self.narrow)
    }
}

fn array(py: Python<'_>, encoded: Result<Vec<u32>, Error>, narrow: bool) -> PyResult<Bound<'_, PyMemoryView>> {
    numbers::ids(py, encoded.map_err(|problem| error::raise(py, &problem))?, narrow)
}
