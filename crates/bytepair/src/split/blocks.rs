//! Boundaries that are found one by one, passed on in blocks.

use std::ops::ControlFlow;

/// Boundaries in a block.
const BLOCK: usize = 1024;

/// Gathers boundaries into blocks.
pub(super) struct Blocks<F> {
    base: usize,
    ends: Vec<u32>,
    each: F,
}

impl<F: FnMut(usize, &[u32]) -> ControlFlow<()>> Blocks<F> {
    /// For a text of so many bytes.
    pub(super) fn new(length: usize, each: F) -> Self {
        Self { base: 0, ends: Vec::with_capacity(BLOCK.min(length)), each }
    }

    pub(super) fn push(&mut self, end: usize) -> ControlFlow<()> {
        let relative = u32::try_from(end - self.base).ok().filter(|_| self.ends.len() < BLOCK);
        if let Some(relative) = relative {
            self.ends.push(relative);
            return ControlFlow::Continue(());
        }
        self.flush()?;
        self.base = end;
        self.ends.push(0);
        ControlFlow::Continue(())
    }

    pub(super) fn flush(&mut self) -> ControlFlow<()> {
        if !self.ends.is_empty() {
            (self.each)(self.base, &self.ends)?;
            self.ends.clear();
        }
        ControlFlow::Continue(())
    }
}
