//! Which tokens may be made.
//!
//! A limit bars a pair for good: contents never change. Cost: linear in the two contents, where there is a limit at all.

use crate::vocabulary::Alphabet;

/// What bars a pair.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Limits {
    /// No token is longer than this many bytes.
    pub(super) max_bytes: Option<usize>,
    /// No token holds a part of a character beside anything else.
    pub(super) whole_characters: bool,
}

impl Limits {
    /// The limits for tokens of this alphabet. Tokens made of characters are made of whole ones.
    pub(super) fn new(max_bytes: Option<usize>, whole_characters: bool, alphabet: &Alphabet) -> Self {
        Self { max_bytes, whole_characters: whole_characters && *alphabet == Alphabet::Bytes }
    }

    /// Whether a token of these two contents may be made.
    pub(super) fn allow(self, left: &[u8], right: &[u8]) -> bool {
        self.max_bytes.is_none_or(|max| left.len() + right.len() <= max)
            && (!self.whole_characters || is_whole_or_part(&[left, right].concat()))
    }
}

/// Whether this is valid UTF-8, or stands in one character of it and is less than that.
fn is_whole_or_part(content: &[u8]) -> bool {
    match std::str::from_utf8(content) {
        Ok(_) => true,
        // The beginning of a character, and nothing else; or one to three bytes that continue one.
        Err(error) => {
            (error.valid_up_to() == 0 && error.error_len().is_none())
                || (content.len() < 4 && content.iter().all(|byte| byte & 0xC0 == 0x80))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn parts_are_those_of_some_character() {
        let mut parts: HashSet<Vec<u8>> = HashSet::new();
        for character in '\0'..=char::MAX {
            let mut buffer = [0; 4];
            let bytes = character.encode_utf8(&mut buffer).as_bytes();
            for start in 0..bytes.len() {
                for end in start + 1..=bytes.len() {
                    if end - start > 1 {
                        parts.insert(bytes[start..end].to_vec());
                    }
                }
            }
        }
        // Every string of two bytes, and of three or four of which the first two are a part or one character.
        for first in 0..=u8::MAX {
            for second in 0..=u8::MAX {
                let two = [first, second];
                let text = std::str::from_utf8(&two).is_ok();
                assert_eq!(is_whole_or_part(&two), text || parts.contains(&two[..]), "{two:?}");
                for third in 0..=u8::MAX {
                    let three = [first, second, third];
                    let text = std::str::from_utf8(&three).is_ok();
                    assert_eq!(is_whole_or_part(&three), text || parts.contains(&three[..]), "{three:?}");
                }
            }
        }
        for (content, allowed) in [
            (&b"\x80\x80\x80\x80"[..], false),
            (b"a\xc3", false),
            (b"\xa9a", false),
            (b"a\xc3\xa9", true),
            ("éa漢🌱".as_bytes(), true),
            (b"\xf0\x9f\x8c", true),
            (b"\xf0\x9f\x8c\xb1\xf0", false),
            (b"\xff\xff", false),
        ] {
            assert_eq!(is_whole_or_part(content), allowed, "{content:?}");
        }
    }

    #[test]
    fn limits_hold_for_the_token_that_is_made() {
        let none = Limits::default();
        assert!(none.allow(&[0xFF; 100], &[0xFF; 100]));
        let short = Limits { max_bytes: Some(3), ..none };
        assert!(short.allow(b"ab", b"c") && !short.allow(b"ab", b"cd"));
        let whole = Limits::new(None, true, &Alphabet::Bytes);
        assert!(whole.allow(b"\xc3", b"\xa9") && !whole.allow(b" ", b"\xc3"));
        assert!(Limits::new(None, true, &Alphabet::Characters { end_of_word: None }).allow(b" ", b"\xff"));
    }
}
