"""Shards as Parquet: a row a document, its ids in the column `input_ids`, a list of uint32.

The idea: rows are written in groups of a few hundred thousand ids, so that a part of a shard is read without the rest.
What is in memory is a group, or the longest document.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from bytepair.errors import FormatError
from bytepair.shards.formats import DAMAGED, FormatName, Stored, read_offsets, written_offsets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bytepair.shards.formats import Dtype, Ids, Offsets

__all__ = ["COLUMN", "Parquet"]

COLUMN = "input_ids"
GROUP = 1 << 18
"""The ids from which on a group of rows ends."""
_MOST = 2**31 - 1
"""What the offsets of a list can count."""
_SCHEMA = pa.schema([pa.field(COLUMN, pa.list_(pa.field("item", pa.uint32(), nullable=False)), nullable=False)])


class _Pen:
    """Writes rows."""

    def __init__(self, file: BinaryIO) -> None:
        self._writer = parquet.ParquetWriter(file, _SCHEMA, compression="zstd")
        self._ids: list[Ids] = []
        self._ends: list[NDArray[np.int64]] = []
        self._waiting = 0
        """The ids that wait to be written."""
        self._whole = 0
        """Those of them that belong to documents which have ended."""

    def add(self, ids: Ids, ends: NDArray[np.int64]) -> None:
        """Takes ids; what makes whole groups is written."""
        self._ids.append(ids.astype(np.uint32))
        self._ends.append(ends + self._waiting)
        if len(ends):
            self._whole = self._waiting + int(ends[-1])
        self._waiting += len(ids)
        if self._whole >= GROUP:
            self._write(GROUP)

    def end(self) -> None:
        """Writes the rest."""
        self._write(0)
        self._writer.close()

    def drop(self) -> None:
        """Nothing is written any more: pyarrow would do it when the writer is forgotten."""
        self._writer.is_open = False

    def _write(self, least: int) -> None:
        """Writes groups as long as documents that have ended have so many ids."""
        ids, ends = _joined(self._ids, np.uint32), _joined(self._ends, np.int64)
        first = start = 0
        while first < len(ends) and ends[-1] - start >= least:
            last = min(int(np.searchsorted(ends, start + GROUP)) + 1, len(ends))
            offsets = np.concatenate([[start], ends[first:last]]) - start
            self._write_group(ids[start : int(ends[last - 1])], offsets)
            first, start = last, int(ends[last - 1])
        self._ids, self._ends = [ids[start:]], [ends[first:] - start]
        self._waiting -= start
        self._whole -= start

    def _write_group(self, ids: Ids, offsets: NDArray[np.int64]) -> None:
        if offsets[-1] > _MOST:
            raise FormatError(
                f"rows of a group have {int(offsets[-1]):,} tokens together, and in Parquet at most {_MOST:,}",
                "cut the files into documents with separator=",
            )
        kind = _SCHEMA.field(0).type
        column = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(ids), type=kind)
        self._writer.write_table(pa.table([column], schema=_SCHEMA), row_group_size=len(column))


def _joined(arrays: list[Any], dtype: type) -> Any:  # noqa: ANN401 - of either kind
    return np.concatenate([np.empty(0, dtype), *arrays])


class _Groups:
    """The ids of a file; the group that was read last is kept."""

    def __init__(self, file: parquet.ParquetFile, offsets: Offsets, path: Path) -> None:
        self._file, self._path = file, path
        rows = [file.metadata.row_group(group).num_rows for group in range(file.metadata.num_row_groups)]
        if sum(rows) != len(offsets) - 1:
            raise FormatError(f"`{path}` has {sum(rows):,} rows, and should have {len(offsets) - 1:,}", DAMAGED)
        self._starts = offsets[np.cumsum([0, *rows])].astype(np.int64)
        self._kept: tuple[int, Ids] = (-1, np.empty(0, np.uint32))

    def __getitem__(self, span: slice) -> Ids:
        start, stop, _ = span.indices(int(self._starts[-1]))
        first = max(int(np.searchsorted(self._starts, start, side="right")) - 1, 0)
        pieces: list[Ids] = [np.empty(0, np.uint32)]
        for group in range(first, len(self._starts) - 1):
            begin = int(self._starts[group])
            if begin >= stop:
                break
            pieces.append(self._group(group)[max(start - begin, 0) : stop - begin])
        return np.concatenate(pieces)

    def _group(self, group: int) -> Ids:
        kept, ids = self._kept
        if kept == group:
            return ids
        try:
            column = self._file.read_row_group(group, columns=[COLUMN], use_threads=False).column(0)
        except (OSError, ValueError) as error:  # pyarrow's own are among them
            raise _damaged(self._path, error) from None
        ids = np.concatenate([np.empty(0, np.uint32), *(chunk.flatten().to_numpy() for chunk in column.chunks)])
        expected = int(self._starts[group + 1] - self._starts[group])
        if len(ids) != expected:
            raise FormatError(
                f"group {group} of `{self._path}` has {len(ids):,} ids, and should have {expected:,}", DAMAGED
            )
        self._kept = (group, ids)
        return ids


def _damaged(path: Path, error: Exception) -> FormatError:
    return FormatError(f"`{path}` is no whole Parquet file: {' '.join(str(error).split())}", DAMAGED)


@dataclass(frozen=True, slots=True)
class Parquet:
    """The format."""

    name: FormatName = "parquet"
    most_tokens: int = 2**63 - 1

    def dtype(self, n_vocab: int) -> Dtype:
        """uint32: packed, it takes no more room than uint16."""
        del n_vocab
        return np.dtype(np.uint32)

    def names(self, shard: str) -> tuple[str, str]:
        """Rows, and where they end."""
        return f"{shard}.parquet", f"documents/{shard}.npy"

    def pen(self, file: BinaryIO, dtype: Dtype) -> _Pen:
        """What writes rows."""
        del dtype
        return _Pen(file)

    def offsets(self, offsets: Offsets, dtype: Dtype) -> bytes:
        """As of the plain formats."""
        del dtype
        return written_offsets(offsets)

    def stored(self, path: Path, offsets: Offsets, dtype: Dtype) -> Stored:
        """Groups of rows, read as they are asked for."""
        del dtype
        try:
            file = parquet.ParquetFile(path, pre_buffer=False, page_checksum_verification=True)
        except (OSError, ValueError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise _damaged(path, error) from None
        if file.schema_arrow.names != [COLUMN] or file.schema_arrow.field(0).type != _SCHEMA.field(0).type:
            raise FormatError(f"`{path}` has other columns than `{COLUMN}`, a list of uint32", DAMAGED)
        return _Groups(file, offsets, path)

    def documents(self, path: Path, documents: int, dtype: Dtype) -> Offsets:
        """As of the plain formats."""
        del dtype
        return read_offsets(path, documents)
