//! The shuffles with AVX2: a register holds half a block, and a shuffle looks up 16 bytes, so a larger table takes
//! several and a choice by the higher bits of the index. Characters beyond ASCII are decoded one by one.
#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::ops::ControlFlow;

use super::super::scan::Scanner;
use super::Tables;
use super::buffer::{BLOCK, REACH};
use super::drive::{self, AROUND, Isa, SIDE};
use super::windows::{ASK, CUT, NEAR};

/// Bytes in a register.
const HALF: usize = BLOCK / 2;

/// Proof that the processor has the instructions: only [`Avx2::new`] makes it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    pub fn new() -> Option<Self> {
        let has = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
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

#[target_feature(enable = "avx2,bmi1,popcnt")]
fn run(
    isa: Avx2,
    tables: &Tables,
    scanner: &Scanner,
    text: &[u8],
    each: &mut dyn FnMut(usize, &[u32]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    drive::run(isa, tables, scanner, text, each)
}

impl Isa for Avx2 {
    #[inline(always)]
    fn ascii(self, tables: &Tables, block: &[u8; BLOCK], groups: &mut [u8; BLOCK]) -> u64 {
        // SAFETY: `self` exists only where the features are.
        unsafe { ascii(tables.groups.ascii(), block, groups) }
    }

    #[inline(always)]
    fn characters(
        self,
        _: &Tables,
        _: &[u8; REACH],
        _: u32,
        _: &mut [u8; BLOCK],
        _: &mut [u32; BLOCK],
    ) -> Option<(usize, usize)> {
        None
    }

    #[inline(always)]
    fn verdicts(self, tables: &Tables, around: &[u8; AROUND]) -> (u64, u64) {
        // SAFETY: `self` exists only where the features are.
        let [low, high] = [0, HALF].map(|from| unsafe { verdicts(tables, around, from) });
        (u64::from(low.0) | u64::from(high.0) << HALF, u64::from(low.1) | u64::from(high.1) << HALF)
    }

    #[inline(always)]
    fn put(self, mut mask: u64, first: u32, ends: &mut [u32; BLOCK]) {
        for end in ends {
            if mask == 0 {
                break;
            }
            *end = first + mask.trailing_zeros();
            mask &= mask - 1;
        }
    }

    #[inline(always)]
    fn put_places(self, mut mask: u64, places: &[u32; BLOCK], ends: &mut [u32; BLOCK]) {
        for end in ends {
            if mask == 0 {
                break;
            }
            *end = places[mask.trailing_zeros() as usize % BLOCK];
            mask &= mask - 1;
        }
    }
}

/// The 32 bytes of a slice from a place on.
#[inline]
#[target_feature(enable = "avx2")]
fn load(bytes: &[u8], from: usize) -> __m256i {
    let half = bytes[from..].first_chunk::<HALF>().unwrap_or(&[0; HALF]);
    // SAFETY: `half` is 32 bytes that may be read, and the load needs no alignment.
    unsafe { _mm256_loadu_si256(half.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn all(byte: u8) -> __m256i {
    _mm256_set1_epi8(byte.cast_signed())
}

/// The top bits.
#[inline]
#[target_feature(enable = "avx2")]
fn top(bytes: __m256i) -> u32 {
    _mm256_movemask_epi8(bytes).cast_unsigned()
}

/// `table[index]` for each index, all of which are smaller than `table.len()`, up to 256.
#[inline]
#[target_feature(enable = "avx2")]
fn look_up(table: &[u8], index: __m256i) -> __m256i {
    let high = _mm256_and_si256(index, all(0xF0));
    let low = _mm256_and_si256(index, all(0x0F));
    let mut found = all(0);
    for (number, part) in table.as_chunks::<16>().0.iter().enumerate() {
        // SAFETY: `part` is 16 bytes that may be read, and the load needs no alignment.
        let part = _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(part.as_ptr().cast()) });
        #[allow(clippy::cast_possible_truncation)] // 16 parts at most
        let here = _mm256_cmpeq_epi8(high, all((number as u8) << 4));
        found = _mm256_or_si256(found, _mm256_and_si256(here, _mm256_shuffle_epi8(part, low)));
    }
    found
}

#[inline]
#[target_feature(enable = "avx2")]
fn ascii(table: &[u8; 128], block: &[u8; BLOCK], groups: &mut [u8; BLOCK]) -> u64 {
    let mut wide = 0;
    for (half, groups) in groups.as_chunks_mut::<HALF>().0.iter_mut().enumerate() {
        let bytes = load(block, half * HALF);
        // SAFETY: `groups` is 32 bytes that may be written, and the store needs no alignment.
        unsafe { _mm256_storeu_si256(groups.as_mut_ptr().cast(), look_up(table, bytes)) };
        wide |= u64::from(top(bytes)) << (half * HALF);
    }
    wide
}

#[inline]
#[target_feature(enable = "avx2")]
fn verdicts(tables: &Tables, around: &[u8; AROUND], from: usize) -> (u32, u32) {
    let windows = &tables.windows;
    let at = |place: usize| load(around, from + place);
    // Groups are below 16, so the shift of 16-bit lanes carries nothing over.
    let pair = |left, right| _mm256_or_si256(_mm256_slli_epi16::<4>(left), right);
    let row = look_up(&windows.rows[..windows.pairs], pair(at(SIDE - 2), at(SIDE - 1)));
    let column = look_up(&windows.columns[..windows.pairs], pair(at(SIDE), at(SIDE + 1)));
    let verdicts = look_up(&windows.verdicts[..windows.cells], _mm256_add_epi8(row, column));
    let has = |bit: u8| !top(_mm256_cmpeq_epi8(_mm256_and_si256(verdicts, all(bit)), all(0)));
    let (cuts, mut asks, near) = (has(CUT), has(ASK), has(NEAR));
    if near != 0 {
        let mut triggers = 0;
        for distance in 3..=windows.reach {
            let groups = at(SIDE - distance);
            triggers |= top(_mm256_cmpeq_epi8(_mm256_max_epu8(groups, all(windows.trigger)), groups));
        }
        asks |= near & triggers;
    }
    (cuts, asks)
}
