"""Where the files of one tokenizer lie: most formats have one, a pair has another beside it, a folder has several."""

from __future__ import annotations

import os
from pathlib import Path

from bytepair.errors import FormatError
from bytepair.formats import gpt2
from bytepair.formats.kinds import Kind

__all__ = ["both", "files", "is_folder", "is_merges_of_pair", "other_of"]


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether a path is that of a folder, which need not be there if the path ends like one."""
    named = os.fspath(path)
    return named != "" and (named.endswith(("/", os.sep)) or Path(named).is_dir())


def files(kind: Kind, path: str | os.PathLike[str]) -> tuple[Path, ...]:
    """The files in which a tokenizer is written whose path is this one.

    >>> from bytepair.formats.kinds import known
    >>> [file.name for file in files(known("gpt2"), "a/x-merges.txt")]
    ['x-vocab.json', 'x-merges.txt']
    """
    here = Path(path)
    if kind.name != "gpt2":
        return (here,)
    other = here.with_name(gpt2.companions(here.name)[0])
    return (here, other) if here.suffix.lower() == ".json" else (other, here)


def other_of(path: str | os.PathLike[str]) -> Path | None:
    """The other file of a pair that is there; None if there is none."""
    here = Path(path)
    names = gpt2.companions(here.name)
    return next((found for name in names if (found := here.with_name(name)) != here and found.is_file()), None)


def is_merges_of_pair(path: str | os.PathLike[str]) -> bool:
    """Whether a file is called like a `merges.txt`, which without its `vocab.json` would be read with other ids."""
    return Path(path).name.lower().endswith(("merges.txt", "vocab.bpe"))


def both(path: str | os.PathLike[str] | None, data: bytes) -> tuple[bytes, bytes]:
    """The contents of `vocab.json` and of `merges.txt`, of which `data` is one and was read from `path`.

    Raises:
        FormatError: the other is not there.
        OSError: it cannot be read.
    """
    other = None if path is None else other_of(path)
    if other is None:
        merges = gpt2.is_merges(data)
        name = "vocab.json" if merges else "merges.txt"
        raise FormatError(
            f"it is one of two files, and there is no `{name}` beside it",
            f"put the `{name}` of this tokenizer there"
            + (', or say format="subword-nmt" if it holds codes of that program' if merges else ""),
        )
    content = other.read_bytes()
    if gpt2.is_merges(content) == gpt2.is_merges(data):
        raise FormatError(f"it and `{other.name}` are of the same kind", "a pair is a vocab.json and a merges.txt")
    return (content, data) if gpt2.is_merges(data) else (data, content)
