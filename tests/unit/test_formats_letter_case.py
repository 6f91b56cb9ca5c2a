"""Which letters are alike: as in the engine, whichever Unicode the running Python knows."""

from __future__ import annotations

import pytest

import bytepair as bp
from bytepair.formats import oniguruma
from bytepair.formats.letter_case import other_cases, same_letters
from bytepair.parts import Parts

ALL = [*range(0xD800), *range(0xE000, 0x110000)]
CASED = [code for code in ALL if same_letters(code) != (code,)]
NEWER_THAN_PYTHON_3_11 = ((0x1C89, 0x1C8A), (0xA7CB, 0x264), (0xA7DA, 0xA7DB))


def matched(pattern: str, codes: list[int]) -> set[int]:
    """Of these code points, those that a pattern of one character matches in the engine."""
    splitter = bp.Tokenizer.from_parts(Parts(pattern=rf"\x00(?:{pattern})|(?s:.)", tokens=((0, b"a"),), merges=()))
    pieces = splitter.split("".join(f"\0{chr(code)}" for code in codes))
    return {ord(piece[1]) for piece in pieces if len(piece) == 2}


def test_every_code_point_is_alike_with_those_that_the_engine_takes_it_for() -> None:
    assert len(CASED) > 2800
    for code in CASED:
        alike = same_letters(code)
        assert alike == tuple(sorted(set(alike)))
        assert code in alike
        assert all(same_letters(other) == alike for other in alike)
    for smallest in {same_letters(code)[0] for code in CASED}:
        assert matched(rf"(?i:\x{{{smallest:x}}})", CASED) == set(same_letters(smallest))
    cased = "".join(f"\\x{{{code:x}}}" for code in CASED)
    assert matched(f"(?i:[{cased}])", ALL[1:]) == set(CASED)


@pytest.mark.parametrize(("upper", "lower"), NEWER_THAN_PYTHON_3_11)
def test_letters_newer_than_an_interpreter_are_alike_all_the_same(upper: int, lower: int) -> None:
    assert set(same_letters(upper)) == {upper, lower} == set(same_letters(lower))
    written = oniguruma.translate(f"(?i:{chr(upper)})")
    assert written == f"[{''.join(map(chr, same_letters(upper)))}]"


def test_letters_that_only_full_folding_takes_for_one_another() -> None:
    assert same_letters(0x390) == same_letters(0x1FD3) == (0x390, 0x1FD3)
    assert same_letters(ord("ß")) == (ord("ß"), 0x1E9E)


def test_the_other_cases_of_a_range_are_outside_of_it() -> None:
    for first, last in ((ord("A"), ord("Z")), (0, 0x7F), (0x3B0, 0x3D0), (0x30, 0x39), (0, 0x10FFFF)):
        inside = range(first, last + 1)
        expected = {other for code in inside for other in same_letters(code) if other not in inside}
        assert other_cases(first, last) == sorted(expected)


def test_what_a_message_shows_does_not_depend_on_the_unicode_of_the_interpreter() -> None:
    with pytest.raises(oniguruma.UntranslatableError) as caught:
        oniguruma.translate("\\p{\U0001fae9\u1c89\n\u2028\udc80}")
    assert "`\U0001fae9\u1c89???`" in str(caught.value)
