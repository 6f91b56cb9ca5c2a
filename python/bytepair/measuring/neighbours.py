"""What dropping unknown words does to a text: words stand side by side that never did.

The idea: words are runs of letters, runs of numbers, and single other signs, and white space parts them. The engine
cuts texts into these, looks each word up, and counts the neighbours (`crates/bytepair/src/measure/neighbours.rs`).
"""

from __future__ import annotations

from collections.abc import Collection
from heapq import nsmallest
from typing import TYPE_CHECKING

from bytepair import _core
from bytepair.data import Documents, Part
from bytepair.render.visible import beginning, visible

if TYPE_CHECKING:
    from bytepair.data import Batch

__all__ = ["SPACE", "WORDS", "Neighbours"]

WORDS = r"[\p{L}\p{M}]+|\p{N}+|\s+|[^\s\p{L}\p{M}\p{N}]"
"""A pattern that cuts text into words, and white space between them."""
SPACE = 2
"""Its alternative for white space."""
MOST = 1 << 18
"""The most examples that are counted."""
_SHOWN = 120
"""The bytes of an example, or of a word, that are shown as they are."""


class Neighbours:
    """Neighbours of known words once the others are dropped.

    >>> found = Neighbours({b"an", b"dog"})
    >>> found.add(Documents(["an unusual dog"], str, 14))
    >>> found.pairs, found.false, found.examples(1)
    (1, 1, (('an unusual dog', 'an dog'),))
    """

    def __init__(self, known: Collection[bytes]) -> None:
        self._found = _core.Neighbours(WORDS, SPACE, list(known), MOST)

    @property
    def pairs(self) -> int:
        """Neighbours after dropping."""
        return self._found.counts[0]

    @property
    def false(self) -> int:
        """Those of them that were none before."""
        return self._found.counts[1]

    def add(self, batch: Batch) -> None:
        """Adds a batch."""
        if isinstance(batch, Part):
            self._found.add(batch.content, batch.last)
            return
        held = batch if isinstance(batch, Documents) else batch.documents()
        for document in held.documents:
            self._found.add(document, True)

    def examples(self, most: int) -> tuple[tuple[str, str], ...]:
        """The text as it was and what is left of it, as `visible` shows it: words before signs, frequent ones first.

        Of what is long the beginning is shown, and of a long text the last word: what lies between may be a document.
        """
        found = (
            (not (_is_word(one) and _is_word(other)), -count, len(was), was, one, other)
            for was, one, other, count in self._found.examples()
        )
        return tuple(
            (
                visible(was) if len(was) <= _SHOWN else f"{_short(was)} {_short(other)}",
                f"{_short(one)} {_short(other)}",
            )
            for *_, was, one, other in nsmallest(most, found)
        )


def _short(text: bytes) -> str:
    return visible(text) if len(text) <= _SHOWN else f"{visible(beginning(text, _SHOWN))}\u2026"


def _is_word(word: bytes) -> bool:
    return word.decode("utf-8", "replace").isalpha()
