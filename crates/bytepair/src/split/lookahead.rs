//! Look-aheads of any length, answered for every position by one run from the right.
//!
//! Idea: whether something that a program matches starts at a position depends only on the symbol there, on
//! the same question for the places of the program one symbol further on, and on nothing to the left. So the
//! set of places from which a match can be completed is a deterministic function of the next symbol and the
//! set one position later: an automaton that reads the text backwards and gives one bit per position.
//! Look-aheads inside look-aheads come first; their bits are part of the symbol.
//!
//! Cost: one step per character and look-ahead, and one bit per byte of text and look-ahead in memory.

use rustc_hash::FxHashMap;

use super::budget::Budget;
use super::classes::Classes;
use super::program::{Code, Op, Refusal};

/// The most states of a look-ahead's automaton.
const MAX_STATES: usize = 2_000;

/// The automata of a pattern's look-aheads, in an order in which each needs only those before it.
#[derive(Debug, Default)]
pub(super) struct LookAheads {
    automata: Vec<Backward>,
}

/// One look-ahead. Entry: `next row << 1 | the look-ahead holds here`.
#[derive(Debug)]
struct Backward {
    table: Vec<u32>,
}

impl LookAheads {
    /// Compiles the look-aheads of a program.
    ///
    /// # Errors
    /// [`Refusal::Unsupported`] past the limits.
    pub fn new(looks: &[Code], classes: &Classes, budget: &mut Budget) -> Result<Self, Refusal> {
        let compile = |(bits, code): (usize, &Code)| Backward::new(code, classes, bits, budget);
        Ok(Self { automata: looks.iter().enumerate().map(compile).collect::<Result<_, _>>()? })
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.automata.len()
    }

    /// Answers every look-ahead at every position of a text.
    pub fn answers(&self, classes: &Classes, text: &[u8]) -> Answers {
        let mut answers = Answers { bits: Vec::new() };
        for (bits, automaton) in self.automata.iter().enumerate() {
            let mut words = vec![0_u64; text.len() / 64 + 1];
            let mut row = 0_usize;
            let (mut at, mut class) = (text.len(), classes.count());
            loop {
                let entry = automaton.table[row + (class << bits | answers.at(at))];
                words[at / 64] |= u64::from(entry & 1) << (at % 64);
                row = (entry >> 1) as usize;
                let Some((before, length)) = classes.before(text, at) else { break };
                class = usize::from(before);
                at -= length;
            }
            answers.bits.push(words);
        }
        answers
    }

    /// The same for a text that may go on, and before which position they are certain; from there on they mean nothing. The
    /// states in which a run from the right may come in become fewer as it reads; when one is left, what it answers is certain.
    pub fn certain(&self, classes: &Classes, text: &[u8]) -> (Answers, usize) {
        let (mut answers, mut known) = (Answers { bits: Vec::new() }, text.len());
        for (bits, automaton) in self.automata.iter().enumerate() {
            let mut words = vec![0_u64; text.len() / 64 + 1];
            let mut rows: Vec<usize> = (0..automaton.table.len()).step_by((classes.count() + 1) << bits).collect();
            let (mut at, mut certain) = (known, 0);
            loop {
                if rows.len() == 1 {
                    certain = at.max(certain);
                }
                let Some((class, length)) = classes.before(text, at) else { break };
                at -= length;
                let symbol = usize::from(class) << bits | answers.at(at);
                let entries = rows.iter().map(|row| automaton.table[row + symbol]);
                words[at / 64] |= u64::from(entries.clone().any(|entry| entry & 1 == 1)) << (at % 64);
                rows = entries.map(|entry| (entry >> 1) as usize).collect();
                rows.sort_unstable();
                rows.dedup();
            }
            known = certain;
            answers.bits.push(words);
        }
        (answers, known)
    }
}

/// One bit per byte and look-ahead, meaningful where a character starts and at the end.
#[derive(Debug, Default)]
pub(super) struct Answers {
    bits: Vec<Vec<u64>>,
}

impl Answers {
    /// The look-aheads that hold at a position, one bit each.
    #[inline]
    pub fn at(&self, at: usize) -> usize {
        let bit = |words: &[u64]| (words[at / 64] >> (at % 64) & 1) as usize;
        match self.bits.as_slice() {
            [only] => bit(only),
            several => several.iter().rev().fold(0, |looks, words| looks << 1 | bit(words)),
        }
    }
}

impl Backward {
    fn new(code: &Code, classes: &Classes, bits: usize, budget: &mut Budget) -> Result<Self, Refusal> {
        let refuse = || Refusal::Unsupported(format!("a look-ahead needs more than {MAX_STATES} states"));
        let stride = (classes.count() + 1) << bits;
        let mut numbers: FxHashMap<Vec<bool>, usize> = FxHashMap::default();
        let mut queue = vec![vec![false; code.ops.len()]];
        numbers.insert(queue[0].clone(), 0);
        let mut table = Vec::new();
        let mut done = 0;
        while let Some(later) = queue.get(done).cloned() {
            done += 1;
            for symbol in 0..stride {
                let holds = complete(code, &later, budget, |op| {
                    let (class, looks) = (symbol >> bits, symbol & ((1 << bits) - 1));
                    match op {
                        Op::Set { set, .. } | Op::Check { set, .. } => classes.holds(set, class),
                        Op::Look { look, negative, .. } => (looks >> look & 1 == 1) != negative,
                        _ => true,
                    }
                })?;
                let found = u32::from(holds[code.start as usize]);
                let fresh = queue.len();
                let state = *numbers.entry(holds.clone()).or_insert(fresh);
                if state == fresh {
                    queue.push(holds);
                }
                if queue.len() > MAX_STATES {
                    return Err(refuse());
                }
                table.push(u32::try_from(state * stride).map_err(|_| refuse())? << 1 | found);
            }
        }
        Ok(Self { table })
    }
}

/// The places from which a match can be completed, given the same one symbol `later` and which operations
/// the next symbol `allows`: the least fixed point.
fn complete(
    code: &Code,
    later: &[bool],
    budget: &mut Budget,
    allows: impl Fn(Op) -> bool,
) -> Result<Vec<bool>, Refusal> {
    let mut holds = vec![false; code.ops.len()];
    loop {
        let mut grew = false;
        budget.spend(code.ops.len())?;
        for (place, &op) in code.ops.iter().enumerate() {
            if holds[place] || !allows(op) {
                continue;
            }
            let now = match op {
                Op::Set { next, .. } => later[next as usize],
                Op::Check { next, .. }
                | Op::Look { next, .. }
                | Op::Start { next }
                | Op::Enter { next }
                | Op::Leave { next } => holds[next as usize],
                Op::Split { first, second } => holds[first as usize] || holds[second as usize],
                Op::Match { .. } => true,
            };
            holds[place] = now;
            grew |= now;
        }
        if !grew {
            return Ok(holds);
        }
    }
}
