//! What is done to a text before and after merging, as plain data and as the engine has it.

use bytepair::decode::Decoder;
use bytepair::error::Report;
use bytepair::normalize::{Charsmap, Form, Normalizer, Old, Scheme, SentencePiece, Step};
use bytepair::{Error, Result, Splitter, Tokenizer};
use pyo3::prelude::*;

use crate::tokenizer::PyTokenizer;

/// A step: kind, texts, flags, charsmap.
pub type PlainStep = (String, Vec<String>, Vec<bool>, Vec<u8>);

/// (unknown token, whether unknown characters are fused, the steps before and after normalised special tokens and whether
/// those are looked for as they are, (what stands for a space, how many are dropped at the start), what is kept)
pub type Around = (Option<u32>, bool, (Vec<PlainStep>, Vec<PlainStep>, bool), (Option<String>, usize), Option<String>);

/// The tokenizer with what is around it.
pub fn with(tokenizer: Tokenizer, (_, _, (before, after, plain), (space, strip), kept): Around) -> Result<Tokenizer> {
    let steps = |steps: Vec<PlainStep>| steps.into_iter().map(step).collect::<Result<Vec<Step>>>();
    let normalizer = Normalizer { before: steps(before)?, after: steps(after)?, plain };
    Ok(tokenizer.with_normalizer(normalizer)?.with_decoder(Decoder { space, strip }).with_kept(kept))
}

/// The opposite; the unknown token is said elsewhere.
pub fn around(tokenizer: &Tokenizer, unknown: Option<u32>, fuse: bool) -> Around {
    let steps = |steps: &[Step]| steps.iter().map(plain_step).collect();
    let normalizer = tokenizer.normalizer().map_or_else(Default::default, |normalizer| {
        (steps(&normalizer.before), steps(&normalizer.after), normalizer.plain)
    });
    let Decoder { space, strip } = tokenizer.decoder().clone();
    (unknown, fuse, normalizer, (space, strip), tokenizer.kept().map(str::to_owned))
}

/// What normalising takes from tables of Unicode that are not those of patterns, and the version of each.
#[pyfunction]
pub fn unicode_versions(tokenizer: &PyTokenizer) -> Vec<(&'static str, String)> {
    tokenizer.engine.normalizer().map(Normalizer::unicode).unwrap_or_default()
}

fn step((kind, texts, flags, charsmap): PlainStep) -> Result<Step> {
    let text = |at: usize| texts.get(at).cloned().unwrap_or_default();
    let flag = |at: usize| flags.get(at).copied().unwrap_or(false);
    Ok(match kind.as_str() {
        "nfc" => Step::Form(Form::Nfc),
        "nfd" => Step::Form(Form::Nfd),
        "nfkc" => Step::Form(Form::Nfkc),
        "nfkd" => Step::Form(Form::Nfkd),
        "lowercase" => Step::Lowercase,
        "strip" => Step::Strip(flag(0), flag(1)),
        "strip_accents" => Step::StripAccents,
        "nmt" => Step::Nmt,
        "replace" => Step::Replace(Old::Text(text(0)), text(1)),
        "replace_pattern" => Step::Replace(Old::Pattern(Splitter::new(&text(0))?), text(1)),
        "prepend" => Step::Prepend(text(0), Scheme::All),
        "prepend_always" => Step::Prepend(text(0), Scheme::Always),
        "prepend_first" => Step::Prepend(text(0), Scheme::First),
        "precompiled" => Step::Precompiled(Charsmap::new(charsmap)?),
        "sentencepiece" => {
            let charsmap = if charsmap.is_empty() { None } else { Some(Charsmap::new(charsmap)?) };
            let mut all = SentencePiece::default();
            all.charsmap = charsmap;
            all.add_dummy_prefix = flag(0);
            all.remove_extra_whitespaces = flag(1);
            all.escape_whitespaces = flag(2);
            all.suffix = flag(3);
            Step::SentencePiece(all.protecting(texts)?)
        }
        other => {
            return Err(Error::Vocabulary(Report::new(
                format!("`{other}` is no step of a normalizer"),
                "take one of the kinds that `bytepair.normalizing.Step` names",
            )));
        }
    })
}

fn plain_step(step: &Step) -> PlainStep {
    let (mut texts, mut flags, mut charsmap) = (Vec::new(), Vec::new(), Vec::new());
    let kind = match step {
        Step::Form(Form::Nfc) => "nfc",
        Step::Form(Form::Nfd) => "nfd",
        Step::Form(Form::Nfkc) => "nfkc",
        Step::Form(Form::Nfkd) => "nfkd",
        Step::Lowercase => "lowercase",
        Step::Strip(left, right) => {
            flags = vec![*left, *right];
            "strip"
        }
        Step::StripAccents => "strip_accents",
        Step::Nmt => "nmt",
        Step::Replace(old, new) => {
            let (kind, old) = match old {
                Old::Text(text) => ("replace", text.clone()),
                Old::Pattern(pattern) => ("replace_pattern", pattern.pattern().unwrap_or_default().to_owned()),
            };
            texts = vec![old, new.clone()];
            kind
        }
        Step::Prepend(mark, scheme) => {
            texts = vec![mark.clone()];
            match scheme {
                Scheme::All => "prepend",
                Scheme::Always => "prepend_always",
                Scheme::First => "prepend_first",
            }
        }
        Step::Precompiled(table) => {
            charsmap = table.bytes().to_vec();
            "precompiled"
        }
        Step::SentencePiece(all) => {
            texts = all.protected().to_vec();
            flags = vec![all.add_dummy_prefix, all.remove_extra_whitespaces, all.escape_whitespaces, all.suffix];
            charsmap = all.charsmap.as_ref().map_or_else(Vec::new, |table| table.bytes().to_vec());
            "sentencepiece"
        }
    };
    (kind.to_owned(), texts, flags, charsmap)
}
