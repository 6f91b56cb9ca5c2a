"""Shards are the same on every engine, byte for byte, and so is what is found wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bytepair as bp
from bytepair.shards import writing
from scale import sharding
from scale.running import ENGINES, run_on
from scale.sharding import END, Inline


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    for number in range(4):
        sharding.jsonl(folder / f"{number}.jsonl", [f"the cat sat {number} {text}" for text in sharding.TEXTS * 4])
    return folder


@pytest.fixture(scope="module")
def expected(corpus: Path, tok: bp.Tokenizer) -> dict[str, bytes]:
    """What is made in this process."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(writing, "opened", Inline().opened)
        patched.setattr(writing, "SIZE", 1)
        bp.write_shards(tok, corpus / "expected", files=f"{corpus}/*.jsonl", append=END, shard_tokens=50)
    return sharding.files_of(corpus / "expected")


@pytest.mark.parametrize("engine", ENGINES)
def test_the_same_on_every_engine(
    engine: Any, corpus: Path, tok: bp.Tokenizer, expected: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    running = run_on(engine)
    monkeypatch.setattr(writing, "SIZE", 1)
    out = corpus / engine
    bp.write_shards(tok, out, files=f"{corpus}/*.jsonl", append=END, shard_tokens=50, engine=engine, **running)
    assert sharding.files_of(out) == expected
    assert bp.verify_shards(out, tok, engine=engine, **running).faults == ()
    (out / "000002-000000.bin").write_bytes(b"")
    (fault,) = bp.verify_shards(out, tok, engine=engine, **running).faults
    assert f"`{out}/000002-000000.bin` is cut short" in fault.message


@pytest.mark.parametrize("engine", ENGINES)
def test_an_error_on_every_engine(engine: Any, tok: bp.Tokenizer, tmp_path: Path) -> None:
    running = run_on(engine)
    (tmp_path / "bad.jsonl").write_text('{"text": "low"}\n{"text": 7}\n')
    with pytest.raises(bp.TextError, match=r"bad.jsonl`, line 2: `text` is a number, no string"):
        bp.write_shards(tok, tmp_path / "out", files=tmp_path / "bad.jsonl", engine=engine, **running)
