"""A warning in two lines, at the line of the caller of this package, however deep in it the reason was found.

Python's warnings are one list for all threads. Who serves several people at once gathers them instead, each in the
context that caused them.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, NamedTuple

__all__ = ["Told", "gathered", "tell"]

_PACKAGE: Final = __name__.partition(".")[0]


class Told(NamedTuple):
    """What was warned of."""

    what: str
    hint: str


_GATHERED: Final = ContextVar[list[Told] | None]("gathered", default=None)


def tell(category: type[Warning], what: str, hint: str) -> None:
    """Warns of `what`, and below it gives the hint."""
    gathering = _GATHERED.get()
    if gathering is not None:
        gathering.append(Told(what, hint))
        return
    level, frame = 1, sys._getframe()  # noqa: SLF001 - there is no other way to see who called
    while frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE and frame.f_back is not None:
        level, frame = level + 1, frame.f_back
    warnings.warn(f"{what}\nhint: {hint}", category, stacklevel=level)


@contextmanager
def gathered() -> Iterator[list[Told]]:
    """What this context tells meanwhile is put into the list, and no warning.

    >>> with gathered() as told:
    ...     tell(UserWarning, "it is late", "go home")
    >>> told
    [Told(what='it is late', hint='go home')]
    """
    told: list[Told] = []
    before = _GATHERED.set(told)
    try:
        yield told
    finally:
        _GATHERED.reset(before)
