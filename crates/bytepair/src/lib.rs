//! The engine of bytepair: trains, runs and explains byte-pair tokenizers.
//!
//! A **corpus** is split into **pretokens** by a **pattern** ([`split`]); pretokens are **counted**
//! ([`count`]); the counts are **trained** into an ordered list of **merges** ([`train`]); merges make
//! a **vocabulary** ([`vocabulary`]); a **tokenizer** (pattern + vocabulary + special tokens)
//! **encodes** text into ids ([`encode`]) and **decodes** ids into bytes ([`decode`]); and what it did
//! can be **traced** ([`trace`]).
//!
//! This crate is pure: no Python, no files, no clock, no printing, no global state and no thread pool.
//! Text is always a byte slice; it need not be valid UTF-8.

pub mod cancel;
pub mod count;
pub mod decode;
pub mod encode;
pub mod error;
pub mod fingerprint;
mod hash;
mod key;
mod late;
pub mod measure;
mod memory;
pub mod normalize;
pub mod prefixes;
mod shares;
pub mod special;
pub mod split;
pub mod tokenizer;
pub mod trace;
pub mod train;
pub mod unicode;
pub mod vocabulary;

pub use cancel::Cancel;
pub use error::{Error, Result};
#[doc(hidden)]
pub use memory::prefetch;
pub use special::{Allowed, SpecialToken, SpecialTokens};
pub use split::{Pretoken, Splitter};
pub use tokenizer::Tokenizer;
pub use vocabulary::{Alphabet, EndOfWord, Vocabulary};
