//! Arrow columns of strings, and other arrays, as buffers that Python hands over.
//!
//! Idea: a column is its text end to end, the offsets between the rows, and a bitmap that says which rows are not null. Anything
//! with the buffer protocol may hold them.
//!
//! Invariant: what comes from Python is checked before it is used: offsets ascend and lie within the data.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyMemoryView;

/// A column of strings, not checked yet.
pub struct Column {
    offsets: Vec<u64>,
    data: Vec<u8>,
    validity: Option<Vec<u8>>,
    first: usize,
}

impl Column {
    /// A column of `length` rows that begins at row `first` of these buffers.
    pub fn new(
        offsets: &Bound<'_, PyAny>,
        data: Option<&Bound<'_, PyAny>>,
        validity: Option<&Bound<'_, PyAny>>,
        first: usize,
        length: usize,
    ) -> PyResult<Self> {
        let all = integers(offsets)?;
        let end = first.checked_add(length).and_then(|end| end.checked_add(1));
        let offsets = match end.and_then(|end| all.get(first..end)) {
            Some(offsets) => offsets.to_vec(),
            None if length == 0 => vec![0],
            None => return Err(wrong(&format!("{} offsets, but rows {first} to {first} + {length}", all.len()))),
        };
        let validity = validity.map(bytes).transpose()?;
        if let Some(bits) = &validity
            && bits.len().saturating_mul(8) < first.saturating_add(length)
        {
            return Err(wrong(&format!("{} bytes of validity, but rows {first} to {first} + {length}", bits.len())));
        }
        let data = data.map(bytes).transpose()?.unwrap_or_default();
        Ok(Self { offsets, data, validity, first })
    }

    /// The rows that are not null, and their texts.
    pub fn texts(&self) -> PyResult<(Vec<usize>, Vec<&[u8]>)> {
        let texts = slices(&self.data, &self.offsets)?;
        let is_valid = |row: usize| {
            let at = self.first + row;
            self.validity.as_ref().is_none_or(|bits| bits.get(at / 8).is_some_and(|bits| bits >> (at % 8) & 1 == 1))
        };
        Ok(texts.into_iter().enumerate().filter(|&(row, _)| is_valid(row)).unzip())
    }
}

/// What lies between offsets in some data.
pub fn slices<'a>(data: &'a [u8], offsets: &[u64]) -> PyResult<Vec<&'a [u8]>> {
    let slice = |pair: &[u64]| {
        let (start, end) = (usize::try_from(pair[0]).ok()?, usize::try_from(pair[1]).ok()?);
        data.get(start..end)
    };
    let slices: Option<Vec<&[u8]>> = offsets.windows(2).map(slice).collect();
    slices.ok_or_else(|| wrong(&format!("offsets that do not ascend, or lie outside of {} bytes of data", data.len())))
}

/// The integers of an array of int32, int64 or uint64, none of them negative.
pub fn integers(object: &Bound<'_, PyAny>) -> PyResult<Vec<u64>> {
    let view = PyMemoryView::from(object)?;
    let negative = |_| wrong("a negative offset");
    match (view.getattr("format")?.extract::<String>()?.as_str(), view.getattr("itemsize")?.extract::<usize>()?) {
        ("i" | "l" | "<i", 4) => {
            let bytes = bytes(&view)?;
            let items = bytes.as_chunks().0.iter().map(|four| i32::from_le_bytes(*four).try_into().map_err(negative));
            items.collect()
        }
        ("l" | "q" | "<q", 8) => {
            let bytes = bytes(&view)?;
            let items = bytes.as_chunks().0.iter().map(|eight| i64::from_le_bytes(*eight).try_into().map_err(negative));
            items.collect()
        }
        ("L" | "Q" | "<Q", 8) => {
            Ok(bytes(&view)?.as_chunks().0.iter().map(|eight| u64::from_le_bytes(*eight)).collect())
        }
        (format, _) => Err(PyTypeError::new_err(format!(
            "the array holds items of format {format:?}\nhint: pass int32, int64 or uint64"
        ))),
    }
}

/// The bytes of anything that has some.
pub fn bytes(object: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let view = PyMemoryView::from(object)?.call_method1("cast", ("B",))?;
    PyBuffer::<u8>::get(&view)?.to_vec(object.py())
}

fn wrong(what: &str) -> PyErr {
    PyValueError::new_err(format!("a column has {what}\nhint: pass the buffers of one array, as they are"))
}
