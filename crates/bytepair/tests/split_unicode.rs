//! The Unicode tables: their version, the committed dump, and white space.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test's way to fail

use bytepair::unicode::{CLASSES, UNICODE_VERSION, dump, folds, ranges};

#[test]
fn the_committed_dump_is_current() {
    let committed = include_str!("../../../python/bytepair/reference/unicode.txt");
    assert!(committed == dump(), "run `cargo run --example dump_unicode` and commit the file");
}

#[test]
fn the_version_is_that_of_the_tables() {
    // U+1C89 was assigned in 16.0; U+A7CE in 17.0. `Age` says when a character came.
    let knows = |version: &str| regex_syntax::parse(&format!(r"\p{{age={version}}}")).is_ok();
    assert!(knows("16.0"));
    assert!(!knows("17.0"), "regex-syntax has newer tables: change UNICODE_VERSION and dump again");
    assert_eq!(UNICODE_VERSION, "16.0.0");
    assert!(ranges("Lu").unwrap().iter().any(|&(low, high)| (low..=high).contains(&0x1C89)));
    assert!(ranges("Cn").unwrap().iter().any(|&(low, high)| (low..=high).contains(&0xA7CE)));
}

#[test]
fn every_name_is_a_class() {
    for name in CLASSES {
        assert!(ranges(name).is_some_and(|r| !r.is_empty()), "{name}");
    }
    assert_eq!(ranges("no such class"), None);
    assert_eq!(ranges("L}|\\p{N"), None);
}

#[test]
fn the_leaves_of_the_general_category_cover_all_but_the_surrogates_once() {
    let mut points: Vec<(u32, u32)> = CLASSES
        .iter()
        .take_while(|&&name| name != "White_Space")
        .filter(|name| name.len() == 2)
        .flat_map(|name| ranges(name).unwrap())
        .collect();
    points.sort_unstable();
    let mut next = 0;
    for (low, high) in points {
        assert_eq!(low, if next == 0xD800 { 0xE000 } else { next });
        next = high + 1;
    }
    assert_eq!(next, 0x11_0000);
}

#[test]
fn white_space_is_that_of_the_standard_library() {
    let table = ranges("White_Space").unwrap();
    for c in '\0'..=char::MAX {
        assert_eq!(table.iter().any(|&(low, high)| (low..=high).contains(&u32::from(c))), c.is_whitespace(), "{c:?}");
    }
}

#[test]
fn characters_that_fold_form_sets() {
    let set = |c: char| {
        let mut set = folds(c);
        set.push(c);
        set.sort_unstable();
        set
    };
    for c in '\0'..=char::MAX {
        for other in folds(c) {
            assert_eq!(set(other), set(c), "{c:?} {other:?}");
        }
    }
    assert_eq!(folds('k'), ['K', '\u{212a}']);
    assert!(folds('ß').contains(&'ẞ'));
}
