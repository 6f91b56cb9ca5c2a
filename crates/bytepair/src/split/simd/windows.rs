//! The verdict on a position from the four characters around it: two before, two after.
//!
//! Idea: symbols are put into at most 15 *groups*, by whatever plan ([`plan`](super::plan)); a window is four groups. The
//! configurations in which a true parse may be between the second and the third character are those reached from any
//! configuration by any two symbols of the first two groups; over them, every way on through symbols of the last two
//! groups either has a boundary there or has not. If all have, the verdict is CUT; if none has, nothing (join); else ASK.
//! A group may hold symbols that the automaton tells apart: then more ways are looked at, and the verdict is ASK sooner,
//! but never wrong. Group 0, EDGE, stands before the text and after it.
//!
//! A *trigger* is a symbol that makes windows depend on more than two characters to the left (the apostrophe of
//! contractions). For each window there is a second verdict, which holds if no trigger stands up to [`Windows::reach`]
//! characters to the left, the first two of which are in the window. Where only this one is certain, the verdict has NEAR.
//!
//! The verdicts are then factored into three tables of 256 bytes ([`factor`]).
//!
//! Cost: groups x symbols x configurations, a few hundred thousand steps.

use super::super::minimal::Minimal;
use super::super::parses::Parses;
use super::factor;
use super::plan::Sample;

/// The group before the start and after the end of the text.
pub(super) const EDGE: u8 = 0;
/// The groups that four bits can name, with [`EDGE`].
pub(super) const GROUPS: usize = 16;
/// In a verdict: a boundary.
pub(super) const CUT: u8 = 1;
/// In a verdict: more must be read to know.
pub(super) const ASK: u8 = 2;
/// In a verdict: as [`ASK`] if a trigger is near.
pub(super) const NEAR: u8 = 4;
/// In a verdict: no text has this window.
pub(super) const ANY: u8 = 8;
/// How far to the left triggers are looked for at most.
pub(super) const MAX_REACH: usize = 6;

/// The symbols of each group (group 1 first), the last `triggers` of which are triggers.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub groups: Vec<Vec<usize>>,
    pub triggers: usize,
}

/// The tables. `left[first] | second` is the index of the row, `middle[third] | fourth` that of the column; the sum of what
/// they give is the index of the verdict.
#[derive(Debug, Clone)]
pub(super) struct Windows {
    pub left: [u8; 16],
    pub middle: [u8; 16],
    pub rows: [u8; 256],
    pub columns: [u8; 256],
    pub verdicts: [u8; 256],
    /// How much of `rows` and `columns`, and of `verdicts`, is used, in multiples of 16.
    pub pairs: usize,
    pub cells: usize,
    /// The first group that is a trigger; all after it are.
    pub trigger: u8,
    /// How many characters to the left a trigger is near; 2 when there is none to look for.
    pub reach: usize,
    /// The share of the sample's windows that ask.
    pub asks: f64,
}

/// How rare an edge of the text is.
const EDGE_WEIGHT: f64 = 1e-6;

/// A set of configurations.
type Set = Vec<bool>;
/// For each third group, the fourth groups that are possible without and with a boundary.
type Ways = [[u16; 2]; GROUPS];
/// The verdicts with one first half.
type Row = [u8; 256];

impl Windows {
    /// Works the tables out; `None` when there are too many groups, rows or columns.
    pub fn new(minimal: &Minimal, parses: &Parses, plan: &Plan, sample: &Sample) -> Option<Self> {
        if plan.groups.len() >= GROUPS {
            return None;
        }
        let ways = ways(parses, plan);
        let table = |far: &Set| table(parses, plan, &ways, far);
        let far = far_from_triggers(minimal, parses, plan);
        let doubts = |table: &[Row]| table.iter().flatten().filter(|&&verdict| verdict == ASK).count();
        // Looking further to the left costs, so no further than it helps.
        let mut best = table(far.last()?);
        let mut reach = far.len() + 1;
        while reach > 2 {
            let nearer = table(&far[reach - 3]);
            if doubts(&nearer) > doubts(&best) {
                break;
            }
            (best, reach) = (nearer, reach - 1);
        }
        let table = best;
        let trigger = u8::try_from(plan.groups.len() - plan.triggers + 1).ok()?;
        let weight = pair_weights(plan, &sample.weights);
        let (rows, columns, verdicts) = factor::factor(&table, &weight)?;
        let (left, rows) = compact(&rows);
        let (middle, columns) = compact(&columns);
        let used = |table: &Row| table.iter().max().map_or(0, |&most| usize::from(most));
        let cells = (used(&rows) + used(&columns) + 1).next_multiple_of(16);
        let pairs = usize::from(left.into_iter().chain(middle).max()?) + GROUPS;
        let mut windows = Self { left, middle, rows, columns, verdicts, pairs, cells, trigger, reach, asks: 0.0 };
        windows.asks = windows.share_of_asks(plan, sample);
        Some(windows)
    }

    /// How often a window of the sample asks.
    fn share_of_asks(&self, plan: &Plan, sample: &Sample) -> f64 {
        let group =
            |symbol| (1..).zip(&plan.groups).find(|(_, group)| group.contains(symbol)).map_or(EDGE, |found| found.0);
        let groups: Vec<u8> = sample.symbols.iter().map(group).collect();
        let (mut asks, mut all, mut near) = (0.0, 0.0, 0);
        for window in groups.windows(4) {
            let verdict = self.verdict([window[0], window[1], window[2], window[3]]);
            asks += f64::from(u8::from(verdict & ASK != 0 || verdict & NEAR != 0 && near > 0));
            all += 1.0;
            near = if window[0] >= self.trigger { self.reach - 2 } else { near.saturating_sub(1) };
        }
        asks / all
    }

    /// The verdict on a window, by the definition of the tables.
    pub fn verdict(&self, window: [u8; 4]) -> u8 {
        let [first, second, third, fourth] = window.map(usize::from);
        let row = self.rows[usize::from(self.left[first]) | second];
        let column = self.columns[usize::from(self.middle[third]) | fourth];
        self.verdicts[usize::from(row) + usize::from(column)]
    }
}

/// The configurations after one symbol of a group.
fn after(parses: &Parses, set: &Set, group: &[usize]) -> Set {
    let mut reached = vec![false; set.len()];
    for configuration in (0..set.len()).filter(|&c| set[c]) {
        for &symbol in group {
            for &(next, _) in parses.steps(configuration, symbol) {
                reached[next as usize] = true;
            }
        }
    }
    reached
}

/// All configurations, and those that a text may lead to whose last one, two and so on characters are no triggers.
fn far_from_triggers(minimal: &Minimal, parses: &Parses, plan: &Plan) -> Vec<Set> {
    let triggers: Vec<usize> = plan.groups.iter().rev().take(plan.triggers).flatten().copied().collect();
    let others: Vec<usize> = (0..minimal.symbols).filter(|s| !triggers.contains(s)).collect();
    let mut sets = vec![vec![true; parses.count()]];
    while sets.len() < MAX_REACH - 1 && !triggers.is_empty() {
        let mut next = after(parses, &sets[sets.len() - 1], &others);
        next[0] = true;
        if sets.last() == Some(&next) {
            break;
        }
        sets.push(next);
    }
    sets
}

/// The verdicts on all windows, and for those that may also follow a set of configurations only.
fn table(parses: &Parses, plan: &Plan, ways: &[Ways], far: &Set) -> Vec<Row> {
    let anywhere = vec![true; parses.count()];
    let mut start = vec![false; parses.count()];
    start[0] = true;
    let mut table = vec![[ANY; 256]; 256];
    let none: &[usize] = &[];
    for (before, group) in [none].into_iter().chain(plan.groups.iter().map(Vec::as_slice)).enumerate() {
        let (near, far) = if before == usize::from(EDGE) {
            (start.clone(), start.clone())
        } else {
            (after(parses, &anywhere, group), after(parses, far, group))
        };
        for (last, group) in plan.groups.iter().enumerate() {
            let (near, far) = (after(parses, &near, group), after(parses, &far, group));
            table[before << 4 | (last + 1)] = row(&all_ways(ways, &near), &all_ways(ways, &far));
        }
    }
    table
}

/// For each configuration, what is possible in the third and the fourth group.
fn ways(parses: &Parses, plan: &Plan) -> Vec<Ways> {
    let fourth = |configuration: usize| {
        let mut groups = u16::from(parses.may_end(configuration)) << EDGE;
        for (index, group) in plan.groups.iter().enumerate() {
            let possible = group.iter().any(|&symbol| !parses.steps(configuration, symbol).is_empty());
            groups |= u16::from(possible) << (index + 1);
        }
        groups
    };
    let fourth: Vec<u16> = (0..parses.count()).map(fourth).collect();
    let ways = |configuration: usize| {
        let mut ways = Ways::default();
        for (index, group) in plan.groups.iter().enumerate() {
            for &(next, boundary) in group.iter().flat_map(|&symbol| parses.steps(configuration, symbol)) {
                ways[index + 1][usize::from(boundary)] |= fourth[next as usize];
            }
        }
        ways
    };
    (0..parses.count()).map(ways).collect()
}

/// What is possible in any of the configurations.
fn all_ways(ways: &[Ways], set: &Set) -> Ways {
    let mut all = Ways::default();
    for (ways, _) in ways.iter().zip(set).filter(|&(_, &inside)| inside) {
        for (all, ways) in all.iter_mut().zip(ways) {
            all[0] |= ways[0];
            all[1] |= ways[1];
        }
    }
    all
}

fn row(near: &Ways, far: &Ways) -> Row {
    let mut row = [0; 256];
    for (third, (near, far)) in near.iter().zip(far).enumerate() {
        for fourth in 0..GROUPS {
            let holds = |groups: u16| groups >> fourth & 1 == 1;
            let near = |cut: bool| u8::from(holds(near[usize::from(cut)])) * NEAR;
            row[third << 4 | fourth] = match (holds(far[0]), holds(far[1])) {
                (true, true) => ASK,
                (true, false) => near(true),
                (false, true) => CUT | near(false),
                (false, false) => ANY | near(true) | near(false),
            };
        }
    }
    row
}

/// A table by pairs of groups as one of sixteen by the first group and a smaller one: groups that are alike share a part.
fn compact(table: &Row) -> ([u8; 16], Row) {
    let mut parts: Vec<&[u8]> = Vec::new();
    let mut part_of = [0; 16];
    for (group, part) in table.chunks_exact(GROUPS).enumerate() {
        let number = parts.iter().position(|known| *known == part).unwrap_or(parts.len());
        if number == parts.len() {
            parts.push(part);
        }
        part_of[group] = u8::try_from(number << 4).unwrap_or_default();
    }
    let mut compact = [0; 256];
    for (to, from) in compact.chunks_exact_mut(GROUPS).zip(parts) {
        to.copy_from_slice(from);
    }
    (part_of, compact)
}

/// How often two groups come one after the other, if characters came independently; `pair[0]` is twice EDGE.
fn pair_weights(plan: &Plan, weights: &[f64]) -> [f64; 256] {
    let mut weight = [0.0; GROUPS];
    weight[usize::from(EDGE)] = EDGE_WEIGHT;
    for (group, weight) in plan.groups.iter().zip(&mut weight[1..]) {
        *weight = group.iter().map(|&symbol| weights[symbol]).sum();
    }
    std::array::from_fn(|pair| weight[pair >> 4] * weight[pair & 15])
}
