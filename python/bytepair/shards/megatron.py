"""Megatron-LM's indexed dataset: ids in `.bin`, and where they belong in `.idx`.

The layout of `.idx`, little-endian, as `megatron/core/datasets/indexed_dataset.py` documents and reads it:

    9 bytes   MMIDIDX 0 0
    uint64    version, 1
    uint8     type of the ids: 4 int32, 8 uint16 (there is no uint32)
    uint64    number of sequences
    uint64    length of the document indices, the number of documents + 1
    int32     tokens of each sequence
    int64     where each begins in `.bin`, in bytes
    int64     document indices: the sequences before each document's first, and their number

Here a document is one sequence. So none may have more ids than an int32 can count, and a vocabulary that uint16 cannot
count is written as int32.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from bytepair.errors import FormatError
from bytepair.shards.formats import DAMAGED, NARROW, FormatName, Stored, checked, mapped
from bytepair.shards.plain import PlainPen

if TYPE_CHECKING:
    from bytepair.shards.formats import Dtype, Offsets

__all__ = ["Megatron"]

_MAGIC = b"MMIDIDX\x00\x00"
_VERSION = 1
_CODES = {"int32": 4, "uint16": 8}
_HEAD = struct.Struct("<9sQBQQ")
_MOST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Megatron:
    """The format."""

    name: FormatName = "megatron"
    most_tokens: int = 2**63 - 1

    def dtype(self, n_vocab: int) -> Dtype:
        """uint16, or int32."""
        if n_vocab > 2**31:
            raise FormatError(
                f"n_vocab is {n_vocab}, and Megatron's ids are at most 2,147,483,647",
                "renumber them, or take another format",
            )
        return np.dtype(np.uint16 if n_vocab <= NARROW else np.int32)

    def names(self, shard: str) -> tuple[str, str]:
        """`.bin` and `.idx`, which together are one dataset of Megatron's: its path without the ending."""
        return f"{shard}.bin", f"{shard}.idx"

    def pen(self, file: BinaryIO, dtype: Dtype) -> PlainPen:
        """Ids and nothing else."""
        return PlainPen(file, dtype, lambda *_: b"")

    def offsets(self, offsets: Offsets, dtype: Dtype) -> bytes:
        """The `.idx` file.

        Raises:
            FormatError: a document that has too many ids.
        """
        lengths = np.diff(offsets)
        documents = len(lengths)
        if documents and int(lengths.max()) > _MOST:
            which, most = int(lengths.argmax()), int(lengths.max())
            raise FormatError(
                f"document {which} of the shard has {most:,} tokens, and Megatron's have at most {_MOST:,}",
                "cut the files into documents with separator=",
            )
        head = _HEAD.pack(_MAGIC, _VERSION, _CODES[dtype.name], documents, documents + 1)
        starts = offsets[:-1].astype("<i8") * dtype.itemsize
        return b"".join(
            (head, lengths.astype("<i4").tobytes(), starts.tobytes(), np.arange(documents + 1, dtype="<i8").tobytes())
        )

    def stored(self, path: Path, offsets: Offsets, dtype: Dtype) -> Stored:
        """The ids, mapped."""
        return mapped(path, int(offsets[-1]), dtype)

    def documents(self, path: Path, documents: int, dtype: Dtype) -> Offsets:
        """From the lengths of the `.idx` file, whose other parts must say the same."""
        content = path.read_bytes()
        if len(content) < _HEAD.size:
            raise FormatError(f"`{path}` is cut short within its header of {_HEAD.size} bytes", DAMAGED)
        found = _HEAD.unpack_from(content)
        for what, value, expected in zip(
            _PARTS, found, (_MAGIC, _VERSION, _CODES[dtype.name], documents, documents + 1), strict=True
        ):
            if value != expected:
                raise FormatError(f"the {what} of `{path}` is {value!r}, and should be {expected!r}", DAMAGED)
        checked(len(content), _HEAD.size + documents * 20 + 8, path)
        lengths = np.frombuffer(content, "<i4", documents, _HEAD.size)
        offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.uint64)
        starts = np.frombuffer(content, "<i8", documents, _HEAD.size + 4 * documents)
        wrong = starts != offsets[:-1].astype(np.int64) * dtype.itemsize
        if wrong.any() or (lengths < 0).any():
            place = int(wrong.argmax()) if wrong.any() else int((lengths < 0).argmax())
            raise FormatError(f"document {place} of `{path}` does not begin where the one before it ends", DAMAGED)
        indices = np.frombuffer(content, "<i8", documents + 1, _HEAD.size + 12 * documents)
        if (indices != np.arange(documents + 1)).any():
            raise FormatError(f"the document indices of `{path}` are not 0, 1, 2 and so on", DAMAGED)
        return offsets


_PARTS = ("magic number", "version", "type of ids", "number of sequences", "length of the document indices")
