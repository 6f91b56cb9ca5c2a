"""A column of texts of Arrow's -> a column of their ids; the text is read where it lies and never copied.

The ids of a column with 32-bit offsets are lists with 32-bit offsets, of others large lists: no text has more ids than
bytes, so they always fit, and the type of what comes out depends on nothing but the type of what goes in. A dictionary
is encoded once and its rows point to the ids.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bytepair import _core
from bytepair.data.arrow import ArrowArray, ArrowStream, arrow, is_arrow

__all__ = ["encode"]


def encode(array: ArrowArray | ArrowStream, engine: _core.Tokenizer, threads: int, *options: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    """The ids of a column, as `Tokenizer.encode_arrow` says.

    Raises:
        TypeError: no column of Arrow's; one of another type than texts.
    """
    if not is_arrow(array):
        kind = type(array).__name__
        raise TypeError(f"the array is of type `{kind}`\nhint: pass a column of Arrow's, or use encode_batch")
    pa = arrow("encode_arrow")
    column = _imported(pa, array)
    if not isinstance(column, pa.ChunkedArray):
        return _array(pa, column, _numbered(0), engine, threads, options)
    row, chunks = 0, []
    for chunk in column.chunks:
        chunks.append(_array(pa, chunk, _numbered(row), engine, threads, options))
        row += len(chunk)
    return pa.chunked_array(chunks, type=_list_type(pa, column.type))


def _imported(pa: Any, array: ArrowArray | ArrowStream) -> Any:  # noqa: ANN401
    """The column as pyarrow's own; what another library hands on is not copied."""
    if isinstance(array, (pa.Array, pa.ChunkedArray)):
        return array
    if isinstance(array, (pa.Table, pa.RecordBatch, pa.RecordBatchReader)):
        raise TypeError(f"this is a `{type(array).__name__}`\nhint: pass one of its columns: table['text']")
    try:
        return pa.array(array) if hasattr(array, "__arrow_c_array__") else pa.chunked_array(array)
    except pa.ArrowInvalid as error:  # a table behind the interface
        message = f"`{type(array).__name__}` is no column of Arrow's ({error})\nhint: pass one column"
        raise TypeError(message) from None


def _list_type(pa: Any, kind: Any) -> Any:  # noqa: ANN401
    """The type of the ids of a column of this type.

    Raises:
        TypeError: it is no type of texts.
    """
    if isinstance(kind, pa.BaseExtensionType):
        return _list_type(pa, kind.storage_type)
    if pa.types.is_dictionary(kind):
        return _list_type(pa, kind.value_type)
    if pa.types.is_string(kind) or pa.types.is_binary(kind) or pa.types.is_null(kind):
        return pa.list_(pa.uint32())
    for is_one in ("is_large_string", "is_large_binary", "is_string_view", "is_binary_view", "is_fixed_size_binary"):
        if getattr(pa.types, is_one)(kind):
            return pa.large_list(pa.uint32())
    raise TypeError(f"the array is of type {kind}\nhint: pass strings or binary values")


def _numbered(first: int) -> Callable[[int], str]:
    return lambda index: f"row {first + index} of the array"


def _array(pa: Any, array: Any, place: Callable[[int], str], engine: _core.Tokenizer, threads: int, options: Any) -> Any:  # noqa: ANN401
    """The ids of one array, whose rows are called as `place` says."""
    kind, to = array.type, _list_type(pa, array.type)
    if isinstance(array, pa.ExtensionArray):
        return _array(pa, array.storage, place, engine, threads, options)
    if pa.types.is_null(kind):
        return pa.nulls(len(array), to)
    if pa.types.is_dictionary(kind):
        entry = "entry {} of the array's dictionary".format
        return _array(pa, array.dictionary, entry, engine, threads, options).take(array.indices)
    if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind) or pa.types.is_fixed_size_binary(kind):
        array = array.cast(pa.large_binary())  # the only copy: their texts do not lie end to end
    wide = pa.types.is_large_list(to)
    has_wide = pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type)
    validity, offsets, data = array.buffers()
    ids, ends = _core.encode_column(
        engine,
        _view(offsets, "q" if has_wide else "i"),
        _view(data),
        _view(validity) if validity is not None and array.null_count else None,
        array.offset,
        len(array),
        wide,
        threads,
        place,
        *options,
    )
    count = len(ids) // 4
    values = pa.Array.from_buffers(pa.uint32(), count, [None, pa.py_buffer(ids)])
    places = pa.Array.from_buffers(pa.int64() if wide else pa.int32(), len(array) + 1, [None, pa.py_buffer(ends)])
    lists = pa.LargeListArray if wide else pa.ListArray
    return lists.from_arrays(places, values, mask=array.is_null() if array.null_count else None)


def _view(buffer: Any, format: str = "B") -> memoryview:  # noqa: ANN401
    """A buffer of Arrow's, which nobody changes whatever it says, as items."""
    view = memoryview(b"" if buffer is None else buffer).cast("B").toreadonly()
    width = {"B": 1, "i": 4, "q": 8}[format]
    return view[: len(view) // width * width].cast(format)
