//! A column of Arrow's -> ids, as the buffers of a column of lists.

use bytepair::Cancel;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyMemoryView;

use crate::arrow::Column;
use crate::options::Encoding;
use crate::text::Text;
use crate::tokenizer::PyTokenizer;
use crate::{error, interrupt, numbers};

/// The ids of the rows of a column of strings or bytes, from its buffers, which are read where they lie: offsets (int32 or int64),
/// data and validity; it begins at `first` in these and has `length` rows. A null row has no ids.
///
/// The ids (uint32), one row after the other, and the offsets between the rows: as int64 if `wide`, else as int32.
#[pyfunction]
#[pyo3(signature = (tokenizer, offsets, data, validity, first, length, wide, threads, place, allowed_special=None, disallowed_special=None, unknown="raise"))]
#[expect(clippy::too_many_arguments, reason = "they are the parts of a column, and options")]
pub fn encode_column<'py>(
    py: Python<'py>,
    tokenizer: &PyTokenizer,
    offsets: &Bound<'py, PyAny>,
    data: Option<&Bound<'py, PyAny>>,
    validity: Option<&Bound<'py, PyAny>>,
    first: usize,
    length: usize,
    wide: bool,
    threads: usize,
    place: &Bound<'py, PyAny>,
    allowed_special: Option<&Bound<'py, PyAny>>,
    disallowed_special: Option<&Bound<'py, PyAny>>,
    unknown: &str,
) -> PyResult<(Bound<'py, PyMemoryView>, Bound<'py, PyMemoryView>)> {
    let options = Encoding::of(&tokenizer.engine, allowed_special, disallowed_special, unknown)?;
    let column = Column::new(offsets, data, validity, first, length)?;
    let (rows, texts) = column.texts()?;
    let bytes = texts.iter().map(|text| text.len()).sum();
    let work = |cancel: Cancel<'_>| tokenizer.engine.encode_batch(&texts, options.borrow(cancel), threads);
    let (ids, ends) = interrupt::run(py, bytes, work)?.map_err(|(index, problem)| {
        let (row, text) = (rows.get(index).copied().unwrap_or(0), texts.get(index).copied().unwrap_or_default());
        let named = place.call1((row,)).and_then(|name| name.extract::<String>());
        named.map_or_else(|raised| raised, |name| error::about(py, &problem, &Text::Bytes(text), &format!("{name}: ")))
    })?;
    let ends = spread(&ends, &rows, length);
    let ends = if wide { numbers::offsets(py, ends)? } else { numbers::ids(py, narrow(&ends)?, false)? };
    Ok((numbers::ids(py, ids, false)?, ends))
}

/// The offsets between all rows, from those between the rows that are there.
fn spread(ends: &[u64], rows: &[usize], length: usize) -> Vec<u64> {
    if rows.len() == length {
        return ends.to_vec();
    }
    let mut there = rows.iter().zip(ends.iter().skip(1)).peekable();
    let mut end = 0;
    let next = |row| {
        if let Some((_, &after)) = there.next_if(|&(&at, _)| at == row) {
            end = after;
        }
        end
    };
    std::iter::once(0).chain((0..length).map(next)).collect()
}

/// Offsets in 31 bits. Bytes that these count have no more ids, except where words have marks or a normaliser adds characters.
fn narrow(ends: &[u64]) -> PyResult<Vec<u32>> {
    let fits = |&end: &u64| i32::try_from(end).ok().map(i32::cast_unsigned);
    ends.iter().map(fits).collect::<Option<_>>().ok_or_else(|| {
        let count = ends.last().unwrap_or(&0);
        PyValueError::new_err(format!(
            "the array has {count} ids, too many for offsets of 32 bits\nhint: cast it to large_string, or pass it in chunks"
        ))
    })
}
