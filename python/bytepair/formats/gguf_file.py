"""The metadata of a GGUF file, versions 2 and 3: what stands before the tensors, as keys and values.

Read and written here and not by the `gguf` package: that one makes several objects for each item of an array, and does
not end on a file whose lengths are damaged. The tests hold both directions against it.

Every length is checked against what is left of the file before anything is read, so time and memory are linear in it.

Cost: linear in the metadata; a list of strings is an object a string.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Final

from bytepair.errors import FormatError
from bytepair.formats.strict_json import shown

__all__ = ["MAGIC", "MOST", "Value", "read", "write"]

MAGIC: Final = b"GGUF"
MOST: Final = 64 << 20
"""How many bytes of a file are read: its metadata must lie in them, the tensors behind need not."""

Value = bool | int | float | str | list[int] | list[float] | list[bool] | list[str]
"""A value of the metadata."""

_NUMBERS: Final = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING: Final = 8
_ARRAY: Final = 9
_UINT32: Final = 4
_INT32: Final = 5
_FLOAT32: Final = 6
_BOOL: Final = 7
_KEYS: Final = 65_536
_KEY: Final = 65_535


class _Reader:
    """Bytes that are read from the beginning on."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = len(MAGIC)
        self.order = "<"

    def unpack(self, kind: str, count: int = 1) -> tuple[int | float | bool, ...]:
        size = struct.calcsize(kind) * count
        if size > len(self.data) - self.at:
            raise self.cut(f"{count} values of {struct.calcsize(kind)} bytes")
        found = struct.unpack_from(f"{self.order}{count}{kind}", self.data, self.at)
        self.at += size
        return found

    def length(self) -> int:
        return int(self.unpack("Q")[0])

    def string(self) -> str:
        start = self.at
        length = self.length()
        if length > len(self.data) - self.at:
            raise self.cut(f"a text of {length} bytes")
        content = self.data[self.at : self.at + length]
        self.at += length
        try:
            return content.decode()
        except UnicodeDecodeError:
            raise FormatError(f"the text at byte {start} is no UTF-8", "the file is damaged") from None

    def value(self, key: str) -> Value:
        kind = int(self.unpack("I")[0])
        if kind == _STRING:
            return self.string()
        if kind in _NUMBERS:
            return self.unpack(_NUMBERS[kind])[0]
        if kind != _ARRAY:
            raise FormatError(
                f"the value of {shown(key)}, at byte {self.at - 4}, is of the type {kind}", "types are 0 to 12"
            )
        inner, count = int(self.unpack("I")[0]), self.length()
        if inner in _NUMBERS:
            return list(self.unpack(_NUMBERS[inner], count))
        if inner != _STRING:
            raise FormatError(
                f"{shown(key)} is a list of values of the type {inner}", "lists are of numbers or of texts"
            )
        if count > (len(self.data) - self.at) // 8:
            raise self.cut(f"a list of {count} texts")
        return [self.string() for _ in range(count)]

    def cut(self, what: str) -> FormatError:
        return FormatError(
            f"at byte {self.at} there should be {what}, and {len(self.data) - self.at} bytes are left",
            f"the file is cut off or damaged, or its metadata does not lie in the first {MOST >> 20} MiB",
        )


def read(data: bytes) -> dict[str, Value]:
    """The metadata of a file's content, of which the tensors may be missing.

    Raises:
        FormatError: no GGUF, another version; what is cut off or damaged, and where.

    >>> read(write({"general.name": "a", "x.list": ["b", "c"], "x.number": 7}))
    {'general.name': 'a', 'x.list': ['b', 'c'], 'x.number': 7}
    """
    if not data.startswith(MAGIC):
        raise FormatError(f"it begins with {data[:4]!r}", "a GGUF file begins with b'GGUF'")
    reader = _Reader(data)
    version = int(reader.unpack("I")[0])
    if version & 0xFFFF == 0:
        reader.order, version = ">", version >> 24
    if version not in (2, 3):
        raise FormatError(f"the version is {version}", "versions 2 and 3 are read")
    reader.length()  # the number of tensors
    count = reader.length()
    if count > _KEYS:
        raise FormatError(f"there are {count} keys", f"{_KEYS} are read; the file is damaged")
    found: dict[str, Value] = {}
    for _ in range(count):
        start = reader.at
        key = reader.string()
        if key in found or len(key) > _KEY:
            raise FormatError(
                f"the key at byte {start} stands twice or is too long: {shown(key[:60])}", "it is damaged"
            )
        found[key] = reader.value(key)
    return found


def write(metadata: Mapping[str, bool | int | str | Sequence[str] | Sequence[int] | Sequence[float]]) -> bytes:
    """The content of a file with metadata and no tensors."""
    parts = [MAGIC, struct.pack("<IQQ", 3, 0, len(metadata))]
    for key, value in metadata.items():
        parts.append(_string(key))
        if isinstance(value, bool):
            parts.append(struct.pack("<I?", _BOOL, value))
        elif isinstance(value, int):
            parts.append(struct.pack("<II", _UINT32, value))
        elif isinstance(value, str):
            parts.append(struct.pack("<I", _STRING) + _string(value))
        elif all(isinstance(item, str) for item in value):
            parts.append(struct.pack("<IIQ", _ARRAY, _STRING, len(value)))
            parts += [_string(str(item)) for item in value]
        elif all(isinstance(item, float) for item in value):
            parts.append(struct.pack(f"<IIQ{len(value)}f", _ARRAY, _FLOAT32, len(value), *value))
        else:
            parts.append(struct.pack(f"<IIQ{len(value)}i", _ARRAY, _INT32, len(value), *value))
    content = b"".join(parts)
    return content + bytes(-len(content) % 32)


def _string(text: str) -> bytes:
    content = text.encode()
    return struct.pack("<Q", len(content)) + content
