//! BPE-dropout: encoding in which each merge that could be made next is left out with a probability, so that a model sees a
//! word in many segmentations (Provilkov, Emelianenko and Voita, 2020, <https://aclanthology.org/2020.acl-main.170/>).
//!
//! Idea: the paper's algorithm 1. In each round every pair that can merge is dropped with the probability, and of those that are
//! left the one of the lowest rank (the leftmost of equals) merges; a round in which all are dropped is the last. So what
//! counts of a round is how many pairs in that order are dropped before one is not, and one number says it: k or more
//! are with probability p^k. Pairs lie in order (`ordered`), and the k-th merges.
//!
//! Invariant: the ordered pairs are those that can merge now, each once.
//!
//! With a probability of 0 it is plain encoding; with any other, whole pretokens are not looked up, and with 1 nothing merges.
//! The numbers come from `SplitMix64`, one for each round, pretoken after pretoken; and p^k from multiplications alone, which are
//! the same on every machine. So equal seeds give equal ids everywhere.
//!
//! Cost: n log n in a pretoken, and a look at n / 512 blocks a merge where the probability is close to 1.

use std::ops::ControlFlow;

use crate::cancel::{Cancel, EVERY};
use crate::encode::ordered::Ordered;
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

/// How many pairs of a round are dropped before one is not.
struct Draws {
    random: Random,
    /// The probability to the power of 1, 2, 4 and so on.
    powers: [f64; 64],
}

impl Draws {
    fn new(dropout: Dropout) -> Self {
        let mut powers = [dropout.probability; 64];
        for bit in 1..powers.len() {
            powers[bit] = powers[bit - 1] * powers[bit - 1];
        }
        Self { random: Random(dropout.seed), powers }
    }

    /// The next of these numbers: the largest k for which a random number is below p^k; any from `most` on are as good.
    fn next(&mut self, most: usize) -> usize {
        let number = self.random.next();
        let (mut count, mut reached) = (0, 1.0);
        let bits = (usize::BITS - most.leading_zeros()) as usize;
        for (bit, power) in self.powers.iter().enumerate().take(bits).rev() {
            if reached * power > number {
                reached *= power;
                count |= 1 << bit;
            }
        }
        count
    }
}

/// The buffers for one pretoken after the other.
struct Line {
    draws: Draws,
    symbols: Vec<Symbol>,
    pairs: Ordered,
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
        if dropout.probability <= 0.0 {
            return self.encode(text, options, out);
        }
        let mut line = Line { draws: Draws::new(dropout), symbols: Vec::new(), pairs: Ordered::new() };
        let mut encode = |text: &[u8], options: EncodeOptions<'_>, out: &mut Vec<u32>| {
            self.encode_dropping(text, options, &mut line, out)
        };
        if self.normalizer().is_some() {
            return self.encode_normalized(text, options, out, encode);
        }
        encode(text, options, out)
    }

    /// The same of a text that is normalised.
    fn encode_dropping(
        &self,
        text: &[u8],
        options: EncodeOptions<'_>,
        line: &mut Line,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        let before = out.len();
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
    /// Takes the symbols of a pretoken, and the pairs of them that can merge.
    fn fill(&mut self, vocabulary: &Vocabulary, word: &[u8], start: usize, options: EncodeOptions<'_>) -> Result<()> {
        self.symbols.clear();
        self.pairs.clear();
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

    /// Adds the pair whose left symbol stands there, if it can merge.
    fn propose(&mut self, vocabulary: &Vocabulary, left: u32) {
        if let Some((rank, _)) = self.made(vocabulary, left) {
            self.pairs.insert((rank, left));
        }
    }

    /// Takes out the pair whose left symbol stands there.
    fn withdraw(&mut self, vocabulary: &Vocabulary, left: u32) {
        if let Some((rank, _)) = self.made(vocabulary, left) {
            self.pairs.remove((rank, left));
        }
    }

    /// Merges until a round drops all pairs.
    fn merge(&mut self, vocabulary: &Vocabulary, cancel: Cancel<'_>) -> Result<()> {
        let mut rounds = 0usize;
        while self.pairs.len() > 0 {
            rounds += 1;
            if rounds.is_multiple_of(EVERY) && cancel.requested() {
                return Err(Error::Interrupted);
            }
            let Some((_, left)) = self.pairs.nth(self.draws.next(self.pairs.len())) else { break };
            let (Some(symbol), Some((_, id))) = (self.at(left), self.made(vocabulary, left)) else { break };
            for place in [symbol.before, left, symbol.after] {
                self.withdraw(vocabulary, place);
            }
            self.replace(left, id);
            for place in [symbol.before, left] {
                self.propose(vocabulary, place);
            }
        }
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
