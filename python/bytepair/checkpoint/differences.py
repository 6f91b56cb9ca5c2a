"""What is different between the settings of a checkpoint and those with which somebody goes on, in words."""

from __future__ import annotations

import json
from collections.abc import Mapping

from bytepair.wording import several, shortened

__all__ = ["difference"]


def difference(there: Mapping[str, object], here: Mapping[str, object]) -> str | None:
    """The first thing that is different; None if nothing is.

    >>> difference({"ties": "first"}, {"ties": "lowest"})
    'ties is "first" there, and "lowest" here'
    """
    for key in (*here, *there):
        then, now = there.get(key), here.get(key)
        if then != now:
            if key == "files" and isinstance(then, list) and isinstance(now, list):
                return _of_files(_files(then), _files(now))
            return f"{key} is {_shown(then)} there, and {_shown(now)} here"
    return None


def _files(listed: list[object]) -> list[tuple[object, ...]]:
    """Of each file: its source, name, size and time of change."""
    return [tuple(item) for item in listed if isinstance(item, list)]


def _of_files(there: list[tuple[object, ...]], here: list[tuple[object, ...]]) -> str:
    """Which file has changed, is gone or is new."""
    for old, new in zip(there, here, strict=False):
        if old != new:
            if old[:2] == new[:2]:
                return f"`{new[1]}` has changed since"
            return f"file `{old[1]}` comes there where `{new[1]}` comes here"
    longer, where = (there, "there") if len(there) > len(here) else (here, "here")
    first = longer[min(len(there), len(here))][1]
    return f"there are {several(len(there), 'file')} there and {len(here):,} here; `{first}` is only {where}"


def _shown(value: object) -> str:
    return shortened(json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace").decode())
