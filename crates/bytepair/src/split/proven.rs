//! Positions at which a text may be taken apart: both parts, each split as a text of its own, give the boundaries of the whole.
//!
//! Idea: a few symbols before a position say in which configurations of [`parses`](super::parses) the true parse of *any* such
//! text can be there; over the symbols after it, some of them can go on. The position is **proven** if all that can
//! - have a boundary there. A run begins at a boundary as at the start of a text (patterns that can tell the two apart have no
//!   proofs), so the right part alone has the boundaries that it has in the whole;
//! - may end there. Then the guesses of the true parse survive the left part as a text of its own, so they are its true parse too.
//!
//! What stands further off does not matter, so a position that is proven stays so however the text goes on.
//!
//! Cost: symbols x configurations for each position that is looked at, some microseconds; windows that come again (all of a
//! long run) are looked up.

use rustc_hash::FxHashMap;

use super::classes::Classes;
use super::minimal::Minimal;
use super::parses::Parses;
use super::scan::Scanner;

/// Symbols that are looked at before and after a position.
const BEFORE: usize = 4;
const AFTER: usize = 3;

/// In a window: the start or the end of the text.
const EDGE: u8 = u8::MAX;

/// The symbols around a position.
type Window = [u8; BEFORE + AFTER];

/// What is known of all texts by the automaton of a pattern.
#[derive(Debug)]
pub(super) struct Proofs {
    pub minimal: Minimal,
    pub parses: Parses,
}

/// A text, and which windows of it were proven.
struct Search<'t> {
    proofs: &'t Proofs,
    classes: &'t Classes,
    text: &'t [u8],
    known: FxHashMap<Window, bool>,
}

impl Proofs {
    /// Explores the parses of a pattern, in a few milliseconds.
    ///
    /// # Errors
    /// Why that cannot be done.
    pub fn new(scanner: &Scanner) -> Result<Self, &'static str> {
        let (classes, automaton) = scanner.tables().ok_or("a look-ahead reads more than one character")?;
        let minimal = Minimal::new(automaton, classes.count()).ok_or("the automaton is large")?;
        let parses = Parses::new(&minimal).ok_or("boundaries depend on too much text")?;
        Ok(Self { minimal, parses })
    }

    /// The proven position nearest to `around`, at most `within` bytes away.
    pub fn near(&self, scanner: &Scanner, text: &[u8], around: usize, within: usize) -> Option<usize> {
        let mut search = self.search(scanner, text)?;
        nearest(text, around, within, |at| search.is_proven(at))
    }

    fn search<'t>(&'t self, scanner: &'t Scanner, text: &'t [u8]) -> Option<Search<'t>> {
        let (classes, _) = scanner.tables()?;
        let usable = self.parses.exact && self.minimal.first == self.minimal.start;
        usable.then(|| Search { proofs: self, classes, text, known: FxHashMap::default() })
    }

    /// Whether a window proves the position in its middle.
    fn proves(&self, window: Window) -> bool {
        let parses = &self.parses;
        let (before, after) = window.split_at(BEFORE);
        let mut here = vec![before[0] != EDGE; parses.count()];
        if before[0] == EDGE {
            here[0] = true;
        }
        for &symbol in before.iter().filter(|&&symbol| symbol != EDGE) {
            let mut next = vec![false; parses.count()];
            for configuration in (0..parses.count()).filter(|&configuration| here[configuration]) {
                for &(to, _) in parses.steps(configuration, usize::from(symbol)) {
                    next[to as usize] = true;
                }
            }
            here = next;
        }
        (0..parses.count()).filter(|&configuration| here[configuration]).all(|configuration| {
            let ways = |boundary| self.goes_on(configuration, Some(boundary), after);
            !ways(false) && (parses.may_end(configuration) || !ways(true))
        })
    }

    /// Whether a parse can go on from a configuration over symbols, with or without a boundary before the first.
    fn goes_on(&self, configuration: usize, boundary: Option<bool>, symbols: &[u8]) -> bool {
        let Some((&symbol, rest)) = symbols.split_first() else { return true };
        if symbol == EDGE {
            return self.parses.may_end(configuration);
        }
        self.parses.steps(configuration, usize::from(symbol)).iter().any(|&(next, found)| {
            boundary.is_none_or(|boundary| boundary == found) && self.goes_on(next as usize, None, rest)
        })
    }
}

impl Search<'_> {
    fn is_proven(&mut self, at: usize) -> bool {
        if at == 0 || at >= self.text.len() || self.inside_a_character(at) {
            return false;
        }
        let window = self.window(at);
        *self.known.entry(window).or_insert_with(|| self.proofs.proves(window))
    }

    fn inside_a_character(&self, at: usize) -> bool {
        (1..=at.min(3)).any(|back| self.classes.at(self.text, at - back).is_some_and(|(_, length)| length > back))
    }

    fn window(&self, at: usize) -> Window {
        let symbol = |class: u8| u8::try_from(self.proofs.minimal.symbol_of[usize::from(class)]).unwrap_or(EDGE);
        let mut window = [EDGE; BEFORE + AFTER];
        let (before, after) = window.split_at_mut(BEFORE);
        let mut end = at;
        for place in before.iter_mut().rev() {
            let Some((class, length)) = self.classes.before(self.text, end) else { break };
            *place = symbol(class);
            end -= length;
        }
        let mut start = at;
        for place in after {
            let Some((class, length)) = self.classes.at(self.text, start) else {
                *place = EDGE;
                break;
            };
            *place = symbol(class);
            start += length;
        }
        window
    }
}

/// The position nearest to `around` that is good, at most `within` bytes away.
pub(super) fn nearest(text: &[u8], around: usize, within: usize, mut good: impl FnMut(usize) -> bool) -> Option<usize> {
    let around = around.min(text.len());
    let by_distance = (0..=within.min(text.len())).flat_map(|far| [around.checked_sub(far), around.checked_add(far)]);
    by_distance.flatten().find(|&at| good(at))
}

/// Whether what follows a position, if anything is known to follow, is no white space, and what stands before it is (in ASCII).
pub(super) fn begins_a_word(text: &[u8], at: usize, open: bool) -> bool {
    let end = text.len().min(at + 4);
    let known = if open { without_torn_character(&text[..end]).len() } else { end };
    at > 0
        && at < known
        && matches!(text[at - 1], b'\t'..=b'\r' | b' ')
        && text[at..end]
            .utf8_chunks()
            .next()
            .and_then(|chunk| chunk.valid().chars().next())
            .is_none_or(|c| !c.is_whitespace())
}

/// A text without what may be the beginning of a character at its end.
pub(super) fn without_torn_character(text: &[u8]) -> &[u8] {
    let lengths = |lead: u8| match lead {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0.. => 4,
        _ => 1,
    };
    let torn = (1..=text.len().min(3)).find(|&back| lengths(text[text.len() - back]) > back);
    &text[..text.len() - torn.unwrap_or(0)]
}
