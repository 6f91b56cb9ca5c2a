//! Memory for ids and bytes that only one call needs: the next call of the same thread uses it again.
//!
//! Invariant: who is called meanwhile, and wants such memory too, gets other.
//!
//! Cost: a few nanoseconds, where asking the system's allocator twice costs a hundred.

use std::cell::Cell;
use std::thread::LocalKey;

/// The most bytes that are kept.
const MOST: usize = 1 << 16;

thread_local! {
    static IDS: Cell<Vec<u32>> = const { Cell::new(Vec::new()) };
    static BYTES: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Calls `work` with an empty list of ids.
#[inline]
pub fn with_ids<R>(work: impl FnOnce(&mut Vec<u32>) -> R) -> R {
    with(&IDS, work)
}

/// Calls `work` with an empty list of bytes.
#[inline]
pub fn with_bytes<R>(work: impl FnOnce(&mut Vec<u8>) -> R) -> R {
    with(&BYTES, work)
}

#[inline]
fn with<T, R>(place: &'static LocalKey<Cell<Vec<T>>>, work: impl FnOnce(&mut Vec<T>) -> R) -> R {
    let mut values = place.take();
    let done = work(&mut values);
    if values.capacity() * size_of::<T>() <= MOST {
        values.clear();
        place.set(values);
    }
    done
}
