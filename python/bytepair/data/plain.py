"""A plain text file -> documents.

The idea: the file is read a part at a time. What lies before a separator is a document; what follows the last one waits
for the next part, and, when it has grown to a whole part, goes out as a part of a document, but for its last bytes, in
which a separator or a character may have begun. The invariant: no separator begins in what has gone out, so the
documents are those of the whole file. Cost: linear; two parts in memory.

A separator ends a document: what follows the last one is a document only if there is something. Without a separator
the file is one document, even if it is empty.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import accumulate

from bytepair._core import first_invalid
from bytepair.arguments import Text
from bytepair.data import batches
from bytepair.data.batches import Batch, Documents, Part
from bytepair.data.characters import checked, edge
from bytepair.data.options import Options
from bytepair.data.streams import Stream

__all__ = ["documents"]


def documents(stream: Stream, options: Options) -> Iterator[Batch]:
    """The documents of a file, in order.

    Raises:
        TextError: bytes that are not UTF-8.
        OSError: the file cannot be read.
    """
    cutting = _Cutting(stream, options)
    while cutting.read():
        yield from cutting.complete()
    yield from cutting.end()


class _Cutting:
    """Where cutting has come to."""

    def __init__(self, stream: Stream, options: Options) -> None:
        self.stream = stream
        self.errors = options.errors
        self.separator = options.separator
        self.gap = len(self.separator or b"")
        self.kept = max(self.gap - 1, 0)
        """So many bytes at the end may be the beginning of a separator."""
        self.start = 0
        """Where the document began that is being read."""
        self.waiting = b""
        """What has been read of it and has not gone out."""
        self.gone = 0
        """How much of it has gone out, in parts."""

    def read(self) -> bool:
        """Reads on; whether there was more."""
        before = len(self.waiting)
        self.waiting += self.stream.read(batches.PART)
        return len(self.waiting) > before

    def complete(self) -> Iterator[Batch]:
        """What is complete of the bytes that wait."""
        if self.separator is not None and self.separator in self.waiting:
            pieces = self.waiting.split(self.separator)
            self.waiting = pieces.pop()
            if self.gone:
                yield self._part(pieces.pop(0), last=True)
            yield self._whole(pieces)
            del pieces  # or they would be held while reading on
        if len(self.waiting) >= batches.PART:
            end = edge(self.waiting, len(self.waiting) - self.kept)
            if end:
                part, self.waiting = self.waiting[:end], self.waiting[end:]
                yield self._part(part, last=False)

    def end(self) -> Iterator[Batch]:
        """What is left at the end of the file."""
        if self.gone:
            yield self._part(self.waiting, last=True)
        elif self.waiting or self.separator is None:
            yield self._whole([self.waiting])
        else:
            yield Documents([], str, self.stream.progress())

    def _part(self, content: bytes, *, last: bool) -> Part:
        part = Part(self._checked(content, self.gone), last, self._name(self.start), self.stream.progress())
        self.gone += len(content)
        if last:
            self.start, self.gone = self.start + self.gone + self.gap, 0
        return part

    def _whole(self, contents: list[bytes]) -> Documents:
        lengths = array("Q", accumulate(map(len, contents), initial=0))
        start, gap = self.start, self.gap
        texts = list[Text](contents)
        # Checked at once: an unfinished character is not finished by the byte between two documents.
        if self.errors != "bytes" and first_invalid(b"\n".join(contents)) is not None:
            for index, content in enumerate(contents):
                texts[index] = self._checked(content, lengths[index] + index * gap)
        self.start += lengths[-1] + len(contents) * gap
        name = self._name
        return Documents(texts, lambda index: name(start + lengths[index] + index * gap), self.stream.progress())

    def _checked(self, content: bytes, offset: int) -> bytes:
        """The text, which begins so many bytes after `start`, as `errors` wants it."""
        return checked(content, self.errors, lambda at: self._place(self.start + offset + at))

    def _name(self, start: int) -> str:
        at = f", the document at byte {start}" if self.separator is not None else ""
        return f"file `{self.stream.name}`{at}"

    def _place(self, offset: int) -> str:
        unpacked = "" if self.stream.compression is None else " of its unpacked text"
        return f"file `{self.stream.name}`, offset {offset}{unpacked}"
