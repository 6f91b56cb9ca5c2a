"""Texts in which a token is produced, looked for before it is called unreachable.

The idea: patterns cut by what stands on the two sides of a place, so a token that its own text does not give may be
given with something beside it. What is tried: a bank of beginnings and ends (one or two characters of every class that
patterns tell apart, and the words that the pattern itself spells out), each before, after and on both sides; then the
texts of a corpus as they pass by. What is found is a proof, since the text that is returned was encoded.

The invariant: nothing is called impossible that is not. A token inside a pretoken comes to be by the same merges as
alone, since merges inside it do not look at what is outside; so what its own bytes do not merge to, uncut, no text
does (unless whole pretokens are looked up). Cost: a few thousand short texts for each token that does not come back
alone, `BUDGET` at most for all of them together.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from bytepair.arguments import Text
from bytepair.auditing.pieces import is_character
from bytepair.data import Batch, Documents, Part, Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bytepair.tokenizer import Tokenizer

__all__ = ["Search", "Watch", "bank"]

BUDGET = 4_000_000
"""Texts that a search encodes at most."""
BATCH = 1 << 18
"""Texts that are encoded at once."""
AROUND = 8
"""Tokens on each side that the context of a corpus has at first."""

# One of each class that patterns tell apart: letters of every kind, marks, numbers, signs, spaces, line ends.
_SAMPLES = (
    *(chr(point) for point in range(0x20, 0x7F)),
    *"\n\r\t\x0b\x0c\x00\u00a0\u3000\u2028\u0085",
    *"éÉǅʰあ漢ا\u0301\u093e\u20dd٣Ⅷ½€©“”…→😀\u200d\ufe0f",
    *("\r\n", "\n\n", "  ", "aa", "Aa", "AA", "aA", "11", "111", "!!", " a", " A", "a ", " 1", " !", "*\n", "/\n"),
)
_NO_LETTERS = re.compile(r"\\[pP]\{[^}]*\}|\\[a-zA-Z]|\(\?[a-z]*[:=!<>]*|\[[^\]]*\]")


def bank(pattern: str | None) -> list[str]:
    r"""What may stand beside a token: characters of all classes, and the words of a pattern in both cases.

    >>> [part for part in bank(r"'(?i:ve|s)|\\p{L}+") if part.endswith("ve")]
    ["'ve", 've']
    """
    words = set(re.findall(r"'?[A-Za-z]{1,8}", _NO_LETTERS.sub("|", pattern or "")))
    words |= {"'" + word.removeprefix("'") for word in words}
    spelled = sorted({shape for word in words for shape in (word, word.lower(), word.upper())})
    return [*_SAMPLES, *(word for word in spelled if word not in _SAMPLES)]


def _symbols(tok: Tokenizer) -> list[bytes]:
    """What may stand beside a token of characters: a space, and each of its characters."""
    mark = (tok.end_of_word or "").encode()
    symbols = [content for content in tok.vocabulary.values() if content != mark and is_character(content)]
    return [b" ", *symbols]


class Search:
    """Looks for contexts of tokens of one tokenizer."""

    def __init__(self, tok: Tokenizer) -> None:
        self._tok = tok
        self._bank = _symbols(tok) if tok.alphabet == "characters" else [part.encode() for part in bank(tok.pattern)]
        self.tried: dict[int, int] = {}
        """How many texts were encoded for each token."""

    def find(self, tokens: Mapping[int, bytes]) -> dict[int, bytes]:
        """A context for each token for which there is one in the bank: one side first, then both."""
        found: dict[int, bytes] = {}
        for sides in (self._one_side, self._both_sides):
            wanted = [(id, content) for id, content in tokens.items() if id not in found]
            room = (BUDGET - sum(self.tried.values())) // max(len(wanted), 1)
            for id, content in wanted:
                for texts in _batches(sides(content), room):
                    self.tried[id] = self.tried.get(id, 0) + len(texts)
                    place = self._first_with(id, texts)
                    if place is not None:
                        found[id] = texts[place]
                        break
        return found

    def _one_side(self, content: bytes) -> Iterator[bytes]:
        for part in self._bank:
            yield content + part
            yield part + content

    def _both_sides(self, content: bytes) -> Iterator[bytes]:
        for before in self._bank:
            start = before + content
            for after in self._bank:
                yield start + after

    def _first_with(self, id: int, texts: Sequence[bytes]) -> int | None:
        """The first of the texts that is encoded to an id among others."""
        ids, offsets = self._tok.encode_batch_to_numpy(texts, unknown="skip")
        places = np.flatnonzero(ids == id)
        return int(np.searchsorted(offsets, places[0], side="right")) - 1 if places.size else None


def _batches(texts: Iterator[bytes], most: int) -> Iterator[list[bytes]]:
    """The texts in lists, `most` of them at most: a few first, since contexts are mostly found at once."""
    size, part = 512, list[bytes]()
    for text in islice(texts, most):
        part.append(text)
        if len(part) == size:
            yield part
            part, size = [], BATCH
    if part:
        yield part


class Watch:
    """Looks for tokens in texts that pass by, and keeps a context of each.

    >>> import bytepair as bp
    >>> from bytepair.data import corpus
    >>> watch = Watch(bp.train(texts=["low low"], num_merges=2), [257])
    >>> [batch.documents for batch in watch.passing(corpus(texts=["slow"]))], watch.found
    ([['slow']], {257: b'slow'})
    """

    def __init__(self, tok: Tokenizer, wanted: Collection[int]) -> None:
        self._tok = tok
        self._wanted = np.array(sorted(wanted), dtype=np.uint32)
        self.found: dict[int, bytes] = {}
        """The contexts, by id."""

    def passing(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """The batches, after they were looked at. A part of a document is looked at as a text of its own."""
        for batch in batches:
            if self._wanted.size:
                match batch:
                    case Documents():
                        self._look(batch.documents)
                    case Rows():
                        self._look(batch.documents().documents)
                    case Part():
                        self._look([batch.content])
            yield batch
            del batch  # or it would be held while the next one is read

    def _look(self, texts: Sequence[Text]) -> None:
        ids, offsets = self._tok.encode_batch_to_numpy(texts, unknown="skip")
        for place in np.flatnonzero(np.isin(ids, self._wanted)):
            id = int(ids[place])
            if id in self.found:
                continue
            text = int(np.searchsorted(offsets, place, side="right")) - 1
            context = self._context(ids, int(place), int(offsets[text]), int(offsets[text + 1]))
            if context is None:
                continue
            self.found[id] = context
            self._wanted = self._wanted[self._wanted != id]
            if not self._wanted.size:
                return

    def _context(self, ids: NDArray[Any], place: int, start: int, end: int) -> bytes | None:
        """A short piece of the text that still gives the id; more and more of it, up to all."""
        around = AROUND
        while True:
            low, high = max(place - around, start), min(place + around + 1, end)
            piece = self._tok.decode_bytes(ids[low:high])
            if int(ids[place]) in self._tok.encode(piece, unknown="skip"):
                return piece
            if (low, high) == (start, end):
                return None
            around *= 8
