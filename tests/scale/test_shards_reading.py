"""`open_shards`: documents, lengths, windows, from any process and in any order."""

from __future__ import annotations

import hashlib
import pickle
import sys
import types
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bytepair as bp
from scale import sharding
from scale.sharding import END, TEXTS

pytestmark = pytest.mark.usefixtures("inline")
FORMATS: tuple[Any, ...] = ("nanogpt", "llm.c", "megatron", "npy", "parquet")


@pytest.fixture
def out(request: pytest.FixtureRequest, tok: bp.Tokenizer, tmp_path: Path) -> Path:
    source = sharding.jsonl(tmp_path / "a.jsonl", TEXTS)
    format: Any = getattr(request, "param", "nanogpt")
    bp.write_shards(tok, tmp_path / "out", files=source, format=format, append=END, shard_tokens=4)
    return tmp_path / "out"


@pytest.mark.parametrize("out", FORMATS, indirect=True)
def test_documents(out: Path, tok: bp.Tokenizer) -> None:
    expected = sharding.expected(tok, TEXTS, after=tok.special_tokens[END])
    shards = bp.open_shards(out)
    assert (len(shards), len(shards.shards), shards.tokens) == (6, 5, sum(map(len, expected)))
    assert [ids.tolist() for ids in shards] == expected
    assert [ids.tolist() for ids in shards[-3:]] == expected[-3:]
    assert (shards[2].tolist(), shards[-1].tolist()) == (expected[2], expected[-1])
    assert shards.lengths.tolist() == list(map(len, expected))
    assert tok.decode(shards[2][:-1]) == TEXTS[2]
    for index in (6, -7):
        with pytest.raises(IndexError, match=f"document {index} of 6"):
            shards[index]
    assert "6 documents" in repr(shards)
    if shards.manifest.settings.format != "parquet":  # mapped, and nobody's to write to
        assert not shards[0].flags.writeable
        assert not shards[0].flags.owndata


@pytest.mark.parametrize("out", FORMATS, indirect=True)
def test_windows(out: Path) -> None:
    shards = bp.open_shards(out)
    streams = [[id for document in shard for id in document.tolist()] for shard in shards.shards]
    windows = shards.windows(3, seed=7, count=200)
    assert len(windows) == 200
    for index in range(200):
        shard, start = windows.place(index)
        assert windows[index].tolist() == streams[shard][start : start + 3]
        assert len(windows[index]) == 3
    assert [window.tolist() for window in windows[3:5]] == [windows[3].tolist(), windows[4].tolist()]
    assert windows[-1].tolist() == windows[199].tolist()
    in_order = shards.windows(3, seed=None)
    assert [window.tolist() for window in in_order] == [
        stream[start : start + 3] for stream in streams for start in range(0, len(stream) - 2, 3)
    ]
    assert len(shards.windows(3)) == len(in_order)


def test_windows_are_where_the_hash_says(out: Path) -> None:
    """In so many words: number i of seed s begins at place hash(s, i) of all places where one can begin."""
    shards = bp.open_shards(out)
    places = [(number, start) for number, shard in enumerate(shards.shards) for start in range(shard.shard.tokens - 4)]
    windows = shards.windows(5, seed=3, count=1000)
    for index in range(1000):
        digest = hashlib.blake2b(f"3 {index}".encode(), digest_size=16).digest()
        assert windows.place(index) == places[int.from_bytes(digest, "big") % len(places)]


def test_every_place_is_as_likely(out: Path) -> None:
    shards = bp.open_shards(out)
    windows = shards.windows(2, seed=0, count=20_000)
    seen = Counter(map(windows.place, range(20_000)))
    places = sum(shard.shard.tokens - 1 for shard in shards.shards if shard.shard.tokens > 1)
    assert len(seen) == places
    mean = 20_000 / places
    assert sum((count - mean) ** 2 / mean for count in seen.values()) < 2 * places  # chi-squared: about `places`


def test_windows_that_cannot_be(out: Path) -> None:
    shards = bp.open_shards(out)
    with pytest.raises(ValueError, match="no shard has 1,000 tokens; the largest has"):
        shards.windows(1000)
    with pytest.raises(ValueError, match="length is 0"):
        shards.windows(0)
    most = len(shards.windows(3, seed=None))
    with pytest.raises(ValueError, match=f"count is {most + 1}, and {most} windows lie end to end"):
        shards.windows(3, seed=None, count=most + 1)
    with pytest.raises(IndexError, match="window 5 of 5"):
        shards.windows(3, count=5)[5]


@pytest.mark.parametrize("out", ["npy", "parquet"], indirect=True)
def test_another_process_has_the_same_windows(out: Path) -> None:
    windows = bp.open_shards(out).windows(3, seed=1, count=20)
    whole = [window.tolist() for window in windows]
    travelled = pickle.loads(pickle.dumps(windows))  # noqa: S301
    assert [travelled[index].tolist() for index in reversed(range(20))] == whole[::-1]


def test_addresses_and_other_places(out: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is no folder of this machine\nhint: copy"):
        bp.open_shards("s3://key:secret@bucket/shards")
    assert len(bp.open_shards(out.as_uri())) == len(bp.open_shards(out)) > 0
    (tmp_path / "file").write_text("")
    for name in ("nothing", "file", "."):
        with pytest.raises(FileNotFoundError, match=r"there is no `manifest.json` in"):
            bp.open_shards(tmp_path / name)


def test_opening_reads_no_ids(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are mapped when something of them is wanted first."""
    mapped: list[str] = []
    real = np.memmap.__new__

    def new(*arguments: Any, **options: Any) -> Any:
        mapped.append(str(arguments[1]))
        return real(*arguments, **options)

    monkeypatch.setattr(np.memmap, "__new__", new)
    shards = bp.open_shards(out)
    assert mapped == []
    assert shards[2].size
    assert {Path(name).stem for name in mapped} == {"000000-000001"}


def test_the_dataset_of_torch(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With torch if it is there; without, with what stands for the one function of it that is used."""
    windows = bp.open_shards(out).windows(4, seed=2, count=6)
    expected = [window.tolist() for window in windows]
    try:
        import torch  # noqa: PLC0415 - it need not be there
    except ImportError:
        warnings.warn("NOT TESTED: torch is not installed; as_torch was run with a stand-in", stacklevel=1)
        fake: Any = types.ModuleType("torch")
        fake.from_numpy = lambda array: array
        monkeypatch.setitem(sys.modules, "torch", fake)
        dataset = windows.as_torch()
        assert [dataset[index].tolist() for index in range(len(dataset))] == expected
        assert dataset[0].dtype == np.int64
        assert dataset[0].flags.writeable
        return
    for workers in (0, 2):
        loader = torch.utils.data.DataLoader(windows.as_torch(), batch_size=3, num_workers=workers)
        batches = list(loader)
        assert [batch.dtype for batch in batches] == [torch.int64] * 2
        assert torch.cat(batches).tolist() == expected


def test_without_torch(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match="as_torch needs torch"):
        bp.open_shards(out).windows(4).as_torch()
