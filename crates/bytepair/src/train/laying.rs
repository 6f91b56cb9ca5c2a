//! How far a training is before its first merge.
//!
//! The idea: until then the pretokens are laid out and their pairs are found, in a few passes over all of them, and each pass asks
//! once in [`EVERY`] things whether to stop. So how often it was asked says how far it is. Cost: one call a question.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::cancel::{Cancel, EVERY};
use crate::count::Counts;

/// Less than this is done before anybody asks.
const LITTLE: u64 = 1 << 22;

/// Is told how much was done, and of how much; by default nobody is.
#[derive(Clone, Copy, Default)]
pub struct Laying<'a>(Option<&'a (dyn Fn(u64, u64) + Sync)>);

impl<'a> Laying<'a> {
    /// Tells `tell`; nothing where there is little to do.
    pub fn new(tell: &'a (dyn Fn(u64, u64) + Sync)) -> Self {
        Self(Some(tell))
    }
}

impl fmt::Debug for Laying<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Laying(..)" } else { "Laying(nobody)" })
    }
}

/// Counts the questions.
pub(super) struct Passes<'a> {
    laying: Laying<'a>,
    cancel: Cancel<'a>,
    asked: AtomicU64,
    most: u64,
}

impl<'a> Passes<'a> {
    /// Nothing was asked yet. The pretokens are looked at twice, and their symbols three times: written, paired and found.
    pub(super) fn new<'c>(laying: Laying<'a>, tables: impl Iterator<Item = &'c Counts>, cancel: Cancel<'a>) -> Self {
        let most = tables.map(|counts| 2 * counts.len() as u64 + 3 * counts.symbols()).sum();
        Self { laying, cancel, asked: AtomicU64::new(0), most }
    }

    /// What the passes ask.
    pub(super) fn ask(&self) -> bool {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        if let Some(tell) = self.laying.0.filter(|_| self.most >= LITTLE) {
            tell((asked * EVERY as u64).min(self.most), self.most);
        }
        self.cancel.requested()
    }
}
