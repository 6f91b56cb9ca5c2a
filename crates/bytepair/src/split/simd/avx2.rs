//! The shuffles with AVX2: a register holds half a block, and a shuffle looks up 16 bytes, so a larger table takes
//! several and a choice by the higher bits of the index. Characters
//! beyond ASCII are found as with AVX-512, but moved together one by one.
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

/// Bytes in a register.
const HALF: usize = BLOCK / 2;

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
        let [low, high] = [0, HALF].map(|from| unsafe { verdicts(tables, around, from) });
        (u64::from(low.0) | u64::from(high.0) << HALF, u64::from(low.1) | u64::from(high.1) << HALF)
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

/// Writes what the bits stand for, eight at a time: a wrong guess how many there are costs more than writing some for nothing.
#[inline(always)]
fn put(mut mask: u64, ends: &mut [u32; BLOCK], place: impl Fn(u32) -> u32) {
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

/// Sixteen bytes, in both halves of a register.
#[inline]
#[target_feature(enable = "avx2")]
fn twice(part: &[u8; 16]) -> __m256i {
    // SAFETY: `part` is 16 bytes that may be read, and the load needs no alignment.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(part.as_ptr().cast()) })
}

/// `table[index]` for each index, all of which are below 16.
#[inline]
#[target_feature(enable = "avx2")]
fn few(table: &[u8; 16], index: __m256i) -> __m256i {
    _mm256_shuffle_epi8(twice(table), index)
}

/// `table[index]` for each index, all of which are smaller than `table.len()`, up to 256; 0 for larger ones.
#[inline]
#[target_feature(enable = "avx2")]
fn look_up(table: &[u8], index: __m256i) -> __m256i {
    let mut found = all(0);
    for (number, part) in (0..).zip(table.as_chunks::<16>().0) {
        // An index of this part becomes 0x70 and its low bits, any other 0x80 or more, for which the shuffle gives 0.
        let here = _mm256_adds_epu8(_mm256_xor_si256(index, all(number << 4)), all(0x70));
        found = _mm256_or_si256(found, _mm256_shuffle_epi8(twice(part), here));
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
    let row = _mm256_or_si256(few(&windows.left, at(SIDE - 2)), at(SIDE - 1));
    let column = _mm256_or_si256(few(&windows.middle, at(SIDE)), at(SIDE + 1));
    let (row, column) =
        (look_up(&windows.rows[..windows.pairs], row), look_up(&windows.columns[..windows.pairs], column));
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

/// A block and the rest of its last character.
struct Text<'t>(&'t [u8; REACH]);

impl Text<'_> {
    /// A bit for each byte `ahead` of a block.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn ask(&self, ahead: usize, question: impl Fn(__m256i) -> __m256i) -> u64 {
        let [low, high] = [0, HALF].map(|from| top(question(load(self.0, from + ahead))));
        u64::from(low) | u64::from(high) << HALF
    }
}

impl Bytes for Text<'_> {
    #[inline(always)]
    fn at_least(&self, ahead: usize, least: u8) -> u64 {
        // SAFETY: a value of this type is made by `characters`, which runs only where the features are.
        unsafe { self.ask(ahead, |bytes| at_least(bytes, least)) }
    }

    #[inline(always)]
    fn are(&self, byte: u8) -> u64 {
        // SAFETY: as above.
        unsafe { self.ask(0, |bytes| _mm256_cmpeq_epi8(bytes, all(byte))) }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn at_least(bytes: __m256i, least: u8) -> __m256i {
    _mm256_cmpeq_epi8(_mm256_max_epu8(bytes, all(least)), bytes)
}

#[inline]
#[target_feature(enable = "avx2,bmi1,popcnt")]
fn characters(
    tables: &Tables,
    text: &[u8; REACH],
    first: u32,
    groups: &mut [u8; BLOCK],
    places: &mut [u32; BLOCK],
) -> Option<(usize, usize)> {
    let leads = wide::leads(&Text(text))?;
    let starts = !Text(text).at_least(0, 0x80) | leads[0];
    let lead = |from| at_least(load(text, from), 0xC0);
    let mut open = leads[0] & !settle(text, groups, (&tables.wide.first, 0), lead);
    while open != 0 {
        let at = open.trailing_zeros() as usize;
        let rows = tables.wide.row(&tables.groups, text[at], text[at + 1], text[at + 2]);
        let equal = |from, byte| _mm256_cmpeq_epi8(load(text, from + byte), all(text[at + byte]));
        let same = |from| (1..rows.same).fold(equal(from, 0), |same, byte| _mm256_and_si256(same, equal(from, byte)));
        open &= !settle(text, groups, (rows.row, rows.index), same);
    }
    put(starts, places, |bit| first + bit);
    let count = starts.count_ones() as usize;
    for (number, &place) in places[..count].iter().enumerate() {
        groups[number] = groups[(place - first) as usize % BLOCK];
    }
    Some((count, wide::length(starts, leads)))
}

/// Writes the groups that a row gives by the bytes number `index`, for the characters that are `right` (asked for the half of
/// the block that begins at a byte) and not MIXED there; says which these are.
#[inline]
#[target_feature(enable = "avx2")]
fn settle(
    text: &[u8; REACH],
    groups: &mut [u8; BLOCK],
    (row, index): (&[u8; 64], usize),
    right: impl Fn(usize) -> __m256i,
) -> u64 {
    let mut settled = 0;
    for (half, groups) in groups.as_chunks_mut::<HALF>().0.iter_mut().enumerate() {
        let from = half * HALF;
        let found = look_up(row, _mm256_and_si256(load(text, from + index), all(0x3F)));
        let these = _mm256_andnot_si256(_mm256_cmpeq_epi8(found, all(MIXED)), right(from));
        let value = _mm256_blendv_epi8(load(groups, 0), found, these);
        // SAFETY: `groups` is 32 bytes that may be written, and the store needs no alignment.
        unsafe { _mm256_storeu_si256(groups.as_mut_ptr().cast(), value) };
        settled |= u64::from(top(these)) << from;
    }
    settled
}
