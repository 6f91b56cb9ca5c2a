//! The numbers of pairs in the lanes of registers: AVX-512, AVX2, or an array.
//!
//! Cost: finding the lowest of sixteen is four steps with AVX-512.
#![allow(unsafe_code)] // calls of functions for processors that were asked, each with its reason
#![allow(clippy::inline_always)] // what such a function calls must become a part of it

use std::ops::Range;

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m256i, __m512i, _mm_cvtsi128_si32, _mm_min_epu32, _mm_shuffle_epi32, _mm256_and_si256, _mm256_blendv_epi8,
    _mm256_castsi256_si128, _mm256_cmpeq_epi32, _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_min_epu32,
    _mm256_set1_epi32, _mm256_setr_epi32, _mm512_castsi512_si256, _mm512_extracti64x4_epi64, _mm512_loadu_si512,
    _mm512_mask_set1_epi32, _mm512_min_epu32,
};

use super::turns::{Work, turns};
use super::{FEW, Ids};
use crate::vocabulary::Narrow;

/// A power of two of lanes, which hold a number each.
pub(super) trait Lanes {
    /// How many there are.
    const COUNT: u32;

    /// The first numbers of these.
    fn new(numbers: &[u32; FEW]) -> Self;

    /// The lowest number.
    fn lowest(&self) -> u32;

    /// Puts a number into each of some lanes, a bit for each.
    fn put(&mut self, lanes: u64, number: u32);
}

/// The instructions that are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Isa {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2(Proof),
    #[cfg(target_arch = "x86_64")]
    Avx512(Proof),
}

/// Proof that the processor has the instructions: only [`Isa::best`] and [`Isa::all`] make it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Proof(());

impl Isa {
    /// The best that the processor has.
    #[inline]
    pub(super) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if has_avx512() {
                return Self::Avx512(Proof(()));
            }
            if has_avx2() {
                return Self::Avx2(Proof(()));
            }
        }
        Self::Plain
    }

    /// All that the processor has.
    #[cfg(test)]
    pub(super) fn all() -> Vec<Self> {
        let mut all = vec![Self::Plain];
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(has_avx2().then_some(Self::Avx2(Proof(()))));
            all.extend(has_avx512().then_some(Self::Avx512(Proof(()))));
        }
        all
    }
}

/// Merges a word of at most [`FEW`] bytes by [`merge`](super::merge).
#[inline]
pub(super) fn merge(isa: Isa, narrow: &Narrow, word: &[u8], ids: &mut Ids) -> u64 {
    match (isa, word.len()) {
        (Isa::Plain, ..=16) => super::merge::<[u32; 16]>(narrow, word, ids),
        (Isa::Plain, _) => super::merge::<[u32; 64]>(narrow, word, ids),
        // SAFETY: the proof exists only where the processor has these instructions.
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx2(_), ..=16) => unsafe { merge_avx2::<2>(narrow, word, ids) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx2(_), _) => unsafe { merge_avx2::<8>(narrow, word, ids) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx512(_), ..=16) => unsafe { merge_avx512::<1>(narrow, word, ids) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx512(_), ..=32) => unsafe { merge_avx512::<2>(narrow, word, ids) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx512(_), _) => unsafe { merge_avx512::<4>(narrow, word, ids) },
    }
}

/// Merges the words of some lengths by [`turns`](super::turns::turns).
pub(super) fn take_turns(isa: Isa, work: &mut Work<'_>, lengths: Range<usize>) {
    match (isa, lengths.end) {
        (Isa::Plain, ..=17) => turns::<[u32; 16]>(work, lengths),
        (Isa::Plain, _) => turns::<[u32; 64]>(work, lengths),
        // SAFETY: the proof exists only where the processor has these instructions.
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx2(_), ..=17) => unsafe { turns_avx2::<2>(work, lengths) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx2(_), _) => unsafe { turns_avx2::<8>(work, lengths) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx512(_), ..=17) => unsafe { turns_avx512::<1>(work, lengths) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx512(_), ..=33) => unsafe { turns_avx512::<2>(work, lengths) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx512(_), _) => unsafe { turns_avx512::<4>(work, lengths) },
    }
}

impl<const N: usize> Lanes for [u32; N] {
    #[allow(clippy::cast_possible_truncation)] // 16 or 64
    const COUNT: u32 = N as u32;

    #[inline]
    fn new(numbers: &[u32; FEW]) -> Self {
        std::array::from_fn(|lane| numbers[lane])
    }

    #[inline]
    fn lowest(&self) -> u32 {
        self.iter().fold(u32::MAX, |lowest, &number| lowest.min(number))
    }

    #[inline]
    fn put(&mut self, mut lanes: u64, number: u32) {
        while lanes != 0 {
            self[lanes.trailing_zeros() as usize % N] = number;
            lanes &= lanes - 1;
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn has_avx512() -> bool {
    has_avx2() && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl")
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
fn merge_avx2<const K: usize>(narrow: &Narrow, word: &[u8], ids: &mut Ids) -> u64 {
    super::merge::<Ymm<K>>(narrow, word, ids)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,bmi1,bmi2,lzcnt")]
fn merge_avx512<const K: usize>(narrow: &Narrow, word: &[u8], ids: &mut Ids) -> u64 {
    super::merge::<Zmm<K>>(narrow, word, ids)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
fn turns_avx2<const K: usize>(work: &mut Work<'_>, lengths: Range<usize>) {
    turns::<Ymm<K>>(work, lengths);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,bmi1,bmi2,lzcnt")]
fn turns_avx512<const K: usize>(work: &mut Work<'_>, lengths: Range<usize>) {
    turns::<Zmm<K>>(work, lengths);
}

/// Registers of eight lanes. Only functions for AVX2 make them.
#[cfg(target_arch = "x86_64")]
struct Ymm<const K: usize>([__m256i; K]);

#[cfg(target_arch = "x86_64")]
impl<const K: usize> Lanes for Ymm<K> {
    #[allow(clippy::cast_possible_truncation)] // 16 or 64
    const COUNT: u32 = 8 * K as u32;

    #[inline(always)]
    fn new(numbers: &[u32; FEW]) -> Self {
        let (eights, _) = numbers.as_chunks::<8>();
        // SAFETY: the processor has AVX2, as who makes these was called; eight numbers may be read, and the load needs no
        // alignment.
        Self(std::array::from_fn(|k| unsafe { _mm256_loadu_si256(eights[k].as_ptr().cast()) }))
    }

    #[inline(always)]
    fn lowest(&self) -> u32 {
        // SAFETY: the processor has AVX2, as there are registers.
        unsafe { lowest_avx2(&self.0) }
    }

    #[inline(always)]
    fn put(&mut self, lanes: u64, number: u32) {
        // SAFETY: the processor has AVX2, as there are registers.
        unsafe { put_avx2(&mut self.0, lanes, number) }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn lowest_avx2<const K: usize>(registers: &[__m256i; K]) -> u32 {
    let [first, rest @ ..] = registers.as_slice() else { return u32::MAX };
    let eight = rest.iter().fold(*first, |lowest, &numbers| _mm256_min_epu32(lowest, numbers));
    let four = _mm_min_epu32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256::<1>(eight));
    let two = _mm_min_epu32(four, _mm_shuffle_epi32::<0b_01_00_11_10>(four));
    let one = _mm_min_epu32(two, _mm_shuffle_epi32::<0b_10_11_00_01>(two));
    _mm_cvtsi128_si32(one).cast_unsigned()
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
#[allow(clippy::cast_possible_truncation)] // the low eight bits are meant
fn put_avx2<const K: usize>(registers: &mut [__m256i; K], lanes: u64, number: u32) {
    let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    let number = _mm256_set1_epi32(number.cast_signed());
    for (k, numbers) in registers.iter_mut().enumerate() {
        let chosen = _mm256_and_si256(_mm256_set1_epi32((lanes >> (8 * k)) as i32), bits);
        *numbers = _mm256_blendv_epi8(*numbers, number, _mm256_cmpeq_epi32(chosen, bits));
    }
}

/// Registers of sixteen lanes. Only functions for AVX-512 make them.
#[cfg(target_arch = "x86_64")]
struct Zmm<const K: usize>([__m512i; K]);

#[cfg(target_arch = "x86_64")]
impl<const K: usize> Lanes for Zmm<K> {
    #[allow(clippy::cast_possible_truncation)] // 16, 32 or 64
    const COUNT: u32 = 16 * K as u32;

    #[inline(always)]
    fn new(numbers: &[u32; FEW]) -> Self {
        let (sixteens, _) = numbers.as_chunks::<16>();
        // SAFETY: the processor has AVX-512, as who makes these was called; sixteen numbers may be read, and the load needs
        // no alignment.
        Self(std::array::from_fn(|k| unsafe { _mm512_loadu_si512(sixteens[k].as_ptr().cast()) }))
    }

    #[inline(always)]
    fn lowest(&self) -> u32 {
        // SAFETY: the processor has AVX-512, as there are registers.
        unsafe { lowest_avx512(&self.0) }
    }

    #[inline(always)]
    fn put(&mut self, lanes: u64, number: u32) {
        // SAFETY: the processor has AVX-512, as there are registers.
        unsafe { put_avx512(&mut self.0, lanes, number) }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx2")]
fn lowest_avx512<const K: usize>(registers: &[__m512i; K]) -> u32 {
    let [first, rest @ ..] = registers.as_slice() else { return u32::MAX };
    let sixteen = rest.iter().fold(*first, |lowest, &numbers| _mm512_min_epu32(lowest, numbers));
    let halves = [_mm512_castsi512_si256(sixteen), _mm512_extracti64x4_epi64::<1>(sixteen)];
    lowest_avx2(&halves)
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
#[allow(clippy::cast_possible_truncation)] // the low sixteen bits are meant
fn put_avx512<const K: usize>(registers: &mut [__m512i; K], lanes: u64, number: u32) {
    for (k, numbers) in registers.iter_mut().enumerate() {
        *numbers = _mm512_mask_set1_epi32(*numbers, (lanes >> (16 * k)) as u16, number.cast_signed());
    }
}
