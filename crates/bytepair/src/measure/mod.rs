//! What counted pretokens say about a tokenizer: every vocabulary size from one pass ([`replay`]), and how far from the
//! fewest tokens it is ([`fewest`]); and what dropping unknown words does to a text ([`neighbours`]).

pub mod fewest;
pub mod neighbours;
pub mod replay;

pub use fewest::{Fewest, Longer};
pub use neighbours::Neighbours;
pub use replay::{Change, Replay};
