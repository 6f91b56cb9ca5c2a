//! The base symbols: what pretokens are made of before the first merge.
//!
//! The 256 bytes, in order; or the characters that occur, by code point, after the end-of-word mark where that is a
//! symbol of its own. Where the mark is joined to the last character of a word, each character has two symbols, itself and
//! then itself with the mark, whether both occur or one: a word may end in any character that was seen. Symbols are numbered
//! in this order, and each is a token: from nothing the one of the same number, on top of a base the one that has it already.
//! Cost: one look-up a symbol.

use rustc_hash::FxHashMap;

use crate::cancel::{Cancel, Meter};
use crate::count::Counts;
use crate::error::{Error, Report, Result, shortened};
use crate::vocabulary::{Alphabet, MARK};

/// How pretokens become tokens of one symbol.
#[derive(Debug)]
pub(super) struct Symbols {
    kind: Kind,
    /// The token of each symbol, by its number.
    tokens: Vec<u32>,
}

#[derive(Debug)]
enum Kind {
    /// Each byte is a symbol.
    Bytes,
    /// Each character is a symbol.
    Characters {
        mark: Mark,
        /// The characters that occur (each also with the mark joined, where it is joined), in order.
        symbols: Vec<(char, bool)>,
        /// Their numbers.
        numbers: FxHashMap<(char, bool), u32>,
    },
}

/// Where the end-of-word mark goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// There is none.
    Absent,
    /// A symbol of its own, the first, after the last character.
    Alone,
    /// Joined to the last character.
    Joined,
}

/// A word or a part of one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'a> {
    /// Its bytes, without a mark.
    pub(super) text: &'a [u8],
    /// Whether the word ends here, so that the mark follows, if there is one.
    pub(super) ends: bool,
}

impl Symbols {
    /// The base symbols of these pretokens and seeds.
    pub(super) fn new(counts: &Counts, seeds: &[Word<'_>], alphabet: &Alphabet, cancel: Cancel<'_>) -> Result<Self> {
        let mark = match alphabet {
            Alphabet::Bytes => return Ok(Self { kind: Kind::Bytes, tokens: (0..256).collect() }),
            Alphabet::Characters { end_of_word: None } => Mark::Absent,
            Alphabet::Characters { end_of_word: Some(mark) } if mark.joined => Mark::Joined,
            Alphabet::Characters { .. } => Mark::Alone,
            Alphabet::Unicode { .. } | Alphabet::MarkedBytes { .. } => {
                return Err(Error::Training(Report::new(
                    "characters that fall back to bytes, and bytes with an end-of-word mark, are not trained",
                    "train with an alphabet of bytes or of characters",
                )));
            }
        };
        let mut numbers = FxHashMap::default();
        let mut see = |text: &str| {
            for character in text.chars() {
                numbers.insert((character, false), 0);
                if mark == Mark::Joined {
                    numbers.insert((character, true), 0);
                }
            }
        };
        let mut meter = Meter::new(cancel);
        for (index, (word, _)) in counts.iter().enumerate() {
            meter.reach(index)?;
            see(std::str::from_utf8(word).map_err(|error| not_text("word", word, index, error.valid_up_to()))?);
        }
        for (index, seed) in seeds.iter().enumerate() {
            see(std::str::from_utf8(seed.text)
                .map_err(|error| not_text("seed", seed.text, index, error.valid_up_to()))?);
        }
        let mut symbols: Vec<(char, bool)> = numbers.keys().copied().collect();
        symbols.sort_unstable();
        for (number, symbol) in (u32::from(mark == Mark::Alone)..).zip(&symbols) {
            numbers.insert(*symbol, number);
        }
        let tokens = (0..).take(symbols.len() + usize::from(mark == Mark::Alone)).collect();
        Ok(Self { kind: Kind::Characters { mark, symbols, numbers }, tokens })
    }

    /// The content of each symbol, in order.
    pub(super) fn contents(&self) -> Vec<Vec<u8>> {
        match &self.kind {
            Kind::Bytes => (0..=u8::MAX).map(|byte| vec![byte]).collect(),
            Kind::Characters { mark, symbols, .. } => {
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

    /// Says which token each symbol is.
    pub(super) fn settle(&mut self, tokens: Vec<u32>) {
        self.tokens = tokens;
    }

    /// The byte that ends the content of a whole word.
    pub(super) fn mark(&self) -> Option<u8> {
        match self.kind {
            Kind::Characters { mark: Mark::Alone | Mark::Joined, .. } => Some(MARK),
            _ => None,
        }
    }

    /// How many symbols a token of this content covers.
    pub(super) fn width(&self, content: &[u8]) -> usize {
        match &self.kind {
            Kind::Bytes => content.len(),
            Kind::Characters { mark, .. } => {
                // A byte that continues a character is no start; neither is a mark that is joined to one.
                let starts = |byte: u8| byte & 0xC0 != 0x80 && (byte != MARK || *mark != Mark::Joined);
                content.iter().filter(|&&byte| starts(byte)).count()
            }
        }
    }

    /// How many symbols a word has.
    pub(super) fn length(&self, word: Word<'_>) -> usize {
        let mark = matches!(self.kind, Kind::Characters { mark: Mark::Alone, .. }) && word.ends;
        self.width(word.text) + usize::from(mark)
    }

    /// Appends the symbols of a word.
    pub(super) fn append(&self, word: Word<'_>, to: &mut Vec<u32>) {
        match &self.kind {
            Kind::Bytes => to.extend(word.text.iter().map(|&byte| self.tokens[usize::from(byte)])),
            Kind::Characters { mark, numbers, .. } => {
                // `new` has checked that it is text.
                let text = std::str::from_utf8(word.text).unwrap_or_default();
                let joined = *mark == Mark::Joined && word.ends;
                let symbols = text.char_indices().map(|(at, c)| (c, joined && at + c.len_utf8() == text.len()));
                to.extend(symbols.map(|symbol| self.tokens[numbers[&symbol] as usize]));
                if *mark == Mark::Alone && word.ends {
                    to.push(self.tokens[0]);
                }
            }
        }
    }
}

fn not_text(what: &str, word: &[u8], index: usize, at: usize) -> Error {
    Error::Training(Report::new(
        format!("{what} {index} is not UTF-8 at its byte {at}: \"{}\"", shortened(word)),
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
        for (joined, contents, whole, part) in [
            (None, vec!["a", "b", "z", "é"], vec![2, 3, 0], vec![2, 3, 0]),
            (Some(false), vec!["|", "a", "b", "z", "é"], vec![3, 4, 1, 0], vec![3, 4, 1]),
            (Some(true), vec!["a", "a|", "b", "b|", "z", "z|", "é", "é|"], vec![4, 6, 1], vec![4, 6, 0]),
        ] {
            let symbols = Symbols::new(&counts, &[], &characters_alphabet(joined), Cancel::default()).unwrap();
            let marked = |c: &str| c.bytes().map(|b| if b == b'|' { MARK } else { b }).collect::<Vec<u8>>();
            assert_eq!(symbols.contents(), contents.into_iter().map(marked).collect::<Vec<_>>());
            assert!(symbols.contents().iter().all(|content| symbols.width(content) == 1));
            for (ends, expected) in [(true, whole), (false, part)] {
                let word = Word { text: "zéa".as_bytes(), ends };
                let mut appended = Vec::new();
                symbols.append(word, &mut appended);
                assert_eq!(appended, expected);
                assert_eq!(symbols.length(word), appended.len());
            }
        }
    }

    #[test]
    fn characters_of_seeds_are_symbols_too() {
        let seed = Word { text: "zx".as_bytes(), ends: false };
        let symbols = Symbols::new(&words(&["b"]), &[seed], &characters_alphabet(None), Cancel::default()).unwrap();
        assert_eq!(symbols.contents(), [b"b", b"x", b"z"]);
    }

    #[test]
    fn a_word_that_is_no_text_is_named() {
        let mut counts = words(&["ok"]);
        counts.add(b"caf\xe9!", 1).unwrap();
        let error = Symbols::new(&counts, &[], &characters_alphabet(None), Cancel::default()).unwrap_err().to_string();
        assert!(error.starts_with("word 1 is not UTF-8 at its byte 3: \"caf\\xe9!\"\nhint: "), "{error}");
    }
}
