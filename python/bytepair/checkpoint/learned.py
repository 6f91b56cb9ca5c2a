"""The file of merges in a checkpoint: a merge a record, added as it is learned.

The idea: each record has a checksum over itself and all before it, and over the settings. So an end that is torn is
known, and cut off; what was in it is learned again. A kill leaves less than a record.
"""

from __future__ import annotations

import os
import struct
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bytepair.errors import FormatError, TrainingWarning
from bytepair.formats.atomic import naming
from bytepair.told import tell

__all__ = ["Merge", "Merges"]

_FLUSHED: Final = 0.1
_SYNCED: Final = 30.0
"""Seconds between two writings of merges to the file, and between two of forcing them to the disk."""
_MAGIC: Final = b"bytepair merges 1\n"
_RECORD: Final = struct.Struct("<IIIQQ")
_CHECK: Final = struct.Struct("<I")
_SIZE: Final = _RECORD.size + _CHECK.size

Merge = tuple[int, int, int, int, int]
"""A merge that was learned: left id, right id, id, count, fired."""


class Merges:
    """The file, open for more."""

    def __init__(self, path: Path, settings: bytes) -> None:
        """Opens the file, or makes it; a torn end is cut off.

        Args:
            path: where it is.
            settings: what the merges were learned with.

        Raises:
            FormatError: it is no file of merges.
            OSError: it cannot be read or written.

        Warns:
            TrainingWarning: more than a kill could have torn cannot be read.
        """
        self._path = path
        self._file = path.open("a+b")
        self._chain = zlib.crc32(settings)
        self._synced = self._flushed = time.monotonic()
        try:
            self.known = self._read()
        except BaseException:
            self._file.close()
            raise

    def _read(self) -> list[Merge]:
        """The merges that are there."""
        self._file.seek(0)
        content = self._file.read()
        known, kept = [], 0
        if content[: len(_MAGIC)] == _MAGIC:
            kept = len(_MAGIC)
            for merge, chain in _records(content, kept, self._chain):
                known.append(merge)
                kept += _SIZE
                self._chain = chain
        elif not _MAGIC.startswith(content):
            raise FormatError(
                f"`{self._path}` is damaged: it is no file of merges", "delete the directory to start over"
            )
        if kept and len(content) - kept >= _SIZE:
            tell(
                TrainingWarning,
                f"of the merges in `{self._path}` only the first {len(known):,} can be read; the others are learned "
                "again",
                "the result is the same; a loss of power may have done this, or a disk that is not well",
            )
        self._file.truncate(kept)
        if not kept:
            self._file.write(_MAGIC)
            self._file.flush()
        return known

    def add(self, merge: Merge) -> None:
        """Adds a merge."""
        record = _RECORD.pack(*merge)
        self._chain = zlib.crc32(record, self._chain)
        now = time.monotonic()
        with naming(self._path):
            self._file.write(record + _CHECK.pack(self._chain))
            if now - self._flushed >= _FLUSHED:
                self._file.flush()
                self._flushed = now
            if now - self._synced >= _SYNCED:
                self._file.flush()
                os.fsync(self._file.fileno())
                self._synced = now

    def close(self) -> None:
        """Closes the file, in which is then what was learned."""
        with naming(self._path):
            self._file.close()


def _records(content: bytes, start: int, chain: int) -> Iterator[tuple[Merge, int]]:
    """The merges up to the first record that is torn, each with the checksum up to it."""
    for at in range(start, len(content) - _SIZE + 1, _SIZE):
        record = content[at : at + _RECORD.size]
        chain = zlib.crc32(record, chain)
        if _CHECK.unpack_from(content, at + _RECORD.size)[0] != chain:
            return
        left, right, id, count, fired = _RECORD.unpack(record)
        yield (left, right, id, count, fired), chain
