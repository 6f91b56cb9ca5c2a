"""Measuring a document that comes in parts, without ever holding all of it.

The idea: each tokenizer encodes the parts as they come, and is some bytes behind, since a token may depend on what
follows. What every tokenizer has passed is cut off where no word goes on, its words are looked at, and it is forgotten.

Invariant: the sums are those of the whole document. Cost: linear; a word without end is kept until it ends, and looked
at only when what is kept has doubled.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from bytepair import _core
from bytepair.formats.pattern_stages import drops
from bytepair.measuring.normalised import falls_back
from bytepair.measuring.tokenizers import lies_end_to_end
from bytepair.measuring.words import Spans, overlaps, spans

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bytepair.tokenizer import Tokenizer

    Integers = NDArray[np.int64]

__all__ = ["Streamed", "has_places"]

_LONGEST_CHARACTER = 4


def has_places(tok: Tokenizer) -> bool:
    """Whether the tokens of a text lie in it end to end, so that their lengths say where each is."""
    if tok.alphabet == "unicode":
        parts = tok.parts
        return not parts.normalizer and falls_back(parts) and not drops(parts.pattern)
    return lies_end_to_end(tok) and not drops(tok.pattern)


class _Encoded:
    """One tokenizer's ids of the document so far."""

    def __init__(self, tok: Tokenizer, lengths: Integers, threads: int) -> None:
        self._encoder = _core.StreamEncoder(tok._engine, threads, False)  # noqa: SLF001 - as the engine has it
        self._lengths = lengths
        self.has_places = has_places(tok)
        self.counts = np.zeros(lengths.size, dtype=np.int64)
        self.ends = np.zeros(0, dtype=np.int64)
        self.passed = self.tokens = self.touched = self.single = 0

    def feed(self, part: bytes, *, is_last: bool) -> None:
        """Encodes one more part."""
        self._encoder.feed(part)
        if is_last:
            self._encoder.finish()
        ids = np.frombuffer(self._encoder.take(), dtype=np.uint32)
        self.counts += np.bincount(ids, minlength=self.counts.size)
        self.tokens += ids.size
        if self.has_places and ids.size:
            ends = self.passed + np.cumsum(self._lengths[ids])
            self.ends = np.concatenate([self.ends, ends])
            self.passed = int(ends[-1])

    def look(self, words: Spans, size: int) -> None:
        """Counts the tokens of the words in the first `size` bytes that are kept, and forgets these bytes."""
        if not self.has_places:
            return
        cut = int(np.searchsorted(self.ends, size, side="right"))
        found = overlaps(words, self.ends[:cut], size)
        self.touched += int(found.sum())
        self.single += int((found == 1).sum())
        self.ends = self.ends[cut:] - size
        self.passed -= size


class Streamed:
    """The sums of one document, for several tokenizers."""

    def __init__(
        self, tokenizers: Mapping[str, Tokenizer], lengths: Mapping[str, Integers], threads: int, space: bytes = b" "
    ) -> None:
        """Nothing yet; `lengths` has the bytes of each tokenizer's ids, and `space` is how a space is written."""
        self._space = space
        self._encoded = {name: _Encoded(tok, lengths[name], threads) for name, tok in tokenizers.items()}
        self._text = b""
        self._next = 0
        self._sizes = np.zeros(3, dtype=np.int64)

    def add(self, part: bytes, *, is_last: bool) -> None:
        """Adds a part, which ends where a character ends."""
        for one in self._encoded.values():
            one.feed(part, is_last=is_last)
        self._text += part
        if is_last:
            self._look(len(self._text), is_last=True)
        elif len(self._text) >= self._next:
            passed = [one.passed for one in self._encoded.values() if one.has_places]
            self._look(self._whole(min(passed, default=len(self._text))), is_last=False)
            self._next = 2 * len(self._text)

    def _whole(self, limit: int) -> int:
        """The last place up to `limit` where a character may begin."""
        for place in range(limit, max(limit - _LONGEST_CHARACTER, 0), -1):
            if place == len(self._text) or self._text[place] & 0xC0 != 0x80:  # noqa: PLR2004 - within a character
                return place
        return limit

    def _look(self, limit: int, *, is_last: bool) -> None:
        """Looks at the words before `limit` that have ended, and forgets what is before that."""
        text = self._text[:limit]
        words = spans([text], self._space)
        if not is_last and limit:
            goes_on = words.ends.size > 0 and words.ends[-1] == limit
            limit = int(words.starts[-1]) if goes_on else limit - len(self._space) * text.endswith(self._space)
            if goes_on:
                words = Spans(words.starts[:-1], words.ends[:-1], words.documents[:-1], words.characters)
        kept = text[:limit]
        for one in self._encoded.values():
            one.look(words, limit)
        self._sizes += (limit, len(kept.decode("utf-8", "replace")), words.starts.size)
        self._text = self._text[limit:]

    @property
    def unplaced(self) -> set[str]:
        """Tokenizers whose tokens do not lie end to end in the text."""
        return {name for name, one in self._encoded.items() if not one.has_places}

    def counts(self, name: str) -> Integers:
        """How often each id of a tokenizer occurs."""
        return self._encoded[name].counts

    def row(self) -> Integers:
        """Bytes, characters, words; of each tokenizer: tokens, those that overlap words, words of one token, words."""
        each = [(one.tokens, one.touched, one.single, self._sizes[2]) for one in self._encoded.values()]
        return np.concatenate([self._sizes, np.array(each, dtype=np.int64).ravel()])
