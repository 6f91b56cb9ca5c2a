//! The shuffles with AVX2: a register holds half a block, and a shuffle looks up 16 bytes, so a larger table takes
//! several and a choice by the higher bits of the index. What must be moved together is moved one by one.
#![allow(unsafe_code)] // intrinsics, each block with its reason

#[allow(clippy::wildcard_imports)] // a list would be as long as their names
use std::arch::x86_64::*;
use std::ops::ControlFlow;

use super::super::scan::Scanner;
use super::Tables;
use super::buffer::BLOCK;
use super::drive::{self, Room};
use super::isa::Isa;

/// Bytes in a register.
const HALF: usize = BLOCK / 2;

/// Both halves of a block.
type Two = (__m256i, __m256i);

/// Proof that the processor has the instructions: only [`Avx2::new`] makes it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    pub fn new() -> Option<Self> {
        let has =
            is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("popcnt");
        has.then_some(Self(()))
    }

    pub fn run(
        self,
        tables: &Tables,
        scanner: &Scanner,
        text: &[u8],
        room: &mut Room,
        each: &mut dyn FnMut(usize, &[u32]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        // SAFETY: `self` exists only where all these features were detected.
        unsafe { run(self, tables, scanner, text, room, each) }
    }
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
fn run(
    isa: Avx2,
    tables: &Tables,
    scanner: &Scanner,
    text: &[u8],
    room: &mut Room,
    each: &mut dyn FnMut(usize, &[u32]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    drive::run(isa, tables, scanner, text, room, each)
}

/// Intrinsics that need the features only: `self` exists only where they are.
macro_rules! with_features {
    ($call:expr) => {
        // SAFETY: a value of `Avx2` exists only where the processor has the instructions, and this reads and writes no memory.
        unsafe { $call }
    };
}

/// The same for both halves of one or two blocks.
macro_rules! halves {
    ($call:ident, $one:expr) => {{
        let one = $one;
        (with_features!($call(one.0)), with_features!($call(one.1)))
    }};
    ($call:ident, $one:expr, $other:expr) => {{
        let (one, other) = ($one, $other);
        (with_features!($call(one.0, other.0)), with_features!($call(one.1, other.1)))
    }};
}

impl Isa for Avx2 {
    type Bytes = Two;
    type Mask = Two;

    #[inline(always)]
    fn load(self, bytes: &[u8; BLOCK]) -> Two {
        let bytes: *const __m256i = bytes.as_ptr().cast();
        // SAFETY: there are two times 32 bytes that may be read, and the loads need no alignment.
        unsafe { (_mm256_loadu_si256(bytes), _mm256_loadu_si256(bytes.add(1))) }
    }

    #[inline(always)]
    fn store(self, bytes: Two, to: &mut [u8; BLOCK]) {
        let to: *mut __m256i = to.as_mut_ptr().cast();
        // SAFETY: there are two times 32 bytes that may be written, and the stores need no alignment.
        unsafe {
            _mm256_storeu_si256(to, bytes.0);
            _mm256_storeu_si256(to.add(1), bytes.1);
        }
    }

    #[inline(always)]
    fn all(self, byte: u8) -> Two {
        let all = with_features!(_mm256_set1_epi8(byte.cast_signed()));
        (all, all)
    }

    #[inline(always)]
    fn and(self, one: Two, other: Two) -> Two {
        halves!(_mm256_and_si256, one, other)
    }

    #[inline(always)]
    fn or(self, one: Two, other: Two) -> Two {
        halves!(_mm256_or_si256, one, other)
    }

    #[inline(always)]
    fn add(self, one: Two, other: Two) -> Two {
        halves!(_mm256_add_epi8, one, other)
    }

    #[inline(always)]
    fn max(self, one: Two, other: Two) -> Two {
        halves!(_mm256_max_epu8, one, other)
    }

    #[inline(always)]
    fn up<const N: u32>(self, bytes: Two) -> Two {
        let by = with_features!(_mm_cvtsi32_si128(N.cast_signed()));
        halves!(_mm256_sll_epi16, bytes, (by, by))
    }

    #[inline(always)]
    fn down<const N: u32>(self, bytes: Two) -> Two {
        let by = with_features!(_mm_cvtsi32_si128(N.cast_signed()));
        halves!(_mm256_srl_epi16, bytes, (by, by))
    }

    #[inline(always)]
    fn few(self, table: &[u8; 16], index: Two) -> Two {
        // SAFETY: `table` is 16 bytes that may be read, and the load needs no alignment.
        let table = unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast())) };
        halves!(_mm256_shuffle_epi8, (table, table), index)
    }

    #[inline(always)]
    fn half(self, table: &[u8; 128], index: Two) -> Two {
        self.parts(table, index)
    }

    #[inline(always)]
    fn look_up(self, table: &[u8; 256], used: usize, index: Two) -> Two {
        self.parts(&table[..used.min(256)], index)
    }

    #[inline(always)]
    fn at_least(self, bytes: Two, least: u8) -> Two {
        halves!(_mm256_cmpeq_epi8, self.max(bytes, self.all(least)), bytes)
    }

    #[inline(always)]
    fn are(self, bytes: Two, byte: u8) -> Two {
        halves!(_mm256_cmpeq_epi8, bytes, self.all(byte))
    }

    #[inline(always)]
    fn have(self, bytes: Two, bit: u8) -> Two {
        self.are(self.and(bytes, self.all(bit)), bit)
    }

    #[inline(always)]
    fn both(self, one: Two, other: Two) -> Two {
        self.and(one, other)
    }

    #[inline(always)]
    fn but_not(self, one: Two, other: Two) -> Two {
        halves!(_mm256_andnot_si256, other, one)
    }

    #[inline(always)]
    fn choose(self, mask: Two, yes: Two, no: Two) -> Two {
        let low = with_features!(_mm256_blendv_epi8(no.0, yes.0, mask.0));
        (low, with_features!(_mm256_blendv_epi8(no.1, yes.1, mask.1)))
    }

    #[inline(always)]
    fn bits(self, mask: Two) -> u64 {
        let (low, high) = halves!(_mm256_movemask_epi8, mask);
        u64::from(low.cast_unsigned()) | u64::from(high.cast_unsigned()) << HALF
    }

    #[inline(always)]
    fn together(self, mask: u64, bytes: Two, to: &mut [u8; BLOCK]) {
        let mut apart = [0; BLOCK];
        self.store(bytes, &mut apart);
        put(mask, to, |bit| apart[bit as usize % BLOCK]);
    }

    #[inline(always)]
    fn put(self, mask: u64, first: u32, ends: &mut [u32; BLOCK]) {
        put(mask, ends, |bit| first + bit);
    }

    #[inline(always)]
    fn put_places(self, mask: u64, places: &[u32; BLOCK], ends: &mut [u32; BLOCK]) {
        put(mask, ends, |bit| places[bit as usize % BLOCK]);
    }
}

impl Avx2 {
    /// A table in parts of 16 bytes.
    #[inline(always)]
    fn parts(self, table: &[u8], index: Two) -> Two {
        let mut found = self.all(0);
        for (number, part) in (0..).zip(table.as_chunks::<16>().0) {
            // An index of this part becomes 0x70 and its low bits, any other 0x80 or more, for which the shuffle gives 0.
            let here = halves!(_mm256_xor_si256, index, self.all(number << 4));
            let here = halves!(_mm256_adds_epu8, here, self.all(0x70));
            found = self.or(found, self.few(part, here));
        }
        found
    }
}

/// Writes what the bits stand for, eight at a time: a wrong guess how many there are costs more than writing some for nothing.
#[inline(always)]
fn put<T>(mut mask: u64, ends: &mut [T; BLOCK], place: impl Fn(u32) -> T) {
    for ends in ends.as_chunks_mut::<8>().0 {
        if mask == 0 {
            break;
        }
        for end in ends {
            *end = place(mask.trailing_zeros());
            mask &= mask.wrapping_sub(1);
        }
    }
}
