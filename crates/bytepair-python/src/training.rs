//! `train`: counts -> a tokenizer, with progress, and with Ctrl-C before and between merges. It works on the thread that called,
//! since that is where `progress` belongs.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use bytepair::train::{Goal, Merge, Stopped, Ties, TrainOptions, Training, train_cancellable};
use bytepair::{Cancel, Error, SpecialToken, SpecialTokens, Splitter, Tokenizer};
use pyo3::prelude::*;

use crate::counts::PyCounts;
use crate::error;
use crate::interrupt::PATIENCE;
use crate::options::no_such;
use crate::tokenizer::PyTokenizer;

/// (tokenizer, why it stopped, each merge's count, each merge's firings)
type Learned = (PyTokenizer, &'static str, Vec<u64>, Vec<u64>);

/// Trains a tokenizer. Exactly one of `tokens` (special tokens not among them) and `merges` is the goal. `progress` is
/// called after every merge with (rank, left id, right id, id, count, fired).
#[pyfunction]
#[pyo3(signature = (counts, *, tokens, merges, ties, min_count, max_token_bytes, progress))]
#[expect(clippy::too_many_arguments, reason = "they are the options of Python's train()")]
pub fn train(
    py: Python<'_>,
    counts: &mut PyCounts,
    tokens: Option<usize>,
    merges: Option<usize>,
    ties: &str,
    min_count: u64,
    max_token_bytes: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Learned> {
    let options = TrainOptions {
        alphabet: counts.alphabet.clone(),
        goal: tokens.map_or_else(|| Goal::Merges(merges.unwrap_or_default()), Goal::Tokens),
        ties: read_ties(ties)?,
        min_count,
        max_token_bytes,
    };
    let (splitter, specials) = (counts.splitter.clone(), counts.special_tokens.clone());
    let table = counts.table(py)?;
    let watch = Mutex::new(Watch { progress, last: Instant::now(), error: None });
    let see = |merged: Option<(usize, &Merge)>| watch.lock().unwrap_or_else(PoisonError::into_inner).see(merged);
    let ask = || see(None).is_break();
    let result = py.detach(|| -> Result<(Tokenizer, Training), Error> {
        let training = train_cancellable(table, &options, Cancel::new(&ask), |rank, merge| see(Some((rank, merge))))?;
        Ok((assemble(splitter, &training, &specials)?, training))
    });
    match (result, watch.into_inner().unwrap_or_else(PoisonError::into_inner).error) {
        (_, Some(stopped)) => Err(stopped),
        (Err(problem), None) => Err(error::raise(py, &problem)),
        (Ok((tokenizer, training)), None) => {
            let stopped = match training.stopped {
                Stopped::Goal => "goal",
                Stopped::NoPairs => "no pairs",
                Stopped::MinCount => "min count",
            };
            let counts = training.merges.iter().map(|merge| merge.count).collect();
            let fired = training.merges.iter().map(|merge| merge.fired).collect();
            Ok((PyTokenizer::new(tokenizer), stopped, counts, fired))
        }
    }
}

/// The special tokens take the ids after the last merge's.
fn assemble(splitter: Splitter, training: &Training, specials: &[String]) -> Result<Tokenizer, Error> {
    let vocabulary = training.vocabulary.clone();
    let first = u32::try_from(vocabulary.n_vocab()).unwrap_or(u32::MAX);
    let tokens = (first..).zip(specials);
    let tokens =
        tokens.map(|(id, content)| SpecialToken { content: content.clone(), id, special: true, normalized: false });
    Tokenizer::new(splitter, vocabulary, SpecialTokens::new(tokens.collect())?)
}

fn read_ties(ties: &str) -> PyResult<Ties> {
    match ties {
        "lowest" => Ok(Ties::Lowest),
        "first" => Ok(Ties::First),
        "huggingface" => Ok(Ties::HuggingFace),
        "greatest" => Ok(Ties::Greatest),
        other => Err(no_such("ties", other, "\"lowest\", \"first\", \"huggingface\" or \"greatest\"")),
    }
}

/// Passes merges on to Python, and looks for Ctrl-C now and then.
struct Watch {
    progress: Option<Py<PyAny>>,
    last: Instant,
    error: Option<PyErr>,
}

impl Watch {
    /// The next merge, with its rank, or none yet.
    fn see(&mut self, merged: Option<(usize, &Merge)>) -> ControlFlow<()> {
        let merged = merged.filter(|_| self.progress.is_some());
        if merged.is_none() && self.last.elapsed() < PATIENCE {
            return ControlFlow::Continue(());
        }
        let seen = Python::attach(|py| -> PyResult<()> {
            if self.last.elapsed() >= PATIENCE {
                py.check_signals()?;
                self.last = Instant::now();
            }
            if let (Some(progress), Some((rank, merge))) = (&self.progress, merged) {
                progress.call1(py, (rank, merge.left, merge.right, merge.id, merge.count, merge.fired))?;
            }
            Ok(())
        });
        match seen {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(())
            }
        }
    }
}
