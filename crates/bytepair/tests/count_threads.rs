//! Counting on any number of threads, in any batches and parts: the table of the plain path, in its order.
#![allow(clippy::unwrap_used)]

use bytepair::count::{Counting, Counts};
use bytepair::split::presets;
use bytepair::{Cancel, SpecialToken, SpecialTokens, Splitter};
use proptest::prelude::*;

const FRAGMENTS: &[&[u8]] = &[
    b"a",
    b"b",
    b" ",
    b"  ",
    b"\n",
    b"\r\n",
    b"\t ",
    b" the",
    b" cat",
    b"'s",
    b"'ll",
    b"don't",
    b"1",
    b"2345",
    b"1234567",
    b".",
    b"!!",
    b"\0",
    b"\xff",
    b"\xc3",
    b"\xe6\xbc",
    "é".as_bytes(),
    "漢字かな".as_bytes(),
    "عربي".as_bytes(),
    "🌱".as_bytes(),
    "e\u{301}".as_bytes(),
    "\u{a0}".as_bytes(),
    "\u{3000}".as_bytes(),
    b"<s>",
    b"<s",
    b">",
    b"</s>",
    b"aa",
    b"aaa",
    b"ABab",
    b"some-words_in_a_row",
];
const SPECIALS: &[&[&str]] = &[&[], &["<s>", "<s><s>", "</s>"], &["aa"], &["a b", " "], &["e\u{301}", "1"]];
const THREADS: [usize; 4] = [1, 2, 3, 7];

fn splitters() -> Vec<Splitter> {
    let patterns = [
        presets::GPT2,
        presets::CL100K,
        presets::O200K,
        r" ?\w+|\s+(?!\S)|\s",
        r"\w+|\W",
        r"\d{1,3}(?=(?:\d{3})*\b)|\D+",
        r"^a|[^a]+|a",
        r"(?<!x)\w+|\s",
    ];
    let patterns = patterns.map(|pattern| Splitter::new(pattern).unwrap());
    patterns.into_iter().chain([Splitter::whole(), Splitter::white_space()]).collect()
}

fn specials(contents: &[&str]) -> SpecialTokens {
    let token = |(id, content): (u32, &&str)| SpecialToken {
        content: (*content).to_owned(),
        id,
        special: true,
        ..SpecialToken::default()
    };
    SpecialTokens::new((0..).zip(contents).map(token).collect()).unwrap()
}

fn text(most: usize) -> impl Strategy<Value = Vec<u8>> {
    let fragment = prop::sample::select(FRAGMENTS.to_vec());
    // Runs of one kind have no place to cut.
    let repeated =
        (fragment, prop_oneof![9 => Just(1_usize), 1 => 1_usize..200]).prop_map(|(text, times)| text.repeat(times));
    prop::collection::vec(repeated, 0..most).prop_map(|fragments| fragments.concat())
}

/// What is counted by one call, or some that belong together.
#[derive(Debug, Clone)]
enum Batch {
    Documents(Vec<Vec<u8>>),
    /// One document, and where it is cut into parts.
    Parts(Vec<u8>, Vec<usize>),
    /// One document, in parts of so many bytes.
    EvenParts(Vec<u8>, usize),
}

fn batch() -> impl Strategy<Value = Batch> {
    prop_oneof![
        prop::collection::vec(text(60), 0..6).prop_map(Batch::Documents),
        (text(150), prop::collection::vec(any::<prop::sample::Index>(), 0..5)).prop_map(|(text, cuts)| {
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
            cuts.sort_unstable();
            Batch::Parts(text, cuts)
        }),
        (text(150), 1_usize..50).prop_map(|(text, size)| Batch::EvenParts(text, size)),
    ]
}

/// What a checkpoint keeps of a counting, taken up by another one.
fn taken_up(counting: &mut Counting) -> Counting {
    let mut next = counting.empty();
    next.replace(counting.shared().unwrap());
    if let Some((tail, gone, looked)) = counting.opened() {
        next.reopen(tail.to_vec(), gone, looked);
    }
    next
}

fn count(counting: &mut Counting, batch: &Batch, threads: usize) {
    match batch {
        Batch::Documents(documents) => {
            let documents: Vec<&[u8]> = documents.iter().map(Vec::as_slice).collect();
            counting.add_documents(&documents, threads, Cancel::default()).unwrap();
        }
        Batch::Parts(text, cuts) => {
            let mut start = 0;
            for &end in cuts.iter().chain([&text.len()]) {
                counting.add_part(&text[start..end], threads, Cancel::default()).unwrap();
                start = end;
            }
            counting.end_document(threads, Cancel::default()).unwrap();
        }
        Batch::EvenParts(text, size) => {
            for part in text.chunks(*size) {
                counting.add_part(part, threads, Cancel::default()).unwrap();
                if size % 3 == 0 {
                    *counting = taken_up(counting);
                }
            }
            counting.end_document(threads, Cancel::default()).unwrap();
        }
    }
}

fn count_plainly(counts: &mut Counts, batch: &Batch, splitter: &Splitter, specials: &SpecialTokens) {
    let mut add = |document: &[u8]| counts.add_document(splitter, specials, document).unwrap();
    match batch {
        Batch::Documents(documents) => documents.iter().for_each(|document| add(document)),
        Batch::Parts(text, _) | Batch::EvenParts(text, _) => add(text),
    }
}

fn listed(counts: &Counts) -> Vec<(&[u8], u64)> {
    counts.iter().collect()
}

proptest! {
    #[test]
    fn threads_parts_and_batches_change_nothing(
        batches in prop::collection::vec(batch(), 1..6),
        pattern in 0_usize..10,
        names in prop::sample::select(SPECIALS.to_vec()),
        unit in 8_usize..300,
        own in 0_usize..4000,
        reads in any::<bool>(),
    ) {
        let (splitter, specials) = (splitters().swap_remove(pattern), specials(names));
        let mut expected = Counts::default();
        for batch in &batches {
            count_plainly(&mut expected, batch, &splitter, &specials);
        }
        for threads in THREADS {
            let mut counting = Counting::new(splitter.clone(), specials.clone()).with_sizes(unit, own);
            for (number, batch) in batches.iter().enumerate() {
                // Not all on as many threads.
                count(&mut counting, batch, if number % 3 == 2 { 1 } else { threads });
                if reads {
                    counting.counts().unwrap();
                }
            }
            let totals = (expected.documents(), expected.total(), expected.total_bytes());
            prop_assert_eq!(counting.totals(), totals);
            let counts = counting.finish().unwrap();
            prop_assert_eq!(listed(counts), listed(&expected), "{} threads", threads);
        }
    }
}

/// Pieces of real size: of large texts, of many small ones, and of texts that have no place to cut.
#[test]
fn large_texts() {
    let splitter = Splitter::new(presets::CL100K).unwrap();
    let specials = specials(&["<s>"]);
    let mut words = String::new();
    for number in 0_u64..250_000 {
        words.push_str(if number % 1000 == 7 { "<s>" } else { " " });
        words.push_str(&(number * number % 65_537).to_string());
        words.push_str(["word", "漢字", "'s ", "\n\n"][usize::try_from(number % 4).unwrap()]);
    }
    let run = "x".repeat(3 << 20);
    let documents: [&[u8]; 5] = [words.as_bytes(), b"", run.as_bytes(), &words.as_bytes()[7..999_999], b"<s>"];
    let mut expected = Counts::default();
    for document in documents {
        expected.add_document(&splitter, &specials, document).unwrap();
    }
    for threads in THREADS {
        let mut counting = Counting::new(splitter.clone(), specials.clone());
        counting.add_documents(&documents, threads, Cancel::default()).unwrap();
        assert_eq!(listed(counting.counts().unwrap()), listed(&expected), "{threads} threads");
        for size in [100_003, 1_000_003] {
            let mut counting = Counting::new(splitter.clone(), specials.clone());
            let mut most = 0;
            for document in documents {
                for part in document.chunks(size) {
                    counting.add_part(part, threads, Cancel::default()).unwrap();
                    most = most.max(if part.first() == Some(&b'x') { 0 } else { counting.waiting() });
                }
                counting.end_document(threads, Cancel::default()).unwrap();
            }
            assert_eq!(listed(counting.counts().unwrap()), listed(&expected), "{threads} threads, parts of {size}");
            assert!(most < 1 << 18, "{most} bytes waited");
        }
    }
}

/// What the threads' own tables take is bounded, whatever the text.
#[test]
fn memory_is_the_table_and_a_constant() {
    let word = |number: u64| -> String {
        let digits = format!(" {:x}", number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 12);
        digits.chars().map(|digit| if digit.is_ascii_digit() { char::from(digit as u8 + 64) } else { digit }).collect()
    };
    let text: String = (0..400_000).map(word).collect();
    let splitter = Splitter::new(presets::GPT2).unwrap();
    let tables = |threads, own| {
        let mut counting = Counting::new(splitter.clone(), SpecialTokens::default()).with_sizes(1 << 14, own);
        for part in text.as_bytes().chunks(1 << 20) {
            counting.add_part(part, threads, Cancel::default()).unwrap();
        }
        counting.end_document(threads, Cancel::default()).unwrap();
        let all = counting.memory();
        (all, counting.finish().unwrap().memory())
    };
    let (alone, table) = tables(1, 1 << 18);
    assert!(alone <= table + (1 << 18), "{alone} {table}");
    for threads in [2, 7] {
        let (all, own) = tables(threads, 1 << 18);
        assert!(all <= own + (2 << 20) && own <= table, "{threads} threads: {all} {own} {table}");
    }
}

/// The first document that fails is named, whichever thread meets it.
#[test]
fn the_first_failure_is_the_one_that_is_told() {
    let splitter = Splitter::new(r"(a|aa)+\1b|c").unwrap();
    let bad = [b"c".repeat(100), b"a".repeat(60)].concat();
    let good = b"c".repeat(500);
    for threads in THREADS {
        for first in [0, 3, 11] {
            let documents: Vec<&[u8]> =
                (0..16).map(|number| if number == first || number == 15 { &bad[..] } else { &good[..] }).collect();
            let mut counting = Counting::new(splitter.clone(), SpecialTokens::default()).with_sizes(1 << 8, 1 << 20);
            let (index, error) = counting.add_documents(&documents, threads, Cancel::default()).unwrap_err();
            assert_eq!(index, first, "{threads} threads");
            assert!(error.to_string().contains("gave up at byte 100"), "{error}");
            let mut expected = Counting::new(splitter.clone(), SpecialTokens::default());
            let parts = bad.chunks(30).try_for_each(|part| expected.add_part(part, threads, Cancel::default()));
            let told = parts.and_then(|()| expected.end_document(threads, Cancel::default()));
            assert_eq!(told.unwrap_err(), error);
        }
    }
}
