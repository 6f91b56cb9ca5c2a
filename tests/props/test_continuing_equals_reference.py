"""The engine and the reference agree on trainings that start from a tokenizer, with seeds, with whole characters only.

The engine is asked as `bytepair.train` asks it. A training that was interrupted after any merge comes to the same.
"""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
from bytepair import _core, reference

PIECES = [b"a", b"b", b"ab", b" ", b"\xff", b"\xf0\x9f", "é".encode(), "漢".encode(), b"<|a|>"]
data = st.lists(st.sampled_from(PIECES), max_size=25).map(b"".join)
words = st.lists(st.sampled_from(["a", "b", " ", "é", "漢"]), max_size=25).map("".join)
ties = st.sampled_from(["lowest", "first", "huggingface", "greatest"])
seeds = st.lists(st.sampled_from([b"ab", b"aba", b"    ", "é".encode(), "éa".encode(), b"xyz", b"bb"]), max_size=3)
limits = st.fixed_dictionaries(
    {
        "ties": ties,
        "min_count": st.integers(1, 3),
        "max_token_bytes": st.none() | st.integers(6, 8),
        "whole_characters": st.booleans(),
    }
)
in_characters = st.fixed_dictionaries(
    {
        "alphabet": st.just("characters"),
        "end_of_word": st.sampled_from([None, "_"]),
        "end_of_word_joined": st.booleans(),
    }
)

Learned = tuple[_core.Tokenizer, str, list[int], list[int], list[int | None], int | None]


class Engine:
    """One training of the engine, to be interrupted and resumed."""

    def __init__(self, texts: list[Any], special_tokens: list[str], **settings: Any) -> None:
        """Counts the texts."""
        joined = settings.pop("end_of_word_joined", False)
        alphabet, mark = settings.pop("alphabet", "bytes"), settings.pop("end_of_word", None)
        self.table = _core.Counts(settings.pop("pattern", None), alphabet, mark, joined, special_tokens)
        self.table.add_documents(texts, 1, str)
        self.settings = settings

    def train(
        self, learned: list[tuple[int, int, int, int, int]]
    ) -> tuple[Learned, list[tuple[int, int, int, int, int]]]:
        """What it gives, and the merges that it told."""
        told: list[tuple[int, int, int, int, int]] = []
        done = _core.train(
            self.table, tokens=None, learned=learned, progress=lambda _, *merge: told.append(merge), **self.settings
        )
        return done, told


def assert_same(engine: Engine, plain: reference.Tokenizer) -> None:
    """The same tokenizer, interrupted or not."""
    assert plain.training is not None
    (core, stopped, counts, fired, choosers, doubtful), told = engine.train([])
    assert (choosers, doubtful) == ([], None)
    assert stopped == plain.training.stopped
    merges = [(merge.left, merge.right, merge.id, merge.count, merge.fired) for merge in plain.training.merges]
    assert told == merges
    assert (counts, fired) == ([merge[3] for merge in merges], [merge[4] for merge in merges])
    tok = bp.Tokenizer._from_core(core)  # noqa: SLF001 - as `bytepair.train` does
    assert dict(tok.parts.tokens) == plain.training.tokens
    assert list(tok.merges) == list(plain.vocabulary.merges)
    assert tok.special_tokens == dict(plain.specials)
    for interrupted in range(len(merges) + 1):
        (again, *rest), told = engine.train(merges[:interrupted])
        assert told == merges[interrupted:]
        assert bp.Tokenizer._from_core(again).fingerprint == tok.fingerprint  # noqa: SLF001
        assert rest == [stopped, counts, fired, [], None]


@given(st.lists(data, max_size=4), st.lists(data, max_size=4), limits, limits, seeds, st.integers(5, 15))
def test_bytes(  # noqa: PLR0917 - hypothesis gives them
    before: list[bytes],
    after: list[bytes],
    first: dict[str, Any],
    second: dict[str, Any],
    named: list[bytes],
    merges: int,
) -> None:
    plain = reference.train(before, num_merges=8, special_tokens=["<|a|>"], **first)
    base, _ = Engine(before, ["<|a|>"], merges=8, **first).train([])
    specials = ["<|a|>", "<|b|>"]
    second["whole_characters"] &= first["whole_characters"]  # or the base may cut a seed in ways that bar it
    named = [] if second["whole_characters"] else named
    engine = Engine(after, specials, merges=merges + 20, base=base[0], seeds=named, **second)
    settings = second | {"num_merges": merges + 20, "special_tokens": specials, "seed_tokens": named}
    assert_same(engine, reference.train(after, base=plain, **settings))


@given(st.lists(words, min_size=1, max_size=4), st.lists(words, min_size=1, max_size=4), in_characters, ties)
def test_characters(before: list[str], after: list[str], settings: dict[str, Any], ties: str) -> None:
    settings = {
        **settings,
        "end_of_word_joined": settings["end_of_word_joined"] and settings["end_of_word"] is not None,
    }
    before, after = [text + " a" for text in before], [text + " a" for text in after]
    plain = reference.train(before, num_merges=5, ties=ties, **settings)
    limits = {"ties": ties, "min_count": 1, "max_token_bytes": None}
    base, _ = Engine(before, [], merges=5, **limits, **settings).train([])
    named = ["漢b".encode(), b"xa"]
    engine = Engine(after, [], merges=12, base=base[0], seeds=named, **limits, **settings)
    expected = reference.train(after, num_merges=12, ties=ties, base=plain, seed_tokens=named, **settings)
    assert_same(engine, expected)
