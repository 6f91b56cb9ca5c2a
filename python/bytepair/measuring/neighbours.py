"""What dropping unknown words does to a text: words stand side by side that never did.

The idea: words are runs of letters, runs of numbers, and single other signs, so where they begin is seen from the
classes of two neighbouring characters. Which of them are known is told by a tokenizer whose tokens are the known words
and the bytes: a word is known if it is one token.

Cost: linear, in NumPy. Of a document that comes in parts the last word is kept until it ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from heapq import nsmallest
from typing import TYPE_CHECKING

import numpy as np

from bytepair import _core
from bytepair.data import Documents, Part
from bytepair.measuring.classes import LETTER, NUMBER, SPACE, Classified, classified
from bytepair.measuring.tally import token_lengths
from bytepair.render.visible import visible

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bytepair.data import Batch
    from bytepair.tokenizer import Tokenizer

    Integers = NDArray[np.int64]

__all__ = ["WORDS", "Neighbours", "words_of"]

WORDS = r"[\p{L}\p{M}]+|\p{N}+|\s+|[^\s\p{L}\p{M}\p{N}]"
"""A pattern that cuts text into words, and white space between them."""
MOST = 1 << 18
"""The most examples that are counted."""


def words_of(known: Collection[bytes]) -> Tokenizer:
    """A tokenizer that cuts text into words, whose tokens are some of them and the bytes."""
    from bytepair.parts import Parts  # noqa: PLC0415
    from bytepair.tokenizer import Tokenizer  # noqa: PLC0415

    tokens = [(byte, bytes([byte])) for byte in range(256)]
    tokens += enumerate((word for word in known if len(word) > 1), 256)
    return Tokenizer.from_parts(Parts(pattern=WORDS, tokens=tuple(tokens), merges=(), whole_first=True))


class Neighbours:
    """Neighbours of known words once the others are dropped.

    >>> found = Neighbours({b"an", b"dog"}, 1)
    >>> found.add(Documents(["an unusual dog"], str, 14))
    >>> found.pairs, found.false, found.examples(1)
    (1, 1, (('an unusual dog', 'an dog'),))
    """

    def __init__(self, known: Collection[bytes], threads: int) -> None:
        self._tok = words_of(known)
        self._is_word = np.ones(self._tok.n_vocab, dtype=np.bool_)
        self._is_word[:256] = [bytes([byte]) in known for byte in range(256)]
        self._lengths = token_lengths(self._tok)
        self._threads = threads
        self._examples: Counter[tuple[bytes, bytes, bytes]] = Counter()
        self._kept = b""
        self._next = 0
        self._words_before = 0
        self._last: int | None = None
        self.pairs = self.false = 0
        """Neighbours after dropping, and those of them that were none before."""

    def add(self, batch: Batch) -> None:
        """Adds a batch."""
        if isinstance(batch, Part):
            self._add_part(batch.content, is_last=batch.last)
            return
        held = batch if isinstance(batch, Documents) else batch.documents()
        self._look([_core.raw(text) for text in held.documents], is_open=False)

    def examples(self, most: int) -> tuple[tuple[str, str], ...]:
        """The text as it was and what is left of it, as `visible` shows it: words before signs, frequent ones first."""
        found = (
            (not (_is_word(one) and _is_word(other)), -count, len(was), was, one, other)
            for (was, one, other), count in self._examples.items()
        )
        return tuple(
            (visible(was), f"{visible(one)} {visible(other)}") for *_, was, one, other in nsmallest(most, found)
        )

    def _add_part(self, part: bytes, *, is_last: bool) -> None:
        self._kept += part
        if is_last:
            self._look([self._kept], is_open=True)
            self._kept, self._next, self._words_before, self._last = b"", 0, 0, None
        elif len(self._kept) >= self._next:
            starts = _begin(classified([self._kept]))
            limit = int(starts[-1]) if starts.size else 0
            self._look([self._kept[:limit]], is_open=True)
            self._kept = self._kept[limit:]
            self._next = 2 * len(self._kept)

    def _look(self, documents: Sequence[bytes], *, is_open: bool) -> None:
        """Counts the neighbours in documents, or in a piece of the one that is open."""
        text = b"".join(documents)
        if not text:
            return
        ids, _ = self._tok.encode_batch_to_numpy(documents, threads=self._threads)
        found = classified(documents)
        starts = _begin(found)
        lengths = self._lengths[ids]
        is_first = np.zeros(len(text), dtype=np.uint8)
        is_first[np.cumsum(lengths) - lengths] = 1
        first = np.cumsum(is_first, dtype=np.uint32)[starts].astype(np.int64) - 1  # each word's first token
        ends = np.r_[starts[1:], len(text)]
        is_known = (np.diff(np.r_[first, ids.size]) == 1) & self._is_word[ids[first]]
        is_word = found.classes[starts] != SPACE
        starts, ends, is_known = starts[is_word], ends[is_word], is_known[is_word]
        kept = np.flatnonzero(is_known)
        if kept.size:
            self._count(text, starts[kept], ends[kept], kept, found.edges, is_open=is_open)
        self._words_before += starts.size

    def _count(
        self, text: bytes, starts: Integers, ends: Integers, places: Integers, edges: Integers, *, is_open: bool
    ) -> None:
        """Counts the pairs of words that are kept; `places` are their numbers among all words."""
        owners = np.searchsorted(edges, starts, side="right")
        together = owners[1:] == owners[:-1]
        false = together & (np.diff(places) > 1)
        self.pairs += int(np.count_nonzero(together))
        self.false += int(np.count_nonzero(false))
        if is_open:
            if self._last is not None:
                self.pairs += 1
                self.false += self._words_before + int(places[0]) - self._last > 1
            self._last = self._words_before + int(places[-1])
        if len(self._examples) < MOST:
            at = np.flatnonzero(false)
            spans = zip(
                starts[at].tolist(), ends[at].tolist(), starts[at + 1].tolist(), ends[at + 1].tolist(), strict=True
            )
            self._examples.update((text[a:d], text[a:b], text[c:d]) for a, b, c, d in spans)


def _is_word(word: bytes) -> bool:
    return word.decode("utf-8", "replace").isalpha()


def _begin(found: Classified) -> Integers:
    """Where words and white space begin: where the class changes, and at every sign."""
    of_byte = found.classes
    begins = np.ones(of_byte.size, dtype=np.bool_)
    begins[1:] = of_byte[1:] != of_byte[:-1]
    begins |= (of_byte != LETTER) & (of_byte != NUMBER) & (of_byte != SPACE)
    begins &= ~found.inner
    begins[found.edges[found.edges < of_byte.size]] = True
    return np.flatnonzero(begins)
