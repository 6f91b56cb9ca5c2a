//! A pattern's tree as a program: a graph of small operations, alternatives in order of preference.
//!
//! It is Thompson's construction with priorities (Pike): where two ways are open, `Split` names the
//! preferred one first. Repetitions with bounds are copied out, so the size is limited.
//! A look-ahead of more than one symbol becomes a program of its own, inner ones before outer ones; one
//! that depends on the next symbol alone is a `Check`.

use rustc_hash::FxHashMap;

use super::budget::Budget;
use super::parse::{Pattern, Reason};
use super::syntax::{Node, Symbols};

/// The most operations that a pattern may need.
const MAX_OPERATIONS: usize = 20_000;
/// The most look-aheads of more than one symbol.
const MAX_LOOKS: usize = 4;

/// One step of a program. Numbers are places in it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Op {
    /// Reads a symbol of a set.
    Set { set: u16, next: u32 },
    /// Goes on where the next symbol is in a set.
    Check { set: u16, next: u32 },
    /// Goes on where a look-ahead holds (or does not).
    Look { look: u8, negative: bool, next: u32 },
    /// Goes on at the start of the text.
    Start { next: u32 },
    /// Tries one way, then the other.
    Split { first: u32, second: u32 },
    /// Enters an atomic group.
    Enter { next: u32 },
    /// Leaves it: whatever else the group could do with less preference is given up.
    Leave { next: u32 },
    /// The alternative has matched.
    Match { alternative: u16 },
}

/// The operations of a pattern or of one look-ahead.
#[derive(Debug, Clone, Default)]
pub(super) struct Code {
    pub ops: Vec<Op>,
    pub start: u32,
}

/// A compiled pattern: its code, its look-aheads (a look-ahead uses only those before it), its sets.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub code: Code,
    pub looks: Vec<Code>,
    pub sets: Vec<Symbols>,
}

/// Why there is no program.
#[derive(Debug)]
pub(super) enum Refusal {
    /// No engine could hold it.
    TooLarge(Reason),
    /// The backtracking engine may serve it.
    Unsupported(Reason),
}

impl From<Reason> for Refusal {
    fn from(reason: Reason) -> Self {
        Self::Unsupported(reason)
    }
}

impl Program {
    /// Compiles a pattern's tree.
    ///
    /// # Errors
    /// Why it cannot be done.
    pub fn new(pattern: &Pattern, budget: &mut Budget) -> Result<Self, Refusal> {
        let mut builder =
            Builder { looks: Vec::new(), bodies: Vec::new(), sets: Vec::new(), numbers: FxHashMap::default(), budget };
        let mut code = Code::default();
        let mut starts = Vec::new();
        for (index, (_, node)) in pattern.alternatives.iter().enumerate() {
            let alternative = u16::try_from(index).map_err(|_| too_large())?;
            let end = push(&mut code, Op::Match { alternative })?;
            starts.push(builder.node(&mut code, node, end, false)?);
        }
        code.start = split_all(&mut code, &starts)?;
        Ok(Self { code, looks: builder.looks, sets: builder.sets })
    }
}

fn too_large() -> Refusal {
    Refusal::TooLarge(format!("it needs more than {MAX_OPERATIONS} operations when its repetitions are written out"))
}

fn push(code: &mut Code, op: Op) -> Result<u32, Refusal> {
    if code.ops.len() >= MAX_OPERATIONS {
        return Err(too_large());
    }
    code.ops.push(op);
    u32::try_from(code.ops.len() - 1).map_err(|_| too_large())
}

/// A chain of splits over the starts, the first preferred.
fn split_all(code: &mut Code, starts: &[u32]) -> Result<u32, Refusal> {
    let (&last, others) = starts.split_last().ok_or_else(too_large)?;
    others.iter().rev().try_fold(last, |second, &first| push(code, Op::Split { first, second }))
}

struct Builder<'b> {
    looks: Vec<Code>,
    bodies: Vec<Node>,
    sets: Vec<Symbols>,
    numbers: FxHashMap<Symbols, u16>,
    budget: &'b mut Budget,
}

impl Builder<'_> {
    fn set(&mut self, symbols: &Symbols) -> Result<u16, Refusal> {
        self.budget.spend(symbols.size())?;
        if let Some(&known) = self.numbers.get(symbols) {
            return Ok(known);
        }
        let number = u16::try_from(self.sets.len()).ok().filter(|&n| n < 1000);
        let number = number.ok_or_else(|| Refusal::Unsupported("it has more than 1000 sets".to_owned()))?;
        self.sets.push(symbols.clone());
        self.numbers.insert(symbols.clone(), number);
        Ok(number)
    }

    /// Adds the operations for a node that go on at `next`; gives where they start. Inside a look-ahead only
    /// whether there is a match counts, so an atomic group is let through only where it comes last.
    fn node(&mut self, code: &mut Code, node: &Node, next: u32, looking: bool) -> Result<u32, Refusal> {
        match node {
            Node::Empty => Ok(next),
            Node::Set(symbols) => {
                let set = self.set(symbols)?;
                push(code, Op::Set { set, next })
            }
            Node::Check(symbols) => {
                let set = self.set(symbols)?;
                push(code, Op::Check { set, next })
            }
            Node::Start if looking => Err(Refusal::Unsupported("a look-ahead for the start of the text".to_owned())),
            Node::Start => push(code, Op::Start { next }),
            Node::Look { body, negative } => self.look(code, body, *negative, next),
            Node::Concat(parts) => parts.iter().rev().try_fold(next, |next, part| self.node(code, part, next, looking)),
            Node::Either(parts) => {
                let starts: Result<Vec<u32>, Refusal> =
                    parts.iter().map(|part| self.node(code, part, next, looking)).collect();
                split_all(code, &starts?)
            }
            Node::Repeat { body, min, max, greedy } => self.repeat(code, body, (*min, *max, *greedy), next, looking),
            Node::Atomic(body) if looking => match code.ops.get(next as usize) {
                Some(Op::Match { .. }) => self.node(code, body, next, looking),
                _ => Err(Refusal::Unsupported("an atomic group inside a look-ahead".to_owned())),
            },
            Node::Atomic(body) => {
                let leave = push(code, Op::Leave { next })?;
                let next = self.node(code, body, leave, looking)?;
                push(code, Op::Enter { next })
            }
        }
    }

    fn look(&mut self, code: &mut Code, body: &Node, negative: bool, next: u32) -> Result<u32, Refusal> {
        if let Some(found) = body.as_check(self.budget)? {
            let set = self.set(&if negative { found.complement() } else { found })?;
            return push(code, Op::Check { set, next });
        }
        self.budget.spend(body.size() * (self.bodies.len() + 1))?;
        let known = self.bodies.iter().position(|known| known == body);
        let look = if let Some(known) = known {
            known
        } else {
            let mut inner = Code::default();
            let end = push(&mut inner, Op::Match { alternative: 0 })?;
            inner.start = self.node(&mut inner, body, end, true)?;
            self.looks.push(inner);
            self.bodies.push(body.clone());
            self.looks.len() - 1
        };
        let look = u8::try_from(look).ok().filter(|&look| usize::from(look) < MAX_LOOKS);
        let look =
            look.ok_or_else(|| Refusal::Unsupported(format!("it has more than {MAX_LOOKS} long look-aheads")))?;
        push(code, Op::Look { look, negative, next })
    }

    fn repeat(
        &mut self,
        code: &mut Code,
        body: &Node,
        (min, max, greedy): (u32, Option<u32>, bool),
        next: u32,
        looking: bool,
    ) -> Result<u32, Refusal> {
        let split = |body: u32| {
            if greedy { Op::Split { first: body, second: next } } else { Op::Split { first: next, second: body } }
        };
        let mut start = next;
        let mut copies = min;
        if let Some(max) = max {
            for _ in min..max {
                let once = self.node(code, body, start, looking)?;
                start = push(code, split(once))?;
            }
        } else {
            let again = push(code, split(next))?;
            let once = self.node(code, body, again, looking)?;
            code.ops[again as usize] = split(once);
            (start, copies) = if min == 0 { (again, 0) } else { (once, min - 1) };
        }
        for _ in 0..copies {
            start = self.node(code, body, start, looking)?;
        }
        Ok(start)
    }
}
