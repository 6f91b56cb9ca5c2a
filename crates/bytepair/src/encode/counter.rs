//! Counting a text that grows, such as a conversation.
//!
//! Idea: as encoding one ([`stream`](super::stream)): what lies before a place to cut is counted once and forgotten. What is left
//! is counted when somebody asks, and that is remembered until more comes.
//!
//! Invariant: the count is that of all that was appended, as one text, whatever the parts.
//!
//! Cost: appending is linear in the text altogether, however small the parts. Asking costs as much as the tail is long:
//! in ordinary text some bytes; all of the text where the pattern has no place to cut it.

use super::stream::Tail;
use crate::error::Result;
use crate::special::Allowed;
use crate::tokenizer::{EncodeOptions, Tokenizer};

/// The number of ids of a text that grows. All parts must be given the same tokenizer and options.
///
/// ```
/// use bytepair::encode::Counter;
/// use bytepair::tokenizer::EncodeOptions;
/// use bytepair::{SpecialTokens, Splitter, Tokenizer, Vocabulary};
///
/// let ranks = vec![(0, b"a".to_vec()), (1, b"b".to_vec()), (2, b"ab".to_vec())];
/// let tokenizer = Tokenizer::new(Splitter::whole(), Vocabulary::from_ranks(ranks)?, SpecialTokens::default())?;
/// let (mut counter, options) = (Counter::default(), EncodeOptions::default());
/// counter.append(&tokenizer, b"a", options)?;
/// assert_eq!(counter.count(&tokenizer, options)?, 1);
/// counter.append(&tokenizer, b"ba", options)?;
/// assert_eq!(counter.count(&tokenizer, options)?, 2, "ab, a");
/// # Ok::<(), bytepair::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Counter {
    /// The ids of what was forgotten.
    settled: usize,
    tail: Tail,
    /// The ids of the tail, where they were counted since it changed.
    of_tail: Option<usize>,
}

impl Counter {
    /// Adds a part of the text, which may end within a character or a special token.
    ///
    /// # Errors
    /// As [`Tokenizer::encode`], with places in the whole text. Nothing of this part is kept then. What is wrong with the end of
    /// the text may come to light only later.
    pub fn append(&mut self, tokenizer: &Tokenizer, text: &[u8], options: EncodeOptions<'_>) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let of_tail = self.of_tail.take();
        if self.tail.push(text)
            && let Err(error) = self.settle(tokenizer, options)
        {
            self.tail.pop(text.len());
            self.of_tail = of_tail;
            return Err(error);
        }
        Ok(())
    }

    /// The number of ids of all that was appended.
    ///
    /// # Errors
    /// As [`Tokenizer::encode`], with places in the whole text.
    pub fn count(&mut self, tokenizer: &Tokenizer, options: EncodeOptions<'_>) -> Result<usize> {
        if let Some(of_tail) = self.of_tail {
            return Ok(self.settled + of_tail);
        }
        if !self.tail.is_looked_at() {
            self.settle(tokenizer, options)?;
        }
        let of_tail = tokenizer.count(&self.tail.text, options).map_err(|error| self.tail.place(error))?;
        self.of_tail = Some(of_tail);
        Ok(self.settled + of_tail)
    }

    /// How many bytes of the text are kept, since their ids may depend on what follows.
    pub fn waiting(&self) -> usize {
        self.tail.text.len()
    }

    /// Counts what lies before a place to cut, and forgets it.
    fn settle(&mut self, tokenizer: &Tokenizer, options: EncodeOptions<'_>) -> Result<()> {
        let text = &self.tail.text;
        let cut = tokenizer.settled(text, options);
        let counted = tokenizer.refuse_written(text, options).and_then(|()| {
            let options = EncodeOptions { disallowed: Allowed::None, ..options };
            tokenizer.count(&text[..cut], options)
        });
        self.settled += counted.map_err(|error| self.tail.place(error))?;
        self.tail.forget(cut);
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a test's way to fail
mod tests {
    use super::Counter;
    use crate::split::presets::CL100K;
    use crate::tokenizer::EncodeOptions;
    use crate::{SpecialTokens, Splitter, Tokenizer, Vocabulary};

    /// Whether a place to cut is found at once, late or never, a text that is appended byte by byte is looked at a few times.
    #[test]
    fn appending_looks_at_each_byte_a_few_times() {
        let bytes: Vec<_> = (0..=255u8).map(|byte| (u32::from(byte), vec![byte])).collect();
        for (pattern, unit) in [(Some(CL100K), "some words, "), (Some(CL100K), "a"), (None, "a b ")] {
            let splitter = pattern.map_or_else(Splitter::whole, |pattern| Splitter::new(pattern).unwrap());
            let vocabulary = Vocabulary::from_ranks(bytes.clone()).unwrap();
            let tokenizer = Tokenizer::new(splitter, vocabulary, SpecialTokens::default()).unwrap();
            let text = unit.repeat(100_000 / unit.len());
            let (mut counter, mut looked_at) = (Counter::default(), 0);
            for byte in text.as_bytes() {
                let waiting = counter.waiting() + 1;
                counter.append(&tokenizer, &[*byte], EncodeOptions::default()).unwrap();
                looked_at += if counter.tail.is_looked_at() { waiting } else { 0 };
            }
            assert!(looked_at > text.len() / 2 && looked_at < 4 * text.len(), "{unit:?}: {looked_at} bytes");
            assert_eq!(counter.count(&tokenizer, EncodeOptions::default()).unwrap(), text.len());
        }
    }
}
