//! Rank files (`.tiktoken`) read straight into a tokenizer: no object of Python's for any token.
//!
//! Idea: nearly every file is as it should be, so this reads such files only, and quickly. Where anything is unusual,
//! wrong or stands twice it gives nothing back; Python's `formats.tiktoken` then reads the file again, which takes longer
//! and names the line.
//!
//! Invariant: what is read here, Python would read as the same.
//!
//! Cost: linear in the file.

use bytepair::Vocabulary;
use bytepair::vocabulary::Tokens;
use pyo3::prelude::*;

use crate::error;
use crate::parts::{self, Special};
use crate::tokenizer::PyTokenizer;

/// Longer lines are left to Python, which looks at so much of a file to recognise it.
const LONGEST_LINE: usize = 1 << 16;

/// The tokenizer of a rank file's content; `None` where it is not as it should be. The ids of special tokens count from
/// the end of the ranks if `after`.
#[pyfunction]
pub fn load_ranks(
    py: Python<'_>,
    data: &[u8],
    pattern: Option<&str>,
    specials: Vec<Special>,
    after: bool,
) -> PyResult<Option<PyTokenizer>> {
    py.detach(|| {
        let Some(vocabulary) = read(data) else { return Ok(None) };
        let first = if after { u32::try_from(vocabulary.n_vocab()).unwrap_or(u32::MAX) } else { 0 };
        let placed = specials.into_iter().map(|mut special| {
            special.1 = special.1.checked_add(first).filter(|&id| id < u32::MAX)?;
            Some(special)
        });
        let Some(specials) = placed.collect() else { return Ok(None) };
        parts::join(pattern, vocabulary, specials).map(|engine| Some(PyTokenizer::new(engine)))
    })
    .map_err(|problem| error::raise(py, &problem))
}

/// The vocabulary of a rank file.
fn read(data: &[u8]) -> Option<Vocabulary> {
    let mut tokens = Tokens::with_capacity(data.len() / 16, data.len() / 2);
    let mut content = Vec::new();
    for line in data.split(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if !line.is_empty() {
            content.clear();
            let rank = read_line(line, &mut content)?;
            tokens.push(rank, &content);
        }
    }
    let vocabulary = if tokens.is_empty() { None } else { Vocabulary::of_ranks(tokens).ok() };
    // Which of two lines with the same token is meant depends on their order, which Python keeps.
    vocabulary.filter(|vocabulary| vocabulary.twins().is_empty())
}

/// Appends the token of a line to `content` and gives its rank.
fn read_line(line: &[u8], content: &mut Vec<u8>) -> Option<u32> {
    if line.len() >= LONGEST_LINE {
        return None;
    }
    let space = line.iter().position(|&byte| byte == b' ')?;
    decode(&line[..space], content)?;
    let digits = &line[space + 1..];
    // Ten digits at most do not overflow.
    if !(1..=10).contains(&digits.len()) {
        return None;
    }
    let rank = digits
        .iter()
        .try_fold(0_u64, |rank, digit| digit.is_ascii_digit().then(|| rank * 10 + u64::from(digit - b'0')))?;
    u32::try_from(rank).ok().filter(|&rank| rank < u32::MAX)
}

/// The six bits of each digit of base64; [`NO_DIGIT`] for all other bytes.
const DIGITS: [u8; 256] = digits();

const NO_DIGIT: u8 = 0xFF;

const fn digits() -> [u8; 256] {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut digits = [NO_DIGIT; 256];
    let mut value = 0;
    while value < 64 {
        digits[alphabet[value as usize] as usize] = value;
        value += 1;
    }
    digits
}

/// Appends what base64 with padding spells, of one byte or more.
fn decode(encoded: &[u8], content: &mut Vec<u8>) -> Option<()> {
    let (fours, []) = encoded.as_chunks::<4>() else { return None };
    let (last, before) = fours.split_last()?;
    let mut wrong = 0;
    let mut three = |four: &[u8; 4]| {
        let [a, b, c, d] = four.map(|byte| DIGITS[usize::from(byte)]);
        wrong |= a | b | c | d;
        [a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d]
    };
    for four in before {
        content.extend(three(four));
    }
    match last {
        [_, _, b'=', b'='] => {
            let [one, rest, _] = three(&[last[0], last[1], b'A', b'A']);
            content.push(one);
            wrong |= if rest == 0 { 0 } else { NO_DIGIT };
        }
        [_, _, _, b'='] => {
            let [one, two, rest] = three(&[last[0], last[1], last[2], b'A']);
            content.extend([one, two]);
            wrong |= if rest == 0 { 0 } else { NO_DIGIT };
        }
        _ => content.extend(three(last)),
    }
    (wrong < 64).then_some(())
}
