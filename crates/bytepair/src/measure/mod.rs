//! What counted pretokens say about a tokenizer: every vocabulary size from one pass ([`replay`]), and how far from the
//! fewest tokens it is ([`fewest`]).

pub mod fewest;
pub mod replay;

pub use fewest::{Fewest, Longer};
pub use replay::{Change, Replay};
