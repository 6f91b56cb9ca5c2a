//! `train`: counts -> a tokenizer, with progress, and with Ctrl-C before and between merges. It works on the thread that called,
//! since that is where `progress` belongs.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use bytepair::count::Counts;
use bytepair::train::{
    Balance, Goal, Language, Laying, Merge, Start, Stopped, Ties, TrainOptions, Training, Window, train_from,
};
use bytepair::{Cancel, Error, SpecialToken, SpecialTokens, Splitter, Tokenizer, Vocabulary};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::counts::PyCounts;
use crate::error;
use crate::interrupt::PATIENCE;
use crate::options::no_such;
use crate::tokenizer::PyTokenizer;

/// (tokenizer, why it stopped, each merge's count, each merge's firings, the language that chose each, the first doubtful merge)
type Learned = (PyTokenizer, &'static str, Vec<u64>, Vec<u64>, Vec<Option<usize>>, Option<usize>);

/// A merge that was learned before: (left id, right id, id, count, fired).
type Before = (u32, u32, u32, u64, u64);

fn before((left, right, id, count, fired): Before) -> Merge {
    Merge { left, right, id, count, fired }
}

/// Languages that take turns: the counts of each and those of its development text, if it has one; how many merges all choose together
/// first; who waits: (merges, share).
type Turns<'py> = (Vec<(Bound<'py, PyCounts>, Option<Bound<'py, PyCounts>>)>, usize, Option<(usize, usize)>);

/// Trains a tokenizer. Exactly one of `tokens` (those of a base included, special tokens that it lacks not) and `merges`
/// (those of a base not) is the goal. `balance` lets languages take turns. The tokenizer gets these special tokens, after those of a base; None: those of the counts. `learned` are the first merges, known from an interrupted training with all else equal.
/// `laying` is called now and then before the first merge with what is done and of how much, if that is much. Counts that
/// are used for the last time here (`is_last`) are empty then, and their memory is given back. `progress` is called after every merge that follows them with (rank, left id, right id, id, count, fired).
#[pyfunction]
#[pyo3(signature = (counts, *, tokens, merges, ties, min_count, max_token_bytes, whole_characters = false, base = None,
    seeds = Vec::new(), special_tokens = None, balance = None, learned = Vec::new(), lacking = 0, is_last = false, laying = None, progress))]
#[expect(clippy::too_many_arguments, reason = "they are the options of Python's train()")]
pub fn train(
    py: Python<'_>,
    counts: &Bound<'_, PyCounts>,
    tokens: Option<usize>,
    merges: Option<usize>,
    ties: &str,
    min_count: u64,
    max_token_bytes: Option<usize>,
    whole_characters: bool,
    base: Option<&PyTokenizer>,
    seeds: Vec<Bound<'_, PyBytes>>,
    special_tokens: Option<Vec<String>>,
    balance: Option<Turns<'_>>,
    learned: Vec<Before>,
    lacking: u64,
    is_last: bool,
    laying: Option<Py<PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Learned> {
    // Borrowed no longer than it takes to take the table: `progress` may do with the object what it likes.
    let table = if is_last { counts.try_borrow_mut()?.give_up(py)? } else { counts.try_borrow()?.whole_table(py)? };
    let (splitter, specials, alphabet) = {
        let counts = counts.try_borrow()?;
        let specials = special_tokens.unwrap_or_else(|| counts.special_tokens.clone());
        (counts.splitter.clone(), specials, counts.alphabet.clone())
    };
    let base = base.map(|base| &base.engine);
    // Special tokens of the base that are not in its vocabulary.
    let apart = base.map_or(0, |base| base.len() - base.vocabulary().len());
    let goal = tokens.map(|tokens| Goal::Tokens(tokens.saturating_sub(apart)));
    let options = TrainOptions {
        alphabet,
        goal: goal.unwrap_or_else(|| Goal::Merges(merges.unwrap_or_default())),
        ties: read_ties(ties)?,
        min_count,
        max_token_bytes,
        whole_characters,
    };
    let seeds: Vec<Vec<u8>> = seeds.into_iter().map(|seed| seed.as_bytes().to_vec()).collect();
    let learned: Vec<Merge> = learned.into_iter().map(before).collect();
    let watch = Mutex::new(Watch { progress, laying, last: Instant::now(), error: None });
    let tell = |done, of| watch.lock().unwrap_or_else(PoisonError::into_inner).lay(done, of);
    let turns = balance.map(|balance| tables_of(py, balance)).transpose()?;
    let tables = turns.as_ref().map_or(&[][..], |(tables, ..)| tables);
    let languages: Vec<Language<'_>> =
        tables.iter().map(|(counts, text)| Language { counts, development: text.as_deref() }).collect();
    let balance = turns.as_ref().map(|&(_, classic, window)| Balance { languages: &languages, classic, window });
    let start = Start { base, seeds: &seeds, balance, learned: &learned, laying: Laying::new(&tell), lacking };
    let see = |merged: Option<(usize, &Merge)>| watch.lock().unwrap_or_else(PoisonError::into_inner).see(merged);
    let ask = || see(None).is_break();
    let result = py.detach(|| -> Result<Done, Error> {
        let each = |rank, merge: &Merge| see(Some((rank, merge)));
        let training = train_from(table, &options, &start, Cancel::new(&ask), each)?;
        let Training { vocabulary, merges, choosers, stopped, doubtful } = training;
        Ok(Done { tokenizer: assemble(splitter, base, vocabulary, &specials)?, merges, choosers, stopped, doubtful })
    });
    match (result, watch.into_inner().unwrap_or_else(PoisonError::into_inner).error) {
        (_, Some(stopped)) => Err(stopped),
        (Err(problem), None) => Err(error::raise(py, &problem)),
        (Ok(done), None) => Ok(done.plain()),
    }
}

/// What a training has come to.
struct Done {
    tokenizer: Tokenizer,
    merges: Vec<Merge>,
    choosers: Vec<Option<usize>>,
    stopped: Stopped,
    doubtful: Option<usize>,
}

impl Done {
    /// As Python gets it.
    fn plain(self) -> Learned {
        let stopped = match self.stopped {
            Stopped::Goal => "goal",
            Stopped::NoPairs => "no pairs",
            Stopped::MinCount => "min count",
        };
        let counts = self.merges.iter().map(|merge| merge.count).collect();
        let fired = self.merges.iter().map(|merge| merge.fired).collect();
        (PyTokenizer::new(self.tokenizer), stopped, counts, fired, self.choosers, self.doubtful)
    }
}

/// The tables of each language, and the rest as the engine has it.
#[expect(clippy::type_complexity, reason = "it is what Python gives, without Python")]
fn tables_of(
    py: Python<'_>,
    (languages, classic, window): Turns<'_>,
) -> PyResult<(Vec<(Arc<Counts>, Option<Arc<Counts>>)>, usize, Option<Window>)> {
    let table = |counts: &Bound<'_, PyCounts>| counts.try_borrow()?.whole_table(py);
    let tables = languages.iter().map(|(counts, text)| Ok((table(counts)?, text.as_ref().map(table).transpose()?)));
    let tables = tables.collect::<PyResult<_>>()?;
    Ok((tables, classic, window.map(|(merges, share)| Window { merges, share })))
}

/// The special tokens of the base keep their ids; others take those after all that there are.
fn assemble(
    splitter: Splitter,
    base: Option<&Tokenizer>,
    vocabulary: Vocabulary,
    specials: &[String],
) -> Result<Tokenizer, Error> {
    let old = base.map(Tokenizer::specials);
    let mut tokens = old.map_or_else(Vec::new, |old| old.tokens().to_vec());
    let last = tokens.iter().map(|token| token.id as usize + 1).max().unwrap_or(0);
    let first = u32::try_from(vocabulary.n_vocab().max(last)).unwrap_or(u32::MAX);
    let new = specials.iter().filter(|content| old.is_none_or(|old| old.by_content(content).is_none()));
    let special = |(id, content): (u32, &String)| SpecialToken {
        content: content.clone(),
        id,
        special: true,
        ..SpecialToken::default()
    };
    tokens.extend((first..).zip(new).map(special));
    Tokenizer::new(splitter, vocabulary, SpecialTokens::new(tokens)?)
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
    laying: Option<Py<PyAny>>,
    last: Instant,
    error: Option<PyErr>,
}

impl Watch {
    /// The next merge, with its rank, or none yet.
    fn see(&mut self, merged: Option<(usize, &Merge)>) -> ControlFlow<()> {
        if self.error.is_some() {
            return ControlFlow::Break(());
        }
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

    /// So much is done before the first merge; told at the beginning, and now and then.
    fn lay(&mut self, done: u64, of: u64) {
        let is_due = self.error.is_none() && (done == 0 || self.last.elapsed() >= PATIENCE);
        let Some(laying) = self.laying.as_ref().filter(|_| is_due) else {
            return;
        };
        self.last = Instant::now();
        let told = Python::attach(|py| py.check_signals().and_then(|()| laying.call1(py, (done, of)).map(|_| ())));
        self.error = told.err();
    }
}
