//! The engine's replay of every vocabulary size, as arrays.

use std::cmp::Reverse;

use bytepair::measure::Replay;
use bytepair::tokenizer::UnknownSymbol;
use pyo3::prelude::*;
use pyo3::types::PyMemoryView;

use crate::counts::PyCounts;
use crate::tokenizer::PyTokenizer;
use crate::{error, interrupt, numbers};

type View<'py> = Bound<'py, PyMemoryView>;

/// (merges, (words, one symbol, characters), base (ids, counts), changes (merges, ids, deltas), wholes (merges,
/// counts))
type Replayed<'py> =
    (usize, (i64, i64, i64), (View<'py>, View<'py>), (View<'py>, View<'py>, View<'py>), (View<'py>, View<'py>));

/// What counted pretokens become at every vocabulary size. Merges and ids are uint32, the others int64.
#[pyfunction]
pub fn replay<'py>(py: Python<'py>, tokenizer: &PyTokenizer, counts: &mut PyCounts) -> PyResult<Replayed<'py>> {
    let (engine, table) = (&tokenizer.engine, counts.whole_table(py)?);
    let bytes = usize::try_from(table.total_bytes()).unwrap_or(usize::MAX);
    let done = interrupt::run(py, bytes, |cancel| engine.replay(table.iter(), UnknownSymbol::Raise, cancel))?;
    let Replay { merges, base, changes, wholes, words, symbols, characters } =
        done.map_err(|problem| error::raise(py, &problem))?;
    let ids = |items: Vec<u32>| numbers::ids(py, items, false);
    // The same bits: NumPy reads them as int64.
    let signed = |items: Vec<i64>| numbers::offsets(py, items.into_iter().map(i64::cast_unsigned).collect());
    let (base_ids, base_counts): (Vec<u32>, Vec<i64>) = base.into_iter().unzip();
    let (whole_merges, whole_counts): (Vec<u32>, Vec<i64>) = wholes.into_iter().unzip();
    Ok((
        merges,
        (words, symbols, characters),
        (ids(base_ids)?, signed(base_counts)?),
        (
            ids(changes.iter().map(|change| change.merge).collect())?,
            ids(changes.iter().map(|change| change.id).collect())?,
            signed(changes.iter().map(|change| change.delta).collect())?,
        ),
        (ids(whole_merges)?, signed(whole_counts)?),
    ))
}

/// (tokens, fewest tokens, those of which there could be fewer as (index, count, tokens, fewest))
type Fewer = (u128, u128, Vec<(usize, u64, usize, usize)>);

/// Tokens of counted pretokens, the fewest that there could be, and the `most` pretokens by which most could be saved.
#[pyfunction]
pub fn fewest(py: Python<'_>, tokenizer: &PyTokenizer, counts: &mut PyCounts, most: usize) -> PyResult<Fewer> {
    let (engine, table) = (&tokenizer.engine, counts.whole_table(py)?);
    let bytes = usize::try_from(table.total_bytes()).unwrap_or(usize::MAX);
    let done = interrupt::run(py, bytes, |cancel| engine.fewest_tokens(table.iter(), cancel))?;
    let mut found = done.map_err(|problem| error::raise(py, &problem))?;
    found.longer.sort_by_key(|one| Reverse(u128::from(one.count) * (one.merged - one.fewest) as u128));
    found.longer.truncate(most);
    let longer = found.longer.into_iter().map(|one| (one.index, one.count, one.merged, one.fewest));
    Ok((found.merged, found.fewest, longer.collect()))
}

/// The ranges of code points, both ends included, of a class of Unicode; none for no such class.
#[pyfunction]
pub fn unicode_ranges(name: &str) -> Option<Vec<(u32, u32)>> {
    bytepair::unicode::ranges(name)
}
