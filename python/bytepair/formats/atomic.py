"""Writing a file whole or not at all.

The idea: write beside the target, force the bytes to the disk, then rename, which replaces the target in one step. A
reader sees the old file or the new one, and a failure (a full disk, an interrupt) leaves the old one and nothing else.
A symbolic link stays one: what it points to is replaced. An existing file keeps its permissions. What is no regular
file (a pipe, `/dev/stdout`) cannot be replaced and is simply written to.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

__all__ = ["naming", "replacing", "write_bytes"]


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Writes `data` to `path`, whole or not at all.

    Raises:
        FileNotFoundError: the directory does not exist.
        OSError: what the system says; the file is then as it was before.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     write_bytes(Path(directory, "a"), b"data")
    ...     Path(directory, "a").read_bytes()
    b'data'
    """
    with replacing(path) as file, naming(Path(path)):
        file.write(data)


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write to, which becomes `path` when all has been written. Errors as `write_bytes`."""
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "There is no such directory to write into", str(target.parent))
    mode = _mode(target)
    if mode is not None and not stat.S_ISREG(mode):
        with target.open("wb") as file:
            yield file
        return
    beside = target.with_name(f".bytepair-{secrets.token_hex(8)}.tmp")
    with naming(target, beside):
        file = beside.open("xb")
    try:
        yield file
        with naming(target, beside):
            file.flush()
            os.fsync(file.fileno())
            file.close()
            if mode is not None:
                beside.chmod(stat.S_IMODE(mode))
            beside.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):  # which tries to write again what could not be written
            file.close()
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
    _sync_directory(target.parent)


@contextlib.contextmanager
def naming(target: Path, beside: Path | None = None) -> Iterator[None]:
    """Names `target` in an error of the system that names no file (a full disk), or only the one beside it."""
    try:
        yield
    except OSError as problem:
        if problem.errno is not None and problem.filename in {None, None if beside is None else str(beside)}:
            problem.filename = str(target)
        raise


def _mode(target: Path) -> int | None:
    """The mode of an existing file; None when there is none."""
    try:
        return target.stat().st_mode
    except FileNotFoundError:
        return None


def _sync_directory(directory: Path) -> None:
    """Forces the new name to the disk; where directories cannot be synced (Windows), the rename alone must do."""
    with contextlib.suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
