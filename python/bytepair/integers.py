"""Integers that a person gives: checked in one place, so that all are refused in the same words."""

from __future__ import annotations

import operator
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final, SupportsIndex

__all__ = ["LARGEST", "checked_integer"]

LARGEST: Final = sys.maxsize
"""More than any text, list or table can hold."""


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
