//! The two loops that most pretokens go through.
//!
//! Idea: the first makes the key of each pretoken and asks for its slot in the table of a [`Cache`];
//! the second looks there and copies the ids, four whether there are four or one. Neither has a branch that a processor
//! seldom foretells. Pretokens of more than 15 bytes are few in English, and a fifth of all in Russian: they get their keys in a
//! loop between the two, and where the second comes upon one, it compares the bytes and copies the ids.
//!
//! Invariant: an id is written only for a pretoken whose bytes are those of the entry.
//!
//! Cost: two or three nanoseconds for a pretoken that is its own key, some more for a longer one.

use std::ops::Range;

use super::cache::Cache;
use super::table::{LONG, Slot, place};
use crate::hash::Mix;
use crate::key::Key;
use crate::memory::prefetch;

/// How many pretokens are looked up at a time: their lines fit into the processor's first cache.
pub(super) const SOME: usize = 256;

/// The most ids of a longer pretoken that is looked up with the others.
pub(super) const FEW: usize = 8;

/// Room for the ids of [`SOME`] pretokens.
pub(super) const ROOM: usize = SOME * FEW + FEW;

/// Makes the keys of pretokens, and asks for the slots that they may be found in; how long the longest is.
#[inline(never)]
#[allow(clippy::too_many_arguments)] // so that all of them stay in registers
pub(super) fn make_keys(
    text: &[u8],
    mix: Mix,
    mut start: usize,
    base: usize,
    ends: &[u32],
    slots: &[Slot],
    keys: &mut [Key; SOME],
    places: &mut [u32; SOME],
) -> usize {
    let mut longest = 0;
    // By number: the compiler makes less of iterators side by side.
    #[allow(clippy::needless_range_loop, clippy::cast_possible_truncation)] // there are fewer
    for number in 0..ends.len().min(SOME) {
        let end = base + ends[number] as usize;
        let key = Key::short(text, start, end);
        let place = place(slots, key.hash(mix));
        prefetch(slots.as_ptr().wrapping_add(place));
        (keys[number], places[number]) = (key, place as u32);
        longest = longest.max(end - start);
        start = end;
    }
    longest
}

/// The same for those that have no key yet, as they are not their own: they are few, and found afterwards.
#[inline(never)]
pub(super) fn make_long_keys(
    text: &[u8],
    cache: &Cache,
    end: usize,
    base: usize,
    ends: &[u32],
    keys: &mut [Key; SOME],
    places: &mut [u32; SOME],
) {
    #[allow(clippy::needless_range_loop, clippy::cast_possible_truncation)] // there are fewer
    for number in 0..ends.len().min(SOME) {
        if keys[number].is_none() {
            let key = long_key(text, within(end, base, ends, number), cache.mix());
            (keys[number], places[number]) = (key, cache.ask_for(key.hash(cache.mix())) as u32);
        }
    }
}

/// Where a pretoken lies of those that end at `base + ends[0]` and so on; the first begins where the last before it ends.
#[inline]
pub(super) fn within(end: usize, base: usize, ends: &[u32], number: usize) -> Range<usize> {
    number.checked_sub(1).map_or(end, |before| base + ends[before] as usize)..base + ends[number] as usize
}

/// Looks keys up: writes the ids of those that are found, and notes the others; how many there are of both. `long` does so for
/// longer pretokens, by number.
#[inline(never)]
pub(super) fn look_up(
    slots: &[Slot],
    keys: &[Key],
    places: &[u32; SOME],
    ids: &mut [u32; ROOM],
    missed: &mut [(u16, u16); SOME],
    elsewhere: impl Fn(usize, &mut [u32; FEW]) -> usize,
) -> (usize, usize) {
    let (mut found, mut count) = (0, 0);
    let places = &places[..keys.len()];
    // By number: the compiler makes less of iterators side by side.
    #[allow(clippy::needless_range_loop, clippy::cast_possible_truncation)] // a thousand at most
    for number in 0..keys.len() {
        let (key, place) = (keys[number], places[number] as usize);
        let mut slot = &slots[place];
        let mut more = slot.count_of(key);
        if more == 0 {
            slot = &slots[place ^ 1];
            more = slot.count_of(key);
            if more == 0 {
                if let Some(to) = ids[found % (SOME * FEW)..].first_chunk_mut() {
                    more = elsewhere(number, to);
                    found += more;
                }
                if more == 0 {
                    missed[count % SOME] = (number as u16, found as u16);
                    count += 1;
                }
                continue;
            }
        }
        if let Some(to) = ids[found % (SOME * FEW)..].first_chunk_mut() {
            *to = slot.ids;
        }
        found += more;
    }
    (found, count)
}

/// The key of more than 15 bytes, if they have one.
#[inline]
fn long_key(text: &[u8], at: Range<usize>, mix: Mix) -> Key {
    if at.len() <= LONG { Key::long(&text[at.clone()], at.len(), mix) } else { Key::NONE }
}
