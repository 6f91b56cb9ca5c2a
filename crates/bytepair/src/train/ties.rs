//! Which of two pairs is merged first: the higher count, then the rule for ties.
//!
//! The idea: under three of the four rules a pair's place among equals is two numbers, smallest first; `greatest` compares the
//! texts of the tokens. Every rule is a total order: no two pairs are equal. Cost: one comparison of numbers, of texts
//! under `greatest`.

use std::cmp::Ordering;

use super::Ties;
use super::pairs::Pair;
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
    /// The order under a rule.
    pub(super) fn new(ties: Ties, alphabet: &Alphabet) -> Self {
        let (base, mark) = match alphabet {
            Alphabet::Bytes if ties == Ties::HuggingFace => (hugging_face_numbers(), None),
            Alphabet::Characters { end_of_word: Some(mark) } => (Vec::new(), Some(mark.mark.clone().into_bytes())),
            _ => (Vec::new(), None),
        };
        Self { ties, base, written: Vec::new(), mark }
    }

    /// Whether the order asks where pairs stand.
    pub(super) fn by_position(&self) -> bool {
        self.ties == Ties::First
    }

    /// Takes note of a token; every token, in the order of their ids.
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
    pub(super) fn key(&self, pair: &Pair) -> (u32, u32) {
        let number = |id: u32| self.base.get(id as usize).copied().unwrap_or(id);
        if self.by_position() { (pair.first, 0) } else { (number(pair.left), number(pair.right)) }
    }

    /// Whether `one` is merged before `other`.
    pub(super) fn precedes(&self, one: &Entry, other: &Entry) -> bool {
        let among_equals = || match self.ties {
            Ties::Greatest => self.written(other.key).cmp(&self.written(one.key)).then(one.key.cmp(&other.key)),
            _ => one.key.cmp(&other.key),
        };
        other.count.cmp(&one.count).then_with(among_equals) == Ordering::Less
    }

    /// A pair of ids as it is written.
    fn written(&self, (left, right): (u32, u32)) -> (&[u8], &[u8]) {
        (&self.written[left as usize], &self.written[right as usize])
    }
}

/// The number of each byte in Hugging Face's byte alphabet, which maps bytes to printable characters and sorts by
/// those: the bytes that Latin-1 prints are themselves, all others come after them, in order.
fn hugging_face_numbers() -> Vec<u32> {
    let printable = |byte: u8| matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF);
    let mut bytes: Vec<u8> = (0..=u8::MAX).collect();
    bytes.sort_by_key(|&byte| !printable(byte));
    let mut numbers = vec![0; 256];
    for (number, byte) in (0..).zip(bytes) {
        numbers[usize::from(byte)] = number;
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hugging_face_puts_printable_bytes_first() {
        let numbers = hugging_face_numbers();
        let number = |byte: u8| numbers[usize::from(byte)];
        assert_eq!((number(b'!'), number(b'~'), number(0xA1)), (0, 93, 94));
        assert_eq!((number(0xAC), number(0xAE), number(0xFF)), (105, 106, 187));
        assert_eq!((number(0), number(b' '), number(0x7F), number(0xA0), number(0xAD)), (188, 220, 221, 254, 255));
    }
}
