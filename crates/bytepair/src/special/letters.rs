//! The characters around a special token: white space, and the letters of `\w`.
//!
//! A byte that is no part of a character is neither. Cost: a character is looked at once; `\w` is a search by halving.

use crate::unicode::ranges;

/// The characters of `\w`.
#[derive(Debug, Clone)]
pub(super) struct Letters(Vec<(u32, u32)>);

impl Letters {
    pub(super) fn new() -> Self {
        Self(ranges("Word").unwrap_or_default())
    }

    fn contains(&self, character: char) -> bool {
        let code = u32::from(character);
        let at = self.0.partition_point(|&(_, high)| high < code);
        self.0.get(at).is_some_and(|&(low, _)| low <= code)
    }

    /// Whether none of them stands right before or behind a part of a text.
    pub(super) fn spare(&self, text: &[u8], start: usize, end: usize) -> bool {
        let around = [before(&text[..start]), behind(&text[end..])];
        around.into_iter().flatten().all(|character| !self.contains(character))
    }
}

/// Where the white space begins that a text ends with.
pub(super) fn white_before(text: &[u8]) -> usize {
    let mut start = text.len();
    while let Some(space) = before(&text[..start]).filter(|character| character.is_whitespace()) {
        start -= space.len_utf8();
    }
    start
}

/// Where the white space ends that a text begins with; or, at the first character there, `most` bytes or more.
pub(super) fn white_behind(text: &[u8], most: usize) -> usize {
    let mut end = 0;
    while end < most
        && let Some(space) = behind(&text[end..]).filter(|character| character.is_whitespace())
    {
        end += space.len_utf8();
    }
    end
}

/// The last character of a text, if it ends with one.
fn before(text: &[u8]) -> Option<char> {
    let lead = (1..=4.min(text.len())).map(|back| text.len() - back).find(|&at| text[at] & 0xC0 != 0x80)?;
    std::str::from_utf8(&text[lead..]).ok()?.chars().next()
}

/// The first character of a text, if it begins with one.
fn behind(text: &[u8]) -> Option<char> {
    text[..text.len().min(4)].utf8_chunks().next()?.valid().chars().next()
}

#[cfg(test)]
mod tests {
    use super::{Letters, white_before, white_behind};

    #[test]
    fn white_space_and_letters_are_those_of_unicode() {
        assert_eq!(white_before("a \u{3000}\t".as_bytes()), 1);
        assert_eq!(white_before(b" \xE3\x80"), 3, "half a character is none");
        assert_eq!(white_behind("\u{3000} a".as_bytes(), usize::MAX), 4);
        assert_eq!(white_behind(b"    ", 2), 2);
        let letters = Letters::new();
        assert!(letters.spare(b"-ab ", 1, 3));
        for text in ["xab ", "-ab_", "\u{e9}ab", "ab\u{663}"] {
            let start = text.find("ab").unwrap_or_default();
            assert!(!letters.spare(text.as_bytes(), start, start + 2), "{text}");
        }
        assert!(letters.spare(b"\xFFab\xC3", 1, 3));
    }
}
