//! Engines, gaps, fallback, limits and growth.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test's way to fail

mod split_oracle;

use std::ops::ControlFlow;

use bytepair::split::{Engine, MAX_PATTERN, Splitter, presets};
use bytepair::{Error, Pretoken};
use split_oracle::{Random, is_automaton, oracle, pieces, pretokens, random_text};

fn strings<'t>(splitter: &Splitter, text: &'t str) -> Vec<&'t str> {
    pieces(splitter, text.as_bytes()).iter().map(|&(a, b)| &text[a..b]).collect()
}

fn reason(pattern: &str) -> String {
    match Splitter::new(pattern).unwrap().engine() {
        Engine::Backtracking { reason } => reason,
        other => panic!("{pattern}: {other:?}"),
    }
}

#[test]
fn no_pattern_is_one_pretoken() {
    let whole = Splitter::whole();
    assert_eq!(whole.engine(), Engine::Whole);
    assert_eq!((whole.pattern(), whole.alternatives()), (None, &[][..]));
    assert_eq!(pretokens(&whole, b"a b\xff"), [Pretoken { start: 0, end: 4, alternative: None }]);
    assert_eq!(pretokens(&whole, b""), []);
}

#[test]
fn a_splitter_is_shared_between_threads() {
    fn shared<T: Send + Sync + Clone + 'static>(_: &T) {}
    shared(&Splitter::whole());
}

#[test]
fn words_between_white_space() {
    let words = Splitter::white_space();
    assert_eq!(words.engine(), Engine::WhiteSpace);
    assert_eq!(strings(&words, " a\u{3000}bc \u{85}\n d\u{a0}"), ["a", "bc", "d"]);
    assert_eq!(strings(&words, "\u{200b}"), ["\u{200b}"]);
    assert_eq!(pieces(&words, b"\xff \xe3\x80 a\xc2"), [(0, 1), (2, 4), (5, 7)]);
    assert_eq!(pieces(&words, b" \n"), []);
}

#[test]
fn nothing_is_lost_between_matches() {
    let splitter = Splitter::new("[a-z]+").unwrap();
    assert_eq!(strings(&splitter, "ab 12 cd!"), ["ab", " 12 ", "cd", "!"]);
    let alternatives: Vec<_> = pretokens(&splitter, b"ab 12 cd!").iter().map(|p| p.alternative).collect();
    assert_eq!(alternatives, [Some(0), None, Some(0), None]);
}

#[test]
fn an_empty_match_is_a_boundary() {
    assert_eq!(strings(&Splitter::new("a*").unwrap(), "aabcaa"), ["aa", "b", "c", "aa"]);
    assert_eq!(strings(&Splitter::new("(?=b)").unwrap(), "aabab"), ["aa", "ba", "b"]);
    assert_eq!(strings(&Splitter::new("").unwrap(), "añb"), ["a", "ñ", "b"]);
}

#[test]
fn a_pattern_names_its_alternatives() {
    let splitter = Splitter::new(r"(?:a|b)+|[|]|\||c(?#|)d|").unwrap();
    assert_eq!(splitter.alternatives(), ["(?:a|b)+", "[|]", r"\|", "c(?#|)d", ""]);
    assert_eq!(splitter.pattern(), Some(r"(?:a|b)+|[|]|\||c(?#|)d|"));
    assert_eq!(Splitter::new(presets::GPT2).unwrap().alternatives().len(), 7);
}

#[test]
fn flags_reach_as_far_as_in_rust() {
    assert_eq!(strings(&Splitter::new("a(?i)b|c").unwrap(), "aBAbC"), ["aB", "Ab", "C"]);
    assert_eq!(strings(&Splitter::new("(?x) a b # a comment | c\n | [ ]").unwrap(), "ab c"), ["ab", " ", "c"]);
    assert_eq!(strings(&Splitter::new("(?s:.)(?-s:.)").unwrap(), "\nab\n"), ["\na", "b\n"]);
    assert_eq!(strings(&Splitter::new("(?m)a$").unwrap(), "ab a\na"), ["ab ", "a", "\n", "a"]);
}

#[test]
fn atomic_groups_that_take_a_match_back_go_to_the_other_engine() {
    assert!(reason("(?>abc|a)(?=b)").contains("take back"));
    assert!(is_automaton(&Splitter::new("(?>ab|a)c|b").unwrap()));
    assert_eq!(strings(&Splitter::new("(?>a|ab)c|b").unwrap(), "abcac"), ["a", "b", "c", "ac"]);
    assert_eq!(strings(&Splitter::new("a++a|b").unwrap(), "aaab"), ["aaa", "b"]);
}

#[test]
fn what_is_not_regular_is_served_with_a_reason() {
    for (pattern, why) in [
        (r"(?<=a)b|a", "look-behind"),
        (r"\bword\b", "word boundary"),
        (r"(a)\1", "back"),
        (r"(?m)^a", "looks behind"),
        (r"(?:a?)+", "nothing"),
    ] {
        assert!(reason(pattern).contains(why), "{pattern}: {}", reason(pattern));
    }
    let splitter = Splitter::new(r"(?<=a)b|\bc|.").unwrap();
    assert_eq!(splitter.alternatives(), ["(?<=a)b", r"\bc", "."]);
    let alternatives: Vec<_> = pretokens(&splitter, b"abb cc").iter().map(|p| p.alternative).collect();
    assert_eq!(alternatives, [2, 0, 2, 2, 1, 2].map(Some));
}

#[test]
fn both_engines_cut_alike_invalid_bytes_included() {
    // A look-behind that always holds sends the same pattern to the other engine.
    let mut random = Random(3);
    for (name, pattern) in presets::PRESETS {
        let automaton = Splitter::new(pattern).unwrap();
        let backtracking = Splitter::new(&format!("(?<!\u{2})(?:{pattern})")).unwrap();
        assert!(matches!(backtracking.engine(), Engine::Backtracking { .. }));
        for _ in 0..300 {
            let mut text = random_text(&mut random, 20).into_bytes();
            for _ in 0..random.below(6) {
                let at = random.below(text.len() + 1);
                text.insert(at, *random.pick(&[0x80, 0xBF, 0xC0, 0xC3, 0xE3, 0xED, 0xF0, 0xF5, 0xFF]));
            }
            assert_eq!(pieces(&automaton, &text), pieces(&backtracking, &text), "{name} {text:?}");
        }
    }
}

#[test]
fn each_invalid_byte_is_one_character() {
    let any = Splitter::new("(?s:.)").unwrap();
    let lengths = |text: &[u8]| pieces(&any, text).iter().map(|(a, b)| b - a).collect::<Vec<_>>();
    assert_eq!(lengths(b"\xff\xfe"), [1, 1]);
    assert_eq!(lengths(b"\xe4\xb8a"), [1, 1, 1]); // cut short
    assert_eq!(lengths(b"\xe4\xb8\xad\xad"), [3, 1]);
    assert_eq!(lengths(b"\xed\xa0\x80"), [1, 1, 1]); // a surrogate
    assert_eq!(lengths(b"\xc0\x80\xe0\x9f\xbf\xf0\x8f\xbf\xbf"), [1; 9]); // overlong
    assert_eq!(lengths(b"\xf4\x8f\xbf\xbf\xf4\x90\x80\x80"), [4, 1, 1, 1, 1]); // the last character, and one beyond
    for bytes in [&b"\xf0\x9f\x98"[..], b"\xf0\x9f\x98\x80\x80\xc3", b"\xe3\xf0\x9f\x98\x80"] {
        let chunks: Vec<usize> = bytes
            .utf8_chunks()
            .flat_map(|c| {
                c.valid().chars().map(char::len_utf8).chain(c.invalid().iter().map(|_| 1)).collect::<Vec<_>>()
            })
            .collect();
        assert_eq!(lengths(bytes), chunks);
    }
    let kinds = Splitter::new(r"\s|\p{L}|\p{N}|\P{L}").unwrap();
    assert_eq!(pretokens(&kinds, b"\xff")[0].alternative, Some(3));
}

#[test]
fn a_look_ahead_sees_the_same_characters_from_the_right() {
    let pattern = r"[^b](?=(?:[^b][^b])*b)|(?s:.)";
    let splitter = Splitter::new(pattern).unwrap();
    assert!(is_automaton(&splitter));
    for text in [&b"\xe4\xb8b\xe4\xb8\xadb\xf0\x9f\x98b\x80\x80\x80\x80\x80b"[..], b"aaaab\xffab\xc3b", b"b"] {
        let shown = String::from_utf8_lossy(text).into_owned();
        let characters = |text: &[u8]| pretokens(&splitter, text).iter().map(|p| p.alternative).collect::<Vec<_>>();
        let one_each: String = text
            .utf8_chunks()
            .flat_map(|c| c.valid().chars().chain(c.invalid().iter().map(|_| '\u{fffd}')).collect::<Vec<_>>())
            .collect();
        assert_eq!(characters(text), characters(one_each.as_bytes()), "{shown}");
    }
}

#[test]
fn breaking_stops_at_once() {
    for splitter in [Splitter::new(".").unwrap(), Splitter::white_space(), Splitter::new(r"\b|.").unwrap()] {
        let mut seen = 0;
        let each = |_| {
            seen += 1;
            if seen == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        splitter.split(b"a b c d", each).unwrap();
        assert_eq!(seen, 2);
    }
}

#[test]
fn hostile_patterns_are_refused() {
    let deep = |n: usize| "(".repeat(n) + "a" + &")".repeat(n);
    for pattern in [
        "(".to_owned(),
        "a)".to_owned(),
        "[a".to_owned(),
        "*a".to_owned(),
        r"\p{Nonsense}".to_owned(),
        "a\\".to_owned(),
        r"\x{110000}".to_owned(),
        "(?:a{1000}){1000}".to_owned(),
        "(?:(?:(?:a{99}){99}){99}){99}".to_owned(),
        r"(?<=(?:\w{1000}){1000})a".to_owned(),
        r"\w{99999999999}".to_owned(),
        deep(5_000),
        deep(200),
        "(?:".repeat(10_000),
        "[".repeat(10_000),
        "a".repeat(MAX_PATTERN + 1),
        "a".repeat(MAX_PATTERN),
        "(a|".repeat(10_000),
        "(?=".repeat(150) + &")".repeat(150),
    ] {
        let shown = &pattern[..pattern.len().min(40)];
        match Splitter::new(&pattern) {
            Err(Error::Pattern(report)) => assert!(!report.hint.is_empty() && report.message.len() < 1000, "{shown}"),
            other => panic!("{shown}: {:?}", other.map(|s| s.engine())),
        }
    }
}

#[test]
fn large_patterns_are_served_by_one_engine_or_the_other() {
    let words = (0..2_000).map(|n| format!("word{n}")).collect::<Vec<_>>().join("|");
    let characters = ('\u{4e00}'..'\u{5300}').map(String::from).collect::<Vec<_>>().join("|");
    for (pattern, automaton) in [
        (words, true),
        (characters, false),
        (r"\p{L}{3000}|.".to_owned(), true),
        ("(?:a|b)*a(?:a|b){9}".to_owned(), true),
        ("(?:a|b)*a(?:a|b){14}".to_owned(), false),
    ] {
        let splitter = Splitter::new(&pattern).unwrap();
        assert_eq!(is_automaton(&splitter), automaton, "{:?}", splitter.engine());
        assert_eq!(pieces(&splitter, "word12 中".as_bytes()).last().unwrap().1, 10);
    }
}

#[test]
fn a_backtracking_pattern_ends_with_a_typed_error() {
    let splitter = Splitter::new(r"(?<=^)(?:(a|aa)+)+\1c").unwrap();
    let text = "a".repeat(200);
    match splitter.split(text.as_bytes(), |_| ControlFlow::Continue(())) {
        Err(Error::Pattern(report)) => assert!(report.message.contains("1000000"), "{}", report.message),
        other => panic!("{other:?}"),
    }
}

/// Time that grows tenfold for ten times the text may vary; time that grows a hundredfold would not end here.
#[test]
fn a_million_characters_take_no_time() {
    let kinds = ["a", " ", "\n", "😀", "中", "1", "!", "\u{301}", "'"];
    let mut texts: Vec<String> = kinds.iter().map(|kind| kind.repeat(1_000_000)).collect();
    texts.extend(kinds.windows(2).map(|pair| pair.concat().repeat(500_000)));
    let mut patterns: Vec<&str> = presets::PRESETS.iter().map(|&(_, pattern)| pattern).collect();
    patterns.extend(["a*b|a", r"(?:a|1)*!|a*1|.", r"\s+$|\s", "(?s:.)*b|a", "a(?=a*b)|a"]);
    for pattern in patterns {
        let splitter = Splitter::new(pattern).unwrap();
        assert!(is_automaton(&splitter), "{pattern}");
        for text in &texts {
            let mut end = 0;
            let each = |p: Pretoken| {
                assert_eq!(p.start, end);
                end = p.end;
                ControlFlow::Continue(())
            };
            splitter.split(text.as_bytes(), each).unwrap();
            assert_eq!(end, text.len());
        }
    }
}

#[test]
fn patterns_that_look_far_ahead_cut_right() {
    for pattern in ["a*b|a", "(?:ab)*c|a|b", "(?s:.)*c|a|b", "a{1,200}c|a{1,70}|b", r"\p{L}+!|\p{L}"] {
        let (splitter, regex) = (Splitter::new(pattern).unwrap(), fancy_regex::Regex::new(pattern).unwrap());
        assert!(is_automaton(&splitter));
        for text in [
            "a".repeat(500),
            "ab".repeat(300),
            "a".repeat(300) + "b" + &"a".repeat(300),
            "ab".repeat(200) + "c" + &"中".repeat(200),
        ] {
            assert_eq!(pieces(&splitter, text.as_bytes()), oracle(&regex, &text), "{pattern}");
        }
    }
}

#[test]
fn a_pattern_in_stages_splits_the_pieces_of_the_stage_before() {
    let splitter = Splitter::new(r"[0-9]{1,3}(?then)(?with-previous),|;(?then)(?joined)[a-z]").unwrap();
    assert_eq!(splitter.alternatives(), ["[0-9]{1,3}", ",", ";", "[a-z]"]);
    assert!(matches!(splitter.engine(), Engine::Automaton { .. }));
    let text = b"AB,;cd1234,";
    let mut found = Vec::new();
    let result = splitter.split(text, |piece| {
        found.push((&text[piece.start..piece.end], piece.alternative));
        ControlFlow::Continue(())
    });
    result.unwrap();
    let (comma, semicolon) = ((&b"AB,"[..], Some(1)), (&b";"[..], Some(2)));
    let rest: [(&[u8], _); 4] = [(b"cd", Some(3)), (b"123", Some(0)), (b"4", Some(0)), (b",", Some(1))];
    assert_eq!(found, [&[comma, semicolon][..], &rest].concat());
    for stop in 1..=found.len() {
        let mut seen = 0;
        let result = splitter.split(text, |_| {
            seen += 1;
            if seen == stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        result.unwrap();
        assert_eq!(seen, stop, "nothing comes after a break");
    }
    assert_eq!(splitter.settled(b"ab 123 ab"), Splitter::new("[0-9]{1,3}").unwrap().settled(b"ab 123 ab"));
    assert_eq!(Splitter::new("(?with-next)a(?then)b").unwrap().settled(b"ab ab ab ab"), 0);
    assert!(Splitter::new("a(?then)(").is_err());
}

#[test]
fn a_stage_may_see_bytes_as_they_are_spelled() {
    let cut = |pattern: &str, text: &[u8]| -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        let each = |piece: Pretoken| {
            found.push(text[piece.start..piece.end].to_vec());
            ControlFlow::Continue(())
        };
        Splitter::new(pattern).unwrap().split(text, each).unwrap();
        found
    };
    // The second byte of \u{f2} is spelled as a superscript two, which is a number.
    assert_eq!(cut(r"(?spelled)(?joined)\p{N}", "a\u{f2}12 b".as_bytes()), [&b"a\xc3"[..], b"\xb212", b" b"]);
    assert_eq!(cut(" (?then)(?spelled)\u{120}", b"a b"), [b"a", b" ", b"b"]);
    assert_eq!(cut("(?spelled)\u{a9}(?then)\u{e9}", "x\u{e9}".as_bytes()), [&b"x\xc3"[..], b"\xa9"]);
    assert_eq!(cut("(?spelled)(?kept)\u{143}", b"a\xadb\xff"), [b"\xad"]);
    let every: Vec<u8> = (0..=255).collect();
    assert_eq!(cut("(?spelled).", &every).concat(), every);
    assert_eq!(Splitter::new("(?spelled)a(?then)b").unwrap().settled(b"ab ab ab ab"), 0);
    assert!(Splitter::new("(?spelled)(").is_err());
    assert!(Splitter::new("(?kept)(?spelled)a").is_err());
}

#[test]
fn what_separates_stages_is_made_of_characters_in_brackets_and_behind_a_backslash() {
    for (pattern, stages) in [
        ("[(?then)]+|b(?then)a", &["[(?then)]+", "b", "a"][..]),
        ("[](?then)]", &["[](?then)]"]),
        ("[^](?then)]", &["[^](?then)]"]),
        (r"[\](?then)]", &[r"[\](?then)]"]),
        (r"[\\](?then)a", &[r"[\\]", "a"]),
        ("[a[(?then)]b](?then)é", &["[a[(?then)]b]", "é"]),
        (r"\(?then\)", &[r"\(?then\)"]),
        (r"\\(?then)\[(?then)\é", &[r"\\", r"\[", r"\é"]),
        ("[[:alpha:](?then)]|é(?then)]", &["[[:alpha:](?then)]", "é", "]"]),
    ] {
        assert_eq!(Splitter::new(pattern).unwrap().alternatives(), stages, "{pattern}");
    }
    for pattern in ["[(?then)", "[a[(?then)]", "(?then", "((?then))"] {
        assert!(Splitter::new(pattern).is_err(), "{pattern}");
    }
}
