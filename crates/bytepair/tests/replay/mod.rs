//! Fuzz targets that stable Rust can run: a target is a function of bytes that must not panic.
//!
//! Every file in `testdata/fuzz/<target>/` is replayed, then bytes made of fragments that the target finds interesting
//! are tried: 256 inputs, or `PROPTEST_CASES` of them (`make fuzz`). To keep what was found, save the bytes that the
//! failure prints as a file in that folder.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on should stop")]

use std::path::PathBuf;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// Replays the committed inputs of `target`, then generates others from `fragments` and random bytes.
pub fn run(target: &str, fragments: &[&str], check: impl Fn(&[u8])) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/fuzz").join(target);
    let mut replayed = 0;
    for entry in std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("a readable folder").path();
        let input = std::fs::read(&path).expect("a readable file");
        eprintln!("replaying {}", path.display());
        check(&input);
        replayed += 1;
    }
    assert!(replayed > 0, "{} holds no inputs", folder.display());

    let known: Vec<Vec<u8>> = fragments.iter().map(|text| text.as_bytes().to_vec()).collect();
    let fragment = prop_oneof![
        12 => proptest::sample::select(known),
        2 => vec(any::<u8>(), 0..4),
        1 => any::<char>().prop_map(|character| character.to_string().into_bytes()),
    ];
    let input = vec((fragment, 1_usize..4), 0..40)
        .prop_map(|parts| parts.into_iter().flat_map(|(part, times)| part.repeat(times)).collect::<Vec<u8>>());
    let config = Config { failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&input, |bytes| {
            check(&bytes);
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{target}: {failure}"));
}
