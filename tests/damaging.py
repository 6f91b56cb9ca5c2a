"""Damage: what happens to files, and what somebody who means harm would do to them.

Bytes are cut, flipped, repeated and exchanged; numbers become huge; values of a JSON document get another type, another
place's value (which makes what should be a tree refer to itself), or vanish; lists are nested deeply.
"""

from __future__ import annotations

import copy
import json
import random
import struct
from collections.abc import Callable
from typing import Any

__all__ = ["LONGEST", "damaged"]

LONGEST = 1 << 20
"""No damaged file is longer, in bytes."""

NOISE = (
    *(
        b"",
        b"\n",
        b"\r\n",
        b" ",
        b"\x00",
        b"\xff",
        b"\xef\xbb\xbf",
        b'"',
        b"0",
        b"9" * 30,
        b"-1",
        b"4294967295",
        b"1e999",
    ),
    *(
        b"1e9",
        b"null",
        b"true",
        b"{}",
        b"[[",
        b"</w>",
        b"a b\n",
        b"257 257\n" * 40,
        b"\xed\xa0\x80",
        b'"\\ud800"',
        b"[" * 99,
    ),
    *(struct.pack("<Q", number) for number in (0, 1, 255, 2**31, 2**32, 2**62, 2**64 - 1)),
    *(b"\xff" * 9 + b"\x01", b"\x80" * 12, b"(" * 50, b"{1000000}", b"(?=", b"\\p{", b"|" * 30),
)
ODD: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2**31,
        2**32 - 1,
        2**32,
        10**18,
        10**40,
        1.5,
        -0.0,
        1e308,
        "",
        "a",
        "\ud800",
        "é",
        " ",
    ),
    *("a" * 300, "</w>", "<0x0A>", "\u2581", [], {}, [[]], {"a": {}}, ["a", "b", "c"], [0, 1], {"type": "Sequence"}),
    *("(" * 300, "a{1000000}", "\\p{L}" * 3000, [["a"] * 3] * 3, {"": 0}, {"a": 0, "b": 0}),
)


def damaged(numbers: random.Random, data: bytes) -> bytes:
    """A copy of a file's content that was damaged once or a few times."""
    for _ in range(numbers.choice((1, 1, 1, 2, 3, 6))):
        change = numbers.choice(CHANGES)
        data = change(numbers, data)[:LONGEST]
    return data


def _span(numbers: random.Random, data: bytes) -> tuple[int, int]:
    start = numbers.randint(0, len(data))
    return start, min(len(data), start + numbers.choice((0, 1, 1, 2, 4, 8, 30, 1000)))


def _cut(numbers: random.Random, data: bytes) -> bytes:
    start, _ = _span(numbers, data)
    return data[:start] if numbers.random() < 0.8 else data[start:]


def _flip(numbers: random.Random, data: bytes) -> bytes:
    if not data:
        return data
    at = numbers.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << numbers.randrange(8))]) + data[at + 1 :]


def _replace(numbers: random.Random, data: bytes) -> bytes:
    start, end = _span(numbers, data)
    return data[:start] + numbers.choice(NOISE) + data[end:]


def _repeat(numbers: random.Random, data: bytes) -> bytes:
    start, end = _span(numbers, data)
    return data[:end] + data[start:end] * numbers.choice((1, 2, 50)) + data[end:]


def _move(numbers: random.Random, data: bytes) -> bytes:
    (start, end), (other, _) = _span(numbers, data), _span(numbers, data)
    rest = data[:start] + data[end:]
    return rest[:other] + data[start:end] + rest[other:]


def _lines(numbers: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    one, two = numbers.randrange(len(lines)), numbers.randrange(len(lines))
    lines[one], lines[two] = (
        lines[two],
        numbers.choice((lines[one], lines[two], b"", b" ".join([lines[one], lines[two]]))),
    )
    return b"\n".join(lines)


def _document(numbers: random.Random, data: bytes) -> bytes:
    """Another value somewhere in a JSON document; other files, and what is too deep for Python, as in `_replace`."""
    try:
        return _another_value(numbers, json.loads(data))
    except (ValueError, RecursionError):
        return _replace(numbers, data)


def _another_value(numbers: random.Random, root: Any) -> bytes:
    holder: Any = {"": root}
    key: Any = ""
    places = [(holder, key)]
    while isinstance(holder[key], dict | list) and holder[key] and numbers.random() < 0.85:
        holder = holder[key]
        key = numbers.choice(list(holder)) if isinstance(holder, dict) else numbers.randrange(len(holder))
        places.append((holder, key))
    kind = numbers.random()
    if kind < 0.5:
        holder[key] = copy.deepcopy(numbers.choice(ODD))
    elif kind < 0.7:
        other, place = numbers.choice(places)
        holder[key] = copy.deepcopy(other[place])
    elif kind < 0.85 and holder is not places[0][0]:
        del holder[key]
    elif isinstance(holder, dict) and holder is not places[0][0]:
        holder[numbers.choice(("", "type", "x", key + "x"))] = holder[key]
    made = places[0][0][""]
    return json.dumps(made, ensure_ascii=numbers.random() < 0.5).encode("utf-8", "surrogatepass")


def _nest(numbers: random.Random, data: bytes) -> bytes:
    start, end = _span(numbers, data)
    depth = numbers.choice((10, 900, 5_000, 100_000))
    left, right = numbers.choice(((b"[", b"]"), (b'{"a":', b"}"), (b"(", b")"), (b"(?:", b")*")))
    return data[:start] + left * depth + data[start:end] + right * depth + data[end:]


CHANGES: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    *(_cut, _flip, _flip, _replace, _replace, _repeat, _move, _lines),
    *(_document, _document, _document, _document, _nest),
)
