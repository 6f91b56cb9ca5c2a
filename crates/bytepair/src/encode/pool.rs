//! What a tokenizer keeps between calls: where pretokens may be cut, and caches that wait for the next call.
//!
//! Idea: a call takes a [`Scratch`] out of the pool and puts it back, so that as many exist as calls ever ran at a
//! time, and each is used by one thread at a time. Mostly one call runs at a time: the first scratch stays in its place,
//! locked while it is used. No lock is waited for: a child of a process that was forked while one was held goes
//! without.
//!
//! Invariant: nothing here changes what a text is encoded into.
//!
//! Cost: two atomic operations a call, a few more where calls run side by side.

use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use super::blocks::Block;
use super::cache::Cache;
use super::cuts::LateCuts;
use super::piece::Piece;
use crate::hash::Mix;
use crate::split::Room;
use crate::vocabulary::Vocabulary;

/// The bytes that one cache may take, unless the tokenizer is told otherwise.
const CACHE_BYTES: usize = 32 << 20;

/// How often the lock is tried.
const TRIES: usize = 100;

/// What one call works with.
#[derive(Debug)]
pub(crate) struct Scratch {
    pub(super) cuts: Arc<LateCuts>,
    pub(super) cache: Cache,
    pub(super) block: Block,
    pub(super) piece: Piece,
    /// The memory that texts are split in, while none is.
    pub(super) room: Option<Box<Room>>,
}

impl Scratch {
    /// Calls `work` and gives back what a very long pretoken took.
    #[inline]
    fn with<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        // So that what is done is not moved.
        let trimmed = Trimmed(self);
        work(trimmed.0)
    }
}

/// A scratch that will be trimmed.
struct Trimmed<'a>(&'a mut Scratch);

impl Drop for Trimmed<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.piece.trim();
        self.0.block.trim();
    }
}

/// The cuts and the caches of a tokenizer.
#[derive(Debug)]
pub(crate) struct Pool {
    first: Mutex<Option<Box<Scratch>>>,
    // Boxed: a scratch holds its block itself.
    #[allow(clippy::vec_box)]
    idle: Mutex<Vec<Box<Scratch>>>,
    cuts: Arc<LateCuts>,
    /// The bytes that one cache may take.
    bytes: usize,
}

impl Default for Pool {
    fn default() -> Self {
        Self::new(CACHE_BYTES)
    }
}

impl Clone for Pool {
    /// A pool with the same bound, and cuts and caches of its own.
    fn clone(&self) -> Self {
        Self::new(self.bytes)
    }
}

impl Pool {
    /// An empty pool whose caches take at most so many bytes each.
    pub(crate) fn new(bytes: usize) -> Self {
        Self { first: Mutex::default(), idle: Mutex::default(), cuts: Arc::default(), bytes }
    }

    /// The most bytes that one cache takes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Calls `work` with a scratch.
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut Scratch) -> T) -> T {
        if let Ok(mut first) = self.first.try_lock()
            && let Some(scratch) = first.as_mut()
        {
            return scratch.with(work);
        }
        let idle = self.lock().and_then(|mut idle| idle.pop());
        let mut scratch = idle.unwrap_or_else(|| self.new_scratch());
        let done = scratch.with(work);
        self.put(scratch);
        done
    }

    /// Keeps a scratch for the next call.
    fn put(&self, scratch: Box<Scratch>) {
        if let Ok(mut first) = self.first.try_lock()
            && first.is_none()
        {
            *first = Some(scratch);
        } else if let Some(mut idle) = self.lock() {
            idle.push(scratch);
        }
    }

    /// Makes the cuts now.
    pub(super) fn prepare(&self, vocabulary: &Vocabulary) {
        self.cuts.prepare(vocabulary);
    }

    fn new_scratch(&self) -> Box<Scratch> {
        Box::new(Scratch {
            cuts: Arc::clone(&self.cuts),
            cache: Cache::new(self.bytes, Mix::random()),
            block: Block::default(),
            piece: Piece::default(),
            room: None,
        })
    }

    /// The scratches that wait, unless another thread holds on to them. A panic elsewhere leaves them whole.
    fn lock(&self) -> Option<MutexGuard<'_, Vec<Box<Scratch>>>> {
        for _ in 0..TRIES {
            match self.idle.try_lock() {
                Ok(idle) => return Some(idle),
                Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
            }
        }
        None
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a test's way to fail
mod tests {
    use std::fmt::Write as _;

    use crate::tokenizer::EncodeOptions;
    use crate::{SpecialTokens, Splitter, Tokenizer, Vocabulary};

    fn tokenizer(bytes: usize) -> Tokenizer {
        let vocabulary =
            Vocabulary::from_ranks((0..=255u8).map(|byte| (u32::from(byte), vec![byte])).collect()).unwrap();
        let splitter = Splitter::new(r"\S+|\s").unwrap();
        Tokenizer::new(splitter, vocabulary, SpecialTokens::default()).unwrap().with_cache_bytes(bytes)
    }

    #[test]
    fn a_cache_keeps_its_bound_whatever_comes() {
        const BOUND: usize = 1 << 20;
        let tokenizer = tokenizer(BOUND);
        for part in 0..20u64 {
            let mut text = String::new();
            for word in 0..20_000 {
                // Short words, long ones, and clauses; all new.
                let number = part * 20_000 + word;
                write!(text, "{number:x} word-and-{number:020} \u{4e00}{number} ").unwrap();
            }
            let count = tokenizer.count(text.as_bytes(), EncodeOptions::default()).unwrap();
            assert_eq!(count, text.len());
            assert!(tokenizer.pool().lock().unwrap().is_empty(), "one call at a time, one scratch");
            let taken = tokenizer.pool().first.lock().unwrap().as_ref().unwrap().cache.bytes();
            assert!(taken <= BOUND, "{taken}");
            assert!(part < 10 || taken > BOUND / 4, "{taken}: it is used");
        }
    }

    #[test]
    fn held_locks_stop_nobody() {
        let tokenizer = tokenizer(1 << 16);
        let expected = b"as in a forked child".map(u32::from);
        let encode = || {
            let mut ids = Vec::new();
            tokenizer.encode(b"as in a forked child", EncodeOptions::default(), &mut ids).unwrap();
            ids
        };
        tokenizer.prepare();
        {
            let first = tokenizer.pool().first.lock().unwrap();
            assert_eq!((encode(), encode()), (expected.to_vec(), expected.to_vec()));
            let idle = tokenizer.pool().lock().unwrap();
            assert_eq!((first.is_some(), idle.len()), (false, 1));
            assert_eq!(encode(), expected);
            tokenizer.prepare();
        }
        assert_eq!(encode(), expected);
        let first = tokenizer.pool().first.lock().unwrap();
        assert_eq!((first.is_some(), tokenizer.pool().lock().unwrap().len()), (true, 0), "it found its place");
    }

    #[test]
    fn the_cuts_are_made_when_they_pay() {
        let tokenizer = tokenizer(1 << 16);
        // One in 64 of 256 tokens.
        for (word, are_made) in
            [("one", false), ("é", false), ("éé", false), ("ééé", false), ("éééé", true), ("é", true)]
        {
            assert_eq!(tokenizer.count(word.as_bytes(), EncodeOptions::default()).unwrap(), word.len());
            assert_eq!(tokenizer.pool().cuts.has_any(), are_made, "{word}");
        }
        assert!(!tokenizer.pool().clone().cuts.has_any());
    }
}
