//! `Tokenizer`: the engine's tokenizer as a frozen Python object. Every method converts, lets the GIL go and delegates.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use bytepair::Tokenizer;
use bytepair::encode::Dropout;
use bytepair::prefixes::Prefixes;
use bytepair::split::{Engine, Path};
use bytepair::vocabulary::Tokens;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyList, PyMemoryView, PyString};

use crate::decode::Made;
use crate::ids::{Outside, Rows};
use crate::normalizer::Around;
use crate::options::{self, Encoding};
use crate::parts::{self, Frame, Packed, Plain, Special};
use crate::text::{Text, with};
use crate::trace::{self, OneStep, Traced, Trees};
use crate::{batch, decode, error, exact, numbers, spare};

/// The presets: name -> pattern.
#[pyfunction]
pub fn presets(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let presets = PyDict::new(py);
    for (name, pattern) in bytepair::split::presets::PRESETS {
        presets.set_item(name, pattern)?;
    }
    Ok(presets)
}

/// A tokenizer; immutable, so it may be shared between threads.
#[pyclass(name = "Tokenizer", module = "bytepair._core", frozen)]
pub struct PyTokenizer {
    pub engine: Tokenizer,
    fingerprint: OnceLock<String>,
    pub prefixes: OnceLock<Prefixes>,
}

impl PyTokenizer {
    pub fn new(engine: Tokenizer) -> Self {
        Self { engine, fingerprint: OnceLock::new(), prefixes: OnceLock::new() }
    }

    /// The ids of a text as a list.
    pub fn list<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        options: &Encoding,
    ) -> PyResult<Bound<'py, PyList>> {
        spare::with_ids(|ids| {
            self.ids(text, options, ids)?;
            exact::write(py, ids)
        })
    }

    /// The ids of a text as a list, with merges left out.
    pub fn list_with_dropout<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        dropout: Dropout,
        options: &Encoding,
    ) -> PyResult<Bound<'py, PyList>> {
        let mut ids = Vec::new();
        with(text, |bytes, cancel| self.engine.encode_dropout(bytes, dropout, options.borrow(cancel), &mut ids))?;
        exact::write(text.py(), &ids)
    }

    /// How many ids a text has.
    pub fn count(&self, text: &Bound<'_, PyAny>, options: &Encoding) -> PyResult<usize> {
        with(text, |bytes, cancel| self.engine.count(bytes, options.borrow(cancel)))
    }
}

#[pymethods]
impl PyTokenizer {
    /// From the fields of `bytepair.parts.Parts`, in their order.
    #[staticmethod]
    #[pyo3(signature = (alphabet, end_of_word, end_of_word_joined, pattern, tokens, merges, whole_first, specials, around=None))]
    #[expect(clippy::too_many_arguments, reason = "they are the fields of a record")]
    fn from_plain(
        py: Python<'_>,
        alphabet: &str,
        end_of_word: Option<String>,
        end_of_word_joined: bool,
        pattern: Option<String>,
        tokens: Vec<(u32, PyBackedBytes)>,
        merges: Option<Vec<(u32, u32)>>,
        whole_first: bool,
        specials: Vec<Special>,
        around: Option<Around>,
    ) -> PyResult<Self> {
        let around = around.unwrap_or_default();
        let alphabet = parts::alphabet(alphabet, end_of_word, end_of_word_joined, &around);
        let frame = Frame { alphabet, pattern, whole_first, specials, around };
        let tokens = Tokens::from(tokens);
        py.detach(|| parts::assemble(frame, tokens, merges)).map(Self::new).map_err(|e| error::raise(py, &e))
    }

    /// The opposite of `from_plain`.
    fn plain<'py>(&self, py: Python<'py>) -> Plain<'py> {
        parts::plain(py, &self.engine)
    }

    /// From what `packed` gives.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "they are the fields of a record")]
    #[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
    fn from_packed(
        py: Python<'_>,
        alphabet: &str,
        end_of_word: Option<String>,
        end_of_word_joined: bool,
        pattern: Option<String>,
        tokens: (PyBackedBytes, PyBackedBytes, PyBackedBytes),
        merges: Option<PyBackedBytes>,
        whole_first: bool,
        specials: Vec<Special>,
        around: Around,
    ) -> PyResult<Self> {
        let (tokens, merges) = parts::unpack(py, (&tokens.0, &tokens.1, &tokens.2), merges.as_deref())?;
        let alphabet = parts::alphabet(alphabet, end_of_word, end_of_word_joined, &around);
        let frame = Frame { alphabet, pattern, whole_first, specials, around };
        py.detach(|| parts::assemble(frame, tokens, merges)).map(Self::new).map_err(|e| error::raise(py, &e))
    }

    /// The same as `plain`, in few objects, for pickles.
    fn packed<'py>(&self, py: Python<'py>) -> Packed<'py> {
        parts::packed(py, &self.engine)
    }

    /// The ids of a text: an array of uint32, or of uint16 where `narrow`.
    #[pyo3(signature = (text, narrow, allowed_special=None, disallowed_special=None, unknown="raise"))]
    fn encode_array<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        narrow: bool,
        allowed_special: Option<&Bound<'py, PyAny>>,
        disallowed_special: Option<&Bound<'py, PyAny>>,
        unknown: &str,
    ) -> PyResult<Bound<'py, PyMemoryView>> {
        let options = Encoding::of(&self.engine, allowed_special, disallowed_special, unknown)?;
        let mut ids = Vec::new();
        self.ids(text, &options, &mut ids)?;
        numbers::ids(text.py(), ids, narrow)
    }

    /// The ids of bytes that are one pretoken.
    fn encode_single<'py>(&self, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let mut ids = Vec::new();
        with(text, |bytes, cancel| self.engine.encode_single(bytes, cancel, &mut ids))?;
        exact::write(text.py(), &ids)
    }

    #[pyo3(signature = (texts, threads, allowed_special=None, disallowed_special=None, unknown="raise"))]
    fn encode_batch<'py>(
        &self,
        texts: &Bound<'py, PyAny>,
        threads: usize,
        allowed_special: Option<&Bound<'py, PyAny>>,
        disallowed_special: Option<&Bound<'py, PyAny>>,
        unknown: &str,
    ) -> PyResult<Bound<'py, PyList>> {
        let options = Encoding::of(&self.engine, allowed_special, disallowed_special, unknown)?;
        batch::lists(&self.engine, texts, &options, threads)
    }

    /// As `encode_batch`: arrays of ids (uint32, or uint16 where `narrow`) and of offsets (uint64).
    #[pyo3(signature = (texts, threads, narrow, allowed_special=None, disallowed_special=None, unknown="raise"))]
    fn encode_batch_array<'py>(
        &self,
        texts: &Bound<'py, PyAny>,
        threads: usize,
        narrow: bool,
        allowed_special: Option<&Bound<'py, PyAny>>,
        disallowed_special: Option<&Bound<'py, PyAny>>,
        unknown: &str,
    ) -> PyResult<(Bound<'py, PyMemoryView>, Bound<'py, PyMemoryView>)> {
        let options = Encoding::of(&self.engine, allowed_special, disallowed_special, unknown)?;
        let (ids, offsets) = batch::encode(&self.engine, texts, &options, threads)?;
        let py = texts.py();
        Ok((numbers::ids(py, ids, narrow)?, numbers::offsets(py, offsets)?))
    }

    #[pyo3(signature = (text, limit, allowed_special=None, disallowed_special=None, unknown="raise"))]
    fn count_up_to(
        &self,
        text: &Bound<'_, PyAny>,
        limit: usize,
        allowed_special: Option<&Bound<'_, PyAny>>,
        disallowed_special: Option<&Bound<'_, PyAny>>,
        unknown: &str,
    ) -> PyResult<Option<usize>> {
        let options = Encoding::of(&self.engine, allowed_special, disallowed_special, unknown)?;
        with(text, |bytes, cancel| self.engine.count_up_to(bytes, limit, options.borrow(cancel)))
    }

    #[pyo3(signature = (text, max_tokens, allowed_special=None, disallowed_special=None, unknown="raise"))]
    fn truncate<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        max_tokens: usize,
        allowed_special: Option<&Bound<'py, PyAny>>,
        disallowed_special: Option<&Bound<'py, PyAny>>,
        unknown: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = Encoding::of(&self.engine, allowed_special, disallowed_special, unknown)?;
        let length = with(text, |bytes, cancel| self.engine.truncate(bytes, max_tokens, options.borrow(cancel)))?;
        Ok(Text::of(text, "the text")?.slice(py, 0, length))
    }

    fn split<'py>(&self, py: Python<'py>, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let read = Text::of(text, "the text")?;
        let spans = with(text, |bytes, cancel| {
            let mut spans = Vec::new();
            self.engine.split(bytes, |found| {
                spans.push((found.start, found.end));
                if spans.len() % 4096 == 0 && cancel.requested() {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            })?;
            cancel.check()?;
            Ok(spans)
        })?;
        PyList::new(py, spans.into_iter().map(|(start, end)| read.slice(py, start, end)))
    }

    #[pyo3(signature = (ids, skip_special=false, unknown="raise"))]
    fn decode_bytes<'py>(
        &self,
        ids: &Bound<'py, PyAny>,
        skip_special: bool,
        unknown: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        decode::one(&self.engine, ids, options::decoding(skip_special, unknown)?, Made::Bytes)
    }

    /// The `str` of each list of ids, or its `bytes` where `errors` is `None`.
    #[pyo3(signature = (batch, threads, offsets, pad_id, errors, skip_special, unknown))]
    #[expect(clippy::too_many_arguments, reason = "they are the options of Python's method")]
    fn decode_batch<'py>(
        &self,
        batch: &Bound<'py, PyAny>,
        threads: usize,
        offsets: Option<&Bound<'py, PyAny>>,
        pad_id: Option<i64>,
        errors: Option<&str>,
        skip_special: bool,
        unknown: &str,
    ) -> PyResult<Bound<'py, PyList>> {
        let options = options::decoding(skip_special, unknown)?;
        let made = errors.map_or(Ok(Made::Bytes), Made::text)?;
        let rows = match offsets {
            Some(offsets) => Rows::at_offsets(batch, offsets, Outside::of(options))?,
            None => Rows::of(batch, pad_id, Outside::of(options))?,
        };
        decode::batch(batch.py(), &self.engine, &rows, options, made, threads)
    }

    #[pyo3(signature = (text, allowed_special=None, disallowed_special=None, unknown="raise"))]
    fn trace<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        allowed_special: Option<&Bound<'py, PyAny>>,
        disallowed_special: Option<&Bound<'py, PyAny>>,
        unknown: &str,
    ) -> PyResult<Traced<'py>> {
        let options = Encoding::of(&self.engine, allowed_special, disallowed_special, unknown)?;
        let trace = with(text, |bytes, cancel| self.engine.trace(bytes, options.borrow(cancel)))?;
        trace::traced(py, &self.engine, trace)
    }

    #[pyo3(signature = (text, allowed_special=None, disallowed_special=None, unknown="raise"))]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        allowed_special: Option<&Bound<'py, PyAny>>,
        disallowed_special: Option<&Bound<'py, PyAny>>,
        unknown: &str,
    ) -> PyResult<Trees<'py>> {
        let options = Encoding::of(&self.engine, allowed_special, disallowed_special, unknown)?;
        let forest = with(text, |bytes, cancel| self.engine.explain(bytes, options.borrow(cancel)))?;
        Ok(trace::trees(py, &self.engine, forest))
    }

    fn explain_id<'py>(&self, py: Python<'py>, id: u32) -> Option<Trees<'py>> {
        self.engine.explain_id(id).map(|forest| trace::trees(py, &self.engine, forest))
    }

    #[pyo3(signature = (text, allowed_special=None, disallowed_special=None, unknown="raise"))]
    fn steps(
        &self,
        text: &Bound<'_, PyAny>,
        allowed_special: Option<&Bound<'_, PyAny>>,
        disallowed_special: Option<&Bound<'_, PyAny>>,
        unknown: &str,
    ) -> PyResult<(Vec<Vec<u32>>, Vec<OneStep>)> {
        let options = Encoding::of(&self.engine, allowed_special, disallowed_special, unknown)?;
        let (start, steps) = with(text, |bytes, cancel| self.engine.steps(bytes, options.borrow(cancel)))?;
        Ok((start, trace::steps(steps)))
    }

    fn bytes_of<'py>(&self, py: Python<'py>, id: u32) -> Option<Bound<'py, PyBytes>> {
        parts::bytes_of(&self.engine, id).map(|bytes| PyBytes::new(py, &bytes))
    }

    fn id_of(&self, token: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
        let text = Text::of(token, "the token")?;
        let special = std::str::from_utf8(text.bytes()).ok().and_then(|text| self.engine.specials().by_content(text));
        Ok(self.engine.vocabulary().id_of_written(text.bytes()).or_else(|| special.map(|token| token.id)))
    }

    /// All ids, ascending.
    fn ids_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, parts::ids(&self.engine))
    }

    /// (left id, right id) in the order of their ranks.
    fn merges(&self) -> Vec<(u32, u32)> {
        self.engine.vocabulary().merges()
    }

    /// The pairs that can merge, in rank order: for a rank file, the merge list that gives the same ids.
    fn pairs(&self, py: Python<'_>) -> Vec<(u32, u32)> {
        py.detach(|| self.engine.vocabulary().pairs())
    }

    /// Raises `VocabularyError`, naming the token, unless a rank file of these tokens gives the same ids.
    fn check_ranks(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.engine.vocabulary().ranks_equal_merges()).map_err(|e| error::raise(py, &e))
    }

    fn specials(&self) -> Vec<Special> {
        parts::specials(&self.engine)
    }

    /// The id of the special token with this text.
    fn special_id(&self, content: &Bound<'_, PyAny>) -> Option<u32> {
        let content = content.cast::<PyString>().ok()?.to_cow().ok()?;
        self.engine.specials().by_content(&content).map(|token| token.id)
    }

    #[getter]
    fn pattern(&self) -> Option<&str> {
        self.engine.splitter().pattern()
    }

    /// The source of each alternative of the pattern.
    #[getter]
    fn alternatives(&self) -> Vec<String> {
        self.engine.splitter().alternatives().to_vec()
    }

    /// What serves the pattern, and why if it is not the automaton.
    #[getter]
    fn splitter(&self) -> (&'static str, Option<String>) {
        match self.engine.splitter().engine() {
            Engine::Whole => ("whole", None),
            Engine::WhiteSpace => ("white space", None),
            Engine::Backtracking { reason } => ("backtracking", Some(reason)),
            _ => ("automaton", None),
        }
    }

    /// The instructions that find boundaries, and why not faster ones.
    #[getter]
    fn path(&self, py: Python<'_>) -> (&'static str, Option<String>) {
        match py.detach(|| self.engine.splitter().path()) {
            Path::Avx512 => ("AVX-512", None),
            Path::Avx2 => ("AVX2", None),
            Path::Scalar { reason } => ("scalar", Some(reason)),
            other => ("scalar", Some(other.to_string())),
        }
    }

    /// The same tokenizer with another bound of its caches.
    fn with_cache_bytes(&self, py: Python<'_>, bytes: usize) -> Self {
        Self::new(py.detach(|| self.engine.clone().with_cache_bytes(bytes)))
    }

    #[getter]
    fn cache_bytes(&self) -> usize {
        self.engine.cache_bytes()
    }

    /// (alphabet, end of word, joined)
    #[getter]
    fn alphabet(&self) -> (&'static str, Option<String>, bool) {
        parts::words(self.engine.vocabulary().alphabet())
    }

    /// Whether every character is a token or made of tokens.
    #[getter]
    fn falls_back(&self) -> bool {
        (0..=255).all(|byte| self.engine.vocabulary().falls_back(byte))
    }

    /// Whether texts are normalised.
    #[getter]
    fn normalises(&self) -> bool {
        self.engine.normalizer().is_some()
    }

    /// The `post_processor` of its `tokenizer.json` that adds special tokens, as JSON.
    #[getter]
    fn post_processor(&self) -> Option<&str> {
        self.engine.kept()
    }

    #[getter]
    fn whole_first(&self) -> bool {
        self.engine.vocabulary().whole_first()
    }

    #[getter]
    fn is_ranks(&self) -> bool {
        self.engine.vocabulary().is_ranks()
    }

    /// How many tokens have the bytes of another, as which these bytes are looked up.
    #[getter]
    fn twins(&self) -> usize {
        self.engine.vocabulary().twins().len()
    }

    #[getter]
    fn n_vocab(&self) -> usize {
        self.engine.n_vocab()
    }

    fn __len__(&self) -> usize {
        self.engine.len()
    }

    #[getter]
    fn fingerprint(&self, py: Python<'_>) -> &str {
        py.detach(|| self.fingerprint.get_or_init(|| hexadecimal(&self.engine.fingerprint())))
    }
}

impl PyTokenizer {
    /// Appends the ids of a text.
    #[inline]
    fn ids(&self, text: &Bound<'_, PyAny>, options: &Encoding, ids: &mut Vec<u32>) -> PyResult<()> {
        with(text, |bytes, cancel| self.engine.encode(bytes, options.borrow(cancel), ids))
    }
}

/// Bytes as hexadecimal digits.
fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut digits, byte| {
        digits.extend([byte >> 4, byte & 15].map(|digit| char::from_digit(u32::from(digit), 16).unwrap_or_default()));
        digits
    })
}
