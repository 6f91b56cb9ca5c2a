"""The two dialects of patterns: what is left as it is, what is rewritten, what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytepair.formats.letter_case import same_letters
from bytepair.formats.oniguruma import UntranslatableError, read, translate
from bytepair.formats.pattern_parser import parse


@pytest.mark.parametrize(
    ("pattern", "written"),
    [
        (r"\p{N}{1,3}+", r"(?>\p{N}{1,3})"),
        (r"\p{N}{1,3}?", r"\p{N}{1,3}?"),
        (r"a{2}?", r"a{2}"),
        (r"a++b*+c?+", r"a++b*+c?+"),
        (r"(?:ab)++|(?>ab)", r"(?:ab)++|(?>ab)"),
        (r"\s+$", r"\s+\z"),
        (r"^a", r"\Aa"),
        (r"(?m:a$|^b)", r"a(?=\n|\z)|(?:\A|(?<=\n))b"),
        (r"(?i:ss)", "[Ssſ][Ssſ]"),
        (r"(?i:'s|k)", r"(?i:'s|k)"),
        (r"(?i:'s|'t)", r"(?i:'s|'t)"),
        (r"a(?i)b|c", "a[Bb]|[Cc]"),
        (r"(?i:[a-c])d", "(?i:[a-c])d"),
        (r"(?i:σ)", "[Σςσ]"),
        (r"(?i:\p{L}|[^\p{L}])", "[[\\p{L}\u0345]]|[^[\\p{L}\u0345]]"),
        (r"(?s:.)", r"(?m:.)"),
        (r".", r"."),
        (r"\pL\p{^N}\p{Letter}\p{gc=Lu}\p{script=Greek}", r"\p{L}\P{N}\p{L}\p{Lu}\p{Greek}"),
        (r"\w", r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]"),
        (r"[\w-]", r"[[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]\-]"),
        (r"[[:punct:]a]", r"[[!-/:-@\[-`{-\~]a]"),
        (r"[\p{L}--[a-z]]", r"[\p{L}&&[^a-z]]"),
        (r"[^a&&b]", r"[^a&&b]"),
        (r"\xe9\x{e9}\u00e9\u{e9}\U000000e9", "ééééé"),
        (r"\x41\x07\v$", r"A\x{7}\x{b}\z"),
        (r"(?P<name>a)(b)", "ab"),
        (r"(?<=ab)c(?<!d)(?=e)(?!f)", r"(?<=ab)c(?<!d)(?=e)(?!f)"),
        (r"a(?:^|b)?", r"a(\A|b)?"),
        (r"a(?:$|b)?", r"a(\z|b)?"),
        (r"a(?:\A|b)?", r"a(\A|b)?"),
        (r"a(?:(?=b)|b)?", r"a((?=b)|b)?"),
        (r"a(?:(?!b)|b)??", r"a((?!b)|b)??"),
        (r"(?:(?:^|b))?+a", r"(\A|b)?+a"),
        (r"a(?:c|(?:(?<!a)|b)){1}", r"a(c|(?<!a)|b){1}"),
        (r"a(?m:^|b)?", r"a(\A|(?<=\n)|b)?"),
        (r"a((?=b)|b)?", r"a((?=b)|b)?"),
        (r"a(?>(?=b)|b)?", r"a(?>(?=b)|b)?"),
        (r"a(?:(?=b)c|b)?", r"a(?:(?=b)c|b)?"),
        (r"[]a]", r"[]a]"),
        (r"[a-]", r"[a-]"),
        (r"[\^\]\[&~]", r"[\^\]\[&~]"),
        (r"\.\*\-\#\ \'", r"\.\*\-\#\ \'"),
        (r"[,\-.]", r"[,\-.]"),
        (r"日本|[一-龥]", r"日本|[一-龥]"),
    ],
)
def test_patterns_are_written_for_oniguruma(pattern: str, written: str) -> None:
    assert translate(pattern) == written
    assert translate(read(written)) == written


@pytest.mark.parametrize(
    ("regex", "meant"),
    [
        (r"\p{N}{1,3}+", r"(?:\p{N}{1,3})+"),
        (r"ba{2}?", r"b(?:a{2})?"),
        (r"a$", r"a(?=\n|\z)"),
        (r"^a", r"(?:\A|(?<=\n)(?!\z))a"),
        (r"a(?i)b|c", r"a(?:[Bb]|[Cc])"),
        (r"(?m:.)|a", r"(?s:.)|a"),
        (r"\w", "[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}²-³¹¼-¾]"),
        (r"(?<name>a)", "(?<name>a)"),
    ],
)
def test_patterns_of_oniguruma_are_read_as_they_are_meant(regex: str, meant: str) -> None:
    assert read(regex) == meant


REFUSED = [
    *(r"\bA", r"a\B", r"(a)\1", r"(?x:a b)", r"(?U)a*b", r"(?-u:a)", r"a(?#b)c", r"(?(1)a|b)", r"\Ra", r"\Xa", r"\Ka"),
    *(r"\Ga", r"a\Z", r"(?:a*)*b", r"(a|b?)+c", r"a*", r"|", "", r"a|", r"a**b", r"a{1001}", r"a{2,1}", r"a{,2}", r"{"),
    *(r"a{", r"a{x}", r"(a", r"a)", r"[a", r"[]", r"[a&&]", r"[&&a]", r"[z-a]", r"[a-\d]", r"[\d-a]", r"[a~~b]"),
    *(
        r"\p{Nope}",
        r"\p{L",
        r"\x{110000}",
        r"\x{d800}",
        r"\x4",
        r"\q",
        "\\",
        r"(?<=a*)b",
        r"(?i:\p{Lu})",
        r"(?",
        r"(?z:a)",
    ),
    *(r"[a-b-c]", r"[[:nope:]]", r"a{99999999999999999999}", "(" * 60 + "a" + ")" * 60, "[" * 60 + "a" + "]" * 60),
]


@pytest.mark.parametrize("pattern", REFUSED)
def test_what_is_not_understood_is_refused(pattern: str) -> None:
    with pytest.raises(UntranslatableError):
        translate(pattern)


@pytest.mark.parametrize(
    "regex",
    [r"(?i:ss)", r"(?i:s(?:t))", r"(?i:[sS]t)", r"(?i:s{2})", r"(?i:ß)", r"(?i:\p{L})", r"[[:alpha:]]", r"\xe9", r"\h",
     r"(?i)ffi", r"(?s:a)", r"a(?:^|b)?", r"a(?:(?=b)|b)?", r"a(?:c|(?:d|$))?+",
     r"\p{Script=Greek}", r"\pL", r"[a--b]"],
)  # fmt: skip
def test_what_oniguruma_means_otherwise_is_refused_in_files(regex: str) -> None:
    with pytest.raises(UntranslatableError):
        read(regex)


SIGNS = st.lists(
    st.sampled_from(
        [*"ab()[]{}|*+?.^$\\-&~:=!<>,0123ispPLNdwzAx ", "(?:", "(?i:", "\\p{L}", "[^", "&&", "{1,3}", "\\s"]
    ),
    max_size=14,
).map("".join)


@given(st.one_of(SIGNS, st.text(max_size=20)))
def test_a_pattern_is_translated_stably_or_refused(pattern: str) -> None:
    for change in (translate, read):
        try:
            written = change(pattern)
        except UntranslatableError:
            continue
        if change is translate:
            assert parse(written, "oniguruma") == parse(pattern, "rust")
        else:
            assert parse(written, "rust") == parse(pattern, "oniguruma")


def test_letters_of_both_cases() -> None:
    assert [chr(code) for code in same_letters(ord("ß"))] == ["ß", "ẞ"]
    assert same_letters(ord("ı")) == (ord("ı"),)
    assert same_letters(ord("1")) == (ord("1"),)
    for code in (*range(0x250), 0x3C3, 0x212A, 0x10400):
        for other in same_letters(code):
            assert same_letters(other) == same_letters(code)
