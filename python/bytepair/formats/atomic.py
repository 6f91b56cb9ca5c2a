"""Writing a file, or several that belong together, whole or not at all.

The idea: write beside the target, force the bytes to the disk, then rename, which replaces the target in one step. A
reader sees the old file or the new one, and a failure (a full disk, an interrupt) leaves the old one and nothing else.
Where the system has files without a name (Linux), the new one gets its own when it is whole: so a process that is
killed leaves nothing either.
A symbolic link stays one: what it points to is replaced. An existing file keeps its permissions. What is no regular
file (a pipe, `/dev/stdout`) cannot be replaced and is simply written to.

Of several files all are on the disk, beside their targets, before the first is renamed; if a later one cannot be, the
earlier ones get their old content back. Two renames are still not one step: a process that is killed just between them
leaves a new file beside an old one.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

__all__ = ["naming", "replacing", "write_all", "write_bytes"]


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


def write_all(contents: Mapping[Path, bytes]) -> None:
    """Writes files that belong together: all of them, or none.

    Args:
        contents: what is written to each path.

    Raises:
        FileNotFoundError: a directory does not exist.
        OSError: what the system says; every file is then as it was before, or the error names one that is not.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     write_all({Path(directory, "a"): b"one", Path(directory, "b"): b"two"})
    ...     Path(directory, "b").read_bytes()
    b'two'
    """
    with contextlib.ExitStack() as temporaries:
        ready: dict[Path, Path] = {}
        straight: dict[Path, bytes] = {}
        for path, data in contents.items():
            target = _target(path)
            if not _is_replaced(target):
                straight[target] = data
                continue
            ready[target] = temporaries.enter_context(_beside(target))
            with _written(ready[target], target) as file, naming(target):
                file.write(data)
        for target, data in straight.items():
            target.write_bytes(data)
        with contextlib.ExitStack() as undo:
            for target, beside in ready.items():
                if len(ready) > 1:
                    undo.callback(_put_back, target, _kept(target, temporaries))
                beside.replace(target)
            undo.pop_all()
    for directory in {target.parent for target in ready}:
        _sync_directory(directory)


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write to, which becomes `path` when all has been written. Errors as `write_bytes`.

    One that replaces another can also be read.
    """
    target = _target(path)
    if not _is_replaced(target):
        with target.open("wb") as file:
            yield file
        return
    with _beside(target) as beside:
        with _written(beside, target) as file:
            yield file
        beside.replace(target)
    _sync_directory(target.parent)


def _target(path: str | os.PathLike[str]) -> Path:
    """The file that is replaced, or what is written to; the name of a pipe behind a link is no path."""
    mode = _mode(Path(path))
    if mode is not None and not stat.S_ISREG(mode):
        return Path(path)
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "There is no such directory to write into", str(target.parent))
    return target


def _is_replaced(target: Path) -> bool:
    mode = _mode(target)
    return mode is None or stat.S_ISREG(mode)


@contextlib.contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A name beside the target; what has it at the end is removed."""
    beside = target.with_name(f".bytepair-{secrets.token_hex(8)}.tmp")
    try:
        yield beside
    finally:
        with contextlib.suppress(OSError):
            beside.unlink()


@contextlib.contextmanager
def naming(target: Path, beside: Path | None = None) -> Iterator[None]:
    """Names `target` in an error of the system that names no file (a full disk), or only the one beside it."""
    try:
        yield
    except OSError as problem:
        if problem.errno is not None and problem.filename in {None, None if beside is None else str(beside)}:
            problem.filename = str(target)
        raise


@contextlib.contextmanager
def _written(beside: Path, target: Path) -> Iterator[BinaryIO]:
    """The new file, which at the end is on the disk and has the permissions of the old one."""
    with naming(target, beside):
        file = _opened(beside)
    try:
        yield file
        with naming(target, beside):
            file.flush()
            os.fsync(file.fileno())
            _give_name(file, beside)
    finally:
        with contextlib.suppress(OSError):  # what could not be written is tried again, and was told of
            file.close()
    mode = _mode(target)
    if mode is not None:
        beside.chmod(stat.S_IMODE(mode))


def _opened(beside: Path) -> BinaryIO:
    """A new file, which need not have its name yet."""
    without_name = getattr(os, "O_TMPFILE", None)  # which a Python that was built for an older Linux lacks, too
    if without_name is not None:
        with contextlib.suppress(OSError):  # not every file system can; what else is wrong is found below
            return os.fdopen(os.open(beside.parent, without_name | os.O_RDWR, 0o666), "w+b")
    return beside.open("x+b")


def _give_name(file: BinaryIO, beside: Path) -> None:
    """Puts the file, all of which is on the disk, under its name, if it has none."""
    handle = file.fileno()
    if beside.exists():  # the number of its names does not tell: there are file systems (FUSE) that always say 0
        return
    try:
        os.link(f"/proc/self/fd/{handle}", beside, src_dir_fd=handle, follow_symlinks=True)
    except OSError:  # a file system that can do the one and not the other; or there is no /proc
        file.seek(0)
        with beside.open("xb") as copy:
            shutil.copyfileobj(file, copy)
            copy.flush()
            os.fsync(copy.fileno())


def _kept(target: Path, temporaries: contextlib.ExitStack) -> Path | None:
    """The old file under a second name; None if there is none."""
    if _mode(target) is None:
        return None
    old = temporaries.enter_context(_beside(target))
    try:
        old.hardlink_to(target)
    except OSError:
        shutil.copy2(target, old)
    return old


def _put_back(target: Path, old: Path | None) -> None:
    """Gives a target its old content back; if it was not replaced yet, this changes nothing."""
    try:
        if old is None:
            target.unlink(missing_ok=True)
        else:
            old.replace(target)
    except OSError as error:
        raise OSError(
            error.errno, "It was written, a file that belongs to it was not, and it could not be put back", str(target)
        ) from error


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
