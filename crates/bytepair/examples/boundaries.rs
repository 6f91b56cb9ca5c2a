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
    let splitters: Vec<Splitter> =
        paths.iter().map(|&allowed| Splitter::with_paths(pattern, allowed).unwrap()).collect();
    for splitter in &splitters {
        let begin = Instant::now();
        let path = splitter.path();
        println!("{path}: prepared in {:.1} ms", begin.elapsed().as_secs_f64() * 1e3);
    }
    for file in arguments {
        let text = std::fs::read(&file).unwrap();
        let mut expected = None;
        for splitter in &splitters {
            let (seconds, found) = time(splitter, &std::iter::once(&text[..]), text.len());
            let (rate, each) = (text.len() as f64 / seconds / 1e9, seconds * 1e9 / found as f64);
            print!("{file} {}: {rate:.2} GB/s, {each:.2} ns a pretoken", splitter.path());
            for length in [20, 200, 2_000] {
                let (seconds, _) = time(splitter, &text.chunks(length), text.len());
                print!(", {:.0} ns for {length} B", seconds * 1e9 * length as f64 / text.len() as f64);
            }
            println!();
            assert_eq!(*expected.get_or_insert(found), found, "{file}");
        }
    }
}

/// The best of some runs over all texts of so many bytes together, in seconds, and the pretokens.
fn time<'t>(splitter: &Splitter, texts: &(impl Iterator<Item = &'t [u8]> + Clone), length: usize) -> (f64, usize) {
    let times = 20_000_000 / length.max(1) + 1;
    let (mut best, mut found) = (f64::INFINITY, 0);
    for _ in 0..5 {
        let begin = now();
        found = 0;
        let mut last = 0;
        for text in std::iter::repeat_n(texts.clone(), times).flatten() {
            let each = |base: usize, ends: &[u32]| {
                found += ends.len();
                last ^= base + ends.last().map_or(0, |&end| end as usize);
                ControlFlow::Continue(())
            };
            splitter.cuts(text, each).unwrap();
        }
        std::hint::black_box(last);
        best = best.min((now() - begin) / times as f64);
    }
    (best, found / times)
}
