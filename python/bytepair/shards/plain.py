"""Ids one after the other, behind a header or none: nanoGPT's, llm.c's and NumPy's files.

The header of a shard may hold how many ids it has, which is known at its end: then it is written again, over the first.

nanogpt: no header. Its `train.py` maps the file as uint16, so a vocabulary of more than 65,536 ids, which is written as
uint32, needs another dtype there.

llm.c: 256 little-endian int32. The first three are 20240520, 1 and the number of ids, which are uint16; or 20240801, 7
and the number of ids, which are uint32 (its Llama 3). modded-nanogpt reads the first kind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from bytepair.shards.formats import (
    FormatName,
    Stored,
    check_header,
    mapped,
    npy_header,
    read_offsets,
    smallest,
    written_offsets,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bytepair.shards.formats import Dtype, Ids, Offsets

__all__ = ["FORMATS", "PlainPen"]

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
        self._file.write(np.ascontiguousarray(ids, self._dtype.newbyteorder("<")).data.cast("B"))
        self._tokens += len(ids)

    def end(self) -> None:
        """Writes the header."""
        self._file.seek(0)
        self._file.write(self._header(self._tokens, self._dtype))

    def drop(self) -> None:
        """Nothing waits to be written."""


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
            check_header(path, file.read(len(header)), header, f"{tokens:,} ids of {dtype.name} in {self.name}")
        return mapped(path, tokens, dtype, len(header))

    def documents(self, path: Path, documents: int, dtype: Dtype) -> Offsets:  # noqa: ARG002
        return read_offsets(path, documents)


def _no_header(tokens: int, dtype: Dtype) -> bytes:  # noqa: ARG001
    return b""


def _llm_c(tokens: int, dtype: Dtype) -> bytes:
    header = np.zeros(_HEADER, "<i4")
    header[:3] = (*_KINDS[dtype.name], tokens)
    return header.tobytes()


FORMATS = (
    _Plain("nanogpt", ".bin", _MOST, _no_header),
    _Plain("llm.c", ".bin", _MOST_COUNTED, _llm_c),
    _Plain("npy", ".npy", _MOST, npy_header),
)
