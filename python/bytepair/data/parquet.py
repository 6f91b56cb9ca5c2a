"""A Parquet file -> documents: the rows of one column.

Only the columns that are needed are read, as many rows at a time as make about a part; the bytes of the file are
counted in proportion to its rows. Cost: linear; a page and a few parts in memory, whatever the size of a row group.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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


def documents(stream: Stream, options: Options) -> Iterator[Batch]:
    """The documents of a file, in order.

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
    fields = [options.column] if options.source_field is None else [options.column, options.source_field]
    for field in fields:
        if table.schema_arrow.get_field_index(field) < 0:
            raise missing(field, table.schema_arrow.names, f"file `{stream.name}`")
    rows = table.metadata.num_rows
    done = given = 0
    for batch in _batches(table, fields, stream.name):
        name = _names(stream.name, done)
        done += batch.num_rows
        size = length * done // rows - given
        given += size
        sources = None if options.source_field is None else batch.column(options.source_field)
        yield from Columns(batch.column(options.column), sources, name).rows(size, options)
    if rows == 0 and options.source_field is None:
        yield Documents([], str, length)


def _batches(table: parquet.ParquetFile, fields: list[str], file: str) -> Iterator[RecordBatch]:
    """Batches of rows that hold about a part each."""
    for group in range(table.num_row_groups):
        parts = table.metadata.row_group(group)
        columns = [parts.column(index) for index in range(parts.num_columns)]
        size = sum(column.total_uncompressed_size for column in columns if column.path_in_schema in fields)
        most = min(max(batches.PART * parts.num_rows // max(size, 1), 1), MOST_ROWS)
        with _explained(file):
            yield from table.iter_batches(most, row_groups=[group], columns=fields, use_threads=False)


@contextmanager
def _explained(file: str) -> Iterator[None]:
    """What pyarrow says about a damaged file, with its name."""
    try:
        yield
    except TextError:
        raise
    except (OSError, ValueError) as error:  # pyarrow's own are among them
        if isinstance(error, OSError) and error.errno is not None:
            raise
        why = " ".join(str(error).split())
        raise TextError(f"file `{file}` is no whole Parquet file: {why}", "get it again, or name its format=") from None


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
