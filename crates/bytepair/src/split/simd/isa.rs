//! What a set of instructions must be able to do with 64 bytes at once; all else is written once, over this.
//!
//! The functions that implement it are compiled into one function that has the instructions ([`drive::run`](super::drive::run) in the
//! file of each set), so what is generic is inlined always.

use super::buffer::BLOCK;

/// A set of instructions; having a value of it proves that the processor has them. In a mask of 64 bits, bit `k` stands for
/// byte or character `k` of a block.
pub(super) trait Isa: Copy {
    /// 64 bytes.
    type Bytes: Copy;
    /// A choice for each of 64 bytes.
    type Mask: Copy;

    fn load(self, bytes: &[u8; BLOCK]) -> Self::Bytes;
    fn store(self, bytes: Self::Bytes, to: &mut [u8; BLOCK]);
    fn all(self, byte: u8) -> Self::Bytes;

    fn and(self, one: Self::Bytes, other: Self::Bytes) -> Self::Bytes;
    fn or(self, one: Self::Bytes, other: Self::Bytes) -> Self::Bytes;
    /// The sums, none of which is above 255.
    fn add(self, one: Self::Bytes, other: Self::Bytes) -> Self::Bytes;
    fn max(self, one: Self::Bytes, other: Self::Bytes) -> Self::Bytes;
    /// The bytes times 2^N; what overflows comes into the low N bits of another byte.
    fn up<const N: u32>(self, bytes: Self::Bytes) -> Self::Bytes;
    /// The bytes divided by 2^N; in the high N bits stands something.
    fn down<const N: u32>(self, bytes: Self::Bytes) -> Self::Bytes;

    /// `table[index]` for each index, all of which are below 16.
    fn few(self, table: &[u8; 16], index: Self::Bytes) -> Self::Bytes;
    /// `table[index]` for each index; anything for those above 127.
    fn half(self, table: &[u8; 128], index: Self::Bytes) -> Self::Bytes;
    /// `table[index]` for each index, all of which are below `used`, a multiple of 16.
    fn look_up(self, table: &[u8; 256], used: usize, index: Self::Bytes) -> Self::Bytes;

    fn at_least(self, bytes: Self::Bytes, least: u8) -> Self::Mask;
    fn are(self, bytes: Self::Bytes, byte: u8) -> Self::Mask;
    /// Whether a single bit is set.
    fn have(self, bytes: Self::Bytes, bit: u8) -> Self::Mask;
    fn both(self, one: Self::Mask, other: Self::Mask) -> Self::Mask;
    fn but_not(self, one: Self::Mask, other: Self::Mask) -> Self::Mask;
    fn choose(self, mask: Self::Mask, yes: Self::Bytes, no: Self::Bytes) -> Self::Bytes;
    fn bits(self, mask: Self::Mask) -> u64;

    /// Writes the bytes of a mask one after the other; what follows them is overwritten.
    fn together(self, mask: u64, bytes: Self::Bytes, to: &mut [u8; BLOCK]);
    /// Writes `first + k` for each bit `k`; what follows them in `ends` is overwritten.
    fn put(self, mask: u64, first: u32, ends: &mut [u32; BLOCK]);
    /// Writes `places[k]` for each bit `k`; what follows them in `ends` is overwritten.
    fn put_places(self, mask: u64, places: &[u32; BLOCK], ends: &mut [u32; BLOCK]);

    /// A text of at most a block, and zeros.
    #[inline(always)]
    fn load_some(self, text: &[u8]) -> Self::Bytes {
        let mut bytes = [0; BLOCK];
        bytes[..text.len()].copy_from_slice(text);
        self.load(&bytes)
    }

    /// The first bytes, and zeros.
    #[inline(always)]
    fn first(self, count: usize, bytes: Self::Bytes) -> Self::Bytes {
        let mut all = [0; BLOCK];
        self.store(bytes, &mut all);
        self.load_some(&all[..count])
    }

    /// The byte `back` places before each, and zeros; `back` is at most 8.
    #[inline(always)]
    fn before(self, back: usize, bytes: Self::Bytes) -> Self::Bytes {
        let mut around = [0; BLOCK + 8];
        if let Some(to) = around[8..].first_chunk_mut() {
            self.store(bytes, to);
        }
        self.load_at(&around, 8 - back)
    }

    /// The byte after each, and a zero.
    #[inline(always)]
    fn after(self, bytes: Self::Bytes) -> Self::Bytes {
        let mut around = [0; BLOCK + 1];
        if let Some(to) = around.first_chunk_mut() {
            self.store(bytes, to);
        }
        self.load_at(&around, 1)
    }

    /// The 64 bytes of a slice from a place on.
    #[inline(always)]
    fn load_at(self, bytes: &[u8], from: usize) -> Self::Bytes {
        self.load(bytes[from..].first_chunk().unwrap_or(&[0; BLOCK]))
    }
}
