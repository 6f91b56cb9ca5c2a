//! Every path that finds boundaries finds those of the scalar automaton. A run says which paths this processor has.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test's way to fail

mod split_oracle;

use std::io::Write;
use std::ops::ControlFlow;

use bytepair::split::{Path, Splitter, presets::PRESETS};
use proptest::prelude::*;
use split_oracle::{PARTS, PIECES, Random, config, patterns, pieces};

const PATHS: [fn(&Path) -> bool; 2] = [|path| *path == Path::Avx512, |path| *path == Path::Avx2];

/// A splitter for each path that serves a pattern here, the scalar one left out.
fn splitters(pattern: &str) -> Vec<Splitter> {
    let all = PATHS.iter().map(|&allowed| Splitter::with_paths(pattern, allowed).unwrap());
    all.filter(|splitter| !matches!(splitter.path(), Path::Scalar { .. })).collect()
}

fn cuts(splitter: &Splitter, text: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let each = |base: usize, ends: &[u32]| {
        found.extend(ends.iter().map(|&end| base + end as usize));
        ControlFlow::Continue(())
    };
    splitter.cuts(text, each).unwrap();
    found
}

fn assert_same(splitters: &[Splitter], text: &[u8]) {
    let Some(first) = splitters.first() else { return };
    let expected: Vec<usize> = pieces(first, text).iter().map(|&(_, end)| end).collect();
    for splitter in splitters {
        let found = cuts(splitter, text);
        if found != expected {
            let at = found.iter().zip(&expected).take_while(|(a, b)| a == b).count();
            let from = at.checked_sub(3).map_or(0, |before| expected[before]);
            let excerpt = String::from_utf8_lossy(&text[from..text.len().min(from + 60)]).into_owned();
            panic!(
                "{:?} {}: {:?}, not {:?}, of {} bytes, from {from} on {excerpt:?}",
                splitter.pattern(),
                splitter.path(),
                &found[at..found.len().min(at + 3)],
                &expected[at..expected.len().min(at + 3)],
                text.len(),
            );
        }
    }
}

#[test]
fn the_paths_that_run_here() {
    for (name, pattern) in PRESETS {
        let here: Vec<String> = splitters(pattern).iter().map(|splitter| splitter.path().to_string()).collect();
        let default = Splitter::new(pattern).unwrap().path();
        // Not captured: the run itself should say so.
        writeln!(std::io::stderr(), "{name}: {here:?} beside the scalar path; by default {default}").unwrap();
        assert!(name != "digits3r" || here.is_empty());
    }
    for without in [Splitter::whole(), Splitter::white_space(), Splitter::new(r"(a)\1").unwrap()] {
        assert!(matches!(without.path(), Path::Scalar { .. }));
    }
}

#[test]
fn every_code_point_in_context() {
    let contexts = [
        ("", ""),
        (" ", " "),
        ("a", "b"),
        ("1", "2"),
        ("'", "s"),
        ("\n", "\n"),
        ("é", "中"),
        ("!", "?"),
        ("a'", "e a"),
    ];
    for (_, pattern) in PRESETS {
        let splitters = splitters(pattern);
        for (before, after) in contexts {
            let mut text = String::new();
            for c in (0..=0x10_FFFF).filter_map(char::from_u32) {
                text.push_str(before);
                text.push(c);
                text.push_str(after);
            }
            assert_same(&splitters, text.as_bytes());
        }
    }
}

/// Texts of few characters, moved through all places of a block and of a stretch, short and long.
#[test]
fn every_offset_of_a_block() {
    let parts = [
        "a b",
        "don't",
        " 'll",
        "x\n\n  y",
        "12345 6",
        "é",
        "日本語",
        "\u{301}",
        "🙂🙂",
        "  ",
        "\r\n",
        "They're, we've",
        "'",
        "/",
        "\u{2019}s",
    ];
    let mut random = Random(7);
    for (_, pattern) in PRESETS {
        let splitters = splitters(pattern);
        for offset in 0..64 {
            for filler in ["a", " ", "é", "1", "x "] {
                for length in [0, 1, 20, 64, 130, 1000, 1090] {
                    let mut text = filler.repeat(length);
                    while text.len() % 64 != offset {
                        text.push('b');
                    }
                    for _ in 0..5 {
                        text.push_str(parts[random.below(parts.len())]);
                    }
                    assert_same(&splitters, text.as_bytes());
                }
            }
        }
    }
}

/// Short texts, those of a block, and those for which a longer buffer is taken.
#[test]
fn every_length() {
    let mut random = Random(8);
    for (_, pattern) in PRESETS {
        let splitters = splitters(pattern);
        for length in (0..200).chain(250..265).chain(1020..1030) {
            for _ in 0..30 {
                let few: Vec<&[u8]> = (0..=random.below(4)).map(|_| PARTS[random.below(PARTS.len())]).collect();
                let mut text = Vec::new();
                while text.len() < length {
                    text.extend_from_slice(few[random.below(few.len())]);
                }
                text.truncate(length);
                assert_same(&splitters, &text);
            }
        }
    }
}

/// Patterns as users write them, none of which is known beforehand.
const UNSEEN: [&str; 16] = [
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,2}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,4}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s+(?!\S)|\s",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}{1,2}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"[!-/:-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"\S+|\s+",
    r" ?\S+|\s+",
    r"\w+|[^\w\s]+|\s+",
    r"\p{L}+|\p{N}+|[^\s\p{L}\p{N}]+|\s+",
    r" ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+",
    r"[A-Z]?[a-z]+|[A-Z]+|[0-9]{1,3}|\s+|.",
    r"\n|[^\n]+",
    r" ?\p{Han}| ?[\p{L}--\p{Han}]+| ?\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+",
    r"[\p{Han}\p{Hiragana}\p{Katakana}]+|\p{N}{1,3}|\p{L}+|\s+|.",
    r"<\|[a-z_]+\|>| ?\p{L}+| ?\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"(?s:.)",
];

#[test]
fn unseen_patterns_get_the_same_paths() {
    let here = splitters(PRESETS[0].1).len();
    let mut random = Random(9);
    for pattern in UNSEEN {
        let splitters = splitters(pattern);
        assert_eq!(splitters.len(), here, "{pattern}: {}", Splitter::new(pattern).unwrap().path());
        for _ in 0..300 {
            let few: Vec<&[u8]> = (0..=random.below(6)).map(|_| PARTS[random.below(PARTS.len())]).collect();
            let text: Vec<&[u8]> = (0..random.below(120)).map(|_| few[random.below(few.len())]).collect();
            assert_same(&splitters, &text.concat());
        }
    }
}

/// A pattern that cannot have tables says why.
#[test]
fn a_slower_path_has_a_reason() {
    if splitters(PRESETS[0].1).is_empty() {
        return;
    }
    for (pattern, why) in [
        (r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))|\P{N}+", "a look-ahead reads more than one character"),
        (r".{1,8}", "four characters seldom settle a boundary"),
        (r"a{1,50}c|a", "boundaries depend on too much text"),
        (r"(?<=a)b|a", "look-behind"),
    ] {
        let path = Splitter::new(pattern).unwrap().path();
        assert!(matches!(&path, Path::Scalar { reason } if reason.contains(why)), "{pattern}: {path}");
    }
}

#[test]
fn random_texts() {
    let mut random = Random(11);
    for (_, pattern) in PRESETS {
        let splitters = splitters(pattern);
        for round in 0..6_000 {
            let few: Vec<&[u8]> = (0..=random.below(8)).map(|_| PARTS[random.below(PARTS.len())]).collect();
            let length = if round % 20 == 0 { random.below(3000) } else { random.below(200) };
            let mut text = Vec::new();
            while text.len() < length {
                let part =
                    if random.below(12) == 0 { PARTS[random.below(PARTS.len())] } else { few[random.below(few.len())] };
                for _ in 0..if random.below(10) == 0 { random.below(90) } else { 1 } {
                    text.extend_from_slice(part);
                }
            }
            assert_same(&splitters, &text);
        }
    }
}

#[test]
fn an_early_end() {
    for splitter in splitters(PRESETS[0].1) {
        for stop in 1..4 {
            let mut calls = 0;
            let each = |_: usize, _: &[u32]| {
                calls += 1;
                if calls == stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            splitter.cuts("some words ".repeat(1000).as_bytes(), each).unwrap();
            assert_eq!(calls, stop);
        }
    }
}

proptest! {
    #![proptest_config(config(1_500))]

    #[test]
    fn random_patterns(
        pattern in patterns(),
        seed in any::<u64>(),
    ) {
        let splitters = splitters(&pattern);
        let mut random = Random(seed | 1);
        for _ in 0..20 {
            let few: Vec<&[u8]> = (0..=random.below(5)).map(|_| PARTS[random.below(PARTS.len())]).collect();
            let length = random.below(300);
            let mut text = Vec::new();
            while text.len() < length {
                text.extend_from_slice(few[random.below(few.len())]);
            }
            assert_same(&splitters, &text);
        }
    }
}

/// The tests above must not be about nothing: most random patterns get tables where the processor has the instructions.
#[test]
fn most_patterns_have_tables() {
    if splitters(PRESETS[0].1).is_empty() {
        return;
    }
    let mut random = Random(3);
    let served = (0..300)
        .filter(|_| {
            let parts: Vec<&str> = (0..=random.below(4)).map(|_| PIECES[random.below(PIECES.len())]).collect();
            !splitters(&parts.join("|")).is_empty()
        })
        .count();
    assert!(served > 150, "{served} of 300");
}
