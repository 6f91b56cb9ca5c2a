//! The tokens and merges of a `tokenizer.json`, read without an object of Python's for any of them.
//!
//! Idea: nearly all of such a file is `model.vocab` and `model.merges`. They are read here, spelled as byte-level files
//! spell them; the rest of the document is given to Python, which decides what it means. Nearly every file is as it should
//! be, so where anything is unusual or wrong there is no answer, and Python's `formats.huggingface` reads the whole file:
//! the same, or an error that names the place.
//!
//! Invariant: what is read here, Python would read as the same.
//!
//! Cost: linear in the file; contents and merges lie end to end in a few buffers.

mod reading;

use std::collections::{HashMap, HashSet};

use bytepair::vocabulary::Tokens;
use bytepair::{Tokenizer, Vocabulary};
use pyo3::prelude::*;

use crate::normalizer::{self, Around};
use crate::parts::{self, Special};
use crate::tokenizer::PyTokenizer;

/// The tokens and merges of a file.
#[pyclass(name = "Model", module = "bytepair._core", frozen)]
#[derive(Default)]
pub struct PyModel {
    /// The tokens whose keys are spelled in the byte alphabet.
    tokens: Tokens,
    /// The other tokens; added ones may be among them.
    unspelled: Vec<(u32, String)>,
    /// The ends in `halves` of the left and the right side of each merge, in turn.
    ends: Vec<usize>,
    halves: Vec<u8>,
}

/// Reads a document: its tokens and merges, and the rest of it, with `vocab` and `merges` empty; `None` where anything is
/// unusual.
#[pyfunction]
pub fn read_model(py: Python<'_>, data: &[u8]) -> Option<(PyModel, String)> {
    py.detach(|| {
        let (mut model, mut rest) = (PyModel::default(), String::new());
        reading::read(data, &mut model, &mut rest).ok()?;
        model.has_distinct_ids().then_some((model, rest))
    })
}

#[pymethods]
impl PyModel {
    /// How many tokens there are.
    fn __len__(&self) -> usize {
        self.tokens.len() + self.unspelled.len()
    }

    /// How many merges there are.
    #[getter]
    fn merges(&self) -> usize {
        self.ends.len() / 2
    }

    /// The ids of keys, where they are keys.
    #[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
    fn find(&self, keys: Vec<String>) -> HashMap<String, u32> {
        let wanted = Contents::of(keys.iter().map(String::as_str));
        let spelled = self.tokens.iter().filter_map(|(id, content)| Some((wanted.get(content)?.to_owned(), id)));
        let names: HashSet<&String> = keys.iter().collect();
        let unspelled = self.unspelled.iter().filter(|(_, key)| names.contains(key));
        spelled.chain(unspelled.map(|(id, key)| (key.clone(), *id))).collect()
    }

    /// The tokenizer with these special tokens; `None` where anything is unusual. As a rank file's, if `ranks` and the
    /// merges are those that the ranks give; only with all bytes, if `complete`.
    #[expect(clippy::too_many_arguments, reason = "they are what a file says")]
    fn tokenizer(
        &self,
        py: Python<'_>,
        pattern: Option<&str>,
        whole_first: bool,
        ranks: bool,
        complete: bool,
        specials: Vec<Special>,
        around: Around,
    ) -> Option<PyTokenizer> {
        let made = py.detach(|| {
            let made = self.build(pattern, whole_first, ranks, complete, specials)?;
            normalizer::with(made, around).ok()
        });
        made.map(PyTokenizer::new)
    }
}

impl PyModel {
    fn build(
        &self,
        pattern: Option<&str>,
        whole_first: bool,
        ranks: bool,
        complete: bool,
        specials: Vec<Special>,
    ) -> Option<Tokenizer> {
        let tokens = self.tokens_without(&specials)?;
        let merges: Vec<(&[u8], usize)> = self.joins().collect();
        let of_ranks = if ranks && whole_first {
            let vocabulary = Vocabulary::of_ranks(tokens.clone()).ok()?;
            let halves = merges.iter().map(|(joined, cut)| joined.split_at(*cut));
            let pairs = halves.map(|(left, right)| Some((vocabulary.id_of(left)?, vocabulary.id_of(right)?)));
            let same = pairs.collect::<Option<Vec<_>>>()? == vocabulary.pairs();
            same.then_some(vocabulary)
        } else {
            None
        };
        let vocabulary = match of_ranks {
            Some(vocabulary) => vocabulary,
            None => Vocabulary::of_joins(tokens, &merges, whole_first).ok()?,
        };
        if complete && !(0..=u8::MAX).all(|byte| vocabulary.id_of(&[byte]).is_some()) {
            return None;
        }
        parts::join(pattern, vocabulary, specials).ok()
    }

    /// The tokens without those that are only added tokens: no merge takes or makes them. `None` if another token is not
    /// spelled in the byte alphabet, or a key stands twice among those.
    fn tokens_without(&self, specials: &[Special]) -> Option<Tokens> {
        let added = Contents::of(specials.iter().map(|special| special.0.as_str()));
        let used = self.used(&added);
        let mut tokens = Tokens::with_capacity(self.tokens.len(), self.tokens.bytes());
        let mut seen = HashSet::new();
        for (id, content) in self.tokens.iter() {
            if content.len() > 1 && added.get(content).is_some() {
                if !seen.insert(content) {
                    return None;
                }
                if !used.contains(content) {
                    continue;
                }
            }
            tokens.push(id, content);
        }
        let mut seen = HashSet::new();
        let names: HashSet<&str> = specials.iter().map(|special| special.0.as_str()).collect();
        let known = |key: &str| names.contains(key);
        self.unspelled.iter().all(|(_, key)| known(key) && seen.insert(key)).then_some(tokens)
    }

    /// Those of the contents that a merge takes or makes.
    fn used(&self, added: &Contents<'_>) -> HashSet<&[u8]> {
        let mut used = HashSet::new();
        for (joined, cut) in self.joins() {
            let (left, right) = joined.split_at(cut);
            used.extend([left, right, joined].into_iter().filter(|content| added.get(content).is_some()));
        }
        used
    }

    /// What every merge makes, and the length of its left side.
    fn joins(&self) -> impl Iterator<Item = (&[u8], usize)> {
        let mut start = 0;
        self.ends.as_chunks().0.iter().map(move |&[middle, end]| {
            let from = std::mem::replace(&mut start, end);
            (&self.halves[from..end], middle - from)
        })
    }

    fn has_distinct_ids(&self) -> bool {
        let spelled = self.tokens.iter().map(|(id, _)| id);
        let mut ids: Vec<u32> = spelled.chain(self.unspelled.iter().map(|&(id, _)| id)).collect();
        ids.sort_unstable();
        ids.windows(2).all(|pair| pair[0] != pair[1])
    }
}

/// A few contents, and the keys that spell them. Most others are told from them by length and first byte.
struct Contents<'a> {
    keys: HashMap<Vec<u8>, &'a str>,
    /// A bit for each length, the highest for all from there on.
    lengths: u64,
    firsts: [bool; 256],
}

impl<'a> Contents<'a> {
    /// What these keys spell, if they do.
    fn of(keys: impl Iterator<Item = &'a str>) -> Self {
        let mut contents = Self { keys: HashMap::new(), lengths: 0, firsts: [false; 256] };
        for key in keys {
            let mut content = Vec::new();
            if spelled(key, &mut content) && !content.is_empty() {
                contents.lengths |= 1 << content.len().min(63);
                contents.firsts[usize::from(content[0])] = true;
                contents.keys.insert(content, key);
            }
        }
        contents
    }

    /// The key of a content.
    fn get(&self, content: &[u8]) -> Option<&'a str> {
        let may_be = self.lengths & 1 << content.len().min(63) != 0 && self.firsts[usize::from(*content.first()?)];
        if may_be { self.keys.get(content).copied() } else { None }
    }
}

/// The byte that each character spells, from U+0000 on, as in Python's `byte_alphabet`; above 255 is none.
const BYTES: [u16; 0x180] = alphabet();

const fn alphabet() -> [u16; 0x180] {
    let mut bytes = [0xFFFF; 0x180];
    let (mut byte, mut next) = (0, 0x100);
    while byte < 0x100 {
        if matches!(byte, 0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF) {
            bytes[byte as usize] = byte;
        } else {
            bytes[next] = byte;
            next += 1;
        }
        byte += 1;
    }
    bytes
}

/// Appends the bytes that a key spells; `false`, and nothing is appended, if it has a character that spells none.
fn spelled(key: &str, contents: &mut Vec<u8>) -> bool {
    let before = contents.len();
    for character in key.chars() {
        let Some(Ok(byte)) = BYTES.get(character as usize).map(|&byte| u8::try_from(byte)) else {
            contents.truncate(before);
            return false;
        };
        contents.push(byte);
    }
    true
}
