//! `Coder`: those methods of Python's `Tokenizer` that are called so often, and on so little, that one more call in
//! between would show. `Tokenizer` inherits them: Python calls this code and no other. So their docstrings are here.

#![allow(clippy::doc_markdown)] // the docstrings are Python's

use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::decode::{self, Made};
use crate::dropout;
use crate::options::{self, Encoding};
use crate::tokenizer::PyTokenizer;

/// What `Tokenizer` inherits.
#[pyclass(name = "Coder", module = "bytepair._core", frozen, subclass)]
pub struct PyCoder {
    tokenizer: Py<PyTokenizer>,
}

#[pymethods]
impl PyCoder {
    #[new]
    fn new(tokenizer: Py<PyTokenizer>) -> Self {
        Self { tokenizer }
    }

    /// The ids of a text. Special tokens in it are text, unless they are allowed.
    ///
    /// Args:
    ///     text: the text.
    ///     allowed_special: special tokens that become their ids where they stand in the text, or "all".
    ///     disallowed_special: special tokens that must not stand in the text (those allowed excepted), or "all".
    ///     unknown: what to do with a byte or character that the vocabulary has no symbol for: "raise", "unk" (the
    ///         id of the special token `<unk>`) or "skip".
    ///     dropout: the probability with which each merge that could be made next is left out (BPE-dropout, Provilkov
    ///         et al., 2020), for training models on many segmentations of a word; 1 leaves the base symbols. With
    ///         any above 0, whole pretokens are not looked up.
    ///     seed: another number leaves out other merges; equal seeds give equal ids, on every machine.
    ///
    /// Returns:
    ///     The ids, as many as the text has tokens.
    ///
    /// Raises:
    ///     SpecialTokenError: a forbidden special token, with its position; or a name that no special token has.
    ///     UnknownSymbolError: a byte or character without a symbol, with its position.
    ///     PatternError: a pattern that is served by backtracking gave up on the text.
    ///     ValueError: a dropout that is no probability, a seed that 64 bits cannot hold.
    ///
    /// >>> import bytepair as bp
    /// >>> tok = bp.train(texts=[], vocab_size=257, special_tokens=["<|end|>"])
    /// >>> len(tok.encode("a<|end|>")), tok.encode("a<|end|>", allowed_special={"<|end|>"})
    /// (8, [97, 256])
    #[pyo3(
        signature = (text, *, allowed_special=None, disallowed_special=None, unknown="raise", dropout=None, seed=None),
        text_signature = "($self, text, *, allowed_special=(), disallowed_special=(), unknown='raise', dropout=None, seed=0)"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are the options of the method")]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        allowed_special: Option<&Bound<'py, PyAny>>,
        disallowed_special: Option<&Bound<'py, PyAny>>,
        unknown: &str,
        dropout: Option<&Bound<'py, PyAny>>,
        seed: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let tokenizer = self.tokenizer.get();
        let options = Encoding::of(&tokenizer.engine, allowed_special, disallowed_special, unknown)?;
        match dropout {
            None => tokenizer.list(py, text, &options),
            Some(dropout) => tokenizer.list_with_dropout(text, dropout::options(dropout, seed)?, &options),
        }
    }

    /// How many ids `encode` gives, without making a list of them.
    ///
    /// >>> import bytepair as bp
    /// >>> bp.train(texts=[], vocab_size=256).count("four")
    /// 4
    #[pyo3(
        signature = (text, *, allowed_special=None, disallowed_special=None, unknown="raise"),
        text_signature = "($self, text, *, allowed_special=(), disallowed_special=(), unknown='raise')"
    )]
    fn count(
        &self,
        text: &Bound<'_, PyAny>,
        allowed_special: Option<&Bound<'_, PyAny>>,
        disallowed_special: Option<&Bound<'_, PyAny>>,
        unknown: &str,
    ) -> PyResult<usize> {
        let tokenizer = self.tokenizer.get();
        let options = Encoding::of(&tokenizer.engine, allowed_special, disallowed_special, unknown)?;
        tokenizer.count(text, &options)
    }

    /// The text of ids.
    ///
    /// Args:
    ///     ids: a list, tuple or other sequence of integers, or an array of integers of shape (tokens,).
    ///     errors: what to do with bytes that are not UTF-8: "replace" (U+FFFD), "strict" or "ignore".
    ///     skip_special: leave control tokens out.
    ///     unknown: what to do with an integer that is no token's id: "raise", "skip" or "replace" (U+FFFD).
    ///
    /// Raises:
    ///     UnknownTokenError: an id that no token has, with its place.
    ///     UnicodeDecodeError: bytes that are not UTF-8, with errors="strict".
    ///     TypeError: ids that are no integers.
    ///
    /// >>> import bytepair as bp
    /// >>> tok = bp.train(texts=[], vocab_size=256)
    /// >>> tok.decode([240, 159, 140]), tok.decode([97, 999, 98], unknown="skip")
    /// ('�', 'ab')
    #[pyo3(signature = (ids, *, errors="replace", skip_special=false, unknown="raise"))]
    fn decode<'py>(
        &self,
        ids: &Bound<'py, PyAny>,
        errors: &str,
        skip_special: bool,
        unknown: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = options::decoding(skip_special, unknown)?;
        decode::one(&self.tokenizer.get().engine, ids, options, Made::text(errors)?)
    }
}
