//! BPE-dropout: encoding in which each merge that could be made next is left out with a probability, so that a model sees a
//! word in many segmentations (Provilkov, Emelianenko and Voita, 2020, <https://aclanthology.org/2020.acl-main.170/>).
//!
//! Idea: the paper's algorithm 1. In each round every pair that can merge is dropped with the probability, and of those that are
//! left the one of the lowest rank (the leftmost of equals) merges; a round in which all are dropped is the last. Only the
//! pairs before the one that merges need be drawn for: pairs come from a queue in order, and those that were dropped go
//! back into it for the next round. So does Hugging Face's library.
//!
//! Invariant: the queue and the dropped ones hold each pair that can merge exactly once. Entries of symbols that have merged since
//! stay in the queue until they come up; their rank is no longer that of what stands there, and nothing is drawn for them.
//!
//! With a probability of 0 it is plain encoding; with any other, whole pretokens are not looked up, and with 1 nothing merges.
//! The numbers come from `SplitMix64`, one after the other through the text: equal seeds give equal ids everywhere.
//!
//! Cost: n log n in a pretoken, times 1 / (1 - probability), which is how many pairs are drawn for before one merges; never
//! more than all of them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use crate::cancel::{Cancel, EVERY};
use crate::encode::{Stop, replaced, symbols};
use crate::error::{Error, Result};
use crate::tokenizer::{EncodeOptions, Tokenizer};
use crate::vocabulary::{NONE, Vocabulary};

/// How often merges are left out, and the seed of the numbers that say which.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dropout {
    probability: f64,
    seed: u64,
}

impl Dropout {
    /// `None` unless the probability is from 0 to 1.
    pub fn new(probability: f64, seed: u64) -> Option<Self> {
        (0.0..=1.0).contains(&probability).then_some(Self { probability, seed })
    }
}

/// `SplitMix64` (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    /// A number from 0 to 1, 1 excluded, in steps of 2^-53.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are what a float holds")]
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        (bits >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A symbol, and where its neighbours stand.
#[derive(Clone, Copy)]
struct Symbol {
    id: u32,
    before: u32,
    after: u32,
}

/// The rank of a pair, and where its left symbol stands: the order in which pairs are drawn for.
type Pair = (u32, u32);

/// The buffers for one pretoken after the other.
struct Line {
    probability: f64,
    random: Random,
    symbols: Vec<Symbol>,
    queue: BinaryHeap<Reverse<Pair>>,
    dropped: Vec<Reverse<Pair>>,
}

impl Tokenizer {
    /// [`encode`](Self::encode), with some merges left out.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_dropout(
        &self,
        text: &[u8],
        dropout: Dropout,
        options: EncodeOptions<'_>,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        let Dropout { probability, seed } = dropout;
        if probability <= 0.0 {
            return self.encode(text, options, out);
        }
        let before = out.len();
        let (symbols, queue, dropped) = (Vec::new(), BinaryHeap::new(), Vec::new());
        let mut line = Line { probability, random: Random(seed), symbols, queue, dropped };
        let done = self.refuse_disallowed(text, options).and_then(|()| {
            self.walk(text, options, |stop| {
                match stop {
                    Stop::Special(.., token) => out.push(token.id),
                    Stop::Pretoken(at) => {
                        line.fill(self.vocabulary(), &text[at.start..at.end], at.start, options)?;
                        line.merge(self.vocabulary(), options.cancel)?;
                        line.ids(|id| out.push(replaced(id, options.unknown)));
                    }
                }
                Ok(ControlFlow::Continue(()))
            })
        });
        if done.is_err() {
            out.truncate(before);
        }
        done
    }
}

impl Line {
    /// Takes the symbols of a pretoken, and queues the pairs that can merge.
    fn fill(&mut self, vocabulary: &Vocabulary, word: &[u8], start: usize, options: EncodeOptions<'_>) -> Result<()> {
        self.symbols.clear();
        self.queue.clear();
        // No pretoken has so many bytes that its symbols could not be counted.
        let mut at = 0u32;
        symbols::symbols(vocabulary, word, start, options.unknown, |id, _, _| {
            self.symbols.push(Symbol { id, before: at.wrapping_sub(1), after: at.wrapping_add(1) });
            at = at.wrapping_add(1);
        })?;
        if let Some(last) = self.symbols.last_mut() {
            last.after = NONE;
        }
        (0..at).for_each(|left| self.propose(vocabulary, left));
        Ok(())
    }

    /// What stands somewhere; nothing if that is no place.
    fn at(&self, place: u32) -> Option<Symbol> {
        self.symbols.get(place as usize).copied()
    }

    /// The rank and the result of the pair whose left symbol stands there.
    fn made(&self, vocabulary: &Vocabulary, left: u32) -> Option<(u32, u32)> {
        let symbol = self.at(left)?;
        let made = vocabulary.made(symbol.id, self.at(symbol.after)?.id);
        (made.rank != NONE).then_some((made.rank, made.id))
    }

    /// Queues the pair whose left symbol stands there, if it can merge.
    fn propose(&mut self, vocabulary: &Vocabulary, left: u32) {
        if let Some((rank, _)) = self.made(vocabulary, left) {
            self.queue.push(Reverse((rank, left)));
        }
    }

    /// Merges until a round drops all pairs.
    fn merge(&mut self, vocabulary: &Vocabulary, cancel: Cancel<'_>) -> Result<()> {
        let mut drawn = 0usize;
        while let Some(Reverse((rank, left))) = self.queue.pop() {
            let Some((_, id)) = self.made(vocabulary, left).filter(|made| made.0 == rank) else { continue };
            drawn += 1;
            if drawn.is_multiple_of(EVERY) && cancel.requested() {
                return Err(Error::Interrupted);
            }
            if self.random.next() < self.probability {
                self.dropped.push(Reverse((rank, left)));
                continue;
            }
            self.replace(left, id);
            self.queue.extend(self.dropped.drain(..));
            self.propose(vocabulary, left);
            if let Some(symbol) = self.at(left) {
                self.propose(vocabulary, symbol.before);
            }
        }
        self.dropped.clear();
        Ok(())
    }

    /// Puts an id in the place of a symbol and the one after it.
    fn replace(&mut self, left: u32, id: u32) {
        let right = self.at(left).map_or(NONE, |symbol| symbol.after);
        let after = self.at(right).map_or(NONE, |symbol| symbol.after);
        if let Some(symbol) = self.symbols.get_mut(left as usize) {
            *symbol = Symbol { id, after, ..*symbol };
        }
        if let Some(symbol) = self.symbols.get_mut(right as usize) {
            // It merges with nothing any more.
            *symbol = Symbol { id: NONE, before: NONE, after: NONE };
        }
        if let Some(symbol) = self.symbols.get_mut(after as usize) {
            symbol.before = left;
        }
    }

    /// The ids that are left.
    fn ids(&self, mut emit: impl FnMut(u32)) {
        let mut place = 0;
        while let Some(symbol) = self.at(place) {
            emit(symbol.id);
            place = symbol.after;
        }
    }
}
