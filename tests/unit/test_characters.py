"""The UTF-8 that the engine reads of a `str` is what Python makes of it, of whatever size its characters are."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytepair import _core

KINDS = {1: "\0a\x7f\x80é\xff", 2: "\0a\x80Ж\u07ff\u0800中\ud7ff\ue000\uffff", 4: "\0a\x80ÿЖ\u0800中🙂\U0010ffff"}
"""Characters that Python stores in so many bytes each, if the text has the last of them."""


def test_every_character_is_read() -> None:
    every = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    for kind in ("", "\xff", "\uffff", "\U0010ffff"):
        text = "".join(character for character in every if character <= (kind or "\x7f")) + kind
        assert _core.raw(text) == text.encode()


@pytest.mark.parametrize("kind", KINDS)
def test_texts_of_every_length_are_read(kind: int) -> None:
    draw = random.Random(kind)
    for length in range(100):
        text = "".join(draw.choices(KINDS[kind], k=length)) + KINDS[kind][-1]
        assert _core.raw(text) == text.encode()
        assert _core.raw(text[::-1]) == text[::-1].encode()


@given(st.text(st.sampled_from("".join(KINDS.values())), max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert _core.raw(text) == text.encode()


@pytest.mark.parametrize("length", range(1, 50))
def test_a_surrogate_anywhere_is_replaced(length: int) -> None:
    for place in range(length):
        for before, after in (("a", "b"), ("é", "中"), ("🙂", "🙂")):
            text = before * place + "\ud800" + after * (length - place)
            assert _core.raw(text) == text.replace("\ud800", "\ufffd").encode()


class Own(str):
    """Somebody's own kind of text."""

    __slots__ = ()

    def encode(self, *_: object) -> bytes:  # type: ignore[override]
        """Nothing that anybody should ask for."""
        raise AssertionError


@pytest.mark.parametrize("text", ["", "ASCII", "é", "中文", "🙂"])
def test_what_is_derived_from_str_is_read(text: str) -> None:
    assert _core.raw(Own(text)) == text.encode()
    assert _core.raw(Own(text)) == _core.raw(text)
