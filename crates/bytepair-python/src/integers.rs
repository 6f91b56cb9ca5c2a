//! Ids as Python's objects: integers that lists share instead of each having its own.
//!
//! Idea: to make an integer costs several times what a reference to one costs. So a tokenizer makes the integers of all of
//! its ids once; and that when its lists have held as many ids as there are integers to make: so it never costs more
//! than twice what it would have without, and a tokenizer that encodes little pays nothing. They are megabytes, of
//! which each text needs others: they are asked for ahead, without which sharing would gain nothing.
//!
//! Invariant: `made[id]` is the integer `id`. Integers are immutable, so nobody needs to care whether one is shared.
//!
//! Cost: 40 bytes an id, 8 MB for 200,000 of them. Ids from [`MOST`] on are made anew each time.

use std::convert::Infallible;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytepair::prefetch;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyInt, PyList};

/// The most integers that are kept: 10 MB. Ids need not be dense, so the highest may be any number.
const MOST: usize = 1 << 18;

/// How many ids ahead an integer is asked for; and twice as far, the reference to it.
const AHEAD: usize = 32;

/// The integers of a tokenizer's ids.
pub struct Integers {
    made: PyOnceLock<Box<[Py<PyInt>]>>,
    /// How many are to be made.
    count: usize,
    /// How many ids were given out before they were.
    given: AtomicUsize,
}

impl Integers {
    /// Of the ids below `n_vocab`.
    pub fn new(n_vocab: usize) -> Self {
        Self { made: PyOnceLock::new(), count: n_vocab.min(MOST), given: AtomicUsize::new(0) }
    }

    /// The ids as a list.
    pub fn list<'py>(&self, py: Python<'py>, ids: &[u32]) -> PyResult<Bound<'py, PyList>> {
        let Some(made) = self.made(py, ids.len()) else { return PyList::new(py, ids) };
        let one = |id: u32| made.get(id as usize).map_or_else(|| make(py, id), |made| made.bind(py).clone());
        if ids.len() <= 2 * AHEAD {
            return PyList::new(py, ids.iter().map(|&id| one(id)));
        }
        let integers = ids.iter().enumerate().map(|(at, &id)| {
            if let Some(reference) = ids.get(at + 2 * AHEAD).and_then(|&id| made.get(id as usize)) {
                prefetch(ptr::from_ref(reference));
            }
            if let Some(reference) = ids.get(at + AHEAD).and_then(|&id| made.get(id as usize)) {
                prefetch(reference.as_ptr());
            }
            one(id)
        });
        PyList::new(py, integers)
    }

    /// The integers, if they are made, or worth making now that `more` ids are given out.
    fn made(&self, py: Python<'_>, more: usize) -> Option<&[Py<PyInt>]> {
        if let Some(made) = self.made.get(py) {
            return Some(made);
        }
        let given = self.given.fetch_add(more, Ordering::Relaxed).saturating_add(more);
        let all = || (0..self.count).map(|id| make(py, id).unbind()).collect();
        (given >= self.count).then(|| self.made.get_or_init(py, all).as_ref())
    }
}

/// An integer, made anew.
fn make<'py, T>(py: Python<'py>, value: T) -> Bound<'py, PyInt>
where
    T: IntoPyObject<'py, Output = Bound<'py, PyInt>, Error = Infallible>,
{
    let Ok(made) = value.into_pyobject(py);
    made
}
