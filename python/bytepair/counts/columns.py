"""The columns of `PretokenCounts`: what each source counts.

The idea: a source of many has few of the rows, so a column holds the rows that it counts, ascending, and their counts.
All columns together then take what the tables of the sources took, however many there are.

Cost: 12 bytes a count; linear, and a sort where two tables meet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from bytepair import _core
from bytepair.counts.rows import pieces
from bytepair.counts.weights import too_large
from bytepair.integers import MOST_COUNT

__all__ = ["Column", "added", "all_counts", "of_table", "summed"]

Counts = NDArray[np.uint64]
"""A count for each of some rows."""


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """The counts of one source."""

    rows: NDArray[np.uint32]
    """The rows that it counts, ascending."""
    counts: Counts
    """How often it counts each; never 0."""

    @classmethod
    def of(cls, rows: NDArray[np.integer], counts: Counts) -> Self:
        """The column of some rows, each once and in any order; counts may be 0."""
        order = np.argsort(rows, kind="stable")
        order = order[counts[order] != 0]
        return cls(rows[order].astype(np.uint32), counts[order])

    def dense(self, start: int, stop: int) -> Counts:
        """The counts of the rows from `start` to `stop`, with zeros.

        >>> Column.of(np.array([7, 2]), np.array([3, 5], np.uint64)).dense(1, 8).tolist()
        [0, 5, 0, 0, 0, 0, 3]
        """
        first, last = np.searchsorted(self.rows, (start, stop))
        found = np.zeros(stop - start, np.uint64)
        found[self.rows[first:last] - np.uint32(start)] = self.counts[first:last]
        return found

    def kept(self, kept: NDArray[np.bool_]) -> Column:
        """The column where only these rows are left."""
        places = np.cumsum(kept, dtype=np.uint32) - np.uint32(1)
        mine = kept[self.rows]
        return Column(places[self.rows[mine]], self.counts[mine])

    def moved(self, places: Counts) -> Column:
        """The column where each row stands in another place."""
        return Column.of(places[self.rows], self.counts)

    def times(self, factor: int) -> Column:
        """All counts multiplied.

        Raises:
            TrainingError: they do not fit 64 bits.
        """
        if factor == 0:
            return Column(self.rows[:0], self.counts[:0])
        if int(self.counts.max(initial=0)) * factor > MOST_COUNT:
            raise too_large(factor)
        return Column(self.rows, self.counts * np.uint64(min(factor, MOST_COUNT)))  # one above has nothing to multiply

    def plus(self, other: Column) -> Column:
        """Both added up; they fit 64 bits."""
        rows, where = np.unique(np.concatenate((self.rows, other.rows)), return_inverse=True)
        counts = np.zeros(len(rows), np.uint64)
        counts[where[: len(self.rows)]] += self.counts
        counts[where[len(self.rows) :]] += other.counts
        return Column(rows, counts)


def all_counts(table: _core.Counts) -> Counts:
    """The counts of all rows."""
    parts = [np.frombuffer(counts, np.uint64) for _, _, counts in pieces(table)]
    return np.concatenate([np.zeros(0, np.uint64), *parts])


def of_table(whole: _core.Counts, table: _core.Counts) -> Column:
    """The column of a source whose table has become a part of the whole."""
    return Column.of(_places(whole, table), all_counts(table))


def summed(columns: Mapping[str, Column], rows: int) -> Counts:
    """What all columns count together, in so many rows; it fits 64 bits."""
    counts = np.zeros(rows, np.uint64)
    for column in columns.values():
        counts[column.rows] += column.counts
    return counts


def added(
    whole: _core.Counts, left: Mapping[str, Column], right: Mapping[str, Column], rows_of_right: _core.Counts
) -> dict[str, Column]:
    """The columns of a merged table, which begins with the rows of `left`."""
    columns = dict(left)
    if right:
        places = _places(whole, rows_of_right)
        for name, column in right.items():
            moved = column.moved(places)
            columns[name] = columns[name].plus(moved) if name in columns else moved
    return columns


def _places(whole: _core.Counts, table: _core.Counts) -> Counts:
    """Where the rows of a table stand in the whole, which has all of them."""
    return np.frombuffer(whole.places(table), np.uint64)
