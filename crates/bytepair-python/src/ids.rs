//! Ids that Python gives: lists, arrays, anything that can be iterated over.

use std::ffi::CStr;
use std::fmt::{self, Display};
use std::mem::take;
use std::ops::Range;

use bytepair::tokenizer::{DecodeOptions, UnknownId};
use pyo3::buffer::{Element, ElementType, PyBuffer, PyUntypedBuffer};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyList, PyString};

use crate::{error, exact, numbers};

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
}

/// How ids are read, and how errors call them.
#[derive(Clone, Copy)]
pub struct Reading {
    outside: Outside,
    /// An integer that is left out at both ends.
    pad: Option<i64>,
    /// The index of the row in the batch that is read.
    row: Option<usize>,
}

impl Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.row {
            Some(row) => write!(f, "row {row} of the batch"),
            None => f.write_str("the ids"),
        }
    }
}

impl Reading {
    /// Of the ids of a single decoding.
    pub fn new(outside: Outside) -> Self {
        Self { outside, pad: None, row: None }
    }

    /// One id; `at` is its index among the others.
    pub fn one(self, item: &Bound<'_, PyAny>, at: usize) -> PyResult<u32> {
        if !item.is_instance_of::<PyBool>() {
            if let Ok(id) = item.extract::<u32>() {
                return Ok(id);
            }
            if item.hasattr("__index__")? {
                let value = item.call_method0("__index__")?;
                return value.extract::<u32>().or_else(|_| self.outside(item.py(), &value, at));
            }
        }
        Err(PyTypeError::new_err(format!(
            "item {at} of {self} is of type `{}`\nhint: ids are integers",
            item.get_type().name()?
        )))
    }

    fn outside(self, py: Python<'_>, value: impl Display, at: usize) -> PyResult<u32> {
        match self.outside {
            Outside::Unknown => Ok(NO_TOKEN),
            Outside::Raise => {
                let message = format!("item {at} of {self} is {value}, which no token can have as its id");
                let hint = "ids are from 0 to 4294967294; pass unknown=\"skip\" to leave others out";
                Err(error::make(py, "UnknownTokenError", &message, hint))
            }
        }
    }

    /// The ids of an object that has none.
    fn refuse(self, object: &Bound<'_, PyAny>, hint: &str) -> PyResult<()> {
        let kind = object.get_type().name()?;
        let are = if self.row.is_some() { "is" } else { "are" };
        Err(PyTypeError::new_err(format!("{self} {are} of type `{kind}`\nhint: {hint}")))
    }

    /// The items of a row that are not padding.
    fn inner<T: Copy + Into<i128>>(self, items: &[T]) -> Range<usize> {
        let Some(pad) = self.pad.map(i128::from) else { return 0..items.len() };
        let is_id = |&item: &T| item.into() != pad;
        let Some(start) = items.iter().position(is_id) else { return 0..0 };
        start..items.iter().rposition(is_id).map_or(start, |last| last + 1)
    }
}

/// Where a row's ids lie among all, and how many items before them were padding.
struct Row {
    span: Range<usize>,
    skipped: usize,
}

/// The ids of one or more lists or arrays, end to end.
#[derive(Default)]
pub struct Rows {
    ids: Vec<u32>,
    rows: Vec<Row>,
}

/// Appends the ids in a list, a tuple, an array of integers of one dimension (no loop over objects then), or anything that can
/// be iterated over and gives integers. Integers that no id can be are as `outside` says.
pub fn read(object: &Bound<'_, PyAny>, outside: Outside, ids: &mut Vec<u32>) -> PyResult<()> {
    let mut rows = Rows { ids: take(ids), rows: Vec::new() };
    let done = rows.add(object, Reading::new(outside));
    *ids = rows.ids;
    done
}

impl Rows {
    /// The rows of a batch: of an array of two dimensions, or of an iterable of what [`read`] takes.
    pub fn of(batch: &Bound<'_, PyAny>, pad: Option<i64>, outside: Outside) -> PyResult<Self> {
        let (mut rows, reading) = (Self::default(), Reading { outside, pad, row: Some(0) });
        let text = is_text(batch);
        if let Some(buffer) = if text { None } else { buffer(batch)? } {
            if buffer.dimensions() != 2 {
                let message = format!("the batch is an array of {} dimensions", buffer.dimensions());
                let hint = "a batch has two; for one row use decode, for rows end to end pass offsets=";
                return Err(PyValueError::new_err(format!("{message}\nhint: {hint}")));
            }
            rows.array(batch, &buffer, reading)?;
            return Ok(rows);
        }
        let items = if text { None } else { batch.try_iter().ok() };
        let Some(items) = items else {
            let kind = batch.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "the batch is of type `{kind}`\nhint: pass a list of lists of ids, or an array of two dimensions"
            )));
        };
        for (row, item) in items.enumerate() {
            rows.add(&item?, Reading { row: Some(row), ..reading })?;
        }
        Ok(rows)
    }

    /// Rows that lie end to end in one list or array, from each offset to the next.
    pub fn at_offsets(ids: &Bound<'_, PyAny>, offsets: &Bound<'_, PyAny>, outside: Outside) -> PyResult<Self> {
        let (object, mut ids) = (ids, Vec::new());
        read(object, outside, &mut ids)?;
        let offsets: Vec<usize> = offsets.extract().map_err(|_| {
            PyTypeError::new_err(
                "the offsets are no integers from 0 up\nhint: encode_batch_to_numpy gives them with the ids",
            )
        })?;
        let last = offsets.last().copied().unwrap_or(0);
        if !offsets.is_sorted() || last > ids.len() {
            let problem = if last > ids.len() { format!("reach {last}") } else { "do not ascend".to_owned() };
            let message = format!("the offsets {problem}, for {} ids", ids.len());
            return Err(PyValueError::new_err(format!("{message}\nhint: row i is ids[offsets[i]:offsets[i + 1]]")));
        }
        let span = |ends: &[usize]| Row { span: ends[0]..ends[1], skipped: 0 };
        Ok(Self { ids, rows: offsets.windows(2).map(span).collect() })
    }

    /// The ids of each row.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.rows.iter().map(|row| &self.ids[row.span.clone()])
    }

    /// How many items of a row before its first id were padding.
    pub fn skipped(&self, row: usize) -> usize {
        self.rows.get(row).map_or(0, |row| row.skipped)
    }

    /// Ends a row that began after `start` ids.
    fn end(&mut self, start: usize, skipped: usize) {
        self.rows.push(Row { span: start..self.ids.len(), skipped });
    }

    /// Adds one row.
    fn add(&mut self, object: &Bound<'_, PyAny>, reading: Reading) -> PyResult<()> {
        if let Ok(list) = object.cast::<PyList>() {
            return self.list(list, reading);
        }
        if is_text(object) {
            return reading.refuse(object, "ids are a list or an array of integers; `encode` turns text into ids");
        }
        if let Some(buffer) = buffer(object)? {
            if buffer.dimensions() != 1 {
                let message = format!("the array of ids has {} dimensions", buffer.dimensions());
                let hint = "decode one row at a time, or use decode_batch";
                return Err(PyValueError::new_err(format!("{message}\nhint: {hint}")));
            }
            return self.array(object, &buffer, reading);
        }
        let Ok(items) = object.try_iter() else {
            return reading.refuse(object, "ids are a list or an array of integers; for one id, pass [id]");
        };
        self.list(&PyList::new(object.py(), items.collect::<PyResult<Vec<_>>>()?)?, reading)
    }

    /// Adds the items of a list. Those that are not exactly `int` may run Python code, which may change the list.
    fn list(&mut self, list: &Bound<'_, PyList>, reading: Reading) -> PyResult<()> {
        let (start, range) = (self.ids.len(), inner(list, reading.pad));
        let mut at = range.start;
        while at < range.end {
            at += exact::read(list, at..range.end, &mut self.ids);
            if at < range.end {
                let Ok(item) = list.get_item(at) else { break };
                self.ids.push(reading.one(&item, at)?);
                at += 1;
            }
        }
        self.end(start, range.start);
        Ok(())
    }

    /// Adds the rows of a buffer of integers of any width.
    fn array(&mut self, object: &Bound<'_, PyAny>, buffer: &PyUntypedBuffer, reading: Reading) -> PyResult<()> {
        let py = object.py();
        let is_aligned = buffer.buf_ptr().addr().is_multiple_of(buffer.item_size().max(1));
        match (integer(buffer.format()).filter(|_| is_aligned), buffer.item_size()) {
            (Some(false), 1) => self.items(py, buffer.as_typed::<u8>()?, reading),
            (Some(false), 2) => self.items(py, buffer.as_typed::<u16>()?, reading),
            (Some(false), 4) if buffer.dimensions() == 1 && reading.pad.is_none() => {
                let start = self.ids.len();
                numbers::append(py, buffer.as_typed::<u32>()?, &mut self.ids)?;
                self.end(start, 0);
                Ok(())
            }
            (Some(false), 4) => self.items(py, buffer.as_typed::<u32>()?, reading),
            (Some(false), 8) => self.items(py, buffer.as_typed::<u64>()?, reading),
            (Some(true), 1) => self.items(py, buffer.as_typed::<i8>()?, reading),
            (Some(true), 2) => self.items(py, buffer.as_typed::<i16>()?, reading),
            (Some(true), 4) => self.items(py, buffer.as_typed::<i32>()?, reading),
            (Some(true), 8) => self.items(py, buffer.as_typed::<i64>()?, reading),
            // A byte order of its own, odd addresses, or no integers: NumPy can turn all but the last into a list of int.
            _ if buffer.format().to_bytes().iter().any(|byte| b"bBhHiIlLqQnN".contains(byte)) => {
                let list = object.call_method0("tolist")?;
                if buffer.dimensions() == 1 {
                    return self.add(&list, reading);
                }
                for (row, item) in list.try_iter()?.enumerate() {
                    self.add(&item?, Reading { row: Some(row), ..reading })?;
                }
                Ok(())
            }
            _ => Reading { row: None, ..reading }
                .refuse(object, "the array's items are no integers; convert it with .astype(\"uint32\")"),
        }
    }

    fn items<T>(&mut self, py: Python<'_>, buffer: &PyBuffer<T>, reading: Reading) -> PyResult<()>
    where
        T: Element + Copy + TryInto<u32> + Into<i128> + Display,
    {
        let items = buffer.to_vec(py)?;
        let (rows, width) = match *buffer.shape() {
            [rows, width] => (rows, width),
            _ => (1, items.len()),
        };
        let before = self.ids.len();
        for row in 0..rows {
            let start = row * width;
            let reading = Reading { row: reading.row.map(|first| first + row), ..reading };
            let inner = reading.inner(&items[start..start + width]);
            let span = start + inner.start..start + inner.end;
            let is_outside = |&item: &T| item.try_into().is_err();
            let kept = &items[span.clone()];
            // Nearly always there is none: without a branch for each item, that is seen several at a time.
            let any = kept.iter().fold(false, |any, item| any | is_outside(item));
            if any
                && matches!(reading.outside, Outside::Raise)
                && let Some(at) = kept.iter().position(is_outside)
            {
                reading.outside(py, kept[at], inner.start + at)?;
            }
            self.rows.push(Row { span: before + span.start..before + span.end, skipped: inner.start });
        }
        let ids = items.into_iter().map(|item| item.try_into().unwrap_or(NO_TOKEN));
        if before == 0 {
            // Where an item has the size of an id, its place is used again.
            self.ids = ids.collect();
        } else {
            self.ids.extend(ids);
        }
        Ok(())
    }
}

/// The items of a list that are not padding.
fn inner(list: &Bound<'_, PyList>, pad: Option<i64>) -> Range<usize> {
    let (mut start, mut end) = (0, list.len());
    if pad.is_some() {
        let is_pad = |at: usize| {
            let item = list.get_item(at).ok().filter(|item| !item.is_instance_of::<PyBool>());
            item.and_then(|item| item.extract().ok()) == pad
        };
        while start < end && is_pad(end - 1) {
            end -= 1;
        }
        while start < end && is_pad(start) {
            start += 1;
        }
    }
    start..end
}

fn is_text(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>()
}

/// The buffer of an array; what only can be made into one (a tensor, a column of a table) is.
fn buffer(object: &Bound<'_, PyAny>) -> PyResult<Option<PyUntypedBuffer>> {
    if let Ok(buffer) = PyUntypedBuffer::get(object) {
        return Ok(Some(buffer));
    }
    if object.is_instance_of::<PyList>() || !object.hasattr("__array__")? {
        return Ok(None);
    }
    // An array without dimensions has none either.
    Ok(PyUntypedBuffer::get(&object.call_method0("__array__")?).ok())
}

/// Whether the items are signed integers, or unsigned; `None` for anything else, and where a byte order is named.
fn integer(format: &CStr) -> Option<bool> {
    if format.to_bytes().first().is_some_and(|order| b"<>!".contains(order)) {
        return None;
    }
    match ElementType::from_format(format) {
        ElementType::SignedInteger { .. } => Some(true),
        ElementType::UnsignedInteger { .. } => Some(false),
        _ => None,
    }
}
