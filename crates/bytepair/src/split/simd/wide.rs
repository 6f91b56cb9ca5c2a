//! The groups of characters beyond ASCII, by their first bytes where these suffice.
//!
//! Most first bytes of Han and Hangul and many of other scripts lead to characters of one group only; of the other
//! three-byte characters, most are settled by the second byte.

use super::super::classes::Classes;

/// Characters of several groups.
pub(super) const MIXED: u8 = u8::MAX;

#[derive(Debug)]
pub(super) struct Wide {
    /// By the last six bits of the first byte.
    pub first: [u8; 64],
    /// By the first byte of a three-byte character, and the last six bits of the second.
    second: [[u8; 64]; 16],
}

impl Wide {
    pub fn new(groups: &Classes) -> Self {
        let mut wide = Self { first: [MIXED; 64], second: [[MIXED; 64]; 16] };
        for (number, second) in (0..).zip(&mut wide.second) {
            for (row, group) in (0..).zip(second.iter_mut()) {
                *group = common(groups.row(number << 12 | row << 6));
            }
            // The characters below U+0800 are not written with three bytes, the surrogates not at all.
            let valid = match number {
                0 => &second[32..],
                0xD => &second[..32],
                _ => &second[..],
            };
            wide.first[0x20 + number as usize] = common(valid);
        }
        for (number, group) in (0..).zip(&mut wide.first[..32]).skip(2) {
            *group = common(groups.row(number << 6));
        }
        wide
    }

    /// The groups that the second byte settles, by its last six bits.
    pub fn second(&self, first: u8) -> &[u8; 64] {
        &self.second[usize::from(first & 0x0F)]
    }
}

/// The group that all are in.
fn common(groups: &[u8]) -> u8 {
    match groups.split_first() {
        Some((first, others)) if others.iter().all(|other| other == first) => *first,
        _ => MIXED,
    }
}
