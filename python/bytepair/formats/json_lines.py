"""JSON that people and version control can read: one entry a line at the top levels, the rest compact.

The text depends on the data alone. Cost: linear.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

__all__ = ["dump"]

_DEPTH = 2
_LONG = 12


def dump(value: dict[str, object]) -> bytes:
    r"""The document in UTF-8, with a line feed at the end.

    Objects and lists of objects are opened out to the second level, and so are the long ones below it that hold one
    entry for each token.

    >>> print(dump({"model": {"type": "BPE", "vocab": {"é": 0}}}).decode(), end="")
    {
      "model": {
        "type": "BPE",
        "vocab": {"é": 0}
      }
    }
    """
    return ("".join(_lines(value, 0)) + "\n").encode()


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(", ", ": "))


def _opened(value: object, depth: int) -> bool:
    if isinstance(value, dict):
        return bool(value) and (depth < _DEPTH or len(value) > _LONG)
    return isinstance(value, list) and len(value) > 0 and not isinstance(value[0], int | str)


def _lines(value: object, depth: int) -> Iterator[str]:
    if not _opened(value, depth):
        yield _compact(value)
        return
    indent = "  " * (depth + 1)
    entries = (
        ((f"{_compact(key)}: ", item) for key, item in value.items())
        if isinstance(value, dict)
        else (("", item) for item in (value if isinstance(value, list) else []))
    )
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    for i, (key, item) in enumerate(entries):
        yield f"{',' if i else opening}\n{indent}{key}"
        yield from _lines(item, depth + 1)
    yield f"\n{'  ' * depth}{closing}"
