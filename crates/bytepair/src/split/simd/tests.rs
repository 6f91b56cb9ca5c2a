//! The tables against the scalar automaton: exhaustive over short texts.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // a test's way to fail, and to say what ran

use super::super::budget::Budget;
use super::super::parse::parse;
use super::super::presets::PRESETS;
use super::*;
use windows::{ASK, CUT, EDGE, NEAR};

/// Texts over these symbols are tried up to this many.
const TEXTS: usize = 3_000_000;

/// A pattern, its tables, and a character (or the invalid byte 0xFF) for each symbol that the automaton knows.
struct Subject {
    scanner: Scanner,
    tables: Tables,
    samples: Vec<Vec<u8>>,
}

/// `None` for a pattern whose look-aheads need the scalar path.
fn subject(pattern: &str) -> Option<Subject> {
    let mut budget = Budget::new();
    let scanner = Scanner::new(&parse(pattern, &mut budget).unwrap(), &mut budget).unwrap();
    let proofs = Proofs::new(&scanner).ok()?;
    let tables = Tables::new(&scanner, &proofs).ok()?;
    let (classes, _) = scanner.tables()?;
    let minimal = &proofs.minimal;
    let mut samples = vec![None; minimal.symbols];
    let mut offer = |text: &[u8]| {
        let (class, _) = classes.at(text, 0).unwrap();
        samples[minimal.symbol_of[usize::from(class)]].get_or_insert(text.to_vec());
    };
    for point in (0..=0x10_FFFF).filter_map(char::from_u32) {
        offer(point.encode_utf8(&mut [0; 4]).as_bytes());
    }
    offer(b"\xff");
    let samples = samples.into_iter().map(|sample| sample.unwrap()).collect();
    Some(Subject { scanner, tables, samples })
}

impl Subject {
    /// The true boundaries, as one flag for each symbol of a text and its end.
    fn boundaries(&self, text: &[usize]) -> Vec<bool> {
        let (mut bytes, mut places) = (Vec::new(), Vec::new());
        for &symbol in text {
            places.push(bytes.len());
            bytes.extend(&self.samples[symbol]);
        }
        places.push(bytes.len());
        let mut ends = vec![false; bytes.len() + 1];
        self.scanner.split(&bytes, |pretoken| {
            ends[pretoken.end] = true;
            ControlFlow::Continue(())
        });
        places.iter().map(|&place| ends[place]).collect()
    }

    fn group(&self, symbol: usize) -> u8 {
        self.tables.groups.at(&self.samples[symbol], 0).unwrap().0
    }

    /// Fails where a verdict differs from the truth; gives how many verdicts were certain.
    fn check(&self, text: &[usize]) -> usize {
        let truth = self.boundaries(text);
        let groups: Vec<u8> = text.iter().map(|&symbol| self.group(symbol)).collect();
        let at = |place: Option<usize>| place.and_then(|place| groups.get(place)).copied().unwrap_or(EDGE);
        let mut certain = 0;
        for place in 1..text.len() {
            let window = [at(place.checked_sub(2)), groups[place - 1], groups[place], at(Some(place + 1))];
            let windows = &self.tables.windows;
            let near = (3..=windows.reach).any(|distance| at(place.checked_sub(distance)) >= windows.trigger);
            let verdict = windows.verdict(window);
            if verdict & ASK == 0 && (verdict & NEAR == 0 || !near) {
                certain += 1;
                assert_eq!(verdict & CUT != 0, truth[place], "{:?} at {place}", self.show(text));
            }
        }
        certain
    }

    fn show(&self, text: &[usize]) -> String {
        text.iter().map(|&symbol| String::from_utf8_lossy(&self.samples[symbol])).collect()
    }

    /// Checks every text of up to so many of the symbols; gives how many there were.
    fn check_all(&self, symbols: &[usize], length: u32) -> usize {
        let mut certain = 0;
        let count = symbols.len();
        for length in 1..=length {
            for number in 0..count.pow(length) {
                let text: Vec<usize> = (0..length).map(|place| symbols[number / count.pow(place) % count]).collect();
                certain += self.check(&text);
            }
        }
        certain
    }
}

/// How long all texts of so many symbols may be.
fn longest(symbols: usize) -> u32 {
    (1..=8).take_while(|&length| symbols.pow(length) <= TEXTS).last().unwrap_or(1)
}

/// One symbol of each group.
fn one_of_each(subject: &Subject) -> Vec<usize> {
    let mut seen = Vec::new();
    (0..subject.samples.len())
        .filter(|&symbol| {
            let group = subject.group(symbol);
            let fresh = !seen.contains(&group);
            seen.push(group);
            fresh
        })
        .collect()
}

#[test]
fn every_verdict_is_the_truth_on_every_short_text() {
    for (name, pattern) in PRESETS {
        let Some(subject) = subject(pattern) else {
            assert_eq!(name, "digits3r");
            continue;
        };
        let all: Vec<usize> = (0..subject.samples.len()).collect();
        let each = one_of_each(&subject);
        for symbols in [&all, &each] {
            let length = longest(symbols.len());
            let certain = subject.check_all(symbols, length);
            println!("{name}: every text of up to {length} of {} symbols, {certain} certain verdicts", symbols.len());
            assert!(certain > 0);
        }
    }
}

/// The symbols that make patterns hard, in longer texts: a few at a time.
#[test]
fn every_verdict_is_the_truth_on_longer_texts_of_few_symbols() {
    for (_, pattern) in PRESETS {
        let Some(subject) = subject(pattern) else { continue };
        let count = subject.samples.len();
        for one in 0..count {
            for two in one + 1..count {
                subject.check_all(&[one, two], 9);
            }
        }
    }
}

/// The derivation gives up only what it must: hardly any window asks in text without digit runs and apostrophes.
#[test]
fn few_windows_ask() {
    for (name, pattern) in PRESETS {
        let Some(subject) = subject(pattern) else { continue };
        let windows = &subject.tables.windows;
        println!("{name}: tables of {} and {}, asks {:.4}", windows.pairs, windows.cells, windows.asks);
        assert!(windows.asks < 0.02, "{name}: {}", windows.asks);
    }
}
