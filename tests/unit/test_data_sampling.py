"""A sample: the documents that a plain oracle takes, in any order, from any kind of source; memory; what is said."""

from __future__ import annotations

import hashlib
import io
import json
import random
import tracemalloc
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
from bytepair import data
from bytepair.data import batches, sampling

pytestmark = pytest.mark.filterwarnings("ignore::bytepair.errors.TextWarning")
TEXTS = st.lists(st.text("ab\n", max_size=12), max_size=40)


def key(text: bytes, seed: int, source: str | None) -> int:
    name = b"" if source is None else source.encode() + b"\0"
    return int.from_bytes(hashlib.blake2b(b"%d\0" % seed + name + text, digest_size=8).digest(), "big")


def oracle(texts: list[bytes], sample: int, seed: int, source: str | None = None) -> Counter[bytes]:
    """The documents of the smallest keys, for as long as they fit; those that are larger than all are not there."""
    taken, left = Counter[bytes](), sample
    for text in sorted(
        (text for text in texts if len(text) <= sample), key=lambda text: (key(text, seed, source), len(text))
    ):
        left -= len(text)
        if left < 0:
            break
        taken[text] += 1
    return taken


def documents(**source: Any) -> list[bytes]:
    found = [text for batch in data.corpus(**source).documents() for text in batch.documents]
    return [text.encode() if isinstance(text, str) else bytes(text) for text in found]


@given(
    texts=TEXTS,
    sample=st.integers(1, 120),
    seed=st.integers(0, 3),
    part=st.integers(1, 12),
    few=st.integers(1, 10),
    mixed=st.randoms(),
)
def test_the_sample_is_the_same_from_every_kind_of_source(
    *,
    texts: list[str],
    sample: int,
    seed: int,
    part: int,
    few: int,
    mixed: random.Random,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    contents = [text.encode() for text in texts]
    wanted = oracle(contents, sample, seed)
    if texts and all(len(text) > sample for text in texts):
        with pytest.raises(bp.TextError, match="no document is in the sample"):
            documents(texts=texts, sample=sample, seed=seed)
        return
    assert sum(len(text) * count for text, count in wanted.items()) <= sample
    folder = tmp_path_factory.mktemp("texts")
    (folder / "a.jsonl").write_bytes(b"".join(json.dumps({"text": text}).encode() + b"\n" for text in texts))
    (folder / "a.txt").write_bytes(b"".join(text + b"|" for text in contents))
    mixed.shuffle(texts)
    for number, text in enumerate(texts):
        (folder / f"{number}.one").write_text(text, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "PART", part)
        patch.setattr(sampling, "FEW", few)
        sources: list[dict[str, Any]] = [
            {"texts": texts},
            {"texts": (text.encode() for text in texts)},
            {"texts": pa.array(texts, pa.string())},
            {"files": folder / "a.jsonl"},
            {"files": folder / "a.txt", "separator": "|"},
            {"files": io.BytesIO((folder / "a.txt").read_bytes()), "separator": "|"},
            *([{"files": str(folder / "*.one")}] if texts else []),
        ]
        for source in sources:
            assert Counter(documents(**source, sample=sample, seed=seed)) == wanted


def test_a_seed_chooses_others_and_a_larger_sample_has_a_smaller_one_in_it() -> None:
    texts = [f"document {number}" for number in range(2000)]
    samples = [set(documents(texts=texts, sample=5000, seed=seed)) for seed in range(5)]
    assert all(4900 < sum(map(len, sample)) <= 5000 for sample in samples)
    assert all(len(one & other) < 200 for index, one in enumerate(samples) for other in samples[:index])
    larger = set(documents(texts=texts, sample=10_000, seed=0))
    assert larger > samples[0]
    assert len(documents(texts=texts, sample=10**9)) == 2000


def test_sources_are_sampled_together_in_any_order() -> None:
    texts = {"en": [f"{number}" for number in range(100)], "ru": [f"{number}" for number in range(100)]}
    found = [
        (batch.source, text) for batch in data.corpus(texts=texts, sample=100).documents() for text in batch.documents
    ]
    turned = {name: texts[name][::-1] for name in reversed(texts)}
    other = [
        (batch.source, text) for batch in data.corpus(texts=turned, sample=100).documents() for text in batch.documents
    ]
    assert Counter(found) == Counter(other)
    assert {source for source, _ in found} == {"en", "ru"}
    assert {text for source, text in found if source == "en"} != {text for source, text in found if source == "ru"}


def test_progress_covers_both_readings(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"document\n" * 1000)
    corpus = data.corpus(files=path, separator="\n", sample=100)
    assert corpus.total == 18_000 == sum(batch.size for batch in corpus)
    once = data.corpus(texts=["a", "b"], sample=100)
    assert once.total == 2 == sum(batch.size for batch in once)


def test_large_documents_stay_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "PART", 100)
    for number in range(20):
        (tmp_path / f"{number}.txt").write_text(f"{number} " * 300, "utf-8")
    corpus = data.corpus(files=str(tmp_path / "*.txt"), sample=5000, seed=1)
    found = list(corpus)
    assert all(len(batch.content) <= 100 for batch in found if isinstance(batch, data.Part))
    assert any(isinstance(batch, data.Part) for batch in found)
    texts = [f"{number} ".encode() * 300 for number in range(20)]
    assert Counter(documents(files=str(tmp_path / "*.txt"), sample=5000, seed=1)) == oracle(texts, 5000, 1)


def test_what_is_left_out_for_its_size_is_said(tmp_path: Path) -> None:
    texts = ["small", "x" * 100, "y" * 200]

    def warned(**source: Any) -> str:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert documents(**source) == [b"small"]
        [warning] = caught
        assert warning.category is bp.TextWarning
        return str(warning.message)

    said = warned(texts=texts, sample=50)
    assert said == (
        "2 documents are larger than the sample of 50 bytes and left out: item 1 of texts has 100 bytes\n"
        "hint: ask for a larger sample, or cut the files into documents with separator="
    )
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.txt").write_text(text, "utf-8")
    assert warned(files=str(tmp_path / "*.txt"), sample=50).startswith(
        f"2 documents are larger than the sample of 50 bytes and left out: file `{tmp_path / '1.txt'}` has 100 bytes\n"
    )
    with pytest.raises(
        bp.TextError, match=r"^no document is in the sample of 4 bytes: item 0 of texts alone has 5 bytes\nhint: "
    ):
        documents(texts=texts, sample=4)
    with pytest.raises(
        bp.TextError, match=r"^no document is in the sample of 50 bytes: file `.*2\.txt` alone has 200 bytes\nhint: "
    ):
        documents(files=tmp_path / "2.txt", sample=50)
    assert documents(texts=[], sample=50) == []


def test_a_sample_much_smaller_than_asked_for_is_said() -> None:
    small, large = b"x" * 10, b"y" * 95
    seed = next(seed for seed in range(100) if key(small, seed, None) < key(large, seed, None))
    with pytest.warns(bp.TextWarning, match=r"^the sample has 10 of 100 bytes: the next document has 95\nhint: "):
        assert documents(texts=[small, large], sample=100, seed=seed) == [small]


@pytest.mark.parametrize("now", ["abc", "", "efgh"])
def test_files_that_change_between_the_readings_are_an_error(now: str) -> None:
    readings = iter(["abcd", now])

    def read() -> Iterator[data.Batch]:
        yield data.Documents(list(next(readings)), str, 1)

    with pytest.raises(bp.TextError, match=r"the files changed while a sample was taken of them\nhint: "):
        list(sampling.of_files(read, 2, seed=0))


def test_memory_is_that_of_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "PART", 1 << 20)
    sample = 2_000_000

    def texts() -> Iterator[bytes]:
        for number in range(12_000):
            yield b"%07d " % number * 250

    for source in ({"texts": texts()}, {"files": Lines(texts()), "separator": "\n"}):
        tracemalloc.start()
        kept = sum(len(text) for batch in data.corpus(**source, sample=sample) for text in held(batch))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert sample - 2000 <= kept <= sample
        assert peak < sample + 5 * batches.PART < 12_000 * 2000 // 3


class Lines(io.RawIOBase):
    """A file of which nothing is kept."""

    name = "lines"

    def __init__(self, texts: Iterator[bytes]) -> None:
        self.texts = texts

    def read(self, size: int = -1) -> bytes:
        return b"".join(text + b"\n" for _, text in zip(range(max(size // 2001, 1)), self.texts, strict=False))


def held(batch: data.Batch) -> list[Any]:
    assert isinstance(batch, data.Documents)
    return batch.documents
