"""Which characters differ in case alone, by simple case folding: one character to one, as in Rust's regex crates.

Oniguruma folds one character into several as well (a sharp s into `ss`), so case is spelled out in what is written for
it. Worked out from the string methods of Python; letters beyond ASCII are indexed when one is first asked for.
"""

from __future__ import annotations

from functools import cache

__all__ = ["same_letters"]


def same_letters(code: int) -> tuple[int, ...]:
    """The characters that differ from this one in case alone, by simple case folding, in order; itself included.

    >>> [f"{code:x}" for code in same_letters(ord("k"))]
    ['4b', '6b', '212a']
    """
    if code < 0x80:  # noqa: PLR2004
        letter = chr(code)
        extra = {"s": (0x17F,), "k": (0x212A,)}.get(letter.lower(), ())
        return (*sorted({ord(letter.lower()), ord(letter.upper())}), *extra)
    return _case_classes().get(_fold(code), (code,))


def _fold(code: int) -> int:
    letter = chr(code)
    for folded in (letter.casefold(), letter.lower()):
        if len(folded) == 1:
            return ord(folded)
    return code


@cache
def _case_classes() -> dict[int, tuple[int, ...]]:
    classes: dict[int, list[int]] = {}
    for code in range(0x20000):
        folded = _fold(code)
        if folded != code:
            classes.setdefault(folded, [folded]).append(code)
    return {folded: tuple(sorted(codes)) for folded, codes in classes.items()}
