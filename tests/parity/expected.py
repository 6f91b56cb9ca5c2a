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
    Expected(
        row="claude2",
        library="tokenizers",
        version="0.23.3",
        text="\U0001fbf7",
        ours=(27,),
        theirs=(6617, 112, 120),
        why="its NFKC is that of a Unicode before 13: digits and letters that came later, such as U+1FBF7, have no"
        " decomposition there; here a segmented seven becomes 7.",
        characters="\u0558\u058b\u058c\u209d-\u209f\u32ff\ua7f1-\ua7f4\uab69\U00010781-\U000107bf\U0001b123-\U0001b126"
        "\U0001ccd6-\U0001ccf9\U0001d6a6\U0001df95\U0001dfcd-\U0001dfff\U0001e030-\U0001e06d\U0001f16c\U0001fbf0-\U0001fbf9",
    ),
)
