"""What texts are read as: batches of three kinds, each small enough to be held.

Whole documents, rows of an Arrow column, and parts of one document that is larger than a part. Parts of a document come
directly after each other. A batch belongs to one source, and says in `size` what it adds to the progress of reading.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from bytepair.arguments import Text

__all__ = ["PART", "Batch", "Documents", "Part", "Rows", "gathered", "joined"]

PART = 8 << 20
"""The bytes that are read at a time; a document that has more comes in parts."""
MANY = 1 << 17
"""No more documents than this are collected, however short they are: each is an object."""


@dataclass(frozen=True, slots=True)
class Documents:
    """Whole documents. There may be none, where something was read and nothing chosen."""

    documents: list[Text]
    """The documents, `str` or `bytes`."""
    name: Callable[[int], str]
    """What the i-th of them is called in an error."""
    size: int
    """The bytes that were read for them; of compressed files, compressed ones; of `str` items, characters."""
    source: str | None = None
    """The name of the source that they belong to."""
    nulls: int = 0
    """Rows without a text that were left out on the way."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of an Arrow column of strings or bytes: read-only views of its buffers. A null row is no document."""

    offsets: memoryview
    """int32 (format "i") or int64 ("q"): row i is `data[offsets[first + i]:offsets[first + i + 1]]`."""
    data: memoryview
    """uint8."""
    validity: memoryview | None
    """Bits, the least significant first: whether row i is there stands at bit `first + i`. None: all are."""
    first: int
    """Where the rows begin in `offsets` and `validity`."""
    length: int
    """How many rows there are, null rows included."""
    name: Callable[[int], str]
    """What the i-th of them is called in an error."""
    size: int
    """As of `Documents`."""
    source: str | None = None
    """As of `Documents`."""
    nulls: int = 0
    """How many of the rows are null."""

    def documents(self) -> Documents:
        """The rows that are not null, copied."""
        kept = [row for row in range(self.length) if self.is_there(row)]
        offsets = self.offsets[self.first : self.first + self.length + 1].tolist()
        texts: list[Text] = [bytes(self.data[offsets[row] : offsets[row + 1]]) for row in kept]
        return Documents(texts, lambda index: self.name(kept[index]), self.size, self.source, self.nulls)

    def is_there(self, row: int) -> bool:
        """Whether the row is not null."""
        index = self.first + row
        return self.validity is None or bool(self.validity[index >> 3] >> (index & 7) & 1)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of one document that is larger than a part; it ends where a character ends."""

    content: bytes
    """The bytes; of the last part there may be none."""
    last: bool
    """Whether the document ends here."""
    name: str
    """What the document is called in an error."""
    size: int
    """As of `Documents`."""
    source: str | None = None
    """As of `Documents`."""
    nulls: int = 0
    """As of `Documents`."""


Batch = Documents | Rows | Part


def gathered(batches: Iterable[Batch]) -> Iterator[Batch]:
    """The same documents in fewer batches: small ones of one source together, until they are as large as a part.

    >>> small = [Documents([text], str, len(text)) for text in ("low", "lower")]
    >>> [batch.documents for batch in gathered(small)]
    [['low', 'lower']]
    """
    held = list[Documents]()
    length = size = count = 0
    for batch in batches:
        if held and (not isinstance(batch, Documents) or batch.source != held[0].source):
            yield _together(held)
            held, length, size, count = [], 0, 0, 0
        if not isinstance(batch, Documents):
            yield batch
            continue
        held.append(batch)
        length += sum(map(len, batch.documents))
        size += batch.size
        count += len(batch.documents)
        if length >= PART or size >= PART or count >= MANY:
            yield _together(held)
            held, length, size, count = [], 0, 0, 0
        del batch  # or it would be held while the next one is read
    if held:
        yield _together(held)


def _together(held: list[Documents]) -> Documents:
    if len(held) == 1:
        return held[0]
    starts, names, documents = list[int](), list[Callable[[int], str]](), list[Text]()
    for batch in held:
        starts.append(len(documents))
        names.append(batch.name)
        documents += batch.documents

    def name(index: int) -> str:
        which = bisect_right(starts, index) - 1
        return names[which](index - starts[which])

    size, nulls = sum(batch.size for batch in held), sum(batch.nulls for batch in held)
    return Documents(documents, name, size, held[0].source, nulls)


def joined(batches: Iterable[Batch]) -> Iterator[Documents]:
    """The same as whole documents, whatever their size.

    >>> parts = [Part(b"lo", False, "file `a`", 2), Part(b"w", True, "file `a`", 1)]
    >>> [batch.documents for batch in joined(parts)]
    [[b'low']]
    """
    parts, size = list[bytes](), 0
    for batch in batches:
        if isinstance(batch, Rows):
            yield batch.documents()
        elif isinstance(batch, Documents):
            yield batch
        else:
            parts.append(batch.content)
            size += batch.size
            if batch.last:
                yield Documents([b"".join(parts)], _always(batch.name), size, batch.source)
                parts, size = [], 0
        del batch  # or it would be held while the next one is read


def _always(name: str) -> Callable[[int], str]:
    return lambda _: name


def of_source(batches: Iterable[Batch], source: str | None) -> Iterator[Batch]:
    """The same, as documents of this source; None leaves them as they are."""
    return iter(batches) if source is None else map(partial(replace, source=source), batches)
