//! A tokenizer: pattern + vocabulary + special tokens. Immutable; every option belongs to a call.

use std::sync::{Arc, OnceLock};

use crate::cancel::Cancel;
use crate::decode::Decoder;
use crate::decode::slots::Slots;
use crate::encode::cuts::Cuts;
use crate::encode::pool::Pool;
use crate::error::{Error, Report, Result};
use crate::normalize::Normalizer;
use crate::special::{Allowed, SpecialTokens};
use crate::split::Splitter;
use crate::vocabulary::{Alphabet, NONE, Vocabulary, show};

/// Pattern + vocabulary + special tokens.
///
/// ```
/// use bytepair::tokenizer::{DecodeOptions, EncodeOptions};
/// use bytepair::{SpecialTokens, Splitter, Tokenizer, Vocabulary};
///
/// let ranks = vec![(0, b"a".to_vec()), (1, b"b".to_vec()), (2, b"ab".to_vec())];
/// let tokenizer = Tokenizer::new(Splitter::whole(), Vocabulary::from_ranks(ranks)?, SpecialTokens::default())?;
/// let mut ids = Vec::new();
/// tokenizer.encode(b"abba", EncodeOptions::default(), &mut ids)?;
/// assert_eq!(ids, [2, 1, 0]);
/// let mut text = Vec::new();
/// tokenizer.decode(&ids, DecodeOptions::default(), &mut text)?;
/// assert_eq!(text, b"abba");
/// # Ok::<(), bytepair::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Tokenizer {
    splitter: Splitter,
    vocabulary: Vocabulary,
    specials: SpecialTokens,
    /// How many tokens there are; those in both parts count once.
    len: usize,
    pool: Pool,
    /// What decoding copies; made when it is first needed.
    slots: Arc<OnceLock<Slots>>,
    normalizer: Option<Arc<Normalizer>>,
    kept: Option<Arc<str>>,
    decoder: Decoder,
    /// Where pretokens of characters may be cut before they are merged.
    cuts: Option<Arc<Cuts>>,
}

/// What to do with a byte or character that the vocabulary has no symbol for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownSymbol {
    /// [`Error::UnknownSymbol`].
    #[default]
    Raise,
    /// This id in its place.
    Replace(u32),
    /// Leave it out. Its neighbours then stand side by side and may merge, as in Hugging Face's BPE without `unk_token`.
    Skip,
}

/// What to do with an id that no token has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownId {
    /// [`Error::UnknownId`].
    #[default]
    Raise,
    /// Leave it out.
    Skip,
    /// U+FFFD in its place.
    Replace,
}

/// The options of one encoding.
#[derive(Debug, Clone, Copy)]
pub struct EncodeOptions<'a> {
    /// Special tokens to parse.
    pub allowed: Allowed<'a>,
    /// Special tokens that must not stand in the text (those that are `allowed` excepted): nowhere in it, so not inside a
    /// longer token that is allowed either, as in tiktoken. Where texts are normalised, neither as they are written nor,
    /// those that are `normalized`, in what normalising makes.
    pub disallowed: Allowed<'a>,
    /// Symbols that the vocabulary lacks.
    pub unknown: UnknownSymbol,
    /// Asked now and then; the call then ends with [`Error::Interrupted`].
    pub cancel: Cancel<'a>,
}

impl Default for EncodeOptions<'_> {
    fn default() -> Self {
        Self {
            allowed: Allowed::None,
            disallowed: Allowed::None,
            unknown: UnknownSymbol::Raise,
            cancel: Cancel::default(),
        }
    }
}

impl EncodeOptions<'_> {
    /// Whether the special token with this id must not stand in the text.
    pub(crate) fn refuses(&self, id: u32) -> bool {
        self.disallowed.contains(id) && !self.allowed.contains(id)
    }
}

/// The options of one decoding.
#[derive(Debug, Clone, Copy, Default)]
pub struct DecodeOptions {
    /// Ids that no token has.
    pub unknown: UnknownId,
    /// Leave control tokens out.
    pub skip_special: bool,
}

impl Tokenizer {
    /// Puts the three together. A special token may stand in the vocabulary too, with the same id and content.
    ///
    /// # Errors
    /// [`Error::SpecialToken`] when a special token has the id of a vocabulary token with
    /// another content, or an id that is too large.
    pub fn new(splitter: Splitter, vocabulary: Vocabulary, specials: SpecialTokens) -> Result<Self> {
        let mut shared = 0;
        for token in specials.tokens() {
            if token.id == NONE {
                return Err(Error::SpecialToken(Report::new(
                    format!("the special token `{}` has id {NONE}, which is too large", token.content),
                    format!("use ids below {NONE}"),
                )));
            }
            match vocabulary.content(token.id) {
                Some(content) if content == token.content.as_bytes() => shared += 1,
                Some(content) => {
                    return Err(Error::SpecialToken(Report::new(
                        format!(
                            "the special token `{}` has id {}, which is the id of the token `{}`",
                            token.content,
                            token.id,
                            show(content)
                        ),
                        format!("use an id that is free, from {} on", vocabulary.n_vocab()),
                    )));
                }
                None => {}
            }
        }
        let len = vocabulary.len() + specials.tokens().len() - shared;
        let cuts = may_cut(&vocabulary).then(|| Arc::new(Cuts::of(&vocabulary)));
        Ok(Self {
            splitter,
            vocabulary,
            specials,
            len,
            pool: Pool::default(),
            slots: Arc::default(),
            normalizer: None,
            kept: None,
            decoder: Decoder::default(),
            cuts,
        })
    }

    /// The same tokenizer, which normalises texts first.
    ///
    /// # Errors
    /// [`Error::SpecialToken`] for too many special tokens, what [`Normalizer::check`] refuses, and [`Error::Pattern`] from a
    /// pattern that backtracks.
    pub fn with_normalizer(self, normalizer: Normalizer) -> Result<Self> {
        if normalizer.is_empty() {
            return Ok(Self { normalizer: None, ..self });
        }
        normalizer.check()?;
        for token in self.specials.tokens().iter().filter(|token| token.normalized) {
            normalizer.content(&token.content)?;
        }
        // None fails, as was just seen.
        let made = |content: &str| normalizer.content(content).unwrap_or_default();
        let specials = self.specials.clone().normalized_by(made)?;
        Ok(Self { normalizer: Some(Arc::new(normalizer)), specials, ..self })
    }

    /// The same tokenizer, which decodes so.
    #[must_use]
    pub fn with_decoder(self, decoder: Decoder) -> Self {
        Self { decoder, slots: Arc::default(), ..self }
    }

    /// The same tokenizer with a text that goes with it and means nothing here.
    #[must_use]
    pub fn with_kept(self, kept: Option<String>) -> Self {
        Self { kept: kept.map(Into::into), ..self }
    }

    /// What goes with it and means nothing here.
    pub fn kept(&self) -> Option<&str> {
        self.kept.as_deref()
    }

    /// What is done to texts first, if anything.
    pub fn normalizer(&self) -> Option<&Normalizer> {
        self.normalizer.as_deref()
    }

    /// What decoding undoes of that.
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    /// Where pretokens of characters may be cut before they are merged.
    pub(crate) fn cuts(&self) -> Option<&Cuts> {
        self.cuts.as_deref()
    }

    /// The same tokenizer, whose caches of encoded pretokens take at most this many bytes each: one for each thread that
    /// encodes at a time. They fill up as new words come, to 32 MiB unless this says otherwise; 0 keeps none. Ids do not depend
    /// on it.
    #[must_use]
    pub fn with_cache_bytes(self, bytes: usize) -> Self {
        Self { pool: Pool::new(bytes), ..self }
    }

    /// The most bytes that the cache of one thread takes.
    pub fn cache_bytes(&self) -> usize {
        self.pool.bytes()
    }

    /// What is kept between calls.
    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    /// What each id decodes to.
    pub(crate) fn slots(&self) -> &Slots {
        self.slots.get_or_init(|| Slots::new(&self.vocabulary, &self.specials, &self.decoder))
    }

    /// The compiled pattern.
    pub fn splitter(&self) -> &Splitter {
        &self.splitter
    }

    /// The vocabulary.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The special tokens.
    pub fn specials(&self) -> &SpecialTokens {
        &self.specials
    }

    /// The highest id + 1, special tokens included.
    pub fn n_vocab(&self) -> usize {
        let special = self.specials.tokens().last().map_or(0, |token| token.id as usize + 1);
        self.vocabulary.n_vocab().max(special)
    }

    /// How many tokens there are, special tokens included.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.len
    }
}

/// Whether pretokens of characters may be cut before they are merged. Cuts reason about the text's own characters: where the
/// unknown token, which stands for others, is itself merged, they would part what merges.
fn may_cut(vocabulary: &Vocabulary) -> bool {
    let Alphabet::Unicode { unknown, .. } = *vocabulary.alphabet() else { return false };
    let merges = vocabulary.merge_list().unwrap_or_default();
    unknown.is_none_or(|id| !merges.iter().any(|&(left, right)| left == id || right == id))
}
