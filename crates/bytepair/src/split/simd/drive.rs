//! From groups to boundaries: the same for every set of instructions.
//!
//! Invariant: before each block of windows, all positions up to it are settled, and the boundaries among them are in
//! `ends` or were handed on; `last` and `ends` together know the last one.

use std::ops::ControlFlow;

use super::super::scan::{Failed, Scanner};
use super::Tables;
use super::buffer::{BLOCK, Buffer, FRONT, REACH, SIZE, ascii, relative};
use super::isa::Isa;
use super::wide::characters;
use super::windows::{ASK, CUT, EDGE, MAX_REACH, NEAR, Windows};

/// So many positions of a block that ask are settled together: they are often a run of digits.
const MANY: u32 = 8;
/// Groups before and after a block.
const SIDE: usize = 8;
/// The groups of a block with those around it.
const AROUND: usize = BLOCK + 2 * SIDE;

/// The groups of a block of characters, and what stands around each.
struct Around<I: Isa> {
    /// Two characters before, one before, here, and one after.
    near: [I::Bytes; 4],
    /// The highest of the groups up to the pattern's reach before.
    nearby: I::Bytes,
}

impl<I: Isa> Around<I> {
    /// Of a block with other groups around it.
    #[inline(always)]
    fn within(isa: I, windows: &Windows, around: &[u8; AROUND]) -> Self {
        let (two_before, before) = (isa.load_at(around, SIDE - 2), isa.load_at(around, SIDE - 1));
        let near = [two_before, before, isa.load_at(around, SIDE), isa.load_at(around, SIDE + 1)];
        let mut nearby = isa.all(0);
        for distance in 3..=MAX_REACH {
            nearby = isa.max(nearby, isa.load_at(around, SIDE - windows.reach.min(distance)));
        }
        Self { near, nearby }
    }

    /// Of a block that is all of a text, with EDGE behind it.
    #[inline(always)]
    fn alone(isa: I, windows: &Windows, groups: I::Bytes) -> Self {
        let near = [isa.before(2, groups), isa.before(1, groups), groups, isa.after(groups)];
        let mut nearby = isa.all(0);
        for distance in 3..=MAX_REACH {
            nearby = isa.max(nearby, isa.before(windows.reach.min(distance), groups));
        }
        Self { near, nearby }
    }
}

/// The positions of a block before which there is a boundary, and those that ask.
#[inline(always)]
fn verdicts<I: Isa>(isa: I, windows: &Windows, around: &Around<I>) -> (u64, u64) {
    let [two_before, before, here, after] = around.near;
    let row = isa.or(isa.few(&windows.left, two_before), before);
    let column = isa.or(isa.few(&windows.middle, here), after);
    let row = isa.look_up(&windows.rows, windows.pairs, row);
    let column = isa.look_up(&windows.columns, windows.pairs, column);
    let verdicts = isa.look_up(&windows.verdicts, windows.cells, isa.add(row, column));
    let doubtful = isa.both(isa.have(verdicts, NEAR), isa.at_least(around.nearby, windows.trigger));
    (isa.bits(isa.have(verdicts, CUT)), isa.bits(isa.have(verdicts, ASK)) | isa.bits(doubtful))
}

/// The memory of a run, which may serve one text after the other: nothing that a run left there is read by the next.
#[derive(Debug, Clone)]
pub(crate) struct Room {
    buffer: Buffer,
    /// Boundaries in a stretch, relative to the buffer's origin.
    ends: [u32; SIZE],
}

impl Default for Room {
    fn default() -> Self {
        Self { buffer: Buffer::default(), ends: [0; SIZE] }
    }
}

struct Run<'t> {
    tables: &'t Tables,
    scanner: &'t Scanner,
    text: &'t [u8],
    buffer: &'t mut Buffer,
    ends: &'t mut [u32; SIZE],
    count: usize,
    /// A boundary behind the stretch, from a run of the automaton.
    beyond: Option<usize>,
    /// The last boundary before those in `ends`.
    last: usize,
    failed: Failed,
}

/// Gives all boundaries of a text but the first position.
#[inline(always)]
pub(super) fn run<I: Isa>(
    isa: I,
    tables: &Tables,
    scanner: &Scanner,
    text: &[u8],
    room: &mut Room,
    each: &mut dyn FnMut(usize, &[u32]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if text.len() <= BLOCK {
        run_in_a_block(isa, tables, scanner, text, room, each)
    } else {
        run_in_stretches(isa, tables, scanner, text, room, each)
    }
}

/// The same for a text of at most a block: one round of everything.
#[inline(always)]
fn run_in_a_block<I: Isa>(
    isa: I,
    tables: &Tables,
    scanner: &Scanner,
    text: &[u8],
    room: &mut Room,
    each: &mut dyn FnMut(usize, &[u32]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if text.is_empty() {
        return ControlFlow::Continue(());
    }
    let Room { buffer, ends } = room;
    let (Some(places), Some(out)) = (buffer.places.first_chunk_mut(), ends.first_chunk_mut()) else {
        return ControlFlow::Continue(());
    };
    let bytes = isa.load_some(text);
    let is_plain = isa.bits(isa.at_least(bytes, 0x80)) == 0;
    let (groups, count) = if is_plain {
        (isa.half(tables.groups.ascii(), bytes), text.len())
    } else {
        read_a_block(isa, tables, text, places)
    };
    // EDGE, which is zero, comes after them.
    let around = Around::alone(isa, &tables.windows, isa.first(count, groups));
    let (mut cuts, mut asks) = verdicts(isa, &tables.windows, &around);
    // The first position of a text is a boundary, and is not given.
    let inside = u64::MAX >> (BLOCK - count) & !1;
    (cuts, asks) = (cuts & inside, asks & inside);
    if asks != 0 {
        cuts = settle_a_block(scanner, text, cuts, asks, if is_plain { None } else { Some(&places[..count]) });
    }
    if is_plain {
        isa.put(cuts, 0, out);
    } else {
        isa.put_places(cuts, places, out);
    }
    let given = cuts.count_ones() as usize;
    ends[given] = relative(text.len(), 0);
    each(0, &ends[..=given])
}

/// The cuts of a block of which some positions ask; the places of its characters, unless each is its number.
#[inline(never)]
fn settle_a_block(scanner: &Scanner, text: &[u8], mut cuts: u64, mut asks: u64, places: Option<&[u32]>) -> u64 {
    let count = places.map_or(text.len(), <[u32]>::len);
    let mut failed = Failed::default();
    while asks != 0 {
        let before = cuts & ((1 << asks.trailing_zeros()) - 1);
        let last = before.checked_ilog2().map_or(0, |last| last as usize);
        let end = scanner.next_boundary(text, places.map_or(last, |places| places[last] as usize), &mut failed);
        let number = places.map_or(end, |places| places.partition_point(|&place| (place as usize) < end));
        let (here, open) = if number < count { (1 << number, !1 << number) } else { (0, 0) };
        (cuts, asks) = (before | here | cuts & open, asks & open);
    }
    cuts
}

/// The groups of the characters of at most a block, and how many they are; writes their places.
#[inline(always)]
fn read_a_block<I: Isa>(isa: I, tables: &Tables, text: &[u8], places: &mut [u32; BLOCK]) -> (I::Bytes, usize) {
    let (mut bytes, mut groups) = ([0; REACH], [EDGE; BLOCK]);
    bytes[..text.len()].copy_from_slice(text);
    if let Some(block) = bytes.first_chunk() {
        ascii(isa, tables, block, &mut groups);
    }
    if let Some((characters, _)) = characters(isa, tables, &bytes, 0, &mut groups, places) {
        return (isa.load(&groups), characters - (BLOCK - text.len()));
    }
    let (mut count, mut at) = (0, 0);
    while let Some((group, length)) = tables.groups.at(text, at) {
        (groups[count], places[count]) = (group, relative(at, 0));
        (count, at) = (count + 1, at + length);
    }
    (isa.load(&groups), count)
}

#[inline(always)]
fn run_in_stretches<I: Isa>(
    isa: I,
    tables: &Tables,
    scanner: &Scanner,
    text: &[u8],
    room: &mut Room,
    each: &mut dyn FnMut(usize, &[u32]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let Room { buffer, ends } = room;
    buffer.begin();
    let mut run =
        Run { tables, scanner, text, buffer, ends, count: 0, beyond: None, last: 0, failed: Failed::default() };
    // The first position of a text is a boundary, and is not given.
    let (mut at, mut unsettled) = (0, FRONT + 1);
    while at < text.len() {
        at = run.buffer.fill(isa, tables, text, at);
        // The last character of a stretch waits for the one after it.
        run.settle(isa, unsettled, run.buffer.filled - usize::from(at < text.len()));
        if at == text.len() {
            run.close();
        }
        run.hand_on(each)?;
        run.buffer.turn(at);
        unsettled = FRONT - 1;
    }
    ControlFlow::Continue(())
}

impl Run<'_> {
    /// Settles the positions before the characters `from..to` of the buffer.
    #[inline(always)]
    fn settle<I: Isa>(&mut self, isa: I, mut from: usize, to: usize) {
        if self.last >= self.buffer.origin + self.buffer.place(from) {
            from = self.buffer.after(self.last - self.buffer.origin, from);
        }
        while from < to {
            let Some(around) = self.buffer.groups[from - SIDE..].first_chunk() else { return };
            let (mut cuts, mut asks) =
                verdicts(isa, &self.tables.windows, &Around::within(isa, &self.tables.windows, around));
            if to - from < BLOCK {
                let inside = (1 << (to - from)) - 1;
                (cuts, asks) = (cuts & inside, asks & inside);
            }
            let mut next = from + BLOCK;
            while asks != 0 {
                let before = (1_u64 << asks.trailing_zeros()) - 1;
                self.put(isa, cuts & before, from);
                let settled = self.ask(from, asks);
                if settled >= from + BLOCK {
                    (cuts, next) = (0, settled);
                    break;
                }
                let open = u64::MAX << (settled - from);
                (cuts, asks) = (cuts & open, asks & open);
            }
            self.put(isa, cuts, from);
            from = next;
        }
    }

    #[inline(always)]
    fn put<I: Isa>(&mut self, isa: I, mask: u64, from: usize) {
        let Some(ends) = self.ends[self.count..].first_chunk_mut::<BLOCK>() else { return };
        match self.buffer.places(from) {
            Some(places) => isa.put_places(mask, places, ends),
            #[allow(clippy::cast_possible_truncation)] // a place in a stretch
            None => isa.put(mask, self.buffer.place(from) as u32, ends),
        }
        self.count += mask.count_ones() as usize;
    }

    /// Runs the automaton from the last boundary until it has passed the first of some positions that ask, or all of them
    /// where they are many; gives the first character behind.
    #[inline(never)]
    fn ask(&mut self, from: usize, asks: u64) -> usize {
        let last = self.last_boundary();
        let Self { scanner, text, buffer, failed, ends, count, .. } = self;
        let end = if asks.count_ones() < MANY {
            scanner.next_boundary(text, last, failed)
        } else {
            let stop = buffer.origin + buffer.place(from + asks.ilog2() as usize);
            scanner.boundaries(text, last, stop, failed, |end| {
                ends[*count] = relative(end, buffer.origin);
                *count += 1;
            })
        };
        let settled = buffer.after(end - buffer.origin, from);
        if settled < buffer.filled {
            ends[*count] = relative(end, buffer.origin);
            *count += 1;
        } else {
            self.beyond = Some(end);
        }
        settled
    }

    /// Adds the end of the text, unless it was given, and before it a boundary that may lie before the last character.
    #[inline(always)]
    fn close(&mut self) {
        let last = self.beyond.take().filter(|&end| end < self.text.len());
        for end in last.into_iter().chain([self.text.len()]) {
            if self.last_boundary() < end {
                self.ends[self.count] = relative(end, self.buffer.origin);
                self.count += 1;
            }
        }
    }

    fn last_boundary(&self) -> usize {
        match self.ends[..self.count].last() {
            Some(&end) => self.buffer.origin + end as usize,
            None => self.last,
        }
    }

    #[inline(always)]
    fn hand_on(&mut self, each: &mut dyn FnMut(usize, &[u32]) -> ControlFlow<()>) -> ControlFlow<()> {
        if self.count > 0 {
            self.last = self.last_boundary();
            each(self.buffer.origin, &self.ends[..self.count])?;
            self.count = 0;
        }
        if let Some(end) = self.beyond.take() {
            self.last = end;
            each(end, &[0])?;
        }
        ControlFlow::Continue(())
    }
}
