//! Long work asks whether to stop, often enough, and ends when told to.

#![allow(clippy::unwrap_used)] // a test's way to fail

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytepair::count::{Counting, Counts};
use bytepair::normalize::{Form, Normalizer, Old, SentencePiece, Step};
use bytepair::tokenizer::EncodeOptions;
use bytepair::train::{Goal, Laying, Start, TrainOptions, train_from};
use bytepair::{Allowed, Cancel, Error, Result, SpecialToken, SpecialTokens, Splitter, Tokenizer, Vocabulary};

/// Runs `work` with a question that is answered with yes from the `patience`-th time on; gives also how often it was asked.
fn asked<T>(patience: usize, work: impl FnOnce(Cancel<'_>) -> T) -> (T, usize) {
    let times = AtomicUsize::new(0);
    let ask = || times.fetch_add(1, Ordering::Relaxed) + 1 >= patience;
    let result = work(Cancel::new(&ask));
    (result, times.into_inner())
}

fn asking(cancel: Cancel<'_>) -> EncodeOptions<'_> {
    EncodeOptions { cancel, ..EncodeOptions::default() }
}

fn tokenizer(splitter: Splitter) -> Tokenizer {
    with_tokens(splitter, &["ab", "abab"])
}

fn with_tokens(splitter: Splitter, tokens: &[&str]) -> Tokenizer {
    let bytes = (0..=u8::MAX).map(|byte| (u32::from(byte), vec![byte]));
    let ranks = bytes.chain((256..).zip(tokens.iter().map(|token| token.as_bytes().to_vec()))).collect();
    Tokenizer::new(splitter, Vocabulary::from_ranks(ranks).unwrap(), SpecialTokens::default()).unwrap()
}

/// Tokens for texts of `a` and `b` that can be cut nowhere, and have to be merged as a whole.
const EVERYWHERE: &[&str] = &["ab", "abab", "ba", "aa", "bb"];

/// A text of so many pairs that does not repeat itself.
fn pairs(count: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut pair = || {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        if state >> 63 == 0 { *b"ab" } else { *b"ba" }
    };
    (0..count).flat_map(|_| pair()).collect()
}

#[test]
fn one_text_asks_every_few_kilobytes_and_stops_at_once() {
    let text = b"ab ".repeat(1 << 20);
    let pairs = pairs(1 << 20);
    for (splitter, text, least) in [
        (Splitter::new(r"\w+|\s").unwrap(), &text, 40),
        (Splitter::new(r"(?<!x)\w+|\s").unwrap(), &text, 40),
        (Splitter::white_space(), &text, 40),
        (Splitter::whole(), &pairs, 15),
    ] {
        let tokenizer = with_tokens(splitter, EVERYWHERE);
        let encode = |cancel: Cancel<'_>| -> (Result<()>, Vec<u32>) {
            let mut ids = vec![7];
            (tokenizer.encode(text, asking(cancel), &mut ids), ids)
        };
        let ((done, ids), times) = asked(usize::MAX, encode);
        assert!(done.is_ok() && ids.len() > 1 && times >= least, "{times} times");
        for patience in [1, 2, least] {
            let ((stopped, ids), times) = asked(patience, encode);
            assert_eq!((stopped, ids, times), (Err(Error::Interrupted), vec![7], patience));
        }
        let count = |cancel: Cancel<'_>| tokenizer.count(text, asking(cancel));
        assert_eq!(asked(3, count), (Err(Error::Interrupted), 3));
    }
}

/// Also a text of which every pretoken was met before, and is found at once.
#[test]
fn a_text_that_holds_nothing_new_asks_too() {
    let tokenizer = tokenizer(Splitter::new(r" ?\w+|\s").unwrap());
    let text = b" abc".repeat(1 << 20);
    let encode = |cancel: Cancel<'_>| tokenizer.encode(&text, asking(cancel), &mut Vec::new());
    assert_eq!(asked(usize::MAX, encode).0, Ok(()));
    assert_eq!(asked(6, encode), (Err(Error::Interrupted), 6));
}

/// What asks has read: a limit ends the reading, or spares it.
#[test]
fn counting_up_to_a_limit_reads_no_further() {
    let text = b"ab ba ".repeat(1 << 20);
    let special = SpecialToken { content: "<|end|>".to_owned(), id: 300, special: true, ..SpecialToken::default() };
    for splitter in
        [Splitter::new(r"\w+|\s").unwrap(), Splitter::new(r"(?<!x)\w+|\s").unwrap(), Splitter::white_space()]
    {
        let plain = tokenizer(splitter);
        let specials = SpecialTokens::new(vec![special.clone()]).unwrap();
        let tokenizer = Tokenizer::new(plain.splitter().clone(), plain.vocabulary().clone(), specials).unwrap();
        let reading = |limit, allowed| {
            let (counted, times) = asked(usize::MAX, |cancel| {
                tokenizer.count_up_to(&text, limit, EncodeOptions { allowed, cancel, ..EncodeOptions::default() })
            });
            assert_eq!(counted, Ok(None));
            times
        };
        // As many questions as there are 64 KiB in what is read, and one for each of the two that ask.
        assert!(reading(100, Allowed::None) <= 2);
        assert!(reading(200_000, Allowed::None) <= 400_000 / (1 << 16) + 3);
        if tokenizer.splitter().pattern().is_some() {
            assert_eq!(reading(100_000, Allowed::All), 0, "the text is longer than so many of the longest tokens");
        }
    }
}

/// Merging asks once in 64 Ki merges, so the questions say how much is merged.
#[test]
fn truncating_merges_a_few_times_what_counting_does() {
    let tokenizer = with_tokens(Splitter::whole(), EVERYWHERE);
    let text = pairs(1 << 21);
    let (count, once) = asked(usize::MAX, |cancel| tokenizer.count(&text, asking(cancel)).unwrap());
    for max in [1, count / 2, count - 1] {
        let (end, times) = asked(usize::MAX, |cancel| tokenizer.truncate(&text, max, asking(cancel)).unwrap());
        assert!(end > 0 && end < text.len());
        assert!(once > 30 && times <= 3 * once, "{max}: {times} questions, {once} to count");
    }
}

#[test]
fn counting_stops_inside_a_document_on_every_thread() {
    let document = b"ab ba ".repeat(1 << 19);
    let count = |cancel: Cancel<'_>| {
        let mut counting = Counting::new(Splitter::new(r"\w+|\s").unwrap(), SpecialTokens::default());
        counting.add_documents(&[document.as_slice(); 4], 4, cancel)
    };
    let (done, times) = asked(usize::MAX, count);
    assert!(done.is_ok() && times >= 160, "{times} times");
    for patience in [1, 100] {
        let (stopped, times) = asked(patience, count);
        assert!(matches!(stopped, Err((_, Error::Interrupted))), "{stopped:?}");
        assert!(times < patience + 4, "{times} times");
    }
}

#[test]
fn training_stops_before_the_first_merge() {
    let mut counts = Counts::default();
    for n in 0..200_000_u32 {
        counts.add(format!("{n:x}").as_bytes(), u64::from(n % 7 + 1)).unwrap();
    }
    let mut merges = 0;
    let mut train = |cancel: Cancel<'_>| {
        train_from(&counts, &TrainOptions::default(), &Start::default(), cancel, |_, _| {
            merges += 1;
            if merges < 10 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
    };
    let (_, times) = asked(usize::MAX, &mut train);
    assert!(times > 30, "{times} times");
    for patience in [1, 5, 20, times] {
        let (stopped, times) = asked(patience, &mut train);
        assert!(matches!(stopped, Err(Error::Interrupted)) && times == patience);
    }
    assert_eq!(merges, 10, "a merge after the work was cancelled");
}

#[test]
fn training_tells_how_far_it_is_before_the_first_merge_and_gives_the_counts_up() {
    let mut counts = Counts::default();
    for n in 0..300_000_u32 {
        counts.add(format!("{n:x}").as_bytes(), u64::from(n % 7 + 1)).unwrap();
    }
    let told = Mutex::new(Vec::new());
    let tell = |done, of| told.lock().unwrap().push((done, of));
    let start = Start { laying: Laying::new(&tell), ..Start::default() };
    let options = TrainOptions { goal: Goal::Merges(3), ..TrainOptions::default() };
    let counts = Arc::new(counts);
    let held = Arc::downgrade(&counts);
    let training = train_from(counts, &options, &start, Cancel::default(), |_, _| {
        assert!(held.upgrade().is_none(), "the counts are still there");
        ControlFlow::Continue(())
    });
    assert_eq!(training.unwrap().merges.len(), 3);
    let told = told.into_inner().unwrap();
    let &(last, all) = told.last().unwrap();
    assert!(told.len() > 30 && told.is_sorted() && told.iter().all(|&(_, of)| of == all), "{told:?}");
    assert!(last <= all && last * 10 > all * 8, "{last} of {all}");
}

#[test]
fn training_stops_inside_one_merge() {
    let mut counts = Counts::default();
    counts.add(&b"a".repeat(4 << 20), 1).unwrap();
    let train = |cancel: Cancel<'_>| {
        let mut merges = 0;
        let options = TrainOptions { goal: Goal::Merges(2), ..TrainOptions::default() };
        let done = train_from(&counts, &options, &Start::default(), cancel, |_, _| {
            merges += 1;
            ControlFlow::Continue(())
        });
        (done.map(|_| ()), merges)
    };
    let ((_, merges), times) = asked(usize::MAX, train);
    assert!(merges == 2 && times > 200, "{merges} merges, {times} times");
    for patience in [1, times / 2, times - 10, times] {
        let ((stopped, merges), times) = asked(patience, train);
        assert!(stopped == Err(Error::Interrupted) && times == patience && merges < 2, "{merges} merges");
    }
}

#[test]
fn normalising_asks_too() {
    let replace = |old: &str, new: &str| Step::Replace(Old::Text(old.to_owned()), new.to_owned());
    let text = "Ab e\u{301} ".repeat(1 << 18);
    let mut all = SentencePiece::default();
    (all.add_dummy_prefix, all.escape_whitespaces, all.remove_extra_whitespaces) = (true, true, true);
    for step in [
        Step::Form(Form::Nfc),
        Step::Lowercase,
        Step::StripAccents,
        Step::Nmt,
        replace(" ", "_"),
        Step::Replace(Old::Pattern(Splitter::new("b").unwrap()), "c".to_owned()),
        Step::SentencePiece(all),
    ] {
        let normalizer = Normalizer { before: vec![step.clone()], ..Normalizer::default() };
        let tokenizer = tokenizer(Splitter::whole()).with_normalizer(normalizer).unwrap();
        let normalize = |cancel: Cancel<'_>| tokenizer.normalized(text.as_bytes(), cancel).map(|made| made.len());
        let (done, times) = asked(usize::MAX, normalize);
        assert!(done.is_ok() && times >= text.len() >> 17, "{step:?}: {times} times");
        assert_eq!(asked(times / 2, normalize), (Err(Error::Interrupted), times / 2), "{step:?}");
        let encode = |cancel: Cancel<'_>| tokenizer.encode(text.as_bytes(), asking(cancel), &mut Vec::new());
        assert_eq!(asked(times / 2, encode), (Err(Error::Interrupted), times / 2), "{step:?}");
    }
    let spaces = b" ".repeat(1 << 22);
    let mut all = SentencePiece::default();
    all.remove_extra_whitespaces = true;
    let normalizer = Normalizer { before: vec![Step::SentencePiece(all)], ..Normalizer::default() };
    let tokenizer = tokenizer(Splitter::whole()).with_normalizer(normalizer).unwrap();
    let (done, times) = asked(usize::MAX, |cancel| tokenizer.count(&spaces, asking(cancel)));
    assert!(done == Ok(0) && times >= 60, "{times} times");
}
