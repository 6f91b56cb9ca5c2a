//! The groups of characters beyond ASCII, and where characters begin, for a block of valid UTF-8.
//!
//! Idea: from its bytes, the three bytes of each character's code point are put together, for all characters at once. Most pages
//! of 256 code points hold characters of one group only, so the second byte settles most characters, in one look-up. The others
//! of a block come from few pages, and each page that occurs is one look-up more, by the third byte.

use super::super::classes::Classes;
use super::Tables;
use super::buffer::{BLOCK, REACH};
use super::isa::Isa;

/// A page with characters of several groups.
const MIXED: u8 = u8::MAX;

/// The group of each page of the first plane, or MIXED.
#[derive(Debug)]
pub(super) struct Wide([u8; 256]);

impl Wide {
    pub fn new(groups: &Classes) -> Self {
        let mut pages = [MIXED; 256];
        for (number, page) in (0..).zip(&mut pages) {
            let ascii = if number == 0 { 128 } else { 0 };
            *page = common(&groups.page(number)[ascii..]);
        }
        Self(pages)
    }
}

/// The group that all are in.
fn common(groups: &[u8]) -> u8 {
    match groups.split_first() {
        Some((first, others)) if others.iter().all(|other| other == first) => *first,
        _ => MIXED,
    }
}

/// Which bytes of a block lead a character of at least two, three and four bytes, if all of it is valid UTF-8; `bytes[n]` are
/// the bytes `n` further on.
#[inline(always)]
fn leads<I: Isa>(isa: I, bytes: [I::Bytes; 4]) -> Option<[u64; 3]> {
    let [first, second, ..] = bytes;
    let (two, three, four) = (at_least(isa, first, 0xC0), at_least(isa, first, 0xE0), at_least(isa, first, 0xF0));
    let continues = [continues(isa, first), continues(isa, second), continues(isa, bytes[2]), continues(isa, bytes[3])];
    let expected = two << 1 | three << 2 | four << 3;
    let missing = two & !continues[1] | three & !continues[2] | four & !continues[3];
    let wrong = are(isa, first, 0xC0)
        | are(isa, first, 0xC1)
        | at_least(isa, first, 0xF5)
        | are(isa, first, 0xE0) & !at_least(isa, second, 0xA0)
        | are(isa, first, 0xED) & at_least(isa, second, 0xA0)
        | are(isa, first, 0xF0) & !at_least(isa, second, 0x90)
        | are(isa, first, 0xF4) & at_least(isa, second, 0x90);
    (expected == continues[0] && missing | wrong == 0).then_some([two, three, four])
}

#[inline(always)]
fn at_least<I: Isa>(isa: I, bytes: I::Bytes, least: u8) -> u64 {
    isa.bits(isa.at_least(bytes, least))
}

#[inline(always)]
fn are<I: Isa>(isa: I, bytes: I::Bytes, byte: u8) -> u64 {
    isa.bits(isa.are(bytes, byte))
}

/// Which bytes continue a character.
#[inline(always)]
fn continues<I: Isa>(isa: I, bytes: I::Bytes) -> u64 {
    isa.bits(isa.but_not(isa.at_least(bytes, 0x80), isa.at_least(bytes, 0xC0)))
}

#[inline(always)]
fn part<I: Isa>(isa: I, bytes: I::Bytes, bits: u8) -> I::Bytes {
    isa.and(bytes, isa.all(bits))
}

/// How long the characters are together that begin at the bytes `starts`, of which there is one.
#[inline(always)]
fn length(starts: u64, leads: [u64; 3]) -> usize {
    let last = starts.checked_ilog2().unwrap_or(0);
    let more = |long: u64| usize::from(long >> last & 1 == 1);
    last as usize + 1 + more(leads[0]) + more(leads[1]) + more(leads[2])
}

/// Writes the groups and places of the characters that begin in the first 64 bytes, a character beginning at the first; in
/// `groups` stand those of ASCII. Gives how many they are and how long all are together; `None` when a byte is invalid.
#[inline(always)]
pub(super) fn characters<I: Isa>(
    isa: I,
    tables: &Tables,
    text: &[u8; REACH],
    first: u32,
    groups: &mut [u8; BLOCK],
    places: &mut [u32; BLOCK],
) -> Option<(usize, usize)> {
    let bytes = [isa.load_at(text, 0), isa.load_at(text, 1), isa.load_at(text, 2), isa.load_at(text, 3)];
    let leads = leads(isa, bytes)?;
    let starts = !at_least(isa, bytes[0], 0x80) | leads[0];
    let found = beyond_ascii(isa, tables, bytes, leads, isa.load(groups));
    isa.together(starts, found, groups);
    isa.put(starts, first, places);
    Some((starts.count_ones() as usize, length(starts, leads)))
}

/// The groups of all characters, in the places of their first bytes.
#[inline(always)]
fn beyond_ascii<I: Isa>(
    isa: I,
    tables: &Tables,
    bytes: [I::Bytes; 4],
    [mut open, _, longest]: [u64; 3],
    mut groups: I::Bytes,
) -> I::Bytes {
    let [two, three, four] = [isa.at_least(bytes[0], 0xC0), isa.at_least(bytes[0], 0xE0), isa.at_least(bytes[0], 0xF0)];
    let none = isa.all(0);
    // Where a character has three bytes, they are these; of four, the last three; of two, they are the last two.
    let high = isa.choose(four, bytes[1], isa.choose(three, bytes[0], none));
    let middle = isa.choose(four, bytes[2], isa.choose(three, bytes[1], bytes[0]));
    let low = isa.choose(four, bytes[3], isa.choose(three, bytes[2], bytes[1]));
    let page = isa.or(part(isa, isa.up::<4>(high), 0xF0), part(isa, isa.down::<2>(middle), 0x0F));
    let point = isa.or(part(isa, isa.up::<6>(middle), 0xC0), part(isa, low, 0x3F));
    let by_page = isa.look_up(&tables.wide.0, 256, page);
    let settled = isa.but_not(isa.but_not(two, four), isa.are(by_page, MIXED));
    groups = isa.choose(settled, by_page, groups);
    open &= !isa.bits(settled);
    if open == 0 {
        return groups;
    }
    let plane = if longest == 0 {
        none
    } else {
        isa.choose(four, isa.or(part(isa, isa.up::<2>(bytes[0]), 0x1C), part(isa, isa.down::<4>(bytes[1]), 0x03)), none)
    };
    let (mut pages, mut planes) = ([0; BLOCK], [0; BLOCK]);
    isa.store(page, &mut pages);
    isa.store(plane, &mut planes);
    while open != 0 {
        let at = open.trailing_zeros() as usize;
        let found = isa.look_up(tables.groups.page(u32::from(planes[at]) << 8 | u32::from(pages[at])), 256, point);
        let these = isa.both(two, isa.both(isa.are(page, pages[at]), isa.are(plane, planes[at])));
        groups = isa.choose(these, found, groups);
        open &= !isa.bits(these);
    }
    groups
}
