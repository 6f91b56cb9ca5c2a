"""JSON lines, Parquet and Arrow columns: rows, their sources, and what is wrong with a file, with its place."""

from __future__ import annotations

import io
import json
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

import bytepair as bp
from bytepair import data
from bytepair.data import batches, sources

TEXTS = ["low", "", None, "é€\U0001f600", "a\0b", 'quoted "\\" \n', None, "newest"]
KEPT = [text.encode() for text in TEXTS if text is not None]


def documents(**source: Any) -> list[Any]:
    return [text for batch in data.corpus(**source).documents() for text in batch.documents]


def by_source(**source: Any) -> dict[str | None, list[Any]]:
    found = dict[str | None, list[Any]]()
    for batch in data.corpus(**source).documents():
        found.setdefault(batch.source, []).extend(batch.documents)
    return found


def lines(*rows: object) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def jsonl(content: bytes, **options: Any) -> Any:
    return documents(files=io.BytesIO(content), format="jsonl", **options)


def test_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines(*({"id": 1, "text": text, "meta": {"text": 5}} for text in TEXTS)))
    read = data.corpus(files=path)
    [batch] = read
    assert isinstance(batch, data.Rows)
    assert batch.documents().documents == KEPT
    assert (batch.length, batch.nulls, batch.size) == (8, 2, path.stat().st_size)
    assert batch.size == read.total
    assert batch.name(3) == f"file `{path}`, line 4"
    assert batch.documents().name(2) == f"file `{path}`, line 4"


# What may stand in a file: rows with texts, other values, and what is no row.
ROWS = [
    b'{"text": "low"}', b'{"text": "\\u00e9 \\ud83d\\ude00"}', b'{"id": 3, "text": ""}', b'{"text": null}',
    b'{"id": 3}', b"{}", b'{"text": "a", "deep": [[{"text": 1}], null, true, -1.5e7]}', b'{"text": "\\ud800"}',
    b'{"text": "\\ude00"}', b'{"text": "\xff"}', b'{"text": "\xc3"}', b'{"text": "a", "other": "\xff"}',
    b'{"text": 5}', b'{"text": ["a"]}', b'{"text": {"a": 1}}', b'{"text": true}', b'{"text": "a", "text": "b"}',
    b'{"text": "a"', b'{"text": "a"}}', b"null", b"[]", b'"text"', b"5", b"", b"  ", b"\r", b"\0",
    b'{"text": "a\tb"}', b"{'text': 'a'}", b'{"text": "a"} {"text": "b"}', b'{"text": "a", "n": NaN}',
    b'{"te\\u0078t": "a"}', b"{", b' {"text": "space"}', b'{"text": "a",}', b'{"text": "\\x"}', b'{"text": "cr"}\r',
    b'{"text": "a", "n": 01}', b'\xef\xbb\xbf{"text": "mark"}', b'{"n": 1' + b"0" * 5000 + b', "text": "big"}',
    b"[" * 20_000, b'{"text": "\\u0000"}', b'{"text": "lang", "source": "x"}',
]  # fmt: skip


BYTES = {0xDC00 + byte: 0xF0000 + byte for byte in range(128, 256)}
BACK = {private: lone for lone, private in BYTES.items()}


def expected(rows: list[bytes], errors: str) -> list[bytes] | None:
    """What Python's own parser gives; None for an error."""
    texts = list[bytes]()
    found, seen = False, False
    for row in rows:
        if not row.strip(b" \t\r\n\v\f"):
            continue
        try:
            decoded = row.decode("utf-8", "replace" if errors == "replace" else "surrogateescape")
            # Bytes that are not UTF-8 become private characters, so that they are no escaped halves of surrogate pairs.
            value = json.loads(decoded.translate(BYTES), parse_int=float)
        except (ValueError, RecursionError):
            return None
        if not isinstance(value, dict):
            return None
        seen, found = True, found or "text" in value
        text = value.get("text")
        if text is None:
            continue
        if not isinstance(text, str):
            return None
        text = "".join(c if not "\ud800" <= c <= "\udfff" else "\ufffd" for c in text)
        if errors == "strict" and any(ord(c) in BACK for c in text):
            return None
        texts.append(text.translate(BACK).encode("utf-8", "surrogateescape"))
    return None if seen and not found else texts


@given(
    rows=st.lists(st.sampled_from(ROWS), max_size=6),
    errors=st.sampled_from(["strict", "replace", "bytes"]),
    end=st.booleans(),
)
def test_json_lines_are_what_pythons_parser_says(rows: list[bytes], errors: str, end: bool) -> None:
    content = b"\n".join(rows) + b"\n" * end
    wanted = expected([content.removeprefix(b"\xef\xbb\xbf").split(b"\n")[0], *content.split(b"\n")[1:]], errors)
    if wanted is not None:
        assert jsonl(content, errors=errors) == wanted
        return
    with pytest.raises(bp.TextError, match=r"^file `[^`]*`(, line \d+| has no column `text`).*\nhint: .*$"):
        jsonl(content, errors=errors)


@given(
    rows=st.lists(
        st.sampled_from(
            [b'{"text": "low"}', b'{"text": "\xc3\xa9"}', b'{"id": 3}', b"", b'{"text": "' + b"long " * 9 + b'"}']
        )
    ),
    part=st.integers(1, 60),
)
def test_json_lines_are_the_same_wherever_a_part_ends(rows: list[bytes], part: int) -> None:
    content = b"\n".join([b'{"text": "first"}', *rows])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "PART", part)
        corpus = data.corpus(files=io.BytesIO(content), format="jsonl")
        found = [batch.documents() if isinstance(batch, data.Rows) else batch for batch in corpus]
    texts = [text for batch in found if isinstance(batch, data.Documents) for text in batch.documents]
    assert texts == expected(content.split(b"\n"), "strict")
    assert sum(batch.size for batch in found) == len(content)
    names = [
        batch.name(index)
        for batch in found
        if isinstance(batch, data.Documents)
        for index in range(len(batch.documents))
    ]
    numbers = [number for number, row in enumerate(content.split(b"\n"), 1) if b"text" in row]
    assert [name.rpartition(" ")[2] for name in names] == [str(number) for number in numbers]


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (b'{"text": "a"}\n{"text": \n', {}, "file `F`, line 2 is no JSON: expecting value, at character 9"),
        (b'{"text": "a"}\n\n[3]\n', {}, "file `F`, line 3 is an array, no object"),
        (b"null\n", {}, "file `F`, line 1 is null, no object"),
        (b"[" * 10_000_000, {}, "file `F`, line 1 is no JSON: nested too deep"),
        (b"plain text\n", {}, "file `F`, line 1 is no JSON: expecting value, at character 0"),
        (b'{"text": "a"}\n{"text": 5}\n', {}, "file `F`, line 2: `text` is a number, no string"),
        (b'{"text": "a"}\n{"text": "ab\xff"}\n', {}, "file `F`, line 2, offset 2 of its text: byte 0xff is not UTF-8"),
        (b'\n{"text": "ab\xff"}\n', {}, "file `F`, line 2, character 2 of its text: byte 0xff is not UTF-8"),
        (b'{"a": 1, "b": 2}\n{"c": 3}\n', {}, "file `F` has no column `text`; it has `a`, `b`, `c`"),
        (b'{"text": "a"}\n', {"text_field": "b"}, "file `F` has no column `b`; it has `text`"),
        (b'{"text": "a", "l": "x"}\n{"text": "a"}\n', {"source_field": "l"}, "file `F`, line 2 has no `l`"),
        (b'\n{"text": "a"}\n', {"source_field": "l"}, "file `F`, line 2 has no `l`"),
        (b'{"text": "a", "l": 5}\n', {"source_field": "l"}, "file `F`, line 1: `l` is a number, no string"),
        (b'{"text": "a", "l": "\xff"}\n', {"source_field": "l"}, "file `F`, line 1: its source `\\xff` is not UTF-8"),
        (b'\n{"text":"","l":"\xff"}', {"source_field": "l"}, "file `F`, line 2: its source `\\udcff` is not UTF-8"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_json_lines_is_said_with_its_place(
    content: bytes, options: Any, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    with pytest.raises(bp.TextError) as caught:
        documents(files=path, **options)
    assert caught.value.message == message.replace("`F`", f"`{path}`")
    assert caught.value.hint


def test_rows_are_sorted_into_their_sources() -> None:
    rows = [
        {"text": f"{lang} {number}", "lang": lang} for number, lang in enumerate(["en", "ru", "en", "en", "de", "ru"])
    ]
    wanted = {"en": [b"en 0", b"en 2", b"en 3"], "ru": [b"ru 1", b"ru 5"], "de": [b"de 4"]}
    fast, slow = lines(*rows), b"\n" + lines(*rows)
    for content in (fast, slow):
        source: dict[str, Any] = {"files": io.BytesIO(content), "format": "jsonl", "source_field": "lang"}
        assert by_source(**source) == wanted
    table = pa.Table.from_pylist(rows)
    assert by_source(texts=table, source_field="lang") == wanted
    for kind in (pa.string_view(), pa.dictionary(pa.int8(), pa.string()), pa.binary()):
        assert by_source(texts=table.set_column(1, "lang", table["lang"].cast(kind)), source_field="lang") == wanted
    ordered = by_source(texts=table.sort_by("lang"), source_field="lang")
    assert ordered == {"de": wanted["de"], "en": wanted["en"], "ru": wanted["ru"]}
    names = [
        (batch.name(index), text)
        for batch in data.corpus(texts=table, source_field="lang").documents()
        for index, text in enumerate(batch.documents)
    ]
    assert sorted(names) == [(f"row {number} of texts", row["text"].encode()) for number, row in enumerate(rows)]


def test_errors_stay_two_short_lines_whatever_a_file_holds() -> None:
    row = {"a\nb": 1, "x" * 10_000: 2, **{str(number): number for number in range(1000)}}
    with pytest.raises(
        bp.TextError, match=r"has no column `text`; it has `a\\nb`, `x{60}\.\.\.`, `0`, .* and 982 more"
    ) as caught:
        jsonl(lines(row))
    assert str(caught.value).count("\n") == 1
    assert len(str(caught.value)) < 1000
    for source in (b'"\xff' + b"y" * 10_000 + b'"', b'"a\\nb\xff"'):
        with pytest.raises(bp.TextError, match=r"its source .* is not UTF-8") as caught:
            jsonl(b'\n{"text": "a", "lang": ' + source + b"}", source_field="lang")
        assert str(caught.value).count("\n") == 1
        assert len(str(caught.value)) < 300


def test_a_column_that_names_no_sources_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MOST", 3)
    table = pa.table({"text": ["a"] * 5, "id": ["0", "1", "2", "2", "1"]})
    assert len(by_source(texts=table, source_field="id")) == 3
    table = pa.table({"text": ["a"] * 5, "id": ["0", "1", "2", "3", "4"]})
    with pytest.raises(bp.TextError, match=r"^there are more than 3 sources; the last one is `3`\nhint: "):
        by_source(texts=table, source_field="id")


@pytest.mark.parametrize("compression", ["none", "snappy", "zstd"])
@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.dictionary(pa.int32(), pa.string())]
)
def test_parquet(kind: pa.DataType, compression: str, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    table = pa.table({"id": range(24), "text": pa.array(TEXTS * 3, pa.string()).cast(kind), "lang": ["x", "y"] * 12})
    parquet.write_table(table, path, compression=compression, row_group_size=7)
    corpus = data.corpus(files=path)
    assert [text for batch in corpus.documents() for text in batch.documents] == KEPT * 3
    assert sum(batch.size for batch in corpus) == corpus.total == path.stat().st_size
    assert sum(batch.nulls for batch in corpus) == 6
    by = by_source(files=str(path), source_field="lang")
    assert by == {
        "x": [t.encode() for t in (TEXTS * 3)[::2] if t is not None],
        "y": [t.encode() for t in (TEXTS * 3)[1::2] if t is not None],
    }
    renamed = tmp_path / "no_ending"
    path.rename(renamed)
    assert documents(files=renamed) == KEPT * 3
    with renamed.open("rb") as file:
        assert documents(files=file) == KEPT * 3
    assert documents(files=renamed, format="parquet", text_field="lang")[:2] == [b"x", b"y"]


def test_what_is_wrong_with_parquet_is_said_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    bad = pa.array([b"ok", None, b"a\xff"], pa.binary())
    parquet.write_table(
        pa.table({"text": bad, "n": [1, 2, 3], "lang": ["x", None, "y"], "deep": [{"text": "a"}] * 3}), path
    )

    def problem(**options: Any) -> str:
        with pytest.raises(bp.TextError) as caught:
            documents(files=path, **options)
        return caught.value.message.replace(str(path), "F")

    assert problem() == "file `F`, row 2, offset 1 of its text: byte 0xff is not UTF-8"
    assert documents(files=path, errors="replace") == [b"ok", "a\ufffd".encode()]
    assert documents(files=path, errors="bytes") == [b"ok", b"a\xff"]
    assert problem(text_field="body") == "file `F` has no column `body`; it has `text`, `n`, `lang`, `deep`"
    assert problem(source_field="body") == "file `F` has no column `body`; it has `text`, `n`, `lang`, `deep`"
    assert problem(text_field="n") == "file `F`, row 0: column `n` is of type `int64`"
    assert problem(text_field="deep") == "file `F`, row 0: column `deep` is of type `struct<text: string>`"
    assert problem(source_field="lang", errors="bytes") == "file `F`, row 1 has no `lang`"
    whole = path.read_bytes()
    for damaged in (whole[:-1], whole[: len(whole) // 2], whole[:4], b"PAR1" + b"\0" * 100, b"", b"text"):
        path.write_bytes(damaged)
        assert problem().startswith("file `F` is no whole Parquet file: ")
    path.write_bytes(whole[:40] + bytes(len(whole) - 200) + whole[-160:])
    assert problem(errors="bytes").startswith("file `F`")


def test_damaged_pages_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"text": [f"text {number}" for number in range(10_000)]}), path, compression="zstd")
    content = bytearray(path.read_bytes())
    content[1000:2000] = bytes(1000)
    path.write_bytes(content)
    with pytest.raises(bp.TextError, match=r"^file .* is no whole Parquet file: .*\nhint: "):
        documents(files=path)


def test_a_parquet_file_that_cannot_be_searched_is_refused(tmp_path: Path) -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    buffer = io.BytesIO()
    parquet.write_table(pa.table({"text": ["a"]}), buffer)
    with pytest.raises(bp.TextError, match=r"is Parquet and read from beginning to end"):
        documents(files=Pipe(buffer.getvalue()))
    path = tmp_path / "a.parquet.gz"
    with pa.CompressedOutputStream(str(path), "gzip") as out:
        out.write(buffer.getvalue())
    with pytest.raises(bp.TextError, match=r"is Parquet and compressed with gzip"):
        documents(files=path)


@pytest.mark.parametrize(
    "kind",
    [
        pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view(),
        pa.dictionary(pa.int8(), pa.string()),
    ],
)  # fmt: skip
def test_arrow_columns(kind: pa.DataType) -> None:
    array = pa.array(TEXTS, pa.string()).cast(kind)
    assert documents(texts=array) == KEPT
    assert documents(texts=array[2:7]) == KEPT[2:5]
    assert documents(texts=array[:0]) == []
    assert documents(texts=pa.chunked_array([array, array[3:3], array[3:]])) == KEPT + KEPT[2:]
    assert documents(texts=pa.chunked_array([], kind)) == []
    table = pa.table({"n": range(8), "text": array})
    assert documents(texts=table) == KEPT
    assert documents(texts=table.to_batches()[0]) == KEPT
    assert documents(texts=table.to_reader()) == KEPT
    assert documents(texts=pa.array(TEXTS * 2).filter(pa.array([True, False] * 8))) == [
        t.encode() for t in (TEXTS * 2)[::2] if t is not None
    ]


def test_buffers_are_not_copied() -> None:
    for kind in (pa.string(), pa.large_string(), pa.binary()):
        array = pa.array(["low", "lower", None, "lowest"], kind)[1:]
        _, offsets, content = array.buffers()
        [batch] = data.corpus(texts=array)
        assert isinstance(batch, data.Rows)
        assert np.frombuffer(batch.data, np.uint8).ctypes.data == content.address
        assert np.frombuffer(batch.offsets, np.uint8).ctypes.data == offsets.address
        assert (batch.first, batch.length, batch.nulls, batch.size) == (1, 3, 1, 11)
        assert batch.offsets.format == ("q" if kind == pa.large_string() else "i")
        views = (batch.data, batch.offsets, batch.validity)
        assert all(view is not None and view.readonly for view in views), "the engine copies what can be written to"


@pytest.mark.parametrize("kind", [pa.string(), pa.large_binary()])
@pytest.mark.parametrize("first", [0, 1, 8, 13])
def test_the_pieces_of_a_column_are_its_rows(kind: pa.DataType, first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "PART", 30)
    texts = [None if number % 5 == 2 else f"w{number}" for number in range(200)]
    array = pa.array(texts, kind)[first:]
    kept = [text.encode() for text in texts[first:] if text is not None]
    pieces = [batch for batch in data.corpus(texts=array) if isinstance(batch, data.Rows)]
    assert len(pieces) > 10
    assert [text for piece in pieces for text in piece.documents().documents] == kept
    with pytest.warns(bp.TextWarning, match="rows have no text"):
        counts = bp.count_pretokens(texts=array, pattern=None)
    assert dict(counts.items()) == dict.fromkeys(kept, 1)


def test_a_dictionary_of_views_is_read() -> None:  # a Categorical of polars
    array = pa.DictionaryArray.from_arrays(
        pa.array([0, None, 1, 0], pa.uint32()), pa.array(["é", "b"], pa.string_view())
    )
    assert documents(texts=array) == ["é".encode(), b"b", "é".encode()]
    assert documents(texts=array[2:]) == [b"b", "é".encode()]


class Capsule:
    """A column of another library."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __arrow_c_array__(self, requested_schema: object | None = None) -> Any:
        return self.array.__arrow_c_array__(requested_schema)


class StreamCapsule:
    """A chunked column, or a table, of another library."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        return self.array.__arrow_c_stream__(requested_schema)


def test_the_capsules_of_other_libraries() -> None:
    array = pa.array(TEXTS)
    table = pa.table({"body": array, "lang": ["x"] * 8})
    assert documents(texts=Capsule(array)) == KEPT
    assert documents(texts=StreamCapsule(pa.chunked_array([array]))) == KEPT
    assert documents(texts=StreamCapsule(table), text_field="body") == KEPT
    assert by_source(texts=Capsule(table.to_batches()[0]), text_field="body", source_field="lang") == {"x": KEPT}
    assert by_source(texts={"a": Capsule(array), "b": ["c"]}) == {"a": KEPT, "b": ["c"]}
    with pytest.raises(bp.TextError, match=r"the table of texts has no column `text`; it has `body`, `lang`\nhint: "):
        documents(texts=table)
    with pytest.raises(bp.TextError, match=r"row 0 of texts: column `text` is of type `int64`\nhint: "):
        documents(texts=pa.array([1, 2]))
    with pytest.raises(ValueError, match=r"text_field is a column of a table, but texts is one column\nhint: "):
        documents(texts=array, text_field="body")


def test_all_null_columns_are_no_documents() -> None:
    corpus = data.corpus(texts=pa.nulls(3))
    assert sum(batch.nulls for batch in corpus) == 3
    assert [batch.documents for batch in corpus.documents()] == [[]]
    assert jsonl(lines({"text": None}, {"text": None})) == []


WHOLE = "aé€\U0001f600".encode()


@given(
    rows=st.lists(
        st.none() | st.sampled_from([b"", b"a", WHOLE, WHOLE[:2], WHOLE[2:4], WHOLE[3:], b"\xff"]), max_size=8
    ),
    first=st.integers(0, 3),
)
def test_rows_that_are_utf8_only_together_are_found(rows: list[bytes | None], first: int) -> None:
    array = pa.array([b"x\xff"] * first + rows, pa.binary())[first:]
    texts = [row for row in rows if row is not None]
    assert documents(texts=array, errors="bytes") == texts
    assert documents(texts=array, errors="replace") == [text.decode("utf-8", "replace").encode() for text in texts]
    bad = [index for index, row in enumerate(rows) if row is not None and row != row.decode("utf-8", "ignore").encode()]
    if not bad:
        assert documents(texts=array) == texts
        return
    with pytest.raises(
        bp.TextError, match=rf"^row {bad[0]} of texts, offset \d of its text: byte 0x.. is not UTF-8\nhint: "
    ):
        documents(texts=array)


@given(lengths=st.lists(st.integers(0, 40), max_size=30), part=st.integers(1, 50))
def test_columns_come_in_pieces_of_about_a_part(lengths: list[int], part: int) -> None:
    texts = [b"x" * length for length in lengths]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "PART", part)
        corpus = data.corpus(texts=pa.array(texts, pa.binary()))
        pieces = [batch.documents() for batch in corpus if isinstance(batch, data.Rows)]
    assert [text for piece in pieces for text in piece.documents] == texts
    assert all(piece.size <= part or len(piece.documents) == 1 for piece in pieces)
    assert [piece.name(0) for piece in pieces if piece.documents][:1] == ["row 0 of texts"] * bool(texts)
    assert corpus.total == sum(lengths) == sum(piece.size for piece in pieces)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()])
def test_pieces_of_a_column_are_its_own_memory(kind: pa.DataType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read-only, so that the engine copies nothing either: each piece would be the whole column."""
    monkeypatch.setattr(batches, "PART", 20)
    array = pa.array(["low", None, "lowest", "é"] * 100, pa.string()).cast(kind)
    pieces = [batch for batch in data.corpus(texts=array) if isinstance(batch, data.Rows)]
    assert len(pieces) > 40
    for piece in pieces:
        views = (piece.validity, piece.offsets, piece.data)
        for view, buffer in zip(views, array.buffers(), strict=True):
            assert view is not None
            assert view.readonly
            assert np.frombuffer(view, "u1").ctypes.data == buffer.address


def test_memory_does_not_grow_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "PART", 2 << 20)
    text = "low lower lowest é " * 50
    path = tmp_path / "a.jsonl"
    with path.open("wb") as file:
        for number in range(25):
            file.write(lines(*({"id": number, "text": text, "other": text} for _ in range(400))))
    assert path.stat().st_size > 9 * batches.PART
    table = pa.table({"text": [text + str(number) for number in range(30_000)]})
    parquet.write_table(table, tmp_path / "a.parquet", compression="none", use_dictionary=False)
    assert (tmp_path / "a.parquet").stat().st_size > 9 * batches.PART
    del table
    for name in ("a.jsonl", "a.parquet"):
        before = pa.total_allocated_bytes()
        arrows = 0
        tracemalloc.start()
        for batch in data.corpus(files=tmp_path / name):
            arrows = max(arrows, pa.total_allocated_bytes() - before)
            del batch
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 5 * batches.PART
        assert arrows < 8 * batches.PART
