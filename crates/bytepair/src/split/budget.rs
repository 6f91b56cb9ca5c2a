//! What it may cost to compile a pattern to an automaton.
//!
//! The work is counted, never timed, so the same pattern has the same engine on every machine. Every loop whose length a
//! pattern can choose pays for what it does before it goes on; when nothing is left, the pattern goes to the backtracking
//! engine. A step takes some 10 ns.

use super::parse::Reason;

/// The steps that one pattern may take: about a tenth of a second. The dearest preset takes a twentieth of them.
const STEPS: usize = 5_000_000;

/// The steps that are left.
#[derive(Debug)]
pub(super) struct Budget(usize);

impl Budget {
    /// The budget of one pattern.
    pub fn new() -> Self {
        Self(STEPS)
    }

    /// Pays for some work.
    ///
    /// # Errors
    /// When less than that is left.
    pub fn spend(&mut self, steps: usize) -> Result<(), Reason> {
        if let Some(left) = self.0.checked_sub(steps) {
            self.0 = left;
            return Ok(());
        }
        self.0 = 0;
        Err("its automaton takes too long to build".to_owned())
    }

    /// The steps that were taken.
    #[cfg(test)]
    pub fn spent(&self) -> usize {
        STEPS - self.0
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)] // a test's way to fail
mod tests {
    use super::*;
    use crate::split::parse::parse;
    use crate::split::presets::PRESETS;
    use crate::split::program::Refusal;
    use crate::split::scan::Scanner;
    use crate::split::{Engine, Splitter};

    /// The steps that compiling takes, and why there is no automaton.
    fn compile(pattern: &str) -> (usize, Option<Refusal>) {
        let mut budget = Budget::new();
        let tree = parse(pattern, &mut budget).map_err(Refusal::Unsupported);
        let refused = tree.and_then(|tree| Scanner::new(&tree, &mut budget)).err();
        (budget.spent(), refused)
    }

    #[test]
    fn presets_take_a_twentieth_of_the_budget() {
        for (name, pattern) in PRESETS {
            let (steps, refused) = compile(pattern);
            assert!(refused.is_none(), "{name}: {refused:?}");
            assert!(steps < STEPS / 20, "{name}: {steps}");
        }
    }

    #[test]
    fn a_budget_ends_exactly() {
        let mut budget = Budget::new();
        assert!(budget.spend(STEPS).is_ok() && budget.spend(0).is_ok() && budget.spend(1).is_err());
        assert!(Budget::new().spend(usize::MAX).is_err());
    }

    /// Patterns that are dear in each part of the work: reading classes, look-aheads, states, visits to atomic groups.
    fn hostile() -> Vec<String> {
        let parts = |count: u32, from: u32, part: fn(char) -> String| -> String {
            (0..count).filter_map(|n| char::from_u32(from + 2 * n)).map(part).collect()
        };
        let mut patterns: Vec<String> = [
            r"(?i:\n{1,3}+|ſ+\W+?.|\p{Han}[^\s\p{L}]ſ*)* ++\p{L}{1,3}+",
            "(?:a{1,100}){1,100}b",
            "(?:(?:a{1,20}){1,20}){1,20}",
            ".{1,5000}a.{1,5000}",
            "[ab]*a[ab]{14}|.",
            r"\W{9999}",
            "a(?!(?:.{1,30}b){3}c)",
            "(?=a{1,4000}b)a",
            r"(?=\pL{1,300}b)\pL+(?=\pL{1,300}c)(?=\pL{1,300}d)(?=\pL{1,300}e)a",
        ]
        .map(str::to_owned)
        .into();
        patterns.extend([
            r"\p{L}".repeat(6500),
            r"(?i)\p{Any}".repeat(2900),
            format!("(?i)[{}]", r"\p{Any}".repeat(4000)),
            format!("[{}]", r"\W".repeat(16_000)),
            parts(3000, 0x2000, |c| format!("[\\pL{c}]")),
            parts(2000, 0x4000, |c| format!("a(?={c}b)|")),
            format!("(?={}é)b", parts(8000, 0x3000, |c| format!("{c}|"))),
            format!("(?={}x{}ab)", "(?:a|é|".repeat(99), ")".repeat(99)),
            "(?=".repeat(90) + "ab" + &")".repeat(90),
            "(?>a|ab)*+(?>b|c)++".repeat(500),
            "(?>a*|ab)".repeat(2000),
            "a?".repeat(5000) + &"a".repeat(5000),
            "(?:a++|b)*c|".repeat(1000),
            "a*+".repeat(8000),
        ]);
        patterns
    }

    #[test]
    fn hostile_patterns_end_within_the_budget_and_always_alike() {
        for pattern in hostile() {
            let shown: String = pattern.chars().take(60).collect();
            let (steps, refused) = compile(&pattern);
            assert!(steps <= STEPS, "{shown}: {steps}");
            assert_eq!(compile(&pattern).0, steps, "{shown}");
            let automaton =
                Splitter::new(&pattern).is_ok_and(|splitter| matches!(splitter.engine(), Engine::Automaton { .. }));
            assert_eq!(automaton, refused.is_none(), "{shown}");
        }
    }

    #[test]
    fn the_dearest_kinds_are_refused_and_say_why() {
        for (pattern, reason) in [
            ("(?>a*|ab)".repeat(2000), "takes too long"),
            (r"(?i:\n{1,3}+|ſ+\W+?.|\p{Han}[^\s\p{L}]ſ*)* ++\p{L}{1,3}+".to_owned(), "interleave"),
            ("(?:a++|b)*c|".repeat(1000), "takes too long"),
        ] {
            match compile(&pattern) {
                (_, Some(Refusal::Unsupported(why))) => assert!(why.contains(reason), "{why}"),
                (steps, other) => panic!("{pattern}: {steps} {other:?}"),
            }
        }
        let error = Splitter::new(&format!("(?i)[{}]", r"\p{Any}".repeat(4000))).unwrap_err().to_string();
        assert!(error.contains("ignores case and has 4000 named classes") && error.contains("\nhint: "), "{error}");
    }
}
