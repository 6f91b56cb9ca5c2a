//! All true parses of all texts at once, as a finite set of configurations.
//!
//! The scan of a text is deterministic, but what it decides at a position depends on the text to the right: a match
//! that was announced is *the* match only if no longer one follows. Here the scan guesses, and the text refutes.
//!
//! A **configuration** says all that the text to the left can tell of the text to the right: the *phase*, which is
//! either "a run of the automaton begins here" (with or without a boundary that is known already) or "a run is in this
//! state and will announce its match further on"; and the *promises*: the states of runs whose match was guessed to be over,
//! from which no match may be announced any more. Reading a symbol from a configuration, with the guess what happens before it:
//! - every promise takes its step; where one announces a match, the guess was wrong and the configuration is no more;
//! - a run may go on (no boundary), or, if it announces a match, end here: a promise that it announces no more, a boundary,
//!   and a run begins here;
//! - where a run begins, it may be one that will match (a boundary: a match starts), or one whose match is empty or
//!   missing: then a promise that it announces no more; a boundary if it is empty or if the match before it ended here; and
//!   the next run begins one symbol later.
//!
//! END is read after the last symbol: a run must announce its match there, and a promise must not.
//!
//! Invariant: the guesses that survive to the end of a text are exactly the scan's decisions on it, since each guess says
//! of an automaton's run what it announces and all of them are checked. So there is one for each text, and for each
//! position of a text the configuration of its true parse is in the set reached by the symbols to the left and *alive*:
//! some text to the right lets it survive. To forget a promise only adds configurations, so their number may be bounded;
//! but then false parses may survive too ([`Parses::exact`]).
//!
//! Cost: configurations x symbols; there are about twice as many configurations as states.

use rustc_hash::FxHashMap;

use super::minimal::Minimal;

/// The most configurations.
const MAX_CONFIGURATIONS: usize = 500;
/// The most promises that are kept; where there are so many, more may have been forgotten.
const MAX_PROMISES: usize = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Phase {
    /// A run begins here, and this is the start of the text.
    First,
    /// A run begins here; whether the match before it ends here.
    Begin(bool),
    /// A run is in this state.
    Run(u16),
}

type Configuration = (Phase, Vec<u16>);

/// The configurations that are alive, by number, and the steps between them.
#[derive(Debug)]
pub(super) struct Parses {
    /// Whether only true parses survive: no promise was forgotten.
    pub exact: bool,
    symbols: usize,
    steps: Vec<Vec<(u32, bool)>>,
    ends: Vec<bool>,
}

impl Parses {
    /// Explores the configurations; `None` when there are too many.
    pub fn new(minimal: &Minimal) -> Option<Self> {
        let mut all = vec![(Phase::First, Vec::new())];
        let mut numbers: FxHashMap<Configuration, u32> = FxHashMap::default();
        numbers.insert(all[0].clone(), 0);
        let mut parses = Self { exact: true, symbols: minimal.symbols, steps: Vec::new(), ends: Vec::new() };
        let mut done = 0;
        while let Some(configuration) = all.get(done).cloned() {
            done += 1;
            for symbol in 0..minimal.symbols {
                let mut steps = Vec::new();
                for (next, boundary) in read(minimal, &configuration, symbol) {
                    let fresh = u32::try_from(all.len()).ok()?;
                    let number = *numbers.entry(next.clone()).or_insert(fresh);
                    parses.exact &= next.1.len() < MAX_PROMISES;
                    if number == fresh {
                        all.push(next);
                    }
                    if !steps.contains(&(number, boundary)) {
                        steps.push((number, boundary));
                    }
                }
                parses.steps.push(steps);
            }
            parses.ends.push(survives_the_end(minimal, &configuration));
            if all.len() > MAX_CONFIGURATIONS {
                return None;
            }
        }
        parses.remove_the_dead();
        Some(parses)
    }

    /// How many configurations there are. Number 0 is that of the start of the text.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// The ways on over a symbol, all alive: a configuration, and whether a boundary lies before the symbol.
    pub fn steps(&self, configuration: usize, symbol: usize) -> &[(u32, bool)] {
        &self.steps[configuration * self.symbols + symbol]
    }

    /// Whether the text may end here.
    pub fn may_end(&self, configuration: usize) -> bool {
        self.ends[configuration]
    }

    fn remove_the_dead(&mut self) {
        let mut alive = self.ends.clone();
        loop {
            let mut changed = false;
            for configuration in (0..self.count()).rev() {
                let row = &self.steps[configuration * self.symbols..][..self.symbols];
                if !alive[configuration] && row.iter().flatten().any(|&(next, _)| alive[next as usize]) {
                    alive[configuration] = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        for steps in &mut self.steps {
            steps.retain(|&(next, _)| alive[next as usize]);
        }
    }
}

/// Every way to read a symbol.
fn read(minimal: &Minimal, (phase, promises): &Configuration, symbol: usize) -> Vec<(Configuration, bool)> {
    let Some(promises) = kept(minimal, promises, symbol) else { return Vec::new() };
    let mut found = Vec::new();
    match *phase {
        Phase::First => begin(minimal, minimal.first, symbol, &promises, true, &mut found),
        Phase::Begin(boundary) => begin(minimal, minimal.start, symbol, &promises, boundary, &mut found),
        Phase::Run(state) => {
            let (next, announced) = minimal.step(state, symbol);
            if announced {
                begin(minimal, minimal.start, symbol, &promise(&promises, next), true, &mut found);
            }
            run(next, promises, false, &mut found);
        }
    }
    found
}

/// A run begins before the symbol.
fn begin(
    minimal: &Minimal,
    start: u16,
    symbol: usize,
    promises: &[u16],
    boundary: bool,
    found: &mut Vec<(Configuration, bool)>,
) {
    let (next, announced) = minimal.step(start, symbol);
    found.push(((Phase::Begin(false), promise(promises, next)), boundary || announced));
    run(next, promises.to_vec(), true, found);
}

/// A run goes on and will match, unless that is impossible or promised not to be.
fn run(next: u16, promises: Vec<u16>, boundary: bool, found: &mut Vec<(Configuration, bool)>) {
    if next != 0 && !promises.contains(&next) {
        found.push(((Phase::Run(next), promises), boundary));
    }
}

/// The promises after a symbol; `None` when one is broken.
fn kept(minimal: &Minimal, promises: &[u16], symbol: usize) -> Option<Vec<u16>> {
    let mut after = Vec::new();
    for &state in promises {
        let (next, announced) = minimal.step(state, symbol);
        if announced {
            return None;
        }
        after = promise(&after, next);
    }
    Some(after)
}

/// The promises and one more, in order.
fn promise(promises: &[u16], state: u16) -> Vec<u16> {
    let mut promises = promises.to_vec();
    if state != 0 && promises.len() < MAX_PROMISES && !promises.contains(&state) {
        promises.push(state);
        promises.sort_unstable();
    }
    promises
}

fn survives_the_end(minimal: &Minimal, (phase, promises): &Configuration) -> bool {
    kept(minimal, promises, minimal.symbols).is_some()
        && match *phase {
            Phase::First | Phase::Begin(_) => true,
            Phase::Run(state) => minimal.step(state, minimal.symbols).1,
        }
}
