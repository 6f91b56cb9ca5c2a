"""A text in parts has the ids and the count of the whole, on any tokenizer, cut anywhere."""

from __future__ import annotations

import functools
from dataclasses import replace
from itertools import chain
from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp

ENDS = ("<|a|>", "<|a|>>", "é s")
PIECES = [
    b"a",
    b"ab",
    b"aba ",
    b" ",
    b"  ",
    b"\n",
    b"\r\n",
    b"'s",
    b"'LL",
    b"1",
    b"2345",
    b"...",
    b"/",
    b"\xff",
    b"\xf0\x9f",
    "é".encode(),
    "漢字".encode(),
    "ǅ\u0301".encode(),
    b"\x00",
    *(end.encode() for end in ENDS),
    *(end.encode()[:3] for end in ENDS),
]
part = st.one_of(st.lists(st.sampled_from(PIECES), max_size=6).map(b"".join), st.binary(max_size=12))
patterns = st.sampled_from(
    [None, *bp.PATTERNS.values(), r"\s+(?!\S)|\S+", r"a*b|a", r"(?s:a.*z)|.", r"(?<=a)b|.", r"\Aa|.", r"(a)\1|\s"]
)


@functools.cache
def tokenizer(pattern: str | None) -> bp.Tokenizer:
    trained = bp.train(texts=["abab aba  ab 'll 1234 漢字é\r\n"] * 3, num_merges=17, special_tokens=ENDS)
    return bp.Tokenizer.from_parts(replace(trained.parts, pattern=pattern))


@given(st.lists(part, max_size=12), st.integers(1, 120), patterns, st.sampled_from(["all", (), ENDS[:1]]))
def test_parts_are_the_whole(
    parts: list[bytes], copies: int, pattern: str | None, allowed: Literal["all"] | tuple[str, ...]
) -> None:
    """Many copies make texts longer than what waits to be looked at."""
    tok = tokenizer(pattern)
    parts *= copies
    whole = b"".join(parts)
    ids = tok.encode(whole, allowed_special=allowed)
    assert list(chain(*tok.encode_stream(parts, allowed_special=allowed, threads=2))) == ids
    counter, read = tok.counter(allowed_special=allowed), b""
    for index, part in enumerate(parts):
        counter.append(part)
        if index < 12:
            read += part
            assert counter.count == tok.count(read, allowed_special=allowed)
    assert counter.count == len(ids)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), max_size=8), patterns)
def test_parts_may_be_str(parts: list[str], pattern: str | None) -> None:
    tok = tokenizer(pattern)
    assert list(chain(*tok.encode_stream(parts))) == tok.encode("".join(parts))
    counter = tok.counter()
    for part in parts:
        counter.append(part)
    assert counter.count == tok.count("".join(parts))
