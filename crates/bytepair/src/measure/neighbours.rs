//! What dropping unknown words does to a text: words stand side by side that never did.
//!
//! Idea: a pattern cuts the text into words and what parts them; of two known words that follow each other it is counted
//! whether an unknown one stands between.
//!
//! Invariant: a text that comes in parts is counted as a whole one, but for examples of what stands in two parts.
//!
//! Cost: splitting, and a look-up of each word; what is kept are the known words, examples, and of a text in parts the end.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use crate::cancel::{Cancel, Meter};
use crate::error::Result;
use crate::split::Splitter;

/// A piece of text that begins and ends with a known word, and how long these two are.
type Example = (Box<[u8]>, usize, usize);

/// Neighbours of known words once the others are dropped.
///
/// ```
/// use bytepair::measure::Neighbours;
/// use bytepair::{Cancel, Splitter};
///
/// let words = Splitter::new(r"\w+|\s+")?;
/// let mut found = Neighbours::new(words, 1, [&b"an"[..], b"dog"], 10);
/// found.add(b"an unusual dog", true, Cancel::default())?;
/// assert_eq!((found.pairs, found.apart), (1, 1));
/// assert_eq!(found.examples().next(), Some((&b"an unusual dog"[..], &b"an"[..], &b"dog"[..], 1)));
/// # Ok::<(), bytepair::Error>(())
/// ```
#[derive(Debug)]
pub struct Neighbours {
    words: Splitter,
    /// The alternative that parts words.
    space: u16,
    known: HashSet<Box<[u8]>>,
    /// Neighbours after dropping.
    pub pairs: u64,
    /// Those of them that were none before: something was dropped between them.
    pub apart: u64,
    examples: HashMap<Example, u64>,
    most: usize,
    /// The end of a text that comes in parts, and how much of it was looked at.
    tail: Vec<u8>,
    looked: usize,
    /// Whether a known word came before that, and whether an unknown one behind it.
    before: Option<bool>,
}

/// The known word that came last.
#[derive(Clone, Copy)]
struct Last {
    /// Where it starts and ends in the piece that is looked at, if it stands in that.
    place: Option<(usize, usize)>,
    /// Whether an unknown word came behind it.
    is_parted: bool,
}

impl Neighbours {
    /// Nothing yet. `words` cuts out words; what its alternative `space` matches is none. Of examples at most `most`
    /// different ones are kept.
    pub fn new<'k>(words: Splitter, space: u16, known: impl IntoIterator<Item = &'k [u8]>, most: usize) -> Self {
        let known = known.into_iter().map(Into::into).collect();
        let (examples, tail) = (HashMap::new(), Vec::new());
        Self { words, space, known, pairs: 0, apart: 0, examples, most, tail, looked: 0, before: None }
    }

    /// Adds a text, or a part of one that is not the last.
    ///
    /// # Errors
    /// [`Error::Interrupted`](crate::Error::Interrupted); then the figures are those of some of the text.
    pub fn add(&mut self, text: &[u8], is_last: bool, cancel: Cancel<'_>) -> Result<()> {
        if is_last && self.tail.is_empty() {
            self.look(text, cancel)?;
        } else {
            let mut tail = std::mem::take(&mut self.tail);
            tail.extend_from_slice(text);
            let is_worth = is_last || tail.len() >= 2 * self.looked;
            let end = if is_last {
                tail.len()
            } else if is_worth {
                self.words.settled(&tail)
            } else {
                0
            };
            self.look(&tail[..end], cancel)?;
            tail.drain(..end);
            if is_worth {
                self.looked = tail.len();
            }
            self.tail = tail;
        }
        if is_last {
            (self.looked, self.before) = (0, None);
        }
        Ok(())
    }

    /// The examples: the text, the word it begins with and the one it ends with, and how often it was met.
    pub fn examples(&self) -> impl Iterator<Item = (&[u8], &[u8], &[u8], u64)> {
        self.examples
            .iter()
            .map(|((text, one, other), &count)| (&**text, &text[..*one], &text[text.len() - other..], count))
    }

    /// Goes through a piece of text that ends where a word ends.
    fn look(&mut self, text: &[u8], cancel: Cancel<'_>) -> Result<()> {
        let mut last = self.before.map(|is_parted| Last { place: None, is_parted });
        let mut meter = Meter::new(cancel);
        let mut reached = Ok(());
        let words = self.words.clone();
        words.split(text, |found| {
            if found.alternative == Some(self.space) {
                return ControlFlow::Continue(());
            }
            let place = (found.start, found.end);
            if self.known.contains(&text[place.0..place.1]) {
                if let Some(last) = last {
                    self.pair(text, last, place);
                }
                last = Some(Last { place: Some(place), is_parted: false });
            } else if let Some(last) = &mut last {
                last.is_parted = true;
            }
            reached = meter.reach(found.end);
            if reached.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        self.before = last.map(|last| last.is_parted);
        reached
    }

    /// Counts two known words that follow each other.
    fn pair(&mut self, text: &[u8], last: Last, (start, end): (usize, usize)) {
        self.pairs += 1;
        if !last.is_parted {
            return;
        }
        self.apart += 1;
        let Some((from, to)) = last.place else { return };
        let example = (text[from..end].into(), to - from, end - start);
        if self.examples.len() < self.most || self.examples.contains_key(&example) {
            *self.examples.entry(example).or_default() += 1;
        }
    }
}
