//! Characters that fall back to bytes, and normalising: against plain rules, and places that lead back.
#![allow(clippy::unwrap_used, clippy::cast_possible_truncation)] // a test's way to fail

use std::collections::HashMap;

use bytepair::decode::{Decoder, Decoding};
use bytepair::normalize::{Form, Normalizer, Old, Scheme, SentencePiece, Step};
use bytepair::tokenizer::{DecodeOptions, EncodeOptions, UnknownSymbol};
use bytepair::{Allowed, Alphabet, Error, SpecialTokens, Splitter, Tokenizer, Vocabulary};
use proptest::prelude::*;
use proptest::sample::Index;

const UNKNOWN: u32 = 9_999;

/// Some characters, what merging some of them makes, and tokens that mean a byte if `falls_back`.
fn vocabulary(joins: &[(Index, Index)], falls_back: bool, unknown: Option<u32>, fuse: bool) -> Vocabulary {
    let mut tokens: Vec<Vec<u8>> = "ab▁é日<0x41>".chars().map(|character| character.to_string().into_bytes()).collect();
    if falls_back {
        tokens.extend((0..=255u8).map(|byte| vec![0xFF, byte]));
    }
    let mut merges = Vec::new();
    let mut parts: Vec<usize> = (0..5).collect();
    for (left, right) in joins {
        let (left, right) = (*left.get(&parts), *right.get(&parts));
        let joined = [tokens[left].as_slice(), &tokens[right]].concat();
        if joined.len() < 30 && !tokens.contains(&joined) {
            merges.push((left as u32, right as u32));
            parts.push(tokens.len());
            tokens.push(joined);
        }
    }
    let alphabet = Alphabet::Unicode { unknown, fuse };
    Vocabulary::from_merges(alphabet, (0..).zip(tokens).collect(), merges, false).unwrap()
}

/// The ids by the rules themselves: each character is a token, or its bytes are, or it is unknown; then the lowest merge,
/// leftmost first, until there is none.
fn plainly(vocabulary: &Vocabulary, text: &str, unknown: Option<u32>, fuse: bool) -> Vec<u32> {
    let mut ids: Vec<u32> = Vec::new();
    let mut was_unknown = false;
    for character in text.chars() {
        let symbol = character.to_string();
        if let Some(id) = vocabulary.id_of(symbol.as_bytes()) {
            ids.push(id);
        } else if let Some(bytes) =
            symbol.bytes().map(|byte| vocabulary.id_of(&[0xFF, byte])).collect::<Option<Vec<u32>>>()
        {
            ids.extend(bytes);
        } else {
            if !(fuse && was_unknown) {
                ids.extend(unknown);
            }
            was_unknown = true;
            continue;
        }
        was_unknown = false;
    }
    let ranks: HashMap<(u32, u32), (u32, u32)> =
        vocabulary.merges().into_iter().map(|pair| (pair, vocabulary.merge(pair.0, pair.1).unwrap())).collect();
    while let Some((at, &(_, id))) = (0..ids.len().saturating_sub(1))
        .filter_map(|at| Some((at, ranks.get(&(ids[at], ids[at + 1]))?)))
        .min_by_key(|&(at, &(rank, _))| (rank, at))
    {
        ids.splice(at..at + 2, [id]);
    }
    ids
}

fn texts() -> impl Strategy<Value = String> {
    let letters =
        proptest::sample::select(vec!["a", "b", "▁", " ", "é", "日", "ж", "🌱", "e\u{301}", "<0x41>", "\0", "  "]);
    proptest::collection::vec(letters, 0..200).prop_map(|letters| letters.concat())
}

fn encoded(tokenizer: &Tokenizer, text: &[u8]) -> Vec<u32> {
    let mut ids = Vec::new();
    tokenizer.encode(text, EncodeOptions::default(), &mut ids).unwrap();
    ids
}

proptest! {
    #[test]
    fn ids_are_those_of_the_plain_rules(
        joins in proptest::collection::vec((any::<Index>(), any::<Index>()), 0..25),
        falls_back in any::<bool>(),
        fuse in any::<bool>(),
        text in texts(),
    ) {
        let made = vocabulary(&joins, falls_back, Some(UNKNOWN), fuse);
        let expected = plainly(&made, &text, Some(UNKNOWN), fuse);
        let tokenizer = Tokenizer::new(Splitter::whole(), made, SpecialTokens::default()).unwrap();
        let options = EncodeOptions::default();
        let text = text.as_bytes();
        prop_assert_eq!(&encoded(&tokenizer, text), &expected);
        prop_assert_eq!(tokenizer.count(text, options).unwrap(), expected.len());
        let trace = tokenizer.trace(text, options).unwrap();
        prop_assert_eq!(&trace.ids, &expected);
        let forest = tokenizer.explain(text, options).unwrap();
        let roots: Vec<u32> = forest.roots.iter().map(|&root| forest.nodes[root].id).collect();
        prop_assert_eq!(&roots, &expected);
        // Spans follow each other and hold all of the text.
        let mut end = 0;
        for &(start, next) in &trace.bytes {
            prop_assert_eq!(start, end);
            end = next;
        }
        prop_assert_eq!(end, text.len());
        if falls_back {
            let mut back = Vec::new();
            tokenizer.decode(&expected, DecodeOptions::default(), &mut back).unwrap();
            prop_assert_eq!(&back, text);
        }
    }

    #[test]
    fn without_an_unknown_token_symbols_are_left_out_or_refused(
        joins in proptest::collection::vec((any::<Index>(), any::<Index>()), 0..25),
        text in texts(),
    ) {
        let made = vocabulary(&joins, false, None, false);
        let expected = plainly(&made, &text, None, false);
        let lacks = text.chars().any(|character| made.id_of(character.to_string().as_bytes()).is_none());
        let tokenizer = Tokenizer::new(Splitter::whole(), made, SpecialTokens::default()).unwrap();
        let mut ids = Vec::new();
        let options = EncodeOptions { unknown: UnknownSymbol::Skip, ..EncodeOptions::default() };
        tokenizer.encode(text.as_bytes(), options, &mut ids).unwrap();
        prop_assert_eq!(&ids, &expected);
        let raised = tokenizer.encode(text.as_bytes(), EncodeOptions::default(), &mut ids);
        prop_assert_eq!(matches!(raised, Err(Error::UnknownSymbol { .. })), lacks);
    }

    #[test]
    fn any_bytes_come_back(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        let made = vocabulary(&[], true, Some(UNKNOWN), true);
        let tokenizer = Tokenizer::new(Splitter::whole(), made, SpecialTokens::default()).unwrap();
        let mut back = Vec::new();
        tokenizer.decode(&encoded(&tokenizer, &bytes), DecodeOptions::default(), &mut back).unwrap();
        prop_assert_eq!(back, bytes);
    }

    #[test]
    fn what_is_normalised_is_encoded_as_such_and_leads_back(
        steps in proptest::collection::vec(steps(), 0..4),
        after in proptest::collection::vec(steps(), 0..2),
        text in texts(),
        bytes in proptest::collection::vec(any::<u8>(), 0..20),
        strip in 0usize..3,
        cut in any::<Index>(),
    ) {
        let normalizer = Normalizer { before: steps, after, plain: false };
        let plain = Tokenizer::new(Splitter::new("[^▁]+|▁").unwrap(), vocabulary(&[], true, None, false), SpecialTokens::default()).unwrap();
        let decoder = Decoder { space: Some("▁".to_owned()), strip };
        let tokenizer = plain.clone().with_normalizer(normalizer.clone()).unwrap().with_decoder(decoder);
        for text in [text.as_bytes(), &bytes] {
            let made = normalizer.text(text).unwrap();
            let ids = encoded(&tokenizer, text);
            prop_assert_eq!(&ids, &encoded(&plain, &made));
            let options = EncodeOptions { allowed: Allowed::All, ..EncodeOptions::default() };
            let trace = tokenizer.trace(text, options).unwrap();
            prop_assert_eq!(&trace.ids, &ids);
            let mut last = (0, 0);
            for &(start, end) in &trace.bytes {
                prop_assert!(start <= end && end <= text.len() && start >= last.0 && end >= last.1, "{:?}", trace.bytes);
                last = (start, end);
            }
            // Streams and wholes decode alike.
            let (mut whole, mut parts) = (Vec::new(), Vec::new());
            tokenizer.decode(&ids, DecodeOptions::default(), &mut whole).unwrap();
            let mut decoding = Decoding::new(DecodeOptions::default());
            let at = if ids.is_empty() { 0 } else { cut.index(ids.len()) };
            for some in [&ids[..at], &ids[at..]] {
                decoding.feed(&tokenizer, some, &mut parts).unwrap();
            }
            prop_assert_eq!(&parts, &whole);
            let most = ids.len() / 2;
            let length = tokenizer.truncate(text, most, EncodeOptions::default()).unwrap();
            prop_assert!(encoded(&tokenizer, &text[..length]).len() <= most);
        }
    }
}

#[test]
fn a_text_whose_beginning_is_taken_away_begins_elsewhere() {
    let after = vec![Step::Prepend("▁".to_owned(), Scheme::First)];
    let normalizer = Normalizer { before: vec![Step::Nmt], after, plain: false };
    assert_eq!(normalizer.text(b"\x01 a").unwrap(), b" a".as_slice());
    assert_eq!(normalizer.text(b" a\x01").unwrap(), "▁ a".as_bytes());
}

fn steps() -> impl Strategy<Value = Step> {
    prop_oneof![
        proptest::sample::select(vec![Form::Nfc, Form::Nfd, Form::Nfkc, Form::Nfkd]).prop_map(Step::Form),
        Just(Step::Lowercase),
        (any::<bool>(), any::<bool>()).prop_map(|(left, right)| Step::Strip(left, right)),
        Just(Step::StripAccents),
        Just(Step::Nmt),
        proptest::sample::select(vec![(" ", "▁"), ("a", ""), ("ab", "▁▁")])
            .prop_map(|(old, new)| Step::Replace(Old::Text(old.to_owned()), new.to_owned())),
        Just(Step::Replace(Old::Pattern(Splitter::new(r"\s+").unwrap()), "▁".to_owned())),
        proptest::sample::select(vec![Scheme::All, Scheme::Always, Scheme::First])
            .prop_map(|scheme| Step::Prepend("▁".to_owned(), scheme)),
        (any::<bool>(), any::<bool>()).prop_map(|(prefix, extra)| {
            let mut all = SentencePiece::default();
            all.add_dummy_prefix = prefix;
            all.remove_extra_whitespaces = extra;
            all.escape_whitespaces = true;
            Step::SentencePiece(all)
        }),
    ]
}

#[test]
fn what_sentencepiece_does_with_spaces() {
    let made = |text: &str, prefix, extra| {
        let mut all = SentencePiece::default();
        (all.add_dummy_prefix, all.remove_extra_whitespaces, all.escape_whitespaces) = (prefix, extra, true);
        let normalizer = Normalizer { before: vec![Step::SentencePiece(all)], ..Normalizer::default() };
        String::from_utf8(normalizer.text(text.as_bytes()).unwrap().into_owned()).unwrap()
    };
    assert_eq!(made("  a  b ", true, true), "▁a▁b");
    assert_eq!(made("  a  b ", true, false), "▁▁▁a▁▁b▁");
    assert_eq!(made("   ", true, true), "");
    assert_eq!(made("   ", true, false), "▁▁▁▁");
    assert_eq!(made("", true, false), "");
}

#[test]
fn a_long_text_without_pretokens_is_encoded_in_parts() {
    let joins: Vec<(u32, u32)> = vec![(2, 0)];
    let tokens = ["a", "b", "▁", "▁a"].map(|token| token.as_bytes().to_vec());
    let alphabet = Alphabet::Unicode { unknown: None, fuse: false };
    let vocabulary = Vocabulary::from_merges(alphabet, (0..).zip(tokens).collect(), joins, false).unwrap();
    let tokenizer = Tokenizer::new(Splitter::whole(), vocabulary, SpecialTokens::default()).unwrap();
    for (unit, ids) in [("▁ab", vec![3, 1]), ("▁", vec![2])] {
        let text = unit.repeat(300_000);
        assert_eq!(encoded(&tokenizer, text.as_bytes()), ids.repeat(300_000));
    }
}

/// What an unknown character becomes may merge with its neighbour: nothing is cut before that.
#[test]
fn an_unknown_token_that_merges_does_so_in_every_call() {
    let tokens = ["<unk>", "a", "<unk>a"].map(|token| token.as_bytes().to_vec());
    let alphabet = Alphabet::Unicode { unknown: Some(0), fuse: false };
    let vocabulary = Vocabulary::from_merges(alphabet, (0..).zip(tokens).collect(), vec![(0, 1)], false).unwrap();
    let tokenizer = Tokenizer::new(Splitter::whole(), vocabulary, SpecialTokens::default()).unwrap();
    let options = EncodeOptions::default();
    for times in [1, 3, 5000] {
        let text = "☃a".repeat(times);
        let expected = vec![2; times];
        assert_eq!(encoded(&tokenizer, text.as_bytes()), expected);
        assert_eq!(tokenizer.trace(text.as_bytes(), options).unwrap().ids, expected);
        assert_eq!(tokenizer.count(text.as_bytes(), options).unwrap(), times);
    }
}
