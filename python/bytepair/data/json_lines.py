"""A file of JSON lines -> documents: the text of each line's object.

The idea: the file is read a part at a time and cut after its last whole line; pyarrow parses these lines in one go. It
stops at the first thing it does not like and cannot say where, and a line that holds no object may crash it
(apache/arrow#47409). So lines that do not all begin with `{`, or that it refuses, go to Python's parser one by one,
which reads everything that is JSON and names the line that is not. Cost: linear; one part, or the longest line, in
memory.

A row without a text is no document, whether it is null or not there. In the first lines some row must have the field.

Of a large file the lines that begin in a span of bytes may be read alone: all spans together give the whole file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import json as reader

from bytepair.arguments import Text
from bytepair.data import batches
from bytepair.data.batches import Batch, Documents
from bytepair.data.characters import shown
from bytepair.data.columns import Columns, missing
from bytepair.data.options import Options
from bytepair.data.streams import Stream
from bytepair.errors import TextError

__all__ = ["documents"]

_MARK = b"\xef\xbb\xbf"
"""What some programs write at the beginning of UTF-8 files."""


def documents(stream: Stream, options: Options, start: int = 0, stop: int | None = None) -> Iterator[Batch]:
    """The documents of a file, in order; with `stop`, those of the lines that begin from byte `start` to before `stop`.

    Raises:
        TextError: a line that is no JSON object, a field of another type, bytes that are not UTF-8, a missing field.
        OSError: the file cannot be read.
    """
    if stop is not None:
        start = stream.keep_lines(start, stop)
    lines = _Lines(stream.name, options, start)
    for block in _blocks(stream, has_mark=start == 0):
        yield from lines.documents(block, stream.progress())
        del block  # or it would be held while the next one is read


def _blocks(stream: Stream, *, has_mark: bool) -> Iterator[bytes]:
    """The file in pieces that end with a line, each a part or, if that is longer, a line."""
    waiting = list[bytes]()
    is_first = has_mark
    while content := stream.read(batches.PART):
        is_last = len(content) < batches.PART
        if is_first:
            content, is_first = content.removeprefix(_MARK), False
        end = content.rfind(b"\n") + 1 if not is_last else len(content)
        if end:
            yield b"".join((*waiting, content[:end]))
            waiting = []
        waiting.append(content[end:])
    if any(waiting):
        yield b"".join(waiting)


class _Lines:
    """The lines that are still to come."""

    def __init__(self, file: str, options: Options, start: int) -> None:
        self.file = file
        self.options = options
        self.number = 1
        """Of the next line."""
        self.from_byte = f" from byte {start} on" if start else ""
        """Where numbers begin, if that is not the beginning of the file."""
        self.seen = start > 0
        """Whether a row was seen; those at the beginning of the file tell if there is the field."""
        fields = [options.column] if options.source_field is None else [options.column, options.source_field]
        self.schema = pa.schema([(field, pa.string()) for field in fields])

    def documents(self, block: bytes, size: int) -> Iterator[Batch]:
        """Those of some whole lines."""
        first = self.number
        starts = _starts(block)
        lines = len(starts)
        self.number += lines
        table = None
        if (np.frombuffer(block, np.uint8)[starts] == ord("{")).all():
            table = _parsed(block, self.schema)
        if table is None or table.num_rows != lines:
            yield from self._one_by_one(block, first, size)
            return
        texts = table.column(0).combine_chunks()
        if not self.seen and texts.null_count == lines:
            self._check_fields(block, first)
        self.seen = True
        sources = table.column(1).combine_chunks() if self.options.source_field is not None else None
        yield from Columns(texts, sources, self._name(first)).rows(size, self.options)

    def _name(self, first: int) -> Callable[[int], str]:
        return lambda index: f"file `{self.file}`, line {first + index}{self.from_byte}"

    def _check_fields(self, block: bytes, first: int) -> None:
        """That at least one of the first rows has the field of the text."""
        rows = [self._row(line, number) for number, line in _numbered(block, first)]
        if rows and all(self.options.column not in row for row in rows):
            fields = dict.fromkeys(field for row in rows for field in row)
            raise missing(self.options.column, list(fields), f"file `{self.file}`")

    def _one_by_one(self, block: bytes, first: int, size: int) -> Iterator[Batch]:
        """The same, with Python's parser; the rows of each source together."""
        if not self.seen:
            self._check_fields(block, first)
        shares = dict[str | None, _Share]()
        for number, line in _numbered(block, first):
            self.seen = True
            row = self._row(line, number)
            place = self._name(number)(0)
            share = shares.setdefault(self._source(row, place), _Share([], []))
            text = row.get(self.options.column)
            if text is None:
                share.nulls += 1
            else:
                share.texts.append(self._text(text, place))
                share.numbers.append(number)
        if not shares and self.options.source_field is None:
            shares[None] = _Share([], [])
        for source, share in shares.items():
            yield Documents(share.texts, self._names(share.numbers), size, source, share.nulls)
            size = 0

    def _names(self, numbers: list[int]) -> Callable[[int], str]:
        return lambda index: f"file `{self.file}`, line {numbers[index]}{self.from_byte}"

    def _row(self, line: bytes, number: int) -> dict[str, Any]:
        """The object of a line; bytes in it that are not UTF-8 are lone surrogates, as in Python's names of files."""
        how = "replace" if self.options.errors == "replace" else "surrogateescape"
        try:
            row = json.loads(_ESCAPE.sub(_whole, line.decode("utf-8", how)), parse_int=float)
        except (ValueError, RecursionError) as error:
            what = "nested too deep"
            if isinstance(error, json.JSONDecodeError):
                what = f"{error.msg[:1].lower()}{error.msg[1:]}, at character {error.pos}"
            hint = 'mend the line, or pass format="text" if the file is plain text'
            raise TextError(f"{self._name(number)(0)} is no JSON: {what}", hint) from None
        if not isinstance(row, dict):
            hint = "a file of JSON lines has an object on each line"
            raise TextError(f"{self._name(number)(0)} is {_called(row)}, no object", hint)
        return row

    def _text(self, text: object, place: str) -> bytes:
        """The text of a row as `errors` wants it."""
        if not isinstance(text, str):
            what = f"{place}: `{self.options.column}` is {_called(text)}, no string"
            raise TextError(what, "name the field of the texts with text_field=")
        bad = _BYTE.search(text)
        if bad is not None and self.options.errors == "strict":
            raise TextError(
                f"{place}, character {bad.start()} of its text: byte 0x{ord(bad[0]) & 0xFF:02x} is not UTF-8",
                'mend the text, or pass errors="replace" to put U+FFFD there',
            )
        return text.encode("utf-8", "surrogateescape")

    def _source(self, row: dict[str, Any], place: str) -> str | None:
        field = self.options.source_field
        if field is None:
            return None
        source = row.get(field)
        if source is None:
            raise TextError(f"{place} has no `{field}`", "name the source of every row, or leave source_field out")
        if not isinstance(source, str):
            what = f"{place}: `{field}` is {_called(source)}, no string"
            raise TextError(what, "name the field of the sources with source_field=")
        if _BYTE.search(source):
            raise TextError(f"{place}: its source {shown(source)} is not UTF-8", "name sources in UTF-8")
        return source


def _starts(block: bytes) -> NDArray[np.intp]:
    """Where lines begin."""
    ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))
    return np.concatenate([[0], ends[ends < len(block) - 1] + 1])


def _numbered(block: bytes, first: int) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers."""
    for number, line in enumerate(block.split(b"\n"), first):
        if line and not line.isspace():
            yield number, line


@dataclass(slots=True)
class _Share:
    """The rows of one source."""

    texts: list[Text]
    numbers: list[int]
    nulls: int = 0


_BYTE = re.compile("[\udc80-\udcff]")
"""What stands for a byte that is not UTF-8."""
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)", re.DOTALL)
"""An escape in JSON, or two that make one character; group 1: one that is a half of such a pair."""


def _whole(escape: re.Match[str]) -> str:
    """The escape, U+FFFD in place of half a surrogate pair: as everywhere where text is a `str`."""
    return escape[0] if escape[1] is None else "\\ufffd"


_CALLED = {
    bool: "a boolean",
    float: "a number",
    str: "a string",
    list: "an array",
    dict: "an object",
    type(None): "null",
}


def _called(value: object) -> str:
    return _CALLED[type(value)]


def _parsed(block: bytes, schema: pa.Schema) -> pa.Table | None:
    """The fields of some lines as a table; None if pyarrow refuses a line."""
    reading = reader.ReadOptions(block_size=len(block) + 1, use_threads=False)
    parsing = reader.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    try:
        return reader.read_json(pa.py_buffer(block), reading, parsing)
    except (pa.ArrowInvalid, OverflowError):
        return None
