//! The classes of symbols that a pattern can tell apart, and the way from bytes to classes.
//!
//! Two characters are in one class when every set of the pattern holds both or neither. A pattern needs some
//! ten classes, so a class is one byte: ASCII through a table of 128, the rest through a two-level table of
//! pages of 256 code points, most of which are the same page.
//!
//! Bytes are cut into symbols by one rule: a valid UTF-8 sequence (no surrogates, nothing overlong, at most
//! U+10FFFF) is one character, and every other byte is one INVALID. Lead bytes never continue a sequence, so
//! the cut at a byte does not depend on where reading began; [`Classes::before`] relies on it.

use rustc_hash::FxHashMap;

use super::syntax::Symbols;

/// Code points on one page.
const PAGE: usize = 256;
/// Pages of Unicode.
const PAGES: usize = 0x11_0000 / PAGE;
/// Classes that one byte can name, END left out.
const MAX_CLASSES: usize = 254;

/// Unicode and INVALID, partitioned.
#[derive(Debug, Clone)]
pub(super) struct Classes {
    ascii: [u8; 128],
    pages: Vec<u16>,
    points: Vec<u8>,
    invalid: u8,
    count: usize,
    members: Vec<Vec<bool>>,
}

impl Classes {
    /// The steps that partitioning takes.
    pub fn steps(sets: &[Symbols]) -> usize {
        PAGE * PAGES / 16
            + sets.iter().map(|set| 10 * set.chars.len() + set.chars.len() * sets.len() / 64).sum::<usize>()
    }

    /// Partitions the symbols by the sets that hold them; `None` when there are too many classes.
    pub fn new(sets: &[Symbols]) -> Option<Self> {
        let mut signatures = Signatures::default();
        let mut flat = vec![0_u8; PAGE * PAGES];
        for (low, high, signature) in intervals(sets) {
            if low >= 0xD800 && high <= 0xDFFF {
                continue;
            }
            flat[low as usize..=high as usize].fill(signatures.class(signature)?);
        }
        let invalid = signatures.class(signature(sets.len(), |set| sets[set].invalid))?;
        let count = signatures.all.len();
        let member = |(index, set): (usize, &Symbols)| {
            let holds = |s: &Vec<u64>| s[index / 64] >> (index % 64) & 1 == 1;
            signatures.all.iter().map(holds).chain([set.end]).collect()
        };
        let members = sets.iter().enumerate().map(member).collect();
        let mut ascii = [0; 128];
        ascii.copy_from_slice(&flat[..128]);
        let (pages, points) = fold(&flat);
        Some(Self { ascii, pages, points, invalid, count, members })
    }

    /// How many classes there are; END is the symbol after the last.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether a set holds a symbol (a class, or `count()` for END).
    pub fn holds(&self, set: u16, symbol: usize) -> bool {
        self.members[usize::from(set)][symbol]
    }

    /// The class of a character.
    pub fn of(&self, point: u32) -> u8 {
        let page = self.pages[point as usize / PAGE];
        self.points[usize::from(page) * PAGE + point as usize % PAGE]
    }

    /// Whether a byte is a character of a class by itself.
    #[inline]
    pub fn is_ascii_of(&self, byte: u8, class: u8) -> bool {
        self.ascii.get(usize::from(byte)) == Some(&class)
    }

    /// The class of the symbol that starts at a byte, and its length in bytes; `None` at the end.
    #[inline]
    pub fn at(&self, text: &[u8], at: usize) -> Option<(u8, usize)> {
        let &first = text.get(at)?;
        if first < 0x80 {
            return Some((self.ascii[usize::from(first)], 1));
        }
        Some(self.beyond_ascii(&text[at..]))
    }

    /// The class and length of the symbol that ends before a byte; `None` at the start.
    pub fn before(&self, text: &[u8], end: usize) -> Option<(u8, usize)> {
        let &last = text.get(..end)?.last()?;
        if last < 0x80 {
            return Some((self.ascii[usize::from(last)], 1));
        }
        let lead = (2..=4.min(end)).find(|back| text[end - back] >= 0xC0);
        Some(match lead {
            Some(back) => match self.beyond_ascii(&text[end - back..end]) {
                (class, length) if length == back => (class, length),
                _ => (self.invalid, 1),
            },
            None => (self.invalid, 1),
        })
    }

    /// The same partition or a coarser one with other numbers: `number[class]` instead of each class.
    pub fn renumbered(&self, number: &[u8]) -> Self {
        let new = |class: &u8| number.get(usize::from(*class)).copied().unwrap_or_default();
        Self {
            ascii: self.ascii.each_ref().map(new),
            points: self.points.iter().map(new).collect(),
            invalid: new(&self.invalid),
            ..self.clone()
        }
    }

    /// The classes of ASCII.
    pub fn ascii(&self) -> &[u8; 128] {
        &self.ascii
    }

    /// The classes of the 256 code points of a page.
    pub fn page(&self, page: u32) -> &[u8; PAGE] {
        let from = usize::from(self.pages[page as usize]) * PAGE;
        self.points[from..].first_chunk().unwrap_or(&[0; PAGE])
    }

    fn beyond_ascii(&self, rest: &[u8]) -> (u8, usize) {
        let low = |byte: u8| u32::from(byte & 0x3F);
        match *rest {
            [a @ 0xC2..=0xDF, b @ 0x80..=0xBF, ..] => (self.of(u32::from(a & 0x1F) << 6 | low(b)), 2),
            [a @ 0xE0..=0xEF, b @ 0x80..=0xBF, c @ 0x80..=0xBF, ..]
                if (a != 0xE0 || b >= 0xA0) && (a != 0xED || b < 0xA0) =>
            {
                (self.of(u32::from(a & 0x0F) << 12 | low(b) << 6 | low(c)), 3)
            }
            [a @ 0xF0..=0xF4, b @ 0x80..=0xBF, c @ 0x80..=0xBF, d @ 0x80..=0xBF, ..]
                if (a != 0xF0 || b >= 0x90) && (a != 0xF4 || b < 0x90) =>
            {
                (self.of(u32::from(a & 0x07) << 18 | low(b) << 12 | low(c) << 6 | low(d)), 4)
            }
            _ => (self.invalid, 1),
        }
    }
}

/// Numbers the signatures in the order they come.
#[derive(Default)]
struct Signatures {
    numbers: FxHashMap<Vec<u64>, u8>,
    all: Vec<Vec<u64>>,
}

impl Signatures {
    fn class(&mut self, signature: Vec<u64>) -> Option<u8> {
        if let Some(&known) = self.numbers.get(&signature) {
            return Some(known);
        }
        let class = u8::try_from(self.all.len()).ok().filter(|&class| usize::from(class) < MAX_CLASSES)?;
        self.all.push(signature.clone());
        self.numbers.insert(signature, class);
        Some(class)
    }
}

/// Which of `count` sets hold something, one bit each.
fn signature(count: usize, holds: impl Fn(usize) -> bool) -> Vec<u64> {
    let mut bits = vec![0; count / 64 + 1];
    for set in (0..count).filter(|&set| holds(set)) {
        bits[set / 64] |= 1 << (set % 64);
    }
    bits
}

/// The code points from 0 to U+10FFFF in intervals, each with the signature of the sets that hold it.
fn intervals(sets: &[Symbols]) -> Vec<(u32, u32, Vec<u64>)> {
    let mut turns: Vec<(u32, usize)> = Vec::new();
    for (index, set) in sets.iter().enumerate() {
        turns.extend(set.chars.iter().flat_map(|&(low, high)| [(low, index), (high + 1, index)]));
    }
    turns.sort_unstable();
    let mut found = Vec::new();
    let (mut low, mut bits) = (0, signature(sets.len(), |_| false));
    for (point, set) in turns {
        if point > low {
            found.push((low, point - 1, bits.clone()));
            low = point;
        }
        bits[set / 64] ^= 1 << (set % 64);
    }
    if low <= 0x10_FFFF {
        found.push((low, 0x10_FFFF, bits));
    }
    found
}

/// The pages of a flat table, each distinct one stored once.
fn fold(flat: &[u8]) -> (Vec<u16>, Vec<u8>) {
    let mut numbers: FxHashMap<&[u8], u16> = FxHashMap::default();
    let (mut pages, mut points) = (Vec::with_capacity(PAGES), Vec::new());
    for page in flat.chunks_exact(PAGE) {
        let next = u16::try_from(numbers.len()).unwrap_or(u16::MAX);
        let number = *numbers.entry(page).or_insert(next);
        if number == next && usize::from(number) * PAGE == points.len() {
            points.extend_from_slice(page);
        }
        pages.push(number);
    }
    (pages, points)
}
