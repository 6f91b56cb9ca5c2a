//! Asking for memory before it is needed.
//!
//! Idea: who knows which of many places comes next, but finds none of them in the processor's caches, asks for some
//! of them ahead, and waits for all at once instead of for each.
//!
//! Cost: one instruction; none where the processor is not known to have it.

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
