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


def dump(value: dict[str, object], errors: str = "strict") -> bytes:
    r"""The document in UTF-8, with a line feed at the end.

    Objects are opened out to the second level, one entry a line, and so are long ones below it and lists of anything
    but numbers and strings. With `errors="backslashreplace"` half of a surrogate pair is written as its escape, as
    JSON spells it too; else it is a `UnicodeEncodeError`.

    >>> print(dump({"model": {"type": "BPE", "vocab": {"é": 0}}}).decode(), end="")
    {
      "model": {
        "type": "BPE",
        "vocab": {"é": 0}
      }
    }
    """
    return ("".join(_lines(value, 0)) + "\n").encode(errors=errors)


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
        yield f"[{indent}{(',' + indent).join(_entries(value))}{end}]"
    else:
        yield _COMPACT.encode(value)


def _entries(values: list[object]) -> list[str]:
    """Each value in compact form."""
    pairs = [value for value in values if isinstance(value, list) and len(value) == 2]  # noqa: PLR2004
    halves = [half for pair in pairs for half in pair]
    if len(pairs) != len(values) or not all(isinstance(half, str) for half in halves):
        return list(map(_COMPACT.encode, values))
    # No line feed stands in a JSON string as it is, so one can part the strings again.
    spelled = json.dumps(halves, ensure_ascii=False, separators=("\n", ":"))[1:-1].split("\n")
    return [f"[{left}, {right}]" for left, right in zip(spelled[::2], spelled[1::2], strict=True)]
