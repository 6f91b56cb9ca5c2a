"""A column of texts of Arrow's -> a column of their ids; the text is read where it lies and never copied.

The ids of a column with 32-bit offsets are lists with 32-bit offsets, of others large lists: the type of what comes out
depends on nothing but the type of what goes in. (A text has hardly ever more ids than bytes, so they fit; or else it is
an error.) A dictionary is encoded once and its rows point to the ids.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bytepair import _core
from bytepair.data.arrow import ArrowArray, ArrowStream, arrow, is_arrow

__all__ = ["encode"]


def encode(array: ArrowArray | ArrowStream, engine: _core.Tokenizer, threads: int, *options: Any) -> Any:
    """The ids of a column, as `Tokenizer.encode_arrow` says.

    Raises:
        TypeError: no column of Arrow's; one of another type than texts.
    """
    if not is_arrow(array):
        kind = type(array).__name__
        raise TypeError(f"the array is of type `{kind}`\nhint: pass a column of Arrow's, or use encode_batch")
    pa = arrow("encode_arrow")
    encoding = _Encoding(pa, engine, threads, options)
    column = _imported(pa, array)
    if not isinstance(column, pa.ChunkedArray):
        return encoding.lists(column, _numbered(0))
    row, chunks = 0, []
    for chunk in column.chunks:
        chunks.append(encoding.lists(chunk, _numbered(row)))
        row += len(chunk)
    return pa.chunked_array(chunks, type=_list_type(pa, column.type))


def _imported(pa: Any, array: ArrowArray | ArrowStream) -> Any:
    """The column as pyarrow's own; what another library hands on is not copied."""
    if isinstance(array, (pa.Array, pa.ChunkedArray)):
        return array
    if isinstance(array, (pa.Table, pa.RecordBatch, pa.RecordBatchReader)):
        raise TypeError(f"the array is a `{type(array).__name__}`\nhint: pass one of its columns: table['text']")
    return pa.array(array) if hasattr(array, "__arrow_c_array__") else pa.chunked_array(array)


def _list_type(pa: Any, kind: Any) -> Any:
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
    if any(getattr(pa.types, f"is_{name}")(kind) for name in (*_WIDE, *_OTHER)):
        return pa.large_list(pa.uint32())
    raise TypeError(f"the array is of type `{kind}`\nhint: pass a column of strings or bytes")


_WIDE = ("large_string", "large_binary")
_OTHER = ("string_view", "binary_view", "fixed_size_binary")
"""Types whose texts do not lie end to end."""


def _numbered(first: int) -> Callable[[int], str]:
    return lambda index: f"row {first + index} of the array"


@dataclass(frozen=True, slots=True)
class _Encoding:
    """What is done with each array."""

    pa: Any
    engine: _core.Tokenizer
    threads: int
    options: tuple[Any, ...]

    def lists(self, array: Any, place: Callable[[int], str]) -> Any:
        """The ids of one array, whose rows are called as `place` says."""
        pa, kind = self.pa, array.type
        to = _list_type(pa, kind)
        if isinstance(array, pa.ExtensionArray):
            return self.lists(array.storage, place)
        if pa.types.is_null(kind):
            return pa.nulls(len(array), to)
        if pa.types.is_dictionary(kind):
            return self.lists(array.dictionary, "entry {} of the array's dictionary".format).take(array.indices)
        if any(getattr(pa.types, f"is_{name}")(kind) for name in _OTHER):
            array = array.cast(pa.large_binary())
        wide = pa.types.is_large_list(to)
        ids, ends = self._buffers(array, place, wide=wide)
        values = pa.Array.from_buffers(pa.uint32(), len(ids) // 4, [None, pa.py_buffer(ids)])
        places = pa.Array.from_buffers(pa.int64() if wide else pa.int32(), len(array) + 1, [None, pa.py_buffer(ends)])
        mask = array.is_null() if array.null_count else None
        return (pa.LargeListArray if wide else pa.ListArray).from_arrays(places, values, mask=mask)

    def _buffers(self, array: Any, place: Callable[[int], str], *, wide: bool) -> tuple[memoryview, memoryview]:
        """The ids of an array, and the offsets between its rows."""
        validity, offsets, data = array.buffers()
        numbers = _view(offsets)
        return _core.encode_column(
            self.engine,
            numbers[: len(numbers) // 8 * 8].cast("q") if wide else numbers[: len(numbers) // 4 * 4].cast("i"),
            _view(data),
            _view(validity) if validity is not None and array.null_count else None,
            array.offset,
            len(array),
            wide,
            self.threads,
            place,
            *self.options,
        )


def _view(buffer: Any) -> memoryview:
    """The bytes of a buffer of Arrow's, which nobody changes, whatever it says: then the engine copies nothing."""
    return memoryview(b"" if buffer is None else buffer).cast("B").toreadonly()
