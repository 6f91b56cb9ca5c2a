"""Rows of the engine's table of pretokens, as they travel: contents end to end, the offsets between them, counts."""

from __future__ import annotations

from collections.abc import Iterator

from bytepair import _core

__all__ = ["Rows", "pieces", "rows"]

Rows = tuple[bytes, memoryview, memoryview]
"""Contents, offsets (one more than rows) and counts; the latter as 64-bit integers. `Counts.add_many` takes them."""

PIECE = 1 << 16
"""The rows of a piece."""


def rows(table: _core.Counts, start: int = 0, length: int | None = None) -> Rows:
    """The rows from `start` on, in the order of first appearance; all of them, or at most `length`."""
    data, offsets, counts = table.export(start, table.distinct if length is None else length)
    return data, offsets.cast("Q"), counts.cast("Q")


def pieces(table: _core.Counts) -> Iterator[Rows]:
    """All rows, in pieces.

    >>> table = _core.Counts(None, "bytes", None, False, [])
    >>> table.add("low", 3)
    >>> [(data, offsets.tolist(), counts.tolist()) for data, offsets, counts in pieces(table)]
    [(b'low', [0, 3], [3])]
    """
    for start in range(0, table.distinct, PIECE):
        yield rows(table, start, PIECE)
