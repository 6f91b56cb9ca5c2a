"""Columns of Arrow -> rows, sorted into their sources; the buffers are handed on as they are.

What is not copied: columns of strings and bytes with offsets, which JSON lines and Parquet give. Copied are columns in
other forms (views, dictionaries), rows that were repaired, and those of sources that stand mixed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bytepair._core import first_invalid
from bytepair.data import batches
from bytepair.data.batches import Rows
from bytepair.data.characters import checked, shown
from bytepair.data.options import Options
from bytepair.errors import TextError

__all__ = ["Columns", "missing", "text_bytes"]

_FEW = 20
"""The columns that an error names."""

_Share = tuple[pa.Array, str | None, Callable[[int], str]]
"""Some rows' texts, their source, and what the rows are called."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Some rows: their texts and, where rows name their sources, these."""

    texts: pa.Array
    sources: pa.Array | None
    name: Callable[[int], str]
    """What the i-th row is called in an error."""

    def rows(self, size: int | None, options: Options) -> Iterator[Rows]:
        """The rows in pieces of about a part; the first counts `size` for the progress (None: each its own bytes).

        Raises:
            TextError: a column of another type, bytes that are not UTF-8, a row without a source.
        """
        texts = _plain(self.texts, options.column, self.name)
        sources = self.sources
        if sources is not None:
            sources = _plain(sources, options.source_field or "", self.name)
        for start, length in _pieces(texts):
            piece = texts.slice(start, length)
            name = _moved(self.name, start)
            shares: Iterable[_Share] = [(piece, None, name)]
            if sources is not None:
                shares = _by_source(piece, sources.slice(start, length), name, options.source_field or "")
            for share, source, share_name in shares:
                good = _checked(share, options, share_name)
                yield _of_buffers(good, share_name, text_bytes(share) or 0 if size is None else size, source)
                size = None if size is None else 0


def missing(field: str, fields: list[str], place: str) -> TextError:
    """The error for a column that is not there."""
    there = ", ".join(map(shown, fields[:_FEW])) or "none"
    if len(fields) > _FEW:
        there += f" and {len(fields) - _FEW:,} more"
    return TextError(
        f"{place} has no column `{field}`; it has {there}",
        "name the column of texts with text_field=, of sources with source_field=",
    )


def text_bytes(array: pa.Array) -> int | None:
    """The bytes of a column's texts; None if it has no offsets."""
    kind = array.type
    if kind not in {pa.string(), pa.large_string(), pa.binary(), pa.large_binary()}:
        return None
    offsets = _offsets(array)
    return int(offsets[array.offset + len(array)] - offsets[array.offset]) if len(array) else 0


def _plain(array: pa.Array, field: str, name: Callable[[int], str]) -> pa.Array:
    """The column as strings or bytes with offsets."""
    kind = array.type
    if isinstance(array, pa.ExtensionArray):
        return _plain(array.storage, field, name)
    if pa.types.is_dictionary(kind):
        values = _plain(array.dictionary, field, name)  # of views nothing can be taken
        return pa.DictionaryArray.from_arrays(array.indices, values).dictionary_decode()
    if pa.types.is_string_view(kind) or pa.types.is_null(kind):
        return array.cast(pa.large_string())
    if pa.types.is_binary_view(kind) or pa.types.is_fixed_size_binary(kind):
        return array.cast(pa.large_binary())
    if text_bytes(array) is None:
        raise TextError(f"{name(0)}: column `{field}` is of type `{kind}`", "name a column of strings, or convert it")
    return array


def _offsets(array: pa.Array) -> memoryview:
    wide = array.type in {pa.large_string(), pa.large_binary()}
    width = 8 if wide else 4
    buffer = array.buffers()[1]
    view = _view(buffer)
    return view[: len(view) // width * width].cast("q" if wide else "i")


def _view(buffer: pa.Buffer | None) -> memoryview:
    """The bytes of a buffer of Arrow's, which nobody changes, whatever it says: then the engine copies nothing."""
    return memoryview(b"" if buffer is None else buffer).cast("B").toreadonly()


def _pieces(array: pa.Array) -> Iterator[tuple[int, int]]:
    """Where the rows are cut so that each piece has at most a part's bytes, or is one row."""
    if not len(array):
        return
    first, last = array.offset, array.offset + len(array)
    offsets = np.asarray(_offsets(array))[first : last + 1]
    start = 0
    while start < len(array):
        most = min(int(offsets[start]) + batches.PART, int(offsets[-1]))
        most = offsets.dtype.type(most)  # of another type, the offsets would be copied
        end = max(int(np.searchsorted(offsets, most, side="right")) - 1, start + 1)
        yield start, end - start
        start = end


def _by_source(texts: pa.Array, sources: pa.Array, name: Callable[[int], str], field: str) -> Iterator[_Share]:
    """The rows of each source, in the order in which the sources come."""
    if sources.null_count:
        row = int(np.flatnonzero(sources.is_null().to_numpy(zero_copy_only=False))[0])
        raise TextError(f"{name(row)} has no `{field}`", "name the source of every row, or leave source_field out")
    encoded = sources.cast(pa.large_binary()).dictionary_encode()
    codes = encoded.indices.to_numpy()
    for code, value in enumerate(_values(encoded.dictionary, name, codes)):
        places = np.flatnonzero(codes == code)
        start, length = int(places[0]), len(places)
        if int(places[-1]) == start + length - 1:  # they stand together
            yield texts.slice(start, length), value, _moved(name, start)
        else:
            yield texts.take(places), value, _picked(name, places)


def _values(dictionary: pa.Array, name: Callable[[int], str], codes: NDArray[np.intp]) -> Iterator[str]:
    for code, value in enumerate(dictionary.to_pylist()):
        if first_invalid(value) is not None:
            row = int((codes == code).argmax())
            raise TextError(f"{name(row)}: its source {shown(value)} is not UTF-8", "name sources in UTF-8")
        yield value.decode()


def _moved(name: Callable[[int], str], start: int) -> Callable[[int], str]:
    return lambda index: name(start + index)


def _picked(name: Callable[[int], str], places: NDArray[np.intp]) -> Callable[[int], str]:
    return lambda index: name(int(places[index]))


def _of_buffers(array: pa.Array, name: Callable[[int], str], size: int, source: str | None) -> Rows:
    validity, _, data = array.buffers()
    return Rows(
        offsets=_offsets(array),
        data=_view(data),
        validity=None if validity is None or not array.null_count else _view(validity),
        first=array.offset,
        length=len(array),
        name=name,
        size=size,
        source=source,
        nulls=array.null_count,
    )


def _checked(array: pa.Array, options: Options, name: Callable[[int], str]) -> pa.Array:
    """The rows as `errors` wants them."""
    if options.errors == "bytes" or _is_utf8(array):
        return array
    texts = enumerate(array.cast(pa.large_binary()).to_pylist())
    fixed = [None if text is None else checked(text, options.errors, _place(name, row)) for row, text in texts]
    return pa.array(fixed, pa.large_binary())


def _place(name: Callable[[int], str], row: int) -> Callable[[int], str]:
    return lambda offset: f"{name(row)}, offset {offset} of its text"


def _is_utf8(array: pa.Array) -> bool:
    """Whether all rows are, checked at once: their text is, and no row begins inside a character."""
    data = array.buffers()[2]
    if data is None or not len(array):
        return True
    offsets = np.asarray(_offsets(array))[array.offset : array.offset + len(array) + 1]
    text = _view(data)[int(offsets[0]) : int(offsets[-1])]
    content = bytes(text)
    if content.isascii():
        return True
    if first_invalid(content) is not None:
        return False
    starts = offsets[:-1][offsets[:-1] < offsets[-1]] - offsets[0]
    return not bool(((np.frombuffer(content, np.uint8)[starts] & 0xC0) == 0x80).any())  # noqa: PLR2004 - 10xxxxxx
