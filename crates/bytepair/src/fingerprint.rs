//! SHA-256 of a tokenizer's canonical form (specified in `docs/design/fingerprint.md`).

use crate::tokenizer::Tokenizer;

impl Tokenizer {
    /// SHA-256 of the canonical form: equal for tokenizers that give equal ids for equal reasons.
    pub fn fingerprint(&self) -> [u8; 32] {
        todo!()
    }
}
