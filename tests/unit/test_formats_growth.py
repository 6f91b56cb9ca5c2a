"""Time with files from anywhere grows no faster than the file, whatever stands in it.

Sixteen times the input may take 60 times the time (the best of three runs each, in the processor's time); what grows
with the square takes 256 times.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytepair import formats
from bytepair.formats import added_tokens, huggingface, oniguruma, tiktoken
from bytepair.formats.overlaps import first_overlap
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


ADDED: dict[str, Callable[[int], list[SpecialToken]]] = {
    "two long tokens": lambda size: [SpecialToken("a" * size + "b", 0), SpecialToken("a" * size, 1, normalized=True)],
    "the ends of one begin the other": lambda size: [
        SpecialToken("ab" * size + "c", 0),
        SpecialToken("b" + "ab" * size, 1, normalized=True),
    ],
    "many that begin alike": lambda size: [
        *(SpecialToken("a" * 100 + str(i), i) for i in range(size // 100)),
        *(SpecialToken("b" * 100 + str(i), i, normalized=True) for i in range(size // 100)),
    ],
}


@pytest.mark.parametrize("kind", ADDED)
def test_added_tokens_of_two_rounds(kind: str) -> None:
    def work(size: int) -> Callable[[], object]:
        specials = ADDED[kind](size)
        return lambda: added_tokens.clash(specials)

    assert_grows_linearly(4_000, work)


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


LETTERS = st.text("ab", min_size=1, max_size=5)


@given(st.lists(LETTERS, unique=True, max_size=8), st.integers(0, 8))
def test_texts_that_cut_into_others_are_found(contents: list[str], cut: int) -> None:
    cutting, texts = contents[:cut], contents[cut:]

    def cuts(one: str, other: str) -> bool:
        behind = any(one.startswith(other[start:]) for start in range(1, len(other)))
        return one in other or behind

    expected = next((text for text in texts if any(cuts(one, text) for one in cutting)), None)
    found = first_overlap(cutting, texts)
    assert (None if found is None else found[1]) == expected
    assert found is None or (found[0] in cutting and cuts(*found))


def test_the_token_that_a_file_names_does_not_depend_on_the_hash_seed() -> None:
    texts = [f"b{i}" for i in range(50)]
    specials = [*(SpecialToken(text, i) for i, text in enumerate(texts)), SpecialToken("ab", 99, normalized=True)]
    assert added_tokens.clash(specials) == ("b0", "ab")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = huggingface.render(Parts(tokens=((100, b"a"),), merges=(), specials=tuple(specials)))
    assert json.loads(data)["bytepair"]["why"].endswith('"b0" cuts into "ab"')
