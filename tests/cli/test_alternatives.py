"""What each alternative of a pattern does, against a look at each pretoken."""

from __future__ import annotations

import json
import math
from collections import Counter
from importlib import resources

import bytepair as bp
from cli.running import Run

ALICE = resources.files("bytepair.demo_data").joinpath("alice_body.txt").read_text("utf-8")
PATTERN = r"[A-Z]\p{L}*|\p{L}+|\p{N}|[ ]+|\s"


def test_pretokens_of_each_alternative() -> None:
    tok = bp.train(texts=[], num_merges=0, pattern=PATTERN)
    found = bp.alternatives(tok, [ALICE, "\u0661\x00 1"])
    wanted: Counter[int | None] = Counter()
    sizes: Counter[int | None] = Counter()
    often: dict[int | None, Counter[bytes]] = {}
    for text in (ALICE, "\u0661\x00 1"):
        for pretoken in tok.trace(text).pretokens:
            wanted[pretoken.alternative] += 1
            sizes[pretoken.alternative] += len(pretoken.text)
            often.setdefault(pretoken.alternative, Counter())[pretoken.text] += 1
    assert {one.number: one.pretokens for one in found.alternatives} == wanted
    assert {one.number: one.size for one in found.alternatives} == sizes
    assert [one.source for one in found.alternatives[:-1]] == PATTERN.split("|")
    assert found.alternatives[-1].number is None
    for one in found.alternatives:
        top = often[one.number].most_common(1)[0][1]
        assert often[one.number][one.examples[0]] == top
        assert one.share == sizes[one.number] / sum(sizes.values())


def test_what_cuts_nothing_and_what_is_long() -> None:
    tok = bp.train(texts=[], num_merges=0, pattern=r"[A-Z]+|a+")
    upper, lower = bp.alternatives(tok, ["a" * 1000]).alternatives
    assert (upper.pretokens, upper.share, upper.examples) == (0, 0, ())
    assert (lower.pretokens, lower.size, len(lower.examples[0])) == (1, 1000, 48)
    [whole] = bp.alternatives(bp.train(texts=[], num_merges=0, pattern=None), ["low lower"]).alternatives
    assert (whole.number, whole.source, whole.pretokens) == (None, None, 1)
    assert math.isnan(bp.alternatives(tok, []).alternatives[0].share)


def test_on_the_command_line(run: Run) -> None:
    done = run("split", "--pattern", "cl100k", "--alternatives", "It's 2024", "--json")
    tok = bp.train(texts=[], num_merges=0, pattern="cl100k")
    assert json.loads(done.out) == bp.alternatives(tok, ["It's 2024"]).to_dict()
    drawn = run("split", "--pattern", "cl100k", "--alternatives", "It's 2024").out
    assert "What each alternative of the pattern cuts out" in drawn
