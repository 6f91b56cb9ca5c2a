//! The options of BPE-dropout, from Python's words to the engine's.

use bytepair::encode::Dropout;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyAnyMethods, PyBool};

/// Reads a probability and a seed.
pub fn options(dropout: &Bound<'_, PyAny>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<Dropout> {
    let Ok(probability) = dropout.extract::<f64>() else {
        let kind = dropout.get_type().name()?;
        return Err(PyTypeError::new_err(format!("dropout is of type `{kind}`\nhint: it is a probability, 0 to 1")));
    };
    let seed = seed.map_or(Ok(0), number)?;
    let dropout = Dropout::new(probability, seed);
    dropout.ok_or_else(|| PyValueError::new_err(format!("dropout is {probability}\nhint: it is a probability, 0 to 1")))
}

/// A seed: an integer of 64 bits.
fn number(seed: &Bound<'_, PyAny>) -> PyResult<u64> {
    if seed.is_instance_of::<PyBool>() || !seed.hasattr("__index__")? {
        let kind = seed.get_type().name()?;
        return Err(PyTypeError::new_err(format!("seed is of type `{kind}`\nhint: it is an integer")));
    }
    seed.extract()
        .map_err(|_| PyValueError::new_err(format!("seed is {seed}\nhint: it is an integer from 0 to 2**64 - 1")))
}
