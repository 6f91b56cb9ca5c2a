r"""What each character of a text is: a letter, a number, white space, a control character or another sign.

The idea: classes are looked up for the bytes below 0x80 in a table of 256, and for the other characters where they
begin, so that nothing is decoded. Letters are `\p{L}` and `\p{M}`, numbers `\p{N}`, white space `\s`.

Cost: linear, in NumPy; a few bytes for each byte of the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from bytepair import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

__all__ = ["CONTROL", "LETTER", "NUMBER", "SIGN", "SPACE", "Classified", "classes", "classified"]

LETTER, NUMBER, SPACE, CONTROL, SIGN = 1, 2, 4, 8, 16
_HIGH, _INNER = 0x80, 0xC0
_SHIFT, _PAYLOAD = 6, 0x3F
_LEADS = ((0xC0, 0x1F, 2), (0xE0, 0x0F, 3), (0xF0, 0x07, 4))
"""The least first byte of characters of 2, 3 and 4 bytes, the bits of the code point in it, and their length."""


@cache
def classes() -> NDArray[np.uint8]:
    """The class of every code point, of shape (0x110000,)."""
    table = np.full(0x110000, SIGN, dtype=np.uint8)
    for name, each in (("L", LETTER), ("M", LETTER), ("N", NUMBER), ("Cc", CONTROL), ("White_Space", SPACE)):
        for first, last in _core.unicode_ranges(name) or ():
            table[first : last + 1] = each
    return table


@cache
def _of_bytes() -> NDArray[np.uint8]:
    """The class of each byte below 0x80."""
    return np.concatenate([classes()[:_HIGH], np.full(_HIGH, SIGN, dtype=np.uint8)])


@dataclass(frozen=True, slots=True, eq=False)
class Classified:
    """Documents that stand end to end, looked at byte by byte."""

    data: NDArray[np.uint8]
    """Their bytes; one that is no UTF-8 is a question mark."""
    edges: Integers
    """Where each document begins, and where the last one ends."""
    classes: NDArray[np.uint8]
    """Of each byte, the class of its character."""
    characters: Integers
    """How many characters each document has, as `decode(errors="replace")` shows it."""

    @property
    def inner(self) -> NDArray[np.bool_]:
        """Of each byte, whether its character began before it."""
        found: NDArray[np.bool_] = (self.data & _INNER) == _HIGH
        return found


def classified(documents: Sequence[bytes]) -> Classified:
    """The classes of the characters of documents.

    >>> found = classified([b"a 1", "é!".encode()])
    >>> found.classes.tolist(), found.characters.tolist()
    ([1, 4, 2, 1, 1, 16], [3, 2])
    """
    text = b"".join(documents)
    edges = np.cumsum([0, *map(len, documents)], dtype=np.int64)
    data = np.frombuffer(text, dtype=np.uint8)
    if text.isascii():
        return Classified(data, edges, _of_bytes()[data], np.diff(edges))
    inner = np.flatnonzero((data & _INNER) == _HIGH)
    if _is_text(text) and not np.isin(edges, inner).any():
        return Classified(data, edges, _of_text(data), np.diff(edges - np.searchsorted(inner, edges)))
    characters = np.array([len(document.decode("utf-8", "replace")) for document in documents], dtype=np.int64)
    data = np.frombuffer(b"".join(map(_repaired, documents)), dtype=np.uint8)
    return Classified(data, edges, _of_text(data), characters)


def _is_text(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _repaired(document: bytes) -> bytes:
    """The document with a question mark for each byte that is no text; as long as it was."""
    return document.decode("utf-8", "surrogateescape").encode("utf-8", "replace")


def _of_text(data: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Of each byte of valid UTF-8, the class of its character."""
    found = _of_bytes()[data]
    high = np.flatnonzero(data >= _LEADS[0][0])  # where characters of several bytes begin
    lead = data[high]
    for index, (least, payload, size) in enumerate(_LEADS):
        most = _LEADS[index + 1][0] if index + 1 < len(_LEADS) else 256
        places = high[(lead >= least) & (lead < most)]
        if not places.size:
            continue
        code = (data[places] & payload).astype(np.int32)
        for step in range(1, size):
            code = (code << _SHIFT) | (data[places + step] & _PAYLOAD)
        each = classes()[code]
        for step in range(size):
            found[places + step] = each
    return found
