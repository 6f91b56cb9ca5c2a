//! Many texts at once.

use bytepair::{Cancel, Tokenizer};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::error;
use crate::interrupt;
use crate::options::Encoding;
use crate::text::Text;

/// The ids of the texts of an iterable, one after the other, and where each text's begin and end.
pub fn encode(
    tokenizer: &Tokenizer,
    texts: &Bound<'_, PyAny>,
    options: &Encoding,
    threads: usize,
) -> PyResult<(Vec<u32>, Vec<u64>)> {
    let py = texts.py();
    let items = collect(texts)?;
    let read: Vec<Text<'_>> = (0..)
        .zip(&items)
        .map(|(index, item)| Text::of(item, format_args!("item {index} of the texts")))
        .collect::<PyResult<_>>()?;
    let slices: Vec<&[u8]> = read.iter().map(Text::bytes).collect();
    let bytes = slices.iter().map(|text| text.len()).sum();
    let work = |cancel: Cancel<'_>| tokenizer.encode_batch(&slices, options.borrow(cancel), threads);
    interrupt::run(py, bytes, work)?.map_err(|(index, problem)| {
        let text = read.get(index).unwrap_or(&Text::Bytes(&[]));
        error::about(py, &problem, text, &format!("item {index} of the texts: "))
    })
}

/// The ids between two offsets.
pub fn between<'a>(ids: &'a [u32], ends: &[u64]) -> &'a [u32] {
    match ends {
        [start, end] => ids.get(place(*start)..place(*end)).unwrap_or_default(),
        _ => &[],
    }
}

/// An offset as an index; offsets of what lies in memory always are one.
fn place(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

/// The items of an iterable; a single text is refused, since its characters would pass for texts.
fn collect<'py>(texts: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    if texts.is_instance_of::<PyString>() || texts.is_instance_of::<PyBytes>() {
        return Err(PyTypeError::new_err("the texts are one text\nhint: pass a list of texts: [text]"));
    }
    let Ok(items) = texts.try_iter() else {
        let kind = texts.get_type().name()?;
        return Err(PyTypeError::new_err(format!("the texts are of type `{kind}`\nhint: pass a list of texts")));
    };
    items.collect()
}
