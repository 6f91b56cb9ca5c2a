"""Files that are sent: how much room there is for them, where they lie, and when they go.

They lie in a temporary folder, under numbers of our own and never under the names that came with them. Those that are
on their way and those that are kept share one account of bytes, so that two at once take no more room than one.
Invariant: a file is in the folder if and only if it is in the account, or was claimed.
"""

from __future__ import annotations

import itertools
import shutil
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

from bytepair.playground.fields import RequestError

__all__ = ["PREFIX", "Upload", "Uploads"]

PREFIX: Final = "bytepair-play-"
"""What the names of temporary folders begin with."""
_FORGOTTEN: Final = 600.0
"""Seconds after which a file that was kept and not claimed is removed."""


@dataclass(slots=True, eq=False)
class Upload:
    """A file that comes, or has come."""

    number: int
    path: Path
    size: int = 0
    kept: bool = False
    at: float = field(default_factory=time.monotonic)


class Uploads:
    """The files of one kind. Safe to use from several threads."""

    def __init__(self, most_bytes: int, most_files: int, larger: str) -> None:
        """`larger` says what to do with more bytes. Nothing is made before it is needed."""
        self._most_bytes, self._most_files, self._larger = most_bytes, most_files, larger
        self._lock, self._numbers = threading.Lock(), itertools.count(1)
        self._uploads: dict[int, Upload] = {}
        self._folder: Path | None = None
        self._is_closed = False

    def begin(self) -> Upload:
        """A file that is about to come, at a path where nothing is yet."""
        with self._lock:
            if self._is_closed:
                raise RequestError("the playground ends", "start it again: `bytepair play`", 503)
            self._forget()
            if len(self._uploads) >= self._most_files:
                raise RequestError(
                    f"there are {self._most_files} files already", "wait for them, or put them into one", 413
                )
            if self._folder is None:
                self._folder = Path(mkdtemp(prefix=PREFIX))  # which nobody else can read
            number = next(self._numbers)
            self._uploads[number] = Upload(number, self._folder / f"file-{number}")
            return self._uploads[number]

    def grown(self, upload: Upload, size: int) -> None:
        """A file is about to have so many bytes; refused, if that is too much for it and all the others."""
        with self._lock:
            if sum(other.size for other in self._uploads.values() if other is not upload) + size > self._most_bytes:
                whose = "the file has" if size > self._most_bytes else "all files together have"
                raise RequestError(f"{whose} more than {self._most_bytes:,} bytes", self._larger, 413)
            upload.size = size

    def keep(self, upload: Upload) -> None:
        """It is whole, and stays until it is claimed or forgotten."""
        with self._lock:
            upload.kept, upload.at = True, time.monotonic()

    def drop(self, upload: Upload) -> None:
        """It goes."""
        with self._lock:
            self._remove(upload)

    def drop_kept(self, number: int) -> None:
        """A file that was kept goes, if it is still there."""
        with self._lock:
            upload = self._uploads.get(number)
            if upload is not None and upload.kept:
                self._remove(upload)

    def claim(self, numbers: Iterable[int]) -> list[Path]:
        """The files of these numbers, which are the caller's from now on; all of them or, with an error, none."""
        with self._lock:
            wanted = list(dict.fromkeys(numbers))
            for number in wanted:
                if number not in self._uploads or not self._uploads[number].kept:
                    raise RequestError(f"there is no file {number}", "send it to /api/files first", 404)
            return [self._uploads.pop(number).path for number in wanted]

    def close(self) -> None:
        """Removes every file; no other can come."""
        with self._lock:
            self._is_closed = True
            folder, self._folder = self._folder, None
            self._uploads.clear()
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)

    def _forget(self) -> None:
        now = time.monotonic()
        for upload in list(self._uploads.values()):
            if upload.kept and now - upload.at > _FORGOTTEN:
                self._remove(upload)

    def _remove(self, upload: Upload) -> None:
        if self._uploads.pop(upload.number, None) is not None:  # otherwise it was claimed
            upload.path.unlink(missing_ok=True)
