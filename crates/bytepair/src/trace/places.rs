//! The places of symbols while they are merged.
//!
//! Idea: a tree of partial counts (Fenwick 1994) over the base symbols: 1 for each that still starts a part, 0 for each
//! that was merged into the part before it. The place of a part is the sum before its first symbol.
//!
//! Cost: log n for each question and each change.

/// How many parts stand before each base symbol.
#[derive(Debug)]
pub(super) struct Places {
    /// `sums[k - 1]` counts the symbols `k - lowbit(k)..k`.
    sums: Vec<usize>,
}

impl Places {
    /// Every base symbol is a part.
    pub(super) fn new(symbols: usize) -> Self {
        Self { sums: (1..=symbols).map(|k| k & k.wrapping_neg()).collect() }
    }

    /// How many parts start before this base symbol.
    pub(super) fn before(&self, symbol: usize) -> usize {
        let mut sum = 0;
        let mut k = symbol;
        while k > 0 {
            sum += self.sums[k - 1];
            k &= k - 1;
        }
        sum
    }

    /// This base symbol no longer starts a part.
    pub(super) fn remove(&mut self, symbol: usize) {
        let mut k = symbol + 1;
        while k <= self.sums.len() {
            self.sums[k - 1] -= 1;
            k += k & k.wrapping_neg();
        }
    }
}
