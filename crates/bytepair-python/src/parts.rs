//! A tokenizer taken apart and put together: as plain data for the formats, and packed into a few byte strings for
//! pickles (a list of 200,000 tuples takes twenty times as long to pickle).

use std::borrow::Cow;

use bytepair::vocabulary::Tokens;
use bytepair::{Alphabet, EndOfWord, Result, SpecialToken, SpecialTokens, Splitter, Tokenizer, Vocabulary};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::error;
use crate::normalizer::{self, Around};

/// (content, id, special, normalized, lstrip, rstrip, single word)
pub type Special = (String, u32, bool, bool, bool, bool, bool);

/// (alphabet, end of word, joined, pattern, tokens, merges, whole first, special tokens, what is around)
pub type Plain<'py> = (
    &'static str,
    Option<String>,
    bool,
    Option<String>,
    Vec<(u32, Bound<'py, PyBytes>)>,
    Option<Vec<(u32, u32)>>,
    bool,
    Vec<Special>,
    Around,
);

/// As [`Plain`], with ids, lengths and contents of the tokens, and the merges, as bytes (integers: 4, little-endian).
pub type Packed<'py> = (
    &'static str,
    Option<String>,
    bool,
    Option<String>,
    (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>),
    Option<Bound<'py, PyBytes>>,
    bool,
    Vec<Special>,
    Around,
);

/// The tokens, (id, content), and the merges; a rank file has none.
pub type Contents = (Tokens, Option<Vec<(u32, u32)>>);

/// What is not tokens and merges.
pub struct Frame {
    pub alphabet: Alphabet,
    pub pattern: Option<String>,
    pub whole_first: bool,
    pub specials: Vec<Special>,
    pub around: Around,
}

/// The alphabet from Python's words.
pub fn alphabet(name: &str, end_of_word: Option<String>, joined: bool, around: &Around) -> Alphabet {
    match name {
        "characters" => Alphabet::Characters { end_of_word: end_of_word.map(|mark| EndOfWord { mark, joined }) },
        "bytes" if end_of_word.is_some() => Alphabet::MarkedBytes { mark: end_of_word.unwrap_or_default() },
        "unicode" => Alphabet::Unicode { unknown: around.0, fuse: around.1 },
        _ => Alphabet::Bytes,
    }
}

/// The alphabet in Python's words.
pub fn words(alphabet: &Alphabet) -> (&'static str, Option<String>, bool) {
    match alphabet {
        Alphabet::Bytes => ("bytes", None, false),
        Alphabet::MarkedBytes { mark } => ("bytes", Some(mark.clone()), true),
        Alphabet::Unicode { .. } => ("unicode", None, false),
        Alphabet::Characters { end_of_word: None } => ("characters", None, false),
        Alphabet::Characters { end_of_word: Some(end) } => ("characters", Some(end.mark.clone()), end.joined),
    }
}

/// The splitter of a pattern, or of no pattern with this alphabet.
pub fn splitter(pattern: Option<&str>, alphabet: &Alphabet) -> Result<Splitter> {
    match (pattern, alphabet) {
        (Some(pattern), Alphabet::MarkedBytes { .. }) => Ok(Splitter::new(pattern)?.matches_only()),
        (Some(pattern), _) => Splitter::new(pattern),
        (None, Alphabet::Bytes | Alphabet::Unicode { .. }) => Ok(Splitter::whole()),
        (None, Alphabet::Characters { .. } | Alphabet::MarkedBytes { .. }) => Ok(Splitter::white_space()),
    }
}

/// Puts a tokenizer together; without merges it is a rank file's.
pub fn assemble(frame: Frame, tokens: Tokens, merges: Option<Vec<(u32, u32)>>) -> Result<Tokenizer> {
    let splitter = splitter(frame.pattern.as_deref(), &frame.alphabet)?;
    let vocabulary = match merges {
        Some(merges) => Vocabulary::of_merges(frame.alphabet, tokens, merges, frame.whole_first)?,
        None => Vocabulary::of_ranks(tokens)?,
    };
    normalizer::with(Tokenizer::new(splitter, vocabulary, special_tokens(frame.specials)?)?, frame.around)
}

/// What is around a tokenizer.
fn around(tokenizer: &Tokenizer) -> Around {
    let (unknown, fuse) = match *tokenizer.vocabulary().alphabet() {
        Alphabet::Unicode { unknown, fuse } => (unknown, fuse),
        _ => (None, false),
    };
    normalizer::around(tokenizer, unknown, fuse)
}

/// Puts a tokenizer together whose vocabulary is made already.
pub fn join(pattern: Option<&str>, vocabulary: Vocabulary, specials: Vec<Special>) -> Result<Tokenizer> {
    let splitter = splitter(pattern, vocabulary.alphabet())?;
    Tokenizer::new(splitter, vocabulary, special_tokens(specials)?)
}

fn special_tokens(specials: Vec<Special>) -> Result<SpecialTokens> {
    let made = |(content, id, special, normalized, lstrip, rstrip, single_word)| SpecialToken {
        content,
        id,
        special,
        normalized,
        lstrip,
        rstrip,
        single_word,
    };
    SpecialTokens::new(specials.into_iter().map(made).collect())
}

/// The tokens and merges in a [`Packed`].
pub fn unpack(
    py: Python<'_>,
    (ids, lengths, contents): (&[u8], &[u8], &[u8]),
    merges: Option<&[u8]>,
) -> PyResult<Contents> {
    let mut rest = contents;
    let mut tokens = Tokens::with_capacity(ids.len() / 4, contents.len());
    for (id, length) in integers(ids).zip(integers(lengths)) {
        let Some((content, after)) = rest.split_at_checked(length as usize) else {
            let hint = "make the pickle again from the tokenizer or its file";
            return Err(error::make(py, "VocabularyError", "the packed tokenizer is cut short", hint));
        };
        tokens.push(id, content);
        rest = after;
    }
    let merges = merges.map(|merges| integers(merges).step_by(2).zip(integers(merges).skip(1).step_by(2)).collect());
    Ok((tokens, merges))
}

fn integers(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
}

/// Takes a tokenizer apart.
pub fn plain<'py>(py: Python<'py>, tokenizer: &Tokenizer) -> Plain<'py> {
    let vocabulary = tokenizer.vocabulary();
    let (alphabet, end_of_word, joined) = words(vocabulary.alphabet());
    (
        alphabet,
        end_of_word,
        joined,
        tokenizer.splitter().pattern().map(str::to_owned),
        tokens(vocabulary).map(|(id, content)| (id, PyBytes::new(py, content))).collect(),
        (!vocabulary.is_ranks()).then(|| vocabulary.merges()),
        vocabulary.whole_first(),
        specials(tokenizer),
        around(tokenizer),
    )
}

/// Takes a tokenizer apart, into few objects.
pub fn packed<'py>(py: Python<'py>, tokenizer: &Tokenizer) -> Packed<'py> {
    let vocabulary = tokenizer.vocabulary();
    let (alphabet, end_of_word, joined) = words(vocabulary.alphabet());
    let (mut ids, mut lengths, mut contents) = (Vec::new(), Vec::new(), Vec::new());
    for (id, content) in tokens(vocabulary) {
        ids.extend_from_slice(&id.to_le_bytes());
        lengths.extend_from_slice(&u32::try_from(content.len()).unwrap_or(u32::MAX).to_le_bytes());
        contents.extend_from_slice(content);
    }
    let merges = (!vocabulary.is_ranks()).then(|| {
        let pairs = vocabulary.merges().into_iter();
        let bytes: Vec<u8> = pairs.flat_map(|(left, right)| [left, right]).flat_map(u32::to_le_bytes).collect();
        PyBytes::new(py, &bytes)
    });
    (
        alphabet,
        end_of_word,
        joined,
        tokenizer.splitter().pattern().map(str::to_owned),
        (PyBytes::new(py, &ids), PyBytes::new(py, &lengths), PyBytes::new(py, &contents)),
        merges,
        vocabulary.whole_first(),
        specials(tokenizer),
        around(tokenizer),
    )
}

/// The tokens that are not special, in the order of their ids.
fn tokens(vocabulary: &Vocabulary) -> impl Iterator<Item = (u32, &[u8])> {
    vocabulary.ids().iter().map(|&id| (id, vocabulary.content(id).unwrap_or_default()))
}

/// The special tokens, in the order of their ids.
pub fn specials(tokenizer: &Tokenizer) -> Vec<Special> {
    let tokens = tokenizer.specials().tokens().iter();
    let taken = |token: &SpecialToken| {
        let SpecialToken { content, id, special, normalized, lstrip, rstrip, single_word } = token.clone();
        (content, id, special, normalized, lstrip, rstrip, single_word)
    };
    tokens.map(taken).collect()
}

/// The bytes of a token or special token as people write them, if there is one with this id.
pub fn bytes_of(tokenizer: &Tokenizer, id: u32) -> Option<Cow<'_, [u8]>> {
    tokenizer
        .vocabulary()
        .written(id)
        .or_else(|| tokenizer.specials().by_id(id).map(|special| special.content.as_bytes().into()))
}

/// All ids in ascending order, special tokens included.
pub fn ids(tokenizer: &Tokenizer) -> Vec<u32> {
    let specials = tokenizer.specials().tokens().iter().map(|token| token.id);
    let mut ids: Vec<u32> = tokenizer.vocabulary().ids().iter().copied().chain(specials).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// The bytes of many ids as a list; unknown ids cannot occur here and would be empty.
pub fn contents<'py>(py: Python<'py>, tokenizer: &Tokenizer, ids: &[u32]) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, ids.iter().map(|&id| PyBytes::new(py, &bytes_of(tokenizer, id).unwrap_or_default())))
}
