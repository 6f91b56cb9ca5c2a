"""Integers that a person gives: checked in one place, so that all are refused in the same words."""

from __future__ import annotations

import operator
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final, SupportsIndex

__all__ = ["LARGEST", "MOST_COUNT", "bounded", "checked_integer", "processors"]

LARGEST: Final = sys.maxsize
"""More than any text, list or table can hold."""
MOST_COUNT: Final = 2**64 - 1
"""The most that a count can be, and all counts together."""
MOST_THREADS: Final = 4096
"""More than this is a mistake."""


def checked_integer(name: str, value: SupportsIndex, least: int, most: int = LARGEST) -> int:
    """The integer that was given as `name`; NumPy's integers are integers, True is none.

    >>> checked_integer("threads", 3, 1)
    3
    >>> checked_integer("threads", 0, 1, 4096)
    Traceback (most recent call last):
        ...
    ValueError: threads is 0
    hint: it is an integer from 1 to 4096

    Raises:
        TypeError: it is no integer.
        ValueError: it is below `least` or above `most`.
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is of type `{type(value).__name__}`\nhint: it is an integer")
    number = operator.index(value)
    if not least <= number <= most:
        raise ValueError(f"{name} is {number}\nhint: it is an integer from {least} to {most}")
    return number


def bounded(name: str, value: int) -> int:
    """A limit from 0; one that no text can reach is as good as the largest."""
    if isinstance(value, int) and value > LARGEST:
        return LARGEST
    return checked_integer(name, value, 0)


def processors(threads: int | None, name: str = "threads") -> int:
    """A number of threads, or of what is called `name`: the one given, or as many as this process has processors.

    >>> processors(3), processors(None) >= 1
    (3, True)
    """
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return checked_integer(name, threads, 1, MOST_THREADS)
