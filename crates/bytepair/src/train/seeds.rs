//! Tokens that are asked for by name.
//!
//! The idea: the seeds alone, each once, are trained on until each is one token; the merges of that come before all others.
//! So an encoder always makes them first, and later merges may use them. Where a seed ends with the end-of-word mark as it is
//! written, the mark is meant. Cost: that of a tiny training.

use super::ground::Ground;
use super::layout::Text;
use super::symbols::Word;
use super::trainer::Trainer;
use super::{Goal, TrainOptions};
use crate::cancel::Cancel;
use crate::error::{Error, Report, Result};
use crate::vocabulary::{Alphabet, show};

/// The seeds as words.
pub(super) fn words<'a>(seeds: &'a [Vec<u8>], alphabet: &Alphabet) -> Result<Vec<Word<'a>>> {
    let mark = match alphabet {
        Alphabet::Characters { end_of_word: Some(mark) } => Some(mark),
        _ => None,
    };
    let word = |(index, seed): (usize, &'a Vec<u8>)| {
        if seed.is_empty() {
            return Err(Error::Training(Report::new(format!("seed {index} is empty"), "leave it out")));
        }
        let before = mark.and_then(|mark| seed.strip_suffix(mark.mark.as_bytes()).filter(|text| !text.is_empty()));
        Ok(before.map_or(Word { text: seed, ends: false }, |text| Word { text, ends: true }))
    };
    seeds.iter().enumerate().map(word).collect()
}

/// What makes each seed one token.
#[derive(Debug)]
pub(super) struct Seeded {
    /// The merges.
    pub(super) merges: Vec<(u32, u32)>,
    /// How many tokens there are with them.
    pub(super) tokens: usize,
}

/// Learns what makes each seed one token.
pub(super) fn learn(
    seeds: &[Word<'_>],
    ground: &Ground<'_>,
    options: &TrainOptions,
    cancel: Cancel<'_>,
) -> Result<Seeded> {
    let mut merges = Vec::new();
    if seeds.is_empty() {
        return Ok(Seeded { merges, tokens: ground.tokens.len() });
    }
    let most = seeds.iter().map(|&seed| ground.symbols.length(seed) as u64 + 1).sum::<u64>() + 1;
    let text = Text::of(distinct(seeds).into_iter().map(|seed| (seed, 1)), most, ground, cancel)?;
    let options = TrainOptions { min_count: 1, ..options.clone() };
    let mut trainer = Trainer::of(text, ground.tokens.clone(), ground.known.clone(), &options, cancel)?;
    while let Ok((merge, _)) = trainer.step(std::iter::once(0), Goal::Merges(usize::MAX), cancel)? {
        cancel.check()?;
        merges.push((merge.left, merge.right));
    }
    let rest = trainer.first_word();
    if rest.is_empty() { Ok(Seeded { merges, tokens: trainer.tokens().len() }) } else { Err(in_pieces(&rest)) }
}

/// Each seed once.
fn distinct<'a>(seeds: &[Word<'a>]) -> Vec<Word<'a>> {
    let mut seen = std::collections::HashSet::new();
    seeds.iter().copied().filter(|seed| seen.insert((seed.text, seed.ends))).collect()
}

fn in_pieces(pieces: &[&[u8]]) -> Error {
    let names: Vec<String> = pieces.iter().map(|piece| format!("`{}`", show(piece))).collect();
    Error::Training(Report::new(
        format!("the seed `{}` stays in pieces: {}", show(&pieces.concat()), names.join(", ")),
        "leave it out, or raise the limit (max_token_bytes, whole_characters) that bars it",
    ))
}
