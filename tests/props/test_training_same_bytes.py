"""Training gives the same bytes whatever the threads, the pieces in which text comes, and the order of documents."""

from __future__ import annotations

import functools
import itertools
import random
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
import texts
from bytepair.data import batches
from bytepair.reference.training import Ties

THREADS = (1, 2, 3, 7)
RULES: tuple[Ties, ...] = get_args(Ties)
SPECIALS = ("<|endoftext|>", "<|end|>")


def saved(folder: Path, **settings: Any) -> bytes:
    """The file of a tokenizer, and what training counted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bp.TrainingWarning)
        tok = bp.train(**settings, errors="bytes")
    assert tok.training is not None
    tok.save(folder / "tokenizer.json")
    return (folder / "tokenizer.json").read_bytes() + repr((tok.training.counts, tok.training.fired)).encode()


@functools.cache
def documents() -> tuple[str | bytes, ...]:
    """In many languages, long and short, with special tokens, NULs, invalid bytes, and a long pretoken."""
    found: list[str | bytes] = [articles for name in texts.declaration() for articles in texts.declaration()[name][:6]]
    found += [texts.sample(name, 150_000) for name in ("en", "code", "zh")]
    found += ["", "a<|endoftext|>b<|end|>", "\0" * 50, b"\xff\xfeab\x80", "x" * 70_000, "ab" * 40_000, " " * 10_000]
    random.Random(1).shuffle(found)
    return tuple(found)


@pytest.mark.parametrize("ties", RULES)
@pytest.mark.parametrize("pattern", ["gpt2", "o200k", None])
def test_threads_make_no_difference(pattern: str | None, ties: Ties, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"vocab_size": 1_500, "pattern": pattern, "ties": ties, "special_tokens": SPECIALS}
    files = {saved(tmp_path, texts=iter(documents()), threads=threads, **settings) for threads in THREADS}
    assert len(files) == 1


@pytest.mark.parametrize("ties", RULES)
def test_the_order_of_documents_makes_a_difference_only_where_the_first_pair_wins(ties: Ties, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"vocab_size": 3_000, "pattern": "gpt2", "ties": ties, "special_tokens": SPECIALS}
    orders = [documents(), documents()[::-1], *(shuffled(seed) for seed in range(3))]
    files = {saved(tmp_path, texts=order, **settings) for order in orders}
    assert (len(files) == 1) == (ties != "first")


def shuffled(seed: int) -> list[str | bytes]:
    order = list(documents())
    random.Random(seed).shuffle(order)
    return order


@pytest.mark.parametrize("ties", RULES)
def test_documents_may_come_as_str_or_bytes_from_anything_that_gives_them(ties: Ties, tmp_path: Path) -> None:
    def slowly() -> Iterator[str | bytes]:
        yield from documents()

    as_bytes = [text.encode() if isinstance(text, str) else text for text in documents()]
    sources: list[Iterable[str | bytes]] = [documents(), list(documents()), slowly(), as_bytes]
    settings: dict[str, Any] = {"vocab_size": 1_000, "ties": ties, "special_tokens": SPECIALS}
    assert len({saved(tmp_path, texts=source, **settings) for source in sources}) == 1
    folder = tmp_path / "files"
    folder.mkdir()
    for number, text in enumerate(as_bytes):
        (folder / f"{number:05}.txt").write_bytes(text)
    files = {saved(tmp_path, files=folder / "*.txt", threads=threads, **settings) for threads in THREADS}
    assert files == {saved(tmp_path, texts=documents(), **settings)}


@pytest.mark.parametrize("ties", RULES)
@pytest.mark.parametrize("size", [1, 7, 1_000, 65_536])
def test_files_may_be_read_in_parts_of_any_size(
    size: int, ties: Ties, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = 4_000 if size < 1_000 else 400_000
    files = [tmp_path / "a.txt", tmp_path / "b.txt"]
    as_bytes = [text if isinstance(text, bytes) else text.encode() for text in documents()]
    files[0].write_bytes(b"".join(as_bytes)[:most])
    files[1].write_bytes(b"<|end|>".join(as_bytes[::-1])[:most] + " <|end|> 12'll\n \n é".encode())
    settings: dict[str, Any] = {"vocab_size": 600, "ties": ties, "special_tokens": SPECIALS}
    expected = saved(tmp_path, texts=[file.read_bytes() for file in files], **settings)
    monkeypatch.setattr(batches, "PART", size)
    assert {saved(tmp_path, files=files, threads=threads, **settings) for threads in THREADS} == {expected}


@given(
    words=st.lists(st.text(alphabet="ab \n<|end>", max_size=12), min_size=1, max_size=30),
    ties=st.sampled_from(RULES),
    pattern=st.sampled_from(["gpt2", r"\s+|\S", None]),
)
def test_small_texts_with_many_ties(
    words: list[str], ties: Ties, pattern: str | None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp()
    settings: dict[str, Any] = {"num_merges": 100, "pattern": pattern, "ties": ties, "special_tokens": ("<|end|>",)}
    files = {saved(folder, texts=words, threads=threads, **settings) for threads in THREADS}
    if ties != "first":
        files |= {saved(folder, texts=order, **settings) for order in (words[::-1], sorted(words))}
    assert len(files) == 1


@pytest.mark.soak
@pytest.mark.parametrize(("language", "pattern"), [("en", "gpt2"), ("code", "o200k"), ("zh", "cl100k")])
def test_threads_make_no_difference_on_much_text(language: str, pattern: str, tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text(texts.sample(language, 30_000_000), encoding="utf-8", newline="")
    for ties in ("lowest", "first"):
        settings: dict[str, Any] = {"vocab_size": 32_768, "pattern": pattern, "ties": ties}
        sources: list[dict[str, Any]] = [{"files": path}, {"texts": [path.read_bytes()]}]
        ways = itertools.product(sources, THREADS)
        assert len({saved(tmp_path, threads=threads, **source, **settings) for source, threads in ways}) == 1
