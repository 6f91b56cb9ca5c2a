"""The named patterns cut text where others' regular expressions cut it, on every Unicode code point in context.

Two independent measures: `bytepair.reference`, which reads the same table of Unicode and runs on Python's `re`; and
the `regex` module, which carries a later version of Unicode, so that the characters it sees otherwise are left out,
after a check that they are new ones.
"""

from __future__ import annotations

import functools
import sys
import unicodedata
from collections.abc import Callable, Iterable, Sequence

import pytest
import regex
import tiktoken

import bytepair as bp
import oracles
from bytepair import reference

CLASSES = (r"\p{L}", r"\p{N}", r"\p{M}", r"\p{Lu}", r"\p{Ll}", r"\p{Lt}", r"\p{Lm}", r"\p{Lo}", r"\s")

# The only character assigned in Unicode 16 whose class the `regex` module sees otherwise: Lo became Ll in Unicode 17.
RECLASSIFIED = {"\u0295"}

Split = Callable[[str], list[str]]


@functools.cache
def splitter(preset: str) -> bp.Tokenizer:
    """A tokenizer that only splits: a pattern and no merges."""
    return bp.train(counts={b"a": 1}, num_merges=0, pattern=preset)


@functools.cache
def newer_characters() -> frozenset[str]:
    """Those that the `regex` module puts into other classes than Unicode 16, which tiktoken carries, does."""
    everything = "".join(oracles.code_points())
    ranks = {bytes([byte]): byte for byte in range(256)}
    newer: set[str] = set()
    for name in CLASSES:
        probe = tiktoken.Encoding("probe", pat_str=name, mergeable_ranks=ranks, special_tokens={})
        members = set(probe.decode_bytes(probe.encode_ordinary(everything)).decode())
        newer |= members ^ set(regex.findall(name, everything))
    return frozenset(newer)


def assert_same_splits(ours: Split, theirs: Split, batches: Iterable[Sequence[str]]) -> None:
    for batch in batches:
        text = "".join(batch)
        if ours(text) == theirs(text):
            continue
        shortest = next((snippet for snippet in batch if ours(snippet) != theirs(snippet)), text)
        pytest.fail(f"{shortest[:200]!a}: ours {ours(shortest)[:20]!a}, theirs {theirs(shortest)[:20]!a}")


def test_the_regex_module_differs_in_new_characters_only() -> None:
    if sys.version_info >= (3, 15):
        pytest.skip("this Python knows characters that are newer than Unicode 16")
    assigned = {character for character in newer_characters() if unicodedata.category(character) != "Cn"}
    assert assigned == RECLASSIFIED


@pytest.mark.parametrize("preset", sorted(bp.PATTERNS))
def test_splits_equal_the_regex_modules_on_every_code_point(preset: str) -> None:
    compiled = regex.compile(bp.PATTERNS[preset])
    newer = newer_characters()
    batches = ([snippet for snippet in batch if newer.isdisjoint(snippet)] for batch in oracles.code_point_texts())
    assert_same_splits(splitter(preset).split, compiled.findall, batches)


def by_reference(pattern: str) -> Split:
    return lambda text: [pretoken.decode() for pretoken in reference.split(pattern, text.encode())]


@pytest.mark.parametrize("preset", sorted(bp.PATTERNS))
def test_splits_equal_the_references_on_every_assigned_code_point(preset: str) -> None:
    assert_same_splits(splitter(preset).split, by_reference(bp.PATTERNS[preset]), oracles.few_code_point_texts())


@pytest.mark.soak
@pytest.mark.parametrize("preset", sorted(bp.PATTERNS))
def test_splits_equal_the_references_on_every_code_point_in_all_contexts(preset: str) -> None:
    assert_same_splits(splitter(preset).split, by_reference(bp.PATTERNS[preset]), oracles.code_point_texts())


@pytest.mark.parametrize("preset", sorted(bp.PATTERNS))
def test_splits_of_bytes_that_are_not_utf8_equal_the_references(preset: str) -> None:
    snippets = [text.encode() for text in oracles.random_texts(5_000, seed=1)]
    broken = [text[:at] + bytes([at * 37 % 256, 0xFF, 0xE2, 0x80]) + text[at:] for at, text in enumerate(snippets, 1)]
    for text in broken:
        assert splitter(preset).split(text) == reference.split(bp.PATTERNS[preset], text)
