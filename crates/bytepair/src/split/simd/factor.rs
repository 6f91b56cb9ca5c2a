//! A table of 256 x 256 verdicts as three tables of 256.
//!
//! Idea: windows whose first halves give the same verdicts with every second half share a row, and so for columns. What
//! no text has may be anything. Where rows x columns is still too much, two rows or two columns become one, which asks
//! wherever they differ: that is never wrong, and those are chosen that come most rarely.
//!
//! Cost: rows^2 x columns for each of the few mergers.

use super::windows::{ANY, ASK, CUT, NEAR};

type Table = [u8; 256];

/// Rows or columns.
struct Lines {
    /// The number of the line of each pair of groups.
    of: Vec<usize>,
    /// How often each line comes.
    weights: Vec<f64>,
}

/// The three tables: what the first two give for two pairs of groups, added, is the index of the verdict in the third.
/// `weight` is how often a pair comes. Where there is no room, NEAR is kept for a whole cell if any of its windows has it.
pub(super) fn factor(table: &[Table], weight: &Weights) -> Option<(Table, Table, Table)> {
    let all = |kept: u8| {
        let (rows, cells) = distinct(table.iter().map(|row| row.map(|verdict| verdict & kept).to_vec()), weight);
        let (columns, cells) = distinct(turned(&cells).into_iter(), weight);
        (rows, columns, turned(&cells))
    };
    let (mut rows, mut columns, mut cells) = all(u8::MAX);
    if rows.weights.len() * columns.weights.len() > 256 {
        (rows, columns, cells) = all(!NEAR);
    }
    while rows.weights.len() * columns.weights.len() > 256 {
        let mut across = turned(&cells);
        let row = cheapest(&cells, &rows.weights, &columns.weights);
        let column = cheapest(&across, &columns.weights, &rows.weights);
        let cost = |found: Option<(f64, usize, usize)>| found.map_or(f64::INFINITY, |(cost, ..)| cost);
        if cost(row) <= cost(column) {
            let (_, kept, gone) = row?;
            rows.merge(kept, gone, &mut cells);
        } else {
            let (_, kept, gone) = column?;
            columns.merge(kept, gone, &mut across);
            cells = turned(&across);
        }
    }
    let width = columns.weights.len();
    let mut tables = ([0; 256], [0; 256], [0; 256]);
    for pair in 0..256 {
        tables.0[pair] = u8::try_from(rows.of[pair] * width).ok()?;
        tables.1[pair] = u8::try_from(columns.of[pair]).ok()?;
    }
    for (row, cells) in cells.iter().enumerate() {
        for (column, &verdict) in cells.iter().enumerate() {
            tables.2[row * width + column] = verdict & (CUT | ASK);
        }
    }
    for (left, row) in table.iter().enumerate() {
        for (right, &verdict) in row.iter().enumerate() {
            tables.2[rows.of[left] * width + columns.of[right]] |= verdict & NEAR;
        }
    }
    Some(tables)
}

/// How often each pair of groups comes.
pub(super) type Weights = [f64; 256];

impl Lines {
    fn merge(&mut self, kept: usize, gone: usize, cells: &mut Vec<Vec<u8>>) {
        let line = cells.swap_remove(gone);
        for (cell, other) in cells[kept].iter_mut().zip(line) {
            *cell = join(*cell, other);
        }
        let weight = self.weights.swap_remove(gone);
        self.weights[kept] += weight;
        let moved = self.weights.len();
        for line in &mut self.of {
            *line = if *line == gone {
                kept
            } else if *line == moved {
                gone
            } else {
                *line
            };
        }
    }
}

/// A verdict that is right for both.
fn join(one: u8, other: u8) -> u8 {
    match (one, other) {
        (ANY, verdict) | (verdict, ANY) => verdict,
        _ if one == other => one,
        _ => ASK,
    }
}

/// The two lines, the lower first, that it costs least to merge.
fn cheapest(cells: &[Vec<u8>], weights: &[f64], across: &[f64]) -> Option<(f64, usize, usize)> {
    let mut best: Option<(f64, usize, usize)> = None;
    for (gone, line) in cells.iter().enumerate() {
        for (kept, other) in cells[..gone].iter().enumerate() {
            let mut cost = 0.0;
            for ((&one, &two), weight) in other.iter().zip(line).zip(across) {
                let both = join(one, two);
                let worse = |verdict: u8| verdict != ASK && both == ASK;
                cost += weight
                    * (f64::from(u8::from(worse(one))) * weights[kept]
                        + f64::from(u8::from(worse(two))) * weights[gone]);
            }
            if best.is_none_or(|(least, ..)| cost < least) {
                best = Some((cost, kept, gone));
            }
        }
    }
    best
}

/// Gathers equal lines.
fn distinct(lines: impl Iterator<Item = Vec<u8>>, weight: &Weights) -> (Lines, Vec<Vec<u8>>) {
    let mut found = Lines { of: Vec::new(), weights: Vec::new() };
    let mut cells: Vec<Vec<u8>> = Vec::new();
    for (line, weight) in lines.zip(weight) {
        let number = cells.iter().position(|known| *known == line).unwrap_or(cells.len());
        if number == cells.len() {
            cells.push(line);
            found.weights.push(0.0);
        }
        found.of.push(number);
        found.weights[number] += weight;
    }
    (found, cells)
}

fn turned(cells: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let width = cells.first().map_or(0, Vec::len);
    (0..width).map(|column| cells.iter().map(|row| row[column]).collect()).collect()
}
