//! What a program may tell the system about the memory that it will use.
//!
//! Idea: who knows which of many places comes next, but finds none of them in the processor's caches, asks for some
//! of them ahead, and waits for all at once instead of for each. A table of many megabytes that is read all over
//! wants large pages: with small ones nearly every look-up has first to find out where its page is, and a request ahead for a
//! page that is not at hand is dropped.
//!
//! Invariant: nothing here changes what memory holds.
//!
//! Cost: one instruction; one system call a table.

use std::ops::{Deref, DerefMut};

/// Asks for what lies at an address to be brought near. Any address will do: nothing is read.
#[inline]
pub fn prefetch<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: a prefetch is a hint; it reads nothing that the program could see, and an address that is not mapped
        // does no harm.
        #[allow(unsafe_code)]
        unsafe {
            std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(place.cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// As many values as wanted, each of them `value`, on large pages where the system has them and they pay.
pub(crate) fn filled<T: Copy>(value: T, count: usize) -> Vec<T> {
    // The pages are asked for before they are touched for the first time.
    let mut values = room_for(count);
    values.resize(count, value);
    values
}

/// An empty list with room for so many values, on large pages where the system has them and they pay.
pub(crate) fn room_for<T>(count: usize) -> Vec<T> {
    let mut values = Vec::new();
    reserve(&mut values, count);
    values
}

/// Makes room for as many values more, on large pages where the system has them and they pay.
pub(crate) fn reserve<T>(values: &mut Vec<T>, more: usize) {
    values.reserve(more);
    ask_for_large_pages(values.spare_capacity_mut());
}

/// Values in rows of four, none of which shares a pair of cache lines with another.
#[derive(Debug)]
pub(crate) struct Rows<T>(Vec<Row<T>>);

/// Four values of 32 bytes, and nothing else: see [`Rows::EXACT`].
#[derive(Debug, Clone, Copy)]
#[repr(C, align(128))]
struct Row<T>([T; 4]);

impl<T> Rows<T> {
    /// A row is its four values, with nothing between them or after them.
    const EXACT: () = assert!(size_of::<T>() == 32 && size_of::<Row<T>>() == 4 * size_of::<T>());
}

impl<T: Copy> Rows<T> {
    /// So many rows, each value being `value`.
    pub(crate) fn filled(value: T, rows: usize) -> Self {
        Self(filled(Row([value; 4]), rows))
    }
}

impl<T> Deref for Rows<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        const { Self::EXACT }
        // SAFETY: a row is an array of four values and nothing else, as was just asserted, so that many rows are one array.
        #[allow(unsafe_code)]
        unsafe {
            std::slice::from_raw_parts(self.0.as_ptr().cast(), 4 * self.0.len())
        }
    }
}

impl<T> DerefMut for Rows<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        const { Self::EXACT }
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), 4 * self.0.len())
        }
    }
}

/// The size of a large page.
#[cfg(target_os = "linux")]
const LARGE: usize = 2 << 20;

#[cfg(target_os = "linux")]
fn ask_for_large_pages<T>(memory: &mut [T]) {
    let start = memory.as_ptr().addr().next_multiple_of(LARGE);
    let skipped = start - memory.as_ptr().addr();
    let length = size_of_val(memory).saturating_sub(skipped) / LARGE * LARGE;
    if length > 0 {
        let first = memory.as_mut_ptr().wrapping_byte_add(skipped);
        // SAFETY: the range lies within `memory`, which is borrowed mutably; this advice changes the size of its pages, and
        // not what they hold. That it may be refused does not matter.
        #[allow(unsafe_code)]
        unsafe {
            libc::madvise(first.cast(), length, libc::MADV_HUGEPAGE);
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_large_pages<T>(_: &mut [T]) {}

#[cfg(test)]
mod tests {
    use super::{Rows, filled};

    #[test]
    fn what_is_filled_is_full() {
        for count in [0, 1, 1000, 1 << 20] {
            let values = filled([7u64; 2], count);
            assert!(values.len() == count && values.iter().all(|&value| value == [7; 2]), "{count}");
        }
    }
    #[test]
    fn rows_are_one_array() {
        for count in [0, 1, 3, 1000] {
            let mut rows = Rows::filled([7u32; 8], count);
            assert_eq!(rows.len(), 4 * count);
            assert!(rows.as_ptr().addr().is_multiple_of(128));
            assert!(rows.iter().all(|&value| value == [7; 8]));
            for (number, value) in (0..).zip(rows.iter_mut()) {
                *value = [number; 8];
            }
            assert!((0..).zip(rows.iter()).all(|(number, &value)| value == [number; 8]), "{count}");
        }
    }
}
