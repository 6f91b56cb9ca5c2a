//! The extension module `bytepair._core`: converts, releases the GIL and delegates to the engine. One file per noun;
//! this one only registers. The Python package is its only user and `_core.pyi` its description.

mod arrow;
mod batch;
mod characters;
mod coder;
mod column;
mod counter;
mod counts;
mod decode;
mod dropout;
mod error;
mod exact;
mod files;
mod ids;
mod interrupt;
mod measure;
mod neighbours;
mod normalizer;
mod numbers;
mod options;
mod parts;
mod prefixes;
mod rank_file;
mod spare;
mod streaming;
mod text;
mod tokenizer;
mod tokenizer_json;
mod trace;
mod training;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("UNICODE_VERSION", bytepair::unicode::UNICODE_VERSION)?;
    module.add_class::<coder::PyCoder>()?;
    module.add_class::<counter::PyCounter>()?;
    module.add_class::<counts::PyCounts>()?;
    module.add_class::<files::PyStreamEncoder>()?;
    module.add_class::<neighbours::PyNeighbours>()?;
    module.add_class::<streaming::PyStreamDecoder>()?;
    module.add_class::<tokenizer::PyTokenizer>()?;
    module.add_class::<tokenizer_json::PyModel>()?;
    module.add_function(wrap_pyfunction!(counts::first_invalid, module)?)?;
    module.add_function(wrap_pyfunction!(rank_file::load_ranks, module)?)?;
    module.add_function(wrap_pyfunction!(tokenizer_json::read_model, module)?)?;
    module.add_function(wrap_pyfunction!(column::encode_column, module)?)?;
    module.add_function(wrap_pyfunction!(prefixes::tokens_with_prefix, module)?)?;
    module.add_function(wrap_pyfunction!(prefixes::trie, module)?)?;
    module.add_function(wrap_pyfunction!(measure::fewest, module)?)?;
    module.add_function(wrap_pyfunction!(measure::normalised, module)?)?;
    module.add_function(wrap_pyfunction!(measure::places, module)?)?;
    module.add_function(wrap_pyfunction!(measure::replay, module)?)?;
    module.add_function(wrap_pyfunction!(measure::unicode_ranges, module)?)?;
    module.add_function(wrap_pyfunction!(normalizer::unicode_versions, module)?)?;
    module.add_function(wrap_pyfunction!(text::raw, module)?)?;
    module.add_function(wrap_pyfunction!(training::train, module)?)?;
    module.add_function(wrap_pyfunction!(tokenizer::presets, module)?)?;
    Ok(())
}
