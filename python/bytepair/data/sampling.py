"""A sample of a corpus: whole documents, the same ones whatever the threads, the parts and the order.

The idea: every document has a key, a hash of the seed, its source and its bytes; documents are taken in the order of
their keys for as long as the sum of their bytes is at most the sample. The first one that does not fit is the cut: it
and all after it are left out. As documents come the sum only grows and the cut only falls, so what is past it may be
forgotten at once. A document that is larger than the sample is left out from the beginning, with a warning.

Files are read twice: once for the keys, of which 16 bytes a document are kept up to the cut, and once for the
documents. What can be read only once is held: the documents up to the cut, as much as the sample. Equal documents have
equal keys: of those at the cut as many are taken as fit.

Parts of a corpus can be looked through by themselves (`keys_of`), wherever that is: what a part alone leaves out, the
whole leaves out. `chosen` then says for each part what it gives to the sample, and `taken` gives it.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bytepair.arguments import Text
from bytepair.data.batches import Batch, Documents, Part, Rows
from bytepair.data.characters import in_utf8
from bytepair.errors import TextError, TextWarning
from bytepair.told import tell

__all__ = ["Keys", "Taken", "chosen", "keys_of", "of_files", "of_texts", "taken"]

FEW = 1 << 16
"""So many new keys are collected before those past the cut are dropped."""
_Key = tuple[int, int]
"""The hash of a document and its bytes, which settle its place among the others."""


def of_files(read: Callable[[], Iterable[Batch]], size: int, seed: int) -> Iterator[Batch]:
    """At most `size` bytes of what can be read twice. The sizes of the batches add up to two readings.

    Raises:
        TextError: every document is larger than the sample; the files changed in between.
    """
    found = _Finding(size, seed)
    for batch in read():
        found.add(batch)
        yield Documents([], str, batch.size, batch.source)
    keys = found.end()
    yield from taken(read(), chosen([keys], size)[0], keys.large, seed)


def keys_of(batches: Iterable[Batch], size: int, seed: int) -> Keys:
    """Looks through a part of a corpus."""
    found = _Finding(size, seed)
    for batch in batches:
        found.add(batch)
        del batch  # or it would be held while the next one is read
    return found.end()


def chosen(parts: Sequence[Keys], size: int) -> list[Taken]:
    """What each part gives to a sample of all, of at most `size` bytes.

    Raises:
        TextError: every document is larger than the sample.
    """
    choice = _Choice(size)
    lengths = [len(part.kept) for part in parts]
    keys = np.concatenate([np.empty((0, 2), np.uint64), *(part.kept for part in parts)])
    of = np.repeat(np.arange(len(parts)), lengths)
    order = np.lexsort((keys[:, 1], keys[:, 0]))  # equal keys in the order of the parts
    keys, of = keys[order], of[order]
    limits = [part.limit for part in parts if part.limit is not None]
    choice.limit = min(limits, default=None)
    sums = np.cumsum(keys[:, 1])
    count = int(np.searchsorted(sums, np.uint64(size), side="right"))
    if choice.limit is not None:  # what comes after a document that its part has left out is left out
        count = min(count, _up_to(keys, choice.limit))
    if count < len(keys):
        first = (int(keys[count, 0]), int(keys[count, 1]))
        choice.limit = first if choice.limit is None else min(first, choice.limit)
    choice.taken = int(sums[count - 1]) if count else 0
    for part in parts:
        choice.saw(part)
    choice.tell()
    left = np.bincount(of[:count], minlength=len(parts))
    at_limit = np.zeros(count, bool)
    if choice.limit is not None:
        at_limit = (keys[:count] == np.array(choice.limit, np.uint64)).all(axis=1)
    copies = np.bincount(of[:count][at_limit], minlength=len(parts))
    return [Taken(size, choice.limit, int(copies[part]), int(left[part])) for part in range(len(parts))]


def _up_to(keys: NDArray[np.uint64], limit: _Key) -> int:
    """How many of the keys, which are in order, are not past the limit."""
    hashed, length = (np.uint64(number) for number in limit)
    before = int(np.searchsorted(keys[:, 0], hashed, side="left"))
    equal = int(np.searchsorted(keys[:, 0], hashed, side="right"))
    return before + int(np.searchsorted(keys[before:equal, 1], length, side="right"))


def taken(batches: Iterable[Batch], taken: Taken, large: Sequence[_Key], seed: int) -> Iterator[Batch]:
    """What a part gives to the sample, when it is read again.

    Args:
        batches: the part.
        taken: what it gives; it is used up.
        large: the keys of its documents that come in parts.
        seed: as when it was looked through.

    Raises:
        TextError: it has changed in between.
    """
    keys, wanted, number = _Keys(seed, 0), False, -1
    for batch in batches:
        if isinstance(batch, Part):
            if not keys.begun:
                number += 1
                wanted = number < len(large) and taken.takes(large[number])
            list(keys.documents(batch))
            yield batch if wanted else Documents([], str, batch.size, batch.source, batch.nulls)
        else:
            kept = [document for document in keys.documents(batch) if taken.takes(document.key)]
            yield _some(kept, batch)
    if taken.left:
        raise TextError("the files changed while a sample was taken of them", "train on files that stay as they are")


def of_texts(batches: Iterable[Batch], size: int, seed: int) -> Iterator[Batch]:
    """At most `size` bytes of what can be read only once; they are held until all is read.

    Raises:
        TextError: every document is larger than the sample.
    """
    keys, held = _Keys(seed, size), _Held(size)
    for batch in batches:
        for document in keys.documents(batch):
            held.add(document)
        yield Documents([], str, batch.size, batch.source, batch.nulls)
    held.tell()
    yield from held.end()


class _Document(NamedTuple):
    """A document that may be taken."""

    key: _Key
    text: Text
    """Empty if it is larger than what is to be held."""
    names: Callable[[int], str]
    number: int
    source: str | None

    def called(self, _: int = 0) -> str:
        """What it is called in an error."""
        return self.names(self.number)


def _some(documents: list[_Document], batch: Documents | Rows) -> Documents:
    texts = [document.text for document in documents]
    return Documents(texts, lambda index: documents[index].called(), batch.size, batch.source, batch.nulls)


class _Keys:
    """The documents of batches with their keys; of one that comes in parts at most `most` bytes are held."""

    def __init__(self, seed: int, most: int) -> None:
        self._start = hashlib.blake2b(f"{seed}\0".encode(), digest_size=8)
        self._most = most
        self._parts = list[bytes]()
        self._hash = self._start
        self.begun = False
        """Whether a document has come in part."""
        self._length = 0

    def documents(self, batch: Batch) -> Iterator[_Document]:
        if isinstance(batch, Part):
            yield from self._next(batch)
            return
        start = self._of_source(batch.source)
        whole = batch.documents() if isinstance(batch, Rows) else batch
        for index, text in enumerate(whole.documents):
            content = in_utf8(text) if isinstance(text, str) else bytes(text)
            hashed = start.copy()
            hashed.update(content)
            key = (int.from_bytes(hashed.digest(), "big"), len(content))
            yield _Document(key, text, whole.name, index, batch.source)

    def _next(self, part: Part) -> Iterator[_Document]:
        if not self.begun:
            self.begun, self._hash, self._length, self._parts = True, self._of_source(part.source), 0, []
        self._hash.update(part.content)
        self._length += len(part.content)
        if self._length <= self._most:
            self._parts.append(part.content)
        else:
            self._parts = []
        if part.last:
            self.begun = False
            key = (int.from_bytes(self._hash.digest(), "big"), self._length)
            name = part.name
            yield _Document(key, b"".join(self._parts), lambda _: name, 0, part.source)

    def _of_source(self, source: str | None) -> hashlib.blake2b:
        start = self._start.copy()
        start.update(b"" if source is None else source.encode() + b"\0")
        return start


class _Choice:
    """What choosing has to say at the end."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.taken = 0
        """The bytes that are taken."""
        self.limit: _Key | None = None
        """The first key that is not taken."""
        self._seen = 0
        self._larger = 0
        self._first: tuple[str, int] | None = None
        """The first document that is larger than the sample: its name and bytes."""

    def fits(self, document: _Document) -> bool:
        """Whether a document may be taken, as far as can be said now."""
        self._seen += 1
        if document.key[1] > self.size:
            self._larger += 1
            self._first = self._first or (document.called(), document.key[1])
            return False
        return self.limit is None or document.key < self.limit

    def tell(self) -> None:
        """Warns of documents that were too large; raises if all were."""
        if self._first is not None:
            name, length = self._first
            if self._larger == self._seen:
                raise TextError(
                    f"no document is in the sample of {self.size:,} bytes: {name} alone has {length:,} bytes",
                    "ask for a larger sample, or cut the files into documents with separator=",
                )
            which = f"{self._larger:,} documents are" if self._larger > 1 else "1 document is"
            self._warn(
                f"{which} larger than the sample of {self.size:,} bytes and left out: {name} has {length:,} bytes"
            )
        elif self.limit is not None and self.taken < self.size // 2:
            self._warn(f"the sample has {self.taken:,} of {self.size:,} bytes: the next document has {self.limit[1]:,}")

    def saw(self, part: Keys) -> None:
        """What choosing has to say of a part that was looked through."""
        self._seen += part.seen
        self._larger += part.larger
        self._first = self._first or part.first

    def _warn(self, what: str) -> None:
        hint = "ask for a larger sample, or cut the files into documents with separator="
        tell(TextWarning, what, hint)


class _Cut(_Choice):
    """The keys that are taken, in two arrays."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self._new = list[_Key]()
        self._kept = np.empty((0, 2), np.uint64)

    def add(self, document: _Document) -> None:
        if self.fits(document):
            self._new.append(document.key)
            if len(self._new) >= FEW:
                self._drop()

    def end(self, large: list[_Key]) -> Keys:
        """What there is to say when all was added."""
        self._drop()
        return Keys(self._kept, self.limit, tuple(large), self._seen, self._larger, self._first)

    def _drop(self) -> None:
        """Sorts the keys and drops those past the cut."""
        keys = np.concatenate([self._kept, np.array(self._new, np.uint64).reshape(-1, 2)])
        keys = keys[np.lexsort((keys[:, 1], keys[:, 0]))]
        sums = np.cumsum(keys[:, 1])
        count = int(np.searchsorted(sums, np.uint64(self.size), side="right"))
        if count < len(keys):
            self.limit = (int(keys[count, 0]), int(keys[count, 1]))
        self._kept, self._new = keys[:count].copy(), []
        self.taken = int(sums[count - 1]) if count else 0


class _Finding:
    """Looks through batches for the keys that may be taken."""

    def __init__(self, size: int, seed: int) -> None:
        self._keys, self._cut, self._large = _Keys(seed, 0), _Cut(size), list[_Key]()

    def add(self, batch: Batch) -> None:
        for document in self._keys.documents(batch):
            self._cut.add(document)
            if isinstance(batch, Part):
                self._large.append(document.key)

    def end(self) -> Keys:
        return self._cut.end(self._large)


@dataclass(frozen=True, slots=True, eq=False)
class Keys:
    """What a part of a corpus has to offer for a sample."""

    kept: NDArray[np.uint64]
    """The keys, a row each, in order, of the documents that may be taken."""
    limit: _Key | None
    """The first key that is not taken whatever the other parts have; None if all fit."""
    large: tuple[_Key, ...]
    """The keys of documents that come in parts, in the order of reading."""
    seen: int
    """How many documents there are."""
    larger: int
    """How many of them are larger than the sample."""
    first: tuple[str, int] | None
    """The first of these: its name and its bytes."""


@dataclass(slots=True)
class Taken:
    """What a part gives to a sample."""

    most: int
    """The bytes of the sample, and so the most that a document may have."""
    limit: _Key | None
    copies: int
    """How many documents are taken whose key is that of the limit."""
    left: int
    """How many documents are still to be taken."""

    def takes(self, key: _Key) -> bool:
        """Whether the next document, which has this key, is taken."""
        if key[1] > self.most:
            return False
        if self.limit is not None and key >= self.limit:
            if key != self.limit or self.copies == 0:
                return False
            self.copies -= 1
        self.left -= 1
        return True


class _Held(_Choice):
    """The documents that are taken, the one with the greatest key on top of a heap."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self._heap = list[tuple[int, int, int, Documents]]()

    def add(self, document: _Document) -> None:
        if not self.fits(document):
            return
        name = document.called()  # and not what it takes to make it: that may hold a whole batch
        held = Documents([document.text], lambda _: name, 0, document.source)
        hashed, length = document.key
        heapq.heappush(self._heap, (-hashed, -length, self._seen, held))
        self.taken += length
        while self.taken > self.size:
            hashed, length, _, _ = heapq.heappop(self._heap)
            self.limit = (-hashed, -length)
            self.taken += length

    def end(self) -> Iterator[Documents]:
        """The documents, in the order in which they came."""
        for _, _, _, held in sorted(self._heap, key=lambda entry: entry[2]):
            yield held
