//! Ids that Python gives: lists, arrays, anything that can be iterated over.

use std::ffi::CStr;
use std::fmt::Display;

use bytepair::tokenizer::{DecodeOptions, UnknownId};
use pyo3::buffer::{Element, ElementType, PyBuffer, PyUntypedBuffer};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyList, PyString, PyTuple};

use crate::error;

/// What becomes of an integer that is no id at all: below 0, or above the highest.
#[derive(Clone, Copy)]
pub enum Outside {
    /// An error.
    Raise,
    /// [`NO_TOKEN`]: what decoding does with unknown ids, it does with these.
    Unknown,
}

/// The one number of 32 bits that is never a token's id.
const NO_TOKEN: u32 = u32::MAX;

impl Outside {
    /// As the options of a decoding say.
    pub fn of(options: DecodeOptions) -> Self {
        if options.unknown == UnknownId::Raise { Self::Raise } else { Self::Unknown }
    }

    fn id(self, py: Python<'_>, value: impl Display, at: usize) -> PyResult<u32> {
        match self {
            Self::Unknown => Ok(NO_TOKEN),
            Self::Raise => {
                let message = format!("item {at} of the ids is {value}, which no token can have as its id");
                let hint = "ids are from 0 to 4294967294; pass unknown=\"skip\" to leave others out";
                Err(error::make(py, "UnknownTokenError", &message, hint))
            }
        }
    }
}

/// The ids in a list, a tuple, an array of integers of one dimension (no loop over objects then), or anything that can
/// be iterated over and gives integers. Integers that no id can be are as `outside` says.
pub fn read(object: &Bound<'_, PyAny>, outside: Outside) -> PyResult<Vec<u32>> {
    if let Ok(list) = object.cast::<PyList>() {
        return each(list.iter(), list.len(), outside);
    }
    if let Ok(tuple) = object.cast::<PyTuple>() {
        return each(tuple.iter(), tuple.len(), outside);
    }
    if object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>() {
        return Err(refuse(object, "ids are a list or an array of integers; `encode` turns text into ids")?);
    }
    if let Ok(buffer) = PyUntypedBuffer::get(object) {
        return array(object, &buffer, outside);
    }
    let Ok(items) = object.try_iter() else {
        return Err(refuse(object, "ids are a list or an array of integers; for one id, pass [id]")?);
    };
    let mut ids = Vec::new();
    for (at, item) in items.enumerate() {
        ids.push(one(&item?, at, outside)?);
    }
    Ok(ids)
}

/// One id; `at` is its index among the others.
pub fn one(item: &Bound<'_, PyAny>, at: usize, outside: Outside) -> PyResult<u32> {
    if !item.is_instance_of::<PyBool>() {
        if let Ok(id) = item.extract::<u32>() {
            return Ok(id);
        }
        if item.hasattr("__index__")? {
            let value = item.call_method0("__index__")?;
            return match value.extract::<u32>() {
                Ok(id) => Ok(id),
                Err(_) => outside.id(item.py(), &value, at),
            };
        }
    }
    Err(PyTypeError::new_err(format!(
        "item {at} of the ids is of type `{}`\nhint: ids are integers",
        item.get_type().name()?
    )))
}

fn each<'py>(items: impl Iterator<Item = Bound<'py, PyAny>>, length: usize, outside: Outside) -> PyResult<Vec<u32>> {
    let mut ids = Vec::with_capacity(length);
    for (at, item) in items.enumerate() {
        ids.push(one(&item, at, outside)?);
    }
    Ok(ids)
}

/// The ids in a buffer of integers of any width.
fn array(object: &Bound<'_, PyAny>, buffer: &PyUntypedBuffer, outside: Outside) -> PyResult<Vec<u32>> {
    let py = object.py();
    if buffer.dimensions() != 1 {
        let message = format!("the array of ids has {} dimensions", buffer.dimensions());
        return Err(PyValueError::new_err(format!("{message}\nhint: decode one row at a time, or use decode_batch")));
    }
    match (integer(buffer.format()), buffer.item_size()) {
        (Some(false), 4) => buffer.as_typed::<u32>()?.to_vec(py),
        (Some(false), 1) => convert(py, buffer.as_typed::<u8>()?, outside),
        (Some(false), 2) => convert(py, buffer.as_typed::<u16>()?, outside),
        (Some(false), 8) => convert(py, buffer.as_typed::<u64>()?, outside),
        (Some(true), 1) => convert(py, buffer.as_typed::<i8>()?, outside),
        (Some(true), 2) => convert(py, buffer.as_typed::<i16>()?, outside),
        (Some(true), 4) => convert(py, buffer.as_typed::<i32>()?, outside),
        (Some(true), 8) => convert(py, buffer.as_typed::<i64>()?, outside),
        // Other byte order, or no integers: NumPy can turn the former into a list of int.
        _ if buffer.format().to_bytes().iter().any(|byte| b"bBhHiIlLqQnN".contains(byte)) => {
            read(&object.call_method0("tolist")?, outside)
        }
        _ => Err(refuse(object, "the array's items are no integers; convert it with .astype(\"uint32\")")?),
    }
}

/// Whether the items are signed integers, or unsigned; `None` for anything else, and for another byte order than ours.
fn integer(format: &CStr) -> Option<bool> {
    let foreign = if cfg!(target_endian = "little") { [b'>', b'!'] } else { [b'<', b'<'] };
    if format.to_bytes().first().is_some_and(|order| foreign.contains(order)) {
        return None;
    }
    match ElementType::from_format(format) {
        ElementType::SignedInteger { .. } => Some(true),
        ElementType::UnsignedInteger { .. } => Some(false),
        _ => None,
    }
}

fn convert<T: Element + Copy + TryInto<u32> + Display>(
    py: Python<'_>,
    buffer: &PyBuffer<T>,
    outside: Outside,
) -> PyResult<Vec<u32>> {
    let items = buffer.to_vec(py)?;
    items.into_iter().enumerate().map(|(at, item)| item.try_into().or_else(|_| outside.id(py, item, at))).collect()
}

fn refuse(object: &Bound<'_, PyAny>, hint: &str) -> PyResult<PyErr> {
    Ok(PyTypeError::new_err(format!("the ids are of type `{}`\nhint: {hint}", object.get_type().name()?)))
}
