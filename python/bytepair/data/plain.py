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
        self.kept = 0 if self.separator is None else len(self.separator) - 1
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
        at = self.start + self.gone
        good = checked(content, self.errors, lambda offset: self._place(at + offset))
        part = Part(good, last, self._name(self.start), self.stream.progress())
        self.gone += len(content)
        if last:
            self._begin(self.gone)
        return part

    def _whole(self, contents: list[bytes]) -> Documents:
        starts, texts = array("Q"), list[Text]()
        for content in contents:
            starts.append(self.start)
            texts.append(checked(content, self.errors, lambda offset: self._place(self.start + offset)))
            self._begin(len(content))
        return Documents(texts, lambda index: self._name(starts[index]), self.stream.progress())

    def _begin(self, length: int) -> None:
        """The next document, after one of this length."""
        self.start += length + len(self.separator or b"")
        self.gone = 0

    def _name(self, start: int) -> str:
        at = f", the document at byte {start}" if self.separator is not None else ""
        return f"file `{self.stream.name}`{at}"

    def _place(self, offset: int) -> str:
        unpacked = "" if self.stream.compression is None else " of its unpacked text"
        return f"file `{self.stream.name}`, offset {offset}{unpacked}"
