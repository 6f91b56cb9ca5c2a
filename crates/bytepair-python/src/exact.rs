//! The integers of a Python list, read where they lie.
//!
//! Idea: through the stable interface each item costs three calls, 4 to 9 ns, many times what decoding takes; in memory it is
//! two loads, half a nanosecond. Where lists and integers lie is fixed for each released version of Python, so for those that
//! are named here, once they have passed a test, they are read directly. All others take the interface.
//!
//! Invariant: only an object whose type is exactly `int`, of one digit (below 2^30), is read; the first other item ends the
//! run, and the caller takes it through the interface. No Python code runs meanwhile, so the list stays as it is.
//!
//! Cost: a test of a few items, once; then half a nanosecond an item.
#![allow(unsafe_code)]

use std::ops::Range;
use std::sync::OnceLock;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList};

/// The word of a list object that points to its items: after the head (count of references, type) and the number of items.
const ITEMS: usize = 3;
/// The word of an integer that tells its sign and its number of digits.
const TAG: usize = 2;
/// The half word of an integer that is its first digit, after that word.
const DIGIT: usize = 6;

/// The tags of the integers that are read.
#[derive(Clone, Copy)]
struct Tags {
    zero: usize,
    /// Of those from 1 to 2^30 - 1.
    one_digit: usize,
}

/// The tags, if this Python's objects are known to lie as above. CPython 3.11 counts the digits; since 3.12 the three lowest
/// bits tell the sign.
fn tags(py: Python<'_>) -> Option<Tags> {
    static TAGS: OnceLock<Option<Tags>> = OnceLock::new();
    *TAGS.get_or_init(|| {
        let version = py.version_info();
        let tags = match (version.major, version.minor) {
            (3, 11) => Tags { zero: 0, one_digit: 1 },
            (3, 12..=14) => Tags { zero: 1, one_digit: 1 << 3 },
            _ => return None,
        };
        passes(py, tags).unwrap_or(false).then_some(tags)
    })
}

/// Whether sizes are as expected, and items of all kinds are read as the interface reads them.
fn passes(py: Python<'_>, tags: Tags) -> PyResult<bool> {
    let size = |kind: Bound<'_, PyAny>, what: &str| kind.getattr(what)?.extract::<usize>();
    let int = py.get_type::<PyInt>().into_any();
    let list = py.get_type::<PyList>().into_any();
    let word = size_of::<usize>();
    let fits = word == 8
        && size(int.clone(), "__basicsize__")? == 3 * word
        && size(int, "__itemsize__")? == 4
        && size(list, "__basicsize__")? == 5 * word;
    if !fits {
        return Ok(false);
    }
    let numbers = [0, 1, 2, 255, 256, 257, 100_000, (1 << 30) - 1, 1 << 30, u64::from(u32::MAX), 1 << 40, 1 << 62];
    for number in numbers {
        let one = PyList::new(py, [number])?;
        let mut ids = Vec::new();
        run(&one, 0..1, tags, &mut ids);
        let expected: Vec<u32> = u32::try_from(number).ok().filter(|&id| id < 1 << 30).into_iter().collect();
        if ids != expected {
            return Ok(false);
        }
    }
    let mut ids = Vec::new();
    for other in [PyList::new(py, [-1])?, PyList::new(py, [true])?, PyList::new(py, [py.None()])?] {
        run(&other, 0..1, tags, &mut ids);
    }
    Ok(ids.is_empty())
}

/// Appends the first items of a range of indices, up to the first that is not an `int` from 0 to 2^30 - 1, and says how many;
/// none, where they cannot be read directly.
pub fn read(list: &Bound<'_, PyList>, range: Range<usize>, ids: &mut Vec<u32>) -> usize {
    tags(list.py()).map_or(0, |tags| run(list, range, tags, ids))
}

fn run(list: &Bound<'_, PyList>, range: Range<usize>, tags: Tags, ids: &mut Vec<u32>) -> usize {
    let range = range.start..range.end.min(list.len());
    if range.is_empty() {
        return 0;
    }
    // SAFETY: `list` is a list, whose fourth word points to its items on the versions that have tags; the range lies within
    // their number and is not empty. Nothing below runs Python code and the lock is held, so the list does not change.
    let items = unsafe {
        let items = list.as_ptr().cast::<*const *mut ffi::PyObject>().add(ITEMS).read();
        std::slice::from_raw_parts(items.add(range.start), range.len())
    };
    let int = &raw mut ffi::PyLong_Type;
    let before = ids.len();
    ids.reserve(items.len());
    ids.extend(items.iter().map_while(|&item| {
        // SAFETY: a list's items are objects, and what is read of one follows its type: an object whose type is exactly `int`
        // begins with the head and the tag, and has at least one digit if its tag says so.
        unsafe {
            if ffi::Py_TYPE(item) != int {
                return None;
            }
            match item.cast::<usize>().add(TAG).read() {
                tag if tag == tags.one_digit => Some(item.cast::<u32>().add(DIGIT).read()),
                tag if tag == tags.zero => Some(0),
                _ => None,
            }
        }
    }));
    ids.len() - before
}
