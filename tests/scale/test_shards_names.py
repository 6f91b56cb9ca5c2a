"""What shards are called, and files of theirs that a glob finds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
from bytepair.shards import manifest
from scale import shard_readers, sharding
from scale.sharding import END, TEXTS

pytestmark = pytest.mark.usefixtures("inline")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Two files of JSON lines."""
    for name in ("a", "b"):
        sharding.jsonl(tmp_path / f"{name}.jsonl", [name, *TEXTS])
    return tmp_path


def make(tok: bp.Tokenizer, corpus: Path, **options: Any) -> Any:
    asked: dict[str, Any] = {"append": END, "shard_tokens": 20, "files": f"{corpus}/*.jsonl"} | options
    return bp.write_shards(tok, corpus / "out", **asked)


@given(items=st.integers(1, 10**8), numbers=st.lists(st.integers(0, 10**8), min_size=2), at=st.integers(0, 10**6 - 1))
def test_names_stand_in_the_order_of_shards(items: int, numbers: list[int], at: int) -> None:
    found = sorted((number % items, (at * (number + 1)) % manifest.MOST_SHARDS) for number in numbers)
    names = [manifest.shard_name(manifest.stem_of(item, items), shard) for item, shard in found]
    assert names == sorted(names)
    assert all(manifest.OURS.fullmatch(f"{name}.bin") for name in names)


def test_too_many_shards_of_an_item(tok: bp.Tokenizer, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest, "MOST_SHARDS", 2)
    with pytest.raises(bp.FormatError, match="a file makes more than 2 shards\nhint: make shards larger"):
        make(tok, corpus, shard_tokens=1)
    assert not (corpus / "out" / manifest.NAME).exists()


def test_names_of_older_shards_are_taken(tok: bp.Tokenizer, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A manifest names its files, and so they have the names that they had."""
    with monkeypatch.context() as patched:
        patched.setattr("bytepair.shards.cutting.shard_name", lambda stem, number: f"{stem}-{number:04}")
        before = make(tok, corpus)
    assert before.shards[0].name == "000000-0000"
    assert [ids.tolist() for ids in bp.open_shards(corpus / "out")] == [
        document for shard in shard_readers.read(corpus / "out") for document in shard
    ]
    assert bp.verify_shards(corpus / "out", tok, workers=1).faults == ()
    assert make(tok, corpus) == before


def test_a_glob_that_reaches_into_the_result(tok: bp.Tokenizer, corpus: Path) -> None:
    """The second time it finds what the first has made, and that is not read."""
    asked: dict[str, Any] = {"files": f"{corpus}/**/*", "input_format": "text", "errors": "bytes"}
    first = make(tok, corpus, **asked)
    there = sharding.files_of(corpus / "out")
    with pytest.warns(bp.TextWarning, match=r"\d+ files in `.*/out`, which is written, are not read\nhint: name the"):
        assert make(tok, corpus, **asked) == first
    assert sharding.files_of(corpus / "out") == there
    (corpus / "out" / first.shards[0].files[0].name).unlink()  # and where something is to be made again
    with pytest.warns(bp.TextWarning, match="not read"):
        assert make(tok, corpus, **asked) == first
    assert sharding.files_of(corpus / "out") == there
    with pytest.raises(bp.FormatError, match=r"out/manifest.json` was made with something else"):
        make(tok, corpus, files=f"{corpus}/out/*.bin", input_format="text", errors="bytes")
