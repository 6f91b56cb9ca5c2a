"""Figures from counts of tokens: entropy, Renyi efficiency, Gini, Zipf's slope, coverage.

Every function takes an array of counts, one a token; tokens that are counted 0 times do not
matter. A figure of nothing is not a number (NaN). Cost: linear, or the sorting of the counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["ALPHA", "coverage", "entropy", "gini", "renyi_efficiency", "zipf_slope"]

ALPHA = 2.5
"""The order of Renyi's entropy at which it was found to go with the quality of translation (arXiv:2306.16842)."""


def _counted(counts: ArrayLike) -> NDArray[np.float64]:
    """The counts above 0."""
    array = np.asarray(counts)
    return array[array > 0].astype(np.float64)


def entropy(counts: ArrayLike) -> float:
    """Shannon's entropy of the distribution, in bits a token.

    >>> entropy([1, 1, 1, 1])
    2.0
    """
    seen = _counted(counts)
    if not seen.size:
        return float("nan")
    shares = seen / seen.sum()
    return float(-(shares * np.log2(shares)).sum()) + 0.0


def renyi_efficiency(counts: ArrayLike, alpha: float = ALPHA, types: int | None = None) -> float:
    """H_alpha / log2 |V| with H_alpha = log2(sum of p^alpha) / (1 - alpha): how evenly tokens are used, 0 to 1.

    Args:
        counts: how often each token occurs.
        alpha: the order; 1 is Shannon's entropy.
        types: |V|; None for the number of tokens that occur.

    >>> round(renyi_efficiency([3, 2, 1, 1]), 12)  # of: pick @@ed pick @@l @@ed pick @@les
    0.826506483423
    """
    seen = _counted(counts)
    types = seen.size if types is None else types
    if types < 2 or not seen.size:  # noqa: PLR2004 - log2 of 1 is 0
        return float("nan")
    if alpha == 1:
        return entropy(seen) / float(np.log2(types))
    shares = seen / seen.sum()
    return float(np.log2((shares**alpha).sum()) / (1 - alpha) / np.log2(types))


def gini(values: ArrayLike) -> float:
    """Gini = sum |ci - cj| / (2 n^2 mean): 0 where all values are equal, near 1 where one has all.

    >>> gini([1, 1, 1]), gini([0, 0, 3])
    (0.0, 0.6666666666666666)
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    total = ordered.sum()
    if not ordered.size or total == 0:
        return float("nan")
    places = np.arange(1, ordered.size + 1)
    return float((2 * places - ordered.size - 1) @ ordered / (ordered.size * total))


def zipf_slope(counts: ArrayLike, first: int, last: int) -> float:
    """The slope of log10(count) against log10(rank), by least squares, over the ranks from `first` to `last`.

    Ranks are taken at even steps of the logarithm, since nearly all of them lie at the end of the range.

    >>> round(zipf_slope([1000 / rank for rank in range(1, 101)], 1, 100), 6)
    -1.0
    """
    ordered = np.sort(_counted(counts))[::-1]
    last = min(last, ordered.size)
    if last - first < 2:  # noqa: PLR2004 - a line through less is none
        return float("nan")
    ranks = np.unique(np.geomspace(first, last, 200).astype(np.int64))
    slope, _ = np.polyfit(np.log10(ranks), np.log10(ordered[ranks - 1]), 1)
    return float(slope)


def coverage(counts: ArrayLike, top: int) -> float:
    """The share of all text, in tokens, that the `top` most frequent tokens make up.

    >>> coverage([6, 3, 1], 1)
    0.6
    """
    ordered = np.sort(_counted(counts))[::-1]
    return float(ordered[:top].sum() / ordered.sum()) if ordered.size else float("nan")
