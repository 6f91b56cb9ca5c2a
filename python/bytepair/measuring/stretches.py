"""Stretches of text that two tokenizers cut differently, as the text passes by.

The idea: the ends of tokens are places in the text, whatever the ids. A stretch reaches from one place where both cut
to the next; where one of them cuts inside, it differs. So every difference is told once, and as short as it is. Of a
tokenizer that normalises, or drops some of a text, a token ends where what it was made of ends (`tok.trace`), unless
another token was made of what stands on both sides of that place.

A document that comes in parts is looked at up to the last place where both are known to cut, and forgotten up to
there. What is kept is looked at again only when it has doubled, so that the cost is linear whatever the text. Where one
of the two is known by its traces alone, the document is kept until its end.

Cost: both encode the text; the differing stretches are counted by their bytes, and of very many different ones the
rarest are forgotten (`MOST`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from bytepair import _core
from bytepair.measuring.streamed import has_places
from bytepair.measuring.tally import token_lengths

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bytepair.tokenizer import Tokenizer

    Integers = NDArray[np.int64]

__all__ = ["Stretch", "Stretches"]

MOST = 1 << 18
"""The most different stretches that are counted at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A piece of text that two tokenizers cut differently; both cut at its ends."""

    text: bytes
    """Its bytes."""
    first: tuple[bytes, ...]
    """The first tokenizer's tokens, where it stands first."""
    second: tuple[bytes, ...]
    """The second's."""
    count: int
    """How often it differs in the text."""
    document: int
    """The index of the document in which it stands first."""
    offset: int
    """Where it starts there, in bytes."""


class Stretches:
    """What differs so far between two tokenizers of bytes.

    >>> import bytepair as bp
    >>> found = Stretches([bp.train(texts=["low low"], num_merges=number) for number in (0, 2)], 10, 1)
    >>> found.add([b"low", b"lo"])
    >>> found.bytes, found.same_bytes, [one.text for one in found.frequent()]
    (5, 0, [b'lo', b'low'])
    """

    def __init__(self, both: Sequence[Tokenizer], examples: int, threads: int) -> None:
        self._both, self._examples, self._threads = both, examples, threads
        self._lengths = [token_lengths(tok) for tok in both]
        self._placed = [has_places(tok) for tok in both]
        self._waiting: list[bytes] = []
        self._often: Counter[bytes] = Counter()
        self._known: dict[bytes, Stretch] = {}
        self._earliest: list[Stretch] = []
        self._open: _Open | None = None
        self.counts = [np.zeros(tok.n_vocab, dtype=np.int64) for tok in both]
        """How often each id occurs, of each tokenizer."""
        self.documents = self.same_documents = self.bytes = self.same_bytes = 0

    def add(self, documents: Sequence[bytes]) -> None:
        """Compares on some documents."""
        text = b"".join(documents)
        edges = np.cumsum([0, *map(len, documents)])
        cuts = []
        for index, tok in enumerate(self._both):
            if self._placed[index]:
                ids, _ = tok.encode_batch_to_numpy(documents, threads=self._threads)
                cuts.append(_marked(np.cumsum(self._lengths[index][ids]), len(text)))
            else:
                ids, cut = _traced(tok, documents, edges)
                cuts.append(cut)
            self.counts[index] += np.bincount(ids, minlength=tok.n_vocab)
        different = self._look(text, cuts, edges, 0)
        self.same_documents += len(documents) - different
        self.documents += len(documents)

    def add_part(self, part: bytes, *, is_last: bool) -> None:
        """Compares on a part of a document that is too large to be held."""
        if not all(self._placed):
            self._waiting.append(part)
            if is_last:
                self.add([b"".join(self._waiting)])
                self._waiting = []
            return
        if self._open is None:
            self._open = _Open(self._both, self._lengths, self._threads)
        piece = self._open
        piece.feed(part, self.counts, is_last=is_last)
        if is_last or len(piece.text) >= piece.next:
            limit = len(piece.text) if is_last else piece.common()
            cuts = [_marked(ends[: np.searchsorted(ends, limit, side="right")], limit) for ends in piece.ends]
            different = self._look(piece.text[:limit], cuts, np.array([0, limit]), piece.offset)
            piece.forget(limit, is_different=different > 0)
        if is_last:
            self.same_documents += not piece.is_different
            self.documents += 1
            self._open = None

    def frequent(self) -> tuple[Stretch, ...]:
        """The stretches that differ most often."""
        order = sorted(self._often.items(), key=lambda item: (-item[1], item[0]))[: self._examples]
        return tuple(replace(self._known[text], count=count) for text, count in order)

    def earliest(self) -> tuple[Stretch, ...]:
        """Those that differ first in the text."""
        return tuple(replace(one, count=self._often.get(one.text, 1)) for one in self._earliest)

    def _look(self, text: bytes, cuts: Sequence[NDArray[np.bool_]], edges: Integers, offset: int) -> int:
        """Compares the cuts of documents that end at `edges`; in how many of them some differ.

        `offset` is where the first of them begins in its document.
        """
        for cut in cuts:
            cut[edges] = True  # where a text ends, or some of it is dropped there
        common = cuts[0] & cuts[1]
        places = np.flatnonzero(common)
        inside = np.unique(np.searchsorted(places, np.flatnonzero(cuts[0] != cuts[1])))
        starts, ends = places[inside - 1], places[inside]
        owners = np.searchsorted(edges, starts, side="right") - 1
        found = [text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        for index, key in enumerate(found):
            if key not in self._known or len(self._earliest) < self._examples:
                start, owner = int(starts[index]), int(owners[index])
                parts = [_parts(text, cut, start, int(ends[index])) for cut in cuts]
                place = start - int(edges[owner]) + offset
                stretch = Stretch(
                    text=key, first=parts[0], second=parts[1], count=1, document=self.documents + owner, offset=place
                )
                self._known.setdefault(key, stretch)
                if len(self._earliest) < self._examples:
                    self._earliest.append(stretch)
        self._often.update(found)
        if len(self._often) > MOST:
            self._often = Counter(dict(self._often.most_common(MOST // 2)))
            self._known = {key: self._known[key] for key in self._often}
        self.bytes += len(text)
        self.same_bytes += len(text) - int((ends - starts).sum())
        return len(np.unique(owners))


class _Open:
    """A document that is being read: what is kept of it, and where its tokens end in that."""

    def __init__(self, both: Sequence[Tokenizer], lengths: Sequence[Integers], threads: int) -> None:
        self._encoders = [_core.StreamEncoder(tok._engine, threads, False) for tok in both]  # noqa: SLF001
        self._lengths = lengths
        self._passed = [0, 0]
        self.text = b""
        self.ends = [np.zeros(0, dtype=np.int64)] * 2
        self.offset = 0
        """Where what is kept begins in the document."""
        self.next = 0
        """How much is kept when it is looked at again."""
        self.is_different = False
        """Whether anything differed so far."""

    def feed(self, part: bytes, counts: Sequence[Integers], *, is_last: bool) -> None:
        """Encodes one more part."""
        self.text += part
        for index, encoder in enumerate(self._encoders):
            encoder.feed(part)
            if is_last:
                encoder.finish()
            ids = np.frombuffer(encoder.take(), dtype=np.uint32)
            if ids.size:
                counts[index][:] += np.bincount(ids, minlength=counts[index].size)
                ends = self._passed[index] + np.cumsum(self._lengths[index][ids])
                self.ends[index] = np.concatenate([self.ends[index], ends])
                self._passed[index] = int(ends[-1])

    def common(self) -> int:
        """The last place where both are known to cut; 0 if there is none."""
        both = np.intersect1d(self.ends[0], self.ends[1], assume_unique=True)
        return int(both[-1]) if both.size else 0

    def forget(self, size: int, *, is_different: bool) -> None:
        """Forgets the first bytes that are kept."""
        self.text = self.text[size:]
        for index, ends in enumerate(self.ends):
            self.ends[index] = ends[np.searchsorted(ends, size, side="right") :] - size
            self._passed[index] -= size
        self.offset += size
        self.next = 2 * len(self.text)
        self.is_different |= is_different


def _traced(
    tok: Tokenizer, documents: Sequence[bytes], edges: Integers
) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
    """The ids of documents that end at `edges`, and of each place whether a token ends there and none stands across."""
    ids, offsets, starts, ends = _core.places(tok._engine, documents)  # noqa: SLF001 - for this package's own use
    found = np.frombuffer(ids, dtype=np.uint32)
    places = np.frombuffer(offsets, dtype=np.uint64).astype(np.int64)
    bases = np.repeat(edges[:-1], places[1:] - places[:-1])
    first, last = (bases + np.frombuffer(each, dtype=np.uint64).astype(np.int64) for each in (starts, ends))
    cuts = _marked(last, int(edges[-1]))
    wide = last - first > 1
    begun, ended = (np.bincount(each, minlength=cuts.size) for each in (first[wide] + 1, last[wide]))
    return found, cuts & (np.cumsum(begun - ended) == 0)


def _marked(ends: Integers, size: int) -> NDArray[np.bool_]:
    """Of each place in a text of this size, whether a token ends there; at its beginning too."""
    cuts = np.zeros(size + 1, dtype=np.bool_)
    cuts[ends] = True
    cuts[0] = True
    return cuts


def _parts(text: bytes, cuts: NDArray[np.bool_], start: int, end: int) -> tuple[bytes, ...]:
    places = [*(start + np.flatnonzero(cuts[start:end])).tolist(), end]
    if places[0] != start:
        places.insert(0, start)
    return tuple(text[one:other] for one, other in pairwise(places))
