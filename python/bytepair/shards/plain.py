"""Ids one after the other, behind a header or none: nanoGPT's, llm.c's and NumPy's files.

The header of a shard may hold how many ids it has, which is known at its end: then it is written again, over the first.

nanogpt: no header. Its `train.py` maps the file as uint16, so a vocabulary of more than 65,536 ids, which is written as
uint32, needs another dtype there.

llm.c: 256 little-endian int32. The first three are 20240520, 1 and the number of ids, which are uint16; or 20240801, 7
and the number of ids, which are uint32 (its Llama 3). modded-nanogpt reads the first kind.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from bytepair.errors import FormatError
from bytepair.shards.formats import (
    DAMAGED,
    FormatName,
    Stored,
    checked,
    mapped_array,
    read_offsets,
    smallest,
    written_offsets,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bytepair.shards.formats import Dtype, Ids, Offsets

__all__ = ["FORMATS", "PlainPen", "mapped"]

_MOST = 2**63 - 1
_MOST_COUNTED = 2**31 - 1
"""What an int32 can count."""
_HEADER = 256
_KINDS = {"uint16": (20240520, 1), "uint32": (20240801, 7)}


class PlainPen:
    """Writes ids, and at the end the header."""

    def __init__(self, file: BinaryIO, dtype: Dtype, header: Callable[[int, Dtype], bytes]) -> None:
        self._file, self._dtype, self._header = file, dtype, header
        self._tokens = 0
        file.write(header(0, dtype))

    def add(self, ids: Ids, ends: NDArray[np.int64]) -> None:  # noqa: ARG002 - the second file has them
        """Writes ids."""
        self._file.write(memoryview(np.ascontiguousarray(ids, self._dtype.newbyteorder("<"))).cast("B"))
        self._tokens += len(ids)

    def end(self) -> None:
        """Writes the header."""
        self._file.seek(0)
        self._file.write(self._header(self._tokens, self._dtype))


def mapped(path: Path, tokens: int, dtype: Dtype, offset: int = 0) -> Stored:
    """Ids that lie in a file from an offset to its end.

    Raises:
        FormatError: there are more or fewer.
    """
    checked(path.stat().st_size, offset + tokens * dtype.itemsize, path)
    if not tokens:  # nothing cannot be mapped
        return np.empty(0, dtype)
    return np.memmap(path, dtype.newbyteorder("<"), "r", offset, (tokens,))


@dataclass(frozen=True, slots=True)
class _Plain:
    """One of the three."""

    name: FormatName
    ending: str
    most_tokens: int
    header: Callable[[int, Dtype], bytes]
    """Of a file of so many ids; its length does not depend on their number."""

    def dtype(self, n_vocab: int) -> Dtype:
        return smallest(n_vocab)

    def names(self, shard: str) -> tuple[str, str]:
        return f"{shard}{self.ending}", f"documents/{shard}.npy"

    def pen(self, file: BinaryIO, dtype: Dtype) -> PlainPen:
        return PlainPen(file, dtype, self.header)

    def offsets(self, offsets: Offsets, dtype: Dtype) -> bytes:  # noqa: ARG002
        return written_offsets(offsets)

    def stored(self, path: Path, offsets: Offsets, dtype: Dtype) -> Stored:
        tokens = int(offsets[-1])
        header = self.header(tokens, dtype)
        with path.open("rb") as file:
            found = file.read(len(header))
        if found != header:
            raise FormatError(f"`{path}` {_otherwise(self.name, found, header, path)}", DAMAGED)
        return mapped(path, tokens, dtype, len(header))

    def documents(self, path: Path, dtype: Dtype) -> Offsets:  # noqa: ARG002
        return read_offsets(path)


def _otherwise(name: FormatName, found: bytes, header: bytes, path: Path) -> str:
    """What is other than it should be in a header."""
    if len(found) < len(header):
        return f"is cut short within its header of {len(header)} bytes"
    if name == "npy":
        array = mapped_array(path)
        return f"holds {array.dtype} of shape {array.shape}, or has another header than NumPy writes"
    values, expected = np.frombuffer(found, "<i4"), np.frombuffer(header, "<i4")
    place = int((values != expected).argmax())
    return f"has {values[place]} at place {place} of its header, and should have {expected[place]}"


def _no_header(tokens: int, dtype: Dtype) -> bytes:  # noqa: ARG001
    return b""


def _llm_c(tokens: int, dtype: Dtype) -> bytes:
    header = np.zeros(_HEADER, "<i4")
    header[:3] = (*_KINDS[dtype.name], tokens)
    return header.tobytes()


def _npy(tokens: int, dtype: Dtype) -> bytes:
    """NumPy's own, of version 1.0: it leaves room for the number to grow."""
    file = io.BytesIO()
    shape = {"descr": dtype.newbyteorder("<").str, "fortran_order": False, "shape": (tokens,)}
    np.lib.format.write_array_header_1_0(file, shape)
    return file.getvalue()


FORMATS = {
    format.name: format
    for format in (
        _Plain("nanogpt", ".bin", _MOST, _no_header),
        _Plain("llm.c", ".bin", _MOST_COUNTED, _llm_c),
        _Plain("npy", ".npy", _MOST, _npy),
    )
}
