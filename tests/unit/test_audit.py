"""The audit on vocabularies made to hold each defect, and against every short text."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
from bytepair.auditing.findings import KINDS
from bytepair.auditing.growth import POWERS
from bytepair.auditing.pieces import part_of
from bytepair.measuring.sweeping import sweep

BYTES = tuple((byte, bytes([byte])) for byte in range(256))
NEED_TEXTS = {"never_seen", "intermediate", "glitch"}


def made_of(*contents: bytes, pattern: str | None = None, specials: Sequence[bp.SpecialToken] = ()) -> bp.Tokenizer:
    """The bytes, and a token for each content, merged from what is before its last symbol and that symbol."""
    tokens, merges = list(BYTES), []
    ids = {content: id for id, content in tokens}
    for content in contents:
        cut = next(at for at in range(len(content) - 1, 0, -1) if content[:at] in ids and content[at:] in ids)
        merges.append((ids[content[:cut]], ids[content[cut:]]))
        ids[content] = len(tokens)
        tokens.append((len(tokens), content))
    parts = bp.Parts(tokens=tuple(tokens), merges=tuple(merges), pattern=pattern, specials=tuple(specials))
    return bp.Tokenizer.from_parts(parts)


def tokens(audit: bp.Audit, kind: str) -> list[bytes]:
    return [item.token for item in audit[kind].items]


def test_a_clean_vocabulary() -> None:
    audit = bp.audit(made_of(b"th", b"the"))
    assert audit.counts["single_bytes"] == 128
    assert audit.worst == "note"
    found = {kind for kind, count in audit.counts.items() if count}
    assert found == {"single_bytes", "unbounded_pretoken"}
    assert set(audit.counts) == set(KINDS) - NEED_TEXTS
    assert list(audit.counts) == [kind for kind in KINDS if kind in audit.counts]


def test_a_token_that_no_merges_make_is_proved_unreachable() -> None:
    # "ab" comes first and takes the b that "bc" and then "abc" would need.
    audit = bp.audit(made_of(b"ab", b"bc"), [b"abc"])
    assert audit.counts["unreachable"] == 0
    tokens_, merges = [*BYTES, (256, b"ab"), (257, b"bc"), (258, b"abc")], ((97, 98), (98, 99), (97, 257))
    tok = bp.Tokenizer.from_parts(bp.Parts(tokens=tuple(tokens_), merges=merges))
    audit = bp.audit(tok)
    assert tokens(audit, "unreachable") == [b"abc"]
    assert audit["unreachable"].items[0].detail == "no order of merges makes it; alone: 'ab' 'c'"
    assert audit.worst == "error"
    assert audit.contexts_tried == 0


def test_a_token_that_the_pattern_always_cuts() -> None:
    audit = bp.audit(made_of(b"a ", b"a b", pattern=r"\S+|\s+"))
    assert tokens(audit, "unreachable") == tokens(audit, "crosses_boundary") == [b"a ", b"a b"]
    assert audit["crosses_boundary"].items[1].detail == "cut: 'a' ' ' 'b'"


def test_a_token_that_something_must_stand_beside() -> None:
    tok = made_of(b"a-", pattern=r"[a-z]-(?=[0-9])|.")
    [item] = bp.audit(tok)["needs_context"].items
    assert item.context is not None
    assert 256 in tok.encode(item.context)
    # The pattern tells apart what no bank holds: only the texts show it.
    tok = made_of(b"a-", pattern=r"[a-z]-(?=qua)|.")
    assert bp.audit(tok)["needs_context"].items[0].context in {b"a-qua", b"'qua"}, "spelled out in the pattern"
    tok = made_of(b"a-", pattern=r"[a-z]-(?=[x][y][z])|.")
    assert tokens(bp.audit(tok), "unreachable") == [b"a-"]
    [item] = bp.audit(tok, ["nothing", "far away: aaa-xyz, and on"])["needs_context"].items
    assert item.context is not None
    assert 256 in tok.encode(item.context)


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"", "whole characters"),
        ("aп€😀".encode(), "whole characters"),
        (b"\xd0", "only parts"),
        (b"\xbf\xd0", "only parts"),
        (b"\x80\x80\x80", "only parts"),
        (b"\xe2\x82", "only parts"),
        (b" \xf0\x9f\x98", "a whole character and a part"),
        (b"\x80 ", "a whole character and a part"),
        (b"\x80\x80\x80\x80", "never valid"),
        (b"\xd0 ", "never valid"),
        (b"\xc0", "never valid"),
        (b"a\xff", "never valid"),
        (b"\xed\xa0", "never valid"),
    ],
)
def test_parts_of_characters(content: bytes, part: str) -> None:
    assert part_of(content) == part


@given(st.text(max_size=4).map(lambda text: text.encode("utf-8", "ignore")), st.data())
def test_a_piece_of_a_text_is_a_part(text: bytes, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    assert part_of(text[start : data.draw(st.integers(start, len(text)))]) != "never valid"


def test_what_tokens_hold() -> None:
    shown = ["\u200b", "\u202e", "é", "e\u0301", "<|end|>"]
    contents = {token.encode()[:size]: 0 for token in shown for size in range(2, len(token.encode()) + 1)}
    audit = bp.audit(made_of(*contents))
    assert tokens(audit, "zero_width") == ["\u200b".encode()]
    assert audit["zero_width"].items[0].detail == "U+200B ZERO WIDTH SPACE"
    assert tokens(audit, "bidirectional") == ["\u202e".encode()]
    assert tokens(audit, "nfc_duplicates") == ["e\u0301".encode()]
    assert tokens(audit, "special_looking") == [b"<|end|>"]
    assert {item.detail for item in audit["partial_utf8"].items} == {"only parts", "a whole character and a part"}
    assert tokens(bp.audit(made_of(b"\xd0 ")), "invalid_utf8") == [b"\xd0 "]


def test_text_that_gives_a_control_token() -> None:
    safe = made_of(b"<|", specials=[bp.SpecialToken("<|end|>", 257)])
    assert bp.audit(safe).counts["control_in_text"] == 0
    contents = [b"<|end|>"[:size] for size in range(2, 8)]
    forged = made_of(*contents, specials=[bp.SpecialToken("<|end|>", 261)])
    assert 261 in forged.encode("<|end|>")
    audit = bp.audit(forged)
    assert tokens(audit, "control_in_text") == [b"<|end|>"]
    assert audit.worst == "error"
    assert audit.counts["special"] == 1


def test_two_ids_of_the_same_bytes() -> None:
    audit = bp.audit(made_of(b"ab", specials=[bp.SpecialToken("ab", 300)]))
    assert [(item.id, item.detail) for item in audit["same_bytes"].items] == [(300, "as 256")]


def test_runs_are_counted_and_not_timed() -> None:
    cut = bp.audit(made_of(b"aa", pattern="a{1,4}|."))
    assert [run.longest_pretoken for run in cut.runs] == [4] * len(POWERS)
    whole = bp.audit(made_of(b"aa"))
    for shorter, longer in itertools.pairwise(whole.runs):
        assert longer.longest_pretoken == longer.length == 2 * shorter.length
        assert longer.merges == 2 * shorter.merges == longer.length // 2
        assert 3.8 < longer.looks / shorter.looks <= 4
    assert "a" not in {item.token.decode() for item in cut["unbounded_pretoken"].items}
    assert len(whole["unbounded_pretoken"].items) == 8


def test_looks_are_those_of_a_plain_loop() -> None:
    tok = made_of(b"aa", b"aaaa")
    for run in bp.audit(tok).runs[:3]:
        steps = tok.steps("a" * run.length)
        assert run.merges == len(steps)
        assert run.looks == sum(len(step.before) for step in steps)


def test_occurrences() -> None:
    tok = made_of(b"lo", b"low", b"er")
    texts: list[str | bytes] = ["low " * 30, b"lower"]
    audit = bp.audit(tok, iter(texts), errors="bytes")
    assert audit.texts_tokens == sum(map(tok.count, texts))
    assert [(item.token, item.detail) for item in audit["intermediate"].items] == [(b"lo", "made 31 times, 0 left")]
    never = tokens(audit, "never_seen")
    assert b"low" not in never
    assert b"lo" in never
    assert "glitch" not in audit.counts
    both = bp.audit(tok, ["low " * 30], model_texts=[" " * 60])
    assert tokens(both, "glitch") == [b"low"]
    with pytest.raises(KeyError, match="needs texts"):
        bp.audit(tok)["glitch"]


@given(st.text("low er", max_size=60))
def test_what_merges_made_is_counted_as_steps_show(text: str) -> None:
    tok = made_of(b"lo", b"low", b"er", b"we", b"lowe")
    made = [step.id for step in tok.steps(text)]
    ids = tok.encode(text)
    expected = {
        id: f"made {made.count(id):,} times, {ids.count(id):,} left"
        for id in set(made)
        if ids.count(id) < 0.05 * made.count(id)
    }
    assert {item.id: item.detail for item in bp.audit(tok, [text])["intermediate"].items} == expected


def test_characters() -> None:
    tok = bp.train(texts=["low low lower lowest"], alphabet="characters", end_of_word="</w>", num_merges=4)
    audit = bp.audit(tok, ["low lower"])
    assert audit.counts["unreachable"] == 0
    assert audit.runs == ()
    for item in audit["needs_context"].items:
        assert item.context is not None
        assert item.id in tok.encode(item.context)


def test_a_vocabulary_of_few_bytes() -> None:
    parts = bp.Parts(tokens=((0, b"b"), (5, b"c"), (9, b"bc")), merges=((0, 5),))
    audit = bp.audit(bp.Tokenizer.from_parts(parts), ["bcb"])
    assert (audit.tokens, audit.round_trip_alone, audit.texts_tokens) == (3, 3, 2)
    assert audit.runs == ()


merge_lists = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=6)


def from_pairs(pairs: Iterable[tuple[int, int]], pattern: str | None) -> bp.Tokenizer:
    """Merges of any two of the tokens so far; pairs that make what is there already are left out."""
    known, tokens_, merges = [97, 98, 32], list(BYTES), []
    contents = dict(BYTES)
    for left, right in pairs:
        one, two = known[left % len(known)], known[right % len(known)]
        content = contents[one] + contents[two]
        if len(content) > 4 or content in contents.values():
            continue
        merges.append((one, two))
        contents[len(tokens_)] = content
        known.append(len(tokens_))
        tokens_.append((len(tokens_), content))
    return bp.Tokenizer.from_parts(bp.Parts(tokens=tuple(tokens_), merges=tuple(merges), pattern=pattern))


@given(merge_lists, st.sampled_from([None, r" ?[ab]+|\s+", r"a+|b+|\s+", r"[ab]{1,2}|\s+(?!\S)|\s", r"ab|."]))
def test_against_every_short_text(pairs: list[tuple[int, int]], pattern: str | None) -> None:
    """Nothing is called unreachable that a text of up to seven letters gives, and every context gives its token."""
    tok = from_pairs(pairs, pattern)
    audit = bp.audit(tok)
    texts = ["".join(text) for size in range(1, 8) for text in itertools.product("ab ", repeat=size)]
    given_ids = {id for ids in tok.encode_batch(texts) for id in ids}
    assert not given_ids & {item.id for item in audit["unreachable"].items}
    for item in audit["needs_context"].items:
        assert item.context is not None
        assert item.id in tok.encode(item.context)


def test_shown_and_as_data() -> None:
    tok = made_of(b"a ", pattern=r"\S+|\s+")
    audit = bp.audit(tok, ["a <b> a"])
    data = json.loads(json.dumps(audit.to_dict()))
    assert {found["kind"]: found["count"] for found in data["findings"]} == audit.counts
    assert all(len(found["items"]) == found["count"] for found in data["findings"])
    assert len(audit.rows()) == sum(audit.counts.values())
    assert data["findings"][0] == audit["unreachable"].to_dict()
    assert audit["unreachable"].rows()[0]["bytes"] == "6120"
    assert len(str(audit["single_bytes"]).splitlines()) > 128
    assert max(map(len, str(audit).splitlines())) <= 80
    assert "unreachable" in str(audit)
    html = audit._repr_html_()
    assert "<table>" in html
    assert "<b>" not in html
    assert repr(audit) == f"<Audit of 257 tokens: kinds found 1 error, 0 warning, {notes(audit)} note>"


def notes(audit: bp.Audit) -> int:
    return sum(found.count > 0 for found in audit.findings if found.severity == "note")


def test_arrow() -> None:
    pytest.importorskip("pyarrow")
    audit = bp.audit(made_of(b"a ", pattern=r"\S+|\s+"))
    table = audit.to_arrow()
    assert table.to_pylist() == audit.rows()
    assert audit["unreachable"].to_arrow().num_rows == 1
    assert bp.audit(made_of(), table.column("token"))["never_seen"].count < 256


def test_pandas_and_arrow_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        bp.audit(made_of()).to_pandas()


@pytest.mark.parametrize("texts", ["one text", b"bytes", 3, [4], [None]])
def test_what_are_no_texts(texts: Any) -> None:
    with pytest.raises(TypeError, match="hint: "):
        bp.audit(made_of(b"ab", b"bc"), texts)


def test_model_texts_need_texts() -> None:
    with pytest.raises(TypeError, match="hint: pass texts= or files= too"):
        bp.audit(made_of(), model_texts=["a"])


def test_empty_texts() -> None:
    audit = bp.audit(made_of(), [], model_texts=[])
    assert (audit.texts_tokens, audit.counts["glitch"], audit.counts["never_seen"]) == (0, 0, 256)


def test_the_sweep_counts_what_encode_gives() -> None:
    tok = made_of(b"lo", b"low", b"er")
    text = b"low lower\xff\x00"
    swept = sweep(tok, [text], errors="bytes")
    ids, counts = swept.counts(swept.merges)
    assert dict(zip(ids.tolist(), counts.tolist(), strict=True)) == {
        id: tok.encode(text).count(id) for id in tok.encode(text)
    }
