//! Boundaries by shuffles: the fast path of the compiled splitter, for any pattern whose tables fit.
//!
//! Idea: whether a boundary lies between two characters is nearly always settled by the two characters before and the two
//! after. So the text becomes one *group* a character ([`buffer`]), 64 windows of four groups become 64 verdicts
//! with three table look-ups ([`drive`]; [`avx512`], [`avx2`]), and where the verdict is "ask", the scalar automaton runs from
//! the last boundary to the next one. The tables are derived from the automaton: [`minimal`](super::minimal) forgets what does
//! not matter, [`parses`](super::parses) explores what a true parse may be doing, [`plan`] groups the characters, [`windows`] gives the verdicts, [`factor`] packs them.
//!
//! Why it is exact, for every text:
//! 1. The true parse of a text survives in [`parses`](super::parses) as one path of configurations, whose guesses are the scan's decisions.
//! 2. A verdict CUT or join was given only where every configuration that any text may lead to, with those two groups
//!    last, and every way on over the next two groups (or the end) that any text can complete, agree. The true parse is one of
//!    them. A verdict with NEAR was derived for texts with no trigger near, and is used only where there is none.
//!    So a verdict needs no knowledge of earlier verdicts and is the scan's decision, wherever it is used.
//! 3. At the first "ask" after a boundary `b`, all positions between are settled, so `b` is the last boundary before it.
//!    The scan begins a run at every boundary, as at a fresh start, so the scalar automaton run from `b` finds the next true
//!    boundary `e`, at the asked position or after it. All positions up to `e` are then settled, whatever their verdicts.
//!
//! An invalid byte is a symbol as any other, in a group of its class. END and the start of the text are group 0.
//!
//! Cost: about a cycle a byte, and one scalar run for each "ask"; never two runs from one boundary, so it is linear.

#![allow(clippy::inline_always)] // what is generic must be compiled with the instructions of its caller

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod buffer;
mod drive;
mod factor;
mod isa;
mod plan;
#[cfg(test)]
mod tests;
mod wide;
mod windows;

use std::fmt;
use std::ops::ControlFlow;

use super::classes::Classes;
use super::proven::Proofs;
use super::scan::Scanner;
pub(crate) use drive::Room;
use wide::Wide;
use windows::Windows;

/// Past this share of windows that ask, the scalar path is as good.
const MAX_ASKS: f64 = 0.3;

/// How the boundaries of a pattern are found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Path {
    /// Tables derived from the automaton, with AVX-512 (VBMI and VBMI2).
    Avx512,
    /// The same tables, with AVX2.
    Avx2,
    /// One character after the other.
    Scalar {
        /// Why not faster.
        reason: String,
    },
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Avx512 => f.write_str("avx512"),
            Self::Avx2 => f.write_str("avx2"),
            Self::Scalar { reason } => write!(f, "scalar: {reason}"),
        }
    }
}

/// What the shuffles need to know of a pattern.
#[derive(Debug)]
pub(super) struct Tables {
    windows: Windows,
    /// The group of each character.
    groups: Classes,
    wide: Wide,
}

impl Tables {
    /// Derives the tables of a pattern, in a few milliseconds.
    ///
    /// # Errors
    /// Why there are none.
    pub fn new(scanner: &Scanner, proofs: &Proofs) -> Result<Self, &'static str> {
        let (classes, _) = scanner.tables().ok_or("a look-ahead reads more than one character")?;
        let Proofs { minimal, parses } = proofs;
        let (windows, groups) =
            plan::best(minimal, parses, classes).ok_or("four characters tell too many cases apart")?;
        if windows.asks > MAX_ASKS {
            return Err("four characters seldom settle a boundary");
        }
        let groups = classes.renumbered(&groups);
        Ok(Self { windows, wide: Wide::new(&groups), groups })
    }
}

/// A pattern with its tables, and the instructions to use.
#[derive(Debug)]
pub(super) struct Fast {
    tables: Result<Box<Tables>, &'static str>,
    set: Option<Set>,
}

/// A set of instructions that this processor has.
#[derive(Debug, Clone, Copy)]
enum Set {
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::Avx512),
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2),
}

impl Fast {
    /// Prepares a pattern for the best instructions that the processor has and `allowed` accepts.
    pub fn new<'p>(
        scanner: &Scanner,
        proofs: impl FnOnce() -> Result<&'p Proofs, &'static str>,
        allowed: fn(&Path) -> bool,
    ) -> Self {
        let sets = sets();
        let set = sets.iter().copied().find(|set| allowed(&set.path()));
        let tables = match set {
            Some(_) => proofs().and_then(|proofs| Tables::new(scanner, proofs)).map(Box::new),
            None if sets.is_empty() => Err("the processor has neither AVX-512 with VBMI nor AVX2"),
            None => Err("a test asked for it"),
        };
        Self { tables, set }
    }

    /// What runs.
    pub fn path(&self) -> Path {
        match (&self.tables, self.set) {
            (Ok(_), Some(set)) => set.path(),
            (Ok(_), None) => Path::Scalar { reason: String::new() },
            (Err(reason), _) => Path::Scalar { reason: (*reason).to_owned() },
        }
    }

    /// Gives the boundaries after the start, in blocks, each relative to its first argument; `None` where there are no tables.
    pub fn cuts(
        &self,
        scanner: &Scanner,
        text: &[u8],
        room: &mut Room,
        each: &mut dyn FnMut(usize, &[u32]) -> ControlFlow<()>,
    ) -> Option<ControlFlow<()>> {
        let (Ok(tables), Some(set)) = (&self.tables, self.set) else { return None };
        Some(match set {
            #[cfg(target_arch = "x86_64")]
            Set::Avx512(isa) => isa.run(tables, scanner, text, room, each),
            #[cfg(target_arch = "x86_64")]
            Set::Avx2(isa) => isa.run(tables, scanner, text, room, each),
        })
    }
}

impl Set {
    fn path(self) -> Path {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => Path::Avx512,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => Path::Avx2,
        }
    }
}

/// The sets of instructions that this processor has, the best first.
fn sets() -> Vec<Set> {
    #[cfg(target_arch = "x86_64")]
    let sets = avx512::Avx512::new().map(Set::Avx512).into_iter().chain(avx2::Avx2::new().map(Set::Avx2));
    #[cfg(not(target_arch = "x86_64"))]
    let sets = std::iter::empty();
    sets.collect()
}
