"""How sure a difference between tokenizers is: the paired bootstrap over documents.

The idea: both tokenizers are measured on the same documents, so documents are drawn anew, with replacement, a thousand
times, and the difference is taken each time; the middle 95 % of them are the interval. The drawing is seeded: the same
texts give the same interval.

Of very many documents, neighbours are added up until there are at most `MOST` groups: a group is drawn as a document
is, which leaves the interval what it was but for chance. Memory is bounded so; cost: `RESAMPLES` times the groups.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Sums = NDArray[np.float64]

__all__ = ["LEVEL", "RESAMPLES", "Groups", "interval"]

RESAMPLES = 1000
LEVEL = 0.95
MOST = 1 << 12
_AT_ONCE = 64


class Groups:
    """Sums of some columns for each document, or for each few neighbouring ones.

    >>> groups = Groups(1, most=2)
    >>> for number in range(1, 6):
    ...     groups.add(np.array([[number]]))
    >>> groups.sums.tolist(), groups.documents
    ([[10], [5]], 5)
    """

    def __init__(self, columns: int, most: int = MOST) -> None:
        self._rows = np.zeros((0, columns), dtype=np.int64)
        self._most, self._size, self._filled = most, 1, 1
        self.documents = 0

    def add(self, rows: NDArray[np.int64]) -> None:
        """Adds documents, one a row."""
        self.documents += len(rows)
        room = self._size - self._filled
        if room and len(rows):
            taken, rows = rows[:room], rows[room:]
            self._rows[-1] += taken.sum(axis=0)
            self._filled += len(taken)
        if len(rows):
            self._rows = np.concatenate([self._rows, _added(rows, self._size)])
            self._filled = (len(rows) - 1) % self._size + 1
        while len(self._rows) > self._most:
            if len(self._rows) % 2 == 0:
                self._filled += self._size
            self._rows = _added(self._rows, 2)
            self._size *= 2

    @property
    def sums(self) -> NDArray[np.int64]:
        """Of shape (groups, columns)."""
        return self._rows


def _added(rows: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Each `size` neighbouring rows added up."""
    if not len(rows):
        return rows
    return np.add.reduceat(rows, np.arange(0, len(rows), size), axis=0)


def interval(sums: NDArray[np.int64], figure: Callable[[Sums], Sums], seed: int = 0) -> tuple[float, float]:
    """The interval of a figure of the sums of columns; (NaN, NaN) of fewer than two documents.

    Args:
        sums: of shape (documents, columns).
        figure: takes sums of shape (resamples, columns) to figures of shape (resamples,).
        seed: of the drawing.

    >>> interval(np.array([[1, 2], [2, 4], [5, 10]]), lambda sums: sums[:, 1] / sums[:, 0])
    (2.0, 2.0)
    """
    count = len(sums)
    if count < 2:  # noqa: PLR2004 - one document says nothing about others
        return float("nan"), float("nan")
    random = np.random.default_rng(seed)
    drawn = []
    for start in range(0, RESAMPLES, _AT_ONCE):
        often = random.multinomial(count, np.full(count, 1 / count), size=min(_AT_ONCE, RESAMPLES - start))
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn.append(figure(often.astype(np.float64) @ sums.astype(np.float64)))
    figures = np.concatenate(drawn)
    figures = figures[np.isfinite(figures)]
    if not figures.size:
        return float("nan"), float("nan")
    low, high = np.quantile(figures, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
