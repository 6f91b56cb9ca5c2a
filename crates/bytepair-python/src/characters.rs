//! The characters of a `str`, read and written where they lie.
//!
//! Idea: Python makes UTF-8 of one character after the other, a nanosecond a byte, which is a fifth of what encoding Arabic
//! takes, and keeps it in the object, which from then on takes twice the memory. With AVX-512 sixteen characters become UTF-8
//! at once: each in four bytes of a register, of which those that are used are brought together. Where the characters lie is
//! fixed for each released version of Python, so it is done on those that are named here, once they have passed a test. A text
//! of ASCII is made likewise: as many spaces, which Python makes in no time, are written over.
//!
//! Invariant: it is the UTF-8 that Python makes. Text with surrogates, which has none, is left to Python. Only a text is
//! written that nobody else knows yet.
//!
//! Cost: a test of a few texts, once; then a tenth of a nanosecond a byte.
#![allow(unsafe_code)] // memory of Python's, and intrinsics; each block with its reason
#![allow(clippy::inline_always)] // what is generic must be compiled with the instructions of its caller

#[cfg(not(target_arch = "x86_64"))]
pub use by_python::{append, lying, of_ascii};
#[cfg(target_arch = "x86_64")]
pub use directly::{append, lying, of_ascii};

/// Where nothing is known.
#[cfg(not(target_arch = "x86_64"))]
mod by_python {
    use pyo3::prelude::*;
    use pyo3::types::PyString;

    pub fn lying<'a>(string: &'a Bound<'_, PyString>) -> Option<&'a [u8]> {
        string.to_str().ok().map(str::as_bytes)
    }

    pub fn append(_: &Bound<'_, PyString>, _: &mut Vec<u8>) -> bool {
        false
    }

    pub fn of_ascii<'py>(_: Python<'py>, _: &[u8]) -> Option<Bound<'py, PyString>> {
        None
    }
}

#[cfg(target_arch = "x86_64")]
mod directly {
    #[allow(clippy::wildcard_imports)] // a list would be as long as their names
    use std::arch::x86_64::*;
    use std::slice::from_raw_parts;
    use std::sync::OnceLock;

    use pyo3::ffi;
    use pyo3::prelude::*;
    use pyo3::sync::OnceLockExt;
    use pyo3::types::PyString;

    use crate::exact;

    /// The word of a `str` that tells how many characters it has.
    const LENGTH: usize = 2;
    /// The half word that tells how they are stored: the size of each, and these.
    const STATE: usize = 8;
    const KIND: u32 = 7 << 2;
    const COMPACT: u32 = 1 << 5;
    const ASCII: u32 = 1 << 6;

    /// The word of an object that counts the references to it.
    const COUNT: usize = 0;

    /// Of fewer bytes Python makes a text as fast.
    const MANY: usize = 256;

    /// The bytes of sixteen characters, at most.
    const SIXTEEN: usize = 64;

    /// At which byte of a compact `str` its characters begin: of one that is ASCII, and of another.
    #[derive(Clone, Copy)]
    struct Places {
        ascii: usize,
        other: usize,
    }

    /// The places for this Python, if they are known, and the processor has the instructions.
    #[inline]
    fn places(py: Python<'_>) -> Option<Places> {
        static PLACES: OnceLock<Option<Places>> = OnceLock::new();
        // To find them may run Python code (an import hook, a finalizer): nobody waits for it with the GIL held.
        *PLACES.get_or_init_py_attached(py, || find(py))
    }

    /// The UTF-8 of a text, if it lies in the object: that of ASCII does, and that of others where they are not read here.
    #[inline]
    pub fn lying<'a>(string: &'a Bound<'_, PyString>) -> Option<&'a [u8]> {
        match places(string.py()) {
            Some(places) if shape(string).0 & COMPACT != 0 => ascii(places, string),
            _ => string.to_str().ok().map(str::as_bytes),
        }
    }

    /// Appends the UTF-8 of a text that does not lie in the object, unless it has none.
    pub fn append(string: &Bound<'_, PyString>, out: &mut Vec<u8>) -> bool {
        places(string.py()).is_some_and(|places| append_from(places, string, out))
    }

    /// The text of some bytes, if they are ASCII and many.
    pub fn of_ascii<'py>(py: Python<'py>, bytes: &[u8]) -> Option<Bound<'py, PyString>> {
        let places = places(py).filter(|_| bytes.len() >= MANY && bytes.is_ascii())?;
        made_of(places, py, bytes)
    }

    fn find(py: Python<'_>) -> Option<Places> {
        let has = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("popcnt");
        let places = match exact::release(py)? {
            11 => Places { ascii: 48, other: 72 },
            12..=13 => Places { ascii: 40, other: 56 },
            _ => return None,
        };
        (has && passes(py, places).unwrap_or(false)).then_some(places)
    }

    /// Whether texts of all kinds have the size that they should have, and become what Python makes of them.
    fn passes(py: Python<'_>, places: Places) -> PyResult<bool> {
        let texts = [("ASCII\0", 0), ("a\0é ÿ\u{80}", 1), ("aЖ\u{7FF}\u{800}中\u{FFFF}", 2), ("é\0中🙂\u{10FFFF}", 4)];
        for (text, size) in texts.iter().flat_map(|&(text, size)| [(text.to_owned(), size), (text.repeat(7), size)]) {
            let string = PyString::new(py, &text);
            let begin = if size == 0 { places.ascii } else { places.other };
            let (bytes, mut made) = (string.call_method0("__sizeof__")?.extract::<usize>()?, Vec::new());
            let right = bytes == begin + size.max(1) * (text.chars().count() + 1)
                && if size == 0 {
                    ascii(places, &string) == Some(text.as_bytes())
                        && !append_from(places, &string, &mut made)
                        && made_of(places, py, text.as_bytes()).is_some_and(|made| made == text.as_str())
                } else {
                    ascii(places, &string).is_none()
                        && append_from(places, &string, &mut made)
                        && made == text.as_bytes()
                };
            if !right {
                return Ok(false);
            }
        }
        let surrogate = py.import("builtins")?.getattr("chr")?.call1((0xD800,))?.cast_into::<PyString>()?;
        Ok(ascii(places, &surrogate).is_none() && !append_from(places, &surrogate, &mut Vec::new()))
    }

    /// The half word that tells how a text is stored, and how many characters it has.
    #[inline]
    fn shape(string: &Bound<'_, PyString>) -> (u32, usize) {
        let object = string.as_ptr();
        // SAFETY: a `str` has these words on the versions that are named. They never change while there is one.
        unsafe { (object.cast::<u32>().add(STATE).read(), object.cast::<usize>().add(LENGTH).read()) }
    }

    #[inline]
    fn ascii<'a>(places: Places, string: &'a Bound<'_, PyString>) -> Option<&'a [u8]> {
        let (state, length) = shape(string);
        // SAFETY: a text that is compact and ASCII has as many bytes there, which never change.
        (state & (COMPACT | ASCII) == COMPACT | ASCII)
            .then(|| unsafe { from_raw_parts(at(string, places.ascii), length) })
    }

    /// As many spaces, written over.
    fn made_of<'py>(places: Places, py: Python<'py>, bytes: &[u8]) -> Option<Bound<'py, PyString>> {
        let spaces = pyo3::intern!(py, " ");
        let count = ffi::Py_ssize_t::try_from(bytes.len()).ok()?;
        // SAFETY: what the call gives is a new reference to an object, or nothing and an error.
        let made = unsafe {
            let made = ffi::PySequence_Repeat(spaces.as_ptr(), count);
            Bound::from_owned_ptr_or_err(py, made).ok()?.cast_into::<PyString>().ok()?
        };
        // SAFETY: the first word of an object counts the references to it.
        let is_known = unsafe { made.as_ptr().cast::<usize>().add(COUNT).read() } != 1;
        if is_known || ascii(places, &made).is_none_or(|spaces| spaces.len() != bytes.len()) {
            return None;
        }
        // SAFETY: it is as many bytes, as was just seen; nobody else has a reference to it, nor has anybody asked for its hash.
        unsafe { bytes.as_ptr().copy_to_nonoverlapping(at(&made, places.ascii), bytes.len()) };
        Some(made)
    }

    /// What lies behind so many bytes of a text.
    fn at<C>(string: &Bound<'_, PyString>, begin: usize) -> *mut C {
        string.as_ptr().wrapping_byte_add(begin).cast()
    }

    fn append_from(places: Places, string: &Bound<'_, PyString>, out: &mut Vec<u8>) -> bool {
        let (state, length) = shape(string);
        if state & (COMPACT | ASCII) != COMPACT {
            return false;
        }
        // SAFETY: a text that is compact and not ASCII has as many characters there, of the size that it says, which never
        // change; and that there are places says that the processor has the instructions.
        unsafe {
            match (state & KIND) >> 2 {
                1 => convert(from_raw_parts(at::<u8>(string, places.other), length), out),
                2 => convert(from_raw_parts(at::<u16>(string, places.other), length), out),
                4 => convert(from_raw_parts(at::<u32>(string, places.other), length), out),
                _ => false,
            }
        }
    }

    /// How a character is stored.
    trait Stored: Copy + Default {
        /// The most bytes that it has in UTF-8.
        const MOST: usize;

        /// Sixteen of them.
        fn load(characters: &[Self; 16]) -> __m512i;
    }

    impl Stored for u8 {
        const MOST: usize = 2;

        #[inline(always)]
        fn load(characters: &[Self; 16]) -> __m512i {
            // SAFETY: only `convert` calls it, with the instructions; so many bytes may be read, and need not be aligned.
            unsafe { _mm512_cvtepu8_epi32(_mm_loadu_si128(characters.as_ptr().cast())) }
        }
    }

    impl Stored for u16 {
        const MOST: usize = 3;

        #[inline(always)]
        fn load(characters: &[Self; 16]) -> __m512i {
            // SAFETY: as above.
            unsafe { _mm512_cvtepu16_epi32(_mm256_loadu_si256(characters.as_ptr().cast())) }
        }
    }

    impl Stored for u32 {
        const MOST: usize = 4;

        #[inline(always)]
        fn load(characters: &[Self; 16]) -> __m512i {
            // SAFETY: as above.
            unsafe { _mm512_loadu_si512(characters.as_ptr().cast()) }
        }
    }

    /// Appends the UTF-8 of characters, unless there are surrogates among them, or there is no room for the most that it may be.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt")]
    fn convert<C: Stored>(characters: &[C], out: &mut Vec<u8>) -> bool {
        if out.try_reserve(characters.len() * C::MOST + SIXTEEN).is_err() {
            return false;
        }
        let before = out.len();
        let room = out.spare_capacity_mut();
        let (sixteens, rest) = characters.as_chunks::<16>();
        let mut last = [C::default(); 16];
        last[..rest.len()].copy_from_slice(rest);
        let all = sixteens.iter().map(|some| (some, u64::MAX)).chain([(&last, (1 << (4 * rest.len())) - 1)]);
        let mut length = 0;
        for (some, kept) in all {
            let Some(place) = room[length..].first_chunk_mut::<SIXTEEN>() else { return false };
            let Some((bytes, used)) = spelled(C::load(some)) else { return false };
            // SAFETY: `place` is as many bytes as are stored, and need not be aligned.
            unsafe { _mm512_storeu_si512(place.as_mut_ptr().cast(), _mm512_maskz_compress_epi8(used & kept, bytes)) };
            length += (used & kept).count_ones() as usize;
        }
        // SAFETY: the `length` bytes past the end were written above, without a gap, within the capacity.
        unsafe { out.set_len(before + length) };
        true
    }

    /// Sixteen characters in UTF-8, each from its first of four bytes on; and which bytes are used. Surrogates have none.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn spelled(characters: __m512i) -> Option<(__m512i, u64)> {
        let all = |number: u32| _mm512_set1_epi32(number.cast_signed());
        let from = |number| _mm512_cmpge_epu32_mask(characters, all(number));
        let (two, three, four) = (from(0x80), from(0x800), from(0x1_0000));
        if _mm512_cmpeq_epi32_mask(_mm512_and_si512(characters, all(0xFFFF_F800)), all(0xD800)) != 0 {
            return None;
        }
        // Six bits in each byte, the highest first, as if all characters had four bytes.
        let third = _mm512_and_si512(_mm512_slli_epi32::<10>(characters), all(0x003F_0000));
        let fourth = _mm512_and_si512(_mm512_slli_epi32::<24>(characters), all(0x3F00_0000));
        let second = _mm512_and_si512(_mm512_srli_epi32::<4>(characters), all(0x0000_3F00));
        let bits = _mm512_or_si512(
            _mm512_or_si512(second, third),
            _mm512_or_si512(fourth, _mm512_srli_epi32::<18>(characters)),
        );
        let full = _mm512_or_si512(bits, all(0x8080_80F0));
        // Those with fewer begin later, and otherwise.
        let choose = |[of_two, of_three, of_four]: [u32; 3]| {
            let chosen = _mm512_mask_mov_epi32(all(of_two), three, all(of_three));
            _mm512_mask_mov_epi32(chosen, four, all(of_four))
        };
        let begun = _mm512_xor_si512(_mm512_srlv_epi32(full, choose([16, 8, 0])), choose([0x40, 0x60, 0]));
        let bytes = _mm512_mask_mov_epi32(characters, two, begun);
        // A byte that is used is not zero, unless it is the only one.
        Some((bytes, _mm512_test_epi8_mask(bytes, bytes) | 0x1111_1111_1111_1111))
    }
}
