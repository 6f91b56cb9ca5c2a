//! Many texts at once: in slices, so that Ctrl-C is seen between them.

use bytepair::{Cancel, Tokenizer};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::error;
use crate::interrupt;
use crate::options::Encoding;
use crate::text::Text;

/// Bytes that each thread gets before Ctrl-C is looked for: a fraction of a second.
const SLICE: usize = 4 << 20;

/// Encodes the texts of an iterable and hands the ids and offsets of each slice to `each`.
pub fn encode(
    tokenizer: &Tokenizer,
    texts: &Bound<'_, PyAny>,
    options: &Encoding,
    threads: usize,
    mut each: impl FnMut(&[u32], &[u64]) -> PyResult<()>,
) -> PyResult<()> {
    let py = texts.py();
    let items = collect(texts)?;
    let read: Vec<Text<'_>> = (0..)
        .zip(&items)
        .map(|(index, item)| Text::of(item, &format!("item {index} of the texts")))
        .collect::<PyResult<_>>()?;
    let slices: Vec<&[u8]> = read.iter().map(Text::bytes).collect();
    let mut first = 0;
    while first < slices.len() {
        let rest = slices.get(first..).unwrap_or_default();
        let (slice, _) = rest.split_at(fitting(rest, SLICE.saturating_mul(threads)));
        let bytes = slice.iter().map(|text| text.len()).sum();
        let work = |cancel: Cancel<'_>| tokenizer.encode_batch(slice, options.borrow(cancel), threads);
        let encoded = interrupt::run(py, bytes, work)?;
        let (ids, offsets) = encoded.map_err(|(index, problem)| {
            let index = first + index;
            let text = read.get(index).unwrap_or(&Text::Bytes(&[]));
            error::about(py, &problem, text, &format!("item {index} of the texts: "))
        })?;
        each(&ids, &offsets)?;
        first += slice.len();
        py.check_signals()?;
    }
    Ok(())
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

/// How many of the texts, one at least, stay within `bytes`.
fn fitting(texts: &[&[u8]], bytes: usize) -> usize {
    let mut sum = 0_usize;
    let fit = texts.iter().take_while(|text| {
        sum = sum.saturating_add(text.len());
        sum <= bytes
    });
    fit.count().max(1).min(texts.len())
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
