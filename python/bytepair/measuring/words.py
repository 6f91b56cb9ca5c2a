r"""Where words stand in a text, and how many tokens each has in its context.

A word is a run of letters and marks (`\p{L}`, `\p{M}`); its span includes the one space before it. A token belongs to
every word whose span it overlaps, so that what the tokenizer does with spaces and punctuation around a word counts.

Cost: linear, in NumPy; a few bytes for each byte of the batch.
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

__all__ = ["Spans", "overlaps", "spans"]

_ONE, _TWO, _THREE = 0x80, 0x800, 0x10000
_ESCAPES = (0xDC80, 0xDCFF)
_SPACE = 0x20


@cache
def _letters() -> NDArray[np.bool_]:
    """Of every code point, whether it is a letter or a mark."""
    table = np.zeros(0x110000, dtype=np.bool_)
    for name in ("L", "M"):
        for first, last in _core.unicode_ranges(name) or ():
            table[first : last + 1] = True
    table[0xD800:0xE000] = False
    return table


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """The words of some documents that stand end to end."""

    starts: Integers
    """Where each word starts, in bytes of all documents."""
    ends: Integers
    """Where it ends."""
    documents: Integers
    """The index of its document."""
    characters: Integers
    """How many characters each document has, as `decode(errors="replace")` shows it."""


def spans(documents: Sequence[bytes]) -> Spans:
    """The words of documents.

    >>> found = spans([b"a low, 2 ", "naïve".encode()])
    >>> found.starts.tolist(), found.ends.tolist(), found.documents.tolist()
    ([0, 1, 9], [1, 5, 15], [0, 0, 1])
    """
    texts, characters = [], []
    for document in documents:
        try:
            texts.append(document.decode())
            characters.append(len(texts[-1]))
        except UnicodeDecodeError:
            texts.append(document.decode("utf-8", "surrogateescape"))
            characters.append(len(document.decode("utf-8", "replace")))
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    edges = np.cumsum([0, *map(len, texts)])[:-1]
    edges = edges[edges < codes.size]
    is_letter = _letters()[codes]
    opens, closes = is_letter.copy(), is_letter.copy()
    opens[1:] &= ~is_letter[:-1]
    closes[:-1] &= ~is_letter[1:]
    opens[edges] = is_letter[edges]
    before = edges[edges > 0] - 1
    closes[before] = is_letter[before]
    first, last = np.flatnonzero(opens), np.flatnonzero(closes)
    spaced = (first > 0) & (codes[first - 1] == _SPACE)
    spaced[np.isin(first, edges)] = False
    sizes = _lengths(codes)
    ends = np.cumsum(sizes, dtype=np.int64)
    offsets = np.cumsum([0, *map(len, documents)])
    found = ends[first] - sizes[first]
    owners = np.searchsorted(offsets, found, side="right") - 1
    return Spans(found - spaced, ends[last], owners, np.array(characters, dtype=np.int64))


def _lengths(codes: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """The bytes of each character; of an escaped byte, 1."""
    lengths = np.ones(codes.size, dtype=np.uint8)
    for least in (_ONE, _TWO, _THREE):
        lengths += codes >= least
    lengths[(codes >= _ESCAPES[0]) & (codes <= _ESCAPES[1])] = 1
    return lengths


def overlaps(words: Spans, token_ends: Integers, size: int) -> Integers:
    """How many tokens overlap each word; tokens lie end to end in `size` bytes.

    >>> overlaps(spans([b"a low"]), np.array([1, 3, 5]), 5).tolist()
    [1, 2]
    """
    is_end = np.zeros(size + 1, dtype=np.uint8)
    is_end[token_ends] = 1
    ends = np.cumsum(is_end, dtype=np.int64)
    found: Integers = ends[words.ends - 1] - ends[words.starts] + 1
    return found
