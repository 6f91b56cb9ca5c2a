//! Which of two pairs is merged first: the higher count, then the rule for ties.
//!
//! The idea: under three of the four rules a pair's place among equals is two numbers, smallest first; `greatest` compares the
//! texts of the tokens. Every rule is a total order: no two pairs are equal. Cost: one comparison of numbers, of texts
//! under `greatest`.

use std::cmp::Ordering;

use super::Ties;
use super::hot::Hot;
use super::tokens::Tokens;
use crate::vocabulary::{Alphabet, MARK};

/// A pair as it stood when it was queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its count.
    pub(super) count: u64,
    /// Its place among pairs of this count: see [`Order::key`].
    pub(super) key: (u32, u32),
    /// Its number.
    pub(super) pair: u32,
}

impl Entry {
    /// The pair as it stands now.
    pub(super) fn of(index: u32, pair: &Hot, order: &Order) -> Self {
        Self { count: pair.count, key: order.key(pair), pair: index }
    }
}

/// The order in which pairs are merged.
#[derive(Debug)]
pub(super) struct Order {
    ties: Ties,
    /// The number of each base symbol under `huggingface`; others keep theirs.
    base: Vec<u32>,
    /// The tokens as they are written, under `greatest`.
    written: Vec<Vec<u8>>,
    /// How the end-of-word mark is written, in characters mode.
    mark: Option<Vec<u8>>,
}

impl Order {
    /// The order under a rule, where there are these tokens.
    pub(super) fn new(ties: Ties, alphabet: &Alphabet, tokens: &Tokens) -> Self {
        let (base, mark) = match alphabet {
            Alphabet::Bytes if ties == Ties::HuggingFace => (hugging_face_numbers(tokens), None),
            Alphabet::Characters { end_of_word: Some(mark) } => (Vec::new(), Some(mark.mark.clone().into_bytes())),
            _ => (Vec::new(), None),
        };
        let mut order = Self { ties, base, written: Vec::new(), mark };
        for (_, content) in tokens.iter() {
            order.learn(content);
        }
        order
    }

    /// Whether the order asks where pairs stand.
    pub(super) fn by_position(&self) -> bool {
        self.ties == Ties::First
    }

    /// Takes note of a new token.
    pub(super) fn learn(&mut self, content: &[u8]) {
        if self.ties == Ties::Greatest {
            let written = match &self.mark {
                Some(mark) => content.split(|&byte| byte == MARK).collect::<Vec<_>>().join(&mark[..]),
                None => content.to_vec(),
            };
            self.written.push(written);
        }
    }

    /// A pair's place among pairs of its count: its first position, or its ids.
    pub(super) fn key(&self, pair: &Hot) -> (u32, u32) {
        let number = |id: u32| self.base.get(id as usize).copied().unwrap_or(id);
        if self.by_position() { (pair.first, 0) } else { (number(pair.left), number(pair.right)) }
    }

    /// Whether `one` is merged before `other`.
    #[inline]
    pub(super) fn precedes(&self, one: &Entry, other: &Entry) -> bool {
        if one.count != other.count {
            return one.count > other.count;
        }
        let by_key = one.key.cmp(&other.key);
        let order = match self.ties {
            Ties::Greatest => self.written(other.key).cmp(&self.written(one.key)).then(by_key),
            _ => by_key,
        };
        order == Ordering::Less
    }

    /// A pair of ids as it is written.
    fn written(&self, (left, right): (u32, u32)) -> (&[u8], &[u8]) {
        (&self.written[left as usize], &self.written[right as usize])
    }
}

/// The number of each token up to the last of one byte: the bytes share the numbers that they have in the order of Hugging
/// Face's byte alphabet, which maps bytes to printable characters and sorts by those. The bytes that Latin-1 prints are
/// themselves there, all others come after them, in order.
fn hugging_face_numbers(tokens: &Tokens) -> Vec<u32> {
    let printable = |byte: u8| matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF);
    let single = |(token, content): (u32, &[u8])| <[u8; 1]>::try_from(content).ok().map(|[byte]| (token, byte));
    let in_order: Vec<(u32, u8)> = tokens.iter().filter_map(single).collect();
    let mut sorted = in_order.clone();
    sorted.sort_unstable_by_key(|&(_, byte)| (!printable(byte), byte));
    let mut numbers: Vec<u32> = (0..=in_order.last().map_or(0, |&(token, _)| token)).collect();
    for ((number, _), (token, _)) in in_order.into_iter().zip(sorted) {
        numbers[token as usize] = number;
    }
    numbers
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn bytes_share_the_numbers_that_bytes_have() {
        let mut tokens = Tokens::default();
        for content in [&b" "[..], b"x ", b"b", b"a", b"xy"] {
            tokens.add(content, content.len()).unwrap();
        }
        assert_eq!(hugging_face_numbers(&tokens), [3, 1, 2, 0]);
    }

    #[test]
    fn hugging_face_puts_printable_bytes_first() {
        let mut tokens = Tokens::default();
        for byte in 0..=u8::MAX {
            tokens.add(&[byte], 1).unwrap();
        }
        let numbers = hugging_face_numbers(&tokens);
        let number = |byte: u8| numbers[usize::from(byte)];
        assert_eq!((number(b'!'), number(b'~'), number(0xA1)), (0, 93, 94));
        assert_eq!((number(0xAC), number(0xAE), number(0xFF)), (105, 106, 187));
        assert_eq!((number(0), number(b' '), number(0x7F), number(0xA0), number(0xAD)), (188, 220, 221, 254, 255));
    }
}
