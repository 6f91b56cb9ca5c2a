//! Ids -> bytes -> text.
//!
//! Idea: a token's content is copied (`slots`); in characters mode an end-of-word mark becomes a space, and the last one,
//! which would be a space after the text, is dropped. Bytes become text by the rule that Unicode recommends (`utf8`).
//!
//! Invariant: ids that come in pieces give, all together, the bytes that they give at once.
//!
//! Cost: linear in the ids and the bytes.

mod batch;
pub(crate) mod slots;
mod utf8;

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::tokenizer::{DecodeOptions, Tokenizer, UnknownId};
use crate::vocabulary::{Alphabet, MARK, Vocabulary};

pub use batch::Texts;
pub use utf8::Utf8Stream;
pub(crate) use utf8::{is_character_edge, unit_length};

impl Tokenizer {
    /// Appends the bytes of `ids` to `out`, which is left as it was when there is an error. In characters mode an
    /// end-of-word mark becomes one space; one at the very end is dropped. A special token gives its text as it is.
    ///
    /// # Errors
    /// [`Error::UnknownId`], if the options ask for it.
    pub fn decode(&self, ids: &[u32], options: DecodeOptions, out: &mut Vec<u8>) -> Result<()> {
        Decoding::new(options).feed(self, ids, out)
    }
}

/// What decoding undoes of a normalisation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decoder {
    /// What stands for a space in tokens, U+2581 say.
    pub space: Option<String>,
    /// How many spaces are dropped at the start of the text.
    pub strip: usize,
}

impl Decoder {
    /// A text as it is shown.
    pub(crate) fn text<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        let Some(space) = self.space.as_ref().filter(|space| !space.is_empty()) else { return text.into() };
        let Some(mut at) = memchr::memmem::find(text, space.as_bytes()) else { return text.into() };
        let (mut shown, mut rest) = (Vec::with_capacity(text.len()), text);
        loop {
            shown.extend_from_slice(&rest[..at]);
            shown.push(b' ');
            rest = &rest[at + space.len()..];
            match memchr::memmem::find(rest, space.as_bytes()) {
                Some(next) => at = next,
                None => break,
            }
        }
        shown.extend_from_slice(rest);
        shown.into()
    }

    /// A token's content as it is shown.
    pub(crate) fn shown<'t>(&self, vocabulary: &Vocabulary, content: &'t [u8]) -> Cow<'t, [u8]> {
        match vocabulary.alphabet() {
            Alphabet::Characters { .. } if content.contains(&MARK) => {
                content.iter().map(|&byte| if byte == MARK { b' ' } else { byte }).collect()
            }
            Alphabet::MarkedBytes { .. } => match vocabulary.unmarked(content) {
                Some(before) => [before, b" "].concat().into(),
                None => content.into(),
            },
            Alphabet::Unicode { .. } => match vocabulary.byte_of(content) {
                Some(byte) => vec![byte].into(),
                None => self.text(content),
            },
            _ => content.into(),
        }
    }
}

/// A decoding whose ids come in pieces.
///
/// ```
/// use bytepair::decode::Decoding;
/// use bytepair::tokenizer::DecodeOptions;
/// use bytepair::{SpecialTokens, Splitter, Tokenizer, Vocabulary};
///
/// let vocabulary = Vocabulary::from_ranks(vec![(0, b"a".to_vec()), (1, b"b".to_vec())])?;
/// let tokenizer = Tokenizer::new(Splitter::whole(), vocabulary, SpecialTokens::default())?;
/// let (mut decoding, mut text) = (Decoding::new(DecodeOptions::default()), Vec::new());
/// decoding.feed(&tokenizer, &[0, 1], &mut text)?;
/// decoding.feed(&tokenizer, &[0], &mut text)?;
/// assert_eq!(text, b"aba");
/// # Ok::<(), bytepair::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Decoding {
    options: DecodeOptions,
    /// The last token ended with an end-of-word mark: a space, if anything follows.
    space: bool,
    /// How many spaces at the start of the text were dropped; `None` when it has begun otherwise.
    stripped: Option<usize>,
}

impl Decoding {
    /// A decoding without ids so far.
    pub fn new(options: DecodeOptions) -> Self {
        Self { options, space: false, stripped: Some(0) }
    }

    /// How it decodes.
    pub fn options(&self) -> DecodeOptions {
        self.options
    }

    /// Appends the bytes of the next ids to `out`. When there is an error, nothing has changed.
    ///
    /// # Errors
    /// As [`Tokenizer::decode`]; the place is counted in these ids.
    pub fn feed(&mut self, tokenizer: &Tokenizer, ids: &[u32], out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        if self.space {
            out.push(b' ');
        }
        let before = out.len();
        if let Err(error) = self.copy(tokenizer, ids, out) {
            out.truncate(start);
            return Err(error);
        }
        if out.len() == before {
            out.truncate(start);
        } else if tokenizer.decoder().strip > 0 {
            self.strip(tokenizer.decoder().strip, out, start);
        }
        let marks =
            |alphabet: &Alphabet| matches!(alphabet, Alphabet::Characters { .. } | Alphabet::MarkedBytes { .. });
        if out.len() > start && marks(tokenizer.vocabulary().alphabet()) {
            let last = ids.iter().rev().find_map(|&id| self.ends_with_mark(tokenizer, id));
            self.space = last.unwrap_or(false);
            out.truncate(out.len() - usize::from(self.space));
        }
        Ok(())
    }

    /// Drops the spaces at the start of the text, at most so many, from what was appended behind `start`.
    fn strip(&mut self, most: usize, out: &mut Vec<u8>, start: usize) {
        let Some(stripped) = self.stripped else { return };
        let spaces = out[start..].iter().take_while(|&&byte| byte == b' ').count().min(most - stripped);
        let is_all = start + spaces == out.len();
        out.drain(start..start + spaces);
        self.stripped = (is_all && stripped + spaces < most).then_some(stripped + spaces);
    }

    fn copy(&self, tokenizer: &Tokenizer, ids: &[u32], out: &mut Vec<u8>) -> Result<()> {
        let slots = tokenizer.slots();
        let mut done = 0;
        while done < ids.len() {
            done += slots.copy(&ids[done..], out);
            if let Some(&id) = ids.get(done) {
                self.one(tokenizer, id, done, out)?;
                done += 1;
            }
        }
        Ok(())
    }

    /// Appends the bytes of one id without its slot.
    #[cold]
    fn one(&self, tokenizer: &Tokenizer, id: u32, at: usize, out: &mut Vec<u8>) -> Result<()> {
        if let Some(token) = tokenizer.specials().by_id(id) {
            if !(self.options.skip_special && token.special) {
                out.extend_from_slice(&tokenizer.decoder().text(token.content.as_bytes()));
            }
            return Ok(());
        }
        match (tokenizer.vocabulary().content(id), self.options.unknown) {
            (Some(content), _) => out.extend_from_slice(&tokenizer.decoder().shown(tokenizer.vocabulary(), content)),
            (None, UnknownId::Skip) => {}
            (None, UnknownId::Replace) => out.extend_from_slice("\u{FFFD}".as_bytes()),
            (None, UnknownId::Raise) => return Err(Error::UnknownId { id, at }),
        }
        Ok(())
    }

    /// Whether the last thing that this id shows is an end-of-word mark; nothing, if it shows nothing.
    fn ends_with_mark(&self, tokenizer: &Tokenizer, id: u32) -> Option<bool> {
        if let Some(token) = tokenizer.specials().by_id(id) {
            return if self.options.skip_special && token.special { None } else { Some(false) };
        }
        match tokenizer.vocabulary().content(id) {
            Some(content) => Some(tokenizer.vocabulary().unmarked(content).is_some()),
            None if self.options.unknown == UnknownId::Skip => None,
            None => Some(false),
        }
    }
}
