//! A text that comes in parts is encoded and counted as if it came whole, whatever the parts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test's way to fail

mod encode_oracle;
mod split_oracle;

use std::collections::HashSet;

use bytepair::encode::{Counter, Stream};
use bytepair::split::presets::PRESETS;
use bytepair::tokenizer::{EncodeOptions, UnknownSymbol};
use bytepair::{Allowed, Error, SpecialTokens, Splitter, Tokenizer, Vocabulary};
use encode_oracle::{byte_recipes, character_recipes, special, texts, unknowns};
use proptest::prelude::*;
use split_oracle::{Random, random_text};

/// Special tokens that begin with each other, overlap, and hold what patterns cut.
const SPECIALS: [&str; 6] = ["<|a|>", "<|a|><|b|>", "<|", "é", "a b", "'s it"];

/// All bytes and some tokens more.
fn vocabulary() -> Vocabulary {
    let more: [&[u8]; 10] = [b"ab", b"  ", b" a", b"12", b"123", b"\xC3\xA9", b"\r\n", b"'s", b"ss", b"\xE4\xB8\xAD"];
    let contents = (0..=255u8).map(|byte| vec![byte]).chain(more.map(<[u8]>::to_vec));
    Vocabulary::from_ranks((0..).zip(contents).collect()).unwrap()
}

fn specials(first: u32) -> SpecialTokens {
    SpecialTokens::new(SPECIALS.into_iter().zip(first..).map(|(content, id)| special(content, id)).collect()).unwrap()
}

/// The tokenizers of all presets, and of patterns that no part of a text settles.
fn tokenizers() -> Vec<Tokenizer> {
    let patterns = PRESETS.map(|(_, pattern)| pattern);
    let more = [r"a*b|a|\s+", r"\Aa+|.", r"(.)\1+|.", r"(?=a)a?|\S+", "(?kept)b+|a(?=b)", "(?removed)b+|a(?=b)"];
    let splitters = patterns.into_iter().chain(more).map(|pattern| Splitter::new(pattern).unwrap());
    let splitters = splitters.chain([Splitter::whole(), Splitter::white_space()]);
    splitters.map(|splitter| Tokenizer::new(splitter, vocabulary(), specials(1000)).unwrap()).collect()
}

/// A text with special tokens, parts of them and bytes that are no UTF-8 in it.
fn mixed_text(random: &mut Random) -> Vec<u8> {
    let mut text = Vec::new();
    for _ in 0..random.below(8) {
        match random.below(6) {
            0 | 1 => text.extend(random.pick(&SPECIALS).bytes()),
            2 => {
                let token = random.pick(&SPECIALS).as_bytes();
                text.extend(&token[..random.below(token.len())]);
            }
            3 => text.push(*random.pick(&[0xFF, 0xC3, 0xE4, 0xB8, 0xF0, 0x9F])),
            _ => text.extend(random_text(random, 30).bytes()),
        }
    }
    text
}

/// Cuts a text into parts of random lengths, some empty.
fn parts<'t>(random: &mut Random, mut text: &'t [u8]) -> Vec<&'t [u8]> {
    let longest = 1 + random.below(40);
    let mut parts = Vec::new();
    while !text.is_empty() {
        let (part, rest) = text.split_at(random.below(longest + 1).min(text.len()));
        parts.push(part);
        text = rest;
    }
    parts
}

fn streamed(
    tokenizer: &Tokenizer,
    parts: &[&[u8]],
    options: EncodeOptions<'_>,
    threads: usize,
) -> Result<Vec<u32>, Error> {
    let (mut stream, mut ids) = (Stream::default(), Vec::new());
    for part in parts {
        stream.feed(tokenizer, part, options, threads, &mut ids)?;
    }
    stream.finish(tokenizer, options, &mut ids)?;
    Ok(ids)
}

fn encoded(tokenizer: &Tokenizer, text: &[u8], options: EncodeOptions<'_>) -> Result<Vec<u32>, Error> {
    let mut ids = Vec::new();
    tokenizer.encode(text, options, &mut ids)?;
    Ok(ids)
}

/// What both say of a text in parts: the ids, and the counts after each part.
fn assert_as_whole(tokenizer: &Tokenizer, parts: &[&[u8]], options: EncodeOptions<'_>) {
    let whole = parts.concat();
    let pattern = tokenizer.splitter().pattern();
    let context = || format!("{pattern:?}, {:?}, parts {parts:?}", String::from_utf8_lossy(&whole));
    assert_eq!(streamed(tokenizer, parts, options, 2), encoded(tokenizer, &whole, options), "{}", context());
    let mut counter = Counter::default();
    let mut length = 0;
    for part in parts {
        counter.append(tokenizer, part, options).unwrap();
        length += part.len();
        let expected = tokenizer.count(&whole[..length], options);
        assert_eq!(counter.count(tokenizer, options), expected, "{length} bytes of {}", context());
    }
    let mut unasked = Counter::default();
    for part in parts {
        unasked.append(tokenizer, part, options).unwrap();
    }
    assert_eq!(unasked.count(tokenizer, options), tokenizer.count(&whole, options), "{}", context());
}

#[test]
fn any_parts_give_the_ids_and_counts_of_the_whole() {
    let mut random = Random(0x5EED);
    let only: HashSet<u32> = [1001, 1004].into();
    for tokenizer in &tokenizers() {
        for round in 0..150 {
            let text = mixed_text(&mut random);
            // Longer than what waits to be looked at.
            let text = if round % 8 == 0 { text.repeat(40) } else { text };
            let allowed = [Allowed::None, Allowed::All, Allowed::Only(&only)][round % 3];
            let parts = parts(&mut random, &text);
            assert_as_whole(tokenizer, &parts, EncodeOptions { allowed, ..EncodeOptions::default() });
        }
    }
}

/// Every place to cut a text in two, and every place to cut it at all, with nothing kept back.
#[test]
fn a_text_may_be_encoded_in_two_at_its_cut_whatever_follows() {
    let mut random = Random(0xC07);
    for tokenizer in &tokenizers() {
        for round in 0..1000 {
            let (known, more) = (mixed_text(&mut random), mixed_text(&mut random));
            let allowed = if round % 2 == 0 { Allowed::All } else { Allowed::None };
            let options = EncodeOptions { allowed, ..EncodeOptions::default() };
            let cut = tokenizer.settled(&known, options);
            let whole = [known, more].concat();
            let mut ids = encoded(tokenizer, &whole[..cut], options).unwrap();
            ids.extend(encoded(tokenizer, &whole[cut..], options).unwrap());
            let pattern = tokenizer.splitter().pattern();
            assert_eq!(
                ids,
                encoded(tokenizer, &whole, options).unwrap(),
                "{pattern:?}, {:?} at {cut}",
                String::from_utf8_lossy(&whole)
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_vocabulary(
        recipe in prop_oneof![byte_recipes(), character_recipes()],
        text in prop::collection::vec(texts(), 0..20),
        unknown in unknowns(),
        size in 1usize..300,
    ) {
        let text = text.concat();
        let splitter = if recipe.alphabet == bytepair::Alphabet::Bytes { Splitter::new(r"a+|\s+|[^a\s]").unwrap() } else { Splitter::white_space() };
        let tokenizer = Tokenizer::new(splitter, recipe.build(), SpecialTokens::default()).unwrap();
        let options = EncodeOptions { unknown, ..EncodeOptions::default() };
        let parts: Vec<&[u8]> = text.chunks(size).collect();
        // The same error, too, with its place in the whole.
        prop_assert_eq!(streamed(&tokenizer, &parts, options, 2), encoded(&tokenizer, &text, options));
        let mut counter = Counter::default();
        let appended = parts.iter().try_for_each(|part| counter.append(&tokenizer, part, options));
        let counted = appended.and_then(|()| counter.count(&tokenizer, options));
        prop_assert_eq!(counted, tokenizer.count(&text, options));
    }
}

#[test]
fn a_forbidden_special_token_is_found_wherever_it_is_cut() {
    let tokenizer = Tokenizer::new(Splitter::new(r"\w+|\W").unwrap(), vocabulary(), specials(1000)).unwrap();
    let forbidden = [1000].into();
    let options = EncodeOptions { disallowed: Allowed::Only(&forbidden), ..EncodeOptions::default() };
    let text = ["word ".repeat(2000), "<|a|>".to_owned(), " word".repeat(2000)].concat();
    let expected = Err(Error::DisallowedSpecial { token: "<|a|>".to_owned(), at: 10_000 });
    for size in [1, 2, 3, 700, 1024, 9_998, 10_002, 30_000] {
        let parts: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
        assert_eq!(streamed(&tokenizer, &parts, options, 1), expected, "in parts of {size}");
        let mut counter = Counter::default();
        let appended = parts.iter().try_for_each(|part| counter.append(&tokenizer, part, options));
        let found = appended.and_then(|()| counter.count(&tokenizer, options));
        assert_eq!(found.map(|_| Vec::new()), expected, "in parts of {size}");
    }
}

#[test]
fn a_part_with_an_error_is_not_kept() {
    let few = Vocabulary::from_ranks(vec![(0, b"a".to_vec()), (1, b" ".to_vec())]).unwrap();
    let tokenizer = Tokenizer::new(Splitter::new(r"a+|\s").unwrap(), few, SpecialTokens::default()).unwrap();
    let (options, mut counter) = (EncodeOptions::default(), Counter::default());
    counter.append(&tokenizer, b"aa a", options).unwrap();
    assert_eq!(counter.count(&tokenizer, options), Ok(4));
    let bad = [b"a ".repeat(3000), b"b".to_vec(), b" a".repeat(3000)].concat();
    let error = Error::UnknownSymbol { symbol: b"b".to_vec(), at: 6004 };
    assert_eq!(counter.append(&tokenizer, &bad, options), Err(error));
    assert_eq!(counter.count(&tokenizer, options), Ok(4));
    counter.append(&tokenizer, b"a", options).unwrap();
    assert_eq!(counter.count(&tokenizer, options), Ok(5));
    let skipping = EncodeOptions { unknown: UnknownSymbol::Skip, ..options };
    let mut counter = Counter::default();
    counter.append(&tokenizer, &bad, skipping).unwrap();
    assert_eq!(counter.count(&tokenizer, skipping), tokenizer.count(&bad, skipping));
}

/// Large texts go to the threads in pieces.
#[test]
fn pieces_are_cut_everywhere() {
    let tokenizers = tokenizers();
    let mut random = Random(7);
    let text: Vec<u8> = (0..3000).flat_map(|_| mixed_text(&mut random)).collect();
    let options = EncodeOptions { allowed: Allowed::All, ..EncodeOptions::default() };
    for tokenizer in &tokenizers[..PRESETS.len()] {
        let ends = tokenizer.pieces(&text, 1000, options);
        assert!(ends.len() > text.len() / 1200 && ends.is_sorted(), "{} pieces of {}", ends.len(), text.len());
        let pieces: Vec<&[u8]> = [0].iter().chain(&ends).zip(&ends).map(|(&start, &end)| &text[start..end]).collect();
        let (ids, _) = tokenizer.encode_batch(&pieces, options, 1).unwrap();
        let rest = encoded(tokenizer, &text[ends[ends.len() - 1]..], options).unwrap();
        assert_eq!([ids, rest].concat(), encoded(tokenizer, &text, options).unwrap());
    }
}

/// A large text in a batch goes to several threads.
#[test]
fn large_texts_of_a_batch_are_shared() {
    let mut random = Random(11);
    let some: Vec<u8> = (0..3000).flat_map(|_| mixed_text(&mut random)).collect();
    let large = some.iter().copied().cycle().take(3 << 20).collect::<Vec<u8>>();
    let texts: [&[u8]; 6] = [b"one", &large, b"", &large[1000..], &some, b""];
    for tokenizer in &tokenizers() {
        let options = EncodeOptions { allowed: Allowed::All, ..EncodeOptions::default() };
        let expected = tokenizer.encode_batch(&texts, options, 1);
        assert_eq!(tokenizer.encode_batch(&texts, options, 4), expected, "{:?}", tokenizer.splitter().pattern());
    }
    let few = Vocabulary::from_ranks(vec![(0, b"a".to_vec()), (1, b" ".to_vec())]).unwrap();
    let tokenizer = Tokenizer::new(Splitter::new(r"a+|\s").unwrap(), few, SpecialTokens::default()).unwrap();
    let bad = [b"aa ".repeat(1 << 20), b"b".to_vec()].concat();
    let error = Error::UnknownSymbol { symbol: b"b".to_vec(), at: 3 << 20 };
    assert_eq!(tokenizer.encode_batch(&[b"a", &bad, b"c"], EncodeOptions::default(), 3), Err((1, error)));
}

/// Cut behind an `a` that only the `b` after it makes a match, a text would lose it.
#[test]
fn what_a_part_would_drop_is_not_settled() {
    for pattern in ["(?kept)b+|a(?=b)", "(?removed)b+|a(?=b)"] {
        let tokenizer = Tokenizer::new(Splitter::new(pattern).unwrap(), vocabulary(), specials(1000)).unwrap();
        let after = b"b".repeat(2000);
        assert_as_whole(&tokenizer, &[b"ba", &after], EncodeOptions::default());
        for text in texts_of(b"ab ", 6) {
            let cut = tokenizer.settled(&text, EncodeOptions::default());
            let mut ids = encoded(&tokenizer, &text[..cut], EncodeOptions::default()).unwrap();
            ids.extend(encoded(&tokenizer, &text[cut..], EncodeOptions::default()).unwrap());
            let whole = encoded(&tokenizer, &text, EncodeOptions::default()).unwrap();
            assert_eq!(ids, whole, "{pattern}, {cut} of {:?}", String::from_utf8_lossy(&text));
        }
    }
}

/// All texts of so many of these letters.
fn texts_of(letters: &[u8], length: u32) -> Vec<Vec<u8>> {
    let mut texts = vec![Vec::new()];
    for _ in 0..length {
        let longer = |text: &Vec<u8>| letters.iter().map(|&letter| [text.as_slice(), &[letter]].concat()).collect();
        texts = texts.iter().flat_map::<Vec<Vec<u8>>, _>(longer).collect();
    }
    texts
}
