//! The search against the plain way, and how much it reads.
#![allow(clippy::unwrap_used)] // a test's way to fail

use std::cell::Cell;
use std::collections::HashSet;

use proptest::prelude::*;

use super::cuts::Cuts;
use super::finder::{Finder, Found};
use super::round::Round;
use super::{Allowed, SpecialToken, SpecialTokens};

fn tokens(texts: &[String]) -> Vec<SpecialToken> {
    let token =
        |(content, id): (&String, u32)| SpecialToken { content: content.clone(), id, ..SpecialToken::default() };
    texts.iter().zip(0..).map(token).collect()
}

fn round(tokens: &[SpecialToken]) -> Round {
    Round::new(tokens, false, str::to_owned).unwrap()
}

/// The first accepted token in a part of a text: of those that start first, the longest.
fn plain(
    tokens: &[SpecialToken],
    text: &[u8],
    from: usize,
    until: usize,
    accept: impl Fn(usize) -> bool,
) -> Option<Found> {
    (from..until.min(text.len())).find_map(|start| {
        let here = |&token: &usize| accept(token) && text[start..].starts_with(tokens[token].content.as_bytes());
        let longest = (0..tokens.len()).filter(here).max_by_key(|&token| tokens[token].content.len());
        longest.map(|token| Found { start, end: start + tokens[token].content.len(), token })
    })
}

/// Texts that begin, end and hold each other.
fn contents() -> impl Strategy<Value = Vec<String>> {
    let text =
        proptest::string::string_regex("[ab]{1,4}|a{1,9}b?|(ab){1,6}|c[ab]{0,9}|(aab){2,5}|a{60}b|(ab){200,300}")
            .unwrap();
    proptest::collection::hash_set(text, 0..9).prop_map(|texts| texts.into_iter().collect())
}

/// A text that repeats itself, now and then as often as a block is long.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let unit = proptest::sample::select(vec!["a", "ab", "b", "aab", "c", "ca", "abababb", "é"]);
    let times = prop_oneof![8 => 1usize..5, 1 => 5usize..90, 1 => 500usize..1_500];
    proptest::collection::vec((unit, times), 0..9)
        .prop_map(|runs| runs.into_iter().map(|(unit, times)| unit.repeat(times)).collect::<String>().into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Whatever is asked for, in any order, and whichever automaton reads.
    #[test]
    fn searching_is_looking_everywhere(
        texts in contents(),
        text in text(),
        some in any::<u16>(),
        asked in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<bool>()), 1..9),
    ) {
        let tokens = tokens(&texts);
        let round = round(&tokens);
        for accept in [|_: usize, _: u16| true, |token: usize, some: u16| some >> token & 1 == 1] {
            let accept = |token: usize| accept(token, some);
            let mut finder = Finder::new(&round, &text);
            for (from, until, backwards) in &asked {
                let (from, until) = (from.index(text.len() + 1), until.index(text.len() + 2));
                finder.read = if *backwards { usize::MAX / 2 } else { 0 };
                prop_assert_eq!(finder.find(from, until, accept), plain(&tokens, &text, from, until, accept));
            }
        }
    }

    /// All that is found, one behind the other or at each place.
    #[test]
    fn searching_on_finds_all(texts in contents(), text in text(), some in any::<u16>(), step in any::<bool>()) {
        let tokens = tokens(&texts);
        let round = round(&tokens);
        let accept = |token: usize| some >> token & 1 == 1;
        let mut finder = Finder::new(&round, &text);
        let mut from = 0;
        while let Some(found) = plain(&tokens, &text, from, text.len(), accept) {
            prop_assert_eq!(finder.find(from, text.len(), accept), Some(found));
            from = if step { found.start + 1 } else { found.end };
        }
        prop_assert_eq!(finder.find(from, text.len(), accept), None);
        prop_assert!(finder.read <= most(&round, text.len()), "{} bytes read", finder.read);
    }
}

/// The most that may be read of a text of so many bytes.
fn most(round: &Round, bytes: usize) -> usize {
    10 * bytes + 4 * round.longest() + 10_000
}

/// Tokens, and a text of which the longest matches nearly everything.
fn near_misses(bytes: usize) -> Vec<(&'static str, Vec<String>, String)> {
    let run = |length| "a".repeat(length);
    let word = |number: usize| format!("<s_{number}>");
    vec![
        ("one that nearly matches", vec![run(5000) + "b"], run(bytes)),
        ("a beginning of it", vec![run(1), run(5000) + "b"], run(bytes)),
        (
            "the inside of it",
            vec![run(3), "b".to_owned() + &run(5000) + "c"],
            ("b".to_owned() + &run(4999)).repeat(bytes / 5000),
        ),
        ("beginnings of it", (1..300).map(run).chain([run(5000) + "b"]).collect(), run(bytes)),
        ("many that nearly match", "bcdefghij".chars().map(|last| run(5000) + &last.to_string()).collect(), run(bytes)),
        ("itself, overlapping", vec![run(5000)], run(bytes)),
        ("its period", vec!["ab".to_owned(), "ab".repeat(3000) + "c"], "ab".repeat(bytes / 2)),
        ("short ones", vec![run(1), run(100) + "b"], run(bytes)),
        ("as long as the text", vec![run(1), run(bytes) + "b"], run(bytes)),
        ("what everybody has", (0..50).map(word).collect(), "plain < text <s_ > <s_7> <s_43>".repeat(bytes / 32)),
    ]
}

/// However long a token is that nearly matches, a text is read a few times, and each token asked for once.
#[test]
fn what_is_read_grows_with_the_text() {
    for (name, texts, text) in [10_000, 80_000].into_iter().flat_map(near_misses) {
        let (tokens, text) = (tokens(&texts), text.into_bytes());
        let round = round(&tokens);
        for all in [true, false] {
            let asked = Cell::new(0);
            let accept = |token: usize| {
                asked.set(asked.get() + 1);
                all || token + 1 == tokens.len()
            };
            let mut finder = Finder::new(&round, &text);
            let (mut from, mut found) = (0, 0);
            while let Some(next) = finder.find(from, text.len(), accept) {
                (from, found) = (next.end, found + 1);
            }
            assert!(finder.read <= most(&round, text.len()), "{name}: {} bytes read of {}", finder.read, text.len());
            assert!(asked.get() <= 3 * (text.len() + tokens.len()), "{name}: {} asked", asked.get());
        }
    }
}

/// White space that tokens take is looked through for others, which must not read more.
#[test]
fn flags_read_no_more() {
    let token = |content: &str, id, lstrip, rstrip, single_word| SpecialToken {
        content: content.to_owned(),
        id,
        lstrip,
        rstrip,
        single_word,
        ..SpecialToken::default()
    };
    for bytes in [10_000, 80_000] {
        for (lstrip, rstrip, single_word) in (0..8).map(|flags| (flags & 1 > 0, flags & 2 > 0, flags & 4 > 0)) {
            let long = " ".repeat(3000) + "\n";
            for (short, unit) in
                [("<x>", "<x>   "), (" ", " "), ("\n", "\n "), ("x", "xx "), (" ", "  <x> "), ("<x>", " ")]
            {
                let tokens =
                    vec![token(short, 0, lstrip, rstrip, single_word), token(&long, 1, lstrip, rstrip, single_word)];
                let specials = SpecialTokens::new(tokens).unwrap();
                let text = unit.repeat(bytes / unit.len());
                let mut cuts: Cuts<'_, '_> = specials.raw_cuts(text.as_bytes(), Allowed::All);
                let end = cuts.by_ref().last().map(|cut| cut.end);
                assert_eq!(end, Some(text.len()));
                let read = cuts.finder.read;
                assert!(
                    read <= 3 * most(&specials.rounds[0], bytes),
                    "{short:?}, {unit:?}: {read} bytes read of {bytes}"
                );
            }
        }
    }
}

/// The other automaton is there only where it is needed.
#[test]
fn ordinary_texts_are_read_forwards() {
    let texts = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|im_sep|>", "  ", "   ", "    "].map(str::to_owned);
    let specials = SpecialTokens::new(tokens(&texts)).unwrap();
    let text = "<|im_start|>user<|im_sep|>def f(x):\n    return <|x|>\n<|im_end|>".repeat(1000);
    let some: HashSet<u32> = [1, 2].into();
    for (allowed, expected) in [(Allowed::All, 4000), (Allowed::Only(&some), 2000)] {
        let mut cuts = specials.raw_cuts(text.as_bytes(), allowed);
        assert_eq!(cuts.by_ref().filter(|cut| cut.token.is_some()).count(), expected);
        assert!(specials.rounds[0].backward.get().is_none(), "{} bytes read of {}", cuts.finder.read, text.len());
    }
}
