"""Files of any size -> ids, a part at a time.

The idea: a file is read in blocks; the engine encodes what no longer depends on the text to come, in pieces for all
threads, and keeps the rest until the next block. So a file is one document, as if it had been read as a whole, and
what is in memory is some blocks, not the file.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from bytepair import _core
from bytepair.arguments import Text
from bytepair.data.places import File, Files, check_apart, find
from bytepair.errors import BytepairError
from bytepair.formats.atomic import replacing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["encode_files", "fed"]

BLOCK = 1 << 23
"""The bytes that are read at a time for each thread: with fewer, one that the system starts late has little to do."""
BLOCKS = 1 << 27
"""The most bytes that are read at a time."""


def encode_files(
    files: Files, out: str | os.PathLike[str] | None, encoder: _core.StreamEncoder, *, narrow: bool, threads: int
) -> tuple[NDArray[np.uint32 | np.uint16], NDArray[np.uint64]]:
    """What `Tokenizer.encode_files` does, with an encoder that has its options."""
    import numpy as np  # noqa: PLC0415 - loaded when first needed

    dtype: type[np.uint32 | np.uint16] = np.uint16 if narrow else np.uint32
    width = np.dtype(dtype).itemsize
    found = [] if isinstance(files, (list, tuple)) and not files else find(files)
    ends = [0]
    if out is None:
        encoder.expect(sum(file.size or 0 for file in found))
        for file in found:
            *_, waiting = of_file(file, encoder, threads)
            ends.append(waiting)
        return np.frombuffer(encoder.take(), dtype=dtype), np.array(ends, dtype=np.uint64)
    if os.path.lexists(out) and not Path(out).is_file():
        raise ValueError(f"`{os.fspath(out)}` is no regular file\nhint: out= is the name of a file for the ids")
    check_apart(found, out)
    with replacing(out) as target:
        for file in found:
            for _ in of_file(file, encoder, threads):
                target.write(encoder.take())
            ends.append(target.tell() // width)
    empty = np.empty(0, dtype=dtype)
    mapped = np.memmap(out, dtype=dtype, mode="r") if ends[-1] else empty  # nothing cannot be mapped
    return mapped, np.array(ends, dtype=np.uint64)


def fed(parts: Iterable[Text], encoder: _core.StreamEncoder) -> Iterator[int]:
    """Gives an encoder a text that comes in parts; after each, and after the end, how many ids wait to be taken."""
    yield from map(encoder.feed, parts)  # which lets go of a part before it asks for the next
    yield encoder.finish()


def of_file(file: File, encoder: _core.StreamEncoder, threads: int) -> Iterator[int]:
    """The same of a file; an error names it."""
    try:
        with file.open() as opened:
            yield from fed(read(opened, file.name, min(BLOCK * threads, BLOCKS)), encoder)
    except BytepairError as error:
        raise type(error)(f"file `{file.name}`: {error.message}", error.hint) from None


def read(file: IO[Any], name: str, size: int) -> Iterator[bytes | str]:
    """The contents of a file, `size` bytes at a time (a quarter as many characters, if it is open as text).

    Raises:
        OSError: a file that cannot be read.
        TypeError: an open file that gives neither str nor bytes.
    """
    opened: object = file
    if isinstance(opened, io.TextIOBase):
        size = max(size // 4, 1)  # each character may take four bytes

    def part() -> bytes | str:
        try:
            part = file.read(size)
        except StopIteration as error:  # which would pass for the end of the file
            raise RuntimeError(f"file `{name}` raised StopIteration") from error
        if not isinstance(part, (bytes, str)):
            raise TypeError(f"file `{name}` gives `{type(part).__name__}`\nhint: open it for reading text or bytes")
        return part

    return takewhile(len, iter(part, None))  # nobody holds on to a part, so that the next finds its memory
