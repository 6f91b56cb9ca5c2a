//! The base symbols of a pretoken: what merging starts from.
//!
//! Idea: bytes, or characters and the end-of-word mark; one function gives each symbol with the bytes it covers, so
//! that encoding and tracing cannot see different ones.
//!
//! Invariant: the spans ascend and do not overlap. A symbol that the vocabulary lacks is an error, an id in its place
//! that merges with nothing, or left out, in which case its neighbours stand side by side.
//!
//! Cost: one table look-up a byte, one hash look-up a character.

use crate::decode::unit_length;
use crate::error::{Error, Result};
use crate::tokenizer::UnknownSymbol;
use crate::vocabulary::{Alphabet, EndOfWord, MARK, NONE, Vocabulary};

/// Calls `each` with (id, start, end) of every base symbol of `word`, which starts at byte `at` of its text. An id of
/// [`NONE`] stands for the id that replaces an unknown symbol.
pub(crate) fn symbols(
    vocabulary: &Vocabulary,
    word: &[u8],
    at: usize,
    unknown: UnknownSymbol,
    mut each: impl FnMut(u32, usize, usize),
) -> Result<()> {
    let mut put = |id: u32, symbol: &dyn Fn() -> Vec<u8>, start: usize, end: usize| {
        if id != NONE {
            each(id, start, end);
            return Ok(());
        }
        match unknown {
            UnknownSymbol::Raise => return Err(Error::UnknownSymbol { symbol: symbol(), at: start }),
            UnknownSymbol::Replace(_) => each(NONE, start, end),
            UnknownSymbol::Skip => {}
        }
        Ok(())
    };
    match vocabulary.alphabet() {
        Alphabet::Bytes => {
            for (start, &byte) in (at..).zip(word) {
                put(vocabulary.byte(byte), &|| vec![byte], start, start + 1)?;
            }
            Ok(())
        }
        Alphabet::MarkedBytes { mark } => {
            let Some((&last, before)) = word.split_last() else { return Ok(()) };
            for (start, &byte) in (at..).zip(before) {
                put(vocabulary.byte(byte), &|| vec![byte], start, start + 1)?;
            }
            let end = at + word.len();
            put(symbol_id(vocabulary, &[last, MARK]), &|| [&[last], mark.as_bytes()].concat(), end - 1, end)
        }
        Alphabet::Characters { end_of_word } => characters(vocabulary, word, at, end_of_word.as_ref(), put),
        &Alphabet::Unicode { unknown, fuse } => {
            let fused = unknown.filter(|_| fuse);
            let put = |id, symbol: &dyn Fn() -> Vec<u8>, start, end| {
                put(if id == NONE { unknown.unwrap_or(NONE) } else { id }, symbol, start, end)
            };
            unicode(vocabulary, word, at, fused, put)
        }
    }
}

/// The symbols of a word of characters that may fall back to bytes. Neighbours without a token are one symbol where `fused`
/// is the unknown token.
fn unicode(
    vocabulary: &Vocabulary,
    word: &[u8],
    at: usize,
    fused: Option<u32>,
    mut put: impl FnMut(u32, &dyn Fn() -> Vec<u8>, usize, usize) -> Result<()>,
) -> Result<()> {
    // Where the unknown characters begin that are not put yet.
    let mut open = None;
    let mut start = at;
    while start < at + word.len() {
        let rest = &word[start - at..];
        let symbol = &rest[..unit_length(rest)];
        let end = start + symbol.len();
        let id = symbol_id(vocabulary, symbol);
        let falls_back = id == NONE && symbol.iter().all(|&byte| vocabulary.fallback(byte).is_some());
        if id == NONE && !falls_back && fused.is_some() {
            open.get_or_insert(start);
            start = end;
            continue;
        }
        if let (Some(unknown), Some(from)) = (fused, open.take()) {
            put(unknown, &Vec::new, from, start)?;
        }
        if falls_back {
            for (place, &byte) in (start..).zip(symbol) {
                put(vocabulary.fallback(byte).unwrap_or(NONE), &|| vec![byte], place, place + 1)?;
            }
        } else {
            put(id, &|| symbol.to_vec(), start, end)?;
        }
        start = end;
    }
    match (fused, open) {
        (Some(unknown), Some(from)) => put(unknown, &Vec::new, from, start),
        _ => Ok(()),
    }
}

/// The symbols of a word of characters.
fn characters(
    vocabulary: &Vocabulary,
    word: &[u8],
    at: usize,
    end_of_word: Option<&EndOfWord>,
    mut put: impl FnMut(u32, &dyn Fn() -> Vec<u8>, usize, usize) -> Result<()>,
) -> Result<()> {
    let joined = end_of_word.filter(|mark| mark.joined);
    let end = at + word.len();
    let mut start = at;
    for chunk in word.utf8_chunks() {
        for character in chunk.valid().chars() {
            let mut buffer = [0; 5];
            let length = character.encode_utf8(&mut buffer).len();
            let next = start + length;
            if let Some(mark) = joined.filter(|_| next == end) {
                if let Some(place) = buffer.get_mut(length) {
                    *place = MARK;
                }
                let symbol = || [&buffer[..length], mark.mark.as_bytes()].concat();
                put(symbol_id(vocabulary, &buffer[..=length]), &symbol, start, next)?;
            } else {
                put(symbol_id(vocabulary, &buffer[..length]), &|| buffer[..length].to_vec(), start, next)?;
            }
            start = next;
        }
        for &byte in chunk.invalid() {
            put(NONE, &|| vec![byte], start, start + 1)?;
            start += 1;
        }
    }
    match end_of_word.filter(|mark| !mark.joined) {
        Some(mark) => put(vocabulary.byte(MARK), &|| mark.mark.as_bytes().to_vec(), end, end),
        None => Ok(()),
    }
}

/// The id of a symbol, or [`NONE`].
fn symbol_id(vocabulary: &Vocabulary, symbol: &[u8]) -> u32 {
    match *symbol {
        [byte] => vocabulary.byte(byte),
        _ => vocabulary.id_of(symbol).unwrap_or(NONE),
    }
}

/// The base symbols of a token's content, or `None` if the vocabulary lacks one.
pub(crate) fn symbols_of_content(vocabulary: &Vocabulary, content: &[u8], symbols: &mut Vec<u32>) -> Option<()> {
    symbols.clear();
    let mark = match vocabulary.alphabet() {
        Alphabet::Bytes => {
            symbols.extend(content.iter().map(|&byte| vocabulary.byte(byte)));
            return (!symbols.contains(&NONE)).then_some(());
        }
        Alphabet::MarkedBytes { .. } => {
            let (bytes, last) = match vocabulary.unmarked(content).and_then(<[u8]>::split_last) {
                Some((&last, before)) => (before, Some(symbol_id(vocabulary, &[last, MARK]))),
                None => (content, None),
            };
            symbols.extend(bytes.iter().map(|&byte| vocabulary.byte(byte)).chain(last));
            return (!symbols.contains(&NONE)).then_some(());
        }
        Alphabet::Characters { end_of_word } => end_of_word.as_ref(),
        Alphabet::Unicode { .. } if content.first() == Some(&MARK) => {
            symbols.push(vocabulary.id_of(content)?);
            return Some(());
        }
        Alphabet::Unicode { .. } => None,
    };
    let joined = mark.is_some_and(|mark| mark.joined);
    let mut rest = content;
    while let Some(&first) = rest.first() {
        let mut length = if first == MARK { 1 } else { utf8_length(first) };
        if joined && first != MARK && rest.get(length) == Some(&MARK) {
            length += 1;
        }
        let symbol = rest.get(..length)?;
        let id = symbol_id(vocabulary, symbol);
        if id == NONE {
            return None;
        }
        symbols.push(id);
        rest = &rest[length..];
    }
    Some(())
}

/// The length of the character that starts with this byte.
fn utf8_length(first: u8) -> usize {
    match first {
        0..=0xDF => 1 + usize::from(first >= 0xC0),
        0xE0..=0xEF => 3,
        _ => 4,
    }
}
