"""Where two tokenizers differ, against the plainest way to find it."""

from __future__ import annotations

import json
from importlib import resources
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
from bytepair.measuring import stretches

ALICE = resources.files("bytepair.demo_data").joinpath("alice_body.txt").read_text("utf-8")
PARAGRAPHS = ALICE.split("\n\n")
LETTERS = "ab "
ONE = bp.train(texts=["ab aab abab ba bab"], num_merges=3)
OTHER = bp.train(texts=["bba abba ba ba aa"], num_merges=4, pattern=r"\w+|\s")


def plainly(one: bp.Tokenizer, other: bp.Tokenizer, text: str) -> list[tuple[int, bytes, list[bytes], list[bytes]]]:
    """The stretches that differ, from the ends of tokens."""
    raw = text.encode()
    cuts = [sorted({0, *(end for _, end in tok.trace(text).byte_offsets)}) for tok in (one, other)]
    common = [place for place in cuts[0] if place in cuts[1]]
    found = []
    for start, end in pairwise(common):
        inner = [[place for place in places if start <= place <= end] for places in cuts]
        if inner[0] != inner[1]:
            parts = [[raw[a:b] for a, b in pairwise(places)] for places in inner]
            found.append((start, raw[start:end], parts[0], parts[1]))
    return found


@given(texts=st.lists(st.text(LETTERS, max_size=20), max_size=4))
def test_stretches_of_any_texts(texts: list[str]) -> None:
    wanted = [(index, *one) for index, text in enumerate(texts) for one in plainly(ONE, OTHER, text)]
    found = bp.compare(ONE, OTHER, texts, examples=100)
    assert [(one.document, one.offset, one.text, list(one.first), list(one.second)) for one in found.earliest] == wanted
    assert {one.text: one.count for one in found.frequent} == {
        key: sum(text == key for _, _, text, _, _ in wanted) for _, _, key, _, _ in wanted
    }
    assert found.bytes - found.same_bytes == sum(len(text) for _, _, text, _, _ in wanted)
    assert found.documents - found.same_documents == len({index for index, *_ in wanted})
    assert found.tokens == tuple(sum(map(tok.count, texts)) for tok in (ONE, OTHER))


@given(texts=st.lists(st.text("ab é猫.1", max_size=40), max_size=3), size=st.integers(1, 9))
def test_documents_in_parts(texts: list[str], size: int) -> None:
    whole, parts = (stretches.Stretches((ONE, OTHER), 100, 1) for _ in range(2))
    for text in texts:
        whole.add([text.encode()])
        for start in range(0, len(text), size):
            parts.add_part(text[start : start + size].encode(), is_last=False)
        parts.add_part(b"", is_last=True)
    assert (parts.frequent(), parts.earliest()) == (whole.frequent(), whole.earliest())
    for name in ("documents", "same_documents", "bytes", "same_bytes"):
        assert getattr(parts, name) == getattr(whole, name)
    for one, other in zip(parts.counts, whole.counts, strict=True):
        assert (one == other).all()


def test_a_file_larger_than_a_part(tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    path.write_text("\n\n".join(PARAGRAPHS) * 60, encoding="utf-8")
    small, large = (bp.train(texts=PARAGRAPHS, vocab_size=size) for size in (2000, 2048))
    in_parts = bp.compare(small, large, files=path)
    assert in_parts.bytes > 9_000_000
    assert in_parts.to_dict() == bp.compare(small, large, [path.read_text("utf-8")]).to_dict()


def test_a_tokenizer_and_itself() -> None:
    found = bp.compare(ONE, ONE, ["ab ba", "aab"])
    assert (found.same, found.same_documents, found.frequent, found.earliest) == (1, 2, (), ())
    assert (found.common, found.same_ids, found.moved, found.only_first) == (259, 259, (), ())
    assert "100.0 % of the text is cut the same" in str(found)


def test_vocabularies() -> None:
    one = bp.train(texts=["ab ab cd"], num_merges=2, pattern="gpt2", special_tokens=["<|end|>"])
    other = bp.train(texts=["cd cd cd ab xy"], num_merges=3, pattern="gpt2")
    found = bp.compare(one, other, ["ab cd"])
    tokens = [{tok.bytes_of(id) for id in range(256, 256 + n)} for tok, n in ((one, 2), (other, 3))]
    both = tokens[0] & tokens[1]
    assert found.common == 256 + len(both)
    assert found.same_ids == found.common - len(found.moved)
    assert set(found.only_first) == tokens[0] - tokens[1]
    assert set(found.only_second) == tokens[1] - tokens[0]
    for token, first, second in found.moved:
        assert one.bytes_of(first) == other.bytes_of(second) == token
        assert first != second


def test_many_stretches_are_forgotten_but_the_frequent(monkeypatch: pytest.MonkeyPatch) -> None:
    small = bp.train(texts=PARAGRAPHS, vocab_size=400)
    large = bp.train(texts=PARAGRAPHS, vocab_size=800)
    whole = bp.compare(small, large, PARAGRAPHS, examples=5)
    monkeypatch.setattr(stretches, "MOST", 200)
    assert [one.text for one in bp.compare(small, large, PARAGRAPHS, examples=5).frequent] == [
        one.text for one in whole.frequent
    ]


def test_every_form() -> None:
    found = bp.compare(ONE, OTHER, ["aab <ab> \x1b[31m abab", "é猫"], names=("one", "<other>"))
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["names"] == ["one", "<other>"]
    assert plain["frequent"] == json.loads(json.dumps(found.rows()))
    assert "&lt;other&gt;" in found._repr_html_()
    assert "\x1b" not in str(found)
    assert max(map(len, str(found).splitlines())) <= 80


def test_nothing() -> None:
    found = bp.compare(ONE, OTHER, [])
    assert found.to_dict()["same"] is None
    assert str(found)


def test_refusals() -> None:
    characters = bp.train(texts=["low"], num_merges=1, alphabet="characters")
    with pytest.raises(bp.UnknownSymbolError, match="x"):
        bp.compare(ONE, characters, ["lox"])
    with pytest.raises(TypeError, match="is of type `str`"):
        bp.compare(ONE, "other", ["low"])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="give two names"):
        bp.compare(ONE, OTHER, ["low"], names=("one",))  # type: ignore[arg-type]
