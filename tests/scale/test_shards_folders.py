"""Folders that hold something else: they are refused, left as they are, and nobody is told to delete them."""

from __future__ import annotations

from pathlib import Path

import pytest

import bytepair as bp
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
