"""Decoding lists of any items, arrays of any layout, and batches with and without padding."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp

TOK = bp.train(
    texts=["low lower lowest, slow"], num_merges=8, special_tokens=["<|end|>", "<|a control token of some length|>"]
)
END = TOK.special_tokens["<|end|>"]
LAST = TOK.n_vocab


class Id(int):
    """An int that is not exactly int."""


class Index:
    """An id by its `__index__` only, which runs something first."""

    def __init__(self, id: int, run: Callable[[], object] = lambda: None) -> None:
        self.id, self.run = id, run

    def __index__(self) -> int:
        self.run()
        return self.id


class Tensor:
    """What has no buffer but makes an array of itself."""

    def __init__(self, items: object) -> None:
        self.items = np.array(items)

    def __array__(self) -> Any:
        return self.items


def by_the_book(ids: list[int], *, skip_special: bool = False) -> str:
    """Each id by itself."""
    shown = (id for id in ids if id in TOK.vocabulary and not (skip_special and id in TOK.special_tokens.values()))
    return b"".join(map(TOK.bytes_of, shown)).decode(errors="replace")


# Lists

numbers = st.one_of(
    st.integers(-2, LAST + 2),
    st.sampled_from([(1 << 30) - 1, 1 << 30, (1 << 31) - 1, 1 << 32, 1 << 62, -(1 << 30), 1 << 90]),
)


@given(
    st.lists(st.tuples(numbers, st.sampled_from([int, int, int, Id, Index, np.int64])), max_size=40), st.integers(1, 40)
)
def test_items_of_all_kinds_of_integers_are_read_alike(drawn: list[tuple[int, Any]], times: int) -> None:
    ids = [id for id, _ in drawn] * times
    kinds = [kind for _, kind in drawn] * times
    items: Any = [
        id if kind is np.int64 and abs(id) >= 1 << 63 else kind(id) for id, kind in zip(ids, kinds, strict=True)
    ]
    text = by_the_book(ids)
    assert TOK.decode(items, unknown="skip") == text
    assert TOK.decode(tuple(items), unknown="skip") == text
    assert TOK.decode(iter(items), unknown="skip") == text
    assert TOK.decode_batch([items, items], unknown="skip") == [text, text]
    stream = TOK.stream_decoder(unknown="skip")
    assert stream.feed(items) + stream.flush() == text


@pytest.mark.parametrize("wrong", [True, False, 1.0, "a", b"a", None, [1], object()])
@pytest.mark.parametrize("place", [0, 1, 500])
def test_an_item_that_is_no_integer_is_named(wrong: Any, place: int) -> None:
    ids: list[Any] = [97] * 501
    ids[place] = wrong
    with pytest.raises(TypeError, match=f"item {place} of the ids is of type `{type(wrong).__name__}`\nhint: "):
        TOK.decode(ids)
    with pytest.raises(TypeError, match=f"item {place} of row 1 of the batch is of type `{type(wrong).__name__}`"):
        TOK.decode_batch([[], ids])


@pytest.mark.parametrize("wrong", [-1, 1 << 32, 1 << 70, LAST, (1 << 30) + 1])
@pytest.mark.parametrize("place", [0, 1, 700_000])
def test_an_unknown_id_is_named_however_late_it_comes(wrong: int, place: int) -> None:
    ids: Any = [97] * 700_001
    ids[place] = wrong
    for form in (ids, np.array(ids, dtype=object if wrong >> 64 else np.int64)):
        if not isinstance(form, list) and form.dtype == object:
            continue
        with pytest.raises(bp.UnknownTokenError, match=rf"item {place}\b") as caught:
            TOK.decode(form)
        assert str(wrong) in str(caught.value)


def test_a_list_that_changes_while_it_is_read() -> None:
    ids: list[Any] = []
    ids[:] = [97, Index(98, ids.clear), 99, 100]
    assert TOK.decode(ids) == "ab"
    ids[:] = [97, Index(98, lambda: ids.extend([99] * 10_000)), 100]
    assert TOK.decode(ids) == "abd"
    ids[:] = [97, Index(98, lambda: ids.__setitem__(2, 101)), 100]
    assert TOK.decode(ids) == "abe"


def test_an_error_of_an_index_comes_through() -> None:
    def fail() -> None:
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        TOK.decode([97, Index(98, fail)])  # type: ignore[list-item]


def test_reading_a_list_takes_no_references() -> None:
    number = 123_456_789
    ids = [number] * 1000
    before = sys.getrefcount(number)
    TOK.decode(ids, unknown="skip")
    TOK.decode_batch([ids] * 3, unknown="skip")
    assert sys.getrefcount(number) == before


# Arrays

LAYOUTS: list[Callable[[Any], Any]] = [
    lambda rows: rows,
    np.asfortranarray,
    lambda rows: np.repeat(rows, 2, axis=-1)[..., ::2],
    lambda rows: rows[::-1][::-1],
    lambda rows: rows.astype(rows.dtype.newbyteorder()),
    lambda rows: rows.view(rows.dtype.newbyteorder(sys.byteorder)),
    lambda rows: np.frombuffer(b"\0" + rows.tobytes(), dtype=rows.dtype, offset=1).reshape(rows.shape),
    Tensor,
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "i2", "i4", "i8"])
def test_a_batch_is_an_array_of_any_layout(layout: Callable[[Any], Any], dtype: str) -> None:
    rows = np.array([[104, 105, 33], [97, 98, 99]], dtype=dtype)
    assert TOK.decode_batch(layout(rows)) == ["hi!", "abc"]
    assert TOK.decode_bytes_batch(layout(rows)) == [b"hi!", b"abc"]
    assert TOK.decode_batch(list(layout(rows).items if layout is Tensor else layout(rows))) == ["hi!", "abc"]
    row: Any = layout(rows[1])
    assert TOK.decode(row) == "abc"
    if dtype.startswith("i"):
        rows[1, 0] = -5
        with pytest.raises(bp.UnknownTokenError, match="item 0 of row 1 of the batch is -5,"):
            TOK.decode_batch(layout(rows))


def test_batches_without_rows_or_without_ids() -> None:
    batch: Any
    for batch in ([], (), iter([]), np.zeros((0, 5), dtype=int), np.zeros((0, 0), dtype=int)):
        assert TOK.decode_batch(batch) == []
    assert TOK.decode_batch(np.zeros((2, 0), dtype=int)) == ["", ""]
    batch = [[], (), np.array([], dtype=int)]
    assert TOK.decode_batch(batch) == ["", "", ""]
    assert TOK.decode_batch(np.zeros((2, 3), dtype=int), pad_id=0) == ["", ""]


@pytest.mark.parametrize(
    ("batch", "problem"),
    [
        ("text", "the batch is of type `str`"),
        (b"text", "the batch is of type `bytes`"),
        (5, "the batch is of type `int`"),
        (None, "the batch is of type `NoneType`"),
        ([1, 2], "row 0 of the batch is of type `int`"),
        ([[1], "a"], "row 1 of the batch is of type `str`"),
        (np.int64(5), "the batch is of type `int64`"),
        (np.array(5), "the batch is of type `ndarray`"),
        (np.array([[1.5]]), "the ids are of type `ndarray`"),
    ],
)
def test_what_is_no_batch_is_refused(batch: Any, problem: str) -> None:
    with pytest.raises(TypeError, match="hint: ") as caught:
        TOK.decode_batch(batch)
    assert problem in str(caught.value)


@pytest.mark.parametrize("shape", [(6,), (1, 2, 3)])
def test_an_array_of_other_dimensions_is_no_batch(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=f"an array of {len(shape)} dimensions"):
        TOK.decode_batch(np.zeros(shape, dtype=int))


# Padding

rows = st.lists(st.lists(st.sampled_from([0, 97, 98, END]), max_size=8), max_size=6)


@given(rows, st.sampled_from([0, 97, END, -100, 1 << 40]), st.booleans(), st.sampled_from([np.int64, np.int32, list]))
def test_padding_goes_at_both_ends_and_stays_between(texts: list[list[int]], pad: int, left: bool, form: Any) -> None:
    if form is np.int32 and pad > 1 << 31:
        form = np.int64
    width = max(map(len, texts), default=0) + 1
    padded = [[pad] * (width - len(ids)) + ids if left else ids + [pad] * (width - len(ids)) for ids in texts]
    batch: Any = padded if form is list else np.array(padded, dtype=form).reshape(len(padded), width)
    stripped = []
    for ids in texts:
        kept = [id for id in ids if id != pad]
        edges = [at for at, id in enumerate(ids) if id != pad]
        stripped.append(by_the_book(ids[edges[0] : edges[-1] + 1] if kept else []))
    assert TOK.decode_batch(batch, pad_id=pad) == stripped
    ragged = list(batch)
    assert TOK.decode_batch(ragged, pad_id=pad) == stripped


def test_padding_with_a_control_token_is_skipped() -> None:
    batch = np.array([[104, 105, END, END], [33, END, END, END]])
    assert TOK.decode_batch(batch, skip_special=True) == ["hi", "!"]
    assert TOK.decode_batch(batch, pad_id=END) == ["hi", "!"]


def test_a_place_is_counted_with_the_padding() -> None:
    for batch in (np.array([[0, 0, 97, 9999, 0]]), [[0, 0, 97, 9999, 0]]):
        with pytest.raises(bp.UnknownTokenError, match=r"row 0 of the batch: no token has id 9999 \(item 3\)"):
            TOK.decode_batch(batch, pad_id=0)
    for batch in (np.array([[-1, -1, 97, -2, -1]]), [[-1, -1, 97, -2, -1]]):
        with pytest.raises(bp.UnknownTokenError, match="item 3 of row 0 of the batch is -2,"):
            TOK.decode_batch(batch, pad_id=-1)
    assert TOK.decode_batch([[-1, 97, -2, -1]], pad_id=-1, unknown="replace") == ["a\ufffd"]
    assert TOK.decode_batch(np.array([[-1, 97, -2, -1]]), pad_id=-1, unknown="replace") == ["a\ufffd"]


def test_padding_is_an_integer() -> None:
    for wrong in (True, "0", 0.0):
        with pytest.raises(TypeError, match="pad_id is of type"):
            TOK.decode_batch([[97]], pad_id=wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="pad_id is"):
        TOK.decode_batch([[97]], pad_id=1 << 63)
    assert TOK.decode_batch([[97, 0]], pad_id=np.int64(0)) == ["a"]  # type: ignore[arg-type]


# Rows end to end


@given(st.lists(st.text(max_size=12), max_size=12))
def test_what_encode_batch_gives_is_decoded(texts: list[str]) -> None:
    ids, offsets = TOK.encode_batch_to_numpy(texts)
    back = [text.encode(errors="replace").decode() if text.isascii() else text for text in texts]
    assert TOK.decode_batch(ids, offsets=offsets) == back
    assert TOK.decode_batch(ids.tolist(), offsets=offsets.tolist()) == back
    assert TOK.decode_batch(ids, offsets=offsets[1:]) == back[1:]
    assert TOK.decode_bytes_batch(ids, offsets=offsets) == [text.encode() for text in back]


def test_offsets_that_are_none() -> None:
    ids = np.array([97, 98, 99])
    for wrong in ([0, 2, 1], [0, 4], np.array([3, 2])):
        with pytest.raises(ValueError, match=r"the offsets .*\nhint: "):
            TOK.decode_batch(ids, offsets=wrong)
    for kind in ([-1, 2], [0.0, 1.0], 5, "01", [None]):
        with pytest.raises(TypeError, match=r"the offsets .*\nhint: "):
            TOK.decode_batch(ids, offsets=kind)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="both offsets and pad_id"):
        TOK.decode_batch(ids, offsets=[0, 3], pad_id=0)
    assert TOK.decode_batch(ids, offsets=[]) == TOK.decode_batch(ids, offsets=[2]) == []


# Many


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_large_batch_keeps_its_order(threads: int) -> None:
    lengths = [(7 * at) % 1500 for at in range(600)]
    lists = [[97 + (at + n) % 26 for n in range(length)] for at, length in enumerate(lengths)]
    texts = ["".join(map(chr, ids)) for ids in lists]
    assert TOK.decode_batch(lists, threads=threads) == texts
    offsets = np.cumsum([0, *lengths])
    flat = np.concatenate([np.array(ids, dtype=np.uint32) for ids in lists])
    assert TOK.decode_batch(flat, offsets=offsets, threads=threads) == texts
    for place in (3, 599):
        bad = [*lists[:place], [*lists[place], 9999], *lists[place + 1 :]]
        with pytest.raises(bp.UnknownTokenError, match=rf"row {place} of the batch: .*item {len(lists[place])}\)"):
            TOK.decode_batch(bad, threads=threads)


@pytest.mark.parametrize("text", ["low lower", "naïve 漢字 🌱", "low" * 300_000, "é" * 300_000])
def test_texts_of_all_widths_come_back(text: str) -> None:
    ids = TOK.encode(text)
    assert TOK.decode(ids) == TOK.decode(np.array(ids, dtype=np.uint32)) == text
    assert TOK.decode_batch([ids, ids]) == [text, text]


def test_bytes_that_are_no_text() -> None:
    ids = [97, 0xC3, 98, 0xF0, 0x9F]
    broken = bytes(ids)
    policies: tuple[Literal["replace"], Literal["ignore"]] = ("replace", "ignore")
    for errors in policies:
        assert TOK.decode(ids, errors=errors) == broken.decode(errors=errors)
        assert TOK.decode_batch([ids], errors=errors) == [broken.decode(errors=errors)]
    with pytest.raises(UnicodeDecodeError):
        TOK.decode(ids, errors="strict")
    with pytest.raises(UnicodeDecodeError):
        TOK.decode_batch([ids], errors="strict")
    with pytest.raises(ValueError, match="errors is"):
        TOK.decode_batch([ids], errors="mend")  # type: ignore[arg-type]
