//! The tables against the scalar automaton: exhaustive over short texts.
#![allow(clippy::unwrap_used, clippy::panic)] // a test's way to fail

use super::super::parse::parse;
use super::super::presets::PRESETS;
use super::super::scan::Scanner;
use super::*;

#[test]
fn show() {
    for (name, pattern) in PRESETS {
        let scanner = Scanner::new(&parse(pattern).unwrap()).unwrap();
        let begin = std::time::Instant::now();
        let Some((classes, automaton)) = scanner.tables() else { continue };
        let minimal = Minimal::new(automaton, classes.count()).unwrap();
        let t1 = begin.elapsed();
        let parses = Parses::new(&minimal).unwrap();
        let t2 = begin.elapsed();
        let (w, g) = plan::best(&minimal, &parses, classes).unwrap();
        println!("{name}: classes {} symbols {} configurations {} pairs {} cells {} trigger {} reach {} asks {} groups {g:?} {:?}", classes.count(), minimal.symbols, parses.count(), w.pairs, w.cells, w.trigger, w.reach, w.asks, (t1, t2, begin.elapsed()));
        let k = (w.pairs >> 4) as u8;
        let (mut asks, mut near, mut all) = (0, 0, 0);
        for a in 1..w.trigger.min(k) { for b in 1..w.trigger.min(k) { for c in 1..w.trigger.min(k) { for d in 1..w.trigger.min(k) {
            let v = w.verdict([a,b,c,d]);
            all += 1; if v & ASK != 0 { asks += 1; } if v & NEAR != 0 { near += 1; }
        }}}}
        println!("   windows without triggers: {all}, ask {asks}, near {near}");
    }
}
use super::windows::{ASK, NEAR};
