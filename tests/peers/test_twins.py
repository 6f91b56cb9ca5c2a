"""Tokens with the same bytes: kept, told, written and read, and the ids of minbpe and of tiktoken."""

from __future__ import annotations

import base64
import itertools
import warnings
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
from bytepair import formats
from bytepair.errors import FormatError
from bytepair.formats import huggingface, minbpe
from bytepair.formats import tiktoken as rank_file
from bytepair.formats.ranks import made_by
from bytepair.parts import Parts
from format_files import BYTES

TEXT = st.text("ab", max_size=20)


@st.composite
def merges(draw: st.DrawFn) -> list[tuple[int, int]]:
    """Merges of a minbpe, each another pair, many of which make the same bytes."""
    pairs: list[tuple[int, int]] = []
    for _ in range(draw(st.integers(0, 12))):
        known = [97, 98, *range(256, 256 + len(pairs))]
        pair = (draw(st.sampled_from(known)), draw(st.sampled_from(known)))
        if pair not in pairs:
            pairs.append(pair)
    return pairs


def as_minbpe(pairs: list[tuple[int, int]], text: str) -> list[int]:
    """Its program: the pair with the lowest id merges everywhere, again and again."""
    made = {pair: 256 + rank for rank, pair in enumerate(pairs)}
    ids = list(text.encode())
    while len(ids) > 1:
        pair = min(itertools.pairwise(ids), key=lambda pair: made.get(pair, 1 << 40))
        if pair not in made:
            break
        merged: list[int] = []
        at = 0
        while at < len(ids):
            here = at + 1 < len(ids) and (ids[at], ids[at + 1]) == pair
            merged.append(made[pair] if here else ids[at])
            at += 2 if here else 1
        ids = merged
    return ids


@given(merges(), TEXT)
def test_ids_are_those_of_minbpe(pairs: list[tuple[int, int]], text: str) -> None:
    content = "minbpe v1\n\n0\n" + "".join(f"{left} {right}\n" for left, right in pairs)
    parts = formats.parse(content.encode())
    assert list(made_by(parts.tokens, pairs)) == [256 + rank for rank in range(len(pairs))]
    assert minbpe.render(parts).decode() == content
    tok = bp.Tokenizer.from_parts(parts)
    ids = tok.encode(text)
    assert ids == as_minbpe(pairs, text)
    assert tok.decode(ids) == text
    assert list(tok.trace(text).ids) == ids
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bp.FormatWarning)
        again = huggingface.parse(huggingface.render(parts))
    assert again == parts
    assert tok.parts == parts
    assert tok.info().twins == len(parts.tokens) - len({content for _, content in parts.tokens})


@given(st.lists(st.text("ab", min_size=1, max_size=4).map(str.encode), max_size=10), TEXT)
def test_ids_are_those_of_tiktoken(more: list[bytes], text: str) -> None:
    contents = [*(content for _, content in BYTES), *more]
    data = b"".join(b"%s %d\n" % (base64.b64encode(content), rank) for rank, content in enumerate(contents))
    ours = bp.Tokenizer.from_parts(formats.parse(data, pattern=r"\w+|\W"))
    ranks = {content: rank for rank, content in enumerate(contents)}
    theirs = tiktoken.Encoding("x", pat_str=r"\w+|\W", mergeable_ranks=ranks, special_tokens={})
    assert ours.encode(text) == theirs.encode(text)
    assert ours.info().twins == len(contents) - len(ranks)
    assert dict(ours.vocabulary) == dict(enumerate(contents))
    assert formats.parse(rank_file.render(ours.parts), pattern=r"\w+|\W") == ours.parts


def test_formats_that_have_a_token_for_bytes_refuse_two(tmp_path: Path) -> None:
    tokens = (*BYTES, (256, b"ab"), (300, b"ab"))
    parts = Parts(tokens=tokens, merges=((97, 98),), pattern=bp.PATTERNS["gpt2"])
    with pytest.raises(FormatError, match="the tokens of the ids 300 and 256 have the same bytes"):
        formats.write(parts, tmp_path / "vocab.json")
    with pytest.raises(FormatError, match='the tokens of the ids 256 and 300 are both spelled "ab"'):
        formats.write(parts, tmp_path / "x.gguf")
    with pytest.raises(FormatError, match="two tokens have the bytes `ab`"):
        formats.write(parts, tmp_path / "x.tiktoken", allow_loss=True)
    with pytest.warns(bp.FormatWarning, match="two tokens have the same bytes"):
        formats.write(parts, tmp_path / "tokenizer.json")
    assert formats.read(tmp_path / "tokenizer.json") == parts
    tok = bp.load(tmp_path / "tokenizer.json")
    assert (tok.encode("ab"), tok.decode([300]), tok.n_vocab, len(tok)) == ([256], "ab", 301, 258)
    assert (tok.info().twins, tok.info().gaps) == (1, ((257, 299),))
