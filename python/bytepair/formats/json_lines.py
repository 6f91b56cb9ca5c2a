"""JSON that people and version control can read: one entry a line at the top levels, the rest compact.

The text depends on the data alone. Cost: linear; a vocabulary and a list of pairs, which are most of a file, are put
together by the string functions of the standard library.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from json.encoder import encode_basestring
from typing import Final

__all__ = ["dump"]

_DEPTH: Final = 2
_LONG: Final = 12
_COMPACT: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(", ", ": "))


def dump(value: dict[str, object]) -> bytes:
    r"""The document in UTF-8, with a line feed at the end.

    Objects are opened out to the second level, one entry a line, and so are long ones below it and lists of anything
    but numbers and strings.

    >>> print(dump({"model": {"type": "BPE", "vocab": {"é": 0}}}).decode(), end="")
    {
      "model": {
        "type": "BPE",
        "vocab": {"é": 0}
      }
    }
    """
    return ("".join(_lines(value, 0)) + "\n").encode()


def _lines(value: object, depth: int) -> Iterator[str]:
    indent = "\n" + "  " * (depth + 1)
    end = "\n" + "  " * depth
    if isinstance(value, dict) and value and (depth < _DEPTH or len(value) > _LONG):
        if all(isinstance(item, int) for item in value.values()):
            flat = json.dumps(value, ensure_ascii=False, separators=("," + indent, ": "))
            yield f"{{{indent}{flat[1:-1]}{end}}}"
            return
        for i, (key, item) in enumerate(value.items()):
            yield f"{',' if i else '{'}{indent}{encode_basestring(key)}: "
            yield from _lines(item, depth + 1)
        yield end + "}"
    elif isinstance(value, list) and value and not isinstance(value[0], int | str):
        yield f"[{indent}{(',' + indent).join(map(_entry, value))}{end}]"
    else:
        yield _COMPACT.encode(value)


def _entry(item: object) -> str:
    match item:
        case [str(left), str(right)]:
            return f"[{encode_basestring(left)}, {encode_basestring(right)}]"
        case _:
            return _COMPACT.encode(item)
