"""Which files paths, globs, addresses and open files name.

Everything is looked up before anything is read, so that a wrong name is found at once. A path of this machine needs
nothing but Python; an address (`s3://`, `gs://`, `file://`) is resolved by pyarrow's file systems, or, where it knows
none of that kind, by those of fsspec.
"""

from __future__ import annotations

import glob
import os
import re
import string
import sys
import urllib.parse
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeGuard

from bytepair.data.arrow import arrow, imported
from bytepair.errors import TextError

__all__ = [
    "File",
    "FileName",
    "Files",
    "check_apart",
    "find",
    "is_address",
    "is_of_library",
    "is_of_system",
    "reading",
    "system_of",
    "unreachable",
    "without_keys",
]

FileName = str | os.PathLike[str] | IO[str] | IO[bytes]
"""A path, a glob, an address or an open file."""
Files = FileName | Iterable[FileName]
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_MAGIC = re.compile(r"[*\[]")
"""What makes a glob of an address; a question mark begins its options."""


@dataclass(frozen=True, slots=True)
class File:
    """One file that can be read."""

    name: str
    """What it is called in an error."""
    size: int | None
    """Its bytes; None if that is not known."""
    again: bool
    """Whether it can be read more than once."""
    changed: int | None
    """When it was last changed, in nanoseconds since 1970; None if that is not known."""
    open: Callable[[], AbstractContextManager[IO[Any]]]
    """Opens it for reading; what was open before is not closed at the end."""
    was_open: bool = False
    """Whether it came open; then its name need not be that of what it gives."""
    address: str | None = None
    """What `find` finds it by in another process; None if nothing does."""


def find(files: Files) -> list[File]:
    """The files that these names stand for, each glob's in the order of their names.

    Raises:
        FileNotFoundError: a path that is not there, or a glob that matches nothing.
        IsADirectoryError: a path of a directory.
        TypeError: what is neither a path nor an open file.
        TextError: a list without files.
        ImportError: an address, and pyarrow is not installed.
    """
    if isinstance(files, (bytes, bytearray)) or files == "":
        kind = "an empty path" if files == "" else f"of type `{type(files).__name__}`"
        raise TypeError(f"files is {kind}\nhint: pass a path as str or Path, a glob, an open file, or a list of them")
    if isinstance(files, (str, os.PathLike)) or not isinstance(files, Iterable) or hasattr(files, "read"):
        return list(_find_one(files))  # type: ignore[arg-type]
    found = [found for file in files for found in _find_one(file)]
    if not found:
        raise TextError("files names no file", "pass a path, a glob, an open file, or a list of them")
    return found


def check_apart(found: Iterable[File], out: str | os.PathLike[str]) -> None:
    """That a file which is about to be written is none of those that are read.

    Raises:
        ValueError: it is one of them.
    """
    try:
        written = os.stat(out)  # noqa: PTH116 - a name may hold any bytes
    except OSError:  # there is none yet
        return
    for file in found:
        if file.size == written.st_size and not file.was_open and _is_file(file.name, written):
            raise ValueError(
                f"`{os.fspath(out)}` is to be written, and is one of the files that are read\n"
                "hint: write it elsewhere, or name the files so that it is none of them"
            )


def _is_file(name: str, known: os.stat_result) -> bool:
    """Whether a file of this machine is that one, whatever links and letter cases its name goes through."""
    path = name.removeprefix("file://")
    try:
        return not is_address(path) and os.path.samestat(os.stat(path), known)  # noqa: PTH116
    except OSError:
        return False


def _find_one(file: FileName) -> Iterator[File]:
    if not isinstance(file, (str, os.PathLike)):
        yield _open_file(file)
    elif is_address(file):
        yield from _addresses(file)
    else:
        yield from _paths(Path(file))


def is_address(file: FileName) -> TypeGuard[str]:
    """Whether it is an address, and no path.

    >>> is_address("s3://bucket/a.txt"), is_address("a.txt")
    (True, False)
    """
    return isinstance(file, str) and _ADDRESS.match(file) is not None


def without_keys(address: str) -> str:
    """The address as it may be shown: without its options, and what stands before an @, which may be keys.

    >>> without_keys("s3://key:secret@bucket/a.txt?region=x")
    's3://bucket/a.txt'
    """
    return re.sub(r"://[^/]*@", "://", address.partition("?")[0])


def system_of(address: str) -> tuple[Any, str]:
    """The file system of an address, as pyarrow has them, and the path in it.

    Raises:
        TextError: it cannot be reached.
        ImportError: pyarrow is not installed, or what fsspec needs for it.
    """
    shown = without_keys(address)
    fs = arrow(f"`{shown}`", ".fs")
    try:
        try:  # pyarrow refuses what is no letter of ASCII, a space among them; what is quoted stays so
            system, path = fs.FileSystem.from_uri(urllib.parse.quote(address, safe=string.punctuation))
        except ValueError as error:
            if "Unrecognized filesystem type" not in str(error):
                raise
            imported("fsspec", f"`{shown}`", "'bytepair[far]'")
            system, path = fs.FileSystem.from_uri(f"fsspec+{address}")
    except ImportError as error:  # of fsspec, which knows what this kind of address needs
        if "\nhint: " in str(error):
            raise
        raise ImportError(f"`{shown}`: {error}\nhint: install with pip what it names") from None
    except Exception as error:
        if not is_of_system(error):
            raise
        raise unreachable(address, error) from None
    return system, path


def is_of_system(error: Exception) -> bool:
    """Whether a file system may raise it that is spoken to; pyarrow's own errors are among these."""
    return isinstance(error, (OSError, ValueError, NotImplementedError)) or is_of_library(error)


def is_of_library(error: Exception) -> bool:
    """Whether it is of a library that nothing but a file system speaks to, as those of fsspec: it may be anything."""
    return _is_far(type(error).__module__)


def _is_far(module: str) -> bool:
    near = {"bytepair", "pyarrow", "numpy", *sys.stdlib_module_names}
    return module == "http.client" or module.partition(".")[0] not in near


def _is_raised_by_library(error: Exception) -> bool:
    """Whether the code of such a library raised it, whatever it is."""
    frame, module = error.__traceback__, ""
    while frame is not None:
        module = str(frame.tb_frame.f_globals.get("__name__"))
        frame = frame.tb_next
    return _is_far(module)


@contextmanager
def reading(file: File) -> Iterator[None]:
    """Reads a file: what a library of its file system raises names it.

    Raises:
        TextError: it raised something.
    """
    try:
        yield
    except Exception as error:
        is_theirs = is_of_library(error) or (not isinstance(error, OSError) and _is_raised_by_library(error))
        if file.address is None or not is_address(file.address) or not is_theirs:
            raise
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise TextError(f"file `{file.name}` cannot be read: {why}", "try again") from None


def unreachable(address: str, error: Exception) -> TextError:
    """The error for an address, of which a file system says what is wrong."""
    shown = without_keys(address)
    why = " ".join(str(error).replace(address, shown).split()) or f"{type(error).__name__}, and nothing more is said"
    return TextError(f"`{shown}` cannot be reached: {why}", "check the address, and your rights there")


def _open_file(file: IO[Any]) -> File:
    if not hasattr(file, "read"):
        kind = type(file).__name__
        raise TypeError(f"files holds a `{kind}`\nhint: pass a path, a glob, an open file, or a list of them")
    name = getattr(file, "name", None)
    shown = f"<{type(file).__name__}>" if name is None else str(name)
    return File(shown, None, again=False, changed=None, open=lambda: nullcontext(file), was_open=True)


def _paths(path: Path) -> Iterator[File]:
    if path.is_dir():
        raise IsADirectoryError(f"`{path}` is a directory\nhint: name its files with a glob, such as {path}/**/*.txt")
    if path.exists():
        yield _path(path)
        return
    if not glob.has_magic(str(path)):
        raise FileNotFoundError(f"there is no file `{path}`\nhint: the current directory is {Path.cwd()}")
    names = sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207 - Path.glob refuses absolute patterns
    matches = [Path(name) for name in names if not Path(name).is_dir()]
    if not matches:
        raise FileNotFoundError(f"no file matches `{path}`\nhint: the current directory is {Path.cwd()}")
    yield from map(_path, matches)


def _path(path: Path) -> File:
    regular = path.is_file()
    stat = path.stat()
    size, changed = (stat.st_size, stat.st_mtime_ns) if regular else (None, None)
    return File(
        str(path),
        size,
        again=regular,
        changed=changed,
        open=lambda: path.open("rb", buffering=0),
        address=str(path.absolute()) if regular else None,
    )


def _addresses(address: str) -> Iterator[File]:
    whole, mark, options = address.partition("?")
    shown = without_keys(address)
    fs = arrow(f"`{shown}`", ".fs")
    magic = _MAGIC.search(whole)
    folder = whole[: whole.rindex("/", 0, magic.start())] if magic else whole
    rest = whole[len(folder) + 1 :]
    matches = _matcher(rest)
    system, base = system_of(folder + mark + options)
    try:
        exact = system.get_file_info(base if magic is None else f"{base}/{rest}")
        if magic is None or exact.type == fs.FileType.File:  # what exists under a name is that, as on this machine
            entries = [exact]
        else:
            listed = system.get_file_info(fs.FileSelector(base, allow_not_found=True, recursive="/" in rest))
            entries = [one for one in listed if one.is_file and matches(one.path.removeprefix(base).lstrip("/"))]
    except Exception as error:
        if not is_of_system(error):
            raise
        raise unreachable(address, error) from None
    if not entries or entries[0].type == fs.FileType.NotFound:
        what = "no file matches" if magic else "there is no file"
        raise FileNotFoundError(f"{what} `{shown}`\nhint: check the address")
    scheme, keys = re.match(r"(.*?://)([^/]*@)?", whole).groups("")  # type: ignore[union-attr]
    for entry in sorted(entries, key=lambda entry: str(entry.path)):
        if entry.type == fs.FileType.Directory:
            raise IsADirectoryError(
                f"`{shown}` is a directory\nhint: name its files with a glob, such as {shown}/*.txt"
            )
        if entry.size is None:  # a listing need not say it
            entry = system.get_file_info(entry.path)  # noqa: PLW2901
        if is_address(entry.path):  # of fsspec's file systems some have whole addresses for paths
            yield _remote(system, entry, without_keys(entry.path), entry.path)
            continue
        is_quoted = not system.type_name.startswith("py::")  # pyarrow's own addresses are, those of fsspec are not
        path = urllib.parse.quote(entry.path) if is_quoted else entry.path
        yield _remote(system, entry, scheme + entry.path, f"{scheme}{keys}{path}{mark}{options}")


def _remote(system: Any, entry: Any, shown: str, address: str) -> File:  # noqa: ANN401 - pyarrow has no types
    return File(
        shown,
        entry.size,
        again=True,
        changed=entry.mtime_ns,
        open=lambda: system.open_input_file(entry.path),
        address=address,
    )


def _matcher(pattern: str) -> Callable[[str], object]:
    """What says whether a path below a folder matches a glob: `*` stays in one folder, `**` does not."""
    pieces = re.split(r"(\*\*/|\*+|\[!?\]?[^]]*\])", pattern)
    named = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}

    def translated(piece: str) -> str:
        if piece.startswith("[") and piece.endswith("]"):
            inner = re.sub(r"([\\[^&~|])", r"\\\1", piece[1:-1].removeprefix("!"))
            return f"[^/{inner}]" if piece[1] == "!" else f"[{inner}]"
        return named.get(piece) or re.escape(piece)

    try:
        return re.compile("".join(map(translated, pieces)), re.DOTALL).fullmatch
    except re.error as error:
        raise TextError(f"`{pattern}` is no glob: {error}", "mend what stands between [ and ]") from None
