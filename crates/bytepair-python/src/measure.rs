//! What judging asks the engine for: the replay of every vocabulary size, the fewest tokens, where tokens stand.

use std::cmp::Reverse;

use bytepair::measure::Replay;
use bytepair::tokenizer::{EncodeOptions, UnknownSymbol};
use bytepair::{Cancel, Error};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView};

use crate::counts::PyCounts;
use crate::text::Text;
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

/// Arrays of ids (uint32), of where each text's begin and end among them, and of where each token starts and ends in its
/// text, in bytes (uint64).
type Placed<'py> = (View<'py>, View<'py>, View<'py>, View<'py>);

/// Texts as they are split: normalised, with no special token in them.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
pub fn normalised<'py>(
    py: Python<'py>,
    tokenizer: &PyTokenizer,
    texts: Vec<Bound<'py, PyAny>>,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let made = of_each(py, &texts, |text, cancel| Ok(tokenizer.engine.normalized(text, cancel)?.into_owned()))?;
    Ok(made.iter().map(|text| PyBytes::new(py, text)).collect())
}

/// Where the tokens of texts come from.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
pub fn places<'py>(py: Python<'py>, tokenizer: &PyTokenizer, texts: Vec<Bound<'py, PyAny>>) -> PyResult<Placed<'py>> {
    let traces = of_each(py, &texts, |text, cancel| {
        tokenizer.engine.trace(text, EncodeOptions { cancel, ..EncodeOptions::default() })
    })?;
    let (mut ids, mut offsets, mut starts, mut ends) = (Vec::new(), vec![0], Vec::new(), Vec::new());
    for trace in traces {
        starts.extend(trace.bytes.iter().map(|span| span.0 as u64));
        ends.extend(trace.bytes.iter().map(|span| span.1 as u64));
        ids.extend(trace.ids);
        offsets.push(ids.len() as u64);
    }
    Ok((
        numbers::ids(py, ids, false)?,
        numbers::offsets(py, offsets)?,
        numbers::offsets(py, starts)?,
        numbers::offsets(py, ends)?,
    ))
}

/// What `work` makes of each text.
fn of_each<T: Send>(
    py: Python<'_>,
    texts: &[Bound<'_, PyAny>],
    work: impl Fn(&[u8], Cancel<'_>) -> Result<T, Error> + Sync,
) -> PyResult<Vec<T>> {
    let read: Vec<Text<'_>> = (0..)
        .zip(texts)
        .map(|(index, text)| Text::of(text, format_args!("item {index} of the texts")))
        .collect::<PyResult<_>>()?;
    let slices: Vec<&[u8]> = read.iter().map(Text::bytes).collect();
    let bytes = slices.iter().map(|text| text.len()).sum();
    let all = |cancel: Cancel<'_>| -> Result<Vec<T>, (usize, Error)> {
        slices.iter().enumerate().map(|(at, text)| work(text, cancel).map_err(|error| (at, error))).collect()
    };
    interrupt::run(py, bytes, all)?
        .map_err(|(at, problem)| error::about(py, &problem, &read[at], &format!("item {at} of the texts: ")))
}

/// The ranges of code points, both ends included, of a class of Unicode; none for no such class.
#[pyfunction]
pub fn unicode_ranges(name: &str) -> Option<Vec<(u32, u32)>> {
    bytepair::unicode::ranges(name)
}
