//! The longest of many texts that begins at each place of another, found by reading that one backwards.
//!
//! Idea: Aho and Corasick's automaton over the texts spelled backwards. Its state is how the text goes on from here, as far
//! as one of the texts ends so. All of them that begin here begin the state, too, and of those only the longest matters: a
//! state needs no list. (The automata of the library have lists, which together may be as long as the square of the texts.)
//!
//! Invariant: states are numbered by length; those that one state leads to follow each other, in the order of their bytes.
//!
//! Cost: linear in the texts, once they are sorted, and 13 bytes of memory for each of their bytes; linear in what is read.

use std::iter;
use std::ops::Range;

/// No text.
const NONE: u32 = u32::MAX;

/// Where something begins, and the number of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Begin {
    pub(super) at: u32,
    pub(super) number: u32,
}

/// The automaton.
#[derive(Debug, Clone)]
pub(super) struct Backward {
    /// The byte that leads to each state; that of the first, which is empty, is none.
    bytes: Vec<u8>,
    /// The first state that each leads to, and at the end the number of states.
    next: Vec<u32>,
    /// The longest other state that each begins with.
    shorter: Vec<u32>,
    /// The longest text that each begins with.
    longest: Vec<u32>,
}

impl Backward {
    /// The automaton of texts that are all different, and have fewer bytes than 32 bits can count.
    pub(super) fn new(texts: &[&[u8]]) -> Self {
        let mut made = Self { bytes: vec![0], next: Vec::new(), shorter: vec![0], longest: vec![NONE] };
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_unstable_by(|&one, &two| texts[one].iter().rev().cmp(texts[two].iter().rev()));
        // Of each state of a length, which texts in that order end with it.
        let (mut level, mut longer): (Vec<_>, _) = (iter::once(0..order.len()).collect(), Vec::new());
        let mut length = 0;
        while !level.is_empty() {
            for ends in level.drain(..) {
                made.branch(texts, &order, length, ends, &mut longer);
            }
            std::mem::swap(&mut level, &mut longer);
            length += 1;
        }
        made.next.push(number(made.bytes.len()));
        made
    }

    /// Makes the states that the next one leads to; it has a length, and some texts end with it.
    fn branch(
        &mut self,
        texts: &[&[u8]],
        order: &[usize],
        length: usize,
        ends: Range<usize>,
        longer: &mut Vec<Range<usize>>,
    ) {
        let state = self.next.len();
        self.next.push(number(self.bytes.len()));
        let byte = |at: usize| texts[order[at]].iter().nth_back(length).copied();
        let mut at = ends.start;
        while at < ends.end {
            let next = byte(at);
            let end = at + (at..ends.end).take_while(|&other| byte(other) == next).count();
            // Otherwise the state is that text.
            if let Some(next) = next {
                let shorter = if state == 0 { 0 } else { self.step(self.shorter[state] as usize, next) };
                let is_whole = texts[order[at]].len() == length + 1;
                self.longest.push(if is_whole { number(order[at]) } else { self.longest[shorter] });
                self.shorter.push(number(shorter));
                self.bytes.push(next);
                longer.push(at..end);
            }
            at = end;
        }
    }

    /// The state after one more byte.
    fn step(&self, mut state: usize, byte: u8) -> usize {
        loop {
            let start = self.next[state] as usize;
            match self.bytes[start..self.next[state + 1] as usize].binary_search(&byte) {
                Ok(at) => return start + at,
                Err(_) if state == 0 => return 0,
                Err(_) => state = self.shorter[state] as usize,
            }
        }
    }

    /// What begins in the first `within` bytes of a text, which are fewer than 32 bits can count: in order, the longest of
    /// each place.
    pub(super) fn begins(&self, text: &[u8], within: usize) -> Vec<Begin> {
        let (mut begins, mut state) = (Vec::new(), 0);
        for (at, &byte) in text.iter().enumerate().rev() {
            state = self.step(state, byte);
            if at < within && self.longest[state] != NONE {
                begins.push(Begin { at: number(at), number: self.longest[state] });
            }
        }
        begins.reverse();
        begins
    }
}

/// A number that is known to fit.
#[expect(clippy::cast_possible_truncation, reason = "fewer than the texts have bytes, or than are read at a time")]
fn number(number: usize) -> u32 {
    number as u32
}
