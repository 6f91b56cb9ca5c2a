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

/// An array that begins with a large page.
#[derive(Debug)]
#[repr(C, align(0x0020_0000))]
pub(crate) struct Aligned<T, const N: usize>(pub(crate) [T; N]);

/// The same as [`filled`] for an array.
#[allow(clippy::unnecessary_box_returns)] // too large to be moved
pub(crate) fn filled_array<T: Copy, const N: usize>(value: T) -> Box<Aligned<T, N>> {
    let mut memory = Box::<Aligned<T, N>>::new_uninit();
    ask_for_large_pages(std::slice::from_mut(&mut *memory));
    let first: *mut T = memory.as_mut_ptr().cast();
    for at in 0..N {
        // SAFETY: the array is the only field and lies at the start, so this is its element `at`, below N.
        #[allow(unsafe_code)]
        unsafe {
            first.add(at).write(value);
        }
    }
    // SAFETY: every element was written, and there is nothing else but padding.
    #[allow(unsafe_code)]
    unsafe {
        memory.assume_init()
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
    use super::filled;

    #[test]
    fn what_is_filled_is_full() {
        for count in [0, 1, 1000, 1 << 20] {
            let values = filled([7u64; 2], count);
            assert!(values.len() == count && values.iter().all(|&value| value == [7; 2]), "{count}");
        }
    }
}
