//! Training on published figures and reported cases.
#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;

use bytepair::count::Counts;
use bytepair::train::{Goal, Stopped, Ties, TrainOptions, Training, train};
use bytepair::vocabulary::MARK;
use bytepair::{Alphabet, EndOfWord, Error, SpecialToken, SpecialTokens, Splitter};

const GPT2: &str = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

fn of_texts(splitter: &Splitter, texts: &[&str]) -> Counts {
    let mut counts = Counts::default();
    for text in texts {
        counts.add_document(splitter, &SpecialTokens::default(), text.as_bytes()).unwrap();
    }
    counts
}

fn of_table(table: &[(&str, u64)]) -> Counts {
    let mut counts = Counts::default();
    for (pretoken, count) in table {
        counts.add(pretoken.as_bytes(), *count).unwrap();
    }
    counts
}

fn learn(counts: &Counts, options: &TrainOptions) -> Training {
    train(counts, options, |_, _| ControlFlow::Continue(())).unwrap()
}

fn merges(number: usize) -> TrainOptions {
    TrainOptions { goal: Goal::Merges(number), ..TrainOptions::default() }
}

fn tokens(number: usize) -> TrainOptions {
    TrainOptions { goal: Goal::Tokens(number), ..TrainOptions::default() }
}

/// A token as text: the end-of-word mark as `|`, what is no text in hexadecimal.
fn shown(training: &Training, id: u32) -> String {
    let content = training.vocabulary.content(id).unwrap();
    let content = content
        .iter()
        .map(|&byte| if byte == MARK && *training.vocabulary.alphabet() != Alphabet::Bytes { b'|' } else { byte });
    let content: Vec<u8> = content.collect();
    match std::str::from_utf8(&content) {
        Ok(text) => text.to_owned(),
        Err(_) => content.escape_ascii().to_string(),
    }
}

/// The merges as (left, right).
fn pairs(training: &Training) -> Vec<(String, String)> {
    training.merges.iter().map(|m| (shown(training, m.left), shown(training, m.right))).collect()
}

fn assert_pairs(training: &Training, expected: &[(&str, &str)]) {
    let expected: Vec<_> = expected.iter().map(|(left, right)| ((*left).to_owned(), (*right).to_owned())).collect();
    assert_eq!(pairs(training), expected);
}

fn characters(mark: &str, joined: bool) -> Alphabet {
    Alphabet::Characters { end_of_word: Some(EndOfWord { mark: mark.to_owned(), joined }) }
}

/// Alice as one stream: her first twelve merges with their counts, and what a larger vocabulary buys.
#[test]
fn alice_as_raw_bytes() {
    // The published figures are those of the text between two marker lines of its source.
    let alice = concat!(
        "*** START OF THE PROJECT GUTENBERG EBOOK 11 ***\n\n",
        include_str!("../../../testdata/texts/alice_body.txt"),
        "\n*** END OF THE PROJECT GUTENBERG EBOOK 11 ***\n"
    );
    assert_eq!(alice.len(), 151_191);
    let counts = of_texts(&Splitter::whole(), &[alice]);
    let options = TrainOptions { ties: Ties::First, ..tokens(4096) };
    let training = learn(&counts, &options);
    let first: Vec<(String, String, u64)> =
        training.merges[..12].iter().map(|m| (shown(&training, m.left), shown(&training, m.right), m.count)).collect();
    let expected = [
        ("e", " ", 4433),
        (" ", "t", 3302),
        ("\\xe2", "\\x80", 3247),
        (" ", "a", 2335),
        (" t", "h", 2253),
        ("i", "n", 2011),
        ("t", " ", 1904),
        ("e", "r", 1813),
        ("d", " ", 1703),
        ("o", "u", 1554),
        (" ", "s", 1467),
        (" th", "e ", 1270),
    ];
    assert_eq!(first, expected.map(|(left, right, count)| (left.to_owned(), right.to_owned(), count)));
    for (size, expected) in [(512, "2.215"), (1024, "3.002"), (2048, "3.847"), (4096, "4.916")] {
        let fired: u64 = training.merges[..size - 256].iter().map(|m| m.fired).sum();
        #[allow(clippy::cast_precision_loss)] // both are below 2^53
        let bytes_per_token = alice.len() as f64 / (alice.len() as u64 - fired) as f64;
        assert_eq!(format!("{bytes_per_token:.3}"), expected, "{size} tokens");
    }
}

#[test]
fn a_changed_text_gives_other_figures() {
    let alice = include_str!("../../../testdata/texts/alice_body.txt").replacen("the ", "the", 1);
    let training = learn(&of_texts(&Splitter::whole(), &[&alice]), &TrainOptions { ties: Ties::First, ..merges(1) });
    assert_eq!(training.merges[0].count, 4432);
}

#[test]
fn mini_corpus_with_a_pattern() {
    let text = "the cat sat on the mat. the cat ate the rat. then the rat ran to the hat.";
    let splitter = Splitter::new(r" ?[A-Za-z]+| ?[0-9]| ?[^\sA-Za-z0-9]+|\s+").unwrap();
    let training = learn(&of_texts(&splitter, &[text]), &TrainOptions { ties: Ties::First, ..merges(10) });
    let mut left = text.len() as u64;
    let seen: Vec<(String, String, u64, u64)> = training
        .merges
        .iter()
        .map(|m| {
            left -= m.fired;
            (shown(&training, m.left), shown(&training, m.right), m.count, left)
        })
        .collect();
    let expected = [
        ("a", "t", 8, 65),
        ("t", "h", 7, 58),
        ("th", "e", 7, 51),
        (" ", "the", 6, 45),
        (" ", "r", 3, 42),
        (" ", "c", 2, 40),
        (" c", "at", 2, 38),
        (" r", "at", 2, 36),
        (" ", "s", 1, 35),
        (" s", "at", 1, 34),
    ];
    assert_eq!(seen, expected.map(|(l, r, count, left)| (l.to_owned(), r.to_owned(), count, left)));
}

const TOY: &str = "low low low low low lower lower newest newest newest newest newest newest widest widest widest";

/// The toy corpus of Sennrich et al. (2016), as subword-nmt 0.2 learns it.
#[test]
fn the_mark_joined_to_the_last_character() {
    let options = TrainOptions {
        alphabet: characters("</w>", true),
        goal: Goal::Merges(10),
        ties: Ties::Greatest,
        min_count: 2,
        ..TrainOptions::default()
    };
    let training = learn(&of_texts(&Splitter::white_space(), &[TOY]), &options);
    let expected = [
        ("s", "t|"),
        ("e", "st|"),
        ("l", "o"),
        ("w", "est|"),
        ("n", "e"),
        ("ne", "west|"),
        ("lo", "w|"),
        ("w", "i"),
        ("wi", "d"),
        ("wid", "est|"),
    ];
    assert_pairs(&training, &expected);
    // The base symbols: by character, without the mark first; a word may end in any of them.
    let base: Vec<String> = (0..20).map(|id| shown(&training, id)).collect();
    let doubled: Vec<String> = "deilnorstw".chars().flat_map(|c| [c.to_string(), format!("{c}|")]).collect();
    assert_eq!(base, doubled);
}

#[test]
fn the_mark_as_a_symbol_of_its_own() {
    let options = TrainOptions { alphabet: characters("<w>", false), ..merges(6) };
    let training = learn(&of_texts(&Splitter::white_space(), &["the the\tthe\nthen dogs dog th"]), &options);
    // `t h` 5 times, `th e` 4 times, `the |` 3 times, then pairs of 2: the lowest ids first (the mark has id 0).
    let expected = [("t", "h"), ("th", "e"), ("the", "|"), ("d", "o"), ("do", "g"), ("n", "|")];
    assert_pairs(&training, &expected);
    assert_eq!(shown(&training, 0), "|");
    assert_eq!(training.merges.iter().map(|m| m.count).collect::<Vec<_>>(), [5, 4, 3, 2, 2, 1]);
}

/// The letters of the mark in a text are not the mark, though `greatest` compares them as they are written.
#[test]
fn a_mark_is_never_found_in_the_text() {
    let options = TrainOptions { alphabet: characters("w", true), ties: Ties::Greatest, ..TrainOptions::default() };
    let training = learn(&of_table(&[("aw", 1), ("a", 1), ("ba", 1)]), &options);
    assert_pairs(&training, &[("b", "a|"), ("a", "w|")]);
    let base: Vec<String> = (0..6).map(|id| shown(&training, id)).collect();
    assert_eq!(base, ["a", "a|", "b", "b|", "w", "w|"]);
}

#[test]
fn counts_beyond_32_bits_do_not_wrap() {
    let training = learn(&of_table(&[("the", 3_000_000_000), ("xy", 5)]), &merges(3));
    assert_pairs(&training, &[("h", "e"), ("t", "he"), ("x", "y")]);
    assert_eq!(training.merges[0].count, 3_000_000_000);
    let training = learn(&of_table(&[("aaa", u64::MAX / 3)]), &merges(1));
    assert_eq!((training.merges[0].count, training.merges[0].fired), (u64::MAX / 3 * 2, u64::MAX / 3));
}

#[test]
fn counts_up_to_the_highest_number_do_not_wrap() {
    // Three in four of all numbers of 64 bits: no count is kept in fewer.
    let quarter = u64::MAX / 4;
    let training = learn(&of_table(&[("aaaa", quarter)]), &merges(9));
    let numbers: Vec<_> = training.merges.iter().map(|merge| (merge.count, merge.fired)).collect();
    assert_eq!(numbers, [(3 * quarter, 2 * quarter), (quarter, quarter)]);
    let options = TrainOptions { min_count: u64::MAX, ..merges(9) };
    let training = learn(&of_table(&[("aaaa", quarter)]), &options);
    assert_eq!((training.merges.len(), training.stopped), (0, Stopped::MinCount));
}

#[test]
fn too_little_text_stops_early() {
    let training = learn(&of_texts(&Splitter::whole(), &[""]), &tokens(260));
    assert_eq!((training.merges.len(), training.stopped), (0, Stopped::NoPairs));
    let training = learn(&of_texts(&Splitter::whole(), &["   "]), &tokens(260));
    assert_pairs(&training, &[(" ", " "), ("  ", " ")]);
    let training = learn(&of_texts(&Splitter::whole(), &["ab"]), &tokens(300));
    assert_pairs(&training, &[("a", "b")]);
    assert_eq!((training.vocabulary.n_vocab(), training.stopped), (257, Stopped::NoPairs));
    let training = learn(&of_texts(&Splitter::whole(), &["aaaa"]), &merges(3));
    assert_pairs(&training, &[("a", "a"), ("aa", "aa")]);
    assert_eq!((training.merges[0].count, training.merges[0].fired), (3, 2));
}

#[test]
fn ties_depend_on_the_tokens_not_on_where_they_stand() {
    for text in ["bbbaaaddddcccc", "ccccddddaaabbb"] {
        let training = learn(&of_texts(&Splitter::whole(), &[text]), &merges(4));
        assert_pairs(&training, &[("c", "c"), ("d", "d"), ("a", "a"), ("b", "b")]);
    }
}

#[test]
fn a_space_is_low_as_a_byte_and_high_in_hugging_faces_alphabet() {
    let counts = of_texts(&Splitter::new(GPT2).unwrap(), &["q ab q ab"]);
    for (ties, expected) in [
        (Ties::Lowest, (" ", "a")),
        (Ties::HuggingFace, ("a", "b")),
        (Ties::First, (" ", "a")),
        (Ties::Greatest, ("a", "b")),
    ] {
        assert_pairs(&learn(&counts, &TrainOptions { ties, ..merges(1) }), &[expected]);
    }
}

#[test]
fn the_best_count_below_the_least_stops() {
    let options = TrainOptions { min_count: 2, ..merges(10) };
    let training = learn(&of_table(&[("ab", 2), ("ac", 1)]), &options);
    assert_pairs(&training, &[("a", "b")]);
    assert_eq!(training.stopped, Stopped::MinCount);
    // Nothing is left, so the least count is not what stopped it.
    assert_eq!(learn(&of_table(&[("ab", 2)]), &options).stopped, Stopped::NoPairs);
}

#[test]
fn no_token_is_longer_than_asked() {
    for max in 0..5 {
        let options = TrainOptions { max_token_bytes: Some(max), ..TrainOptions::default() };
        let training = learn(&of_table(&[("abcdefgh", 3), ("bcdex", 2)]), &options);
        let longest = training.vocabulary.content(training.merges.last().map_or(0, |m| m.id)).unwrap().len();
        assert!(training.merges.iter().all(|m| training.vocabulary.content(m.id).unwrap().len() <= max));
        assert_eq!((longest > 1, training.stopped), (max >= 2, Stopped::NoPairs));
    }
    // The mark is one byte of the content.
    let options =
        TrainOptions { alphabet: characters("</w>", false), max_token_bytes: Some(3), ..TrainOptions::default() };
    assert_pairs(&learn(&of_table(&[("éa", 1)]), &options), &[("a", "|")]);
}

#[test]
fn a_goal_below_the_alphabet_names_both_numbers() {
    let refused =
        |counts: &Counts, options: &TrainOptions| match train(counts, options, |_, _| ControlFlow::Continue(())) {
            Err(Error::Training(report)) => report.message,
            other => format!("{other:?}"),
        };
    let message = refused(&of_table(&[("ab", 1)]), &tokens(100));
    assert!(message.contains(" 100 ") && message.contains("256"), "{message}");
    let options = TrainOptions { alphabet: Alphabet::Characters { end_of_word: None }, ..tokens(5) };
    let message = refused(&of_table(&[("abcdefg", 1)]), &options);
    assert!(message.contains(" 5 ") && message.contains(" has 7"), "{message}");
    assert_eq!(learn(&of_table(&[("ab", 1)]), &tokens(256)).stopped, Stopped::Goal);
}

#[test]
fn special_tokens_in_the_text_are_boundaries() {
    let end = "<|endoftext|>".to_owned();
    let specials =
        SpecialTokens::new(vec![SpecialToken { content: end, id: 256, special: true, ..SpecialToken::default() }])
            .unwrap();
    let mut counts = Counts::default();
    counts.add_document(&Splitter::whole(), &specials, b"ab<|endoftext|>ab").unwrap();
    let training = learn(&counts, &merges(10));
    assert_pairs(&training, &[("a", "b")]);
    assert_eq!(training.merges[0].count, 2);
}

#[test]
fn a_break_interrupts() {
    let counts = of_table(&[("abcdefgh", 3)]);
    let mut seen = 0;
    let stopped = train(&counts, &TrainOptions::default(), |rank, _| {
        assert_eq!(rank, seen);
        seen += 1;
        if seen == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(stopped.err(), Some(Error::Interrupted));
    assert_eq!(seen, 3);
}

/// One pretoken of any length costs O(1) a site: tokens double until one is left.
#[test]
fn one_huge_run() {
    for (length, expected) in [(1 << 20, 20), ((1 << 20) + 1, 21)] {
        let mut counts = Counts::default();
        counts.add(&vec![b'a'; length], 7).unwrap();
        let training = learn(&counts, &TrainOptions::default());
        assert_eq!(training.merges.len(), expected);
        assert_eq!(training.merges.iter().map(|m| m.fired).sum::<u64>(), 7 * (length as u64 - 1));
    }
}
