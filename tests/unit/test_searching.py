"""Tokens found by what they hold and by what they are merged from, against a look at all of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp

ALICE = resources.files("bytepair.demo_data").joinpath("alice_body.txt").read_text("utf-8")
TOK = bp.train(texts=[ALICE, "Жили-были 猫 naïve"], vocab_size=900, special_tokens=["<|the end|>"])
MERGES = dict(enumerate(TOK.merges, 256))


@given(part=st.sampled_from(["the", " ", "", "é", "—", "zzz", "<|"]) | st.binary(max_size=2))
def test_what_holds_a_part(part: str | bytes) -> None:
    raw = part.encode() if isinstance(part, str) else part
    assert TOK.find(part) == {id: token for id, token in TOK.vocabulary.items() if raw in token}
    assert TOK.find(bytearray(raw)) == TOK.find(raw)


def test_regular_expressions() -> None:
    assert TOK.find(re.compile("^ [A-Z]")) == {
        id: token for id, token in TOK.vocabulary.items() if re.match(rb" [A-Z]", token)
    }
    high = TOK.find(re.compile(rb"^[\x80-\xff]$"))
    assert sorted(high.values()) == [bytes([byte]) for byte in range(128, 256)]
    assert not set(TOK.find(re.compile("."))) & set(high)  # a part of a character is no character
    with pytest.raises(TypeError, match="a `int` is looked for"):
        TOK.find(5)  # type: ignore[arg-type]


def test_descendants_and_ancestors_are_opposites() -> None:
    above: dict[int, set[int]] = {}
    for id, (left, right) in MERGES.items():  # parts come first
        above[id] = {left, right} | above.get(left, set()) | above.get(right, set())
    assert max(above) == 898
    for id in TOK.vocabulary:
        assert set(TOK.ancestors(id)) == above.get(id, set())
    for id in (ord("e"), 256, 257, 300, 898, TOK.special_tokens["<|the end|>"]):
        assert set(TOK.descendants(id)) == {one for one, parts in above.items() if id in parts}
    assert list(TOK.descendants(256)) == sorted(TOK.descendants(256))


def test_what_is_no_id() -> None:
    for look in (TOK.descendants, TOK.ancestors):
        with pytest.raises(bp.UnknownTokenError, match="no token has id 900"):
            look(900)


def test_characters_with_a_mark() -> None:
    for joined in (False, True):
        tok = bp.train(
            texts=["low low lower"], num_merges=4, alphabet="characters", end_of_word="</w>", end_of_word_joined=joined
        )
        for id in tok.vocabulary:
            for one in tok.descendants(id):
                assert id in tok.ancestors(one)
            for one in tok.ancestors(id):
                assert id in tok.descendants(one)


def test_a_rank_file(vocabulary_file: Callable[[str], Path]) -> None:
    tok = bp.load(vocabulary_file("cl100k_base"), pattern="cl100k")
    the = tok.id_of(" the")
    found = tok.descendants(the)
    assert b" they" in found.values()
    assert b" there" not in found.values()  # it is ` th` + `ere`
    assert {b" th", b"ere"} <= set(tok.ancestors(tok.id_of(" there")).values())
    assert all(b" the" in token for token in found.values())
    assert all(the in tok.ancestors(id) for id in found)
    assert len(tok.find("SolidGold")) == 0
