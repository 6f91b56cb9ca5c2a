"""Where training text comes from: files or an iterable of texts, in batches that fit in memory.

A document is a whole file or one item of an iterable; nothing crosses its end. An iterable is read once and no further
ahead than one batch.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from bytepair.arguments import Text
from bytepair.errors import TrainingError

__all__ = ["Batch", "Counts", "File", "Files", "Text", "batches_of_files", "batches_of_texts", "counted", "find"]

File = str | os.PathLike[str] | IO[str] | IO[bytes]
"""A path, a glob or an open file."""
Files = File | Iterable[File]
Counts = Mapping[str, int] | Mapping[bytes, int] | Mapping[str | bytes, int]
"""Pretokens and how often each occurs."""

BATCH = 8 << 20
"""The characters or bytes that are collected before they are counted."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Some documents that are counted together."""

    documents: list[Text]
    """The documents."""
    name: Callable[[int], str]
    """What the i-th of them is called in an error."""
    size: int
    """Their length, in bytes or, for `str`, characters."""


def batches_of_texts(texts: Iterable[Text]) -> Iterator[Batch]:
    """Batches of an iterable's items.

    >>> [batch.documents for batch in batches_of_texts(iter(["a", b"b"]))]
    [['a', b'b']]

    Raises:
        TypeError: the whole is one text, or an item is none.
    """
    if isinstance(texts, Text):
        raise TypeError(
            f"texts is one {type(texts).__name__}, whose items are no texts\nhint: pass a list of documents: [text]"
        )
    if not isinstance(texts, Iterable):
        raise TypeError(f"texts is of type `{type(texts).__name__}`\nhint: pass an iterable of str or bytes")
    first, size, documents = 0, 0, list[Text]()
    for index, text in enumerate(texts):
        if not isinstance(text, Text):
            raise TypeError(
                f"item {index} of texts is of type `{type(text).__name__}`\nhint: every item is a str or bytes"
            )
        documents.append(text)
        size += len(text)
        if size >= BATCH:
            yield Batch(documents, _numbered(first), size)
            first, size, documents = index + 1, 0, []
    if documents:
        yield Batch(documents, _numbered(first), size)


def _numbered(first: int) -> Callable[[int], str]:
    return lambda index: f"item {first + index} of texts"


def find(files: Files) -> list[Path | IO[Any]]:
    """The files that paths and globs name, each glob's in the order of their names.

    Raises:
        FileNotFoundError: a path that is not there, or a glob that matches nothing.
        IsADirectoryError: a path of a directory.
        TypeError: what is neither a path nor an open file.
    """
    if isinstance(files, (bytes, bytearray)) or files == "":
        kind = "an empty path" if files == "" else f"of type `{type(files).__name__}`"
        raise TypeError(f"files is {kind}\nhint: pass a path as str or Path, a glob, an open file, or a list of them")
    if isinstance(files, (str, os.PathLike)) or not isinstance(files, Iterable) or hasattr(files, "read"):
        return _find_one(files)  # type: ignore[arg-type]
    found = [path for file in files for path in _find_one(file)]
    if not found:
        raise TrainingError("files names no file", "pass a path, a glob, an open file, or a list of them")
    return found


def _find_one(file: File) -> list[Path | IO[Any]]:
    if not isinstance(file, (str, os.PathLike)):
        if hasattr(file, "read"):
            return [file]
        raise _no_file(file)
    path = Path(file)
    if path.is_dir():
        raise IsADirectoryError(f"`{path}` is a directory\nhint: name its files with a glob, such as {path}/**/*.txt")
    if path.exists():
        return [path]
    if not glob.has_magic(str(path)):
        raise FileNotFoundError(f"there is no file `{path}`\nhint: the current directory is {Path.cwd()}")
    names = sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207 - Path.glob refuses absolute patterns
    matches: list[Path | IO[Any]] = [Path(name) for name in names if not Path(name).is_dir()]
    if not matches:
        raise FileNotFoundError(f"no file matches `{path}`\nhint: the current directory is {Path.cwd()}")
    return matches


def _no_file(file: object) -> TypeError:
    kind = type(file).__name__
    return TypeError(f"files holds a `{kind}`\nhint: pass a path, a glob, an open file, or a list of them")


def batches_of_files(files: list[Path | IO[Any]]) -> Iterator[Batch]:
    """Batches of the files' contents, as bytes; what is not UTF-8 stays as it is.

    Raises:
        OSError: a file that cannot be read.
        TypeError: an open file that gives neither str nor bytes.
    """
    size, documents, names = 0, list[Text](), list[str]()
    for file in files:
        name = f"file `{file if isinstance(file, Path) else getattr(file, 'name', file)}`"
        content = file.read_bytes() if isinstance(file, Path) else file.read()
        if not isinstance(content, Text):
            raise TypeError(f"{name} gives `{type(content).__name__}`\nhint: open it for reading text or bytes")
        documents.append(content)
        names.append(name)
        size += len(content)
        if size >= BATCH:
            yield Batch(documents, names.__getitem__, size)
            size, documents, names = 0, [], []
    if documents:
        yield Batch(documents, names.__getitem__, size)


def total_size(files: list[Path | IO[Any]]) -> int | None:
    """The files' bytes together; None if some are no regular files."""
    if not all(isinstance(file, Path) and file.is_file() for file in files):
        return None
    return sum(file.stat().st_size for file in files if isinstance(file, Path))


def counted(counts: Counts) -> Iterator[tuple[str | bytes, int]]:
    """The entries of a table of counts, checked.

    >>> list(counted({"low": 5, b"lower": 2}))
    [('low', 5), (b'lower', 2)]

    Raises:
        TypeError: counts is no mapping, a pretoken is no text, or a count is no integer.
        TrainingError: a count below 0, or above 2^64 - 1.
    """
    if not isinstance(counts, Mapping):
        raise TypeError(f"counts is of type `{type(counts).__name__}`\nhint: pass a mapping of pretokens to counts")
    for pretoken, count in counts.items():
        if not isinstance(pretoken, (str, bytes)):
            raise TypeError(f"counts has a key of type `{type(pretoken).__name__}`\nhint: a pretoken is a str or bytes")
        if isinstance(count, bool) or not hasattr(count, "__index__"):
            raise TypeError(
                f"the count of {pretoken!r} is of type `{type(count).__name__}`\nhint: counts are integers; multiply "
                "fractions by their common denominator"
            )
        number = count.__index__()
        if not 0 <= number < 1 << 64:
            raise TrainingError(f"the count of {pretoken!r} is {number}", "counts are from 0 to 2^64 - 1")
        yield pretoken, number
