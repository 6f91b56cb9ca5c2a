//! The splitter's automaton with nothing in it that does not matter to boundaries.
//!
//! Idea: which alternative matched is forgotten; then states that announce the same matches for ever after are one
//! state (Moore's partition refinement), and classes that lead every state to the same place are one symbol. States from
//! which no match can be announced are the dead one, number 0.
//!
//! Cost: states x symbols for each round of refinement; there are as many rounds as the automaton is deep.

use rustc_hash::FxHashMap;

use super::automaton::{Automaton, CUT, MATCH};

/// The most entries that are looked at, and the most symbols: the derivation has to be a matter of milliseconds.
const MAX_ENTRIES: usize = 20_000;
const MAX_SYMBOLS: usize = 64;

/// Where a symbol leads, and whether a match ends before it.
pub(super) type Step = (u16, bool);

/// The automaton. Symbols are `0..symbols`, and END after them.
#[derive(Debug, Clone)]
pub(super) struct Minimal {
    steps: Vec<Step>,
    /// Symbols, END not counted.
    pub symbols: usize,
    /// The symbol of each class of the splitter.
    pub symbol_of: Vec<usize>,
    /// The states to begin with: at the start of the text, and elsewhere.
    pub first: u16,
    pub start: u16,
}

impl Minimal {
    /// Takes the automaton over `classes` classes apart; `None` when it is too large.
    pub fn new(automaton: &Automaton, classes: usize) -> Option<Self> {
        let stride = (classes + 1) << automaton.bits;
        if automaton.bits != 0 || automaton.table.len() > MAX_ENTRIES {
            return None;
        }
        let steps = automaton.table.iter().map(|&entry| {
            let next = if entry & CUT == 0 { (entry >> 2) as usize / stride } else { 0 };
            (u16::try_from(next).unwrap_or(0), entry & MATCH != 0)
        });
        let mut steps: Vec<Step> = steps.collect();
        for ends in steps.iter_mut().skip(classes).step_by(stride) {
            ends.0 = 0; // nothing is read after the end
        }
        let row = |row: u32| row as usize / stride;
        let whole = Self {
            steps,
            symbols: classes,
            symbol_of: (0..classes).collect(),
            first: u16::try_from(row(automaton.first)).ok()?,
            start: u16::try_from(row(automaton.start)).ok()?,
        };
        let minimal = whole.with_merged_states().with_merged_symbols();
        (minimal.symbols <= MAX_SYMBOLS).then_some(minimal)
    }

    /// Where a symbol leads from a state.
    pub fn step(&self, state: u16, symbol: usize) -> Step {
        self.steps[usize::from(state) * (self.symbols + 1) + symbol]
    }

    fn states(&self) -> usize {
        self.steps.len() / (self.symbols + 1)
    }

    fn row(&self, state: usize) -> &[Step] {
        &self.steps[state * (self.symbols + 1)..][..=self.symbols]
    }

    /// Numbers the states so that two have one number when no text of the given symbols (and END) tells them apart.
    fn blocks(&self, symbols: &[usize]) -> Vec<u16> {
        let mut blocks = vec![0_u16; self.states()];
        let mut count = 1;
        loop {
            let mut numbers = FxHashMap::default();
            let next: Vec<u16> = (0..self.states())
                .map(|state| {
                    let row = self.row(state);
                    let ahead =
                        symbols.iter().chain([&self.symbols]).map(|&s| (blocks[usize::from(row[s].0)], row[s].1));
                    let fresh = u16::try_from(numbers.len()).unwrap_or(u16::MAX);
                    *numbers.entry((blocks[state], ahead.collect::<Vec<_>>())).or_insert(fresh)
                })
                .collect();
            blocks = next;
            if numbers.len() == count {
                return blocks;
            }
            count = numbers.len();
        }
    }

    /// State 0 is the dead one, and its block is the first, so it stays number 0.
    fn with_merged_states(self) -> Self {
        let blocks = self.blocks(&(0..self.symbols).collect::<Vec<_>>());
        let mut steps = Vec::new();
        for (state, &block) in blocks.iter().enumerate() {
            if usize::from(block) * (self.symbols + 1) == steps.len() {
                steps.extend(self.row(state).iter().map(|&(next, found)| (blocks[usize::from(next)], found)));
            }
        }
        let block = |state: u16| blocks[usize::from(state)];
        Self { steps, first: block(self.first), start: block(self.start), ..self }
    }

    fn with_merged_symbols(self) -> Self {
        let mut numbers = FxHashMap::default();
        let column = |symbol: usize| (0..self.states()).map(|s| self.row(s)[symbol]).collect::<Vec<_>>();
        let mut kept = Vec::new();
        let mut symbol_of = Vec::new();
        for symbol in 0..self.symbols {
            let fresh = numbers.len();
            let number = *numbers.entry(column(symbol)).or_insert(fresh);
            if number == fresh {
                kept.push(symbol);
            }
            symbol_of.push(number);
        }
        kept.push(self.symbols);
        let steps = (0..self.states()).flat_map(|s| kept.iter().map(move |&k| (s, k)));
        let steps = steps.map(|(state, symbol)| self.row(state)[symbol]).collect();
        Self { steps, symbols: kept.len() - 1, symbol_of, ..self }
    }

    /// Groups the symbols: in one group are those that no text without the symbols `apart` can tell apart; each of
    /// `apart` is a group of its own, and these come last.
    pub fn groups(&self, apart: &[usize]) -> Vec<Vec<usize>> {
        let inside: Vec<usize> = (0..self.symbols).filter(|s| !apart.contains(s)).collect();
        let blocks = self.blocks(&inside);
        let mut reached = vec![self.first, self.start];
        let mut done = 0;
        while let Some(&state) = reached.get(done) {
            done += 1;
            for &symbol in &inside {
                let next = self.step(state, symbol).0;
                if !reached.contains(&next) {
                    reached.push(next);
                }
            }
        }
        let mut numbers: FxHashMap<Vec<Step>, usize> = FxHashMap::default();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for &symbol in &inside {
            let column = reached.iter().map(|&state| {
                let (next, found) = self.step(state, symbol);
                (blocks[usize::from(next)], found)
            });
            let number = *numbers.entry(column.collect()).or_insert(groups.len());
            if number == groups.len() {
                groups.push(Vec::new());
            }
            groups[number].push(symbol);
        }
        groups.extend(apart.iter().map(|&symbol| vec![symbol]));
        groups
    }
}
