"""The folder that shards lie in: files that are there whole or not at all.

The idea: whoever writes gets a file of their own beside the one that is meant; it can be read and gone back in, since
some formats begin with what is known only at their end; when all is written it takes the name. So a name that is there
is a whole file, at every moment and after every kind of end.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO

from bytepair.errors import FormatError
from bytepair.formats.atomic import replacing

__all__ = ["Folder"]

_BESIDE = ".bytepair-*.tmp"
"""What a process that was killed may leave."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of this machine; names in it may have a folder of their own, `documents/000000-0000.npy`."""

    path: str

    def __str__(self) -> str:
        return self.path

    def place(self, name: str) -> Path:
        """Where a file lies."""
        return Path(self.path, name)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """The folder, made if it is not there, for this process alone until the end of the block.

        The system gives the lock back if the process ends in whatever way; where it has none, nothing is locked.

        Raises:
            FormatError: another process is at work in it.
            FileNotFoundError: the folder that it shall be in is not there.
            NotADirectoryError: it is a file.
        """
        place = Path(self.path)
        if place.exists() and not place.is_dir():
            raise NotADirectoryError(f"`{place}` is a file\nhint: shards lie in a folder; name another one")
        if not place.parent.is_dir():
            raise FileNotFoundError(f"there is no directory `{place.parent}`\nhint: make it; the shards' folder is made in it")
        place.mkdir(exist_ok=True)
        handle = _locked(place)
        try:
            yield
        finally:
            if handle is not None:
                os.close(handle)

    @contextmanager
    def writing(self, name: str) -> Iterator[BinaryIO]:
        """A file to write, to go back in and to read, which has the name at the end of the block.

        Raises:
            OSError: what the system says; there is then no file, or the old one.
        """
        place = self.place(name)
        place.parent.mkdir(parents=True, exist_ok=True)
        with replacing(place) as file:
            yield file

    def read(self, name: str) -> bytes:
        """What a file holds.

        Raises:
            FileNotFoundError: there is none.
            OSError: what the system says.
        """
        return self.place(name).read_bytes()

    def open(self, name: str) -> IO[bytes]:
        """A file to read; errors as `read`."""
        return self.place(name).open("rb")

    def sizes(self) -> dict[str, int]:
        """The files that are there, and their bytes; none if there is no folder."""
        sizes = dict[str, int]()
        for folder, _, names in os.walk(self.path):
            inner = Path(folder).relative_to(self.path).as_posix()
            for name in names:
                path = Path(folder, name)
                if path.is_file():
                    sizes[name if inner == "." else f"{inner}/{name}"] = path.stat().st_size
        return sizes

    def remove(self, *names: str) -> None:
        """Removes files, where they are there, and folders in this one that have become empty."""
        for name in names:
            self.place(name).unlink(missing_ok=True)
        for folder in {self.place(name).parent for name in names} - {Path(self.path)}:
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()

    def clear(self) -> None:
        """Removes what a process left that was killed while it wrote."""
        for path in Path(self.path).rglob(_BESIDE):
            path.unlink(missing_ok=True)


def _locked(place: Path) -> int | None:
    """A handle that holds the lock of a folder; None where there are no such locks."""
    if sys.platform == "win32":
        return None
    import fcntl  # noqa: PLC0415 - not on Windows

    handle = os.open(place, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(handle)
        if error.errno in {errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES}:
            what = f"another process is at work in `{place}`"
            raise FormatError(what, "wait for its end, or name another folder") from None
        return None
    return handle
