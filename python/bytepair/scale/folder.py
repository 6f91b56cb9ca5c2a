"""A folder that a job writes its files into: on this machine, or where pyarrow or fsspec reach.

The idea: a file appears whole or not at all, and one that is there is never half of it: on this machine it is written
beside and renamed; on an object store it is there when it was sent; anywhere else it is written beside and moved.
A folder can be pickled, and so a worker writes where its driver does.
"""

from __future__ import annotations

import contextlib
import io
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO, Any, BinaryIO, Protocol

from bytepair.checkpoint.directory import locked
from bytepair.data.places import File, is_address, is_of_system, system_of, unreachable, without_keys
from bytepair.errors import FormatError
from bytepair.formats.atomic import naming, replacing

__all__ = ["Folder", "folder_at"]

_LEFT = ".bytepair-"
"""What the names of files begin with that are being written; see `replacing`."""
_FORGOTTEN = 24 * 60 * 60
"""Seconds after which nobody writes such a file any more, where there are no locks that say so."""
_PLACES = ("items", "documents")
"""The folders that jobs make in theirs."""
_STORES = {"s3", "s3a", "gcs", "gs", "abfs", "abfss", "az", "adl", "memory"}
"""File systems on which a file is there only when it was closed."""


class Folder(Protocol):
    """A folder; names in it may have a folder of their own, as in `items/a.parquet`."""

    def shown(self, name: str) -> str:
        """What a file is called in an error; with no name, the folder."""

    def write(self, name: str) -> contextlib.AbstractContextManager[BinaryIO]:
        """A file to write to, which appears whole at the end of the block, in place of an older one.

        It can be gone back in and read.
        """

    def open(self, name: str) -> contextlib.AbstractContextManager[IO[bytes]]:
        """A file to read; FileNotFoundError if it is not there."""

    def read(self, name: str) -> bytes:
        """All bytes of a file; FileNotFoundError if it is not there."""

    def names(self) -> list[str]:
        """The names of all files that are whole, in order."""

    def sizes(self) -> dict[str, int]:
        """The same files, and how many bytes they have."""

    def remove(self, name: str) -> None:
        """Removes a file, if it is there."""

    def holds(self, file: File) -> bool:
        """Whether a file that is to be read lies in it, at any depth."""

    def alone(self) -> contextlib.AbstractContextManager[None]:
        """The folder, made if it is not there (what it lies in must be), for this process alone; tidied up.

        The end of the process is the end of that, too. Object stores have no locks: there nothing keeps others out.

        Raises:
            FormatError: another process is at work in it.
        """


def folder_at(place: str | os.PathLike[str]) -> Folder:
    """The folder at a path or an address, which need not be there yet.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as path:
    ...     folder = folder_at(path)
    ...     with folder.write("items/a") as file:
    ...         _ = file.write(b"low")
    ...     folder.names(), folder.read("items/a")
    (['items/a'], b'low')
    """
    if isinstance(place, str) and is_address(place):
        if place.startswith("file://"):
            return _Near(system_of(place)[1])
        return _Far(place)
    return _Near(os.fspath(place))


class _Near:
    """One of this machine, or of a file system that all machines see."""

    def __init__(self, path: str) -> None:
        self._shown = Path(path)
        self._path = self._shown.absolute()  # a worker may be somewhere else

    def shown(self, name: str) -> str:
        return str(self._shown / name)

    @contextmanager
    def write(self, name: str) -> Iterator[BinaryIO]:
        target = self._path / name
        if target.parent != self._path:
            target.parent.mkdir(exist_ok=True)
        with replacing(target) as file, naming(target):
            yield file

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        with (self._path / name).open("rb") as file:
            yield file

    def read(self, name: str) -> bytes:
        return (self._path / name).read_bytes()

    def names(self) -> list[str]:
        return sorted(self.sizes())

    def sizes(self) -> dict[str, int]:
        found = (path for path in self._path.rglob("*") if path.is_file() and not path.name.startswith(_LEFT))
        return {path.relative_to(self._path).as_posix(): path.stat().st_size for path in found}

    def holds(self, file: File) -> bool:
        name = file.name.removeprefix("file://")
        if file.address is None or is_address(name):  # one that came open, or of another machine: its name is no path
            return False
        return Path(os.path.realpath(self._path)) in Path(os.path.realpath(name)).parents

    def remove(self, name: str) -> None:
        target = self._path / name
        target.unlink(missing_ok=True)
        if target.parent != self._path:
            with contextlib.suppress(OSError):  # others are in it
                target.parent.rmdir()

    @contextmanager
    def alone(self) -> Iterator[None]:
        if not self._path.exists() and not self._path.parent.is_dir():
            raise FileNotFoundError(f"there is no directory `{self._shown.parent}`\nhint: make it")
        if self._path.exists() and not self._path.is_dir():
            raise NotADirectoryError(f"`{self._shown}` is a file\nhint: name a directory")
        self._path.mkdir(exist_ok=True)
        try:
            lock = locked(self._path)
        except BlockingIOError:
            raise FormatError(
                f"another process is at work in `{self._shown}`", "wait for its end, or name another folder"
            ) from None
        try:
            self._tidy()
            yield
        finally:
            self._tidy()
            if lock is not None:
                os.close(lock)

    def _tidy(self) -> None:
        """Removes what a process has left that was killed while it wrote; one that still writes is not needed.

        In another folder that lies in this one somebody else may be at work.
        """
        for place in (".", *_PLACES):
            for left in (self._path / place).glob(f"{_LEFT}*.tmp"):
                with contextlib.suppress(OSError):
                    left.unlink()


class _Far:
    """One that has an address."""

    def __init__(self, address: str) -> None:
        self._address = address

    def __reduce__(self) -> tuple[type[_Far], tuple[str]]:
        return _Far, (self._address,)

    @cached_property
    def _system(self) -> tuple[Any, str]:
        system, base = system_of(self._address)
        return system, base.rstrip("/")

    def shown(self, name: str) -> str:
        return f"{without_keys(self._address).rstrip('/')}/{name}".rstrip("/")

    @contextmanager
    def write(self, name: str) -> Iterator[BinaryIO]:
        content = io.BytesIO()
        yield content
        system, base = self._system
        path = f"{base}/{name}"
        with self._reaching():
            if system.type_name.rpartition("+")[2] in _STORES:
                with system.open_output_stream(path) as file:
                    file.write(content.getbuffer())
                return
            system.create_dir(path.rpartition("/")[0], recursive=True)
            beside = f"{base}/{_LEFT}{secrets.token_hex(8)}.tmp"
            try:
                with system.open_output_stream(beside) as file:
                    file.write(content.getbuffer())
                system.move(beside, path)
            except BaseException:
                with contextlib.suppress(Exception):  # if it is there at all; what went wrong first is told
                    system.delete_file(beside)
                raise

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        system, base = self._system
        with self._reaching():
            file = system.open_input_file(f"{base}/{name}")
        with file:
            yield file

    def read(self, name: str) -> bytes:
        with self.open(name) as file, self._reaching():
            return file.read()

    def names(self) -> list[str]:
        return sorted(self.sizes())

    def sizes(self) -> dict[str, int]:
        listed = self._listed()
        return {name: int(entry.size) for name, entry in listed if not name.rpartition("/")[2].startswith(_LEFT)}

    def _listed(self) -> Iterator[tuple[str, Any]]:
        """All files that there are, those too that are being written."""
        from bytepair.data.arrow import arrow  # noqa: PLC0415

        system, base = self._system
        fs = arrow(f"`{without_keys(self._address)}`", ".fs")
        with self._reaching():
            found = system.get_file_info(fs.FileSelector(base, allow_not_found=True, recursive=True))
        return ((entry.path.removeprefix(f"{base}/"), entry) for entry in found if entry.is_file)

    def holds(self, file: File) -> bool:
        scheme, _, path = file.name.partition("://")
        return self._address.startswith(f"{scheme}://") and path.startswith(f"{self._system[1]}/")

    def remove(self, name: str) -> None:
        system, base = self._system
        with self._reaching(), contextlib.suppress(FileNotFoundError):
            system.delete_file(f"{base}/{name}")

    @contextmanager
    def alone(self) -> Iterator[None]:
        for name, entry in self._listed():  # or says that it cannot be reached; object stores need no folder to be made
            is_old = entry.mtime_ns is not None and time.time() - entry.mtime_ns / 10**9 > _FORGOTTEN
            if name.startswith(_LEFT) and is_old:  # of a process that was killed while it wrote
                self.remove(name)
        yield

    @contextmanager
    def _reaching(self) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError:
            raise
        except Exception as error:
            if not is_of_system(error):
                raise
            raise unreachable(self._address, error) from None
