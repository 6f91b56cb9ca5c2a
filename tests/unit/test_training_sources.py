"""Where training text comes from: files, iterables, counts; and what each refuses."""

from __future__ import annotations

import io
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bytepair as bp
from bytepair.data import batches

TEXTS = ["low lower", "newest low"] * 3


def fingerprint(**source: Any) -> str:
    return bp.train(**source, num_merges=5, pattern="gpt2").fingerprint


EXPECTED = fingerprint(texts=TEXTS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, text in enumerate(TEXTS):
        (tmp_path / f"{number}.txt").write_text(text, "utf-8")
    (tmp_path / "sub").mkdir()
    return tmp_path


def test_all_sources_give_the_same(folder: Path) -> None:
    paths = sorted(folder.glob("*.txt"))
    assert fingerprint(files=str(folder / "*.txt")) == EXPECTED
    assert fingerprint(files=folder / "*.txt") == EXPECTED
    assert fingerprint(files=paths) == EXPECTED
    assert fingerprint(files=[str(folder / "[0-2].txt"), folder / "[3-5].txt"]) == EXPECTED
    assert fingerprint(files=iter(paths)) == EXPECTED
    assert fingerprint(files=str(folder / "**" / "*")) == EXPECTED
    assert fingerprint(texts=(text for text in TEXTS)) == EXPECTED
    assert fingerprint(texts=[text.encode() for text in TEXTS]) == EXPECTED
    assert fingerprint(counts={"low": 3, " lower": 3, "newest": 3, " low": 3}) == EXPECTED


def test_open_files_are_one_document_each(folder: Path) -> None:
    with (folder / "0.txt").open(encoding="utf-8") as text, (folder / "1.txt").open("rb") as binary:
        tok = bp.train(files=[text, binary], num_merges=2)
    assert tok.training is not None
    assert tok.training.documents == 2
    assert bp.train(files=io.StringIO("low low"), num_merges=2) == bp.train(texts=["low low"], num_merges=2)
    with pytest.raises(TypeError, match="NoneType"):
        bp.train(files=Reader(), num_merges=2)  # type: ignore[arg-type]


class Reader:
    """An open file that gives nothing readable."""

    def read(self, size: int) -> None:
        """Gives None."""


def test_bytes_that_are_not_utf8_are_named(tmp_path: Path) -> None:
    data = b"\xff\xfe\x00" * 4
    (tmp_path / "data.bin").write_bytes(data)
    with pytest.raises(bp.TextError, match=r"data.bin`, offset 0: byte 0xff is not UTF-8\nhint: "):
        bp.train(files=tmp_path / "data.bin", num_merges=1)
    with pytest.raises(bp.TextError, match=r"item 1 of texts, offset 2: byte 0xff is not UTF-8\nhint: "):
        bp.train(texts=["a", b"ab" + data], num_merges=1)


def test_a_name_with_glob_characters_is_found_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a[1].txt").write_text("low low", "utf-8")
    assert bp.train(files=tmp_path / "a[1].txt", num_merges=1).training is not None


def test_files_that_are_not_there_are_named(folder: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no\.txt`\nhint: "):
        bp.train(files=folder / "no.txt", num_merges=1)
    with pytest.raises(FileNotFoundError, match=r"no file matches .*\*\.md`"):
        bp.train(files=[folder / "0.txt", folder / "*.md"], num_merges=1)
    with pytest.raises(IsADirectoryError, match=r"is a directory\nhint: "):
        bp.train(files=folder, num_merges=1)
    with pytest.raises(bp.TextError, match="no file"):
        bp.train(files=[], num_merges=1)
    for wrong in (3, [3], [None]):
        with pytest.raises(TypeError, match="files holds a"):
            bp.train(files=wrong, num_merges=1)  # type: ignore[arg-type]


def test_exactly_one_source_is_given() -> None:
    with pytest.raises(TypeError, match="got none of files, texts, counts"):
        bp.train(num_merges=1)
    with pytest.raises(TypeError, match="got texts and counts"):
        bp.train(texts=[], counts={}, num_merges=1)


def test_a_lazy_frame_is_to_be_collected() -> None:
    class LazyFrame:
        """As polars has it: no texts yet."""

        def collect(self) -> list[str]:
            raise NotImplementedError

    frame: Any = LazyFrame()
    with pytest.raises(
        TypeError, match=r"texts is of type `LazyFrame`\nhint: collect it first: LazyFrame\.collect\(\)"
    ):
        bp.train(texts=frame, num_merges=1)


@pytest.mark.parametrize("item", [None, 3, ["low"]])
def test_the_item_that_is_no_text_is_named(item: Any) -> None:
    with pytest.raises(TypeError, match=f"item 1 of texts is of type `{type(item).__name__}`"):
        bp.train(texts=iter(["ab", item]), num_merges=1)


def test_one_text_is_no_list_of_texts() -> None:
    for text in ("low", b"low"):
        with pytest.raises(TypeError, match=r"hint: pass a list of documents"):
            bp.train(texts=text, num_merges=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="int"):
        bp.train(texts=3, num_merges=1)  # type: ignore[arg-type]


def test_an_error_of_the_iterator_comes_through() -> None:
    def broken() -> Iterator[str]:
        yield "low"
        raise RuntimeError("the disk is gone")

    with pytest.raises(RuntimeError, match="the disk is gone"):
        bp.train(texts=broken(), num_merges=1)


def test_an_iterator_is_read_once_and_not_kept() -> None:
    class Text(str):
        """A text that can be watched."""

        __slots__ = ("__weakref__",)

    alive: list[weakref.ref[Text]] = []
    most = 0

    def texts() -> Iterator[str]:
        nonlocal most
        for _ in range(30):
            text = Text("low lower " * 100_000)
            alive.append(weakref.ref(text))
            yield text
            del text
            most = max(most, sum(reference() is not None for reference in alive))

    tok = bp.train(texts=texts(), num_merges=2)
    assert tok.training is not None
    assert tok.training.documents == len(alive) == 30
    assert most <= batches.PART / 1_000_000 + 2


def test_progress_counts_bytes_of_files(folder: Path) -> None:
    seen: list[bp.Progress] = []
    bp.train(files=folder / "*.txt", num_merges=1, progress=seen.append)
    size = sum(len(text) for text in TEXTS)
    assert (seen[0].phase, seen[0].done, seen[0].total) == ("count", size, size)


def test_a_document_ends_where_it_ends() -> None:
    tok = bp.train(texts=["ab", "cd"] * 5, num_merges=2, pattern=None)
    assert [tok.bytes_of(id) for id in (256, 257)] == [b"ab", b"cd"]


@pytest.mark.parametrize(
    ("counts", "error", "message"),
    [
        ([("a", 1)], TypeError, "list"),
        ({3: 1}, TypeError, "key of type `int`"),
        ({"ab": 1.5}, TypeError, "'ab' is of type `float`"),
        ({"ab": True}, TypeError, "bool"),
        ({"ab": -1}, bp.TrainingError, "'ab' is -1"),
    ],
)
def test_counts_are_checked(counts: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        bp.train(counts=counts, num_merges=1)


def test_a_count_of_zero_counts_nothing() -> None:
    counts: dict[str | bytes, int] = {"ab": 0, b"cd": 2}
    assert bp.train(counts=counts, num_merges=1) == bp.train(counts={"cd": 2}, num_merges=1)


@pytest.mark.parametrize("files", [b"text.txt", bytearray(b"text.txt"), ""])
def test_what_names_no_file_is_refused(files: Any) -> None:
    with pytest.raises(TypeError, match=r"files is (an empty path|of type `byte(s|array)`)\nhint: "):
        bp.train(files=files, num_merges=1)
