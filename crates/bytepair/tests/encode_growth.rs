//! Time grows in proportion to the text, whatever it is: a test of its own, so that no other disturbs it.
#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use bytepair::encode::Counter;
use bytepair::split::presets;
use bytepair::tokenizer::EncodeOptions;
use bytepair::{SpecialTokens, Splitter, Tokenizer, Vocabulary};

/// All bytes, runs of `a`, and a few tokens more.
fn tokenizer(splitter: Splitter) -> Tokenizer {
    let bytes = (0..=255u8).map(|byte| vec![byte]);
    let runs = (1..=8).map(|power| b"a".repeat(1 << power));
    let more: [&[u8]; 6] = [b"ab", b"abab", b"ba", b"baa", b"\xE4\xB8", b"\xE4\xB8\xAD"];
    let contents = bytes.chain(runs).chain(more.map(<[u8]>::to_vec));
    let vocabulary = Vocabulary::from_ranks((0..).zip(contents).collect()).unwrap();
    Tokenizer::new(splitter, vocabulary, SpecialTokens::default()).unwrap()
}

/// The shortest of some countings and truncations of the start of a text.
fn time(tokenizer: &Tokenizer, text: &[u8], length: usize, runs: usize) -> Duration {
    let text = &text[..length];
    let run = || {
        let start = Instant::now();
        let count = tokenizer.count(text, EncodeOptions::default()).unwrap();
        assert!(tokenizer.truncate(text, count / 2, EncodeOptions::default()).unwrap() > 0);
        start.elapsed()
    };
    (0..runs).map(|_| run()).min().unwrap()
}

#[test]
fn time_grows_in_proportion() {
    let tokenizer = tokenizer(Splitter::whole());
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state.to_be_bytes()[0]
    };
    let random: Vec<u8> = (0..500_000).map(|_| random()).collect();
    for text in [b"a".repeat(500_000), b"ab".repeat(250_000), "中".repeat(166_667).into_bytes(), random] {
        // Fifty times the text: a square would take 2,500 times as long. A busy machine may need another try.
        let mut tries = (0..5).map(|_| (time(&tokenizer, &text, 10_000, 5), time(&tokenizer, &text, 500_000, 1)));
        assert!(tries.any(|(short, long)| long < short * 500), "{:?}...", &text[..4]);
    }
}

/// The shortest of some appendings of a text, a byte at a time.
fn append(tokenizer: &Tokenizer, text: &[u8], runs: usize) -> Duration {
    let run = || {
        let (start, mut counter) = (Instant::now(), Counter::default());
        for byte in text {
            counter.append(tokenizer, &[*byte], EncodeOptions::default()).unwrap();
        }
        assert!(counter.count(tokenizer, EncodeOptions::default()).unwrap() > 0);
        start.elapsed()
    };
    (0..runs).map(|_| run()).min().unwrap()
}

#[test]
fn appending_grows_in_proportion() {
    let cut = tokenizer(Splitter::new(presets::CL100K).unwrap());
    let uncut = tokenizer(Splitter::whole());
    let texts =
        [(&cut, b"some words, ".repeat(50_000)), (&cut, b"a".repeat(500_000)), (&uncut, b"a b ".repeat(125_000))];
    for (tokenizer, text) in texts {
        let mut tries = (0..5).map(|_| (append(tokenizer, &text[..10_000], 5), append(tokenizer, &text, 1)));
        assert!(tries.any(|(short, long)| long < short * 500), "{:?}...", &text[..4]);
    }
}
