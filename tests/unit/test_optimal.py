"""The fewest tokens that a vocabulary allows, against all ways to cut a text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
from bytepair.measuring.optimal import fewest_tokens

TOK = bp.train(texts=["ab aab abab ba bab abba baab ab"], num_merges=8, pattern="gpt2")
CONTENTS = {content: id for id, content in TOK.vocabulary.items()}


def ways(word: bytes) -> list[tuple[bytes, ...]]:
    """All ways to cut a word into tokens."""
    if not word:
        return [()]
    starts = [word[:end] for end in range(1, len(word) + 1) if word[:end] in CONTENTS]
    return [(start, *rest) for start in starts for rest in ways(word[len(start) :])]


@given(text=st.text("ab ", max_size=24))
def test_any_text(text: str) -> None:
    found = bp.gap_to_optimal(TOK, [text, text], examples=100)
    pretokens = [pretoken.encode() for pretoken in TOK.split(text)]
    fewest = {pretoken: min(map(len, ways(pretoken))) for pretoken in pretokens}
    assert found.tokens == 2 * TOK.count(text)
    assert found.fewest == 2 * sum(fewest[pretoken] for pretoken in pretokens)
    merged = {pretoken: TOK.count(pretoken) for pretoken in pretokens}
    longer = {pretoken for pretoken in pretokens if merged[pretoken] > fewest[pretoken]}
    assert {one.pretoken for one in found.savings} == longer
    for one in found.savings:
        assert one.count == 2 * pretokens.count(one.pretoken)
        assert (len(one.tokens), len(one.fewest)) == (merged[one.pretoken], fewest[one.pretoken])
        assert b"".join(one.tokens) == b"".join(one.fewest) == one.pretoken


@given(word=st.text("ab", max_size=12))
def test_the_way_that_is_shown(word: str) -> None:
    found = fewest_tokens(word.encode(), CONTENTS)
    assert b"".join(found) == word.encode()
    assert len(found) == min(map(len, ways(word.encode())))


def test_a_rank_file_looks_up_first() -> None:
    tokens = [(b, bytes([b])) for b in range(256)] + [(256, b"bc"), (257, b"abc"), (258, b"abcd")]
    parts = bp.Parts(tokens=tuple(tokens), merges=None, whole_first=True, pattern=r"\w+|\s+")
    tok = bp.Tokenizer.from_parts(parts)
    found = bp.gap_to_optimal(tok, ["abcd abc xabc"])
    assert (found.tokens, found.fewest, found.savings) == (6, 6, ())


def test_forms_and_refusals() -> None:
    found = bp.gap_to_optimal(TOK, {"en": ["abbab aabba"], "xx": ["abbab"]})
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["tokens"] == found.tokens
    assert "Gap to the fewest tokens" in str(found)
    assert bp.gap_to_optimal(TOK, []).to_dict()["gap"] is None
    with pytest.raises(ValueError, match="one of characters"):
        bp.gap_to_optimal(bp.train(texts=["low"], num_merges=1, alphabet="characters"), ["low"])
    some = bp.Tokenizer.from_parts(bp.Parts(tokens=((0, b"a"),), merges=()))
    with pytest.raises(bp.UnknownSymbolError):
        bp.gap_to_optimal(some, ["ab"])
