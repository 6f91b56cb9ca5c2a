"""Differences that are known and will stay: the smallest text, both answers, and why.

On the texts of the table there is no difference but what stands here; `tests/peers/test_parity.py` holds that each is
still as it stands here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
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
    characters: str = ""
    """Where it stands for a set of characters: the inside of a regular expression's brackets. A text that has no
    difference without them is counted as expected."""

    def explains(self, text: str, differs: Callable[[str], bool]) -> bool:
        """Whether a text differs because of this alone."""
        rest = re.sub(f"[{self.characters}]", "", text) if self.characters else text
        return rest != text and not differs(rest)


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
