//! The base symbols: what pretokens are made of before the first merge.
//!
//! The 256 bytes, byte b with id b; or the characters that occur, by code point, after the end-of-word mark where that is a
//! symbol of its own. Where the mark is joined to the last character of a word, each character has two symbols, itself and
//! then itself with the mark, whether both occur or one: a word may end in any character that was seen. Cost: one look-up
//! a symbol.

use rustc_hash::FxHashMap;

use crate::cancel::{Cancel, Meter};
use crate::count::Counts;
use crate::error::{Error, Report, Result};
use crate::vocabulary::{Alphabet, MARK};

/// How pretokens become symbols.
#[derive(Debug)]
pub(super) enum Base {
    /// Each byte is a symbol.
    Bytes,
    /// Each character is a symbol.
    Characters {
        /// Where the end-of-word mark goes.
        mark: Mark,
        /// The characters that occur (each also with the mark joined, where it is joined), in order.
        symbols: Vec<(char, bool)>,
        /// Their ids.
        ids: FxHashMap<(char, bool), u32>,
    },
}

/// Where the end-of-word mark goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// There is none.
    Absent,
    /// A symbol of its own, with id 0, after the last character.
    Alone,
    /// Joined to the last character.
    Joined,
}

impl Base {
    /// The base symbols of these pretokens.
    pub(super) fn new(counts: &Counts, alphabet: &Alphabet, cancel: Cancel<'_>) -> Result<Self> {
        let mark = match alphabet {
            Alphabet::Bytes => return Ok(Self::Bytes),
            Alphabet::Characters { end_of_word: None } => Mark::Absent,
            Alphabet::Characters { end_of_word: Some(mark) } if mark.joined => Mark::Joined,
            Alphabet::Characters { .. } => Mark::Alone,
        };
        let mut ids = FxHashMap::default();
        let mut meter = Meter::new(cancel);
        for (index, (word, _)) in counts.iter().enumerate() {
            meter.reach(index)?;
            let word = std::str::from_utf8(word).map_err(|error| not_text(word, index, error.valid_up_to()))?;
            for (character, _) in characters(word, mark) {
                ids.insert((character, false), 0);
                if mark == Mark::Joined {
                    ids.insert((character, true), 0);
                }
            }
        }
        let mut symbols: Vec<(char, bool)> = ids.keys().copied().collect();
        symbols.sort_unstable();
        for (id, symbol) in (u32::from(mark == Mark::Alone)..).zip(&symbols) {
            ids.insert(*symbol, id);
        }
        Ok(Self::Characters { mark, symbols, ids })
    }

    /// How many base symbols there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Bytes => 256,
            Self::Characters { mark, symbols, .. } => symbols.len() + usize::from(*mark == Mark::Alone),
        }
    }

    /// The content of each, in the order of their ids.
    pub(super) fn contents(&self) -> Vec<Vec<u8>> {
        match self {
            Self::Bytes => (0..=u8::MAX).map(|byte| vec![byte]).collect(),
            Self::Characters { mark, symbols, .. } => {
                let alone = (*mark == Mark::Alone).then(|| vec![MARK]);
                let content = |&(character, marked): &(char, bool)| {
                    let mut content = character.to_string().into_bytes();
                    content.extend(marked.then_some(MARK));
                    content
                };
                alone.into_iter().chain(symbols.iter().map(content)).collect()
            }
        }
    }

    /// How many symbols a pretoken has.
    pub(super) fn length(&self, pretoken: &[u8]) -> usize {
        match self {
            Self::Bytes => pretoken.len(),
            Self::Characters { mark, .. } => text(pretoken).chars().count() + usize::from(*mark == Mark::Alone),
        }
    }

    /// Appends the symbols of a pretoken.
    pub(super) fn append(&self, pretoken: &[u8], to: &mut Vec<u32>) {
        match self {
            Self::Bytes => to.extend(pretoken.iter().map(|&byte| u32::from(byte))),
            Self::Characters { mark, ids, .. } => {
                to.extend(characters(text(pretoken), *mark).map(|symbol| ids[&symbol]));
                to.extend((*mark == Mark::Alone).then_some(0));
            }
        }
    }
}

/// The characters of a word, each with whether the mark is joined to it.
fn characters(word: &str, mark: Mark) -> impl Iterator<Item = (char, bool)> {
    word.char_indices().map(move |(at, c)| (c, mark == Mark::Joined && at + c.len_utf8() == word.len()))
}

/// A word as text; [`Base::new`] has checked that it is.
fn text(word: &[u8]) -> &str {
    std::str::from_utf8(word).unwrap_or_default()
}

fn not_text(word: &[u8], index: usize, at: usize) -> Error {
    let shown: String = word.utf8_chunks().take(8).fold(String::new(), |mut shown, chunk| {
        shown.extend(chunk.valid().chars().take(40));
        shown.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
        shown
    });
    Error::Training(Report::new(
        format!("word {index} is not UTF-8 at its byte {at}: \"{shown}\""),
        "characters mode needs text in UTF-8; use alphabet=\"bytes\" for any bytes",
    ))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::vocabulary::EndOfWord;

    fn words(words: &[&str]) -> Counts {
        let mut counts = Counts::default();
        for word in words {
            counts.add(word.as_bytes(), 1).unwrap();
        }
        counts
    }

    fn characters_alphabet(joined: Option<bool>) -> Alphabet {
        Alphabet::Characters { end_of_word: joined.map(|joined| EndOfWord { mark: "</w>".to_owned(), joined }) }
    }

    #[test]
    fn symbols_are_ordered_by_code_point_the_mark_first_and_the_joined_last() {
        let counts = words(&["zéa", "ab", "a"]);
        for (joined, contents, first) in [
            (None, vec!["a", "b", "z", "é"], vec![2, 3, 0]),
            (Some(false), vec!["|", "a", "b", "z", "é"], vec![3, 4, 1, 0]),
            (Some(true), vec!["a", "a|", "b", "b|", "z", "z|", "é", "é|"], vec![4, 6, 1]),
        ] {
            let base = Base::new(&counts, &characters_alphabet(joined), Cancel::default()).unwrap();
            let marked = |c: &str| c.bytes().map(|b| if b == b'|' { MARK } else { b }).collect::<Vec<u8>>();
            assert_eq!(base.contents(), contents.into_iter().map(marked).collect::<Vec<_>>());
            assert_eq!(base.contents().len(), base.len());
            let mut symbols = Vec::new();
            base.append("zéa".as_bytes(), &mut symbols);
            assert_eq!(symbols, first);
            assert_eq!(base.length("zéa".as_bytes()), symbols.len());
        }
    }

    #[test]
    fn a_word_that_is_no_text_is_named() {
        let mut counts = words(&["ok"]);
        counts.add(b"caf\xe9!", 1).unwrap();
        let error = Base::new(&counts, &characters_alphabet(None), Cancel::default()).unwrap_err().to_string();
        assert!(error.starts_with("word 1 is not UTF-8 at its byte 3: \"caf\\xe9!\"\nhint: "), "{error}");
    }
}
