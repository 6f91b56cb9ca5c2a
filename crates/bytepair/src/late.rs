//! Something that is made once it pays, and then read by all threads.
//!
//! Idea: who could use it and finds that it is not there says so; when that has been said often enough, it is made.
//!
//! Invariant: nobody waits: who finds that another thread is making it does without. So does a child that was forked
//! meanwhile, for ever.
//!
//! Cost: an atomic operation each time that it is missed.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Something that is made late.
#[derive(Debug)]
pub(crate) struct Late<T> {
    made: OnceLock<T>,
    begun: AtomicBool,
    missed: AtomicUsize,
}

impl<T> Default for Late<T> {
    fn default() -> Self {
        Self { made: OnceLock::new(), begun: AtomicBool::new(false), missed: AtomicUsize::new(0) }
    }
}

impl<T> Late<T> {
    /// It, if it is there.
    #[inline]
    pub(crate) fn get(&self) -> Option<&T> {
        self.made.get()
    }

    /// It, if it is there, asked for so many times at once; it is made when that was often enough.
    #[inline]
    pub(crate) fn ask(&self, times: usize, enough: usize, make: impl FnOnce() -> T) -> Option<&T> {
        self.get().or_else(|| {
            if self.missed.fetch_add(times, Ordering::Relaxed) + times >= enough {
                self.make(make);
            }
            self.get()
        })
    }

    /// Makes it unless that was begun.
    #[cold]
    pub(crate) fn make(&self, make: impl FnOnce() -> T) {
        if !self.begun.swap(true, Ordering::Relaxed) {
            // Nobody else sets it, so that this does not wait.
            let _ = self.made.set(make());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Late;

    #[test]
    fn it_is_made_when_it_was_asked_for_often_enough_and_only_once() {
        let late = Late::default();
        assert_eq!((late.ask(1, 4, || 1), late.ask(2, 4, || 2), late.get()), (None, None, None));
        assert_eq!((late.ask(1, 4, || 3), late.ask(1, 4, || 4), late.get()), (Some(&3), Some(&3), Some(&3)));
        late.make(|| 5);
        assert_eq!(late.get(), Some(&3));
    }

    #[test]
    fn nobody_waits_for_who_makes_it() {
        let late = Late::default();
        late.make(|| {
            late.make(|| 1);
            assert_eq!(late.ask(1, 1, || 2), None);
            3
        });
        assert_eq!(late.get(), Some(&3));
    }
}
