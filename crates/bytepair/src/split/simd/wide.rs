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

/// What can be asked about the bytes of a block, or those up to three bytes further on; one bit for each.
pub(super) trait Bytes {
    /// Which of the bytes `ahead` are at least so large.
    fn at_least(&self, ahead: usize, least: u8) -> u64;
    /// Which of the bytes are this one.
    fn are(&self, byte: u8) -> u64;
}

/// Which bytes of a block lead a character of at least two, three and four bytes, if all of it is valid UTF-8.
#[inline(always)]
pub(super) fn leads(bytes: &impl Bytes) -> Option<[u64; 3]> {
    let continues = |ahead| bytes.at_least(ahead, 0x80) & !bytes.at_least(ahead, 0xC0);
    let [two, three, four] = [0xC0, 0xE0, 0xF0].map(|least| bytes.at_least(0, least));
    let expected = two << 1 | three << 2 | four << 3;
    let missing = two & !continues(1) | three & !continues(2) | four & !continues(3);
    if expected != continues(0) || missing != 0 {
        return None;
    }
    let second = |least| bytes.at_least(1, least);
    let wrong = bytes.are(0xC0)
        | bytes.are(0xC1)
        | bytes.at_least(0, 0xF5)
        | bytes.are(0xE0) & !second(0xA0)
        | bytes.are(0xED) & second(0xA0)
        | bytes.are(0xF0) & !second(0x90)
        | bytes.are(0xF4) & second(0x90);
    (wrong == 0).then_some([two, three, four])
}

/// How long the characters are together that begin at the bytes `starts`, of which there is one.
#[inline(always)]
pub(super) fn length(starts: u64, leads: [u64; 3]) -> usize {
    let last = starts.checked_ilog2().unwrap_or(0);
    leads.into_iter().fold(last as usize + 1, |length, long| length + usize::from(long >> last & 1 == 1))
}

/// Characters of a block whose groups are in one row of 64.
pub(super) struct Rows<'t> {
    /// Their groups, by the last six bits of the byte number `index`.
    pub row: &'t [u8; 64],
    pub index: usize,
    /// How many of the first bytes they share with the character they were found by.
    pub same: usize,
    /// Whether some may be MIXED in the row, and so not in it.
    pub some: bool,
}

impl Wide {
    /// The row that settles the character that begins with these bytes.
    #[inline(always)]
    pub fn row<'t>(&'t self, groups: &'t Classes, first: u8, second: u8, third: u8) -> Rows<'t> {
        let low = |byte: u8, mask: u8| u32::from(byte & mask);
        let (point, index) = match first {
            0xF0.. => (low(first, 0x07) << 18 | low(second, 0x3F) << 12 | low(third, 0x3F) << 6, 3),
            0xE0.. => {
                let row = self.second(first);
                if row[usize::from(second & 0x3F)] != MIXED {
                    return Rows { row, index: 1, same: 1, some: true };
                }
                (low(first, 0x0F) << 12 | low(second, 0x3F) << 6, 2)
            }
            _ => (low(first, 0x1F) << 6, 1),
        };
        Rows { row: groups.row(point), index, same: index, some: false }
    }
}

/// The group that all are in.
fn common(groups: &[u8]) -> u8 {
    match groups.split_first() {
        Some((first, others)) if others.iter().all(|other| other == first) => *first,
        _ => MIXED,
    }
}
