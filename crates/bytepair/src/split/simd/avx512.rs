//! The shuffles with AVX-512: one register holds a block, and a table of 256 bytes is four registers.
#![allow(unsafe_code)] // intrinsics, each block with its reason

#[allow(clippy::wildcard_imports)] // a list would be as long as their names
use std::arch::x86_64::*;
use std::ops::ControlFlow;

use super::super::scan::Scanner;
use super::Tables;
use super::buffer::BLOCK;
use super::drive::{self, Room};
use super::isa::Isa;

/// Proof that the processor has the instructions: only [`Avx512::new`] makes it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx512(());

impl Avx512 {
    pub fn new() -> Option<Self> {
        let has = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
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

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
fn run(
    isa: Avx512,
    tables: &Tables,
    scanner: &Scanner,
    text: &[u8],
    room: &mut Room,
    each: &mut dyn FnMut(usize, &[u32]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    drive::run(isa, tables, scanner, text, room, each)
}

/// The numbers 0 to 63.
const NUMBERS: [u8; BLOCK] = {
    let mut numbers = [0; BLOCK];
    let mut k = 0;
    while k < BLOCK {
        #[allow(clippy::cast_possible_truncation)] // below 64
        {
            numbers[k] = k as u8;
        }
        k += 1;
    }
    numbers
};

/// Intrinsics that need the features only: `self` exists only where they are.
macro_rules! with_features {
    ($call:expr) => {
        // SAFETY: a value of `Avx512` exists only where the processor has the instructions, and this reads and writes no memory.
        unsafe { $call }
    };
}

impl Isa for Avx512 {
    type Bytes = __m512i;
    type Mask = __mmask64;

    #[inline(always)]
    fn load(self, bytes: &[u8; BLOCK]) -> __m512i {
        // SAFETY: `bytes` is 64 bytes that may be read, and the load needs no alignment.
        unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, bytes: __m512i, to: &mut [u8; BLOCK]) {
        // SAFETY: `to` is 64 bytes that may be written, and the store needs no alignment.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), bytes) }
    }

    #[inline(always)]
    fn load_some(self, text: &[u8]) -> __m512i {
        let mask = ones(text.len());
        // SAFETY: at most the bytes of `text` are read, what the mask leaves out is not touched, and the load needs no alignment.
        unsafe { _mm512_maskz_loadu_epi8(mask, text.as_ptr().cast()) }
    }

    #[inline(always)]
    fn first(self, count: usize, bytes: __m512i) -> __m512i {
        with_features!(_mm512_maskz_mov_epi8(ones(count), bytes))
    }

    #[inline(always)]
    fn before(self, back: usize, bytes: __m512i) -> __m512i {
        #[allow(clippy::cast_possible_truncation)] // at most 8
        let from = with_features!(_mm512_sub_epi8(self.load(&NUMBERS), self.all(back as u8)));
        with_features!(_mm512_maskz_permutexvar_epi8(u64::MAX << back, from, bytes))
    }

    #[inline(always)]
    fn after(self, bytes: __m512i) -> __m512i {
        let from = self.add(self.load(&NUMBERS), self.all(1));
        with_features!(_mm512_maskz_permutexvar_epi8(u64::MAX >> 1, from, bytes))
    }

    #[inline(always)]
    fn all(self, byte: u8) -> __m512i {
        with_features!(_mm512_set1_epi8(byte.cast_signed()))
    }

    #[inline(always)]
    fn and(self, one: __m512i, other: __m512i) -> __m512i {
        with_features!(_mm512_and_si512(one, other))
    }

    #[inline(always)]
    fn or(self, one: __m512i, other: __m512i) -> __m512i {
        with_features!(_mm512_or_si512(one, other))
    }

    #[inline(always)]
    fn add(self, one: __m512i, other: __m512i) -> __m512i {
        with_features!(_mm512_add_epi8(one, other))
    }

    #[inline(always)]
    fn max(self, one: __m512i, other: __m512i) -> __m512i {
        with_features!(_mm512_max_epu8(one, other))
    }

    #[inline(always)]
    fn up<const N: u32>(self, bytes: __m512i) -> __m512i {
        with_features!(_mm512_slli_epi16::<N>(bytes))
    }

    #[inline(always)]
    fn down<const N: u32>(self, bytes: __m512i) -> __m512i {
        with_features!(_mm512_srli_epi16::<N>(bytes))
    }

    #[inline(always)]
    fn few(self, table: &[u8; 16], index: __m512i) -> __m512i {
        // SAFETY: `table` is 16 bytes that may be read, and the load needs no alignment.
        let table = unsafe { _mm_loadu_si128(table.as_ptr().cast()) };
        with_features!(_mm512_shuffle_epi8(_mm512_broadcast_i32x4(table), index))
    }

    #[inline(always)]
    fn half(self, table: &[u8; 128], index: __m512i) -> __m512i {
        let (low, high) = (self.load_at(table, 0), self.load_at(table, 64));
        with_features!(_mm512_permutex2var_epi8(low, index, high))
    }

    #[inline(always)]
    fn look_up(self, table: &[u8; 256], _: usize, index: __m512i) -> __m512i {
        let (Some(low), Some(high)) = (table.first_chunk(), table.last_chunk()) else { return index };
        let (low, high) = (self.half(low, index), self.half(high, index));
        self.choose(with_features!(_mm512_movepi8_mask(index)), high, low)
    }

    #[inline(always)]
    fn at_least(self, bytes: __m512i, least: u8) -> __mmask64 {
        with_features!(_mm512_cmpge_epu8_mask(bytes, self.all(least)))
    }

    #[inline(always)]
    fn are(self, bytes: __m512i, byte: u8) -> __mmask64 {
        with_features!(_mm512_cmpeq_epi8_mask(bytes, self.all(byte)))
    }

    #[inline(always)]
    fn have(self, bytes: __m512i, bit: u8) -> __mmask64 {
        with_features!(_mm512_test_epi8_mask(bytes, self.all(bit)))
    }

    #[inline(always)]
    fn both(self, one: __mmask64, other: __mmask64) -> __mmask64 {
        one & other
    }

    #[inline(always)]
    fn but_not(self, one: __mmask64, other: __mmask64) -> __mmask64 {
        one & !other
    }

    #[inline(always)]
    fn choose(self, mask: __mmask64, yes: __m512i, no: __m512i) -> __m512i {
        with_features!(_mm512_mask_blend_epi8(mask, no, yes))
    }

    #[inline(always)]
    fn bits(self, mask: __mmask64) -> u64 {
        mask
    }

    #[inline(always)]
    fn together(self, mask: u64, bytes: __m512i, to: &mut [u8; BLOCK]) {
        self.store(with_features!(_mm512_maskz_compress_epi8(mask, bytes)), to);
    }

    #[inline(always)]
    fn put(self, mask: u64, first: u32, ends: &mut [u32; BLOCK]) {
        let places = with_features!(_mm512_maskz_compress_epi8(mask, self.load(&NUMBERS)));
        // To write some for nothing costs less than a wrong guess how many there are.
        put_quarter(self, with_features!(_mm512_extracti32x4_epi32::<0>(places)), first, 0, ends);
        put_quarter(self, with_features!(_mm512_extracti32x4_epi32::<1>(places)), first, 16, ends);
        if mask.count_ones() > 32 {
            put_quarter(self, with_features!(_mm512_extracti32x4_epi32::<2>(places)), first, 32, ends);
            put_quarter(self, with_features!(_mm512_extracti32x4_epi32::<3>(places)), first, 48, ends);
        }
    }

    #[inline(always)]
    fn put_places(self, mask: u64, places: &[u32; BLOCK], ends: &mut [u32; BLOCK]) {
        let mut count = 0;
        for (quarter, places) in places.as_chunks::<16>().0.iter().enumerate() {
            #[allow(clippy::cast_possible_truncation)] // 16 bits are meant
            let mask = (mask >> (16 * quarter)) as u16;
            // SAFETY: `places` is 64 bytes that may be read, and the load needs no alignment.
            let places = unsafe { _mm512_loadu_si512(places.as_ptr().cast()) };
            store(self, ends, count, with_features!(_mm512_maskz_compress_epi32(mask, places)));
            count += mask.count_ones() as usize;
        }
    }
}

/// The lowest bits.
#[inline(always)]
fn ones(count: usize) -> u64 {
    if count < BLOCK { !(u64::MAX << count) } else { u64::MAX }
}

/// Writes sixteen numbers, each plus `first`, into `ends` from a place on.
#[inline(always)]
fn put_quarter(isa: Avx512, numbers: __m128i, first: u32, from: usize, ends: &mut [u32; BLOCK]) {
    let first = with_features!(_mm512_set1_epi32(first.cast_signed()));
    store(isa, ends, from, with_features!(_mm512_add_epi32(_mm512_cvtepu8_epi32(numbers), first)));
}

/// Writes sixteen numbers into `ends` from a place on.
#[inline(always)]
fn store(_: Avx512, ends: &mut [u32; BLOCK], from: usize, numbers: __m512i) {
    if let Some(ends) = ends[from..].first_chunk_mut::<16>() {
        // SAFETY: `ends` is 64 bytes that may be written, the store needs no alignment, and an `Avx512` is at hand.
        unsafe { _mm512_storeu_si512(ends.as_mut_ptr().cast(), numbers) }
    }
}
