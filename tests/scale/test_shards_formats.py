"""Every format, read as the programs read it that it is for, gives the ids of `encode`."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bytepair as bp
from bytepair.shards import parquet
from bytepair.shards.formats import format_of
from bytepair.shards.megatron import Megatron
from scale import shard_readers, sharding
from scale.sharding import END, START, TEXTS

pytestmark = pytest.mark.usefixtures("inline")
FORMATS: tuple[Any, ...] = ("nanogpt", "llm.c", "megatron", "npy", "parquet")


def written(tok: bp.Tokenizer, folder: Path, texts: list[str], **options: Any) -> Path:
    source = sharding.jsonl(folder / "texts.jsonl", texts)
    bp.write_shards(tok, folder / "out", files=source, **options)
    return folder / "out"


@pytest.mark.parametrize("format", FORMATS)
def test_ids_are_those_of_encode(tok: bp.Tokenizer, format: Any, tmp_path: Path) -> None:
    out = written(tok, tmp_path, TEXTS, format=format, append=END, prepend=START, shard_tokens=5)
    special = tok.special_tokens
    documents = sharding.expected(tok, TEXTS, before=special[START], after=special[END])
    assert shard_readers.read(out) == sharding.cut(documents, 5)
    assert [len(shard) for shard in shard_readers.read(out)] == [1, 2, 1, 1, 1]
    manifest = json.loads((out / "manifest.json").read_text())
    assert (manifest["documents"], manifest["tokens"]) == (len(TEXTS), sum(map(len, documents)))
    assert manifest["text_bytes"] == len("".join(TEXTS).encode())
    assert manifest["settings"]["fingerprint"] == tok.fingerprint
    assert not bp.verify_shards(out, tok).faults


def test_a_special_token_in_a_text_is_text(tok: bp.Tokenizer, tmp_path: Path) -> None:
    out = written(tok, tmp_path, [END], append=END)
    ids = shard_readers.nanogpt(out / "000000-000000.bin")
    assert ids[-1] == tok.special_tokens[END]
    assert tok.special_tokens[END] not in ids[:-1]
    assert tok.decode(ids[:-1]) == END


@pytest.mark.parametrize(
    ("n_vocab", "plain", "megatron"),
    [
        (65_535, "uint16", "uint16"),
        (65_536, "uint16", "uint16"),
        (65_537, "uint32", "int32"),
        (2**31, "uint32", "int32"),
    ],
)
@pytest.mark.parametrize("format", FORMATS)
def test_the_type_of_ids(format: Any, n_vocab: int, plain: str, megatron: str, tmp_path: Path) -> None:
    """The highest id comes back, whatever the type."""
    tok = sharding.with_ids(n_vocab)
    options: dict[str, Any] = {"format": format, "append": END}
    if format == "nanogpt" and n_vocab > 65_536:
        with pytest.warns(
            bp.FormatWarning, match="ids are written as uint32, since there are .*, and nanoGPT's train.py reads uint16"
        ):
            out = written(tok, tmp_path, ["ab"], **options)
    else:
        out = written(tok, tmp_path, ["ab"], **options)
    expected = {"megatron": megatron, "parquet": "uint32"}.get(format, plain)
    assert json.loads((out / "manifest.json").read_text())["settings"]["dtype"] == expected
    assert shard_readers.read(out) == [[[97, 98, n_vocab - 1]]]
    opened = bp.open_shards(out)
    assert opened[0].dtype == expected
    assert opened[0].tolist() == [97, 98, n_vocab - 1]


def test_ids_that_megatron_has_no_type_for(tmp_path: Path) -> None:
    tok = sharding.with_ids(2**31 + 1)
    with pytest.raises(bp.FormatError, match="n_vocab is 2147483649, and Megatron's ids are at most 2,147,483,647"):
        written(tok, tmp_path, ["ab"], format="megatron")
    assert not (tmp_path / "out").exists()


def test_what_int32_cannot_count() -> None:
    """A document and a shard of more tokens than their headers have room for; nobody writes 4 GB for a test."""
    with pytest.raises(bp.FormatError, match=r"document 1 of the shard has 2,147,483,648 tokens"):
        Megatron().offsets(np.array([0, 3, 3 + 2**31], np.uint64), np.dtype(np.uint16))
    assert format_of("llm.c").most_tokens == 2**31 - 1
    with pytest.raises(ValueError, match="shard_tokens is 2147483648"):
        bp.write_shards(sharding.tokenizer(), "nowhere", files="nothing", format="llm.c", shard_tokens=2**31)


def test_shards_of_nanogpt_end_to_end_are_one_file(tok: bp.Tokenizer, tmp_path: Path) -> None:
    """As the guide says, `cat shards/*.bin > train.bin`."""
    out = written(tok, tmp_path, TEXTS, append=END, shard_tokens=7)
    whole = b"".join(path.read_bytes() for path in sorted(out.glob("*.bin")))
    (tmp_path / "train.bin").write_bytes(whole)
    expected = sharding.expected(tok, TEXTS, after=tok.special_tokens[END])
    assert shard_readers.nanogpt(tmp_path / "train.bin") == [id for document in expected for id in document]


@settings(max_examples=30)
@given(
    lengths=st.lists(st.lists(st.integers(0, 9), max_size=6), max_size=6),
    group=st.integers(1, 12),
    spans=st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=5),
)
def test_groups_of_parquet(
    lengths: list[list[int]],
    group: int,
    spans: list[tuple[int, int]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Rows come back whatever batches they came in, and a span of ids whatever groups it lies in."""
    path = tmp_path_factory.mktemp("groups") / "a.parquet"
    before, parquet.GROUP = parquet.GROUP, group
    try:
        ids = np.arange(sum(map(sum, lengths)), dtype=np.uint32)
        offsets = np.cumsum([0, *(length for batch in lengths for length in batch)]).astype(np.uint64)
        format, dtype = parquet.Parquet(), np.dtype(np.uint32)
        with path.open("wb") as file:
            pen, start = format.pen(file, dtype), 0
            for batch in lengths:
                half = sum(batch) // 2  # a document may come in parts
                ends = np.cumsum(batch, dtype=np.int64)
                pen.add(ids[start : start + half], ends[ends <= half])
                pen.add(ids[start + half : start + sum(batch)], ends[ends > half] - half)
                start += sum(batch)
            pen.end()
    finally:
        parquet.GROUP = before
    rows = [ids[start:end].tolist() for start, end in pairwise(offsets)]
    assert shard_readers.parquet(path) == rows
    stored = format.stored(path, offsets, dtype)
    for start, stop in [*spans, (0, len(ids))]:
        assert stored[start:stop].tolist() == ids[start:stop].tolist()
