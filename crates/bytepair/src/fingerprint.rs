//! SHA-256 of a tokenizer's canonical form (specified in `docs/design/fingerprint.md`).
//!
//! Idea: everything that ids depend on is written out once, in one order, with every length before what it measures, so
//! that no two different tokenizers write the same bytes; and nothing else is.
//!
//! Cost: linear in the vocabulary.

use sha2::{Digest, Sha256};

use crate::split::Engine;
use crate::tokenizer::Tokenizer;
use crate::unicode::UNICODE_VERSION;
use crate::vocabulary::Alphabet;

/// What the canonical form starts with; the number grows when the form changes.
const HEAD: &[u8] = b"bytepair fingerprint 1\n";

impl Tokenizer {
    /// SHA-256 of the canonical form: equal for tokenizers that give equal ids for equal reasons.
    pub fn fingerprint(&self) -> [u8; 32] {
        fingerprint(self, UNICODE_VERSION)
    }
}

/// The fingerprint with classes of this version of Unicode.
fn fingerprint(tokenizer: &Tokenizer, unicode: &str) -> [u8; 32] {
    let mut form = Form(Sha256::new_with_prefix(HEAD));
    form.splitter(tokenizer, unicode);
    form.vocabulary(tokenizer);
    form.specials(tokenizer);
    form.0.finalize().into()
}

/// The canonical form as it is hashed.
struct Form(Sha256);

impl Form {
    fn byte(&mut self, value: u8) {
        self.0.update([value]);
    }

    fn number(&mut self, value: u32) {
        self.0.update(value.to_le_bytes());
    }

    fn length(&mut self, value: usize) {
        self.0.update((value as u64).to_le_bytes());
    }

    fn bytes(&mut self, value: &[u8]) {
        self.length(value.len());
        self.0.update(value);
    }

    fn splitter(&mut self, tokenizer: &Tokenizer, unicode: &str) {
        let splitter = tokenizer.splitter();
        match splitter.pattern() {
            Some(pattern) => {
                // With marked bytes matches alone are pretokens anyway.
                let is_marked = matches!(tokenizer.vocabulary().alphabet(), Alphabet::MarkedBytes { .. });
                self.byte(2 + u8::from(splitter.gives_matches_only() && !is_marked));
                self.bytes(pattern.as_bytes());
            }
            None => self.byte(u8::from(splitter.engine() == Engine::WhiteSpace)),
        }
        self.bytes(unicode.as_bytes());
        match tokenizer.normalizer() {
            None => self.byte(0),
            Some(normalizer) => {
                self.byte(1);
                self.bytes(&normalizer.form());
            }
        }
    }

    fn vocabulary(&mut self, tokenizer: &Tokenizer) {
        let vocabulary = tokenizer.vocabulary();
        match vocabulary.alphabet() {
            Alphabet::Bytes => self.byte(0),
            Alphabet::Characters { end_of_word: None } => self.byte(1),
            Alphabet::Characters { end_of_word: Some(end) } => {
                self.byte(2 + u8::from(end.joined));
                self.bytes(end.mark.as_bytes());
            }
            Alphabet::MarkedBytes { mark } => {
                self.byte(5);
                self.bytes(mark.as_bytes());
            }
            &Alphabet::Unicode { unknown, fuse } => {
                self.byte(4);
                self.byte(u8::from(unknown.is_some()) | u8::from(fuse) << 1);
                self.number(unknown.unwrap_or(0));
            }
        }
        self.byte(u8::from(vocabulary.whole_first()));
        self.length(vocabulary.len());
        for &id in vocabulary.ids() {
            self.number(id);
            self.bytes(vocabulary.content(id).unwrap_or_default());
        }
        // The pairs of a rank file follow from its tokens.
        let Some(merges) = vocabulary.merge_list() else { return self.byte(0) };
        self.byte(1);
        self.length(merges.len());
        for &(left, right) in merges {
            let (rank, id) = vocabulary.merge(left, right).unwrap_or_default();
            for value in [left, right, rank, id] {
                self.number(value);
            }
        }
    }

    fn specials(&mut self, tokenizer: &Tokenizer) {
        let tokens = tokenizer.specials().tokens();
        self.length(tokens.len());
        for token in tokens {
            self.number(token.id);
            self.bytes(token.content.as_bytes());
            let flags = [token.special, token.normalized, token.lstrip, token.rstrip, token.single_word];
            self.byte((0..).zip(flags).map(|(bit, flag)| u8::from(flag) << bit).sum());
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fmt::Write as _;

    use super::fingerprint;
    use crate::normalize::{Form, Normalizer, Scheme, Step};
    use crate::vocabulary::EndOfWord;
    use crate::{Alphabet, SpecialToken, SpecialTokens, Splitter, Tokenizer, Vocabulary};

    fn hex(hash: [u8; 32]) -> String {
        hash.iter().fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").unwrap();
            text
        })
    }

    fn tokens() -> Vec<(u32, Vec<u8>)> {
        [(0, "a"), (1, "b"), (4, "ab"), (9, "abab")].map(|(id, text)| (id, text.as_bytes().to_vec())).to_vec()
    }

    fn specials() -> SpecialTokens {
        let token = |content: &str, id, special| SpecialToken {
            content: content.to_owned(),
            id,
            special,
            normalized: !special,
            ..SpecialToken::default()
        };
        SpecialTokens::new(vec![token("<|end|>", 10, true), token("<x>", 12, false)]).unwrap()
    }

    /// The vectors that `docs/design/fingerprint.md` computes in Python.
    #[test]
    fn the_committed_vectors() {
        let merges = Vocabulary::from_merges(Alphabet::Bytes, tokens(), vec![(0, 1), (4, 4)], false).unwrap();
        let tokenizer = Tokenizer::new(Splitter::new(r"[a-z]+|\s").unwrap(), merges, specials()).unwrap();
        assert_eq!(
            hex(fingerprint(&tokenizer, "16.0.0")),
            "82c3f125392793471d83fa184f2fd5344b2d39dda4004ec5686bc64f4b9b9e7a"
        );

        let ranks = Vocabulary::from_ranks(tokens()).unwrap();
        let tokenizer = Tokenizer::new(Splitter::whole(), ranks, SpecialTokens::default()).unwrap();
        assert_eq!(
            hex(fingerprint(&tokenizer, "16.0.0")),
            "a236f05ca0df51b508beefe002369dbc75d7525562876e986622a3ef2408dfd8"
        );

        let end_of_word = Some(EndOfWord { mark: "</w>".to_owned(), joined: true });
        let tokens = vec![(0, b"a".to_vec()), (1, b"b\xFF".to_vec()), (2, b"ab\xFF".to_vec())];
        let alphabet = Alphabet::Characters { end_of_word };
        let characters = Vocabulary::from_merges(alphabet, tokens, vec![(0, 1)], false).unwrap();
        let tokenizer = Tokenizer::new(Splitter::white_space(), characters, SpecialTokens::default()).unwrap();
        assert_eq!(
            hex(fingerprint(&tokenizer, "16.0.0")),
            "dfd7adb5d7e72b7e1ac601b2dc27c7a5997135685542ff668ea52c1c58b5ee3b"
        );
    }

    #[test]
    fn everything_that_ids_depend_on_counts() {
        let vocabulary =
            |whole_first| Vocabulary::from_merges(Alphabet::Bytes, tokens(), vec![(0, 1)], whole_first).unwrap();
        let other = Vocabulary::from_merges(Alphabet::Bytes, tokens(), vec![(1, 0)], false);
        assert!(other.is_err());
        let none = SpecialTokens::default;
        let token = |special, normalized| {
            SpecialTokens::new(vec![SpecialToken {
                content: "<x>".to_owned(),
                id: 12,
                special,
                normalized,
                ..SpecialToken::default()
            }])
            .unwrap()
        };
        let tokenizers = [
            Tokenizer::new(Splitter::whole(), vocabulary(false), none()),
            Tokenizer::new(Splitter::whole(), vocabulary(true), none()),
            Tokenizer::new(Splitter::white_space(), vocabulary(false), none()),
            Tokenizer::new(Splitter::new("a").unwrap(), vocabulary(false), none()),
            Tokenizer::new(Splitter::new("a").unwrap().matches_only(), vocabulary(false), none()),
            Tokenizer::new(Splitter::whole(), Vocabulary::from_ranks(tokens()).unwrap(), none()),
            Tokenizer::new(Splitter::whole(), vocabulary(false), token(true, false)),
            Tokenizer::new(Splitter::whole(), vocabulary(false), token(false, false)),
            Tokenizer::new(Splitter::whole(), vocabulary(false), token(true, true)),
        ]
        .map(Result::unwrap);
        let unicode = |unknown, fuse| {
            let alphabet = Alphabet::Unicode { unknown, fuse };
            Vocabulary::from_merges(alphabet, tokens(), vec![(0, 1)], false).unwrap()
        };
        let of = |vocabulary| Tokenizer::new(Splitter::whole(), vocabulary, none()).unwrap();
        let normalised =
            |before, after, plain| of(vocabulary(false)).with_normalizer(Normalizer { before, after, plain }).unwrap();
        let mark = |scheme| vec![Step::Prepend("_".to_owned(), scheme)];
        let mut others = vec![of(unicode(None, false)), of(unicode(Some(0), false)), of(unicode(Some(0), true))];
        others.extend([Form::Nfc, Form::Nfd, Form::Nfkc].map(|form| normalised(vec![Step::Form(form)], vec![], false)));
        others
            .extend([Scheme::All, Scheme::Always, Scheme::First].map(|scheme| normalised(mark(scheme), vec![], false)));
        others.push(normalised(vec![], mark(Scheme::All), false));
        others.push(normalised(mark(Scheme::All), vec![], true));
        let mut hashes: Vec<_> = tokenizers.iter().map(Tokenizer::fingerprint).collect();
        hashes.extend(others.iter().map(Tokenizer::fingerprint));
        hashes.push(fingerprint(&tokenizers[0], "1.0.0"));
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), tokenizers.len() + others.len() + 1);
        assert_eq!(tokenizers[0].fingerprint(), tokenizers[0].clone().fingerprint());
    }
}
