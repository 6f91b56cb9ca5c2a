"""Every answer for every kind of tokenizer: bytes, characters, marks, rank files, SentencePiece's, normalised ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bytepair as bp
from bytepair.normalizing import Decoder, Normalizer, Step
from bytepair.parts import MARK, Parts, SpecialToken
from bytepair.playground import limits
from bytepair.playground.endpoints import ENDPOINTS, Endpoint
from bytepair.playground.fields import RequestError
from bytepair.playground.shelf import Shelf

BYTES = tuple((byte, bytes((byte,))) for byte in range(256))
TEXT = "The cat 🌱 сат\n\tÉ 123<s>\0"


def pieces() -> bp.Tokenizer:
    """As SentencePiece has them: characters, a space as `▁`, and bytes for all else."""
    contents = [sign.encode() for sign in "▁tcahe"] + [MARK + bytes((byte,)) for byte in range(256)]
    contents += ["▁c".encode(), "▁ca".encode()]
    return bp.Tokenizer.from_parts(
        Parts(
            alphabet="unicode",
            tokens=tuple(enumerate(contents)),
            merges=((0, 2), (len(contents) - 2, 3)),
            specials=(SpecialToken("<unk>", 5000), SpecialToken("<s>", 5001)),
            unknown=5000,
            normalizer=Normalizer((Step("prepend", ("▁",)), Step("replace", (" ", "▁")))),
            decoder=Decoder("▁", 1),
        )
    )


def lower() -> bp.Tokenizer:
    """Bytes, after the text was made small and taken apart."""
    tokens = (*BYTES, (256, b"th"), (257, b"the"))
    normalizer = Normalizer((Step("nfd"), Step("lowercase")))
    return bp.Tokenizer.from_parts(Parts(tokens=tokens, merges=((116, 104), (256, 101)), normalizer=normalizer))


def ranks() -> bp.Tokenizer:
    tokens = (*BYTES, (256, b"at"), (257, b"cat"), (300, b" cat"))
    return bp.Tokenizer.from_parts(Parts(tokens=tokens, merges=None, whole_first=True, pattern=bp.PATTERNS["cl100k"]))


def kinds() -> Iterator[tuple[str, bp.Tokenizer]]:
    text = ["the cat sat on the mat"]
    yield "bytes", bp.train(texts=text, num_merges=9, special_tokens=["<s>"])
    yield "characters", bp.train(texts=text, num_merges=7, alphabet="characters")
    yield "mark", bp.train(texts=text, num_merges=9, alphabet="characters", end_of_word="</w>")
    joined: Any = {"end_of_word": "</w>", "end_of_word_joined": True}
    yield "joined", bp.train(texts=text, num_merges=7, alphabet="characters", **joined)
    yield "no pattern", bp.train(texts=text, num_merges=9, pattern=None)
    yield "ranks", ranks()
    yield "pieces", pieces()
    yield "lower", lower()


TOKENIZERS = dict(kinds())
ON_TOKENIZERS = [one for one in ENDPOINTS if "tokenizer" in one.example and one.path != "decode"]


@pytest.mark.parametrize("endpoint", ON_TOKENIZERS, ids=lambda one: one.path)
@pytest.mark.parametrize("kind", TOKENIZERS)
def test_every_answer(endpoint: Endpoint, kind: str) -> None:
    shelf = Shelf(TOKENIZERS)
    for text in (TEXT, "the cat", "", " "):
        request = {**endpoint.example, "tokenizer": kind, **({"text": text} if "text" in endpoint.fields else {})}
        if "merges" in request:
            request["merges"] = 2
        try:
            found = endpoint.answer(shelf, request)
        except (bp.UnknownSymbolError, bp.UnknownTokenError, RequestError) as error:
            assert endpoint.path in {"encode", "count", "explain", "token"}, error  # noqa: PT017
            continue
        except ValueError as error:  # no sweep of a tokenizer that normalises
            assert endpoint.path in {"sizes", "size"}
            assert "normalises texts" in str(error)  # noqa: PT017
            assert kind in {"pieces", "lower"}
            continue
        json.dumps(found, allow_nan=False)


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_all_views_and_filters(kind: str) -> None:
    shelf, tok = Shelf(TOKENIZERS), TOKENIZERS[kind]
    paths = {one.path: one.answer for one in ENDPOINTS}
    for view in ("tokens", "ids", "bytes", "pretokens"):
        found = paths["read"](shelf, {"tokenizer": kind, "text": TEXT, "view": view, "context": 3, "special": True})
        assert bool(found["note"]) == (tok.alphabet == "characters")
        assert found["tokens"] == len(tok.encode(TEXT, unknown="skip", allowed_special="all"))
    for chosen in ("merged", "all", "space", "part", "unseen", "longest"):
        found = paths["vocabulary"](shelf, {"tokenizer": kind, "filter": chosen, "text": TEXT})
        assert found["total"] <= len(tok)
    assert paths["vocabulary"](shelf, {"tokenizer": kind, "filter": "all"})["total"] == len(tok)
    for id in tok.vocabulary:
        paths["token"](shelf, {"tokenizer": kind, "id": id})
    found = paths["beside"](shelf, {"tokenizers": [kind, "bytes"], "text": TEXT})
    assert [side["name"] for side in found["sides"]] == [kind, "bytes"]


def test_models_in_a_cache_are_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tok = bp.train(texts=["the cat sat on the mat"], num_merges=9)
    for model, commit in {
        "models--owner--mini": "a" * 40,
        "models--owner--bare": "b" * 40,
        "models--x": "c" * 40,
    }.items():
        folder = tmp_path / "hub" / model
        (folder / "refs").mkdir(parents=True)
        (folder / "refs" / "main").write_text(commit)
        (folder / "snapshots" / commit).mkdir(parents=True)
        if model != "models--owner--bare":
            tok.save(folder / "snapshots" / commit / "tokenizer.json")
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    shelf = Shelf()
    found = [row["name"] for row in shelf.rows() if row["kind"] == "found"]
    assert [name for name in found if name.startswith("owner/")] == ["owner/mini"]
    assert shelf.get("owner/mini") == tok
    assert Shelf().get("owner/mini") == tok  # a link may ask for it before the list is asked for


def test_no_name_is_given_twice() -> None:
    shelf = Shelf()
    names = [shelf.add(TOKENIZERS["lower"], "a training") for _ in range(12)]
    assert len(set(names)) == len(names)
    assert names[-1] == "trained-12"


def test_tokens_of_a_megabyte_are_not_drawn_whole() -> None:
    """A file may hold them: their trees have millions of nodes, and one of them is a page by itself."""
    tok = bp.train(texts=["a" * (1 << 21)], num_merges=20, pattern=None)
    shelf = Shelf({"deep": tok})
    paths = {one.path: one.answer for one in ENDPOINTS}
    assert len(tok.bytes_of(275)) == 1 << 20
    found = paths["token"](shelf, {"id": 275})
    assert (found["bytes"], found["html"], found["rank"]) == (1 << 20, "", None)
    assert found["token"].endswith("a…")
    assert len(json.dumps(found)) < 10_000
    with pytest.raises(RequestError, match="the token 275 has 1,048,576 bytes"):
        paths["tree"](shelf, {"id": 275})
    assert paths["token"](shelf, {"id": 265})["rank"] == 9
    assert len(paths["vocabulary"](shelf, {"filter": "longest"})["html"]) < 50_000
    read = {"text": "a" * limits.MOST_TRACED, "view": "bytes"}
    assert len(paths["read"](shelf, read)["html"]) < 100_000
