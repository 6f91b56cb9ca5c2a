"""What a file holds: its layout and its compression, from its first bytes and its name.

The first bytes settle what they can (gzip, zstd, Parquet); for the layout of the rest the name does, without the ending
of a compression. What has no known ending is plain text.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Literal, get_args

from bytepair.errors import TextError

__all__ = [
    "HEAD",
    "Compression",
    "Layout",
    "compression_of",
    "layout_of",
    "named_compression",
    "named_layout",
    "needs_arrow",
]

Layout = Literal["text", "jsonl", "parquet"]
Compression = Literal["gzip", "zstd"]
HEAD = 4
"""The bytes at its beginning that tell."""

_MAGIC: dict[Compression, bytes] = {"gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}
_PARQUET = b"PAR1"
_COMPRESSIONS: dict[str, Compression] = {".gz": "gzip", ".gzip": "gzip", ".zst": "zstd", ".zstd": "zstd"}
_LAYOUTS: dict[str, Layout] = {".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
_ARCHIVES = (".tar", ".tgz", ".zip")


def compression_of(name: str, head: bytes, *, was_open: bool) -> Compression | None:
    r"""How a file is compressed that has this name and begins with these bytes.

    What was open may have been opened with `gzip.open`: its name is not that of what it gives.

    >>> compression_of("a.txt.gz", b"\x1f\x8b\x08\x00", was_open=False)
    'gzip'

    Raises:
        TextError: it is named as compressed, and is not.
    """
    found = next((kind for kind, magic in _MAGIC.items() if head.startswith(magic)), None)
    expected = named_compression(name)
    if expected is not None and found is None and not was_open:
        begins = f"begins with {head.hex(' ')}" if head else "is empty"
        raise TextError(f"file `{name}` is no {expected} file: it {begins}", "get it again, or give it another name")
    return found


def named_compression(name: str) -> Compression | None:
    """The compression that a name speaks of.

    >>> named_compression("a.jsonl.zst"), named_compression("a.jsonl")
    ('zstd', None)
    """
    return _COMPRESSIONS.get(_ending(name))


def named_layout(name: str) -> Layout | None:
    """The layout that a name speaks of; None for plain text and endings that say nothing.

    >>> named_layout("a.jsonl.zst"), named_layout("a.txt")
    ('jsonl', None)

    Raises:
        TextError: an archive.
    """
    ending = _ending(name)
    if ending in _COMPRESSIONS:
        name = name[: -len(ending)]
        ending = _ending(name)
    if ending in _ARCHIVES:
        raise TextError(f"file `{name}` is an archive of files", "unpack it")
    return _LAYOUTS.get(ending)


def needs_arrow(name: str) -> bool:
    """Whether a file of this name is read through pyarrow.

    >>> needs_arrow("a.txt"), needs_arrow("a.txt.gz")
    (False, True)
    """
    return _ending(name) in _COMPRESSIONS or named_layout(name) is not None


def layout_of(name: str, head: bytes, format: Layout | None) -> Layout:
    """The layout of a file that has this name and, unpacked, begins with these bytes."""
    if format is not None:
        return format
    named = named_layout(name)
    return "parquet" if head.startswith(_PARQUET) else named or "text"


def checked_format(format: str | None) -> Layout | None:
    """The layout that `format=` names.

    Raises:
        ValueError: it names none.
    """
    if format is None or format in get_args(Layout):
        return format  # type: ignore[return-value]
    names = ", ".join(f'"{name}"' for name in get_args(Layout))
    raise ValueError(
        f"format is {format!r}, but a file is one of {names}\nhint: leave it out to go by names and first bytes"
    )


def _ending(name: str) -> str:
    return PurePosixPath(name).suffix.lower()
