//! `Neighbours`: what dropping unknown words does to texts.

use bytepair::{Cancel, Splitter, measure};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::text::Text;
use crate::{error, interrupt};

/// Neighbours of known words once the others are dropped. Not for use by two threads at a time.
#[pyclass(name = "Neighbours", module = "bytepair._core")]
pub struct PyNeighbours(measure::Neighbours);

/// A text that begins and ends with a known word, these two, and how often it was met.
type Example<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>, u64);

#[pymethods]
impl PyNeighbours {
    #[new]
    #[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
    fn new(py: Python<'_>, words: &str, space: u16, known: Vec<Bound<'_, PyBytes>>, most: usize) -> PyResult<Self> {
        let splitter = Splitter::new(words).map_err(|problem| error::raise(py, &problem))?;
        Ok(Self(measure::Neighbours::new(splitter, space, known.iter().map(PyBytesMethods::as_bytes), most)))
    }

    /// Adds a text, or a part of one that is not the last.
    fn add(&mut self, text: &Bound<'_, PyAny>, is_last: bool) -> PyResult<()> {
        let (py, read) = (text.py(), Text::of(text, "the text")?);
        let (bytes, found) = (read.bytes(), &mut self.0);
        let done = interrupt::run(py, bytes.len(), |cancel: Cancel<'_>| found.add(bytes, is_last, cancel))?;
        done.map_err(|problem| error::raise(py, &problem))
    }

    /// Neighbours after dropping, and those of them that were none before.
    #[getter]
    fn counts(&self) -> (u64, u64) {
        (self.0.pairs, self.0.apart)
    }

    /// The examples, in no order.
    fn examples<'py>(&self, py: Python<'py>) -> Vec<Example<'py>> {
        let bytes = |text: &[u8]| PyBytes::new(py, text);
        self.0.examples().map(|(text, one, other, count)| (bytes(text), bytes(one), bytes(other), count)).collect()
    }
}
