//! A program as a table: the deterministic automaton that finds how long the match at a position is.
//!
//! Idea: a state is what a backtracking engine has still to try, in its order: a list of *threads*, each a
//! place in the program that was reached by reading a symbol. What lies behind such a place (splits, checks,
//! the end of an alternative) is worked out only when the **next** symbol is known. This delay of one symbol
//! turns a look-ahead of one symbol into part of the transition; longer ones were answered beforehand, by
//! [`lookahead`](super::lookahead), as one bit per position, and the alphabet is class x bits.
//!
//! Reading a symbol follows every thread, in order, up to the operations that read: those that accept the
//! symbol become the next state. A thread that arrives at `Match` says "a match of this alternative ends
//! before this symbol", and all threads after it are dropped, since it is preferred to them: this is exactly
//! the leftmost-first rule of Perl. The last match that was announced when no threads are left is the match.
//!
//! Atomic groups: each time that one is entered, the threads inside and their descendants remember that
//! *visit*. When a thread leaves the group, everything after it in the order that belongs to the same visit
//! is dropped: the first way through the group in order of preference is the only one, and a preferred one
//! that is still inside may replace it later. If that would take back a match already announced, the table
//! cannot hold it, and the construction says so ([`Refusal`]).
//!
//! Invariant: a thread is dropped as a duplicate only when an earlier one at the same place is inside the
//! same visits and can be dropped by no other visit than those that can drop it too.
//!
//! Cost: states x symbols x operations, and what the visits add; bounded by [`MAX_STATES`] and by the [`Budget`].

use rustc_hash::{FxHashMap, FxHashSet};

use super::budget::Budget;
use super::classes::Classes;
use super::program::{Code, Op, Refusal};

/// The most states of an automaton.
pub(super) const MAX_STATES: usize = 10_000;
/// The most entries of the table.
const MAX_ENTRIES: usize = 4_000_000;
/// Steps of the construction for a new state.
const STATE: usize = 100;
/// The most threads at one place of the program: past it, visits to atomic groups multiply.
const MAX_AT_ONCE: usize = 16;

/// In an entry: a match ends before this symbol.
pub(super) const MATCH: u32 = 1;
/// In an entry, with [`MATCH`]: no longer match is possible, and the next row is the one that the symbol leads to from
/// the start. So a scan goes on into the next pretoken without reading the symbol again.
pub(super) const CUT: u32 = 2;

/// The place of the mark "a match was announced here" in a list of threads.
const ANNOUNCED: u32 = u32::MAX;

/// The table. A row is the place of its first entry; row 0 is the dead state.
#[derive(Debug)]
pub(super) struct Automaton {
    /// Entry: `next row << 2`, [`MATCH`], [`CUT`].
    pub table: Vec<u32>,
    /// The alternative of each entry that announces a match.
    pub alternatives: Vec<u16>,
    /// The row to begin with at the start of the text.
    pub first: u32,
    /// The row to begin with elsewhere.
    pub start: u32,
    /// Bits of look-ahead in a symbol: entry = row + (class << bits | look-aheads).
    pub bits: usize,
    /// States, the dead one not counted.
    pub states: usize,
}

/// A visit to an atomic group, and whether the thread is still inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Visit {
    number: u32,
    inside: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Thread {
    place: u32,
    visits: Vec<Visit>,
}

/// A list of threads, and whether nothing was read since the start of the text.
type State = (Vec<Thread>, bool);

/// A symbol: the class (or END), and which look-aheads hold.
#[derive(Clone, Copy)]
struct Symbol {
    class: usize,
    looks: usize,
}

impl Automaton {
    /// Determinises a program with `bits` look-aheads.
    ///
    /// # Errors
    /// [`Refusal::Unsupported`] past the limits, or when an atomic group would take back a match.
    pub fn new(code: &Code, classes: &Classes, bits: usize, budget: &mut Budget) -> Result<Self, Refusal> {
        let stride = (classes.count() + 1) << bits;
        let mut stepper = Stepper::new(code, classes, budget);
        let mut states = States::default();
        let initial = vec![Thread { place: code.start, visits: Vec::new() }];
        let first = states.number((initial.clone(), true))?;
        let has_start = code.ops.iter().any(|op| matches!(op, Op::Start { .. }));
        let start = if has_start { states.number((initial, false))? } else { first };
        let (mut table, mut alternatives) = (vec![0; stride], vec![0; stride]);
        let mut done = 0;
        while let Some(state) = states.queue.get(done).cloned() {
            done += 1;
            stepper.budget.spend(STATE + 4 * size(&state.0))?;
            for symbol in 0..stride {
                let symbol = Symbol { class: symbol >> bits, looks: symbol & ((1 << bits) - 1) };
                let (threads, matched) = stepper.step(&state, symbol)?;
                let next = if threads.is_empty() { 0 } else { states.number((threads, false))? };
                let row = u32::try_from(next * stride).map_err(|_| too_many())?;
                table.push(row << 2 | if matched.is_some() { MATCH } else { 0 });
                alternatives.push(matched.unwrap_or(0));
            }
            if table.len() > MAX_ENTRIES {
                return Err(too_many());
            }
        }
        let row = |state: usize| u32::try_from(state * stride).map_err(|_| too_many());
        let (first, start) = (row(first)?, row(start)?);
        run_on(&mut table, stride, first, start);
        Ok(Self { table, alternatives, first, start, bits, states: done })
    }
}

/// Adds [`CUT`] wherever a match ends for good and the start has a way on. The rows of the start itself are left out,
/// since a match that ends there may be empty.
fn run_on(table: &mut [u32], stride: usize, first: u32, start: u32) {
    let fresh: Vec<u32> = table[start as usize..][..stride].to_vec();
    for (row, entries) in table.chunks_exact_mut(stride).enumerate() {
        if row * stride == first as usize || row * stride == start as usize {
            continue;
        }
        for (entry, &fresh) in entries.iter_mut().zip(&fresh) {
            if *entry == MATCH && fresh != 0 && fresh & MATCH == 0 {
                *entry = fresh | MATCH | CUT;
            }
        }
    }
}

fn too_many() -> Refusal {
    Refusal::Unsupported(format!("its automaton would need more than {MAX_STATES} states or {MAX_ENTRIES} entries"))
}

/// The states found so far, numbered from 1.
#[derive(Default)]
struct States {
    numbers: FxHashMap<State, usize>,
    queue: Vec<State>,
}

impl States {
    fn number(&mut self, state: State) -> Result<usize, Refusal> {
        if let Some(&known) = self.numbers.get(&state) {
            return Ok(known);
        }
        if self.queue.len() >= MAX_STATES {
            return Err(too_many());
        }
        self.queue.push(state.clone());
        self.numbers.insert(state, self.queue.len());
        Ok(self.queue.len())
    }
}

/// Follows the threads of one state over one symbol.
struct Stepper<'c, 'b> {
    code: &'c Code,
    classes: &'c Classes,
    budget: &'b mut Budget,
    /// For each place, the threads that were there in this step.
    seen: Seen,
    /// For each place, the threads of the next state.
    kept: Seen,
    next: Vec<Thread>,
    cut: FxHashSet<u32>,
    fresh: u32,
}

impl<'c, 'b> Stepper<'c, 'b> {
    fn new(code: &'c Code, classes: &'c Classes, budget: &'b mut Budget) -> Self {
        Self {
            code,
            classes,
            budget,
            seen: Seen::new(code.ops.len()),
            kept: Seen::new(code.ops.len()),
            next: Vec::new(),
            cut: FxHashSet::default(),
            fresh: 0,
        }
    }

    fn step(&mut self, (threads, first): &State, symbol: Symbol) -> Result<(Vec<Thread>, Option<u16>), Refusal> {
        self.budget.spend(4 + 4 * size(threads))?;
        self.seen.clear();
        self.kept.clear();
        self.cut.clear();
        self.fresh = 1 + threads.iter().flat_map(|t| &t.visits).map(|v| v.number).max().unwrap_or(0);
        let mut matched = None;
        for thread in threads {
            let dropped = thread.visits.iter().any(|v| self.cut.contains(&v.number));
            if thread.place == ANNOUNCED {
                if dropped {
                    return Err(Refusal::Unsupported("an atomic group can take back a match".to_owned()));
                }
                self.next.push(thread.clone());
            } else if !dropped {
                matched = self.follow(thread.clone(), symbol, *first)?;
                if matched.is_some() {
                    break;
                }
            }
        }
        let next = std::mem::take(&mut self.next);
        self.budget.spend(4 * size(&next))?;
        Ok((canonical(next), matched))
    }

    /// Follows one thread, depth first; gives the alternative whose end it reached.
    fn follow(&mut self, thread: Thread, symbol: Symbol, first: bool) -> Result<Option<u16>, Refusal> {
        let mut stack = vec![thread];
        while let Some(Thread { place, mut visits }) = stack.pop() {
            self.budget.spend(2 + self.seen.steps(place, &visits))?;
            if !self.seen.admit(place, &visits)? {
                continue;
            }
            let next = match self.code.ops[place as usize] {
                Op::Set { set, next } => {
                    if self.classes.holds(set, symbol.class) {
                        self.budget.spend(1 + self.kept.steps(next, &visits))?;
                        if self.kept.admit(next, &visits)? {
                            self.next.push(Thread { place: next, visits });
                        }
                    }
                    continue;
                }
                Op::Check { set, next } if self.classes.holds(set, symbol.class) => next,
                Op::Look { look, negative, next } if (symbol.looks >> look & 1 == 1) != negative => next,
                Op::Start { next } if first => next,
                Op::Check { .. } | Op::Look { .. } | Op::Start { .. } => continue,
                Op::Split { first, second } => {
                    stack.push(Thread { place: second, visits: visits.clone() });
                    first
                }
                Op::Enter { next } => {
                    visits.push(Visit { number: self.fresh, inside: true });
                    self.fresh += 1;
                    next
                }
                Op::Leave { next } => {
                    self.leave(&mut visits, &mut stack)?;
                    next
                }
                Op::Match { alternative } => {
                    if !visits.is_empty() {
                        self.next.push(Thread { place: ANNOUNCED, visits });
                    }
                    return Ok(Some(alternative));
                }
            };
            stack.push(Thread { place: next, visits });
        }
        Ok(None)
    }

    /// A thread leaves its innermost group: drops what the visit could still do with less preference, and
    /// forgets the visit unless a preferred thread is still inside.
    fn leave(&mut self, visits: &mut Vec<Visit>, stack: &mut Vec<Thread>) -> Result<(), Refusal> {
        let Some(innermost) = visits.iter().rposition(|v| v.inside) else { return Ok(()) };
        self.budget.spend(size(stack) + size(&self.next))?;
        let number = visits[innermost].number;
        self.cut.insert(number);
        stack.retain(|thread| thread.visits.iter().all(|v| v.number != number));
        if self.next.iter().any(|t| t.visits.contains(&Visit { number, inside: true })) {
            visits[innermost].inside = false;
        } else {
            visits.remove(innermost);
        }
        Ok(())
    }
}

/// The steps that it takes to look through a list of threads.
fn size(threads: &[Thread]) -> usize {
    threads.iter().map(|thread| 1 + thread.visits.len()).sum()
}

/// The threads with the visits that still matter (some thread is inside), numbered in order of appearance.
fn canonical(mut threads: Vec<Thread>) -> Vec<Thread> {
    if threads.iter().all(|t| t.visits.is_empty()) {
        return threads;
    }
    let inside: FxHashSet<u32> =
        threads.iter().flat_map(|t| &t.visits).filter(|v| v.inside).map(|v| v.number).collect();
    let mut numbers = FxHashMap::default();
    for thread in &mut threads {
        thread.visits.retain(|v| inside.contains(&v.number));
        for visit in &mut thread.visits {
            let fresh = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            visit.number = *numbers.entry(visit.number).or_insert(fresh);
        }
    }
    threads.retain(|t| t.place != ANNOUNCED || !t.visits.is_empty());
    threads
}

/// For each place, the visits of the threads that came by since the last `clear`.
struct Seen {
    at: Vec<Vec<Vec<Visit>>>,
    used: Vec<u32>,
}

impl Seen {
    fn new(places: usize) -> Self {
        Self { at: vec![Vec::new(); places], used: Vec::new() }
    }

    fn clear(&mut self) {
        for place in self.used.drain(..) {
            self.at[place as usize].clear();
        }
    }

    /// The steps that `admit` takes.
    fn steps(&self, place: u32, visits: &[Visit]) -> usize {
        let earlier = &self.at[place as usize];
        visits.len() + earlier.iter().map(|earlier| 1 + earlier.len() + visits.len() * earlier.len() / 2).sum::<usize>()
    }

    /// Whether a thread is no duplicate of an earlier one; remembers it.
    fn admit(&mut self, place: u32, visits: &[Visit]) -> Result<bool, Refusal> {
        let earlier = &mut self.at[place as usize];
        if earlier.iter().any(|earlier| covers(earlier, visits)) {
            return Ok(false);
        }
        if earlier.len() >= MAX_AT_ONCE {
            return Err(Refusal::Unsupported("its atomic groups interleave in too many ways".to_owned()));
        }
        if earlier.is_empty() {
            self.used.push(place);
        }
        earlier.push(visits.to_vec());
        Ok(true)
    }
}

/// Whether whatever a later thread could still do, an earlier one at the same place does before it: it is
/// inside the same visits, and every visit that could drop it could drop the later one.
fn covers(earlier: &[Visit], later: &[Visit]) -> bool {
    let inside = |visits: &'_ [Visit]| visits.iter().filter(|v| v.inside).count();
    inside(earlier) == inside(later) && earlier.iter().all(|v| later.contains(v))
}
