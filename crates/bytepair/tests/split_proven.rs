//! Where a text may be taken apart, and what of an unfinished one is settled: every claim against the split of the whole.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test's way to fail

mod split_oracle;

use std::ops::ControlFlow;

use bytepair::split::{
    Splitter,
    presets::{self, PRESETS},
};
use proptest::prelude::*;
use split_oracle::{PARTS, Random, config, patterns, pieces};

/// The boundaries by `cuts`, which must be those of `split` where nothing is dropped.
fn ends(splitter: &Splitter, text: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let each = |base: usize, ends: &[u32]| {
        found.extend(ends.iter().map(|&end| base + end as usize));
        ControlFlow::Continue(())
    };
    splitter.cuts(text, each).unwrap();
    found
}

/// Checks the claim about each position; gives how many are claimed.
fn check(splitter: &Splitter, text: &[u8]) -> usize {
    let (whole, whole_pieces) = (ends(splitter, text), pieces(splitter, text));
    let mut claimed = 0;
    for at in 0..=text.len() {
        let Some(cut) = splitter.cut_near(text, at, 0) else { continue };
        assert_eq!(cut, at);
        claimed += 1;
        let (left, right) = text.split_at(at);
        let shown = || (splitter.pattern(), String::from_utf8_lossy(left), String::from_utf8_lossy(right));
        let apart: Vec<usize> =
            ends(splitter, left).into_iter().chain(ends(splitter, right).iter().map(|end| end + at)).collect();
        assert_eq!(apart, whole, "{:?}", shown());
        let right = pieces(splitter, right).into_iter().map(|(start, end)| (start + at, end + at));
        let apart: Vec<_> = pieces(splitter, left).into_iter().chain(right).collect();
        assert_eq!(apart, whole_pieces, "{:?}", shown());
    }
    claimed
}

/// Checks what is settled of the beginnings of a text; gives the most.
fn check_settled(splitter: &Splitter, text: &[u8]) -> usize {
    let whole = ends(splitter, text);
    let mut most = 0;
    for known in 0..=text.len() {
        let settled = splitter.settled(&text[..known]);
        assert!(settled < known.max(1));
        let so_far: Vec<usize> = whole.iter().copied().filter(|&end| end <= settled).collect();
        assert!(
            settled == 0 || so_far.last() == Some(&settled),
            "{:?} {known} {settled}",
            String::from_utf8_lossy(text)
        );
        assert_eq!(ends(splitter, &text[..settled]), so_far, "{:?} {known}", String::from_utf8_lossy(text));
        most = most.max(settled);
    }
    most
}

fn random_text(random: &mut Random, longest: usize) -> Vec<u8> {
    let few: Vec<&[u8]> = (0..=random.below(7)).map(|_| *random.pick(PARTS)).collect();
    let length = random.below(longest);
    let mut text = Vec::new();
    while text.len() < length {
        let part = if random.below(12) == 0 { random.pick::<&[u8]>(PARTS) } else { random.pick::<&[u8]>(&few) };
        text.extend_from_slice(part);
    }
    text
}

fn splitters() -> Vec<(&'static str, Splitter)> {
    let presets = PRESETS.iter().filter(|(name, _)| *name != "digits3r");
    let presets = presets.map(|&(name, pattern)| (name, Splitter::new(pattern).unwrap()));
    presets.chain([("white space", Splitter::white_space())]).collect()
}

#[test]
fn both_parts_of_random_texts_are_cut_as_the_whole() {
    let mut random = Random(5);
    for (name, splitter) in splitters() {
        let claimed: usize = (0..1500).map(|_| check(&splitter, &random_text(&mut random, 40))).sum();
        assert!(claimed > 1000, "{name}: {claimed}");
    }
}

#[test]
fn what_is_settled_stays_so() {
    let mut random = Random(6);
    for (name, splitter) in splitters() {
        let most: usize = (0..800).map(|_| check_settled(&splitter, &random_text(&mut random, 40))).sum();
        assert!(most > 4000, "{name}: {most}");
    }
}

/// What may follow a text is anything: each end of some texts, with every part after it, and every two.
#[test]
fn what_is_settled_stays_so_whatever_follows() {
    let starts: [&[u8]; 10] = [
        b"a",
        b"a b",
        b"a  ",
        b"don't",
        b"x'l",
        b"12 345",
        b"a\n\n",
        b"!\n",
        "é\u{301}".as_bytes(),
        "中文 \u{3000}".as_bytes(),
    ];
    for (_, splitter) in splitters() {
        for start in starts {
            for one in PARTS {
                for two in PARTS {
                    check_settled(&splitter, &[start, one, two].concat());
                }
            }
        }
    }
}

/// A text can be taken apart nearly anywhere, and nearly all of what has come in is settled.
#[test]
fn ordinary_text_has_proven_positions_everywhere() {
    let text = "The old ferry, she said, hadn't crossed since 1987;\n\n    it was 12:45. Старый паром не ходил. 渡船已经很多年没有过河了。\n";
    for (name, splitter) in splitters() {
        let text = text.repeat(3);
        for at in (1..text.len()).step_by(7) {
            assert!(splitter.cut_near(text.as_bytes(), at, 60).is_some(), "{name} {at}");
            let settled = splitter.settled(&text.as_bytes()[..at]);
            assert!(at < 12 || settled + 60 > at, "{name} {at} {settled}");
        }
    }
}

#[test]
fn nothing_is_proven_where_nothing_can_be() {
    for without in [Splitter::whole(), Splitter::new(r"(a)\1|b").unwrap(), Splitter::new(r"\Aa|b+").unwrap()] {
        assert_eq!(without.cut_near(b"aab bba", 3, 9), None);
        assert_eq!(without.settled(b"aab bba"), 0);
    }
    // Digits in threes are counted from the start of the run.
    let llama = Splitter::new(presets::LLAMA3).unwrap();
    assert_eq!(llama.cut_near(&[b'7'; 3000], 1500, 1400), None);
    for (_, splitter) in splitters() {
        for text in [&b""[..], b"a", b"\xe4", &[b'a'; 3000], &[b' '; 3000]] {
            assert_eq!(splitter.cut_near(text, text.len() / 2, text.len()), None);
            assert_eq!(splitter.cut_near(text, usize::MAX, usize::MAX), None);
            assert_eq!(splitter.settled(text), 0);
        }
    }
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn random_patterns(
        pattern in patterns(),
        seed in any::<u64>(),
    ) {
        let splitter = Splitter::new(&pattern).unwrap();
        let mut random = Random(seed | 1);
        for _ in 0..20 {
            let text = random_text(&mut random, 30);
            check(&splitter, &text);
            check_settled(&splitter, &text);
        }
    }
}
