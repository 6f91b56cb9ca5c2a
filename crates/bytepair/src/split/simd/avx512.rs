//! The shuffles with AVX-512: one register holds a block, and a table of 256 bytes is four registers.
//!
//! Characters beyond ASCII: many are settled by their first bytes, one look-up for all. The others of a block come
//! from few rows of 64 characters that share all but their last byte, so for each row that occurs the groups of the row are
//! one register, indexed by the last bytes; and so for the second bytes of three, where they settle the group.
#![allow(unsafe_code)] // intrinsics, each block with its reason

#[allow(clippy::wildcard_imports)] // a list would be as long as their names
use std::arch::x86_64::*;
use std::ops::ControlFlow;

use super::super::scan::Scanner;
use super::Tables;
use super::buffer::{BLOCK, REACH};
use super::drive::{self, AROUND, Isa, SIDE};
use super::wide::{self, Bytes, MIXED};
use super::windows::{ASK, CUT, NEAR};

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
        each: &mut dyn FnMut(usize, &[u32]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        // SAFETY: `self` exists only where all these features were detected.
        unsafe { run(self, tables, scanner, text, each) }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
fn run(
    isa: Avx512,
    tables: &Tables,
    scanner: &Scanner,
    text: &[u8],
    each: &mut dyn FnMut(usize, &[u32]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    drive::run(isa, tables, scanner, text, each)
}

impl Isa for Avx512 {
    #[inline(always)]
    fn ascii(self, tables: &Tables, block: &[u8; BLOCK], groups: &mut [u8; BLOCK]) -> u64 {
        // SAFETY: `self` exists only where the features are.
        unsafe { ascii(tables.groups.ascii(), block, groups) }
    }

    #[inline(always)]
    fn characters(
        self,
        tables: &Tables,
        bytes: &[u8; REACH],
        first: u32,
        groups: &mut [u8; BLOCK],
        places: &mut [u32; BLOCK],
    ) -> Option<(usize, usize)> {
        // SAFETY: `self` exists only where the features are.
        unsafe { characters(tables, bytes, first, groups, places) }
    }

    #[inline(always)]
    fn verdicts(self, tables: &Tables, around: &[u8; AROUND]) -> (u64, u64) {
        // SAFETY: `self` exists only where the features are.
        unsafe { verdicts(tables, around) }
    }

    #[inline(always)]
    fn put(self, mask: u64, first: u32, ends: &mut [u32; BLOCK]) {
        // SAFETY: `self` exists only where the features are.
        unsafe { put(mask, first, ends) }
    }

    #[inline(always)]
    fn put_places(self, mask: u64, places: &[u32; BLOCK], ends: &mut [u32; BLOCK]) {
        // SAFETY: `self` exists only where the features are.
        unsafe { put_places(mask, places, ends) }
    }
}

/// The 64 bytes of a slice from a place on.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load(bytes: &[u8], from: usize) -> __m512i {
    let block = bytes[from..].first_chunk::<BLOCK>().unwrap_or(&[0; BLOCK]);
    // SAFETY: `block` is 64 bytes that may be read, and the load needs no alignment.
    unsafe { _mm512_loadu_si512(block.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn store(bytes: &mut [u8; BLOCK], value: __m512i) {
    // SAFETY: `bytes` is 64 bytes that may be written, and the store needs no alignment.
    unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), value) }
}

/// The numbers 0 to 63.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn numbers() -> __m512i {
    const NUMBERS: [u8; 64] = {
        let mut numbers = [0; 64];
        let mut k = 0;
        while k < 64 {
            #[allow(clippy::cast_possible_truncation)] // below 64
            {
                numbers[k] = k as u8;
            }
            k += 1;
        }
        numbers
    };
    load(&NUMBERS, 0)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn all(byte: u8) -> __m512i {
    _mm512_set1_epi8(byte.cast_signed())
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2")]
fn ascii(table: &[u8; 128], block: &[u8; BLOCK], groups: &mut [u8; BLOCK]) -> u64 {
    let bytes = load(block, 0);
    store(groups, _mm512_permutex2var_epi8(load(table, 0), bytes, load(table, 64)));
    _mm512_movepi8_mask(bytes)
}

/// `table[index]` for each index, all of which are below 16.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn few(table: &[u8; 16], index: __m512i) -> __m512i {
    // SAFETY: `table` is 16 bytes that may be read, and the load needs no alignment.
    let table = unsafe { _mm_loadu_si128(table.as_ptr().cast()) };
    _mm512_shuffle_epi8(_mm512_broadcast_i32x4(table), index)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2")]
fn look_up(table: &[u8; 256], index: __m512i) -> __m512i {
    let low = _mm512_permutex2var_epi8(load(table, 0), index, load(table, 64));
    let high = _mm512_permutex2var_epi8(load(table, 128), index, load(table, 192));
    _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), low, high)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2")]
fn verdicts(tables: &Tables, around: &[u8; AROUND]) -> (u64, u64) {
    let windows = &tables.windows;
    let row = _mm512_or_si512(few(&windows.left, load(around, SIDE - 2)), load(around, SIDE - 1));
    let column = _mm512_or_si512(few(&windows.middle, load(around, SIDE)), load(around, SIDE + 1));
    let (row, column) = (look_up(&windows.rows, row), look_up(&windows.columns, column));
    let verdicts = look_up(&windows.verdicts, _mm512_add_epi8(row, column));
    let has = |bit| _mm512_test_epi8_mask(verdicts, all(bit));
    let (cuts, mut asks, near) = (has(CUT), has(ASK), has(NEAR));
    if near != 0 {
        let mut triggers = 0;
        for distance in 3..=windows.reach {
            triggers |= _mm512_cmpge_epu8_mask(load(around, SIDE - distance), all(windows.trigger));
        }
        asks |= near & triggers;
    }
    (cuts, asks)
}

/// Sixteen numbers into `ends` from `16 * quarter` on.
#[inline]
#[target_feature(enable = "avx512f")]
fn store_quarter(ends: &mut [u32; BLOCK], from: usize, value: __m512i) {
    if let Some(ends) = ends[from..].first_chunk_mut::<16>() {
        // SAFETY: `ends` is 64 bytes that may be written, and the store needs no alignment.
        unsafe { _mm512_storeu_si512(ends.as_mut_ptr().cast(), value) }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,popcnt")]
fn put(mask: u64, first: u32, ends: &mut [u32; BLOCK]) {
    let places = _mm512_maskz_compress_epi8(mask, numbers());
    let first = _mm512_set1_epi32(first.cast_signed());
    let widen = |quarter| _mm512_add_epi32(_mm512_cvtepu8_epi32(quarter), first);
    let count = mask.count_ones();
    store_quarter(ends, 0, widen(_mm512_castsi512_si128(places)));
    if count > 16 {
        store_quarter(ends, 16, widen(_mm512_extracti32x4_epi32::<1>(places)));
        if count > 32 {
            store_quarter(ends, 32, widen(_mm512_extracti32x4_epi32::<2>(places)));
            store_quarter(ends, 48, widen(_mm512_extracti32x4_epi32::<3>(places)));
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,popcnt")]
fn put_places(mask: u64, places: &[u32; BLOCK], ends: &mut [u32; BLOCK]) {
    let mut count = 0;
    for (quarter, places) in places.as_chunks::<16>().0.iter().enumerate() {
        #[allow(clippy::cast_possible_truncation)] // 16 bits are meant
        let mask = (mask >> (16 * quarter)) as u16;
        // SAFETY: `places` is 64 bytes that may be read, and the load needs no alignment.
        let places = unsafe { _mm512_loadu_si512(places.as_ptr().cast()) };
        store_quarter(ends, count, _mm512_maskz_compress_epi32(mask, places));
        count += mask.count_ones() as usize;
    }
}

/// The bytes at 0..64, and those one, two and three further on.
#[derive(Clone, Copy)]
struct Four([__m512i; 4]);

impl Bytes for Four {
    #[inline(always)]
    fn at_least(&self, ahead: usize, least: u8) -> u64 {
        // SAFETY: a value of this type was loaded by `characters`, which runs only where the features are.
        unsafe { _mm512_cmpge_epu8_mask(self.0[ahead], all(least)) }
    }

    #[inline(always)]
    fn are(&self, byte: u8) -> u64 {
        // SAFETY: as above.
        unsafe { _mm512_cmpeq_epi8_mask(self.0[0], all(byte)) }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,lzcnt,popcnt")]
fn characters(
    tables: &Tables,
    text: &[u8; REACH],
    first: u32,
    groups: &mut [u8; BLOCK],
    places: &mut [u32; BLOCK],
) -> Option<(usize, usize)> {
    let bytes = Four([load(text, 0), load(text, 1), load(text, 2), load(text, 3)]);
    let leads = wide::leads(&bytes)?;
    let starts = !bytes.at_least(0, 0x80) | leads[0];
    let found = beyond_ascii(tables, text, bytes, load(groups, 0), leads[0]);
    store(groups, _mm512_maskz_compress_epi8(starts, found));
    put(starts, first, places);
    Some((starts.count_ones() as usize, wide::length(starts, leads)))
}

/// The groups of all characters, in the places of their first bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1")]
fn beyond_ascii(tables: &Tables, text: &[u8; REACH], Four(bytes): Four, mut groups: __m512i, mut open: u64) -> __m512i {
    let same = |byte: usize, as_at: usize| _mm512_cmpeq_epi8_mask(bytes[byte], all(text[as_at + byte]));
    let by_first = _mm512_permutexvar_epi8(bytes[0], load(&tables.wide.first, 0));
    let settled = open & _mm512_cmpneq_epi8_mask(by_first, all(MIXED));
    groups = _mm512_mask_mov_epi8(groups, settled, by_first);
    open &= !settled;
    while open != 0 {
        let at = open.trailing_zeros() as usize;
        let rows = tables.wide.row(&tables.groups, text[at], text[at + 1], text[at + 2]);
        let mut these = open & same(0, at);
        if rows.same > 1 {
            these &= same(1, at);
            if rows.same > 2 {
                these &= same(2, at);
            }
        }
        let found = _mm512_permutexvar_epi8(bytes[rows.index], load(rows.row, 0));
        if rows.some {
            these &= _mm512_cmpneq_epi8_mask(found, all(MIXED));
        }
        groups = _mm512_mask_mov_epi8(groups, these, found);
        open &= !these;
    }
    groups
}
