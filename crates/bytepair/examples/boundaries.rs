//! How fast texts are cut, by each path: `boundaries [PRESET or PATTERN] FILE...`. Gives GB/s and ns a pretoken, the best of some
//! runs, and fails where two paths disagree.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::cast_precision_loss)] // a tool for the developer

use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::time::Instant;

use bytepair::split::{Path, Splitter, presets};

/// Seconds of this thread's CPU time, or of any clock where the system does not say.
fn now() -> f64 {
    let begin = *CLOCK.get_or_init(Instant::now);
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let busy = times.split(' ').next().and_then(|busy| busy.parse::<f64>().ok());
    busy.map_or_else(|| begin.elapsed().as_secs_f64(), |busy| busy / 1e9)
}

static CLOCK: OnceLock<Instant> = OnceLock::new();

fn main() {
    let mut arguments = std::env::args().skip(1);
    let pattern = arguments.next().unwrap_or_else(|| "gpt2".to_owned());
    let pattern = presets::pattern(&pattern).unwrap_or(&pattern);
    let paths: [fn(&Path) -> bool; 3] = [|_| true, |path| *path == Path::Avx2, |_| false];
    let splitters: Vec<Splitter> = paths.iter().map(|&allowed| Splitter::with_paths(pattern, allowed).unwrap()).collect();
    for splitter in &splitters {
        let begin = Instant::now();
        let path = splitter.path();
        println!("{path}: prepared in {:.1} ms", begin.elapsed().as_secs_f64() * 1e3);
    }
    for file in arguments {
        let text = std::fs::read(&file).unwrap();
        let times = 20_000_000 / text.len().max(1) + 1;
        let mut expected = None;
        for splitter in &splitters {
            let mut best = f64::INFINITY;
            let mut found = (0, 0);
            for _ in 0..5 {
                let begin = now();
                found = (0, 0);
                let mut each = |base: usize, ends: &[u32]| {
                    found.0 += ends.len();
                    found.1 ^= base + ends.last().map_or(0, |&end| end as usize);
                    ControlFlow::Continue(())
                };
                for _ in 0..times {
                    splitter.cuts(&text, &mut each).unwrap();
                }
                best = best.min((now() - begin) / times as f64);
            }
            let (rate, each) = (text.len() as f64 / best / 1e9, best * 1e9 * times as f64 / found.0 as f64);
            println!("{file} {}: {rate:.2} GB/s, {each:.2} ns a pretoken", splitter.path());
            assert_eq!(*expected.get_or_insert(found.0), found.0, "{file}");
        }
    }
}
