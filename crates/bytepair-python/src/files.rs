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
    /// The ids that wait.
    ids: Vec<u32>,
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
        Ok(Self { tokenizer, options, threads, narrow, stream: Stream::default(), ids: Vec::new() })
    }

    /// Makes room for the ids of about so many bytes.
    fn expect(&mut self, bytes: usize) {
        Stream::expect(bytes, &mut self.ids);
    }

    /// Adds a part of the text; the ids that are certain now join those that wait to be taken. Says how many wait.
    fn feed(&mut self, text: &Bound<'_, PyAny>) -> PyResult<usize> {
        let (py, read) = (text.py(), Text::of(text, "the text")?);
        let bytes = read.bytes();
        let (tokenizer, options, threads) = (&self.tokenizer.get().engine, &self.options, self.threads);
        let (waiting, stream, ids) = (self.stream.waiting(), &mut self.stream, &mut self.ids);
        let fed = interrupt::run(py, waiting + bytes.len(), |cancel: Cancel<'_>| {
            stream.feed(tokenizer, bytes, options.borrow(cancel), threads, ids)
        });
        self.fed(py, fed?)
    }

    /// The same for the end of the text. The next part begins another one.
    fn finish(&mut self, py: Python<'_>) -> PyResult<usize> {
        let (tokenizer, options) = (&self.tokenizer.get().engine, &self.options);
        let (waiting, stream, ids) = (self.stream.waiting(), &mut self.stream, &mut self.ids);
        let fed =
            interrupt::run(py, waiting, |cancel: Cancel<'_>| stream.finish(tokenizer, options.borrow(cancel), ids));
        self.fed(py, fed?)
    }

    /// The ids that wait, as an array.
    fn take<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyMemoryView>> {
        numbers::ids(py, std::mem::take(&mut self.ids), self.narrow)
    }
}

impl PyStreamEncoder {
    fn fed(&self, py: Python<'_>, fed: Result<(), Error>) -> PyResult<usize> {
        fed.map(|()| self.ids.len()).map_err(|problem| error::raise(py, &problem))
    }
}
