"""A warning in two lines, at the line of the caller of this package, however deep in it the reason was found."""

from __future__ import annotations

import sys
import warnings
from typing import Final

__all__ = ["tell"]

_PACKAGE: Final = __name__.partition(".")[0]


def tell(category: type[Warning], what: str, hint: str) -> None:
    """Warns of `what`, and below it gives the hint."""
    level, frame = 1, sys._getframe()  # noqa: SLF001 - there is no other way to see who called
    while frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE and frame.f_back is not None:
        level, frame = level + 1, frame.f_back
    warnings.warn(f"{what}\nhint: {hint}", category, stacklevel=level)
