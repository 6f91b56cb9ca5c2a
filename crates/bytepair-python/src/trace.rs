//! The engine's traces as plain lists and tuples, of which `bytepair/trace.py` makes records.

use bytepair::Tokenizer;
use bytepair::trace::{Forest, Step, Trace};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::parts;

/// A span: (start, end).
pub type Span = (usize, usize);

/// (ids, bytes of each, byte spans, character spans, partial, special, pretoken index or None; pretokens as
/// (start, end, alternative))
pub type Traced<'py> = (
    Vec<u32>,
    Bound<'py, PyList>,
    Vec<Span>,
    Vec<Span>,
    Vec<bool>,
    Vec<bool>,
    Vec<Option<usize>>,
    Vec<(usize, usize, Option<u16>)>,
);

/// (nodes as (bytes, id, rank, children), children before parents; the root of each id)
pub type Trees<'py> = (Vec<(Bound<'py, PyBytes>, u32, Option<u32>, Option<Span>)>, Vec<usize>);

/// (pretoken, index of the left symbol, pair, rank, id)
pub type OneStep = (usize, usize, (u32, u32), u32, u32);

/// A trace.
pub fn traced<'py>(py: Python<'py>, tokenizer: &Tokenizer, trace: Trace) -> PyResult<Traced<'py>> {
    let tokens = parts::contents(py, tokenizer, &trace.ids)?;
    let pretoken = trace.pretoken.into_iter().map(|index| (index != usize::MAX).then_some(index)).collect();
    let pretokens = trace.pretokens.into_iter().map(|found| (found.start, found.end, found.alternative)).collect();
    Ok((trace.ids, tokens, trace.bytes, trace.characters, trace.partial, trace.special, pretoken, pretokens))
}

/// Merge trees.
pub fn trees<'py>(py: Python<'py>, tokenizer: &Tokenizer, forest: Forest) -> Trees<'py> {
    let bytes = |id| PyBytes::new(py, &parts::bytes_of(tokenizer, id).unwrap_or_default());
    let nodes = forest.nodes.into_iter().map(|node| (bytes(node.id), node.id, node.rank, node.children)).collect();
    (nodes, forest.roots)
}

/// Steps.
pub fn steps(steps: Vec<Step>) -> Vec<OneStep> {
    steps.into_iter().map(|step| (step.pretoken, step.at, step.pair, step.rank, step.id)).collect()
}
