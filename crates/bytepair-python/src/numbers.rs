//! Numbers in memory that Python may use without a copy: what arrays are made of.
//!
//! Idea: the engine's vectors become objects with the buffer protocol, of which Python gets a `memoryview`, and `NumPy` an
//! array, both writable.
//!
//! Invariant: once made, an object's vector is not looked at from here any more, and never grows or moves.

#![allow(unsafe_code)] // one function of the protocol, with its reasons

use std::ffi::c_int;

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyMemoryView;

/// The numbers of an array.
enum Numbers {
    Short(Vec<u16>),
    Ids(Vec<u32>),
    Offsets(Vec<u64>),
}

/// An object that owns the numbers of one array; Python sees only views of it.
#[pyclass(module = "bytepair._core")]
struct Owner {
    numbers: Numbers,
}

/// Ids, as the bytes of uint32, or of uint16 where `narrow`.
pub fn ids(py: Python<'_>, ids: Vec<u32>, narrow: bool) -> PyResult<Bound<'_, PyMemoryView>> {
    if !narrow {
        return view(py, Numbers::Ids(ids));
    }
    if ids.iter().fold(0, |bits, id| bits | id) > u32::from(u16::MAX) {
        return Err(PyValueError::new_err("an id does not fit in uint16\nhint: use dtype=\"uint32\""));
    }
    #[expect(clippy::cast_possible_truncation, reason = "they fit")]
    view(py, Numbers::Short(ids.into_iter().map(|id| id as u16).collect()))
}

/// Offsets, as the bytes of uint64.
pub fn offsets(py: Python<'_>, offsets: Vec<u64>) -> PyResult<Bound<'_, PyMemoryView>> {
    view(py, Numbers::Offsets(offsets))
}

/// Appends the items of a buffer of Python's.
pub fn append(py: Python<'_>, buffer: &PyBuffer<u32>, ids: &mut Vec<u32>) -> PyResult<()> {
    let Some(items) = buffer.as_slice_ptr() else {
        ids.extend(buffer.to_vec(py)?);
        return Ok(());
    };
    ids.reserve(items.len());
    // SAFETY: so many numbers lie there, one after the other, as long as there is the buffer, and there is room for as many
    // past the end of the ids, which is written.
    unsafe {
        items.cast::<u32>().as_ptr().copy_to_nonoverlapping(ids.as_mut_ptr().add(ids.len()), items.len());
        ids.set_len(ids.len() + items.len());
    }
    Ok(())
}

fn view(py: Python<'_>, numbers: Numbers) -> PyResult<Bound<'_, PyMemoryView>> {
    PyMemoryView::from(Bound::new(py, Owner { numbers })?.as_any())
}

impl Owner {
    /// Where the numbers lie, and how many bytes they are.
    fn bytes(&mut self) -> (*mut u8, usize) {
        match &mut self.numbers {
            Numbers::Short(items) => (items.as_mut_ptr().cast(), size_of_val(items.as_slice())),
            Numbers::Ids(items) => (items.as_mut_ptr().cast(), size_of_val(items.as_slice())),
            Numbers::Offsets(items) => (items.as_mut_ptr().cast(), size_of_val(items.as_slice())),
        }
    }
}

#[pymethods]
impl Owner {
    /// # Safety
    /// Python calls it as the buffer protocol says: `view` is a `Py_buffer` that is to be filled.
    unsafe fn __getbuffer__(mut slf: PyRefMut<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let (place, bytes) = slf.bytes();
        // A vector has at most isize::MAX bytes.
        let bytes = ffi::Py_ssize_t::try_from(bytes)?;
        // SAFETY: `view` is Python's to give. `place` is the start of `bytes` initialised bytes, any of which may be written,
        // since all their bits are numbers; they belong to a vector that is never touched again before the object is
        // dropped, and the view keeps the object alive: filling it in takes a reference to it.
        let status = unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), place.cast(), bytes, 0, flags) };
        if status == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}
