//! How long encoding takes, in nanoseconds of CPU time for each pretoken: `encode_speed RANKS PATTERN TEXT...`
//!
//! RANKS is a rank file as tiktoken writes it, PATTERN the name of a preset. Of each text: *split*, splitting alone;
//! *plain*, all of it without the table; *cold*, the first quarter with a fresh tokenizer; *steady*, the rest after
//! that; *warm*, the rest again; *count*, counting the rest. Of the last four, the best of three rounds.

use std::error::Error;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use bytepair::split::presets;
use bytepair::tokenizer::EncodeOptions;
use bytepair::{SpecialTokens, Splitter, Tokenizer, Vocabulary};

/// The bytes of one base64 word.
fn base64(word: &[u8]) -> Option<Vec<u8>> {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut held, mut bytes) = (0u32, 0, Vec::new());
    for byte in word.iter().take_while(|&&byte| byte != b'=') {
        bits = bits << 6 | u32::try_from(digits.iter().position(|digit| digit == byte)?).ok()?;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from(bits >> held & 0xFF).ok()?);
        }
    }
    Some(bytes)
}

/// Tokens with their ranks.
type Ranks = Vec<(u32, Vec<u8>)>;

fn ranks(path: &str) -> Result<Ranks, Box<dyn Error>> {
    let mut ranks = Vec::new();
    for line in std::fs::read_to_string(path)?.lines() {
        let (token, rank) = line.split_once(' ').ok_or("a line without a rank")?;
        ranks.push((rank.parse()?, base64(token.as_bytes()).ok_or("a line without base64")?));
    }
    Ok(ranks)
}

/// The CPU time of this thread where the system tells it, else the time.
fn clock(start: Instant) -> Duration {
    // The system adds up the time when it looks at the thread, as it does now.
    std::thread::yield_now();
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = spent.and_then(|spent| spent.split(' ').next()?.parse().ok());
    spent.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

/// Runs some work and gives the CPU time it took.
fn time<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let before = clock(start);
    let done = work();
    (clock(start).saturating_sub(before), done)
}

fn pretokens(splitter: &Splitter, text: &[u8]) -> bytepair::Result<usize> {
    let mut count = 0;
    splitter.cuts(text, |_, ends| {
        count += ends.len();
        ControlFlow::Continue(())
    })?;
    Ok(count)
}

/// The best of so many is given.
const ROUNDS: usize = 3;

/// Measures one text and prints a line.
fn measure(path: &str, splitter: &Splitter, vocabulary: &Vocabulary) -> Result<(), Box<dyn Error>> {
    let text = std::fs::read(path)?;
    let cut = |at: usize| (at..text.len()).find(|&at| text[at] == b'\n').unwrap_or(at);
    let (first, rest) = text.split_at(cut(text.len() / 4));
    let line = |name: &str, took: Duration, part: &[u8], pretokens: usize| {
        #[allow(clippy::cast_precision_loss)] // for showing
        let (each, speed) = (took.as_secs_f64() * 1e9 / pretokens as f64, part.len() as f64 / took.as_secs_f64() / 1e6);
        print!("  {name} {each:6.1} ns {speed:6.0} MB/s");
    };
    let (count_first, count_rest) = (pretokens(splitter, first)?, pretokens(splitter, rest)?);
    print!("{:8}", path.rsplit('/').next().unwrap_or(path));
    line("split", time(|| pretokens(splitter, rest)).0, rest, count_rest);
    let mut expected = Vec::new();
    let plain =
        time(|| tokenizer(splitter, vocabulary)?.encode_plainly(&text, EncodeOptions::default(), &mut expected));
    plain.1?;
    line("plain", plain.0, &text, count_first + count_rest);
    // Touched once, so that the system's handing out of memory is not measured.
    let mut ids = vec![1; text.len()];
    let parts = [("cold", first, count_first), ("steady", rest, count_rest), ("warm", rest, count_rest)];
    let mut least = [Duration::MAX; 4];
    for _ in 0..ROUNDS {
        let tokenizer = tokenizer(splitter, vocabulary)?;
        for ((_, part, _), least) in parts.iter().zip(&mut least) {
            ids.clear();
            let (took, done) = time(|| tokenizer.encode(part, EncodeOptions::default(), &mut ids));
            done?;
            *least = took.min(*least);
        }
        let (took, counted) = time(|| tokenizer.count(rest, EncodeOptions::default()));
        least[3] = took.min(least[3]);
        let same = counted? == ids.len();
        ids.clear();
        tokenizer.encode(&text, EncodeOptions::default(), &mut ids)?;
        if !same || ids != expected {
            return Err(format!("{path}: the table's ids differ").into());
        }
    }
    for ((name, part, count), least) in parts.into_iter().chain([("count", rest, count_rest)]).zip(least) {
        line(name, least, part, count);
    }
    println!();
    Ok(())
}

fn tokenizer(splitter: &Splitter, vocabulary: &Vocabulary) -> bytepair::Result<Tokenizer> {
    Tokenizer::new(splitter.clone(), vocabulary.clone(), SpecialTokens::default())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [ranks_path, preset, texts @ ..] = arguments.as_slice() else {
        return Err("usage: encode_speed RANKS PATTERN TEXT...".into());
    };
    let splitter = Splitter::new(presets::pattern(preset).unwrap_or(preset))?;
    let ranks = ranks(ranks_path)?;
    let (took, vocabulary) = time(|| Vocabulary::from_ranks(ranks));
    let vocabulary = vocabulary?;
    let tokenizer = tokenizer(&splitter, &vocabulary)?;
    let (prepared, ()) = time(|| tokenizer.prepare());
    println!("vocabulary {took:.1?}, its cuts {prepared:.1?}");
    for path in texts {
        measure(path, &splitter, &vocabulary)?;
    }
    Ok(())
}
