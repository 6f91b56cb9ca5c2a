"""Folders that hold something else: they are refused, left as they are, and nobody is told to delete them."""

from __future__ import annotations

from pathlib import Path

import pytest

import bytepair as bp
from bytepair.scale import folder as folders
from bytepair.shards import job
from scale import sharding


@pytest.mark.parametrize(
    "name", ["manifest.json", "items/settings.json", "settings.json", "000000-0000.bin", "a/b.txt"]
)
@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"kind": "app", "version": 1}', b"\x00\xff"])
def test_what_is_not_ours(name: str, content: bytes, tok: bp.Tokenizer, tmp_path: Path) -> None:
    place = tmp_path / "app" / name
    place.parent.mkdir(parents=True)
    place.write_bytes(content)
    (place.parent / "other.json").write_text("{}")
    before = sharding.files_of(tmp_path / "app")
    texts = sharding.jsonl(tmp_path / "a.jsonl", ["low"])
    with pytest.raises(bp.FormatError, match="is no folder of shards, and not empty: it holds") as caught:
        bp.write_shards(tok, tmp_path / "app", files=texts)
    assert str(caught.value).endswith("\nhint: name a folder that is empty, or does not exist yet")
    assert sharding.files_of(tmp_path / "app") == before


@pytest.mark.usefixtures("inline")
@pytest.mark.parametrize("after", range(5))
def test_tidying_up_that_is_stopped(
    after: int, tok: bp.Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was begun and not noted is removed, and begun anew; whenever that is stopped, the next call goes on."""
    texts = sharding.jsonl(tmp_path / "a.jsonl", ["low", "lower", "the cat"])
    out = tmp_path / "out"
    bp.write_shards(tok, tmp_path / "whole", files=texts, shard_tokens=2)
    with monkeypatch.context() as patched:
        patched.setattr(job.Job, "__call__", lambda *_: pytest.fail("not in this test"))
        with pytest.raises(pytest.fail.Exception):
            bp.write_shards(tok, out, files=texts, shard_tokens=1)
    for name in ("000000-000000.bin", "000000-000001.bin", "documents/000000-000000.npy"):
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_bytes(b"of a worker that was lost")
    real, calls = folders._Near.remove, list[str]()  # noqa: SLF001

    def remove(folder: folders._Near, name: str) -> None:
        if len(calls) == after:
            raise KeyboardInterrupt
        calls.append(name)
        real(folder, name)

    with monkeypatch.context() as patched:
        patched.setattr(folders._Near, "remove", remove)  # noqa: SLF001
        with pytest.raises(KeyboardInterrupt):
            bp.write_shards(tok, out, files=texts, shard_tokens=2)
    bp.write_shards(tok, out, files=texts, shard_tokens=2)
    assert sharding.files_of(out) == sharding.files_of(tmp_path / "whole")
