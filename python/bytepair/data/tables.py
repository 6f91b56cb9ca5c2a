"""A column or table of Arrow's -> documents: what pyarrow makes, and what has the Arrow PyCapsule interface.

Data frames and such are not iterated over: their buffers are used. A stream is read as it comes, a batch at a time.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from bytepair.data.arrow import ArrowArray, ArrowStream
from bytepair.data.batches import Batch
from bytepair.data.columns import Columns, missing, text_bytes
from bytepair.data.options import Options
from bytepair.data.texts import numbered

__all__ = ["documents", "total_size"]


def documents(texts: ArrowArray | ArrowStream, options: Options) -> Iterator[Batch]:
    """The documents, in order.

    Raises:
        TextError: a missing column, a column of another type, bytes that are not UTF-8.
    """
    row = 0
    for column, sources in _chunks(texts, options):
        yield from Columns(column, sources, numbered("row", row)).rows(None, options)
        row += len(column)


def _chunks(texts: ArrowArray | ArrowStream, options: Options) -> Iterator[tuple[pa.Array, pa.Array | None]]:
    """The column of texts, and that of sources, in pieces."""
    whole = texts if isinstance(texts, _OWN) else _imported(texts)
    if isinstance(whole, pa.Array) and pa.types.is_struct(whole.type):
        whole = pa.RecordBatch.from_struct_array(whole)
    if isinstance(whole, pa.RecordBatch):
        whole = pa.Table.from_batches([whole])
    if isinstance(whole, pa.Table):
        whole = whole.to_reader()
    if isinstance(whole, pa.RecordBatchReader):
        for batch in whole:
            yield _fields(batch, options)
        return
    for name in ("text_field", "source_field"):
        if getattr(options, name) is not None:
            raise ValueError(f"{name} is a column of a table, but texts is one column\nhint: leave {name}= out")
    for array in [whole] if isinstance(whole, pa.Array) else whole.chunks:
        yield array, None


_OWN = (pa.Array, pa.ChunkedArray, pa.RecordBatch, pa.Table, pa.RecordBatchReader)
"""What is pyarrow's own, and needs no interface between libraries."""


def _imported(texts: ArrowArray | ArrowStream) -> pa.Array | pa.ChunkedArray | pa.RecordBatchReader:
    """A column, or a table that is read as it comes."""
    if not hasattr(texts, "__arrow_c_stream__"):
        return pa.array(texts)
    try:
        return pa.RecordBatchReader.from_stream(texts)
    except (pa.ArrowInvalid, pa.ArrowTypeError, NotImplementedError):  # no table, but a column
        return pa.chunked_array(texts)


def _fields(batch: pa.RecordBatch, options: Options) -> tuple[pa.Array, pa.Array | None]:
    fields = (options.column,) if options.source_field is None else (options.column, options.source_field)
    for field in fields:
        if batch.schema.get_field_index(field) < 0:
            raise missing(field, batch.schema.names, "the table of texts")
    columns = [batch.column(field) for field in fields]
    return columns[0], columns[1] if len(columns) > 1 else None


def total_size(texts: ArrowArray | ArrowStream) -> int | None:
    """What the batches' sizes will add up to, where that is known before."""
    chunks = texts.chunks if isinstance(texts, pa.ChunkedArray) else [texts] if isinstance(texts, pa.Array) else None
    if chunks is None:
        return None
    sizes = [text_bytes(chunk) for chunk in chunks]
    return None if None in sizes else sum(filter(None, sizes))
