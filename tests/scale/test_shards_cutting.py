"""Which document goes into which shard depends on the documents only, and no shard but an item's last is too small."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
from bytepair.data import corpus
from bytepair.data.batches import Documents, Part, Rows
from bytepair.scale.folder import folder_at
from bytepair.shards.cutting import Cutting
from bytepair.shards.encoding import Encoding
from bytepair.shards.formats import format_of
from scale import sharding

LENGTHS = st.lists(st.one_of(st.just(0), st.integers(1, 3), st.integers(4, 30)), max_size=30)


def shards(folder: Path, lengths: list[int], batches: list[int], most: int) -> list[list[list[int]]]:
    """The documents of each shard; ids are given to the writer in pieces that end where `batches` says."""
    ids = np.arange(sum(lengths), dtype=np.uint32)
    ends = np.cumsum(lengths, dtype=np.int64)
    edges = sorted({0, len(ids), *(edge % (len(ids) + 1) for edge in batches)})
    with Cutting(folder_at(folder), format_of("npy"), np.dtype(np.uint32), most=most, stem="a") as cutting:
        first = 0
        for start, stop in zip(edges, [*edges[1:], len(ids)], strict=True):
            # An end at an edge may come with the ids before it, or with those after it, or with none.
            last = int(np.searchsorted(ends, stop, side="right" if stop % 2 or stop == len(ids) else "left"))
            cutting.add(ids[start:stop], ends[first:last] - start)
            first = max(first, last)
        written = cutting.end()
    found = []
    for shard in written:
        stream = np.load(folder / shard.files[0].name)
        places = np.load(folder / shard.files[1].name).tolist()
        found.append([stream[start:end].tolist() for start, end in pairwise(places)])
        assert (shard.tokens, shard.documents) == (len(stream), len(places) - 1)
    return found


@given(lengths=LENGTHS, batches=st.lists(st.integers(0, 500), max_size=8), most=st.integers(1, 20))
def test_batches_change_nothing(
    lengths: list[int], batches: list[int], most: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    stops = np.cumsum([0, *lengths]).tolist()
    documents = [list(range(start, stop)) for start, stop in pairwise(stops)]
    found = shards(tmp_path_factory.mktemp("cut"), lengths, batches, most)
    assert found == sharding.cut(documents, most)
    for shard in found[:-1]:
        assert sum(map(len, shard)) >= most
        assert sum(map(len, shard[:-1])) < most or not shard[-1]


def test_a_document_larger_than_a_shard_stays_whole(tmp_path: Path) -> None:
    assert [list(map(len, shard)) for shard in shards(tmp_path, [2, 50, 0, 3, 9], [1, 20, 40], 5)] == [
        [2, 50, 0],
        [3, 9],
    ]


def test_documents_without_a_token(tmp_path: Path) -> None:
    assert shards(tmp_path, [0, 0], [], 1) == [[[], []]]


@pytest.mark.parametrize("format", ["nanogpt", "llm.c", "megatron", "npy", "parquet"])
def test_nothing_is_left_of_a_shard_that_failed(format: str, tmp_path: Path) -> None:
    def fail() -> None:
        with Cutting(folder_at(tmp_path), format_of(format), np.dtype(np.uint32), most=9, stem="a") as cutting:
            cutting.add(np.arange(3, dtype=np.uint32), np.array([2]))
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        fail()
    assert list(tmp_path.iterdir()) == []


TEXTS = st.lists(st.text(max_size=12), max_size=8)


@given(texts=TEXTS, kind=st.sampled_from(["documents", "rows", "large rows"]), data=st.data())
def test_batches_of_all_kinds(texts: list[str], kind: str, data: st.DataObject) -> None:
    """Documents, rows of Arrow (some null, some cut off) and parts: the ids of `encode` with what stands around."""
    tok = sharding.tokenizer()
    encoding = Encoding(tok, np.dtype(np.uint16), before=(7, 8), after=(9,), unknown="raise", threads=1)
    there = list(texts)
    if kind == "documents":
        batches: Any = [Documents([text.encode("utf-8", "replace") for text in texts], str, 0)]
        there = [text.encode("utf-8", "replace").decode() for text in texts]
    else:
        nulls = data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts)))
        first = data.draw(st.integers(0, len(texts)))
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        rows = [None if null else text for text, null in zip(clean, nulls, strict=True)]
        column = pa.array(rows, pa.string() if kind == "rows" else pa.large_string()).slice(first)
        batches = list(corpus(texts=column))
        assert all(isinstance(batch, Rows) for batch in batches)
        there = [text for text in rows[first:] if text is not None]
    ids: list[int] = []
    ends, text_bytes, nulls_found = [0], 0, 0
    for some in encoding.encoded(batches):
        ends += [len(ids) + int(end) for end in some.ends]
        ids += some.ids.tolist()
        text_bytes += some.text_bytes
        nulls_found += some.nulls
    assert [ids[start:end] for start, end in pairwise(ends)] == [[7, 8, *tok.encode(text), 9] for text in there]
    assert text_bytes == sum(len(text.encode()) for text in there)
    if kind != "documents":
        assert nulls_found == len(rows[first:]) - len(there)


@given(text=st.text(max_size=40), cuts=st.lists(st.integers(0, 200), max_size=4))
def test_a_document_in_parts(text: str, cuts: list[int]) -> None:
    content = text.encode("utf-8", "replace")
    edges = sorted({0, len(content), *(cut % (len(content) + 1) for cut in cuts)})
    tok = sharding.tokenizer()
    encoding = Encoding(tok, np.dtype(np.uint16), before=(7,), after=(9,), unknown="raise", threads=1)
    spans = list(pairwise(edges)) or [(0, 0)]
    parts = [Part(content[start:stop], index == len(spans) - 1, "a", 0) for index, (start, stop) in enumerate(spans)]
    for _ in range(2):  # and another document after it
        some = list(encoding.encoded(parts))
        ids = [id for piece in some for id in piece.ids.tolist()]
        assert ids == [7, *tok.encode(content), 9]
        assert [len(piece.ends) for piece in some] == [0] * (len(parts) - 1) + [1]
        assert some[-1].ends.tolist() == [len(some[-1].ids)]


def test_an_error_names_the_document() -> None:
    tok = bp.train(texts=["low"], num_merges=1, alphabet="characters", end_of_word="</w>")
    encoding = Encoding(tok, np.dtype(np.uint16), before=(), after=(), unknown="raise", threads=1)
    batches: Any = [
        [Documents(["low", "lot"], "line {}".format, 0)],
        [Part(b"lot", True, "line 1", 0)],
    ]
    for batch in batches:
        with pytest.raises(bp.UnknownSymbolError, match=r'^line 1: .*"t"'):
            list(encoding.encoded(batch))
