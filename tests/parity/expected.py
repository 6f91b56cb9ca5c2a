"""Differences that are known and will stay: the smallest text, both answers, and why.

They are not on the texts of the table, which must have none; `tests/peers/test_parity.py` holds that each is still as
it stands here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["EXPECTED", "Expected"]


@dataclass(frozen=True)
class Expected:
    """One difference."""

    row: str
    library: str
    version: str
    """With which it was found."""
    text: str
    """Nothing can be left out of it."""
    ours: tuple[Any, ...]
    theirs: tuple[Any, ...]
    why: str
    """One sentence, for the page."""


EXPECTED = (
    Expected(
        row="subword-nmt",
        library="subword-nmt",
        version="0.3.8",
        text="\t",
        ours=(),
        theirs=("\t</w>",),
        why="subword-nmt cuts a line at U+0020 alone, so that a tab, a no-break space or an ideographic space is a"
        " letter of a word; here words are what stands between white space of any kind.",
    ),
)
