//! The one table of Unicode classes, of one stated version. The Python reference reads a dump of it.
//!
//! The tables are regex-syntax's; this file names what is taken from them and writes it as text, so that the
//! reference cannot disagree with the engine about what a letter is.

use std::fmt::Write as _;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use crate::split::class_ranges;

/// The Unicode version of every class in this crate: the one of regex-syntax's tables.
pub const UNICODE_VERSION: &str = "16.0.0";

/// The classes of the dump: the general categories (groups and leaves; surrogates are no text), white space,
/// the letters and digits of `\w`, and the scripts that patterns name most.
pub const CLASSES: &[&str] = &[
    "L",
    "Lu",
    "Ll",
    "Lt",
    "Lm",
    "Lo",
    "M",
    "Mn",
    "Mc",
    "Me",
    "N",
    "Nd",
    "Nl",
    "No",
    "P",
    "Pc",
    "Pd",
    "Ps",
    "Pe",
    "Pi",
    "Pf",
    "Po",
    "S",
    "Sm",
    "Sc",
    "Sk",
    "So",
    "Z",
    "Zs",
    "Zl",
    "Zp",
    "C",
    "Cc",
    "Cf",
    "Cn",
    "Co",
    "White_Space",
    "Word",
    "Arabic",
    "Armenian",
    "Bengali",
    "Bopomofo",
    "Common",
    "Cyrillic",
    "Devanagari",
    "Ethiopic",
    "Georgian",
    "Greek",
    "Gujarati",
    "Gurmukhi",
    "Han",
    "Hangul",
    "Hebrew",
    "Hiragana",
    "Inherited",
    "Kannada",
    "Katakana",
    "Khmer",
    "Lao",
    "Latin",
    "Malayalam",
    "Mongolian",
    "Myanmar",
    "Oriya",
    "Sinhala",
    "Tamil",
    "Telugu",
    "Thai",
    "Tibetan",
];

/// The ranges of code points, both ends included, of a class: by its name in `\p{..}`, and `Word` for `\w`; `None`
/// for no such name. A range that holds both neighbours of the surrogates holds the surrogates too (see
/// [`split`](crate::split)).
///
/// ```
/// assert_eq!(bytepair::unicode::ranges("Zs").map(|r| r[0]), Some((0x20, 0x20)));
/// ```
pub fn ranges(name: &str) -> Option<Vec<(u32, u32)>> {
    if !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return None;
    }
    if name == "Word" { class_ranges(r"\w") } else { class_ranges(&format!(r"\p{{{name}}}")) }
}

/// The characters that `(?i)` takes for one another, without the character itself.
///
/// ```
/// assert_eq!(bytepair::unicode::folds('s'), ['S', 'ſ']);
/// ```
pub fn folds(c: char) -> Vec<char> {
    let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
    class.case_fold_simple();
    class.iter().flat_map(|range| range.start()..=range.end()).filter(|&other| other != c).collect()
}

/// What the reference needs, as text. Line 1 is the version. Then a class a line: its name and its ranges in
/// hexadecimal (`41-5a`, or `b5` alone). Then `fold` and the code points that `(?i)` takes for one another, a set a
/// line, smallest first.
pub fn dump() -> String {
    let mut text = format!("{UNICODE_VERSION}\n");
    for name in CLASSES {
        text.push_str(name);
        for (low, high) in ranges(name).unwrap_or_default() {
            // Writing to a String cannot fail.
            let _ = if low == high { write!(text, " {low:x}") } else { write!(text, " {low:x}-{high:x}") };
        }
        text.push('\n');
    }
    for c in '\0'..=char::MAX {
        let others = folds(c);
        if others.first().is_some_and(|&other| c < other) {
            let _ = write!(text, "fold {:x}", u32::from(c));
            for other in others {
                let _ = write!(text, " {:x}", u32::from(other));
            }
            text.push('\n');
        }
    }
    text
}
