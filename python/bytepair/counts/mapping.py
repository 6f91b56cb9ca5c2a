"""A table of pretokens and how often each occurs, as what training reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bytepair.errors import TrainingError
from bytepair.integers import MOST_COUNT

__all__ = ["CountsMapping", "counted"]

CountsMapping = Mapping[str, int] | Mapping[bytes, int] | Mapping[str | bytes, int]
"""Pretokens and how often each occurs."""


def counted(counts: CountsMapping) -> Iterator[tuple[str | bytes, int]]:
    """The entries of a table of counts, checked.

    >>> list(counted({"low": 5, b"lower": 2}))
    [('low', 5), (b'lower', 2)]

    Raises:
        TypeError: counts is no mapping, a pretoken is no text, or a count is no integer.
        TrainingError: a count below 0, or above 2^64 - 1.
    """
    if not isinstance(counts, Mapping):
        raise TypeError(f"counts is of type `{type(counts).__name__}`\nhint: pass a mapping of pretokens to counts")
    for pretoken, count in counts.items():
        if not isinstance(pretoken, (str, bytes)):
            raise TypeError(f"counts has a key of type `{type(pretoken).__name__}`\nhint: a pretoken is a str or bytes")
        if isinstance(count, bool) or not hasattr(count, "__index__"):
            raise TypeError(
                f"the count of {pretoken!r} is of type `{type(count).__name__}`\nhint: counts are integers; multiply "
                "fractions by their common denominator"
            )
        number = count.__index__()
        if not 0 <= number <= MOST_COUNT:
            raise TrainingError(f"the count of {pretoken!r} is {number}", "counts are from 0 to 2^64 - 1")
        yield pretoken, number
