"""Tokens by rank, against Python's `Counter`."""

from __future__ import annotations

import json
from collections import Counter
from importlib import resources

import numpy as np
import pytest

import bytepair as bp

ALICE = resources.files("bytepair.demo_data").joinpath("alice_body.txt").read_text("utf-8")


def test_ranks_are_those_of_plain_counting() -> None:
    tok = bp.train(texts=[ALICE], vocab_size=1500)
    found = bp.zipf(tok, [ALICE])
    counts = Counter(tok.encode(ALICE))
    order = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    total = counts.total()
    ranks = [*range(1, 11), 20, 50, 100, 200, 500, 1000, len(order)]
    assert [one.rank for one in found.ranks] == ranks
    for one in found.ranks:
        assert (one.id, one.count) == order[one.rank - 1]
        assert one.token == tok.bytes_of(one.id)
        assert one.share == one.count / total
        assert one.coverage == pytest.approx(sum(count for _, count in order[: one.rank]) / total)
    assert found.counts["tokenizer"].tolist() == [count for _, count in order]
    [figures] = found.figures
    by_rank = {one.rank: one.coverage for one in found.ranks}
    found_coverage = [figures.coverage_1, figures.coverage_10, figures.coverage_100, figures.coverage_1000]
    assert found_coverage == pytest.approx([by_rank[rank] for rank in (1, 10, 100, 1000)])
    assert figures.never_seen == 1500 - len(order)
    assert figures.rare == sum(count < 10 for count in counts.values())


def test_the_slope_is_that_of_the_law() -> None:
    """A text in which the word of rank r occurs about 6,000 / r times."""
    words = [f" {chr(97 + number // 26)}{chr(97 + number % 26)}" for number in range(300)]
    tokens = [*((byte, bytes([byte])) for byte in range(256))]
    tokens += [(256 + place, word.encode()) for place, word in enumerate(words)]
    parts = bp.Parts(tokens=tuple(tokens), merges=(), whole_first=True, pattern=bp.PATTERNS["gpt2"])
    text = "".join(word * round(6000 / rank) for rank, word in enumerate(words, 1))
    [figures] = bp.zipf(bp.Tokenizer.from_parts(parts), [text]).figures
    assert figures.zipf_slope == pytest.approx(-1, abs=0.01)
    assert len(words) == figures.tokens_in_use


def test_forms() -> None:
    small, large = (bp.train(texts=[ALICE[:9000]], vocab_size=size) for size in (300, 500))
    both = bp.zipf({"small": small, "large": large}, [ALICE[:9000]])
    assert {one.tokenizer for one in both.ranks} == {"small", "large"}
    plain = json.loads(json.dumps(both.to_dict(), allow_nan=False))
    assert plain["rows"] == both.rows()
    assert set(plain["figures"][0]) == {"tokenizer", *plain["definitions"]}
    assert max(map(len, str(both).splitlines())) <= 80
    nothing = bp.zipf(small, [])
    assert (nothing.ranks, nothing.counts["tokenizer"].size) == ((), 0)
    assert str(nothing)
    assert np.isnan(nothing.figures[0].coverage_1)
    assert [one.rank for one in bp.zipf(small, ["aab"]).ranks] == [1, 2]
