r"""Where words stand in a text, and how many tokens each has in its context.

A word is a run of letters and marks (`\p{L}`, `\p{M}`); its span includes the one space before it. A token belongs to
every word whose span it overlaps, so that what the tokenizer does with spaces and punctuation around a word counts.

Cost: linear, in NumPy; a few bytes for each byte of the batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bytepair.measuring.classes import LETTER, classified

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

__all__ = ["Spans", "overlaps", "spans"]


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


def spans(documents: Sequence[bytes], space: bytes = b" ") -> Spans:
    """The words of documents, in which a space may be written in another way.

    >>> found = spans([b"a low, 2 ", "naïve".encode()])
    >>> found.starts.tolist(), found.ends.tolist(), found.documents.tolist()
    ([0, 1, 9], [1, 5, 15], [0, 0, 1])
    """
    found = classified(documents)
    data, edges, is_letter = found.data, found.edges, found.classes == LETTER
    starts, ends = _runs(is_letter)
    inside = np.unique(edges[(edges > 0) & (edges < data.size)])
    parted = inside[is_letter[inside] & is_letter[inside - 1]]  # one document ends and the next begins with a letter
    if parted.size:
        starts, ends = (np.sort(np.concatenate([places, parted])) for places in (starts, ends))
    owners = np.searchsorted(edges, starts, side="right") - 1
    spaced = starts >= edges[owners] + len(space)
    for back, byte in enumerate(reversed(space), 1):
        spaced[spaced] = data[starts[spaced] - back] == byte
    return Spans(starts - spaced * len(space), ends, owners, found.characters)


def _runs(is_letter: NDArray[np.bool_]) -> tuple[Integers, Integers]:
    """Where runs of letters start and end."""
    changes = np.flatnonzero(is_letter[1:] != is_letter[:-1]) + 1
    if is_letter.size and is_letter[0]:
        changes = np.r_[0, changes]
    if is_letter.size and is_letter[-1]:
        changes = np.r_[changes, is_letter.size]
    return changes[0::2], changes[1::2]


def overlaps(words: Spans, token_ends: Integers, size: int) -> Integers:
    """How many tokens overlap each word; tokens lie end to end in `size` bytes.

    >>> overlaps(spans([b"a low"]), np.array([1, 3, 5]), 5).tolist()
    [1, 2]
    """
    is_end = np.zeros(size + 1, dtype=np.uint8)
    is_end[token_ends] = 1
    ends = np.cumsum(is_end, dtype=np.uint32)  # differences are right even where it begins anew
    found: NDArray[np.uint32] = ends[words.ends - 1] - ends[words.starts] + 1
    return found.astype(np.int64)
