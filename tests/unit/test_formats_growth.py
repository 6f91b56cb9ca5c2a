"""Time with files from anywhere grows no faster than the file, whatever stands in it.

Sixteen times the input may take 60 times the time (the best of three runs each, in the processor's time); what grows
with the square takes 256 times.
"""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Callable

import pytest

import bytepair as bp
from bytepair import formats
from bytepair.formats import huggingface, oniguruma, tiktoken
from bytepair.parts import Parts, SpecialToken


def assert_grows_linearly(small: int, work: Callable[[int], Callable[[], object]]) -> None:
    """`work(size)` prepares the work on an input of that size."""
    tries = []
    for _ in range(3):
        times = [min(map(seconds, [work(size)] * 3)) for size in (small, 16 * small)]
        if times[1] <= 60 * max(times[0], 0.0005):
            return
        tries.append(f"{times[0]:.4f} s -> {times[1]:.4f} s")
    pytest.fail(f"sixteen times the input: {'; '.join(tries)}")


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def long_tokens(size: int) -> Parts:
    """Runs of one letter, each twice as long as the one before, and one that is no power of two."""
    runs = [b"a" * (1 << i) for i in range(size.bit_length())]
    tokens = tuple(enumerate([*runs, b"a" * size + b"b", b"b"]))
    return Parts(tokens=tokens, merges=None, whole_first=True)


def test_a_file_whose_vocabulary_is_a_rank_files() -> None:
    def work(size: int) -> Callable[[], object]:
        data = huggingface.render(long_tokens(size))
        assert json.loads(data)["model"]["bytepair"]["ranks"]
        return lambda: formats.parse(data)

    assert_grows_linearly(20_000, work)
    assert formats.parse(huggingface.render(long_tokens(20_000))).merges is None


def test_a_merge_list_written_as_ranks() -> None:
    def work(size: int) -> Callable[[], object]:
        parts = formats.parse(huggingface.render(long_tokens(size)))
        listed = Parts(tokens=parts.tokens, merges=formats.ranks.merges_of_ranks(parts.tokens), whole_first=True)
        return lambda: tiktoken.render(listed)

    assert_grows_linearly(20_000, work)


PATTERNS: dict[str, Callable[[int], str]] = {
    "letters in groups": lambda size: "(?i:" * 40 + "ab" * size + ")" * 40,
    "groups in a row": lambda size: "(?:a|b)+" * size,
    "sets in a row": lambda size: "(?i:" + "[a-k]" * size + ")",
    "one set": lambda size: "[" + "ab\\d" * size + "]",
    "branches": lambda size: "a|" * size + "a",
    "a parenthesis that is open": lambda size: "(" * 40 + "a(?=b)" * size,
}


@pytest.mark.parametrize("kind", PATTERNS)
def test_patterns(kind: str) -> None:
    def work(size: int) -> Callable[[], object]:
        pattern = PATTERNS[kind](size)

        def translate() -> None:
            for change in (oniguruma.translate, oniguruma.read):
                try:
                    change(pattern)
                except oniguruma.UntranslatableError:
                    continue

        return translate

    assert_grows_linearly(100, work)


def with_specials(count: int) -> Parts:
    """Added tokens with all flags, many of which begin alike."""
    flags = [(i % 2 == 0, i % 3 == 0, i % 5 == 0, i % 7 == 0, i % 4 == 0) for i in range(count)]
    specials = tuple(SpecialToken(f"<s_{i}>", 256 + i, *flags[i]) for i in range(count))
    return Parts(pattern=r"\w+|\W", tokens=tuple((b, bytes([b])) for b in range(256)), merges=(), specials=specials)


def test_a_file_with_added_tokens() -> None:
    def work(count: int) -> Callable[[], object]:
        data = huggingface.render(with_specials(count))
        return lambda: bp.Tokenizer.from_parts(formats.parse(data))

    assert_grows_linearly(1_250, work)


def test_a_text_that_is_searched_for_added_tokens() -> None:
    """Of 100 and of 20,000 tokens the same text takes the same time, or nearly."""
    text = "some words, < s_ > and more " * 20_000
    expected = len(text)
    times = []
    for count in (100, 20_000):
        tok = bp.Tokenizer.from_parts(with_specials(count))
        assert tok.count(text, allowed_special="all") == expected
        work = functools.partial(tok.count, text, allowed_special="all")
        times.append(min(seconds(work) for _ in range(7)))
    assert times[1] < 6 * times[0]
