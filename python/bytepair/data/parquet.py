"""A Parquet file -> documents: the rows of one column.

Only the columns that are needed are read, as many rows at a time as make about a part; the bytes of the file are
counted in proportion to its rows. Cost: linear; a page and a few parts in memory, whatever the size of a row group.

Of a large file the row groups that begin in a span of its bytes may be read alone, where a group begins at the part of
the bytes that its first row is of the rows: all spans together give the whole file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import accumulate

from pyarrow import RecordBatch, parquet

from bytepair.data import batches
from bytepair.data.batches import Batch, Documents
from bytepair.data.columns import Columns, missing
from bytepair.data.options import Options
from bytepair.data.streams import Stream
from bytepair.errors import TextError

__all__ = ["documents"]

MOST_ROWS = 1 << 13
"""The rows that are read at a time at most; repeated texts may take much less space in the file than in memory."""


def documents(stream: Stream, options: Options, start: int = 0, stop: int | None = None) -> Iterator[Batch]:
    """The documents of a file, in order; with `stop`, those of the row groups that begin in this span of bytes.

    Raises:
        TextError: no Parquet file or a damaged one, a missing column, one of another type, bytes that are not UTF-8.
        OSError: the file cannot be read.
    """
    _check_seekable(stream)
    with _explained(stream.name):
        length = stream.file.seek(0, os.SEEK_END)
        stream.file.seek(0)
        # With pre_buffer, all of a row group's columns would be read at once.
        table = parquet.ParquetFile(
            stream.file, buffer_size=batches.PART, pre_buffer=False, page_checksum_verification=True
        )
        names = table.schema_arrow.names
        rows = table.metadata.num_rows
    fields = [options.column] if options.source_field is None else [options.column, options.source_field]
    for field in fields:
        if names.count(field) != 1:
            raise missing(field, names, f"file `{stream.name}`")
    sizes = [table.metadata.row_group(group).num_rows for group in range(table.num_row_groups)]
    begins = [length * before // max(rows, 1) for before in accumulate(sizes, initial=0)]
    groups = [group for group in range(len(sizes)) if start <= begins[group] and (stop is None or begins[group] < stop)]
    done = sum(sizes[: groups[0]]) if groups else 0
    given, rows_to_come = length * done // max(rows, 1), sum(sizes[group] for group in groups)
    first = done
    for batch in _batches(table, groups, fields, stream.name):
        name = _names(stream.name, done)
        done += batch.num_rows
        size = length * min(done, rows) // max(rows, 1) - given
        given += size
        sources = None if options.source_field is None else batch.column(options.source_field)
        yield from Columns(batch.column(options.column), sources, name).rows(size, options)
    if done - first != rows_to_come or sum(sizes) != rows:
        raise _damaged(stream.name, f"it announces {rows:,} rows, but has {done - first + rows - rows_to_come:,}")
    if rows == 0 and start == 0 and options.source_field is None:
        yield Documents([], str, length)


def _batches(table: parquet.ParquetFile, groups: list[int], fields: list[str], file: str) -> Iterator[RecordBatch]:
    """Batches of rows that hold about a part each."""
    for group in groups:
        parts = table.metadata.row_group(group)
        # Of all columns: what pyarrow has to say of one ends the process if the file is damaged there.
        size = max(parts.total_byte_size, 1)
        most = min(max(batches.PART * parts.num_rows // size, 1), MOST_ROWS)
        with _explained(file):
            yield from table.iter_batches(most, row_groups=[group], columns=fields, use_threads=False)


@contextmanager
def _explained(file: str) -> Iterator[None]:
    """What pyarrow says about a damaged file, with its name."""
    try:
        yield
    except TextError:
        raise
    except (OSError, ValueError, NotImplementedError) as error:  # pyarrow's own are among them
        if isinstance(error, OSError) and error.errno is not None:
            raise
        why = " ".join(str(error).split())
        raise _damaged(file, why) from None


def _damaged(file: str, why: str) -> TextError:
    return TextError(f"file `{file}` is no whole Parquet file: {why}", "get it again, or name its format=")


def _check_seekable(stream: Stream) -> None:
    what = None
    if stream.compression is not None:
        what = f"compressed with {stream.compression}"
    elif not stream.file.seekable():
        what = "read from beginning to end, where its end must come first"
    if what is not None:
        raise TextError(f"file `{stream.name}` is Parquet and {what}", "save it as it is, and give its path")


def _names(file: str, first: int) -> Callable[[int], str]:
    return lambda index: f"file `{file}`, row {first + index}"
