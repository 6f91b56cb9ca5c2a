"""Tokens by their beginnings, against a plain search; and the trie's arrays, against what they are said to be."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

import bytepair as bp
from bytepair.parts import Parts, SpecialToken


def tokenizer(contents: list[bytes], added: list[str], control: list[str]) -> bp.Tokenizer:
    """A tokenizer whose ids are not in the order of the bytes."""
    tokens = tuple((3 * len(contents) - 2 * i, content) for i, content in enumerate(contents))
    first = 3 * len(contents) + 1
    specials = [SpecialToken(text, first + i, special=i >= len(added)) for i, text in enumerate(added + control)]
    return bp.Tokenizer.from_parts(Parts(tokens=tokens, merges=(), specials=tuple(specials)))


@st.composite
def tokenizers(draw: st.DrawFn) -> bp.Tokenizer:
    contents = draw(
        st.lists(st.binary(min_size=1, max_size=4) | st.text("ab", min_size=1).map(str.encode), unique=True)
    )
    names = draw(st.lists(st.text("ab<", min_size=1, max_size=4), unique=True, max_size=6))
    half = draw(st.integers(0, len(names)))
    return tokenizer(contents, names[:half], names[half:])


def plainly(tok: bp.Tokenizer) -> list[tuple[bytes, int]]:
    """(bytes, id) of all tokens but control tokens, in order."""
    control = {token.id for token in tok.parts.specials if token.special}
    return sorted((content, id) for id, content in tok.vocabulary.items() if id not in control)


@given(tokenizers(), st.binary(max_size=3) | st.text("ab", max_size=3).map(str.encode))
@example(tokenizer([], [], []), b"")
@example(tokenizer([b"\xff", b"\xff\xff"], [], []), b"\xff")
def test_tokens_with_a_prefix(tok: bp.Tokenizer, prefix: bytes) -> None:
    assert tok.tokens_with_prefix(prefix) == [id for content, id in plainly(tok) if content.startswith(prefix)]


@given(tokenizers())
@example(tokenizer([], [], []))
def test_the_trie_is_as_it_says(tok: bp.Tokenizer) -> None:
    trie, tokens = tok.trie(), plainly(tok)
    assert trie.ids.tolist() == [id for _, id in tokens]
    beginnings = {content[:length] for content, _ in tokens for length in range(len(content) + 1)} | {b""}
    assert len(trie) == len(beginnings) == len(trie.starts) == len(trie.ends) == len(trie.children) - 1
    found = {b"": 0}
    for prefix in sorted(beginnings, key=lambda prefix: (len(prefix), prefix)):
        node = found[prefix]
        children = range(int(trie.children[node]), int(trie.children[node + 1]))
        steps = trie.bytes[children.start : children.stop].tolist()
        longer = [content for content, _ in tokens if content.startswith(prefix) and content != prefix]
        assert steps == sorted({content[len(prefix)] for content in longer})
        found |= {prefix + bytes([step]): child for step, child in zip(steps, children, strict=True)}
        assert trie.node(prefix) == node
        assert trie.tokens(node).tolist() == tok.tokens_with_prefix(prefix)
        assert trie.own(node).tolist() == [id for content, id in tokens if content == prefix]
    assert found.keys() == beginnings


@given(tokenizers(), st.text("ab<", max_size=8))
def test_tokens_along_a_text(tok: bp.Tokenizer, text: str) -> None:
    expected = [id for content, id in plainly(tok) if text.encode().startswith(content)]
    assert tok.trie().along(text).tolist() == expected


def test_what_a_trie_is_made_of() -> None:
    tok = tokenizer([b"a", b"ab", b"b"], ["<word>"], ["<|control|>"])
    trie = tok.trie()
    arrays: list[NDArray[np.generic]] = [trie.ids, trie.bytes, trie.children, trie.starts, trie.own_ends, trie.ends]
    assert [array.dtype for array in arrays] == [np.uint32, np.uint8, *[np.uint32] * 4]
    assert not any(array.flags.writeable for array in arrays)
    assert (trie.node(b"<|"), trie.node(b"<w"), trie.node(b"zz")) == (None, 4, None)
    again = pickle.loads(pickle.dumps(trie))  # noqa: S301 - our own
    assert [array.tolist() for array in (again.ids, again.bytes)] == [trie.ids.tolist(), trie.bytes.tolist()]
    with pytest.raises(TypeError, match="the prefix is of type `int`"):
        tok.tokens_with_prefix(3)  # type: ignore[arg-type]


def test_an_end_of_word_mark_is_spelled_out() -> None:
    tok = bp.train(texts=["low low lower"], num_merges=3, alphabet="characters", end_of_word="</w>")
    assert [tok.bytes_of(id) for id in tok.tokens_with_prefix("low")] == [b"low", b"low</w>"]
    assert tok.trie().tokens(0).tolist() == tok.tokens_with_prefix("")
