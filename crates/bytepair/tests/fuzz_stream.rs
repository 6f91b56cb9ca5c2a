//! Any bytes in any pieces: a stream gives what Rust's own lossy conversion gives for all of them at once.
//!
//! Input: the bytes; each is also a hint how many of the following ones come together.

#![allow(clippy::expect_used, reason = "a test that cannot go on should stop")]

mod replay;

use bytepair::decode::Utf8Stream;

const FRAGMENTS: &[&str] = &["a", "é", "漢", "🌱", "\u{301}", "\u{fffd}", "\0", "\u{10ffff}"];

#[test]
fn a_stream_equals_the_whole() {
    replay::run("stream", FRAGMENTS, check);
}

fn check(input: &[u8]) {
    for step in [Some(1), Some(2), Some(3), None] {
        let mut stream = Utf8Stream::default();
        let mut text = String::new();
        let mut rest = input;
        while let Some(&byte) = rest.first() {
            let length = step.unwrap_or(usize::from(byte % 7)).min(rest.len()).max(1);
            text += &stream.feed(&rest[..length]);
            text += &stream.feed(b"");
            rest = &rest[length..];
        }
        text += &stream.flush();
        assert_eq!(text, String::from_utf8_lossy(input));
        assert_eq!(stream.flush(), "", "the stream is empty after a flush");
    }
}
