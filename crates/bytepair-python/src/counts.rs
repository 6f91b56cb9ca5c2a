//! `Counts`: the table of pretokens that training reads, filled from text, and taken apart and put together.
//!
//! Idea: who reads takes the table as it is then, at no cost, and holds it as long as the reading takes; so many may read at once, a
//! training and what it calls too. Who adds or changes something needs the object alone for that time.

use std::sync::{Arc, Mutex, PoisonError};

use bytepair::count::{Counting, Counts};
use bytepair::{Allowed, Alphabet, Cancel, Error, SpecialToken, SpecialTokens, Splitter};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyList, PyMemoryView};

use crate::arrow::{Column, Held};
use crate::normalizer::Around;
use crate::text::Text;
use crate::{arrow, error, interrupt, numbers, parts};

/// Bytes of a long pretoken that are shown.
const SHOWN: usize = 200;

/// Contents end to end, the offsets between them, and counts.
type Exported<'py> = (Bound<'py, PyBytes>, Bound<'py, PyMemoryView>, Bound<'py, PyMemoryView>);

/// Pretokens and how often each occurs, and what it takes to find them.
#[pyclass(name = "Counts", module = "bytepair._core")]
pub struct PyCounts {
    /// Locked while the tables of all threads are put together, and not longer.
    counting: Mutex<Counting>,
    pub splitter: Splitter,
    pub alphabet: Alphabet,
    pub special_tokens: Vec<String>,
}

impl PyCounts {
    /// All that was counted, when no more is to come: the threads' memory is given back.
    pub fn whole_table(&self, py: Python<'_>) -> PyResult<Arc<Counts>> {
        self.look(py, |counting| {
            counting.finish()?;
            counting.shared()
        })
    }

    /// The same, of which nothing is left here.
    pub fn give_up(&mut self, py: Python<'_>) -> PyResult<Arc<Counts>> {
        let table = self.whole_table(py)?;
        self.own().replace(Arc::default());
        Ok(table)
    }

    /// All that was counted so far.
    fn table(&self, py: Python<'_>) -> PyResult<Arc<Counts>> {
        self.look(py, Counting::shared)
    }

    /// Reads something of what was counted, which may take long.
    fn look<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Counting) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let read = py.detach(|| work(&mut self.counting.lock().unwrap_or_else(PoisonError::into_inner)));
        read.map_err(|problem| error::raise(py, &problem))
    }

    /// Reads something of what was counted, which takes no time.
    fn glance<T>(&self, py: Python<'_>, read: impl FnOnce(&Counting) -> T) -> T {
        read(&self.counting.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner))
    }

    /// What was counted, to be added to or changed.
    fn own(&mut self) -> &mut Counting {
        self.counting.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the table and so many bytes of other things, which may take long.
    fn change<T: Send>(
        &mut self,
        py: Python<'_>,
        bytes: usize,
        work: impl FnOnce(&mut Counts, Cancel<'_>) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let counting = self.own();
        let bytes = bytes.saturating_add(counting.memory());
        let done = interrupt::run(py, bytes, |cancel| work(counting.counts_mut()?, cancel))?;
        done.map_err(|problem| error::raise(py, &problem))
    }

    fn add_all(
        &mut self,
        py: Python<'_>,
        slices: &[&[u8]],
        threads: usize,
        fail: impl FnOnce(usize, &Error) -> PyErr,
    ) -> PyResult<()> {
        let counting = self.own();
        let bytes = slices.iter().map(|slice| slice.len()).sum();
        let done = interrupt::run(py, bytes, |cancel| counting.add_documents(slices, threads, cancel))?;
        done.map_err(|(index, problem)| fail(index, &problem))
    }
}

/// What stands before the error about a document, from its name.
fn named(name: &Bound<'_, PyAny>, index: usize) -> PyResult<String> {
    Ok(format!("{}: ", name.call1((index,))?.extract::<String>()?))
}

/// Where a document stops being UTF-8, in bytes; None where it is.
#[pyfunction]
pub fn first_invalid(py: Python<'_>, document: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    let text = Text::of(document, "a document")?;
    let bytes = text.bytes();
    Ok(py.detach(|| std::str::from_utf8(bytes).err().map(|problem| problem.valid_up_to())))
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
        let alphabet = parts::alphabet(alphabet, end_of_word, end_of_word_joined, &Around::default());
        let splitter = parts::splitter(pattern, &alphabet).map_err(|e| error::raise(py, &e))?;
        // For finding boundaries any ids do; the real ones follow the last merge.
        let tokens = (0..).zip(special_tokens.iter().cloned());
        let tokens = tokens.map(|(id, content)| SpecialToken { content, id, special: true, ..SpecialToken::default() });
        let specials = SpecialTokens::new(tokens.collect()).map_err(|e| error::raise(py, &e))?;
        let counting = Mutex::new(Counting::new(splitter.clone(), specials));
        Ok(Self { counting, splitter, alphabet, special_tokens })
    }

    /// The same once more, at no cost: the first change of one of them copies what was counted.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let counts = self.whole_table(py)?;
        let mut copy = self.empty(py);
        copy.own().replace(counts);
        Ok(copy)
    }

    /// A table for the same pattern, which is not compiled again, and the same alphabet and special tokens, with nothing in it.
    fn empty(&self, py: Python<'_>) -> Self {
        Self {
            counting: Mutex::new(self.glance(py, Counting::empty)),
            splitter: self.splitter.clone(),
            alphabet: self.alphabet.clone(),
            special_tokens: self.special_tokens.clone(),
        }
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
        self.add_all(py, &slices, threads, |index, problem| {
            let text = texts.get(index).unwrap_or(&Text::Bytes(&[]));
            named(name, index).map_or_else(|raised| raised, |name| error::about(py, problem, text, &name))
        })
    }

    /// Counts the rows of an Arrow column of strings, each a document, from its buffers: offsets (int32 or int64), data and validity; it begins
    /// at `first` in these and has `length` rows. A null row is no document.
    #[expect(clippy::too_many_arguments, reason = "they are the parts of a column")]
    fn add_array(
        &mut self,
        py: Python<'_>,
        offsets: &Bound<'_, PyAny>,
        data: Option<&Bound<'_, PyAny>>,
        validity: Option<&Bound<'_, PyAny>>,
        first: usize,
        length: usize,
        threads: usize,
        name: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let column = Column::new(offsets, data, validity, first, length)?;
        let (rows, slices) = column.texts()?;
        self.add_all(py, &slices, threads, |index, problem| {
            let (row, text) = (rows.get(index).copied().unwrap_or(0), slices.get(index).copied().unwrap_or_default());
            named(name, row).map_or_else(|raised| raised, |name| error::about(py, problem, &Text::Bytes(text), &name))
        })
    }

    /// Counts a part of one document, cut anywhere; `name` is what the document is called in an error.
    fn add_part(&mut self, part: &Bound<'_, PyAny>, threads: usize, name: &str) -> PyResult<()> {
        let py = part.py();
        let text = Text::of(part, "a part of a document")?;
        let (counting, bytes) = (self.own(), text.bytes());
        let done = interrupt::run(py, bytes.len(), |cancel| counting.add_part(bytes, threads, cancel))?;
        done.map_err(|problem| error::about(py, &problem, &Text::Bytes(&[]), &format!("{name}: ")))
    }

    /// The document that has come in part: its bytes that wait, how many were counted before them, and how many of those that wait have no
    /// place to cut; None if no part has come.
    #[getter]
    fn opened<'py>(&self, py: Python<'py>) -> Option<(Bound<'py, PyBytes>, usize, usize)> {
        self.glance(py, |counting| counting.opened().map(|(tail, gone, looked)| (PyBytes::new(py, tail), gone, looked)))
    }

    /// Goes on with a document of which a part has come, as `opened` gave it.
    fn reopen(&mut self, tail: &[u8], gone: usize, looked: usize) {
        self.own().reopen(tail.to_vec(), gone, looked);
    }

    /// The document that came in parts ends here.
    fn end_document(&mut self, py: Python<'_>, threads: usize, name: &str) -> PyResult<()> {
        let counting = self.own();
        let done = interrupt::run(py, counting.waiting(), |cancel| counting.end_document(threads, cancel))?;
        done.map_err(|problem| error::about(py, &problem, &Text::Bytes(&[]), &format!("{name}: ")))
    }

    /// Adds `count` occurrences of one pretoken. As in a document, special tokens in it are boundaries.
    fn add(&mut self, pretoken: &Bound<'_, PyAny>, count: u64) -> PyResult<()> {
        let py = pretoken.py();
        let text = Text::of(pretoken, "a pretoken")?;
        let counting = self.own();
        let (whole, specials) = (text.bytes(), counting.specials());
        let between = specials.cuts(whole, Allowed::All).filter(|cut| cut.token.is_none());
        let mut pieces: Vec<&[u8]> = between.filter_map(|cut| whole.get(cut.start..cut.end)).collect();
        pieces.extend(whole.is_empty().then_some(whole));
        let counts = counting.counts_mut().map_err(|e| error::raise(py, &e))?;
        pieces.into_iter().try_for_each(|piece| counts.add(piece, count)).map_err(|e| error::raise(py, &e))
    }

    /// Adds many pretokens as they are: the i-th is `data[offsets[i]:offsets[i + 1]]` and occurs `counts[i]` times. Offsets and counts are uint64.
    fn add_many(
        &mut self,
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        offsets: &Bound<'_, PyAny>,
        counts: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (data, offsets, counts) = (Held::of(data)?, arrow::integers(offsets)?, arrow::integers(counts)?);
        let pretokens = arrow::slices(data.bytes(), &offsets)?;
        if pretokens.len() != counts.len() {
            return Err(PyValueError::new_err(format!(
                "{} pretokens, but {} counts\nhint: n pretokens have n counts and n + 1 offsets",
                pretokens.len(),
                counts.len()
            )));
        }
        self.change(py, 16 * counts.len(), |table, cancel| table.add_many(&pretokens, &counts, cancel))
    }

    /// The pretokens `start..start + length` in the order of first appearance, as `add_many` takes them: data, offsets and counts (uint64).
    fn export<'py>(&self, py: Python<'py>, start: usize, length: usize) -> PyResult<Exported<'py>> {
        let table = self.table(py)?;
        let start = start.min(table.len());
        let range = start..start.saturating_add(length).min(table.len());
        let (data, offsets, counts) = py.detach(|| {
            let mut data = Vec::new();
            let (mut offsets, mut counts) = (vec![0], Vec::with_capacity(range.len()));
            for index in range {
                data.extend_from_slice(table.pretoken(index));
                offsets.push(data.len() as u64);
                counts.push(table.count(index));
            }
            (data, offsets, counts)
        });
        Ok((PyBytes::new(py, &data), numbers::offsets(py, offsets)?, numbers::offsets(py, counts)?))
    }

    /// Puts the tables of all threads together, which reading does too, and gives their memory back.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        self.whole_table(py).map(|_| ())
    }

    /// Adds another table, whose pretokens appeared after these.
    fn merge(slf: &Bound<'_, Self>, other: &Bound<'_, Self>) -> PyResult<()> {
        let py = slf.py();
        let more = other.try_borrow()?.table(py)?;
        slf.try_borrow_mut()?.change(py, more.memory(), |table, cancel| table.merge(&more, cancel))
    }

    /// Where the pretokens of another table stand in this one, in its order (uint64); the number of all where one does not.
    fn places<'py>(&self, py: Python<'py>, other: &Self) -> PyResult<Bound<'py, PyMemoryView>> {
        let (table, other) = (self.table(py)?, other.table(py)?);
        let found = interrupt::run(py, other.memory(), |cancel| table.places(&other, cancel))?;
        numbers::offsets(py, found.map_err(|e| error::raise(py, &e))?)
    }

    /// Multiplies every count.
    fn scale(&mut self, py: Python<'_>, factor: u64) -> PyResult<()> {
        self.change(py, 0, |table, _| table.scale(factor))
    }

    /// The same without the pretokens that occur less often: how many distinct ones these are, how often they occur together,
    /// and of which pair of tokens they hold the most, how many.
    fn pruned(&self, py: Python<'_>, below: u64) -> PyResult<(Self, usize, u64, u64)> {
        let table = self.whole_table(py)?;
        let has_mark = matches!(&self.alphabet, Alphabet::Characters { end_of_word: Some(_) });
        let (kept, dropped) = py.detach(|| table.pruned(below, has_mark));
        let mut pruned = self.empty(py);
        pruned.own().replace(Arc::new(kept));
        Ok((pruned, dropped.distinct, dropped.total, dropped.pair))
    }

    /// The longest pretokens, the longest first: their beginning, length and count.
    fn longest<'py>(&self, py: Python<'py>, n: usize) -> PyResult<Vec<(Bound<'py, PyBytes>, usize, u64)>> {
        let table = self.table(py)?;
        let longest = py.detach(|| table.longest(n));
        let one = |index| {
            let pretoken = table.pretoken(index);
            let shown = pretoken.get(..SHOWN).unwrap_or(pretoken);
            (PyBytes::new(py, shown), pretoken.len(), table.count(index))
        };
        Ok(longest.into_iter().map(one).collect())
    }

    /// The base symbols that training on this and seeds starts from; the i-th has id i.
    fn symbols<'py>(&self, py: Python<'py>, seeds: Vec<Vec<u8>>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let alphabet = self.alphabet.clone();
        let table = self.table(py)?;
        let symbols = py.detach(move || bytepair::train::symbols(&table, &seeds, &alphabet));
        let symbols = symbols.map_err(|e| error::raise(py, &e))?;
        Ok(symbols.iter().map(|symbol| PyBytes::new(py, symbol)).collect())
    }

    /// How many documents were counted.
    #[getter]
    fn documents(&self, py: Python<'_>) -> u64 {
        self.glance(py, Counting::totals).0
    }

    /// How many different pretokens there are.
    #[getter]
    fn distinct(&self, py: Python<'_>) -> PyResult<usize> {
        self.table(py).map(|table| table.len())
    }

    /// How many pretokens there are, repeated ones repeatedly.
    #[getter]
    fn total(&self, py: Python<'_>) -> u64 {
        self.glance(py, Counting::totals).1
    }

    /// Bytes of all pretokens, repeated ones repeatedly.
    #[getter]
    fn total_bytes(&self, py: Python<'_>) -> u128 {
        self.glance(py, Counting::totals).2
    }

    /// The bytes of memory that a training takes beside it, about.
    #[getter]
    fn training_memory(&self, py: Python<'_>) -> u64 {
        self.glance(py, |counting| bytepair::train::memory(counting.symbols()))
    }

    /// The bytes of memory that all tables take.
    #[getter]
    fn memory(&self, py: Python<'_>) -> usize {
        self.glance(py, Counting::memory)
    }
}
