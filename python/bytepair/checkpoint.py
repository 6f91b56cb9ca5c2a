r"""A directory from which a training that was stopped, at any moment and in any way, goes on.

    settings.json   all that the result depends on: the settings, and which files were read (size, time of change)
    counts          the pretokens so far and how far reading had come; replaced whole every half minute, and at the end
    merges          the merges so far, added as they are learned

The idea: what was done is only ever in one of these two files, and each is right at every moment. `counts` is written
beside and renamed. `merges` is only added to, and each of its records has a checksum over itself and all before it, so
that a torn end is known and cut off. Going on gives the same bytes because counting stops between documents, and
because merges are a function of the counts. Going on with other settings or other files is refused. One process at a
time works in the directory: it holds a lock (`flock`) until it ends in whatever way; where the system or the file
system has no such locks, nothing stops a second one.

Cost: `counts` is written at most every half minute, and takes a twentieth of the time at most.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import struct
import sys
import time
import warnings
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self

from bytepair import _core
from bytepair.errors import FormatError, TrainingError, TrainingWarning
from bytepair.formats.atomic import naming, replacing, write_bytes
from bytepair.formats.strict_json import load
from bytepair.rows import pieces
from bytepair.splitting import Splitting

__all__ = ["Checkpoint", "Counted", "Merge", "Reading"]

EVERY: float = 30.0
"""Seconds between two savings of the counts."""
_FLUSHED: Final = 0.1
_SYNCED: Final = 30.0
"""Seconds between two writings of merges to the file, and between two of forcing them to the disk."""
_SHARE: Final = 20
"""Saving takes one part in so many of the time."""
_SETTINGS, _COUNTS, _MERGES = "settings.json", "counts", "merges"
_COUNTS_MAGIC: Final = b"bytepair counts 1\n"
_MERGES_MAGIC: Final = b"bytepair merges 1\n"
_NUMBER: Final = 2**64 - 1
_PIECE: Final = struct.Struct("<IQ")
"""Rows and bytes of a piece; its checksum follows it."""
_RECORD: Final = struct.Struct("<IIIQQ")
_CHECK: Final = struct.Struct("<I")
_DELETE: Final = "delete the directory to start over"


Merge = tuple[int, int, int, int, int]
"""A merge that was learned: left id, right id, id, count, fired."""


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


class Checkpoint:
    """The directory of one training. A context manager, since the file of merges stays open."""

    def __init__(self, path: str | os.PathLike[str], settings: Mapping[str, object], *, resume: bool) -> None:
        """Opens the directory, or makes it.

        Args:
            path: where it is.
            settings: what the result depends on, as JSON has it.
            resume: go on from what is there; without anything there, start.

        Raises:
            TrainingError: there is something, and `resume` is False; it was made with other settings or from other
                files; the directory holds something else; another process is at work in it.
            FormatError: it is damaged.
            OSError: it cannot be read or written.
        """
        self.path = Path(path)
        self.resumed = False
        self._log: BinaryIO | None = None
        self._saved = self._synced = self._flushed = time.monotonic()
        self._took = 0.0
        self._chain = 0
        self._make()
        self._lock = _locked(self.path)
        try:
            self._open(settings, resume=resume)
        except BaseException:
            self._unlock()
            raise

    def __enter__(self) -> Self:
        """The checkpoint."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes the file of merges, in which is what was learned, and gives the lock back."""
        try:
            if self._log is not None:
                with naming(self.path / _MERGES):
                    self._log.close()
        finally:
            self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _open(self, settings: Mapping[str, object], *, resume: bool) -> None:
        form = json.dumps(settings, indent=1).encode()  # ASCII, since names of files may be no UTF-8
        place = self.path / _SETTINGS
        if place.exists():
            if not resume:
                raise TrainingError(
                    f"there is a checkpoint in `{self.path}`", "pass resume=True to go on from it, or " + _DELETE
                )
            there = self._read_json(place)
            self._compare(there, json.loads(form))
            form = json.dumps(there, indent=1).encode()  # in the order in which they were written then
            self.resumed = True
        else:
            self._check_empty()
            write_bytes(place, form)
        self._chain = zlib.crc32(form)
        for left in self.path.glob(".bytepair-*.tmp"):  # of a process that was killed while it wrote
            with contextlib.suppress(OSError):
                left.unlink()

    def _make(self) -> None:
        if not self.path.exists():
            if not self.path.parent.is_dir():
                raise FileNotFoundError(
                    f"there is no directory `{self.path.parent}`\nhint: make it; the checkpoint is a directory in it"
                )
            self.path.mkdir(exist_ok=True)  # another process may have made it just now
        elif not self.path.is_dir():
            raise NotADirectoryError(f"`{self.path}` is a file\nhint: a checkpoint is a directory; name another one")

    def _check_empty(self) -> None:
        strange = next((name for name in sorted(os.listdir(self.path)) if not name.startswith(".bytepair-")), None)  # noqa: PTH208
        if strange is not None:
            raise TrainingError(
                f"`{self.path}` is no checkpoint, and not empty: it holds `{strange}`",
                "name a directory that is empty, or does not exist yet",
            )

    def _read_json(self, place: Path) -> dict[str, object]:
        try:
            return load(place.read_bytes()).object()
        except FormatError as problem:
            raise FormatError(f"`{place}`: {problem.message}", _DELETE) from None

    def _compare(self, there: Mapping[str, object], here: Mapping[str, object]) -> None:
        if there == here:
            return
        for key in (*here, *there):
            if there.get(key) != here.get(key):
                what = _difference(key, there.get(key), here.get(key))
                raise TrainingError(
                    f"the checkpoint in `{self.path}` was made with something else: {what}",
                    "give the same settings and files as then, or name another directory",
                )

    # The counts

    def counts(self, splitting: Splitting) -> Counted | None:
        """The counts that were saved last, if any were.

        Raises:
            FormatError: the file is damaged.
        """
        place = self.path / _COUNTS
        try:
            with place.open("rb") as file:
                return _read_counts(file, splitting)
        except FileNotFoundError:
            return None
        except (FormatError, ValueError, struct.error, zlib.error) as problem:
            reason = problem.message if isinstance(problem, FormatError) else str(problem)
            raise FormatError(f"`{place}` is damaged: {reason}", _DELETE) from None

    def due(self) -> bool:
        """Whether it is time to save the counts."""
        return time.monotonic() - self._saved >= max(EVERY, _SHARE * self._took)

    def save_counts(self, reading: Reading, tables: Mapping[str | None, _core.Counts]) -> None:
        """Saves the counts so far; what was saved before is replaced in one step."""
        began = time.monotonic()
        with replacing(self.path / _COUNTS) as file, naming(self.path / _COUNTS):
            _write_counts(file, reading, tables)
        self._saved = time.monotonic()
        self._took = self._saved - began

    # The merges

    def merges(self) -> list[Merge]:
        """The merges that are known, whose file is now open for more; a torn end of it is cut off."""
        place = self.path / _MERGES
        if self._log is None:
            self._log = place.open("a+b")
        self._log.seek(0)
        content = self._log.read()
        known, kept = [], 0
        if content[: len(_MERGES_MAGIC)] == _MERGES_MAGIC:
            kept = len(_MERGES_MAGIC)
            for merge, chain in _records(content, kept, self._chain):
                known.append(merge)
                kept += _RECORD.size + _CHECK.size
                self._chain = chain
        elif not _MERGES_MAGIC.startswith(content):
            raise FormatError(f"`{place}` is damaged: it is no file of merges", _DELETE)
        if kept and len(content) - kept >= _RECORD.size + _CHECK.size:  # a kill leaves less than a record
            warnings.warn(
                f"of the merges in `{place}` only the first {len(known):,} can be read; the others are learned again\n"
                "hint: the result is the same; a loss of power may have done this, or a disk that is not well",
                TrainingWarning,
                stacklevel=4,
            )
        self._log.truncate(kept)
        if not kept:
            self._log.write(_MERGES_MAGIC)
            self._log.flush()
        return known

    def learned(self, merge: Merge) -> None:
        """Adds a merge."""
        assert self._log is not None, "merges() opens the file"  # noqa: S101
        record = _RECORD.pack(*merge)
        self._chain = zlib.crc32(record, self._chain)
        now = time.monotonic()
        with naming(self.path / _MERGES):
            self._log.write(record + _CHECK.pack(self._chain))
            if now - self._flushed >= _FLUSHED:
                self._log.flush()
                self._flushed = now
            if now - self._synced >= _SYNCED:
                self._log.flush()
                os.fsync(self._log.fileno())
                self._synced = now


def _locked(directory: Path) -> int | None:
    """A handle of the directory that holds its lock until it is closed; None where there are no such locks.

    Raises:
        TrainingError: another process holds it, or another training of this one.
    """
    if sys.platform == "win32":
        return None
    import fcntl  # noqa: PLC0415 - not on Windows

    handle = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as problem:
        os.close(handle)
        if problem.errno in {errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES}:
            raise TrainingError(
                f"another process is at work in the checkpoint `{directory}`", "wait for its end, or name another one"
            ) from None
        return None
    return handle


def _records(content: bytes, start: int, chain: int) -> Iterator[tuple[Merge, int]]:
    """The merges up to the first record that is torn, each with the checksum up to it."""
    size = _RECORD.size + _CHECK.size
    for at in range(start, len(content) - size + 1, size):
        record = content[at : at + _RECORD.size]
        chain = zlib.crc32(record, chain)
        if _CHECK.unpack_from(content, at + _RECORD.size)[0] != chain:
            return
        left, right, id, count, fired = _RECORD.unpack(record)
        yield (left, right, id, count, fired), chain


def _write_counts(file: BinaryIO, reading: Reading, tables: Mapping[str | None, _core.Counts]) -> None:
    head = {
        "batches": reading.batches,
        "digest": reading.digest,
        "documents": reading.documents,
        "complete": reading.complete,
        "tables": [{"source": source, "distinct": table.distinct} for source, table in tables.items()],
    }
    file.write(_COUNTS_MAGIC)
    _write_piece(file, 0, json.dumps(head).encode())
    for table in tables.values():
        for data, offsets, counts in pieces(table):
            _write_piece(file, len(counts), bytes(offsets) + bytes(counts) + data)


def _write_piece(file: BinaryIO, rows: int, content: bytes) -> None:
    packed = zlib.compress(content, 1)
    head = _PIECE.pack(rows, len(packed))
    file.write(head + packed + _CHECK.pack(zlib.crc32(packed, zlib.crc32(head))))


def _read_counts(file: BinaryIO, splitting: Splitting) -> Counted:
    if file.read(len(_COUNTS_MAGIC)) != _COUNTS_MAGIC:
        raise FormatError("it is no file of counts", _DELETE)
    _, content = _read_piece(file)
    head = load(content)
    reading = Reading(
        batches=head.get("batches").integer(_NUMBER),
        digest=head.get("digest").string(),
        documents=head.get("documents").integer(_NUMBER),
        complete=head.get("complete").boolean(default=False),
    )
    tables: dict[str | None, _core.Counts] = {}
    for item in head.get("tables").items():
        source = item.get("source")
        table = splitting.table()
        distinct = item.get("distinct").integer(_NUMBER)
        while table.distinct < distinct:
            _add_piece(file, table)
        if table.distinct != distinct:
            raise FormatError(f"it has {table.distinct} pretokens where it should have {distinct}", _DELETE)
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


def _difference(key: str, there: object, here: object) -> str:
    """What is different under one key, in words."""
    if key == "files" and isinstance(there, list) and isinstance(here, list):
        return _file_difference(_files(there), _files(here))
    return f"{key} is {_shown(there)} there, and {_shown(here)} here"


def _files(listed: object) -> list[tuple[object, ...]]:
    """Of each file: its source, name, size and time of change."""
    return [tuple(item) for item in listed if isinstance(item, list)] if isinstance(listed, list) else []


def _file_difference(there: list[tuple[object, ...]], here: list[tuple[object, ...]]) -> str:
    """Which file has changed, is gone or is new."""
    for old, new in zip(there, here, strict=False):
        if old != new:
            if old[:2] == new[:2]:
                return f"`{new[1]}` has changed since"
            return f"file `{old[1]}` comes there where `{new[1]}` comes here"
    longer, where = (there, "there") if len(there) > len(here) else (here, "here")
    first = longer[min(len(there), len(here))][1]
    return f"there are {len(there)} files there and {len(here)} here; `{first}` is only {where}"


_SHOWN: Final = 60


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
