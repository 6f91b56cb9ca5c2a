//! The integers of a Python list, read and written where they lie.
//!
//! Idea: through `PyO3`'s checked interface an item costs 9 ns and by the stable calls of C 4 ns, many times what decoding
//! takes; in memory it is three loads, half a nanosecond. Where lists and integers lie is fixed for each released version of
//! Python, so on those that are named here, once they have passed a test, items are read and written directly; on others
//! through C. What is written are references to integers that last as long as the process, one for each id, made when the
//! id is first needed: to make one costs ten times as much. References to them are not counted, since to count is to write
//! all over some megabytes.
//!
//! Invariant: only an object whose type is exactly `int` is read, and directly only one of at most one digit (below 2^30);
//! the first other item ends the run, and the caller takes it. No Python code runs meanwhile, so the list stays as it is.
//! A list that is written is not seen by Python before all of its items are there.
//!
//! Cost: a test of a few items, once; then half a nanosecond an item. Of each id that a list ever had 40 bytes, up to 10 MB.
#![allow(unsafe_code)]

use std::ops::Range;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use bytepair::prefetch;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::OnceLockExt;
use pyo3::types::{PyInt, PyList};

/// The word of a list object that points to its items: after the head (count of references, type) and the number of items.
const ITEMS: usize = 3;
/// The word of an object that counts the references to it.
const COUNT: usize = 0;
/// The integers from here on do not last: ids need not be dense, so the highest may be any number.
const MOST: usize = 1 << 18;

/// A list of no more items is soon looked at, and dropped: the integers are asked for.
const SHORT: usize = 512;

/// The integers that last, by their value, as far as they were needed.
static LASTING: [AtomicPtr<ffi::PyObject>; MOST] = [const { AtomicPtr::new(null_mut()) }; MOST];
/// The word of an integer that tells its sign and its number of digits.
const TAG: usize = 2;
/// The half word of an integer that is its first digit, after that word.
const DIGIT: usize = 6;

/// How items are read and written.
#[derive(Clone, Copy)]
enum Way {
    /// Where they lie; the tags of zero and of the integers from 1 to 2^30 - 1; a count that never comes to an end.
    Direct { zero: usize, one_digit: usize, endless: usize },
    /// By calls of the stable interface.
    Calls,
}

/// The way for this Python. `CPython` 3.11 counts the digits in the tag; since 3.12 its three lowest bits tell the sign. Since
/// 3.12 one count means that references are not counted (PEP 683); before, a count as high outlasts all who count down from it.
fn way(py: Python<'_>) -> Way {
    static WAY: OnceLock<Way> = OnceLock::new();
    // To find it may run Python code (an import hook, a finalizer): nobody waits for it with the GIL held.
    *WAY.get_or_init_py_attached(py, || {
        let way = match release(py) {
            Some(11) => Way::Direct { zero: 0, one_digit: 1, endless: usize::MAX >> 3 },
            Some(12..=13) => Way::Direct { zero: 1, one_digit: 1 << 3, endless: u32::MAX as usize },
            _ => return Way::Calls,
        };
        if passes(py, way).unwrap_or(false) { way } else { Way::Calls }
    })
}

/// The `x` of `CPython` 3.x.
pub fn release(py: Python<'_>) -> Option<u8> {
    let name = || py.import("sys")?.getattr("implementation")?.getattr("name")?.extract::<String>();
    let version = py.version_info();
    (version.major == 3 && name().is_ok_and(|name| name == "cpython")).then_some(version.minor)
}

/// Whether sizes are as expected, and items of all kinds are read as they should, and as calls read them.
fn passes(py: Python<'_>, way: Way) -> PyResult<bool> {
    let size = |kind: Bound<'_, PyAny>, what: &str| kind.getattr(what)?.extract::<usize>();
    let int = py.get_type::<PyInt>().into_any();
    let list = py.get_type::<PyList>().into_any();
    let word = size_of::<usize>();
    let fits = word == 8
        && size(int.clone(), "__basicsize__")? == 3 * word
        && size(int, "__itemsize__")? == 4
        && size(list, "__basicsize__")? == 5 * word;
    if !fits || !counts(py) {
        return Ok(false);
    }
    let numbers = [0, 1, 2, 255, 256, 257, 100_000, (1 << 30) - 1, 1 << 30, i64::from(u32::MAX), 1 << 40, i64::MAX, -1];
    for number in numbers {
        let one = PyList::new(py, [number])?;
        let id = u32::try_from(number).ok();
        let directly = id.filter(|&id| id < 1 << 30);
        // Where C's `long` has 32 bits, calls read fewer.
        let (by_way, by_calls) = (first(&one, way), first(&one, Way::Calls));
        if by_way != directly || (by_calls != id && by_calls != id.filter(|&id| id < 1 << 31)) {
            return Ok(false);
        }
    }
    let others = [PyList::new(py, [true])?, PyList::new(py, [py.None()])?, PyList::new(py, [1.0])?];
    if !others.iter().all(|list| first(list, way).is_none() && first(list, Way::Calls).is_none()) {
        return Ok(false);
    }
    let ids = [0, 1, 256, 257, 100_000, u32::MAX];
    Ok(write_by(way, py, &ids)?.eq(PyList::new(py, ids)?)? && write_by(way, py, &[])?.is_empty())
}

/// Whether a new integer has a word that counts.
fn counts(py: Python<'_>) -> bool {
    let one = integer(py, 1 << 20);
    // SAFETY: an object has more words than its size says, which was just asked for.
    let count = || unsafe { one.as_ptr().cast::<usize>().add(COUNT).read() };
    let before = count();
    let two = one.clone();
    let between = count();
    drop(two);
    (before, between, count()) == (1, 2, 1)
}

fn first(list: &Bound<'_, PyList>, way: Way) -> Option<u32> {
    let mut ids = Vec::new();
    read_by(way, list, 0..1, &mut ids);
    ids.first().copied()
}

/// Appends the first items of a range of indices, up to the first that is not an `int` or is no id, and says how many. It may
/// stop earlier.
pub fn read(list: &Bound<'_, PyList>, range: Range<usize>, ids: &mut Vec<u32>) -> usize {
    read_by(way(list.py()), list, range, ids)
}

fn read_by(way: Way, list: &Bound<'_, PyList>, range: Range<usize>, ids: &mut Vec<u32>) -> usize {
    let range = range.start..range.end.min(list.len());
    let before = ids.len();
    match way {
        Way::Direct { zero, one_digit, .. } if !range.is_empty() => {
            // SAFETY: `list` is a list, whose fourth word points to its items on the versions of this way; the range lies
            // within their number and is not empty. Nothing here runs Python code and the lock is held, so it stays.
            let items = unsafe {
                let items = list.as_ptr().cast::<*const *mut ffi::PyObject>().add(ITEMS).read();
                std::slice::from_raw_parts(items.add(range.start), range.len())
            };
            // SAFETY: the items of a list are objects.
            append(ids, items.iter().map(|&item| unsafe { lying(item, zero, one_digit) }));
        }
        Way::Direct { .. } => {}
        Way::Calls => append(ids, range.map(|at| called(list, at))),
    }
    ids.len() - before
}

/// Appends values up to the first that is none.
fn append(ids: &mut Vec<u32>, values: impl ExactSizeIterator<Item = Option<u32>>) {
    ids.reserve(values.len());
    let mut known = 0;
    for (place, value) in ids.spare_capacity_mut().iter_mut().zip(values) {
        let Some(value) = value else { break };
        place.write(value);
        known += 1;
    }
    // SAFETY: the first `known` places past the end were written above, within the capacity.
    unsafe { ids.set_len(ids.len() + known) };
}

/// The value of an `int` of at most one digit.
///
/// # Safety
/// `item` is an object of a Python whose integers have these tags.
unsafe fn lying(item: *mut ffi::PyObject, zero: usize, one_digit: usize) -> Option<u32> {
    // SAFETY: an object whose type is exactly `int` begins with the head and the tag, and has a digit if its tag says so.
    unsafe {
        if ffi::Py_TYPE(item) != &raw mut ffi::PyLong_Type {
            return None;
        }
        match item.cast::<usize>().add(TAG).read() {
            tag if tag == one_digit => Some(item.cast::<u32>().add(DIGIT).read()),
            tag if tag == zero => Some(0),
            _ => None,
        }
    }
}

/// The value of the `int` at an index, if it is still there.
fn called(list: &Bound<'_, PyList>, at: usize) -> Option<u32> {
    list.get_item(at).ok()?.cast_exact::<PyInt>().ok()?.extract().ok()
}

/// Ids as a list.
pub fn write<'py>(py: Python<'py>, ids: &[u32]) -> PyResult<Bound<'py, PyList>> {
    write_by(way(py), py, ids)
}

fn write_by<'py>(way: Way, py: Python<'py>, ids: &[u32]) -> PyResult<Bound<'py, PyList>> {
    let Way::Direct { endless, .. } = way else {
        // SAFETY: what lasts is an integer; a reference to it is counted here.
        let lasting = |made| unsafe { Bound::from_borrowed_ptr(py, made).cast_into_unchecked() };
        let one = |id| lasting_one(py, id, None).map_or_else(|| integer(py, id), lasting);
        return PyList::new(py, ids.iter().map(|&id| one(id)));
    };
    // SAFETY: what the call gives is a new list, or nothing and an error.
    let list = unsafe {
        let list = ffi::PyList_New(ffi::Py_ssize_t::try_from(ids.len())?);
        Bound::from_owned_ptr_or_err(py, list)?.cast_into_unchecked::<PyList>()
    };
    if !ids.is_empty() {
        // SAFETY: the fourth word of the list points to as many items as were asked for, all of them null. Nobody else knows
        // the list, and no Python code runs while it is written.
        let items = unsafe {
            let items = list.as_ptr().cast::<*mut *mut ffi::PyObject>().add(ITEMS).read();
            std::slice::from_raw_parts_mut(items, ids.len())
        };
        for (item, &id) in items.iter_mut().zip(ids) {
            *item = lasting_one(py, id, Some(endless)).unwrap_or_else(|| integer(py, id).into_ptr());
        }
        if items.len() <= SHORT {
            for &item in &*items {
                prefetch(item);
            }
        }
    }
    Ok(list)
}

/// The integer that lasts, if this one does. References to it need not be counted if its own count is made `endless`.
#[inline]
fn lasting_one(py: Python<'_>, id: u32, endless: Option<usize>) -> Option<*mut ffi::PyObject> {
    let place = LASTING.get(id as usize)?;
    let made = place.load(Ordering::Acquire);
    Some(if made.is_null() { make_lasting(py, id, endless, place) } else { made })
}

#[cold]
fn make_lasting(
    py: Python<'_>,
    id: u32,
    endless: Option<usize>,
    place: &AtomicPtr<ffi::PyObject>,
) -> *mut ffi::PyObject {
    let made = integer(py, id).into_ptr();
    if let Some(endless) = endless {
        // SAFETY: the first word of an object counts the references to it. One was just given up, so that it is there for good.
        // Small integers are Python's own, and may be endless already.
        unsafe {
            let count = made.cast::<usize>().add(COUNT);
            count.write(count.read().max(endless));
        }
    }
    place.store(made, Ordering::Release);
    made
}

/// An integer, made anew unless Python has it.
fn integer(py: Python<'_>, value: u32) -> Bound<'_, PyInt> {
    let Ok(made) = value.into_pyobject(py);
    made
}
