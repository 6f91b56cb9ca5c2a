//! Arrow columns of strings, and other arrays, in buffers that Python holds.
//!
//! Idea: a column is its text end to end, the offsets between the rows, and a bitmap that says which rows are not null. Anything
//! with the buffer protocol may hold them. What is read-only is read where it lies: so are `bytes`, and Arrow's buffers, which
//! nobody changes, are handed over as such (`memoryview(buffer).toreadonly()`); what may be written is copied, since the GIL is
//! released while the engine reads.
//!
//! A read-only view of memory that may be written by another way (of a bytearray, a map of a file, a `NumPy` array) looks the
//! same. Who hands over a read-only view promises that nobody writes there during the call; this package makes none but of `bytes` and of
//! Arrow's buffers, and takes none from its callers.
//!
//! Invariant: what comes from Python is checked before it is used: offsets ascend and lie within the data.
//! Cost: that of the rows that are asked for, however many the buffers hold.
#![allow(unsafe_code)] // one view of memory, with its reasons

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyMemoryView, PySlice};

/// A column of strings, not checked yet.
pub struct Column {
    offsets: Vec<u64>,
    data: Option<Held>,
    validity: Option<Held>,
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
        let all = PyMemoryView::from(offsets)?;
        let end = first.checked_add(length).and_then(|end| end.checked_add(1));
        let offsets = match end.filter(|&end| all.len().is_ok_and(|there| end <= there)) {
            Some(end) => integers(&all.get_item(PySlice::new(all.py(), first.cast_signed(), end.cast_signed(), 1))?)?,
            None if length == 0 => vec![0],
            None => return Err(wrong(&format!("{} offsets, but rows {first} to {first} + {length}", all.len()?))),
        };
        let validity = validity.map(Held::of).transpose()?;
        if let Some(bits) = validity.as_ref().map(Held::bytes)
            && bits.len().saturating_mul(8) < first.saturating_add(length)
        {
            return Err(wrong(&format!("{} bytes of validity, but rows {first} to {first} + {length}", bits.len())));
        }
        let data = data.map(Held::of).transpose()?;
        Ok(Self { offsets, data, validity, first })
    }

    /// The rows that are not null, and their texts.
    pub fn texts(&self) -> PyResult<(Vec<usize>, Vec<&[u8]>)> {
        let texts = slices(self.data.as_ref().map_or(&[], Held::bytes), &self.offsets)?;
        let validity = self.validity.as_ref().map(Held::bytes);
        let is_valid = |row: usize| {
            let at = self.first + row;
            validity.is_none_or(|bits| bits.get(at / 8).is_some_and(|bits| bits >> (at % 8) & 1 == 1))
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
    let held = Held::of(&view)?;
    // Without a sign for it, the order of bytes is the machine's.
    match (view.getattr("format")?.extract::<String>()?.as_str(), view.getattr("itemsize")?.extract::<usize>()?) {
        ("i" | "l", 4) => held.items().map(|four| i32::from_ne_bytes(four).try_into().map_err(negative)).collect(),
        ("<i", 4) => held.items().map(|four| i32::from_le_bytes(four).try_into().map_err(negative)).collect(),
        ("l" | "q", 8) => held.items().map(|eight| i64::from_ne_bytes(eight).try_into().map_err(negative)).collect(),
        ("<q", 8) => held.items().map(|eight| i64::from_le_bytes(eight).try_into().map_err(negative)).collect(),
        ("L" | "Q", 8) => Ok(held.items().map(u64::from_ne_bytes).collect()),
        ("<Q", 8) => Ok(held.items().map(u64::from_le_bytes).collect()),
        (format, _) => Err(PyTypeError::new_err(format!(
            "the array holds items of format {format:?}\nhint: pass int32, int64 or uint64"
        ))),
    }
}

/// Bytes that Python holds.
pub enum Held {
    /// Read-only ones, where they lie.
    View(PyBuffer<u8>),
    /// Others.
    Copied(Vec<u8>),
}

impl Held {
    /// The bytes of anything that has some, end to end.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let view = PyMemoryView::from(object)?.call_method1("cast", ("B",))?;
        let buffer = PyBuffer::get(&view)?;
        if buffer.readonly() { Ok(Self::View(buffer)) } else { buffer.to_vec(object.py()).map(Self::Copied) }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Copied(bytes) => bytes,
            Self::View(buffer) if buffer.len_bytes() == 0 => &[],
            // SAFETY: a view that was cast to bytes is contiguous: so many initialised bytes from there on, which stay as long as
            // the buffer is not given back, and it outlives the slice. That nobody writes there meanwhile is the promise of who hands
            // over a read-only view; of `bytes` it is Python's.
            Self::View(buffer) => unsafe { std::slice::from_raw_parts(buffer.buf_ptr().cast(), buffer.len_bytes()) },
        }
    }

    /// The items of so many bytes each.
    fn items<const N: usize>(&self) -> impl Iterator<Item = [u8; N]> {
        self.bytes().as_chunks().0.iter().copied()
    }
}

fn wrong(what: &str) -> PyErr {
    PyValueError::new_err(format!("a column has {what}\nhint: pass the buffers of one array, as they are"))
}
