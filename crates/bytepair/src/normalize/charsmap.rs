//! `SentencePiece`'s table of replacements ("precompiled charsmap"): a trie in a double array, and the texts that it leads to.
//!
//! The bytes: the length of the trie as four bytes, the trie's units of four bytes (all little-endian), and the
//! replacements, each ended by a zero byte. A unit is as in Yuta Mori's Darts-clone.
//!
//! Parts of the trie that are alike may stand in it once, so that several ways lead to one unit; but none leads back to
//! itself.
//!
//! Invariant: no table, however damaged, leads outside of itself, and no key has more than [`MOST`] bytes.
//!
//! Cost: a look-up is linear in the bytes of the key that the trie knows.

use crate::error::{Error, Report, Result};

/// The most bytes of a key. Those that `SentencePiece` makes have a few characters.
const MOST: usize = 1024;

/// The table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Charsmap {
    bytes: Vec<u8>,
    units: Vec<u32>,
    /// Where the replacements begin in `bytes`, and end.
    texts: (usize, usize),
}

impl Charsmap {
    /// Reads a table.
    ///
    /// # Errors
    /// [`Error::Vocabulary`] for bytes that are none.
    pub fn new(bytes: Vec<u8>) -> Result<Self> {
        let refuse = |message: String| {
            Error::Vocabulary(Report::new(message, "the precompiled charsmap is damaged; take it from its file again"))
        };
        let Some(length) = bytes.first_chunk::<4>().map(|four| u32::from_le_bytes(*four) as usize) else {
            return Err(refuse(format!("a precompiled charsmap of {} bytes has no trie", bytes.len())));
        };
        let Some(trie) = bytes.get(4..).and_then(|rest| rest.get(..length)).filter(|trie| trie.len() % 4 == 0) else {
            return Err(refuse(format!(
                "the trie of a precompiled charsmap of {} bytes has {length} bytes",
                bytes.len()
            )));
        };
        let units: Vec<u32> = trie.as_chunks::<4>().0.iter().map(|four| u32::from_le_bytes(*four)).collect();
        let texts = &bytes[4 + length..];
        if std::str::from_utf8(texts).is_err() {
            return Err(refuse("the replacements of a precompiled charsmap are not UTF-8".to_owned()));
        }
        let root = units.first().map_or(0, |&root| offset(root));
        if longest_key(&units, root, MOST, &mut vec![0; units.len()]).is_none() {
            return Err(refuse(format!("the trie of a precompiled charsmap has a key of more than {MOST} bytes")));
        }
        // What no zero ends is no replacement.
        let texts = (4 + length, 4 + length + memchr::memrchr(0, texts).map_or(0, |last| last + 1));
        Ok(Self { bytes, units, texts })
    }

    /// How many bytes the longest replacement has.
    pub(super) fn longest_replacement(&self) -> usize {
        self.texts().split(|&byte| byte == 0).map(<[u8]>::len).max().unwrap_or(0)
    }

    /// All replacements, each ended by a zero.
    fn texts(&self) -> &[u8] {
        self.bytes.get(self.texts.0..self.texts.1).unwrap_or_default()
    }

    /// The bytes that it was read from.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The replacement of the longest prefix that has one, and how long that prefix is.
    pub(super) fn longest(&self, text: &[u8]) -> Option<(&[u8], usize)> {
        let mut found = None;
        self.prefixes(text, |value, length| {
            found = Some((value, length));
            true
        });
        found.and_then(|(value, length)| Some((self.text(value)?, length)))
    }

    /// The replacement of the shortest prefix that has one.
    pub(super) fn shortest(&self, text: &[u8]) -> Option<&[u8]> {
        let mut found = None;
        self.prefixes(text, |value, _| {
            found = Some(value);
            false
        });
        self.text(found?)
    }

    /// The replacement that begins at a place.
    fn text(&self, value: u32) -> Option<&[u8]> {
        let from = self.texts().get(value as usize..)?;
        let text = &from[..memchr::memchr(0, from)?];
        // A place inside a character is damage.
        std::str::from_utf8(text).is_ok().then_some(text)
    }

    /// Calls `each` with the value and the length of every prefix that has one, the shorter first, as long as it says so.
    fn prefixes(&self, text: &[u8], mut each: impl FnMut(u32, usize) -> bool) {
        let Some(&root) = self.units.first() else { return };
        let mut at = offset(root);
        for (place, &byte) in text.iter().enumerate() {
            // A zero would lead to a value.
            if byte == 0 {
                return;
            }
            at ^= usize::from(byte);
            let Some(&unit) = self.units.get(at) else { return };
            if unit & (1 << 31 | 0xFF) != u32::from(byte) {
                return;
            }
            at ^= offset(unit);
            if unit >> 8 & 1 == 1 {
                let Some(&leaf) = self.units.get(at) else { return };
                if !each(leaf & !(1 << 31), place + 1) {
                    return;
                }
            }
        }
    }
}

/// How far a unit's children lie from it.
fn offset(unit: u32) -> usize {
    ((unit >> 10) << ((unit & 1 << 9) >> 6)) as usize
}

/// How many bytes the longest key has, of those that go on from a place; `None` if that is more than `most`, as it is where a
/// way leads back to itself. What is known of a unit is one more, and zero if that is nothing.
fn longest_key(units: &[u32], place: usize, most: usize, known: &mut [u16]) -> Option<usize> {
    let mut longest = 0;
    for byte in 1..=255u8 {
        let child = place ^ usize::from(byte);
        let Some(&unit) = units.get(child).filter(|&unit| unit & (1 << 31 | 0xFF) == u32::from(byte)) else { continue };
        if known[child] == 0 {
            let rest = longest_key(units, child ^ offset(unit), most.checked_sub(1)?, known)?;
            known[child] = u16::try_from(rest + 1).ok()?;
        }
        longest = longest.max(usize::from(known[child]));
    }
    (longest <= most).then_some(longest)
}
