//! One training from its start to its goal.
//!
//! The idea: merges that are settled before anything is chosen, those of seeds and those that an interrupted training has
//! learned, are made like any other, only that the queue is not asked. So a resumed training stands exactly where the
//! interrupted one stood, whatever the rule for ties. Cost: that of the merges.

use std::borrow::Borrow;
use std::ops::ControlFlow;

use super::balance::Turns;
use super::ground::{Ground, Ids};
use super::laying::Passes;
use super::layout::lay_out;
use super::seeds;
use super::symbols::Symbols;
use super::trainer::Trainer;
use super::{Balance, Goal, Merge, Start, Ties, TrainOptions, Training};
use crate::cancel::Cancel;
use crate::count::Counts;
use crate::error::{Error, Report, Result};
use crate::tokenizer::Tokenizer;
use crate::vocabulary::{Alphabet, Tokens, Vocabulary};

/// [`train`](super::train) from a [`Start`]; counts that are handed over are given up when they are not needed any more. It can also be stopped before the first merge and inside one: with many millions
/// of pretokens these take seconds. `each` does not see the merges that were learned before.
///
/// # Errors
/// As [`train`](super::train). [`Error::Training`] too when the base is made of another alphabet, a seed cannot become one
/// token, the goal is below what there is at the start, or what was learned before is not what these counts and options give.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use bytepair::Cancel;
/// use bytepair::count::Counts;
/// use bytepair::train::{Goal, Start, TrainOptions, train, train_from};
///
/// let mut counts = Counts::default();
/// counts.add(b"    low", 5)?;
/// let seeds = [b"    ".to_vec()];
/// let start = Start { seeds: &seeds, ..Start::default() };
/// let options = TrainOptions { goal: Goal::Tokens(259), ..TrainOptions::default() };
/// let go_on = |_: usize, _: &_| ControlFlow::Continue(());
/// let training = train_from(&counts, &options, &start, Cancel::default(), go_on)?;
/// assert_eq!(training.vocabulary.content(257), Some(&b"    "[..]));
/// assert_eq!(training.vocabulary.content(258), Some(&b"lo"[..]));
///
/// let start = Start { learned: &training.merges[..1], ..start };
/// let resumed = train_from(&counts, &options, &start, Cancel::default(), go_on)?;
/// assert_eq!(resumed.merges, training.merges);
/// # Ok::<(), bytepair::Error>(())
/// ```
pub fn train_from(
    counts: impl Borrow<Counts>,
    options: &TrainOptions,
    start: &Start<'_>,
    cancel: Cancel<'_>,
    mut each: impl FnMut(usize, &Merge) -> ControlFlow<()>,
) -> Result<Training> {
    check_alphabet(start.base, &options.alphabet)?;
    start.balance.map_or(Ok(()), |balance| balance.check(options))?;
    let table = counts.borrow();
    table.check_pairs(matches!(&options.alphabet, Alphabet::Characters { end_of_word: Some(mark) } if !mark.joined))?;
    let seeds = seeds::words(start.seeds, &options.alphabet)?;
    let symbols = Symbols::new(table, &seeds, &options.alphabet, cancel)?;
    let ground = Ground::new(symbols, start.base)?;
    let what = if start.base.is_some() { "the base has" } else { "the alphabet alone has" };
    check_goal(options.goal, ground.tokens.len(), 0, what)?;
    let seeds = seeds::learn(&seeds, &ground, options, cancel)?;
    check_goal(options.goal, seeds.tokens, seeds.merges.len(), "with the seeds there are")?;
    let (mut trainer, mut turns, ids) = laid_out(counts, ground, options, start, cancel)?;
    let mut merges: Vec<Merge> = Vec::new();
    let stopped = loop {
        let rank = merges.len();
        let before = start.learned.get(rank);
        // What was learned before is made again even if it is too much, to say how much there is.
        let goal = before.map_or(options.goal, |_| Goal::Merges(usize::MAX));
        let merge = match (seeds.merges.get(rank), before, &mut turns) {
            (Some(&pair), _, turns) => {
                let merge = trainer.force(pair, cancel)?;
                if let Some(turns) = turns {
                    turns.forced(&trainer);
                }
                Ok(merge)
            }
            (None, Some(before), None) if !trainer.is_watched() => {
                let pair = tokens_of(before, &trainer, &ids).filter(|&pair| trainer.allows(pair));
                Ok(trainer.redo(pair.ok_or_else(|| not_learned(rank))?, cancel)?)
            }
            // Whose turn it is follows from all that came before.
            (None, _, Some(turns)) => turns.step(&mut trainer, goal, cancel)?,
            (None, _, None) => trainer.step(std::iter::once(0), goal, cancel)?.map(|(merge, _)| merge),
        };
        let merge = match merge {
            Ok(merge) => merge,
            Err(_) if before.is_some() => return Err(not_learned(rank)),
            Err(stopped) => break stopped,
        };
        let merge = Merge { left: ids.id(merge.left)?, right: ids.id(merge.right)?, id: ids.id(merge.id)?, ..merge };
        match before {
            Some(before) if *before != merge => return Err(not_learned(rank)),
            Some(_) => cancel.check()?,
            None if each(rank, &merge).is_break() => return Err(Error::Interrupted),
            None => {}
        }
        merges.push(merge);
    };
    check_goal(options.goal, trainer.tokens().len(), merges.len(), "with what was learned before there are")?;
    let doubtful = trainer.doubtful();
    let vocabulary = vocabulary(start.base, options, trainer, &ids, &merges)?;
    let choosers = turns.map_or_else(Vec::new, |turns| turns.choosers);
    Ok(Training { vocabulary, merges, choosers, stopped, doubtful })
}

/// The state before the first merge, and whose turn it is, if languages take turns. The counts are given up as soon as what is
/// laid out is all that is needed.
fn laid_out(
    counts: impl Borrow<Counts>,
    ground: Ground<'_>,
    options: &TrainOptions,
    start: &Start<'_>,
    cancel: Cancel<'_>,
) -> Result<(Trainer, Option<Turns>, Ids)> {
    let table = counts.borrow();
    let balance = start.balance.as_ref();
    let laid = balance.is_none_or(|balance| balance.classic > 0).then_some(table);
    let tables = laid.into_iter().chain(balance.into_iter().flat_map(Balance::tables));
    let passes = Passes::new(start.laying, tables, cancel);
    let ask = || passes.ask();
    let asked = Cancel::new(&ask);
    let turns = balance.map(|balance| Turns::new(balance, &ground, asked)).transpose()?;
    let (texts, told) = match balance {
        Some(balance) => (balance.texts(table, &ground, asked)?, balance.languages.len()),
        None => (vec![lay_out(table, &ground, options.ties != Ties::First, asked)?], 1),
    };
    drop(counts);
    let Ground { tokens, known, ids, .. } = ground;
    let trainer = Trainer::in_step(texts, told, tokens, known, options, asked)?.lacking(start.lacking);
    Ok((trainer, turns, ids))
}

/// The vocabulary of the base and what was learned.
fn vocabulary(
    base: Option<&Tokenizer>,
    options: &TrainOptions,
    trainer: Trainer,
    ids: &Ids,
    merges: &[Merge],
) -> Result<Vocabulary> {
    let mut contents = Tokens::default();
    // The text and all else are not needed any more.
    let tokens = trainer.into_tokens();
    for (token, content) in tokens.iter() {
        contents.push(ids.id(token)?, content);
    }
    let mut pairs = base.map_or_else(Vec::new, |base| base.vocabulary().pairs());
    pairs.extend(merges.iter().map(|merge| (merge.left, merge.right)));
    let whole_first = base.is_some_and(|base| base.vocabulary().whole_first());
    Vocabulary::of_merges(options.alphabet.clone(), contents, pairs, whole_first)
}

/// The pair of a merge that was learned before.
fn tokens_of(merge: &Merge, trainer: &Trainer, ids: &Ids) -> Option<(u32, u32)> {
    let token = |id| ids.token(id).filter(|&token| (token as usize) < trainer.tokens().len());
    Some((token(merge.left)?, token(merge.right)?))
}

fn check_alphabet(base: Option<&Tokenizer>, alphabet: &Alphabet) -> Result<()> {
    if base.is_some_and(|base| base.normalizer().is_some()) {
        return Err(Error::Training(Report::new(
            "the base normalises texts, and training does not",
            "train without a base, or from one that does not normalise",
        )));
    }
    match base.map(|base| base.vocabulary().alphabet()) {
        Some(of_base) if of_base != alphabet => Err(Error::Training(Report::new(
            format!("the base is made of {}, and the training is of {}", named(of_base), named(alphabet)),
            "train with the alphabet and the end-of-word mark of the base",
        ))),
        _ => Ok(()),
    }
}

fn named(alphabet: &Alphabet) -> String {
    match alphabet {
        Alphabet::Bytes => "bytes".to_owned(),
        Alphabet::MarkedBytes { mark } => format!("bytes with `{mark}` joined to the last one"),
        Alphabet::Unicode { .. } => "characters that fall back to bytes".to_owned(),
        Alphabet::Characters { end_of_word: None } => "characters without a mark".to_owned(),
        Alphabet::Characters { end_of_word: Some(end) } => {
            let how = if end.joined { "joined to the last one" } else { "as a symbol of its own" };
            format!("characters with the mark {:?} {how}", end.mark)
        }
    }
}

/// The goal is not below what there is without it.
fn check_goal(goal: Goal, tokens: usize, merges: usize, why: &str) -> Result<()> {
    let (goal, there, asked, what) = match goal {
        Goal::Tokens(goal) => (goal, tokens, "a vocabulary", "tokens"),
        Goal::Merges(goal) => (goal, merges, "a training", "merges"),
    };
    if there <= goal {
        return Ok(());
    }
    Err(Error::Training(Report::new(
        format!("{asked} of {goal} {what} is asked for, but {why} {there}"),
        format!("ask for {there} {what} or more"),
    )))
}

fn not_learned(rank: usize) -> Error {
    Error::Training(Report::new(
        format!("merge {rank} of those learned before is not what these counts and settings give"),
        "start again without them, or with the counts and settings that they were learned with",
    ))
}
