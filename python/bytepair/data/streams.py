"""The bytes of a file from beginning to end, unpacked if they are compressed, with the progress of reading.

What is counted are the bytes of the file itself, compressed or not, so that they add up to its size. pyarrow unpacks:
several gzip members or zstd frames in a row are one text, checksums are checked, and a file that ends too early is an
error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from bytepair.data.arrow import arrow
from bytepair.data.characters import in_utf8
from bytepair.data.formats import HEAD, Compression, compression_of
from bytepair.data.places import File
from bytepair.errors import TextError

__all__ = ["Stream", "opened"]

_BLOCK = 1 << 16
"""The bytes that are read at a time to find the end of a line."""


class Stream:
    """What is left to read of a file."""

    def __init__(self, file: IO[Any], name: str, *, was_open: bool) -> None:
        self.file = file
        """The file itself."""
        self.name = name
        """What it is called in an error."""
        self.compression: Compression | None = None
        self._raw = _Raw(file, name)
        if not self._raw.is_text:
            self.compression = compression_of(name, self._raw.head, was_open=was_open)
        self._unpacked: Any = None
        if self.compression is not None:
            pa = arrow(f"file `{name}` ({self.compression})")
            self._unpacked = pa.CompressedInputStream(pa.PythonFile(self._raw, "r"), self.compression)
        self._given = 0
        self._ahead = self._some(HEAD)
        self.head = b"" if self._raw.is_text else self._ahead
        """The first bytes, unpacked; they are still to be read. Of a file that is open as text they tell nothing."""

    def read(self, size: int) -> bytes:
        """The next bytes: `size` of them, and fewer only where the file ends.

        Raises:
            OSError: the file cannot be read.
            TypeError: an open file that gives neither str nor bytes.
            TextError: damaged compressed data.
        """
        ahead, self._ahead = self._ahead, b""
        content = self._some(size - len(ahead))
        return ahead + content if ahead else content

    def keep_lines(self, start: int, stop: int) -> int:
        """From now on reads only the lines that begin from byte `start` to before `stop`, of a file as it lies there.

        Returns:
            Where the first of them begins.
        """
        first, end = (_line_from(self.file, at) for at in (start, stop))
        self.file.seek(first)
        self._raw = _Raw(_Beginning(self.file, max(end - first, 0)), self.name)
        self._ahead, self._given = b"", 0
        return first

    def progress(self) -> int:
        """The bytes of the file that were read since this was last asked."""
        new = self._raw.done - self._given
        self._given = self._raw.done
        return new

    def _some(self, size: int) -> bytes:
        if self._unpacked is None:
            return self._raw.read(size)
        pieces = list[bytes]()
        try:
            while size > 0 and (piece := self._unpacked.read(size)):
                pieces.append(piece)
                size -= len(piece)
        except OSError as error:
            if error.errno is not None:
                raise
            why = re.sub(r"^.*failed: ", "", str(error))
            place = f"near byte {self._raw.done:,} of its {self.compression} data"
            raise TextError(
                f"file `{self.name}` is cut short or damaged: {why[:1].lower()}{why[1:]}, {place}", "get the file again"
            ) from None
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _line_from(file: IO[bytes], at: int) -> int:
    """Where the first line begins that does not begin before a byte."""
    if at == 0:
        return 0
    file.seek(at - 1)
    place = at - 1
    while block := file.read(_BLOCK):
        found = block.find(b"\n")
        if found >= 0:
            return place + found + 1
        place += len(block)
    return place


class _Beginning:
    """The next bytes of a file, and no more."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        self._file, self._left = file, size

    def read(self, size: int) -> bytes:
        content = self._file.read(min(size, self._left))
        self._left -= len(content)
        return content


class _Raw:
    """The bytes as they lie in the file, counted; what pyarrow unpacks from. Text becomes UTF-8."""

    closed = False
    """What pyarrow asks for."""

    def __init__(self, file: IO[Any] | _Beginning, name: str) -> None:
        self.done = 0
        self.is_text = False
        self._file = file
        self._name = name
        self._ended = False
        self._half = ""
        self.head = self._filled(HEAD)
        self._ahead = self.head

    def read(self, size: int) -> bytes:
        ahead, self._ahead = self._ahead[:size], self._ahead[size:]
        content = self._filled(size - len(ahead))
        self.done += len(ahead) + len(content)
        return ahead + content if ahead else content

    def close(self) -> None:
        """What pyarrow calls at the end; who opened the file closes it."""

    def _filled(self, size: int) -> bytes:
        """As many bytes as were asked for, in as many reads as that takes; of text, about as many."""
        pieces = list[bytes]()
        while size > 0 and not self._ended:
            piece = self._file.read(size)
            if not isinstance(piece, (str, bytes)):
                kind = type(piece).__name__
                raise TypeError(f"file `{self._name}` gives `{kind}`\nhint: open it for reading text or bytes")
            self._ended = not piece
            if isinstance(piece, str):
                self.is_text = True
                piece = self._encoded(piece)
            pieces.append(piece)
            size -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _encoded(self, text: str) -> bytes:
        """The text as UTF-8; the first half of a surrogate pair waits for the second."""
        whole = self._half + text
        self._half = whole[-1:] if text and "\ud800" <= whole[-1:] <= "\udbff" else ""
        return in_utf8(whole[: len(whole) - len(self._half)])


@contextmanager
def opened(file: File) -> Iterator[Stream]:
    """The file as a stream, until the end of the block."""
    with file.open() as raw:
        yield Stream(raw, file.name, was_open=file.was_open)
