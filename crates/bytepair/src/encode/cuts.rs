//! Where a long pretoken may be cut before it is merged.
//!
//! Idea: a merge that joins the two sides of a position makes a token, and the bytes of that token stand in the text
//! around the position. So where no token *found in the text's bytes* straddles a position, no merge ever does: each
//! side is merged as if it stood alone, and the ids of the whole are those of the sides. (By induction over the merges:
//! as long as no symbol straddles the position, the lowest pair of the whole is a pair of one side, and is the lowest of
//! that side, leftmost among equals, because the pair across the position makes no token.) The tokens that count are
//! those that a merge can make, whatever part of a character they begin or end with.
//!
//! Whether a token straddles is asked about the bytes nearest to the position only: of a token that straddles it, up to
//! [`REACH`] bytes on each side, fewer where the token begins or ends sooner. The answer "perhaps" costs speed alone.
//!
//! Invariant: for every token that a merge can make and every position inside it at which no continuation byte of UTF-8
//! stands, the window of the token's bytes around the position is in the set.
//!
//! Cost: a direct table by the two bytes at the position and a part of the next one says whether there is any window at
//! all; another by the two bytes, which lengths of windows there are. Between characters of three bytes these are nearly
//! always the longest windows alone, of which one is asked for. Whether there is a cut cannot be foretold, so there is no
//! branch on it. Building is linear in the bytes of the tokens.

use super::table::LONG;
use crate::late::Late;
use crate::vocabulary::Vocabulary;

/// The most bytes of a window on each side of the position.
const REACH: usize = 3;

/// The windows that hold one byte on each side: the two bytes are a token. The other kinds, as many as lengths before
/// times lengths after the position, have the higher bits.
const PAIR: u16 = 1;

/// The windows of [`REACH`] bytes on each side.
const FULL: u16 = 1 << (REACH * REACH - 1);

/// The bytes whose cuts are found before they are given.
const BLOCK: usize = 64;

/// An odd number without a pattern, to mix with.
const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

/// Bits of the set for each token. There are fewer windows in it than tokens, as nearly always the pair settles it,
const BITS: usize = 4;

/// but not where characters have several bytes.
const BITS_BUT_ASCII: usize = 32;

/// So many tokens are looked through in the time that a cut text of [`SAVES`] bytes is merged sooner.
const LOOKS: usize = 64;

/// See [`LOOKS`].
const SAVES: usize = 32;

/// The cuts of a vocabulary, made when they pay.
#[derive(Debug, Default)]
pub(super) struct LateCuts {
    all: Late<Cuts>,
    but_ascii: Late<Cuts>,
}

impl LateCuts {
    /// Where to cut a text of so many bytes, once that was asked often enough.
    #[inline]
    pub(super) fn ask(&self, vocabulary: &Vocabulary, text: &[u8]) -> Option<&Cuts> {
        let (times, enough) = (text.len().div_ceil(SAVES), vocabulary.len() / LOOKS);
        let ascii = text.iter().filter(|byte| byte.is_ascii()).count();
        // What is not cut between ASCII characters leaves stretches whole that are too long to be kept.
        if ascii == text.len() || ascii > LONG {
            self.all.ask(times, enough, || Cuts::of(vocabulary)).or_else(|| self.but_ascii.get())
        } else {
            self.but_ascii.ask(times, enough, || Cuts::but_ascii(vocabulary))
        }
    }

    /// Whether any are made.
    #[cfg(test)]
    pub(super) fn has_any(&self) -> bool {
        self.all.get().or(self.but_ascii.get()).is_some()
    }

    /// Makes them now.
    pub(super) fn prepare(&self, vocabulary: &Vocabulary) {
        self.all.make(|| Cuts::of(vocabulary));
        self.but_ascii.make(|| Cuts::but_ascii(vocabulary));
    }
}

/// The positions that tokens straddle.
#[derive(Debug)]
pub(crate) struct Cuts {
    /// By the bytes before and after a position, the low six bits of the bytes that may follow, a bit for each.
    next: Vec<u64>,
    /// By the bytes before and after a position, the kinds of windows around such positions, a bit for each.
    kinds: Vec<u16>,
    /// Hashes of the windows, a bit for each.
    set: Vec<u64>,
    /// How far a hash is shifted to give a place in the set.
    shift: u32,
}

impl Cuts {
    /// What all tokens forbid that the vocabulary's merges make.
    pub(crate) fn of(vocabulary: &Vocabulary) -> Self {
        // In the order of their ids, as their contents lie in memory.
        let made = vocabulary.contents().zip(vocabulary.are_made());
        Self::new(&made.filter_map(|(token, is_made)| is_made.then_some(token)).collect::<Vec<&[u8]>>(), BITS)
    }

    /// What all tokens forbid, and nothing is cut between two ASCII characters: so most tokens need not be looked at.
    pub(super) fn but_ascii(vocabulary: &Vocabulary) -> Self {
        // Of few it matters that no merge makes them.
        let mut cuts =
            Self::new(&vocabulary.contents().filter(|token| !token.is_ascii()).collect::<Vec<&[u8]>>(), BITS_BUT_ASCII);
        for before in 0..128 {
            let pairs = pair(before, 0)..pair(before, 128);
            cuts.kinds[pairs.clone()].fill(PAIR);
            cuts.next[pairs].fill(u64::MAX);
        }
        cuts
    }

    /// What these tokens forbid.
    fn new(tokens: &[&[u8]], bits: usize) -> Self {
        let bits = (tokens.len() * bits).next_power_of_two().max(128);
        let mut cuts =
            Self { next: vec![0; 1 << 16], kinds: vec![0; 1 << 16], set: vec![0; bits / 64], shift: 64 - bits.ilog2() };
        // Where the two bytes at a position are a token themselves, nothing more is asked.
        for &token in tokens {
            if let [before, after] = *token {
                let pair = pair(before, after);
                (cuts.kinds[pair], cuts.next[pair]) = (PAIR, u64::MAX);
            }
        }
        for &token in tokens {
            for at in inner(token) {
                let pair = pair(token[at - 1], token[at]);
                if cuts.kinds[pair] & PAIR == 0 {
                    let (before, after) = (at.min(REACH), (token.len() - at).min(REACH));
                    cuts.kinds[pair] |= 1 << kind(before, after);
                    // After the token's end stands anything.
                    cuts.next[pair] |= token.get(at + 1).map_or(u64::MAX, |&byte| low_bits(byte));
                    let (word, bit) = cuts.place(kind(before, after), part(around(token, at), before, after));
                    cuts.set[word] |= bit;
                }
            }
        }
        cuts
    }

    /// Calls `each` with the start and the end of each part of `text[start..end]` that is merged by itself.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // places in a block
    pub(super) fn parts(&self, text: &[u8], start: usize, end: usize, mut each: impl FnMut(usize, usize)) {
        let (mut from, mut at) = (start, start + text.get(start).map_or(1, |&lead| step(lead)));
        while at < end {
            let (mut cuts, mut count) = ([0; BLOCK], 0);
            let block = at;
            while at < end.min(block + BLOCK) {
                let bytes = around(text, at);
                if self.is_run(bytes) {
                    at += text[at..end].iter().take_while(|&&next| next == text[at]).count();
                    continue;
                }
                // Less than a block.
                cuts[count % BLOCK] = (at - block) as u8;
                count += usize::from(self.is_cut(bytes));
                at += step(byte(bytes, REACH));
            }
            for &cut in &cuts[..count] {
                each(from, block + usize::from(cut));
                from = block + usize::from(cut);
            }
        }
        each(from, end);
    }

    /// Whether `text` may be cut before byte `at`, where a character begins.
    #[inline]
    pub(super) fn is_cut_at(&self, text: &[u8], at: usize) -> bool {
        let bytes = around(text, at);
        !self.is_run(bytes) && self.is_cut(bytes)
    }

    /// Whether the position stands inside a run of one byte of which two are a token: there is no cut before its end.
    #[inline]
    fn is_run(&self, bytes: u64) -> bool {
        let (before, after) = (byte(bytes, REACH - 1), byte(bytes, REACH));
        before == after && self.kinds[pair(before, after)] & PAIR != 0
    }

    /// Whether the text may be cut between the first [`REACH`] bytes and the others: no character goes on there, and no token
    /// that a merge can make straddles the position and lies there.
    #[inline]
    fn is_cut(&self, bytes: u64) -> bool {
        let pair = pair(byte(bytes, REACH - 1), byte(bytes, REACH));
        let kinds = self.kinds[pair];
        let is_asked = u64::from(self.next[pair] & low_bits(byte(bytes, REACH + 1)) != 0);
        if is_asked & u64::from(kinds & !FULL != 0) != 0 {
            return self.is_cut_by_kinds(bytes, kinds);
        }
        let (word, bit) = self.place(REACH * REACH - 1, part(bytes, REACH, REACH));
        let is_joined = is_asked & u64::from(self.set[word] & bit != 0);
        is_joined == 0 && !is_continuation(byte(bytes, REACH))
    }

    /// [`is_cut`](Self::is_cut) by windows of these kinds.
    #[cold]
    fn is_cut_by_kinds(&self, bytes: u64, mut kinds: u16) -> bool {
        if kinds & PAIR != 0 {
            return false;
        }
        while kinds != 0 {
            let number = kinds.trailing_zeros() as usize;
            kinds &= kinds - 1;
            let (word, bit) = self.place(number, part(bytes, number / REACH + 1, number % REACH + 1));
            if self.set[word] & bit != 0 {
                return false;
            }
        }
        true
    }

    /// The place of a window in the set.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // the set has fewer bits
    fn place(&self, kind: usize, window: u64) -> (usize, u64) {
        let hash = ((window << 4 | kind as u64).wrapping_mul(MIX) >> self.shift) as usize;
        (hash / 64, 1 << (hash % 64))
    }
}

/// The positions inside a token at which a text might be cut.
fn inner(token: &[u8]) -> impl Iterator<Item = usize> {
    (1..token.len()).filter(|&at| !is_continuation(token[at]))
}

/// Whether a byte continues a character.
#[inline]
fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// One of the bytes around a position.
#[inline]
#[allow(clippy::cast_possible_truncation)] // one byte is meant
fn byte(around: u64, at: usize) -> u8 {
    (around >> (8 * at)) as u8
}

/// The length of the character that begins with a byte; 1 for a byte that begins none.
#[inline]
fn step(lead: u8) -> usize {
    match lead {
        // First, as nothing else is about as common where texts are cut.
        0xE0..=0xEF => 3,
        0xF0..=0xFF => 4,
        0xC0..=0xDF => 2,
        _ => 1,
    }
}

/// The two bytes at a position, as one number.
#[inline]
fn pair(before: u8, after: u8) -> usize {
    usize::from(before) << 8 | usize::from(after)
}

/// The low six bits of a byte, which tell continuation bytes apart, as one of 64 bits.
#[inline]
fn low_bits(byte: u8) -> u64 {
    1 << (byte & 0x3F)
}

/// The number of a kind of windows.
#[inline]
fn kind(before: usize, after: usize) -> usize {
    (before - 1) * REACH + after - 1
}

/// The [`REACH`] bytes before a position and the [`REACH`] after it; zeros beyond the ends of the text.
#[inline]
fn around(text: &[u8], at: usize) -> u64 {
    if let Some(bytes) = at.checked_sub(REACH).and_then(|start| text.get(start..)?.first_chunk::<8>()) {
        return u64::from_le_bytes(*bytes);
    }
    around_edge(text, at)
}

/// [`around`] near the ends of the text.
#[cold]
fn around_edge(text: &[u8], at: usize) -> u64 {
    let mut bytes = [0; 8];
    for (place, to) in bytes.iter_mut().enumerate().take(2 * REACH) {
        let from = (at + place).checked_sub(REACH).and_then(|from| text.get(from));
        *to = from.copied().unwrap_or(0);
    }
    u64::from_le_bytes(bytes)
}

/// The window of so many bytes before and after the position, out of the bytes around it.
#[inline]
fn part(around: u64, before: usize, after: usize) -> u64 {
    around >> (8 * (REACH - before)) & ((1 << (8 * (before + after))) - 1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::{Cuts, is_continuation};
    use crate::vocabulary::Vocabulary;

    /// All bytes and some more tokens.
    fn vocabulary(more: &[Vec<u8>]) -> Vocabulary {
        let mut contents: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![byte]).collect();
        for content in more {
            if !contents.contains(content) {
                contents.push(content.clone());
            }
        }
        Vocabulary::from_ranks((0..).zip(contents).collect()).unwrap()
    }

    fn bytes(letters: &'static [u8], most: usize) -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec(proptest::sample::select(letters), 1..most)
    }

    proptest! {
        #[test]
        fn no_token_in_the_text_straddles_a_cut(
            more in proptest::collection::vec(bytes(b"ab\xD0\xB0\xB1\xE4\xB8", 9), 0..30),
            text in bytes(b"ab\xD0\xB0\xB1\xE4\xB8", 200),
            around in (0usize..4, 0usize..12),
            but_ascii in any::<bool>(),
        ) {
            let start = around.0.min(text.len() - 1);
            let end = text.len().saturating_sub(around.1).max(start + 1);
            let word = &text[start..end];
            let vocabulary = vocabulary(&more);
            let cuts = if but_ascii { Cuts::but_ascii(&vocabulary) } else { Cuts::of(&vocabulary) };
            let made: Vec<&[u8]> = vocabulary.made_ids().map(|id| vocabulary.content(id).unwrap()).collect();
            let mut parts = Vec::new();
            cuts.parts(&text, start, end, |from, to| parts.push((from - start, to - start)));
            prop_assert_eq!(parts[0].0, 0);
            prop_assert_eq!(parts[parts.len() - 1].1, word.len());
            for pair in parts.windows(2) {
                let cut = pair[0].1;
                prop_assert_eq!(cut, pair[1].0);
                prop_assert!(!is_continuation(word[cut]));
                for token in &made {
                    let first = (cut + 1).saturating_sub(token.len());
                    prop_assert!((first..cut).all(|start| !word[start..].starts_with(token)), "{token:?} at {cut}");
                }
            }
        }
    }

    #[test]
    fn characters_that_no_token_joins_are_cut() {
        let vocabulary = vocabulary(&["中".into(), "文".into(), "中文".into(), "字".into(), b"\xAD\xE6".to_vec()]);
        let cuts = Cuts::of(&vocabulary);
        let parts = |text: &str| {
            let mut parts = Vec::new();
            cuts.parts(text.as_bytes(), 0, text.len(), |start, end| parts.push(text[start..end].to_owned()));
            parts
        };
        // 中 ends in AD and 文 begins with E6: a token that holds parts of characters.
        assert_eq!(parts("中文字中中文文中"), ["中文", "字", "中", "中文", "文", "中"]);
        assert_eq!(parts("中"), ["中"]);
        assert_eq!(parts("xy"), ["x", "y"]);
    }
}
