"""Columns of Arrow's, of every type and form, encode as their texts do one by one."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp

TEXTS = ["low lower", None, "", "naïve 日本語 🌱", "lowest", None, "x" * 100]
NARROW = [pa.string(), pa.binary(), pa.dictionary(pa.int8(), pa.string())]
WIDE = [pa.large_string(), pa.large_binary(), pa.string_view(), pa.binary_view()]


@pytest.fixture(scope="module")
def tok() -> bp.Tokenizer:
    return bp.train(texts=["low lower lowest naïve"] * 2, num_merges=12, special_tokens=["<|end|>"])


def ids(tok: bp.Tokenizer, texts: list[Any]) -> list[list[int] | None]:
    return [None if text is None else tok.encode(text) for text in texts]


def column(kind: pa.DataType, texts: list[Any]) -> pa.Array:
    return pa.array(texts, pa.string()).cast(kind) if pa.types.is_dictionary(kind) else pa.array(texts, kind)


@pytest.mark.parametrize("kind", [*NARROW, *WIDE], ids=str)
def test_every_type(tok: bp.Tokenizer, kind: pa.DataType) -> None:
    made = tok.encode_arrow(column(kind, TEXTS))
    made.validate(full=True)
    assert made.type == (pa.list_ if kind in NARROW else pa.large_list)(pa.uint32())
    assert made.to_pylist() == ids(tok, TEXTS)
    assert made.null_count == 2


@given(st.lists(st.none() | st.text(max_size=5), max_size=30), st.integers(0, 10), st.integers(0, 10), st.booleans())
def test_slices_and_chunks(texts: list[str | None], start: int, length: int, wide: bool) -> None:
    tok = bp.train(texts=["aaaa bbb"], num_merges=3)
    array = pa.array(texts, pa.large_string() if wide else pa.string())
    piece = array.slice(start, length)
    made = tok.encode_arrow(piece)
    made.validate(full=True)
    assert made.to_pylist() == ids(tok, texts[start : start + length])
    chunks = pa.chunked_array([array, piece, array.slice(0, 0)])
    made = tok.encode_arrow(chunks, threads=2)
    made.validate(full=True)
    assert [len(chunk) for chunk in made.chunks] == [len(chunk) for chunk in chunks.chunks]
    assert made.to_pylist() == ids(tok, texts + texts[start : start + length])


def test_nothing_at_all(tok: bp.Tokenizer) -> None:
    for kind in (*NARROW, *WIDE):
        made = tok.encode_arrow(column(kind, []))
        made.validate(full=True)
        assert len(made) == 0
    assert tok.encode_arrow(pa.array([None, None])).to_pylist() == [None, None]
    assert tok.encode_arrow(pa.chunked_array([], pa.string())).type == pa.list_(pa.uint32())
    assert tok.encode_arrow(pa.array([b"ab", None], pa.binary(2))).to_pylist() == [[97, 98], None]


def test_a_dictionary_is_encoded_once(tok: bp.Tokenizer) -> None:
    array = pa.DictionaryArray.from_arrays(pa.array([1, None, 0, 1, 2]), pa.array(["low", "lower", None]))
    assert tok.encode_arrow(array).to_pylist() == ids(tok, ["lower", None, "low", "lower", None])


class Capsule:
    """A column of another library."""

    def __init__(self, held: Any) -> None:
        self.held = held


class OneArray(Capsule):
    """One array of it."""

    def __arrow_c_array__(self, requested_schema: object = None) -> Any:
        return self.held.__arrow_c_array__(requested_schema)


class Stream(Capsule):
    """Several arrays of it."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self.held.__arrow_c_stream__(requested_schema)


def test_columns_of_other_libraries(tok: bp.Tokenizer) -> None:
    array = pa.array(TEXTS)
    assert tok.encode_arrow(OneArray(array)).to_pylist() == ids(tok, TEXTS)
    made = tok.encode_arrow(Stream(pa.chunked_array([array, array])))
    assert made.to_pylist() == ids(tok, TEXTS * 2)
    assert pa.array(OneArray(tok.encode_arrow(array))).to_pylist() == ids(tok, TEXTS)


def test_polars(tok: bp.Tokenizer) -> None:
    polars = pytest.importorskip("polars")
    series = polars.Series(TEXTS)
    assert tok.encode_arrow(series).to_pylist() == ids(tok, TEXTS)
    assert polars.Series(tok.encode_arrow(series)).to_list() == ids(tok, TEXTS)


def test_the_text_is_not_copied(tok: bp.Tokenizer) -> None:
    array = pa.array(["low lower lowest " * 1000] * 100)
    before, highest = pa.total_allocated_bytes(), pa.default_memory_pool().max_memory()
    made = tok.encode_arrow(array)
    assert pa.total_allocated_bytes() == before
    assert pa.default_memory_pool().max_memory() == highest
    offsets, values = made.buffers()[1], made.values.buffers()[1]
    assert memoryview(values).nbytes == 4 * len(made.values)
    assert memoryview(offsets).nbytes == 4 * (len(made) + 1)


def test_options_and_errors(tok: bp.Tokenizer) -> None:
    array = pa.array(["low", None, "a<|end|>"])
    end = tok.special_tokens["<|end|>"]
    assert tok.encode_arrow(array, allowed_special="all").to_pylist()[2] == [97, end]
    with pytest.raises(bp.SpecialTokenError, match=r"row 2 of the array: .* at byte 1"):
        tok.encode_arrow(array, disallowed_special="all")
    with pytest.raises(bp.SpecialTokenError, match="row 5 of the array: "):
        tok.encode_arrow(pa.chunked_array([pa.array(["x"] * 3), array]), disallowed_special="all")
    with pytest.raises(bp.SpecialTokenError, match="entry 1 of the array's dictionary: "):
        tok.encode_arrow(array.dictionary_encode(), disallowed_special="all")


WRONG: list[tuple[Any, str]] = [
    (["low"], "the array is of type `list`\nhint: pass a column of Arrow's, or use encode_batch"),
    ("low", "the array is of type `str`"),
    (pa.array([1, 2]), "the array is of type `int64`"),
    (pa.array([["low"]]), "the array is of type `list<item: string>`"),
    (pa.table({"text": ["low"]}), "the array is a `Table`"),
    (Stream(pa.table({"text": ["low"]})), "the array is of type `struct<text: string>`"),
]


@pytest.mark.parametrize(("array", "message"), WRONG)
def test_what_is_no_column_of_texts(tok: bp.Tokenizer, array: Any, message: str) -> None:
    with pytest.raises(TypeError) as caught:
        tok.encode_arrow(array)
    assert message in str(caught.value)


def test_bytes_that_are_not_utf8(tok: bp.Tokenizer) -> None:
    contents = [b"\xff\xfe low", b"\x00", b"\xe6\x97"]
    assert tok.encode_arrow(pa.array(contents)).to_pylist() == [tok.encode(content) for content in contents]
