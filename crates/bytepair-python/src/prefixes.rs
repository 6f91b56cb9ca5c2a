//! Tokens by how they begin, for Python: ids, and the arrays of a trie.

use bytepair::prefixes::Prefixes;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyMemoryView};

use crate::text::Text;
use crate::tokenizer::PyTokenizer;
use crate::{error, exact, numbers};

/// ids; bytes; children, starts, ends of the own tokens, ends: all but the bytes are uint32.
type Arrays<'py> = (Bound<'py, PyMemoryView>, Bound<'py, PyBytes>, [Bound<'py, PyMemoryView>; 4]);

/// The ids of the tokens that begin with these bytes, in the order of their bytes.
#[pyfunction]
pub fn tokens_with_prefix<'py>(
    py: Python<'py>,
    tokenizer: &PyTokenizer,
    prefix: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyList>> {
    let text = Text::of(prefix, "the prefix")?;
    let prefixes = tokenizer.prefixes(py);
    let range = prefixes.range(text.bytes());
    exact::write(py, prefixes.ids().get(range).unwrap_or_default())
}

/// The trie of all tokens that are text.
#[pyfunction]
pub fn trie<'py>(py: Python<'py>, tokenizer: &PyTokenizer) -> PyResult<Arrays<'py>> {
    let prefixes = tokenizer.prefixes(py);
    let trie = py.detach(|| prefixes.trie()).map_err(|e| error::raise(py, &e))?;
    let ids = numbers::ids(py, prefixes.ids().to_vec(), false)?;
    let bytes = PyBytes::new(py, &trie.bytes);
    let [children, starts, own_ends, ends] = [trie.children, trie.starts, trie.own_ends, trie.ends];
    let view = |numbers| numbers::ids(py, numbers, false);
    Ok((ids, bytes, [view(children)?, view(starts)?, view(own_ends)?, view(ends)?]))
}

/// What the tokenizer keeps of this, made when it is first needed.
impl PyTokenizer {
    fn prefixes(&self, py: Python<'_>) -> &Prefixes {
        py.detach(|| self.prefixes.get_or_init(|| Prefixes::new(&self.engine)))
    }
}
