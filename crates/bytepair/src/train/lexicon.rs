//! What all texts of a training share: the tokens, the merges so far, what bars a pair, and which of two pairs comes first.
//!
//! A merge is made here first, and then in each text where its pair stands. A text that meets a pair for the first time asks here
//! whether it was merged before. Cost: 24 to 48 bytes a merge beside its token.

use super::TrainOptions;
use super::limits::Limits;
use super::map::PairMap;
use super::ties::Order;
use super::tokens::Tokens;
use crate::cancel::Cancel;
use crate::error::Result;

/// Tokens, merges and rules. Tokens are numbered without gaps here.
#[derive(Debug)]
pub(super) struct Lexicon {
    /// The tokens.
    pub(super) tokens: Tokens,
    /// The merges, those of a base first: a pair's number is its rank. Where their pairs come to stand they are merged,
    /// whatever the limits.
    pub(super) merges: PairMap,
    /// What bars a pair.
    pub(super) limits: Limits,
    /// Which of two pairs is merged first.
    pub(super) order: Order,
}

/// A merge that was made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Made {
    /// Its pair.
    pub(super) pair: (u32, u32),
    /// Its rank.
    pub(super) rank: u32,
    /// The token.
    pub(super) token: u32,
    /// Whether the token was there already.
    pub(super) reused: bool,
}

impl Lexicon {
    /// These tokens and merges, under the rules of these options.
    pub(super) fn new(tokens: Tokens, merges: PairMap, options: &TrainOptions) -> Self {
        let order = Order::new(options.ties, &options.alphabet, &tokens);
        let limits = Limits::new(options.max_token_bytes, options.whole_characters, &options.alphabet);
        Self { tokens, merges, limits, order }
    }

    /// Whether the pair may become a merge.
    pub(super) fn allows(&self, (left, right): (u32, u32)) -> bool {
        self.merges.get(left, right).is_none()
            && self.limits.allow(self.tokens.content(left), self.tokens.content(right))
    }

    /// Makes a merge of the pair.
    pub(super) fn merge(&mut self, pair: (u32, u32), cancel: Cancel<'_>) -> Result<Made> {
        self.merges.reserve(1, |_| true, cancel)?;
        let rank = u32::try_from(self.merges.len()).unwrap_or(u32::MAX);
        let before = self.tokens.len();
        let token = self.tokens.join(pair.0, pair.1)?;
        let reused = self.tokens.len() == before;
        if !reused {
            self.order.learn(self.tokens.content(token));
        }
        self.merges.entry(pair.0, pair.1, u64::from(rank));
        Ok(Made { pair, rank, token, reused })
    }
}
