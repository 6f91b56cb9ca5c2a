//! Which symbols share a group, and which are triggers: it decides how often windows ask, never what they say.
//!
//! Idea: contractions make an automaton tell most letters apart, but only after an apostrophe. So each symbol is tried as
//! a trigger: which symbols can no text without it tell apart? Those share a group. The plans that lead to the fewest
//! groups are worked out in full and the one that asks least is taken. Where groups, rows or columns do
//! not fit the tables, the rarest groups are merged until they do.
//!
//! How often a character comes is a rough guess, the same for every pattern.

use super::super::classes::Classes;
use super::minimal::Minimal;
use super::parses::Parses;
use super::windows::{GROUPS, Plan, Windows};

/// Plans with a trigger that are worked out in full.
const TRIALS: usize = 3;

/// Some characters that stand for others, and how often such ones come, in a thousandth.
const WEIGHTS: [(&str, f64); 16] = [
    ("e", 80.0),
    ("taoinsr", 50.0),
    ("hldcumf", 27.0),
    ("pgwybvkxjqz", 11.0),
    ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 1.5),
    (" ", 150.0),
    ("0123456789", 2.0),
    ("\n", 15.0),
    ("\t\r", 2.0),
    (".,", 10.0),
    ("'", 4.0),
    ("!\"#$%&()*+-/:;<=>?@[\\]^_`{|}~", 1.0),
    ("ééбж中のא", 10.0),
    ("БÉ", 2.0),
    ("—’，。", 2.0),
    ("\u{301}\u{a0}٣", 0.5),
];

/// The windows of the best plan, and the group of each class.
pub(super) fn best(minimal: &Minimal, parses: &Parses, classes: &Classes) -> Option<(Windows, Vec<u8>)> {
    let weights = weights(minimal, classes);
    let plain = minimal.groups(&[]);
    let mut plans: Vec<Plan> = (0..minimal.symbols)
        .map(|symbol| Plan { groups: minimal.groups(&[symbol]), triggers: 1 })
        .filter(|plan| plan.groups.len() < plain.len())
        .collect();
    plans.sort_by_key(|plan| plan.groups.len());
    plans.truncate(TRIALS);
    let whole = plans.iter().map(|plan| plan.groups[plan.groups.len() - 1].clone()).map(|trigger| {
        let others = plain.iter().filter(|&group| *group != trigger).cloned();
        Plan { groups: others.chain([trigger.clone()]).collect(), triggers: 1 }
    });
    let whole: Vec<Plan> = whole.collect();
    plans.extend(whole);
    plans.push(Plan { groups: plain, triggers: 0 });
    let mut best: Option<(Windows, Plan)> = None;
    for plan in plans {
        if let Some((windows, plan)) = fit(minimal, parses, plan, &weights)
            && best.as_ref().is_none_or(|(best, _)| windows.asks < best.asks)
        {
            best = Some((windows, plan));
        }
    }
    let (windows, plan) = best?;
    let group = |&symbol: &usize| plan.groups.iter().position(|group| group.contains(&symbol));
    let groups = minimal.symbol_of.iter().map(group);
    let groups = groups.map(|group| u8::try_from(group? + 1).ok()).collect::<Option<Vec<u8>>>()?;
    Some((windows, groups))
}

/// How often each symbol comes; the sum is 1.
fn weights(minimal: &Minimal, classes: &Classes) -> Vec<f64> {
    let mut weights = vec![0.001; minimal.symbols];
    for (characters, weight) in WEIGHTS {
        for character in characters.chars() {
            let class = classes.of(u32::from(character));
            weights[minimal.symbol_of[usize::from(class)]] += weight;
        }
    }
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

/// Merges the rarest groups until the tables fit.
fn fit(minimal: &Minimal, parses: &Parses, mut plan: Plan, weights: &[f64]) -> Option<(Windows, Plan)> {
    loop {
        if plan.groups.len() < GROUPS
            && let Some(windows) = Windows::new(minimal, parses, &plan, weights)
        {
            return Some((windows, plan));
        }
        let mergeable = plan.groups.len() - plan.triggers;
        if mergeable < 2 {
            return None;
        }
        let weight = |group: &Vec<usize>| group.iter().map(|&symbol| weights[symbol]).sum::<f64>();
        plan.groups[..mergeable].sort_by(|a, b| weight(b).total_cmp(&weight(a)));
        let rarest = plan.groups.remove(mergeable - 1);
        plan.groups[mergeable - 2].extend(rarest);
    }
}
