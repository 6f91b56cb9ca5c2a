r"""A directory from which a training that was stopped goes on.

    settings.json   all that the result depends on: the settings, and which files were read (size, time of change)
    counts          the pretokens so far and how far reading had come; replaced whole every half minute, and at the end
    merges          the merges so far, added as they are learned

The idea: what was done is only ever in one of these two files, and each is right at every moment. Going on gives the
same bytes because counts and the part of a document that waits to be counted are kept together, and because merges are
a function of the counts. Going on with other settings or other files is refused. One process at a time works in the
directory: it holds a lock (`flock`) until it ends in whatever way; where the system or the file system has no such
locks, nothing stops a second one.

Cost: `counts` is written at most every half minute, and takes a twentieth of the time at most.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from bytepair import __version__, _core
from bytepair.checkpoint import counted
from bytepair.checkpoint.counted import Counted, Reading
from bytepair.checkpoint.differences import difference
from bytepair.checkpoint.learned import Merge, Merges
from bytepair.counts.splitting import Splitting
from bytepair.errors import FormatError, TrainingError
from bytepair.formats.atomic import write_bytes
from bytepair.formats.strict_json import load

__all__ = ["Checkpoint", "locked"]

EVERY: float = 30.0
"""Seconds between two savings of the counts."""
SHARE = 20
"""Saving takes one part in so many of the time."""
_VERSION: Final = 2
_SETTINGS, _COUNTS, _MERGES = "settings.json", "counts", "merges"
_DELETE: Final = "delete the directory to start over"


class Checkpoint:
    """The directory of one training. A context manager, since the file of merges stays open."""

    def __init__(self, path: str | os.PathLike[str], settings: Mapping[str, object], *, resume: bool) -> None:
        """Opens the directory, or makes it.

        Args:
            path: where it is.
            settings: what the result depends on beside the version of this package, as JSON has it.
            resume: go on from what is there; without anything there, start.

        Raises:
            TrainingError: there is something, and `resume` is False; it was made with other settings or from other
                files; the directory holds something else; another process is at work in it.
            FormatError: it is damaged.
            OSError: it cannot be read or written.
        """
        self.path = Path(path)
        self._merges: Merges | None = None
        self._saved = time.monotonic()
        self._took = 0.0
        self._make()
        try:
            self._lock = locked(self.path)
        except BlockingIOError:
            raise TrainingError(
                f"another process is at work in the checkpoint `{self.path}`", "wait for its end, or name another one"
            ) from None
        try:
            versions = {"version": _VERSION, "bytepair": __version__}
            self._settings = self._open(versions | dict(settings), resume=resume)
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
            if self._merges is not None:
                self._merges.close()
        finally:
            self._unlock()

    def counts(self, splitting: Splitting) -> Counted | None:
        """The counts that were saved last, if any were.

        Raises:
            FormatError: the file is damaged.
        """
        return counted.read(self.path / _COUNTS, splitting)

    def due(self) -> bool:
        """Whether it is time to save the counts."""
        return time.monotonic() - self._saved >= max(EVERY, SHARE * self._took)

    def save_counts(self, reading: Reading, tables: Mapping[str | None, _core.Counts]) -> None:
        """Saves the counts so far; what was saved before is replaced in one step."""
        began = time.monotonic()
        counted.write(self.path / _COUNTS, reading, tables)
        self._saved = time.monotonic()
        self._took = self._saved - began

    def merges(self) -> list[Merge]:
        """The merges that are known; their file is then open for more. Errors and warnings as `Merges`."""
        if self._merges is None:
            self._merges = Merges(self.path / _MERGES, self._settings)
        return self._merges.known

    def learned(self, merge: Merge) -> None:
        """Adds a merge."""
        assert self._merges is not None, "merges() opens the file"  # noqa: S101
        self._merges.add(merge)

    def _open(self, settings: Mapping[str, object], *, resume: bool) -> bytes:
        """The settings, as they stand in their file."""
        form = json.dumps(settings, indent=1).encode()  # ASCII, since names of files may be no UTF-8
        place = self.path / _SETTINGS
        if place.exists():
            if not resume:
                raise TrainingError(
                    f"there is a checkpoint in `{self.path}`", "pass resume=True to go on from it, or " + _DELETE
                )
            there = self._read_json(place)
            different = difference(there, json.loads(form))
            if different is not None:
                raise TrainingError(
                    f"the checkpoint in `{self.path}` was made with something else: {different}",
                    "give the same settings and files as then, or name another directory",
                )
            form = json.dumps(there, indent=1).encode()  # in the order in which they were written then
        else:
            self._check_empty()
            write_bytes(place, form)
        for left in self.path.glob(".bytepair-*.tmp"):  # of a process that was killed while it wrote
            with contextlib.suppress(OSError):
                left.unlink()
        return form

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

    @staticmethod
    def _read_json(place: Path) -> dict[str, object]:
        try:
            return load(place.read_bytes()).object()
        except FormatError as problem:
            raise FormatError(f"`{place}`: {problem.message}", _DELETE) from None

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def locked(directory: Path) -> int | None:
    """A handle of the directory that holds its lock until it is closed; None where there are no such locks.

    Raises:
        BlockingIOError: another process holds it, or another handle of this one.
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
            raise BlockingIOError(problem.errno, problem.strerror, str(directory)) from None
        return None
    return handle
