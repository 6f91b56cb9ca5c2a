//! Training on any text with any settings: the merges are those of a program that counts all pairs anew each time.
//!
//! Input: four bytes of settings (ties, number of merges, least count, longest token), then the text.

#![allow(clippy::expect_used, reason = "a test that cannot go on should stop")]

mod replay;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::ControlFlow;

use bytepair::count::Counts;
use bytepair::train::{Goal, Stopped, Ties, TrainOptions, train};
use bytepair::{Alphabet, SpecialTokens, Splitter};

const FRAGMENTS: &[&str] = &[
    "\0\u{20}\u{1}\0",
    "\u{1}\u{40}\u{1}\0",
    "\u{2}\u{10}\u{2}\u{4}",
    "\u{3}\u{10}\0\u{3}",
    "a",
    "b",
    "ab",
    "ba",
    "aa",
    "aaa",
    "abab",
    "abcabc",
    " the",
    " cat",
    "the",
    " ",
    "é",
    "漢字",
    "🌱",
    "\0",
    "0",
    "00",
];
const TIES: [Ties; 4] = [Ties::Lowest, Ties::First, Ties::HuggingFace, Ties::Greatest];

#[test]
fn training_equals_counting_anew() {
    replay::run("train", FRAGMENTS, check);
}

fn check(input: &[u8]) {
    let Some((settings, text)) = input.split_first_chunk::<4>() else { return };
    let options = TrainOptions {
        alphabet: Alphabet::Bytes,
        goal: Goal::Merges(usize::from(settings[1])),
        ties: TIES[usize::from(settings[0]) % TIES.len()],
        min_count: u64::from(settings[2] % 8),
        max_token_bytes: (settings[3] % 16 > 1).then_some(usize::from(settings[3] % 16)),
        whole_characters: false,
    };
    let splitter = Splitter::new(r" ?\p{L}+|\s+").expect("a valid pattern");
    let specials = SpecialTokens::new(Vec::new()).expect("no special tokens");
    let mut counts = Counts::default();
    counts.add_document(&splitter, &specials, text).expect("an automaton has no limit");
    let words: Vec<(Vec<u8>, u64)> = counts.iter().map(|(word, count)| (word.to_vec(), count)).collect();
    assert_eq!(words.iter().map(|(word, count)| word.len() as u64 * count).sum::<u64>(), text.len() as u64);

    let mut seen = Vec::new();
    let training = train(&counts, &options, |rank, merge| {
        assert_eq!(rank, seen.len());
        seen.push(*merge);
        ControlFlow::Continue(())
    })
    .expect("bytes can always be trained on");
    assert_eq!(training.merges, seen);
    let content = |id: u32| training.vocabulary.content(id).expect("a token").to_vec();
    let learned: Vec<_> = seen.iter().map(|m| (content(m.left), content(m.right), m.count, m.fired)).collect();
    let expected = counting_anew(&words, &options);
    assert_eq!(learned, expected, "{options:?} on {words:?}");
    assert_eq!(training.stopped == Stopped::Goal, learned.len() == usize::from(settings[1]));
}

type Learned = (Vec<u8>, Vec<u8>, u64, u64);

/// A pair's count and where it first occurs: (pretoken, position).
struct Seen {
    count: u64,
    first: (usize, usize),
}

/// Byte-pair training as it is told: count all pairs, choose, replace, again.
fn counting_anew(words: &[(Vec<u8>, u64)], options: &TrainOptions) -> Vec<Learned> {
    let mut segments: Vec<Vec<Vec<u8>>> =
        words.iter().map(|(word, _)| word.iter().map(|&byte| vec![byte]).collect()).collect();
    let mut ids: HashMap<Vec<u8>, usize> = (0..=255_u8).map(|byte| (vec![byte], usize::from(byte))).collect();
    let mut learned = Vec::new();
    let Goal::Merges(wanted) = options.goal else { unreachable!("the target asks for merges") };
    while learned.len() < wanted {
        let mut pairs: HashMap<(Vec<u8>, Vec<u8>), Seen> = HashMap::new();
        for (index, symbols) in segments.iter().enumerate() {
            for (at, pair) in symbols.windows(2).enumerate() {
                let first = (index, at);
                pairs.entry((pair[0].clone(), pair[1].clone())).or_insert(Seen { count: 0, first }).count +=
                    words[index].1;
            }
        }
        let longest = options.max_token_bytes.unwrap_or(usize::MAX);
        pairs.retain(|(left, right), seen| {
            left.len() + right.len() <= longest && seen.count >= options.min_count.max(1)
        });
        let Some(((left, right), seen)) = choose(&pairs, &ids, options.ties) else { break };
        let joined = [left.as_slice(), right].concat();
        let mut fired = 0;
        for (symbols, (_, count)) in segments.iter_mut().zip(words) {
            fired += count * replace(symbols, left, right, &joined);
        }
        learned.push((left.clone(), right.clone(), seen.count, fired));
        let next = ids.len();
        ids.entry(joined).or_insert(next);
    }
    learned
}

type Pair<'a> = (&'a (Vec<u8>, Vec<u8>), &'a Seen);

fn choose<'a>(
    pairs: &'a HashMap<(Vec<u8>, Vec<u8>), Seen>,
    ids: &HashMap<Vec<u8>, usize>,
    ties: Ties,
) -> Option<Pair<'a>> {
    let id = |token: &Vec<u8>| ids[token];
    let alphabet = |token: &Vec<u8>| match token.as_slice() {
        [byte] => in_alphabet_order(*byte),
        _ => ids[token],
    };
    let pairs = pairs.iter();
    match ties {
        Ties::First => pairs.min_by_key(|(_, seen)| (Reverse(seen.count), seen.first)),
        Ties::HuggingFace => {
            pairs.min_by_key(|((left, right), seen)| (Reverse(seen.count), alphabet(left), alphabet(right)))
        }
        Ties::Greatest => pairs.max_by_key(|((left, right), seen)| (seen.count, left.clone(), right.clone())),
        _ => pairs.min_by_key(|((left, right), seen)| (Reverse(seen.count), id(left), id(right))),
    }
}

/// A byte's place in Hugging Face's alphabet: printable ones first, then the others.
fn in_alphabet_order(byte: u8) -> usize {
    let printable = |byte: &u8| matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
    let order = (0..=255_u8).filter(printable).chain((0..=255).filter(|byte| !printable(byte)));
    order.into_iter().position(|other| other == byte).expect("all bytes are listed")
}

/// Replaces the pair from left to right; how often.
fn replace(symbols: &mut Vec<Vec<u8>>, left: &[u8], right: &[u8], joined: &[u8]) -> u64 {
    let mut out: Vec<Vec<u8>> = Vec::new();
    let mut fired = 0;
    let mut at = 0;
    while at < symbols.len() {
        if at + 1 < symbols.len() && symbols[at] == left && symbols[at + 1] == right {
            out.push(joined.to_vec());
            fired += 1;
            at += 2;
        } else {
            out.push(symbols[at].clone());
            at += 1;
        }
    }
    *symbols = out;
    fired
}
