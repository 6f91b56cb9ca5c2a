"""The columns of `PretokenCounts`: an array for each source, row by row.

Cost: linear in the rows, a hash of each where two tables meet.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bytepair import _core
from bytepair.counts.rows import pieces, rows
from bytepair.errors import TrainingError
from bytepair.integers import MOST_COUNT

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.uint64]
    Columns = Mapping[str, Column]

__all__ = ["added", "multiplied", "sums", "too_large"]


def sums(table: _core.Counts) -> Column:
    """The counts of all rows."""
    import numpy as np  # noqa: PLC0415

    parts = [np.frombuffer(counts, np.uint64) for _, _, counts in pieces(table)]
    return np.concatenate([np.zeros(0, np.uint64), *parts])


def _places(whole: _core.Counts, table: _core.Counts) -> Column:
    """For each row of the whole, 1 + the place of its pretoken in `table`, or 0; the whole has all of its pretokens.

    The idea: rows that count 1, and to each is added 1 + the place that its pretoken has in the other table.
    """
    import numpy as np  # noqa: PLC0415

    numbers = whole.empty()
    data, offsets, _ = rows(whole)
    numbers.add_many(data, offsets, np.ones(whole.distinct, np.uint64))
    data, offsets, _ = rows(table)
    numbers.add_many(data, offsets, np.arange(1, table.distinct + 1, dtype=np.uint64))
    _, _, found = rows(numbers, 0, whole.distinct)
    return np.frombuffer(found, np.uint64) - np.uint64(1)


def _at(column: Column, places: Column) -> Column:
    """The column's values at places that are counted from 1; 0 at place 0."""
    import numpy as np  # noqa: PLC0415

    return np.concatenate((np.zeros(1, np.uint64), column))[places]


def added(whole: _core.Counts, left: Columns, right: Columns, rows_of_right: _core.Counts) -> dict[str, Column]:
    """The columns of a merged table, which begins with the rows of `left`."""
    if not left and not right:
        return {}
    import numpy as np  # noqa: PLC0415

    columns = {name: np.zeros(whole.distinct, np.uint64) for name in (*left, *right)}
    for name, column in left.items():
        columns[name][: len(column)] = column
    places = _places(whole, rows_of_right)
    for name, column in right.items():
        columns[name] += _at(column, places)
    return columns


def multiplied(column: Column, factor: int) -> Column:
    """All values of the column, multiplied; an error if one does not fit 64 bits."""
    import numpy as np  # noqa: PLC0415

    if int(column.max(initial=0)) * factor > MOST_COUNT:
        raise too_large(factor)
    return column * np.uint64(min(factor, MOST_COUNT))  # a factor above that has only zeros to multiply


def too_large(factor: int) -> TrainingError:
    """The error that counts do not fit 64 bits any more."""
    return TrainingError(
        f"the counts pass 2^64 - 1 when they are multiplied by {factor}",
        "take weights of few digits, such as 0.3, or fractions with small denominators, such as Fraction(1, 3)",
    )
