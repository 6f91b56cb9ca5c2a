//! A way to stop long work from outside.
//!
//! The idea: the caller gives a question, "shall this stop?", and everything that can run long asks it now and then: in a
//! text every 64 KiB, so a few thousand times a second. Work that is told to stop ends with
//! [`Error::Interrupted`]. What is asked must be cheap, and may be asked from any thread that works on the call.

use std::fmt;

use crate::error::{Error, Result};

/// Bytes of text, or merges, between two questions.
pub(crate) const EVERY: usize = 1 << 16;

/// Whether to stop; by default never.
///
/// ```
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use bytepair::Cancel;
///
/// let stop = AtomicBool::new(false);
/// let ask = || stop.load(Ordering::Relaxed);
/// let cancel = Cancel::new(&ask);
/// assert!(cancel.check().is_ok());
/// stop.store(true, Ordering::Relaxed);
/// assert_eq!(cancel.check(), Err(bytepair::Error::Interrupted));
/// ```
#[derive(Clone, Copy, Default)]
pub struct Cancel<'a>(Option<&'a (dyn Fn() -> bool + Sync)>);

impl<'a> Cancel<'a> {
    /// Stops when `ask` says so.
    pub fn new(ask: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self(Some(ask))
    }

    /// Whether to stop.
    pub fn requested(self) -> bool {
        self.0.is_some_and(|ask| ask())
    }

    /// Goes on or not.
    ///
    /// # Errors
    /// [`Error::Interrupted`] when it is time to stop.
    pub fn check(self) -> Result<()> {
        if self.requested() { Err(Error::Interrupted) } else { Ok(()) }
    }
}

impl fmt::Debug for Cancel<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Cancel(..)" } else { "Cancel(never)" })
    }
}

/// Asks once in [`EVERY`] bytes of a text.
#[derive(Debug)]
pub(crate) struct Meter<'a> {
    cancel: Cancel<'a>,
    next: usize,
}

impl<'a> Meter<'a> {
    pub(crate) fn new(cancel: Cancel<'a>) -> Self {
        Self { cancel, next: 0 }
    }

    /// What is asked.
    pub(crate) fn cancel(&self) -> Cancel<'a> {
        self.cancel
    }

    /// The work has come to byte `at`.
    #[inline]
    pub(crate) fn reach(&mut self, at: usize) -> Result<()> {
        if at < self.next {
            return Ok(());
        }
        self.next = at + EVERY;
        self.cancel.check()
    }
}
