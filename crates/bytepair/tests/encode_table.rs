//! Encoding by the pretoken table against the plain path: whatever the table holds, the ids are the same.
#![allow(clippy::unwrap_used)]

use bytepair::tokenizer::EncodeOptions;
use bytepair::{Allowed, Alphabet, SpecialToken, SpecialTokens, Splitter, Tokenizer, Vocabulary};
use proptest::prelude::*;

/// The plain path.
fn plain(tokenizer: &Tokenizer, text: &[u8], options: EncodeOptions<'_>) -> Vec<u32> {
    let mut ids = Vec::new();
    tokenizer.encode_plainly(text, options, &mut ids).unwrap();
    ids
}

/// The table.
fn fast(tokenizer: &Tokenizer, text: &[u8], options: EncodeOptions<'_>) -> Vec<u32> {
    let mut ids = vec![u32::MAX];
    tokenizer.encode(text, options, &mut ids).unwrap();
    assert_eq!(ids.remove(0), u32::MAX, "ids are appended");
    ids
}

/// Pieces of text that vocabularies and texts are made of: few, so that they meet; parts of characters among them.
const PIECES: [&[u8]; 16] = [
    b"a",
    b"b",
    b" ",
    "\u{430}".as_bytes(),
    "\u{42B}".as_bytes(),
    "中".as_bytes(),
    "文".as_bytes(),
    "字".as_bytes(),
    b"\xE4\xB8",
    b"\xAD",
    b"\xAD\xE6",
    b"\xD0",
    b"\xFF",
    b"\0",
    b"1",
    "🌶".as_bytes(),
];

/// A vocabulary of all bytes and the tokens that joining earlier ones makes; merges in any order, some left out, so that
/// there are tokens that merging does not reach.
fn vocabularies() -> impl Strategy<Value = Vocabulary> {
    let joins = proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..60);
    let wholes =
        proptest::collection::vec(proptest::collection::vec(proptest::sample::select(&PIECES[..]), 1..6), 0..4);
    (joins, wholes, 0u8..4, any::<u64>()).prop_map(|(joins, wholes, kind, seed)| {
        let mut contents: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![byte]).collect();
        let mut merges: Vec<(u32, u32)> = Vec::new();
        // The tokens that may be joined: the bytes of the pieces, and what they make.
        let mut parts: Vec<u32> = PIECES.concat().into_iter().map(u32::from).collect();
        for (left, right) in joins {
            let pair = (*left.get(&parts), *right.get(&parts));
            let joined = [contents[pair.0 as usize].clone(), contents[pair.1 as usize].clone()].concat();
            if merges.contains(&pair) || joined.len() > 40 {
                continue;
            }
            let id = contents.iter().position(|content| *content == joined).unwrap_or_else(|| {
                contents.push(joined);
                contents.len() - 1
            });
            parts.push(u32::try_from(id).unwrap());
            merges.push(pair);
        }
        for whole in wholes.into_iter().map(|pieces| pieces.concat()) {
            if !contents.contains(&whole) {
                contents.push(whole);
            }
        }
        let tokens: Vec<(u32, Vec<u8>)> = (0..).zip(contents).collect();
        match kind {
            0 => Vocabulary::from_ranks(tokens).unwrap(),
            // A rank file in any order.
            1 => Vocabulary::from_ranks(
                tokens.into_iter().map(|(id, content)| (id.wrapping_mul(2_654_435_761) >> 1, content)).collect(),
            )
            .unwrap(),
            _ => {
                let mut random = seed;
                for at in (1..merges.len()).rev() {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    if random >> 62 == 0 {
                        merges.swap(at, usize::try_from(random >> 33).unwrap() % (at + 1));
                    }
                }
                merges.truncate(merges.len() - merges.len() / 10);
                Vocabulary::from_merges(Alphabet::Bytes, tokens, merges, kind == 2).unwrap()
            }
        }
    })
}

/// Texts in which words come again, of every length.
fn texts() -> impl Strategy<Value = Vec<u8>> {
    let pieces = || proptest::sample::select(&PIECES[..]);
    let word = prop_oneof![
        6 => proptest::collection::vec(pieces(), 1..8),
        2 => proptest::collection::vec(pieces(), 8..40),
        1 => proptest::collection::vec(pieces(), 100..200),
    ];
    let words = proptest::collection::vec(word.prop_map(|pieces| pieces.concat()), 1..12);
    let order = proptest::collection::vec(any::<prop::sample::Index>(), 0..600);
    (words, order).prop_map(|(words, order)| {
        order
            .iter()
            .take(if words.concat().len() > 400 { 40 } else { 600 })
            .flat_map(|at| at.get(&words).clone())
            .collect()
    })
}

fn splitters() -> impl Strategy<Value = Splitter> {
    prop_oneof![
        1 => Just(Splitter::whole()),
        1 => Just(Splitter::white_space()),
        3 => Just(Splitter::new(r" ?\p{L}+|\p{N}{1,3}|\s+(?!\S)|\s+| ?[^\s\p{L}\p{N}]+").unwrap()),
    ]
}

/// Bounds of the cache: none, so small that entries give way all the time, and large.
fn bounds() -> impl Strategy<Value = usize> {
    prop_oneof![Just(0), 100usize..2_000, 2_000usize..200_000, Just(32 << 20)]
}

fn specials() -> SpecialTokens {
    let token =
        |content: &str, id| SpecialToken { content: content.to_owned(), id, special: true, ..SpecialToken::default() };
    SpecialTokens::new(vec![token("aba", u32::MAX - 2), token("文 ", u32::MAX - 1)]).unwrap()
}

/// The longest prefix, by the plain path, that ends where one of the first `limit` tokens and a character end and has no
/// more tokens itself.
fn truncated(tokenizer: &Tokenizer, text: &[u8], limit: usize, options: EncodeOptions<'_>) -> usize {
    let trace = tokenizer.trace(text, options).unwrap();
    if trace.ids.len() <= limit {
        return text.len();
    }
    let is_edge = |end: usize| {
        let mut edge = 0;
        text.utf8_chunks().any(|chunk| {
            let edges = chunk.valid().char_indices().map(|(at, _)| edge + at).collect::<Vec<_>>();
            let after = edge + chunk.valid().len();
            edge = after + chunk.invalid().len();
            edges.contains(&end) || end == after || end == edge
        })
    };
    let fits = |end: &usize| is_edge(*end) && plain(tokenizer, &text[..*end], options).len() <= limit;
    trace.bytes[..limit].iter().rev().map(|&(_, end)| end).find(fits).unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn the_table_changes_nothing(
        vocabulary in vocabularies(),
        splitter in splitters(),
        texts in proptest::collection::vec(texts(), 1..5),
        bytes in bounds(),
        prepared in 0usize..6,
        allowed in any::<bool>(),
        threads in 1usize..4,
        cut in any::<prop::sample::Index>(),
    ) {
        let tokenizer = Tokenizer::new(splitter, vocabulary, specials()).unwrap().with_cache_bytes(bytes);
        let allowed = if allowed { Allowed::All } else { Allowed::None };
        let options = EncodeOptions { allowed, ..EncodeOptions::default() };
        let mut all = (Vec::new(), vec![0]);
        for (index, text) in texts.iter().enumerate() {
            // The vocabulary's table may come before, between and after the texts.
            if index == prepared {
                tokenizer.prepare();
            }
            let expected = plain(&tokenizer, text, options);
            prop_assert_eq!(&fast(&tokenizer, text, options), &expected);
            // Once more, now that the words are known.
            prop_assert_eq!(&fast(&tokenizer, text, options), &expected);
            prop_assert_eq!(tokenizer.count(text, options).unwrap(), expected.len());
            for limit in [0, 1, expected.len() / 2, expected.len().saturating_sub(1), expected.len(), expected.len() + 1] {
                let counted = tokenizer.count_up_to(text, limit, options).unwrap();
                prop_assert_eq!(counted, (expected.len() <= limit).then_some(expected.len()));
            }
            let limit = cut.index(expected.len() + 1);
            prop_assert_eq!(tokenizer.truncate(text, limit, options).unwrap(), truncated(&tokenizer, text, limit, options));
            all.0.extend(expected);
            all.1.push(all.0.len() as u64);
        }
        let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
        prop_assert_eq!(tokenizer.encode_batch(&texts, options, threads).unwrap(), all);
    }
}

/// Tokens that merging does not reach: ` vi`, ` viec` alone is one id, inside ` viecx` it is not.
fn unreached() -> Tokenizer {
    let bytes = (0..=255u8).map(|byte| vec![byte]);
    let contents = bytes.chain([b"ab".to_vec(), b"abcd".to_vec(), "中文".as_bytes().to_vec()]);
    let tokens = (0..).zip(contents).collect();
    let merges = vec![(97, 98)];
    let vocabulary = Vocabulary::from_merges(Alphabet::Bytes, tokens, merges, true).unwrap();
    Tokenizer::new(Splitter::new(r"[^\s]+|\s").unwrap(), vocabulary, SpecialTokens::default()).unwrap()
}

#[test]
fn only_a_whole_pretoken_may_be_looked_up_whole() {
    for prepare in [false, true] {
        let tokenizer = unreached();
        if prepare {
            tokenizer.prepare();
        }
        let text = "abcd 中文 abcd中文abcd中文abcd中文abcd中文abcd中文 中文abcd abcd 中文 中文中文中文中文中文";
        for _ in 0..3 {
            let ids = fast(&tokenizer, text.as_bytes(), EncodeOptions::default());
            assert_eq!(ids, plain(&tokenizer, text.as_bytes(), EncodeOptions::default()));
            assert_eq!(ids[..3], [257, 32, 258]);
            assert_eq!(ids[4..7], [256, 99, 100]);
        }
    }
}

#[test]
fn threads_share_a_tokenizer() {
    let tokenizer = unreached().with_cache_bytes(1 << 14);
    let texts: Vec<Vec<u8>> = (0..40u32)
        .map(|n| {
            (0..3000u32).flat_map(|m| format!("ab{} abcd 中文{} ", m % (n + 7), m * n % 50).into_bytes()).collect()
        })
        .collect();
    let expected: Vec<Vec<u32>> = texts.iter().map(|text| plain(&tokenizer, text, EncodeOptions::default())).collect();
    let tokenizer = &tokenizer;
    std::thread::scope(|scope| {
        for first in 0..4 {
            let (texts, expected) = (&texts, &expected);
            scope.spawn(move || {
                for index in (0..texts.len()).map(|n| (n * 7 + first * 11) % texts.len()) {
                    assert_eq!(fast(tokenizer, &texts[index], EncodeOptions::default()), expected[index]);
                }
            });
        }
    });
    let clone = tokenizer.clone();
    assert_eq!(fast(&clone, &texts[3], EncodeOptions::default()), expected[3]);
}

/// Very long pretokens that repeat themselves, among others and with other ends, with tokens that merging does not reach.
#[test]
fn long_pretokens_that_repeat_themselves() {
    let tokenizer = unreached();
    for unit in ["a", "ab", "abcd", "中", "中文", "b中文", "🌶"] {
        for text in ["", "x", "ab中"].map(|end| format!("ab {end}{}{end}b 中文", unit.repeat(20_000 / unit.len()))) {
            let expected = plain(&tokenizer, text.as_bytes(), EncodeOptions::default());
            assert_eq!(fast(&tokenizer, text.as_bytes(), EncodeOptions::default()), expected, "{unit}");
            assert_eq!(tokenizer.count(text.as_bytes(), EncodeOptions::default()).unwrap(), expected.len(), "{unit}");
        }
    }
}

#[test]
fn what_repeats_stands_between_words_that_wait() {
    let tokenizer = unreached();
    for turn in 0..3 {
        let text = format!("ax{turn} {} b{turn}x {}", "ab".repeat(20_000), "-".repeat(20_000 + turn));
        let ids = fast(&tokenizer, text.as_bytes(), EncodeOptions::default());
        assert_eq!(ids, plain(&tokenizer, text.as_bytes(), EncodeOptions::default()));
        assert_eq!(tokenizer.count(text.as_bytes(), EncodeOptions::default()).unwrap(), ids.len());
    }
}

#[test]
fn many_ids_behind_a_new_word_are_in_their_places() {
    let bytes = (0..=255u8).map(|byte| (u32::from(byte), vec![byte])).chain([(256, b"ab".to_vec())]).collect();
    let splitter = Splitter::new(r"\S+|\s").unwrap();
    let tokenizer = Tokenizer::new(splitter, Vocabulary::from_ranks(bytes).unwrap(), SpecialTokens::default()).unwrap();
    tokenizer.prepare();
    let known = "ab c ".repeat(50_000);
    fast(&tokenizer, known.as_bytes(), EncodeOptions::default());
    // New words, one of them a repetition, among more ids that are known than wait at a time.
    let text = format!("xyz {known}{} xyzz {known}", "ab".repeat(3000));
    let expected = plain(&tokenizer, text.as_bytes(), EncodeOptions::default());
    assert!(expected.len() > 400_000);
    assert_eq!(fast(&tokenizer, text.as_bytes(), EncodeOptions::default()), expected);
    assert_eq!(tokenizer.count(text.as_bytes(), EncodeOptions::default()).unwrap(), expected.len());
}
