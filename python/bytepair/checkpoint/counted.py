"""The file of counts in a checkpoint: the pretokens so far, and how far reading had come.

The idea: a table for each source, its rows in pieces that are packed, each with a checksum, and of a document that had
come in part what is not counted yet. The file is replaced whole.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from bytepair import _core
from bytepair.counts.rows import pieces
from bytepair.counts.splitting import Splitting
from bytepair.errors import FormatError
from bytepair.formats.atomic import naming, replacing
from bytepair.formats.strict_json import load
from bytepair.integers import LARGEST, MOST_COUNT

__all__ = ["Counted", "Reading", "read", "write"]

_MAGIC: Final = b"bytepair counts 1\n"
_PIECE: Final = struct.Struct("<IQ")
"""Rows and bytes of a piece; its checksum follows it."""
_CHECK: Final = struct.Struct("<I")
_DELETE: Final = "delete the directory to start over"


@dataclass(frozen=True, slots=True)
class Reading:
    """Where reading stands."""

    batches: int = 0
    """Batches that were counted."""
    digest: str = ""
    """What they looked like; see `counting`."""
    documents: int = 0
    """Documents that were counted."""
    complete: bool = False
    """Whether that was all."""


@dataclass(frozen=True, slots=True)
class Counted:
    """The counts so far, and where reading stands."""

    reading: Reading
    tables: dict[str | None, _core.Counts]


def write(path: Path, reading: Reading, tables: Mapping[str | None, _core.Counts]) -> None:
    """Writes the file; what was there before is replaced in one step."""
    with replacing(path) as file, naming(path):
        _write(file, reading, tables)


def read(path: Path, splitting: Splitting) -> Counted | None:
    """What the file holds, if there is one.

    Raises:
        FormatError: it is damaged.
    """
    try:
        with path.open("rb") as file:
            return _read(file, splitting)
    except FileNotFoundError:
        return None
    except (FormatError, ValueError, struct.error, zlib.error) as problem:
        reason = problem.message if isinstance(problem, FormatError) else str(problem)
        raise FormatError(f"`{path}` is damaged: {reason}", _DELETE) from None


def _write(file: BinaryIO, reading: Reading, tables: Mapping[str | None, _core.Counts]) -> None:
    head = {
        "batches": reading.batches,
        "digest": reading.digest,
        "documents": reading.documents,
        "complete": reading.complete,
        "tables": [
            {"source": source, "distinct": table.distinct, "open": None if table.opened is None else table.opened[1:]}
            for source, table in tables.items()
        ],
    }
    file.write(_MAGIC)
    _write_piece(file, 0, json.dumps(head).encode())
    for table in tables.values():
        for data, offsets, counts in pieces(table):
            _write_piece(file, len(counts), bytes(offsets) + bytes(counts) + data)
        if table.opened is not None:
            _write_piece(file, 0, table.opened[0])


def _write_piece(file: BinaryIO, rows: int, content: bytes) -> None:
    packed = zlib.compress(content, 1)
    head = _PIECE.pack(rows, len(packed))
    file.write(head + packed + _CHECK.pack(zlib.crc32(packed, zlib.crc32(head))))


def _read(file: BinaryIO, splitting: Splitting) -> Counted:
    if file.read(len(_MAGIC)) != _MAGIC:
        raise FormatError("it is no file of counts", _DELETE)
    _, content = _read_piece(file)
    head = load(content)
    reading = Reading(
        batches=head.get("batches").integer(MOST_COUNT),
        digest=head.get("digest").string(),
        documents=head.get("documents").integer(MOST_COUNT),
        complete=head.get("complete").boolean(default=False),
    )
    tables: dict[str | None, _core.Counts] = {}
    for item in head.get("tables").items():
        source = item.get("source")
        table = splitting.table()
        distinct = item.get("distinct").integer(MOST_COUNT)
        while table.distinct < distinct:
            _add_piece(file, table)
        if table.distinct != distinct:
            raise FormatError(f"it has {table.distinct} pretokens where it should have {distinct}", _DELETE)
        if item.get("open").value is not None:
            gone, looked = (number.integer(LARGEST) for number in item.get("open").items())
            _, tail = _read_piece(file)
            table.reopen(tail, gone, looked)
        tables[None if source.value is None else source.string()] = table
    if file.read(1):
        raise FormatError("something follows after its end", _DELETE)
    return Counted(reading, tables)


def _add_piece(file: BinaryIO, table: _core.Counts) -> None:
    rows, content = _read_piece(file)
    before = table.distinct
    split = 8 * (rows + 1)
    view = memoryview(content)
    if not rows or len(content) < split + 8 * rows:
        raise FormatError("a piece of it is too short", _DELETE)
    offsets, counts = view[:split].cast("Q"), view[split : split + 8 * rows].cast("Q")
    table.add_many(view[split + 8 * rows :], offsets, counts)
    if table.distinct != before + rows:
        raise FormatError("pretokens stand in it twice", _DELETE)


def _read_piece(file: BinaryIO) -> tuple[int, bytes]:
    head = file.read(_PIECE.size)
    if len(head) < _PIECE.size:
        raise FormatError("its end is missing", _DELETE)
    rows, size = _PIECE.unpack(head)
    packed = file.read(min(size, os.fstat(file.fileno()).st_size))
    check = file.read(_CHECK.size)
    if len(packed) != size or len(check) != _CHECK.size:
        raise FormatError("its end is missing", _DELETE)
    if _CHECK.unpack(check)[0] != zlib.crc32(packed, zlib.crc32(head)):
        raise FormatError("its checksum is wrong", _DELETE)
    return rows, zlib.decompress(packed)
