//! `Counts`: the table of pretokens that training reads, filled document by document.

use bytepair::count::Counts;
use bytepair::{Allowed, Alphabet, Cancel, SpecialToken, SpecialTokens, Splitter};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::error;
use crate::interrupt;
use crate::parts;
use crate::text::Text;

/// Pretokens and how often each occurs, and what it takes to find them.
#[pyclass(name = "Counts", module = "bytepair._core")]
pub struct PyCounts {
    pub counts: Counts,
    pub splitter: Splitter,
    pub alphabet: Alphabet,
    pub special_tokens: Vec<String>,
    specials: SpecialTokens,
}

#[pymethods]
impl PyCounts {
    #[new]
    #[pyo3(signature = (pattern, alphabet, end_of_word, end_of_word_joined, special_tokens))]
    fn new(
        py: Python<'_>,
        pattern: Option<&str>,
        alphabet: &str,
        end_of_word: Option<String>,
        end_of_word_joined: bool,
        special_tokens: Vec<String>,
    ) -> PyResult<Self> {
        let alphabet = parts::alphabet(alphabet, end_of_word, end_of_word_joined);
        let splitter = parts::splitter(pattern, &alphabet).map_err(|e| error::raise(py, &e))?;
        // For finding boundaries any ids do; the real ones follow the last merge.
        let tokens = (0..).zip(special_tokens.iter().cloned());
        let tokens = tokens.map(|(id, content)| SpecialToken { content, id, special: true, normalized: false });
        let specials = SpecialTokens::new(tokens.collect()).map_err(|e| error::raise(py, &e))?;
        Ok(Self { counts: Counts::default(), splitter, alphabet, special_tokens, specials })
    }

    /// Counts a list of documents; `name(i)` says in an error what the i-th one is called.
    fn add_documents(
        &mut self,
        py: Python<'_>,
        documents: &Bound<'_, PyList>,
        threads: usize,
        name: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let items: Vec<Bound<'_, PyAny>> = documents.iter().collect();
        let texts: Vec<Text<'_>> = items.iter().map(|item| Text::of(item, "a document")).collect::<PyResult<_>>()?;
        let slices: Vec<&[u8]> = texts.iter().map(Text::bytes).collect();
        let (counts, splitter, specials) = (&mut self.counts, &self.splitter, &self.specials);
        let bytes = slices.iter().map(|slice| slice.len()).sum();
        let work = |cancel: Cancel<'_>| counts.add_documents(splitter, specials, &slices, threads, cancel);
        let done = interrupt::run(py, bytes, work)?;
        if let Err((index, problem)) = done {
            let place = format!("{}: ", name.call1((index,))?.extract::<String>()?);
            let text = texts.get(index).unwrap_or(&Text::Bytes(&[]));
            return Err(error::about(py, &problem, text, &place));
        }
        Ok(())
    }

    /// Adds `count` occurrences of one pretoken. As in a document, special tokens in it are boundaries.
    fn add(&mut self, pretoken: &Bound<'_, PyAny>, count: u64) -> PyResult<()> {
        let text = Text::of(pretoken, "a pretoken")?;
        let whole = text.bytes();
        let mut add = |piece| self.counts.add(piece, count).map_err(|e| error::raise(pretoken.py(), &e));
        let mut start = 0;
        while let Some((at, token)) = self.specials.find(whole, start, Allowed::All) {
            if start < at {
                add(whole.get(start..at).unwrap_or_default())?;
            }
            start = at + token.content.len();
        }
        let last = whole.get(start..).unwrap_or_default();
        if start > 0 && last.is_empty() { Ok(()) } else { add(last) }
    }

    /// The base symbols that training starts from; the i-th has id i.
    fn symbols<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let symbols = py.detach(|| bytepair::train::symbols(&self.counts, &self.alphabet));
        let symbols = symbols.map_err(|e| error::raise(py, &e))?;
        Ok(symbols.iter().map(|symbol| PyBytes::new(py, symbol)).collect())
    }

    /// How many documents were counted.
    #[getter]
    fn documents(&self) -> u64 {
        self.counts.documents()
    }

    /// How many different pretokens there are.
    #[getter]
    fn distinct(&self) -> usize {
        self.counts.len()
    }

    /// How many pretokens there are, repeated ones repeatedly.
    #[getter]
    fn total(&self) -> u64 {
        self.counts.total()
    }

    /// Bytes of all pretokens, repeated ones repeatedly.
    #[getter]
    fn total_bytes(&self) -> u64 {
        self.counts.total_bytes()
    }
}
