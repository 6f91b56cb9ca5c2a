//! Many texts at once.

use bytepair::{Cancel, Tokenizer};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

use crate::interrupt;
use crate::options::Encoding;
use crate::text::Text;
use crate::{error, exact};

/// Bytes of text that are encoded before lists are made, by one thread: their ids are then still near.
const NEAR: usize = 1 << 18;
/// The same for each of several threads, which wait for each other in between.
const SLICE: usize = 1 << 22;

/// The ids of the texts of an iterable, one after the other, and where each text's begin and end.
pub fn encode(
    tokenizer: &Tokenizer,
    texts: &Bound<'_, PyAny>,
    options: &Encoding,
    threads: usize,
) -> PyResult<(Vec<u32>, Vec<u64>)> {
    some(tokenizer, texts.py(), &collect(texts)?, 0, usize::MAX, options, threads)
}

/// The ids of the texts of an iterable, a list for each.
pub fn lists<'py>(
    tokenizer: &Tokenizer,
    texts: &Bound<'py, PyAny>,
    options: &Encoding,
    threads: usize,
) -> PyResult<Bound<'py, PyList>> {
    let (py, items) = (texts.py(), collect(texts)?);
    let most = if threads < 2 { NEAR } else { SLICE.saturating_mul(threads) };
    let mut lists = Vec::with_capacity(items.len());
    while lists.len() < items.len() {
        let (ids, offsets) = some(tokenizer, py, &items, lists.len(), most, options, threads)?;
        for ends in offsets.windows(2) {
            lists.push(exact::write(py, between(&ids, ends))?);
        }
        py.check_signals()?;
    }
    PyList::new(py, lists)
}

/// The ids of the texts from the `first` on, until they have `most` bytes.
fn some(
    tokenizer: &Tokenizer,
    py: Python<'_>,
    items: &[Bound<'_, PyAny>],
    first: usize,
    most: usize,
    options: &Encoding,
    threads: usize,
) -> PyResult<(Vec<u32>, Vec<u64>)> {
    let (mut read, mut bytes) = (Vec::new(), 0_usize);
    for (index, item) in (first..).zip(&items[first..]) {
        let text = Text::of(item, format_args!("item {index} of the texts"))?;
        bytes = bytes.saturating_add(text.bytes().len());
        read.push(text);
        if bytes >= most {
            break;
        }
    }
    let slices: Vec<&[u8]> = read.iter().map(Text::bytes).collect();
    let work = |cancel: Cancel<'_>| tokenizer.encode_batch(&slices, options.borrow(cancel), threads);
    interrupt::run(py, bytes, work)?.map_err(|(index, problem)| {
        let text = read.get(index).unwrap_or(&Text::Bytes(&[]));
        error::about(py, &problem, text, &format!("item {} of the texts: ", first + index))
    })
}

/// The ids between two offsets.
fn between<'a>(ids: &'a [u32], ends: &[u64]) -> &'a [u32] {
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
