//! What each id decodes to, in one table of slots of 16 bytes.
//!
//! Idea: most tokens have at most 15 bytes. A slot is such a token's bytes and their number, and is copied whole, whatever
//! the number: a copy of fixed size is one load and one store. The next token is written over what was too much. Longer
//! tokens lie end to end in an arena, and their slot says where.
//!
//! Invariant: a slot is what [`Tokenizer::decode`](crate::Tokenizer::decode) appends for its id whatever the options; an id
//! whose outcome depends on them (a control token, an id that no token has) has none.
//!
//! The copy is the engine's one loop over ids and the reason for the unsafe code here: with room that is checked and cleared
//! first, as safe code needs it, it takes 1.3 times as long. With AVX-512 the bytes of four slots are brought together in a
//! register and written at once: 0.7 times as long as four copies, each of which is written partly over the one before.
//!
//! Cost: made once, in about a millisecond for 100,000 tokens; then half a nanosecond a token of five bytes.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m128i, _mm_load_si128, _mm256_storeu_si256, _mm512_broadcast_i32x4, _mm512_castsi128_si512,
    _mm512_castsi512_si256, _mm512_cmplt_epu8_mask, _mm512_extracti64x4_epi64, _mm512_inserti32x4,
    _mm512_maskz_compress_epi8, _mm512_set1_epi8, _mm512_shuffle_epi8,
};
use std::mem::MaybeUninit;

use super::Decoder;
use crate::special::SpecialTokens;
use crate::vocabulary::Vocabulary;

/// The bytes of a slot, and of four.
const WIDTH: usize = 16;
const FOUR: usize = 4 * WIDTH;
/// The longest token that lies in its slot.
const INLINE: usize = WIDTH - 1;
/// In place of the number of bytes: the slot says where they lie.
const LONG: u8 = 0xFE;
/// In place of the number of bytes: there is nothing to copy.
const NONE: u8 = 0xFF;

/// Ids for which room is made at a time.
const STEP: usize = 256;

/// Bytes and, in the last one, their number.
#[derive(Debug, Clone, Copy)]
#[repr(align(16))]
struct Slot([u8; WIDTH]);

impl Slot {
    const EMPTY: Self = Self([NONE; WIDTH]);
}

/// The slots of all ids, from 0.
#[derive(Debug)]
pub(crate) struct Slots {
    slots: Vec<Slot>,
    arena: Vec<u8>,
}

impl Slots {
    /// The table of a tokenizer with these parts.
    pub(crate) fn new(vocabulary: &Vocabulary, specials: &SpecialTokens, decoder: &Decoder) -> Self {
        // Ids that lie far apart have slots only as far as those take no more than a few times their bytes.
        let last = specials.tokens().last().map_or(0, |token| token.id as usize + 1).max(vocabulary.n_vocab());
        let most = (vocabulary.len() + specials.tokens().len()) * 8 + 65_536;
        let mut made = Self { slots: vec![Slot::EMPTY; last.min(most)], arena: Vec::new() };
        for &id in vocabulary.ids() {
            made.put(id, &decoder.shown(vocabulary, vocabulary.content(id).unwrap_or_default()));
        }
        for token in specials.tokens() {
            if token.special {
                made.take(token.id);
            } else {
                made.put(token.id, &decoder.text(token.content.as_bytes()));
            }
        }
        made
    }

    fn put(&mut self, id: u32, bytes: &[u8]) {
        let Some(slot) = self.slots.get_mut(id as usize) else { return };
        let [place @ .., kind] = &mut slot.0;
        match u8::try_from(bytes.len()) {
            Ok(length) if bytes.len() <= INLINE => {
                place[..bytes.len()].copy_from_slice(bytes);
                *kind = length;
            }
            _ => {
                place[..8].copy_from_slice(&self.arena.len().to_le_bytes());
                // A token is shorter than 4 GiB.
                place[8..12].copy_from_slice(&u32::try_from(bytes.len()).unwrap_or(0).to_le_bytes());
                *kind = LONG;
                self.arena.extend_from_slice(bytes);
            }
        }
    }

    fn take(&mut self, id: u32) {
        if let Some(slot) = self.slots.get_mut(id as usize) {
            *slot = Slot::EMPTY;
        }
    }

    /// Appends the bytes of the first ids, and says of how many: of all, or of those before the first that has no slot.
    pub(super) fn copy(&self, ids: &[u32], out: &mut Vec<u8>) -> usize {
        let mut done = 0;
        for step in ids.chunks(STEP) {
            let end = done + step.len();
            while done < end {
                done += self.copy_short(&ids[done..end], out);
                let Some(&id) = ids[..end].get(done) else { break };
                let Some(long) = self.long(id) else { return done };
                out.extend_from_slice(long);
                done += 1;
            }
        }
        done
    }

    /// Appends the bytes of the first ids, as long as they lie in their slots: how many ids.
    #[allow(unsafe_code)]
    fn copy_short(&self, ids: &[u32], out: &mut Vec<u8>) -> usize {
        out.reserve(ids.len() * WIDTH + FOUR);
        let before = out.len();
        let (fours, mut length) = self.copy_fours(ids, out.spare_capacity_mut());
        let (mut done, room) = (fours, out.spare_capacity_mut().as_mut_ptr().cast::<u8>());
        for &id in &ids[fours..] {
            let Some(Slot(bytes)) = self.slots.get(id as usize) else { break };
            let own = usize::from(bytes[INLINE]);
            if own > INLINE {
                break;
            }
            debug_assert!(length + WIDTH <= ids.len() * WIDTH);
            // SAFETY: `done` slots were written and each moved `length` by at most INLINE < WIDTH, and `done < ids.len()`: so
            // `length + WIDTH <= (done + 1) * WIDTH <= ids.len() * WIDTH`, for which there is room past the vector's length.
            // A slot is WIDTH bytes in a table that is only read, so the two do not overlap.
            unsafe { bytes.as_ptr().copy_to_nonoverlapping(room.add(length), WIDTH) };
            length += own;
            done += 1;
        }
        // SAFETY: the `length` bytes past the end were written above, without a gap, and are within the capacity.
        unsafe { out.set_len(before + length) };
        done
    }

    /// Writes the bytes of the first ids, four at a time, as long as they lie in their slots: how many ids, and how many bytes.
    #[inline]
    #[allow(unsafe_code)]
    fn copy_fours(&self, ids: &[u32], room: &mut [MaybeUninit<u8>]) -> (usize, usize) {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("popcnt")
        {
            // SAFETY: the processor has these instructions.
            return unsafe { copy_fours(&self.slots, ids, room) };
        }
        let _ = (ids, room);
        (0, 0)
    }

    /// The bytes of a token that is too long for its slot.
    fn long(&self, id: u32) -> Option<&[u8]> {
        let Slot([start @ .., l0, l1, l2, l3, _, _, _, LONG]) = self.slots.get(id as usize)? else { return None };
        let start = usize::try_from(u64::from_le_bytes(*start)).ok()?;
        let length = u32::from_le_bytes([*l0, *l1, *l2, *l3]) as usize;
        self.arena.get(start..start + length)
    }
}

/// The bytes of the first ids, brought together in a register, four slots at a time.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
fn copy_fours(slots: &[Slot], ids: &[u32], room: &mut [MaybeUninit<u8>]) -> (usize, usize) {
    const NUMBERS: Slot = Slot([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    /// Set where a slot has more bytes than it holds.
    const MORE: u64 = 0x8000_8000_8000_8000;
    let numbers = _mm512_broadcast_i32x4(load(&NUMBERS));
    let last = _mm512_set1_epi8(15);
    let at = |id: u32| slots.get(id as usize);
    let (mut done, mut length) = (0, 0);
    for &[a, b, c, d] in ids.as_chunks::<4>().0 {
        let (Some(a), Some(b), Some(c), Some(d)) = (at(a), at(b), at(c), at(d)) else { break };
        let Some(place) = room[length..].first_chunk_mut::<FOUR>() else { break };
        let two = _mm512_inserti32x4::<1>(_mm512_castsi128_si512(load(a)), load(b));
        let bytes = _mm512_inserti32x4::<3>(_mm512_inserti32x4::<2>(two, load(c)), load(d));
        let kept = _mm512_cmplt_epu8_mask(numbers, _mm512_shuffle_epi8(bytes, last));
        if kept & MORE != 0 {
            break;
        }
        let (bytes, count) = (_mm512_maskz_compress_epi8(kept, bytes), kept.count_ones() as usize);
        // Seldom are they more than half of a register, and a store of half of one seldom touches two lines.
        let (near, far) = place.split_at_mut(FOUR / 2);
        // SAFETY: each is as many bytes as are stored, and need not be aligned.
        unsafe {
            _mm256_storeu_si256(near.as_mut_ptr().cast(), _mm512_castsi512_si256(bytes));
            if count > FOUR / 2 {
                _mm256_storeu_si256(far.as_mut_ptr().cast(), _mm512_extracti64x4_epi64::<1>(bytes));
            }
        }
        length += count;
        done += 4;
    }
    (done, length)
}

/// A slot in a register.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[inline]
#[target_feature(enable = "avx512f")]
fn load(slot: &Slot) -> __m128i {
    // SAFETY: a slot is sixteen bytes, which begin at a multiple of sixteen.
    unsafe { _mm_load_si128(slot.0.as_ptr().cast()) }
}
