//! Numbers in memory that Python may use without a copy: what arrays are made of.
//!
//! Idea: the engine's vectors become objects with the buffer protocol, and `numpy.frombuffer` a view of them, writable and
//! alive as long as the view is.
//!
//! Invariant: once made, an object's vector is not looked at from here any more, and never grows or moves.

#![allow(unsafe_code)] // one function of the protocol, with its reasons

use std::ffi::c_int;

use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;

/// The numbers of an array.
enum Numbers {
    Short(Vec<u16>),
    Ids(Vec<u32>),
    Offsets(Vec<u64>),
}

/// An object that owns the numbers of one array.
#[pyclass(name = "Numbers", module = "bytepair._core")]
pub struct PyNumbers {
    numbers: Numbers,
}

impl PyNumbers {
    /// Ids; in 16 bits where `narrow`, and then an error if one does not fit.
    pub fn ids(ids: Vec<u32>, narrow: bool) -> PyResult<Self> {
        if !narrow {
            return Ok(Self { numbers: Numbers::Ids(ids) });
        }
        if ids.iter().fold(0, |bits, id| bits | id) > u32::from(u16::MAX) {
            return Err(PyValueError::new_err("an id does not fit in uint16\nhint: use dtype=\"uint32\""));
        }
        #[expect(clippy::cast_possible_truncation, reason = "they fit")]
        let short = ids.into_iter().map(|id| id as u16).collect();
        Ok(Self { numbers: Numbers::Short(short) })
    }

    /// Offsets, in 64 bits.
    pub fn offsets(offsets: Vec<u64>) -> Self {
        Self { numbers: Numbers::Offsets(offsets) }
    }

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
impl PyNumbers {
    /// How many numbers there are.
    fn __len__(&self) -> usize {
        match &self.numbers {
            Numbers::Short(items) => items.len(),
            Numbers::Ids(items) => items.len(),
            Numbers::Offsets(items) => items.len(),
        }
    }

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
