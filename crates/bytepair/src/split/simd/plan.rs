//! Which symbols share a group, and which are triggers: it decides how often windows ask, never what they say.
//!
//! Idea: contractions make an automaton tell most letters apart, but only after an apostrophe. So each symbol is tried as
//! a trigger: which symbols can no text without it tell apart? Those share a group. The plans that lead to the fewest
//! groups are worked out in full and the one that asks least is taken. Where groups, rows or columns do
//! not fit the tables, the rarest groups are merged until they do.
//!
//! How often what comes is guessed from a short sample text, the same for every pattern.

use super::super::classes::Classes;
use super::super::minimal::Minimal;
use super::super::parses::Parses;
use super::windows::{GROUPS, Plan, Windows};

/// Plans with a trigger that are worked out in full.
const TRIALS: usize = 3;

/// A little of everything, to guess how often what comes.
const SAMPLE: &str = "The old ferry had not crossed the river since 1987, but she kept the engine well oiled; \"they will need \
it again,\" she said - and she'd been right all along, had she not? We asked for 3 or 4 people (at least) to help. I am sure \
there are others who would: it's only 12.50 an hour, or 2,000 a month.\n\nHere is what you will see next year, already. The \
company announced on Tuesday that several of its very best products were returned, while revenue from related services \
actually fell; more than fifteen hundred employees don't agree with the present policy.\n\
fn total(items: &[Item], rate: f64) -> f64 {\n    let mut sum = 0.0; // nothing yet\n    for item in items.iter() {\n        \
sum += item.price * f64::from(item.count_of_pieces);\n    }\n\n    sum * (1.0 + rate / 100.0)\n}\n\tif (x != NULL && \
strcmp(name, 'ABC') == 0x7f) { return -1; }\n<a href=\"https://example.org/index.html\">Read More</a>\n\
Старый паром не ходил через реку с 1987 года, и никто о нём не вспоминал. Мы спросили, почему.\n\
渡船已经很多年没有过河了，但是她每天都去看看。「明天会来的」，她说。昔々、あるところに、おじいさんとおばあさんがいました。\n\
Cómo está usted? Où est l’été - déjà passé… Über die Brücke ging niemand. कोई नहीं आया। לא בא אף אחד. لم يأت أحد.\n";

/// The sample as symbols, and how often each comes; the sum is 1.
pub(super) struct Sample {
    pub symbols: Vec<usize>,
    pub weights: Vec<f64>,
}

impl Sample {
    fn new(minimal: &Minimal, classes: &Classes) -> Self {
        let symbol = |character: char| minimal.symbol_of[usize::from(classes.of(u32::from(character)))];
        let symbols: Vec<usize> = SAMPLE.chars().map(symbol).collect();
        let mut weights = vec![0.1; minimal.symbols];
        for &symbol in &symbols {
            weights[symbol] += 1.0;
        }
        let sum: f64 = weights.iter().sum();
        Self { symbols, weights: weights.iter().map(|weight| weight / sum).collect() }
    }
}

/// The windows of the best plan, and the group of each class.
pub(super) fn best(minimal: &Minimal, parses: &Parses, classes: &Classes) -> Option<(Windows, Vec<u8>)> {
    let sample = Sample::new(minimal, classes);
    let fine = minimal.groups(&[]);
    let mut plans: Vec<Plan> = (0..minimal.symbols)
        .map(|symbol| Plan { groups: minimal.groups(&[symbol]), triggers: 1 })
        .filter(|plan| plan.groups.len() < fine.len())
        .collect();
    plans.sort_by_key(|plan| plan.groups.len());
    plans.truncate(TRIALS);
    let whole = plans.iter().map(|plan| plan.groups[plan.groups.len() - 1].clone()).map(|trigger| {
        let others = fine.iter().filter(|&group| *group != trigger).cloned();
        Plan { groups: others.chain([trigger.clone()]).collect(), triggers: 1 }
    });
    let whole: Vec<Plan> = whole.collect();
    plans.extend(whole);
    plans.push(Plan { groups: fine, triggers: 0 });
    let mut best: Option<(Windows, Plan)> = None;
    for plan in plans {
        if let Some((windows, plan)) = fit(minimal, parses, plan, &sample)
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

/// Merges the rarest groups until the tables fit.
fn fit(minimal: &Minimal, parses: &Parses, mut plan: Plan, sample: &Sample) -> Option<(Windows, Plan)> {
    loop {
        if plan.groups.len() < GROUPS
            && let Some(windows) = Windows::new(minimal, parses, &plan, sample)
        {
            return Some((windows, plan));
        }
        let mergeable = plan.groups.len() - plan.triggers;
        if mergeable < 2 {
            return None;
        }
        let weight = |group: &Vec<usize>| group.iter().map(|&symbol| sample.weights[symbol]).sum::<f64>();
        plan.groups[..mergeable].sort_by(|a, b| weight(b).total_cmp(&weight(a)));
        let rarest = plan.groups.remove(mergeable - 1);
        plan.groups[mergeable - 2].extend(rarest);
    }
}
