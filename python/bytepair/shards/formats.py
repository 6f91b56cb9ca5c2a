"""What a format of shards is, and which there are.

The idea: a format says how ids lie in a file and how it tells where documents end; everything else (what goes into
which shard, hashes, the manifest, reading and checking) is the same for all.

| name | ids | where documents end |
|---|---|---|
| nanogpt | `.bin`: nothing but ids, as nanoGPT's `prepare.py` writes and `train.py` maps them | `documents/*.npy` |
| llm.c | `.bin`: a header of 256 int32 and ids, as llm.c and modded-nanogpt read them | `documents/*.npy` |
| npy | `.npy`: an array of NumPy's | `documents/*.npy` |
| megatron | `.bin`, as nanogpt | `.idx`: MMIDIDX, which Megatron-LM reads |
| parquet | `.parquet`: a row a document, `input_ids: list<uint32>` | `documents/*.npy`, besides the rows themselves |

`documents/*.npy` is an array of uint64: document i of a shard is `ids[ends[i]:ends[i + 1]]`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, Protocol, get_args

import numpy as np

from bytepair.errors import FormatError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Dtype = np.dtype[np.uint16 | np.uint32 | np.int32]
    Ids = NDArray[np.uint16 | np.uint32 | np.int32]
    Offsets = NDArray[np.uint64]

__all__ = [
    "DAMAGED",
    "HEADER",
    "MISSING",
    "NARROW",
    "Format",
    "FormatName",
    "Pen",
    "Stored",
    "check_header",
    "checked",
    "format_of",
    "mapped",
    "npy_header",
    "read_offsets",
    "smallest",
    "written_offsets",
]

FormatName = Literal["nanogpt", "llm.c", "megatron", "npy", "parquet"]
NARROW = 1 << 16
"""The most ids that uint16 can count."""
HEADER = 128
"""The bytes before the numbers of a `.npy` file, as `npy_header` makes them."""
MISSING = "run the command that made the shards again: it makes what is missing"
DAMAGED = f"delete the file and {MISSING}"


class Pen(Protocol):
    """What writes the ids of one shard."""

    def add(self, ids: Ids, ends: NDArray[np.int64]) -> None:
        """Writes ids; documents end before the places `ends` in them."""

    def end(self) -> None:
        """All ids of the shard are written."""

    def drop(self) -> None:
        """The file will not be used, and cannot be written to any more."""


class Stored(Protocol):
    """The ids of one shard, read."""

    def __getitem__(self, span: slice, /) -> Ids:
        """Those from one place up to another."""


class Format(Protocol):
    """How shards lie in files."""

    @property
    def name(self) -> FormatName:
        """What it is called."""

    @property
    def most_tokens(self) -> int:
        """The most ids that a shard can have."""

    def dtype(self, n_vocab: int) -> Dtype:
        """The type of ids below `n_vocab`.

        Raises:
            FormatError: they do not fit.
        """

    def names(self, shard: str) -> tuple[str, str]:
        """The files of a shard: ids, and where documents end."""

    def pen(self, file: BinaryIO, dtype: Dtype) -> Pen:
        """Begins a shard."""

    def offsets(self, offsets: Offsets, dtype: Dtype) -> bytes:
        """The second file, of a shard whose documents lie between these places."""

    def stored(self, path: Path, offsets: Offsets, dtype: Dtype) -> Stored:
        """The ids of a file whose documents lie between these places, mapped or read as they are asked for.

        Raises:
            FormatError: it is not what the format, or the manifest, says.
        """

    def documents(self, path: Path, documents: int, dtype: Dtype) -> Offsets:
        """Between which places so many documents lie, from the second file; errors as `stored`."""


def format_of(name: str) -> Format:
    """The format of a name.

    >>> format_of("megatron").names("000000-000000")
    ('000000-000000.bin', '000000-000000.idx')

    Raises:
        ValueError: there is none.
    """
    if name in {"nanogpt", "llm.c", "npy"}:
        from bytepair.shards import plain  # noqa: PLC0415 - each format when it is needed

        return next(format for format in plain.FORMATS if format.name == name)
    if name == "megatron":
        from bytepair.shards import megatron  # noqa: PLC0415

        return megatron.Megatron()
    if name == "parquet":
        from bytepair.data.arrow import arrow  # noqa: PLC0415

        arrow("shards in Parquet")
        from bytepair.shards import parquet  # noqa: PLC0415

        return parquet.Parquet()
    names = ", ".join(f'"{known}"' for known in get_args(FormatName))
    raise ValueError(f"format is {name!r}\nhint: shards are in one of {names}")


def smallest(n_vocab: int) -> Dtype:
    """uint16 if all ids below `n_vocab` fit, else uint32.

    >>> str(smallest(65_536)), str(smallest(65_537))
    ('uint16', 'uint32')
    """
    return np.dtype(np.uint16 if n_vocab <= NARROW else np.uint32)


def npy_header(count: int, dtype: np.dtype[Any]) -> bytes:
    """What stands before the numbers of an array of one dimension in a `.npy` file, version 1.0: 128 bytes.

    It is written here, and not by NumPy, so that the same array is the same file for every version of NumPy.
    """
    shape = f"{{'descr': '{dtype.newbyteorder('<').str}', 'fortran_order': False, 'shape': ({count},), }}"
    return b"\x93NUMPY\x01\x00\x76\x00" + shape.encode().ljust(117) + b"\n"


def written_offsets(offsets: Offsets) -> bytes:
    """`documents/*.npy`."""
    return npy_header(len(offsets), offsets.dtype) + offsets.astype("<u8").tobytes()


def read_offsets(path: Path, documents: int) -> Offsets:
    """The same, mapped; errors as `Format.stored`."""
    dtype = np.dtype(np.uint64)
    what = f"{documents + 1:,} uint64 in a .npy file"
    with path.open("rb") as file:
        check_header(path, file.read(HEADER), npy_header(documents + 1, dtype), what)
    return mapped(path, documents + 1, dtype, HEADER)


def check_header(path: Path, found: bytes, expected: bytes, what: str) -> None:
    """That a file begins as it should.

    Raises:
        FormatError: it does not.
    """
    if len(found) < len(expected):
        raise FormatError(f"`{path}` is cut short within its header of {len(expected)} bytes", DAMAGED)
    if found != expected:
        place = next(place for place, pair in enumerate(zip(found, expected, strict=True)) if pair[0] != pair[1])
        raise FormatError(
            f"`{path}` does not begin as {what} do: byte {place} of the header is 0x{found[place]:02x}, and should be "
            f"0x{expected[place]:02x}",
            DAMAGED,
        )


def mapped(path: Path, count: int, dtype: np.dtype[Any], offset: int = 0) -> NDArray[Any]:
    """Numbers that lie in a file from an offset to its end, little-endian.

    Raises:
        FormatError: there are more or fewer.
    """
    checked(path.stat().st_size, offset + count * dtype.itemsize, path)
    if not count:  # nothing cannot be mapped
        return np.empty(0, dtype)
    return np.memmap(path, np.dtype(dtype.newbyteorder("<").str), "r", offset, (count,))


def checked(size: int, expected: int, path: Path) -> None:
    """That a file has as many bytes as it should.

    Raises:
        FormatError: it has not.
    """
    if size != expected:
        how = "cut short" if size < expected else "longer than it should be"
        raise FormatError(f"`{path}` is {how}: it has {size:,} bytes, and should have {expected:,}", DAMAGED)
