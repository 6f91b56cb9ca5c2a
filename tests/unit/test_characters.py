"""What the engine reads of a `str`, and the `str` that it makes, are what Python makes of any characters."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
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

    def encode(self, *_: object) -> bytes:
        """Nothing that anybody should ask for."""
        raise AssertionError


@pytest.mark.parametrize("text", ["", "ASCII", "é", "中文", "🙂"])
def test_what_is_derived_from_str_is_read(text: str) -> None:
    assert _core.raw(Own(text)) == text.encode()
    assert _core.raw(Own(text)) == _core.raw(text)


BYTES = bp.Tokenizer.from_parts(bp.Parts(tokens=tuple((byte, bytes([byte])) for byte in range(256)), merges=()))
"""Each byte is a token: it decodes to what its ids are."""


def made(content: bytes) -> str:
    """A text that the engine made."""
    return BYTES.decode(list(content))


def assert_is(text: str, expected: str) -> None:
    """Equal in all that Python keeps of a text."""
    assert text == expected
    assert hash(text) == hash(expected)
    assert {expected: 1}[text] == 1
    assert sys.getsizeof(text) == sys.getsizeof(expected)
    assert (text.isascii(), max(text), text[::-1]) == (expected.isascii(), max(expected), expected[::-1])


@pytest.mark.parametrize("rare", ["", "é", "ÿ\x80", "’", "\u0100", "中\uffff", "🙂", "é中🙂"])
def test_texts_of_every_kind_are_made(rare: str) -> None:
    for length in (1, 255, 256, 257, 319, 320, 1000, 70_000):
        for text in ("x" * length + rare, rare + "x" * length, "x" * (length // 2) + rare + "y" * length + rare):
            again = text.encode().decode()  # of its own, so that neither has been asked for its hash
            assert_is(made(text.encode()), again)


@given(st.lists(st.tuples(st.integers(0, 200), st.sampled_from("".join(KINDS.values()))), max_size=20))
def test_any_text_is_made(parts: list[tuple[int, str]]) -> None:
    text = "start" + "".join("-" * plain + character for plain, character in parts)
    assert_is(made(text.encode()), text.encode().decode())


@pytest.mark.parametrize("wrong", [b"\x80", b"\xc0\x80", b"\xed\xa0\x80", b"\xe2\x80", b"\xf5\x80\x80\x80", b"\xff"])
def test_what_is_not_text_is_replaced_as_python_does(wrong: bytes) -> None:
    for content in (b"x" * 400 + wrong, wrong + b"y" * 400, b"x" * 300 + wrong + b"y" * 300):
        assert made(content) == content.decode(errors="replace")
        with pytest.raises(UnicodeDecodeError):
            BYTES.decode(list(content), errors="strict")


def test_making_texts_changes_no_other() -> None:
    before = [" ", "é", "中", "🙂", " " * 300, "中" * 300]
    for rare in ("", "é", "中", "🙂"):
        assert made(("x" * 299 + rare).encode()).startswith("xxx")
    assert before == [chr(32), chr(0xE9), chr(0x4E2D), chr(0x1F642), chr(32) * 300, chr(0x4E2D) * 300]


FIRST_CALLS = """
import builtins, threading, time
from bytepair import _core

real = builtins.__import__

def hook(name, *rest, **named):
    time.sleep(0.05)  # other threads run
    return real(name, *rest, **named)

builtins.__import__ = hook
threads = [threading.Thread(target=_core.raw, args=("\xe9",), daemon=True) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join(60)
assert not any(thread.is_alive() for thread in threads)
"""


def test_first_calls_of_threads_do_not_wait_for_each_other() -> None:
    """What is found out at the first call is found by Python code, which lets other threads run."""
    subprocess.run([sys.executable, "-c", FIRST_CALLS], check=True, timeout=120)
