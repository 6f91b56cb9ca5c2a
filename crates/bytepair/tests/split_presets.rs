//! Every preset cuts exactly as fancy-regex cuts by the published string.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test's way to fail

mod split_oracle;

use bytepair::split::{Splitter, presets};
use fancy_regex::Regex;
use split_oracle::{Random, assert_same, is_automaton, pieces, pretokens, random_text};

fn compiled() -> Vec<(&'static str, Splitter, Regex)> {
    presets::PRESETS
        .iter()
        .map(|&(name, pattern)| (name, Splitter::new(pattern).unwrap(), Regex::new(pattern).unwrap()))
        .collect()
}

#[test]
fn every_preset_is_an_automaton() {
    for (name, splitter, _) in compiled() {
        assert!(is_automaton(&splitter), "{name}: {:?}", splitter.engine());
    }
}

/// Compares every preset on one text of all code points for each context.
fn all_code_points(contexts: &[&str]) {
    let separators = [" ", "x", "\n", "7", "!", ""];
    for (index, context) in contexts.iter().enumerate() {
        let separator = separators[index % separators.len()];
        let text: String =
            ('\0'..=char::MAX).map(|c| context.replace('@', c.encode_utf8(&mut [0; 4])) + separator).collect();
        for (_, splitter, regex) in compiled() {
            assert_same(&splitter, &regex, &text);
        }
    }
}

#[test]
fn every_code_point_in_context() {
    all_code_points(&["@", " @", "a@a", "'@", "1@", "\n@"]);
}

#[test]
#[ignore = "soak: three minutes"]
fn every_code_point_in_more_contexts() {
    all_code_points(&[
        "@1", "'@e", "A@", " @ ", "@@", "@\n", "@'s", " \n@", "!@", "@/", "\u{301}@", "中@", "@a", "\r@", "  @", "@'",
    ]);
}

#[test]
fn every_code_point_at_the_edges_of_a_text() {
    for (_, splitter, regex) in compiled() {
        for c in ('\0'..='\u{30ff}').chain('\u{a000}'..='\u{abff}').chain('\u{f900}'..='\u{1ffff}') {
            for text in [format!("{c}"), format!("a {c}"), format!("\n{c}{c}")] {
                assert_same(&splitter, &regex, &text);
            }
        }
    }
}

#[test]
fn random_strings() {
    let mut random = Random(7);
    for (_, splitter, regex) in compiled() {
        for _ in 0..100_000 {
            assert_same(&splitter, &regex, &random_text(&mut random, 24));
        }
    }
}

#[test]
fn the_named_alternative_is_the_first_that_matches() {
    let mut random = Random(11);
    for (name, splitter, _) in compiled() {
        let alternatives: Vec<Regex> =
            splitter.alternatives().iter().map(|a| Regex::new(&format!(r"\G(?:{a})")).unwrap()).collect();
        assert!(alternatives.len() > 5, "{name}");
        for _ in 0..500 {
            let text = random_text(&mut random, 30);
            for p in pretokens(&splitter, text.as_bytes()) {
                let first = alternatives
                    .iter()
                    .enumerate()
                    .find_map(|(i, a)| Some((i, a.find_from_pos(&text, p.start).unwrap()?.end())));
                assert_eq!(first, p.alternative.map(|i| (usize::from(i), p.end)), "{name} {text:?}");
            }
        }
    }
}

/// tiktoken has two spellings of GPT-2's pattern, which cut alike, and two of `cl100k`'s, which differ where a text ends in
/// white space: the new one takes all of it (`\s++$`), the old one ends a pretoken at the last newline.
#[test]
fn old_and_new_spellings_of_a_pattern() {
    let old = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
    let mut random = Random(5);
    for (new, old, at_the_end) in [(presets::GPT2, old, true), (presets::CL100K, presets::LLAMA3, false)] {
        let (new, old) = (Splitter::new(new).unwrap(), Regex::new(old).unwrap());
        for _ in 0..50_000 {
            let text = random_text(&mut random, 16);
            if at_the_end || !text.ends_with(char::is_whitespace) {
                assert_same(&new, &old, &text);
            }
        }
    }
    let last = |pattern| pieces(&Splitter::new(pattern).unwrap(), b"a \n ").last().copied();
    assert_eq!((last(presets::CL100K), last(presets::LLAMA3)), (Some((1, 4)), Some((3, 4))));
}

#[test]
fn digits_in_threes_from_the_right() {
    let splitter = Splitter::new(presets::DIGITS3R).unwrap();
    let regex = Regex::new(presets::DIGITS3R).unwrap();
    for length in 1..=40 {
        let digits: String = ('0'..='9').cycle().take(length).collect();
        for text in ["@", "a@", "@a", " @ ", "@.@", "x @\n@", "٣@"] {
            assert_same(&splitter, &regex, &text.replace('@', &digits));
        }
        let lengths: Vec<usize> = pretokens(&splitter, digits.as_bytes()).iter().map(|p| p.end - p.start).collect();
        let mut expected = vec![3; length / 3];
        if length % 3 > 0 {
            expected.insert(0, length % 3);
        }
        assert_eq!(lengths, expected);
    }
}
