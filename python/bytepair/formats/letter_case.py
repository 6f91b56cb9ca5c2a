"""Which characters differ in case alone, by simple case folding: one character to one, as in Rust's regex crates.

Oniguruma folds one character into several as well (a sharp s into `ss`), so case is spelled out in what is written for
it. The table is the engine's, from the dump that the reference reads too, and not the running Python's: a file must
not depend on the version of Unicode that an interpreter carries. It is read when a letter is first asked for.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cache

__all__ = ["other_cases", "same_letters"]


def same_letters(code: int) -> tuple[int, ...]:
    """The characters that differ from this one in case alone, by simple case folding, in order; itself included.

    >>> [f"{code:x}" for code in same_letters(ord("k"))]
    ['4b', '6b', '212a']
    """
    return _alike().get(code, (code,))


def other_cases(first: int, last: int) -> list[int]:
    """The characters outside of a range that differ in case alone from one inside, in order.

    >>> [f"{code:x}" for code in other_cases(ord("j"), ord("l"))]
    ['4a', '4b', '4c', '212a']
    """
    cased = _cased()[bisect_left(_cased(), first) : bisect_right(_cased(), last)]
    return sorted({code for one in cased for code in same_letters(one) if not first <= code <= last})


@cache
def _alike() -> dict[int, tuple[int, ...]]:
    """Every character that has another case -> the characters that are alike."""
    alike: dict[int, tuple[int, ...]] = {}
    from importlib.resources import files  # noqa: PLC0415 - takes longer to load than the rest of reading a file

    table = files("bytepair.reference").joinpath("unicode.txt").read_text("ascii")
    for line in table.splitlines():
        if line.startswith("fold "):
            codes = tuple(int(code, 16) for code in line.split()[1:])
            alike |= dict.fromkeys(codes, codes)
    return alike


@cache
def _cased() -> tuple[int, ...]:
    return tuple(sorted(_alike()))
