//! Stages that see bytes as byte-level files spell them.
//!
//! Some published tokenizers split once more behind `ByteLevel` (Falcon: digits), and what they see there is its alphabet: a
//! printable character for each byte, `Ġ` for a space. A stage `(?spelled)b` does the same: `b` sees the spelling of each
//! piece, so it may cut inside a character, where `é` is `Ã©`. What comes out are bytes of the text again.
//!
//! Cost: a copy of each piece that is not printable ASCII, which spells itself.

use super::Pretoken;

/// The character of each byte, as in GPT-2's encoder: those that Latin-1 prints are themselves, the others follow from U+0100 on.
const ALPHABET: [char; 256] = {
    let (mut alphabet, mut byte, mut other) = (['\0'; 256], 0_u8, 0x100_u32);
    loop {
        alphabet[byte as usize] = if matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..) {
            byte as char
        } else {
            other += 1;
            match char::from_u32(other - 1) {
                Some(character) => character,
                None => '\0',
            }
        };
        if byte == 255 {
            break alphabet;
        }
        byte += 1;
    }
};

/// The spelling of a piece; `None` where it spells itself.
pub(super) fn spelled(piece: &[u8]) -> Option<Vec<u8>> {
    if piece.iter().all(u8::is_ascii_graphic) {
        return None;
    }
    let mut text = Vec::with_capacity(2 * piece.len());
    for &byte in piece {
        text.extend_from_slice(ALPHABET[usize::from(byte)].encode_utf8(&mut [0; 2]).as_bytes());
    }
    Some(text)
}

/// Positions of a spelling, in order, as those of what is spelled.
pub(super) struct Positions<'a> {
    text: &'a [u8],
    /// How far it was read, and how many bytes those characters spell.
    at: usize,
    bytes: usize,
}

impl<'a> Positions<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, bytes: 0 }
    }

    /// A pretoken of the spelling as one of the piece; they are asked for in order.
    pub(super) fn piece(&mut self, found: Pretoken) -> Pretoken {
        let start = self.reach(found.start);
        Pretoken { start, end: self.reach(found.end), ..found }
    }

    /// The byte of the piece where a position of the spelling is.
    fn reach(&mut self, position: usize) -> usize {
        let read = self.text.get(self.at..position).unwrap_or_default();
        self.bytes += read.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
        self.at = self.at.max(position);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_a_character_of_its_own() {
        let mut sorted = ALPHABET;
        sorted.sort_unstable();
        assert!(sorted.windows(2).all(|pair| pair[0] < pair[1]));
        let shown: String =
            [0, b' ', b'a', 0x7f, 0x80, 0xad, 0xe9, 0xff].map(|byte| ALPHABET[usize::from(byte)]).iter().collect();
        assert_eq!(shown, "\u{100}\u{120}a\u{121}\u{122}\u{143}éÿ");
    }

    #[test]
    fn positions_are_those_of_bytes() {
        assert_eq!(spelled(b"abc~!"), None);
        let text = spelled("a é1".as_bytes()).unwrap_or_default();
        assert_eq!(text, "aĠÃ©1".as_bytes());
        let mut positions = Positions::new(&text);
        let mut at = |start, end| {
            let piece = positions.piece(Pretoken { start, end, alternative: None });
            (piece.start, piece.end)
        };
        assert_eq!([at(0, 1), at(1, 3), at(3, 7), at(7, 8)], [(0, 1), (1, 2), (2, 4), (4, 5)]);
    }
}
