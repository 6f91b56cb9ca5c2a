"""Plain text files and iterables: what a document is, wherever a part ends, and bytes that are no UTF-8."""

from __future__ import annotations

import io
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import bytepair as bp
from bytepair import data
from bytepair._core import first_invalid
from bytepair.data import batches
from bytepair.data.characters import edge, in_utf8

CHARACTERS = ["a", "b", "\n", "\0", "é", "€", "\U0001f600", "\ufeff"]
PIECES = [character.encode() for character in CHARACTERS] + [
    b"\xff",
    b"\xc3",
    b"\xe2\x82",
    b"\xf0\x9f\x98",
    b"\x80",
    b"\xed\xa0\x80",
]
CONTENT = st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join)
SEPARATORS = st.sampled_from([None, b"\n", b"\n\n", b"ab", b"aba", b"\x80", "€".encode(), b"aa"])


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of a few bytes."""
    monkeypatch.setattr(batches, "PART", 16)


def documents(**source: Any) -> list[Any]:
    return [text for batch in data.corpus(**source).documents() for text in batch.documents]


def cut(content: bytes, separator: bytes | None) -> list[bytes]:
    """What the documents of a file are, said as plainly as possible."""
    if separator is None:
        return [content]
    pieces = content.split(separator)
    return pieces if pieces[-1] else pieces[:-1]


@given(content=CONTENT, separator=SEPARATORS, part=st.integers(1, 9))
def test_documents_are_those_of_the_whole_wherever_a_part_ends(
    content: bytes, separator: bytes | None, part: int
) -> None:
    expected = cut(content, separator)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "PART", part)
        for errors in ("bytes", "replace"):
            got = documents(files=io.BytesIO(content), separator=separator, errors=errors)
            assert [bytes(text) for text in got] == [
                text if errors == "bytes" else text.decode("utf-8", "replace").encode() for text in expected
            ]
        invalid = next((i for i, text in enumerate(expected) if first_invalid(text) is not None), None)
        if invalid is None:
            assert documents(files=io.BytesIO(content), separator=separator) == expected
            return
        at = sum(len(text) + len(separator or b"") for text in expected[:invalid]) + (
            first_invalid(expected[invalid]) or 0
        )
        with pytest.raises(bp.TextError, match=rf", offset {at}: byte 0x{content[at]:02x} is not UTF-8\nhint: "):
            documents(files=io.BytesIO(content), separator=separator)


@given(content=st.lists(st.sampled_from(CHARACTERS), max_size=30).map("".join).map(str.encode), part=st.integers(1, 9))
def test_parts_end_where_characters_end(content: bytes, part: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "PART", part)
        parts = [
            batch for batch in data.corpus(files=io.BytesIO(content), errors="bytes") if isinstance(batch, data.Part)
        ]
    assert [batch.last for batch in parts] == [False] * (len(parts) - 1) + [True] * bool(parts)
    for batch in parts[:-1]:
        assert first_invalid(batch.content) is None
        assert len(batch.content) > 0
        assert len(batch.content) <= 2 * part + 3


@given(
    text=st.lists(st.sampled_from([*CHARACTERS, "\ud83d", "\ude00"]), max_size=20).map("".join), part=st.integers(1, 9)
)
@example(text="aaaa\ud83d", part=1)
@example(text="aaa\ud83d\ude00", part=1)
def test_a_file_open_as_text_gives_what_its_text_gives(text: str, part: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "PART", part)
        assert b"".join(documents(files=io.StringIO(text, newline=""))) == in_utf8(text)


def test_first_invalid_and_edge_are_right() -> None:
    for content in (b"", b"a", "aé€\U0001f600".encode()):
        assert first_invalid(content) is None
        for end in range(len(content) + 1):
            assert content[: edge(content, end)].decode() == content[:end].decode("utf-8", "ignore")
    for wrong in (b"\x80", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xff"):
        assert first_invalid(b"ab" + wrong + b"c") == 2
        assert edge(b"ab" + wrong, 2 + len(wrong)) == 2 + len(wrong)


def test_an_empty_file_is_one_document_and_none_with_a_separator(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    assert documents(files=tmp_path / "empty.txt") == [b""]
    assert documents(files=tmp_path / "empty.txt", separator="\n") == []


def test_documents_are_named_with_their_place(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("é|b||c|".encode())
    [batch] = data.corpus(files=path, separator="|")
    assert isinstance(batch, data.Documents)
    assert batch.documents == ["é".encode(), b"b", b"", b"c"]
    assert [batch.name(index) for index in range(4)] == [
        f"file `{path}`, the document at byte {start}" for start in (0, 3, 5, 6)
    ]
    [batch] = data.corpus(files=path)
    assert isinstance(batch, data.Documents)
    assert batch.name(0) == f"file `{path}`"


@pytest.mark.usefixtures("small_parts")
def test_small_files_come_together_and_large_ones_in_parts(tmp_path: Path) -> None:
    for name, content in (("1", "abc"), ("2", "def"), ("3", "x" * 40), ("4", "g")):
        (tmp_path / name).write_text(content, "utf-8")
    corpus = data.corpus(files=str(tmp_path / "*"))
    assert corpus.total == 47
    got = [(batch.documents, batch.size) if isinstance(batch, data.Documents) else batch for batch in corpus]
    name = f"file `{tmp_path / '3'}`"
    assert got == [
        ([b"abc", b"def"], 6),
        data.Part(b"x" * 16, False, name, 16),
        data.Part(b"x" * 16, False, name, 16),
        data.Part(b"x" * 8, True, name, 8),
        ([b"g"], 1),
    ]


def test_sources_are_named_by_a_mapping(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a", "utf-8")
    (tmp_path / "b.txt").write_text("b", "utf-8")
    corpus = data.corpus(files={"en": tmp_path / "a.txt", "ru": [tmp_path / "b.txt", tmp_path / "a.txt"]})
    assert corpus.names == ("en", "ru")
    assert [(name, Path(file.name).name, file.size) for name, file in corpus.files] == [
        ("en", "a.txt", 1),
        ("ru", "b.txt", 1),
        ("ru", "a.txt", 1),
    ]
    for _ in range(2):
        assert [(batch.source, batch.documents) for batch in corpus.documents()] == [
            ("en", [b"a"]),
            ("ru", [b"b", b"a"]),
        ]
    corpus = data.corpus(texts={"x": ["1"], "y": iter(["2", "3"])})
    assert [(batch.source, batch.documents) for batch in corpus.documents()] == [("x", ["1"]), ("y", ["2", "3"])]
    assert corpus.files == []


def test_what_can_be_read_only_once_is_not_read_twice() -> None:
    for once in ({"texts": iter(["a"])}, {"files": io.BytesIO(b"a")}):
        corpus = data.corpus(**once)
        assert list(corpus)
        with pytest.raises(ValueError, match=r"read already.*\nhint: "):
            list(corpus)


def test_bytes_that_change_after_they_were_given_are_counted_as_given() -> None:
    buffer = bytearray(2)

    def filled() -> Any:
        for number in range(65, 68):
            buffer[:] = bytes([number, number])
            yield memoryview(buffer)
            yield buffer

    assert documents(texts=filled()) == [b"AA", b"AA", b"BB", b"BB", b"CC", b"CC"]


@pytest.mark.usefixtures("small_parts")
def test_items_come_in_batches_with_their_numbers() -> None:
    corpus = data.corpus(texts=["0123456789", "0123456789", b"x", "y"])
    assert corpus.total == 22
    got = [batch for batch in corpus if isinstance(batch, data.Documents)]
    assert [(len(batch.documents), batch.size, batch.name(0)) for batch in got] == [
        (2, 20, "item 0 of texts"),
        (2, 2, "item 2 of texts"),
    ]
    assert got[1].name(1) == "item 3 of texts"
    with pytest.raises(bp.TextError, match=r"^item 2 of texts, offset 1: byte 0xff is not UTF-8\nhint: "):
        documents(texts=["a", "b", b"c\xff"])
    assert documents(texts=["a", b"c\xff"], errors="bytes") == ["a", b"c\xff"]
    assert documents(texts=["a", b"c\xff"], errors="replace") == ["a", "c\ufffd".encode()]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, TypeError, "got none of files and texts"),
        ({"files": "a", "texts": []}, TypeError, "got both"),
        ({"texts": [], "errors": "ignore"}, ValueError, "errors is 'ignore'"),
        ({"texts": [], "separator": "\n"}, ValueError, "separator is about files"),
        ({"texts": [], "format": "text"}, ValueError, "format is about files"),
        ({"texts": [], "text_field": "text"}, ValueError, "text_field names a column, but texts is a `list`"),
        ({"texts": [], "source_field": "lang"}, ValueError, "source_field names a column"),
        ({"texts": {}}, bp.TextError, "the mapping is empty"),
        ({"texts": {1: []}}, TypeError, "named by a `int`: 1"),
        ({"texts": {"a": []}, "source_field": "lang"}, ValueError, "named twice"),
        ({"texts": [], "text_field": 3}, TypeError, "text_field is of type `int`"),
        ({"texts": [], "source_field": "text"}, ValueError, "both 'text'"),
        ({"texts": [], "separator": ""}, ValueError, "separator is empty"),
        ({"texts": [], "separator": 3}, TypeError, "separator is of type `int`"),
        ({"files": __file__, "format": "csv"}, ValueError, "format is 'csv'"),
        ({"files": __file__, "text_field": "text"}, ValueError, "no file is named as one with columns"),
        ({"files": __file__, "source_field": "lang"}, ValueError, "no file is named as one with columns"),
        ({"files": [__file__], "format": "text", "text_field": "a"}, ValueError, "no file is named"),
        ({"texts": [], "sample": 0}, ValueError, "sample"),
        ({"texts": [], "sample": 1, "seed": -1}, ValueError, "seed"),
    ],
)
def test_settings_that_make_no_sense_are_refused(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        data.corpus(**arguments)
    assert str(caught.value).count("\n") == 1
    assert "\nhint: " in str(caught.value)


def test_memory_does_not_grow_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "PART", 1 << 20)
    path = tmp_path / "a.txt"
    path.write_bytes("low lower lowest é\n".encode() * (12 * batches.PART // 20))
    for separator in (None, "lowest \n" * 2, "\n" * 2):
        tracemalloc.start()
        got = sum(batch.size for batch in data.corpus(files=path, separator=separator))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert got == path.stat().st_size > 10 * batches.PART
        assert peak < 6 * batches.PART
