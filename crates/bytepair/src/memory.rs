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

use std::iter;
use std::mem::MaybeUninit;
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

/// Values in rows of four, none of which shares a pair of cache lines with another. There may be room for more rows behind
/// them, which costs nothing until it is used; what is large begins and ends with a large page where it can.
#[derive(Debug)]
pub(crate) struct Rows<T> {
    /// The rows lie here from the first on; what is around them was never touched.
    memory: Box<[MaybeUninit<Row<T>>]>,
    first: usize,
    count: usize,
}

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
        let mut filled = Self::empty(rows);
        filled.extend(iter::repeat_n([value; 4], rows));
        filled
    }

    /// Room for so many rows.
    fn empty(room: usize) -> Self {
        let size = size_of::<Row<T>>();
        let slack = if room * size < LARGE { 0 } else { LARGE / size };
        let mut memory = Box::new_uninit_slice(room + slack);
        let start = memory.as_ptr().addr();
        let first = if slack == 0 { 0 } else { (start.next_multiple_of(LARGE) - start) / size };
        ask_for_large_pages(&mut memory[first..first + room]);
        Self { memory, first, count: 0 }
    }

    /// Adds as many rows as there are: each is what `split` makes of the one that stands as far before it. Where there is no
    /// room for them, all move to where there is room for so many in all.
    pub(crate) fn double(&mut self, room: usize, mut split: impl FnMut(&mut [T; 4]) -> [T; 4]) {
        let count = self.count;
        if self.first + 2 * count > self.memory.len() {
            let mut moved = Self::empty(room.max(2 * count));
            moved.extend(self.as_chunks().0.iter().copied());
            *self = moved;
        }
        for row in 0..count {
            let split = split(&mut self.as_chunks_mut().0[row]);
            self.extend([split]);
        }
    }

    /// Adds rows that there is room for.
    fn extend(&mut self, rows: impl IntoIterator<Item = [T; 4]>) {
        for (place, row) in self.memory[self.first + self.count..].iter_mut().zip(rows) {
            place.write(Row(row));
            self.count += 1;
        }
    }
}

impl<T> Deref for Rows<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        const { Self::EXACT }
        let rows = &self.memory[self.first..self.first + self.count];
        // SAFETY: `extend` wrote all of these rows; a row is an array of four values and nothing else, as was just asserted,
        // so that many rows are one array.
        #[allow(unsafe_code)]
        unsafe {
            std::slice::from_raw_parts(rows.as_ptr().cast(), 4 * self.count)
        }
    }
}

impl<T> DerefMut for Rows<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        const { Self::EXACT }
        let rows = &mut self.memory[self.first..self.first + self.count];
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            std::slice::from_raw_parts_mut(rows.as_mut_ptr().cast(), 4 * self.count)
        }
    }
}

/// The size of a large page.
const LARGE: usize = 2 << 20;

/// The size of the smallest pages.
#[cfg(target_os = "linux")]
const SMALL: usize = 4096;

#[cfg(target_os = "linux")]
fn ask_for_large_pages<T>(memory: &mut [T]) {
    if size_of_val(memory) >= LARGE {
        // The system begins large stretches of memory with a large page, where the allocator puts a few bytes of its own.
        let before = memory.as_ptr().addr() % SMALL;
        let length = (before + size_of_val(memory)) / SMALL * SMALL;
        // SAFETY: this advice changes the size of pages, and not what they hold, also of what else lies on the first of
        // them. That it may be refused does not matter.
        #[allow(unsafe_code)]
        unsafe {
            libc::madvise(memory.as_mut_ptr().wrapping_byte_sub(before).cast(), length, libc::MADV_HUGEPAGE);
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

    #[test]
    fn rows_are_doubled_in_place_where_there_is_room() {
        for room in [0, 100, 1000, 100_000] {
            let mut rows = Rows::filled([0u32; 8], 1);
            for times in 0..15 {
                let (start, had_room) = (rows.as_ptr(), times > 0 && 2 << times <= room);
                // Each row has its number at the end of its last value.
                rows.double(room, |row| {
                    let mut other = *row;
                    other[3][7] += 1 << times;
                    row[0][0] += 1;
                    other
                });
                assert_eq!(rows.len(), 8 << times);
                assert!(rows.as_ptr() == start || !had_room, "{room} {times}");
            }
            assert!((0..).zip(rows.chunks(4)).all(|(number, row)| row[3][7] == number), "{room}");
            assert!((0u32..).zip(rows.chunks(4)).all(|(number, row)| row[0][0] == 15 - number.count_ones()), "{room}");
        }
    }
}
