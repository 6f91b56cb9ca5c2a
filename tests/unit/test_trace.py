"""Why a text became its ids: offsets, pretokens, trees and steps."""

from __future__ import annotations

import re

import numpy as np
import pytest

import bytepair as bp

BYTES = tuple((byte, bytes([byte])) for byte in range(256))
PLAIN = bp.train(texts=[], vocab_size=256, pattern=None)
TOK = bp.train(texts=["low lower lowest 12 漢字 漢字"] * 2, num_merges=12, special_tokens=["<|end|>"])


def test_ids_inside_a_character_share_its_span() -> None:
    trace = PLAIN.trace("i \u2b62 j")
    assert trace.char_offsets == ((0, 1), (1, 2), (2, 3), (2, 3), (2, 3), (3, 4), (4, 5))
    assert trace.byte_offsets == tuple((at, at + 1) for at in range(7))
    assert trace.partial == (False, False, True, True, True, False, False)


def test_a_pretoken_found_whole_has_a_span() -> None:
    parts = bp.Parts(tokens=(*BYTES, (256, b"abc")), merges=(), whole_first=True)
    trace = bp.Tokenizer.from_parts(parts).trace("abc")
    assert (trace.ids, trace.char_offsets) == ((256,), ((0, 3),))


def test_a_trace_agrees_with_encode_and_with_the_text() -> None:
    text = "low 漢字 lowest<|end|> 12!\n é🌱"
    trace = TOK.trace(text, allowed_special="all")
    assert list(trace.ids) == TOK.encode(text, allowed_special="all")
    data = text.encode()
    assert tuple(data[start:end] for start, end in trace.byte_offsets) == trace.tokens
    assert trace.byte_offsets[0][0] == 0
    assert trace.byte_offsets[-1][1] == len(data)
    assert [token.bytes for token in trace if token.special] == [b"<|end|>"]
    for token in trace:
        start, end = token.char_offsets
        assert token.partial or text[start:end].encode() == token.bytes
        assert token.bytes in text[start:end].encode()
    assert trace[2] == list(trace)[2]
    assert trace[-1] == list(trace)[-1]
    assert trace[0:2] == tuple(trace)[:2]
    assert trace[::-2] == tuple(trace)[::-2]
    assert len(trace) == len(trace.ids)


def test_pretokens_tell_their_tokens_and_their_alternative() -> None:
    tok = bp.train(texts=["ab ab"], num_merges=1, pattern=r"[a-z]+|[0-9]+", special_tokens=["<s>"])
    trace = tok.trace("ab<s>12 x", allowed_special="all")
    found = [(p.text, p.start, p.end, trace.tokens[p.first : p.last], p.alternative, p.source) for p in trace.pretokens]
    assert found == [
        (b"ab", 0, 2, (b"ab",), 0, "[a-z]+"),
        (b"12", 5, 7, (b"1", b"2"), 1, "[0-9]+"),
        (b" ", 7, 8, (b" ",), None, None),
        (b"x", 8, 9, (b"x",), 0, "[a-z]+"),
    ]
    assert [token.pretoken for token in trace] == [0, None, 1, 1, 2, 3]
    assert [pretoken.text for pretoken in tok.trace("ab 12").pretokens] == [b"ab", b" ", b"12"]


@pytest.mark.parametrize("entry", ["encode", "count", "trace", "explain", "steps"])
def test_errors_about_a_str_count_its_characters(entry: str) -> None:
    tok = bp.train(texts=["ab"], num_merges=0, alphabet="characters", special_tokens=["<s>"])
    ask = getattr(tok, entry)
    with pytest.raises(bp.UnknownSymbolError, match='"é" at character 3\n'):
        ask("ab é")
    with pytest.raises(bp.UnknownSymbolError, match='"é" at byte 3\n'):
        ask("ab é".encode())
    with pytest.raises(bp.SpecialTokenError, match="at character 4,"):
        ask("é é <s>", disallowed_special="all")
    with pytest.raises(bp.SpecialTokenError, match="at byte 6,"):
        ask(bytearray("é é <s>".encode()), disallowed_special="all")


def test_a_pattern_that_gives_up_on_a_str_counts_its_characters() -> None:
    tok = bp.train(texts=[], vocab_size=256, pattern=r"(a|aa)+\1b|é| at byte 7")
    text = "é" * 5 + "a" * 60
    found = []
    for given in (text, text.encode()):
        with pytest.raises(bp.PatternError) as caught:
            tok.encode(given)
        found.append(re.findall(r"gave up at (byte|character) (\d+)", str(caught.value)))
    assert found == [[("character", "5")], [("byte", "10")]]


def test_bytes_that_are_no_text_are_counted_as_decode_shows_them() -> None:
    data = b"a\xf0\x9fb\xff"
    trace = PLAIN.trace(data)
    assert trace.byte_offsets[-1] == (4, 5)
    assert trace.char_offsets == ((0, 1), (1, 2), (1, 2), (2, 3), (3, 4))
    assert len(PLAIN.decode(trace.ids)) == 4


def test_skipped_characters_have_no_token() -> None:
    tok = bp.train(texts=["ab"], num_merges=0, alphabet="characters")
    trace = tok.trace("? a?b", unknown="skip")
    assert trace.tokens == (b"a", b"b")
    assert trace.byte_offsets == ((2, 3), (4, 5))
    assert [(p.text, p.first, p.last) for p in trace.pretokens] == [(b"?", 0, 0), (b"a?b", 0, 2)]


def test_trees_are_made_of_the_merges() -> None:
    text = "lowest 漢字"
    trees = TOK.explain(text)
    assert [tree.id for tree in trees] == TOK.encode(text)
    assert b"".join(leaf.bytes for tree in trees for leaf in tree.leaves()) == text.encode()
    assert TOK.training is not None
    for root in trees:
        for _, tree in root.walk():
            if tree.left is None or tree.right is None:
                assert (tree.left, tree.right, tree.rank, tree.count) == (None, None, None, None)
                continue
            assert tree.bytes == tree.left.bytes + tree.right.bytes
            assert tree.rank is not None
            assert TOK.merges[tree.rank] == (tree.left.id, tree.right.id)
            assert tree.count == TOK.training.counts[tree.rank]


def test_a_tree_by_id_is_the_tree_by_text() -> None:
    [tree] = TOK.explain("low")
    assert TOK.explain(tree.id) == TOK.explain(np.uint32(tree.id)) == (tree,)  # type: ignore[arg-type]
    assert hash(TOK.explain(tree.id)[0]) == hash(tree)
    assert tree != TOK.explain("l")[0]
    assert repr(tree) == f"<MergeTree 'low' {tree.id}, 3 symbols>"
    with pytest.raises(bp.UnknownTokenError, match="no token has id 9999"):
        TOK.explain(9999)
    loaded = bp.Tokenizer.from_parts(bp.Parts(tokens=TOK.parts.tokens, merges=TOK.parts.merges))
    assert loaded.explain(tree.id)[0].count is None


def test_a_token_that_no_merge_makes_is_a_leaf() -> None:
    tok = bp.Tokenizer.from_parts(bp.Parts(tokens=(*BYTES, (256, b"abc")), merges=(), whole_first=True))
    [tree] = tok.explain("abc")
    assert (tree.id, tree.left, tree.rank) == (256, None, None)


def test_a_tree_shows_bytes_as_all_else_does() -> None:
    tok = bp.train(texts=["é é é"], num_merges=1)
    [tree] = tok.explain("é")
    assert str(tree).splitlines()[1:] == ["├─ '\\xc3' 195", "└─ '\\xa9' 169"]
    [tree] = tok.explain("\n")
    assert tree.text == "'\\n'"


def test_deep_trees_need_no_recursion() -> None:
    # ab, abb, abbb, ...: each token is the one before with one more letter.
    depth = 3000
    tokens = tuple((255 + n, b"a" + b"b" * n) for n in range(1, depth))
    merges = ((97, 98), *((255 + n, 98) for n in range(1, depth - 1)))
    tok = bp.Tokenizer.from_parts(bp.Parts(tokens=BYTES + tokens, merges=merges))
    [tree] = tok.explain(255 + depth - 1)
    assert len(tree.leaves()) == depth
    assert tree == tok.explain(255 + depth - 1)[0]
    assert str(tree).count("\n") == 2 * (depth - 1)
    assert repr(tree)
    assert hash(tree)


def test_steps_lead_from_symbols_to_ids() -> None:
    text = "lowest low"
    steps = TOK.steps(text)
    assert steps.start == tuple(tuple(bytes([byte]) for byte in pretoken.encode()) for pretoken in TOK.split(text))
    listed = list(steps)
    assert [steps[at] for at in range(len(steps))] == listed
    assert steps[-1] == listed[-1]
    assert steps[1:3] == tuple(listed[1:3])
    with pytest.raises(IndexError):
        steps[len(steps)]
    ends = {b"".join(symbols): symbols for symbols in steps.start}
    for step in listed:
        assert ends[step.pretoken] == step.before
        at = len(step.before) - len(step.after)
        assert at == 1
        assert step.pair[0] + step.pair[1] == TOK.bytes_of(step.id)
        assert b"".join(step.after) == step.pretoken
        ends[step.pretoken] = step.after
    assert [token for symbols in ends.values() for token in symbols] == [TOK.bytes_of(id) for id in TOK.encode(text)]
    assert repr(steps) == f"<Steps: {len(steps)} merges in 2 pretokens>"


def test_steps_of_a_long_pretoken_are_made_when_asked_for() -> None:
    tok = bp.train(texts=["ab" * 8], num_merges=3, pattern=None)
    steps = tok.steps("ab" * 50_000)
    assert len(steps) > 50_000
    assert steps[0].pair == (b"a", b"b")
    assert next(iter(steps)) == steps[0]


def test_characters_show_their_mark() -> None:
    tok = bp.train(texts=["low low"], num_merges=3, alphabet="characters", end_of_word="</w>")
    [tree] = tok.explain("low")
    assert str(tree).splitlines()[0].startswith("'low</w>' ")
    assert tree.bytes == b"low</w>"
    assert tok.steps("low").start == ((b"l", b"o", b"w", b"</w>"),)
