"""What may be given as ids, what is made of integers that are none, and what each option of decoding means."""

from __future__ import annotations

import array
from typing import Any

import numpy as np
import pytest

import bytepair as bp

INTEGERS = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", ">u4", "<i8"]


def byte_level() -> bp.Tokenizer:
    return bp.train(texts=[], vocab_size=256)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_ids_may_be_an_array_of_any_integers(dtype: str) -> None:
    tok = byte_level()
    ids = np.array([104, 105, 33], dtype=dtype)
    assert tok.decode(ids) == "hi!"
    assert tok.decode_bytes(ids[::-1]) == b"!ih"
    assert tok.decode(np.array([], dtype=dtype)) == ""


def test_ids_may_be_any_sequence_of_integers() -> None:
    tok = byte_level()
    ids: Any
    for ids in ([104, 105], (104, 105), range(104, 106), array.array("I", [104, 105]), [np.int64(104), np.uint8(105)]):
        assert tok.decode(ids) == "hi"
    assert tok.decode(iter([104, 105])) == "hi"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "ids",
    [
        [1.0],
        [True],
        ["a"],
        [None],
        "text",
        b"text",
        5,
        None,
        np.array([1.5]),
        np.array([True]),
        np.array(["a"]),
        np.array([1 + 2j]),
    ],
)
def test_what_is_no_id_is_refused(ids: object) -> None:
    with pytest.raises(TypeError, match="hint: "):
        byte_level().decode(ids)  # type: ignore[arg-type]


def test_rows_are_decoded_one_at_a_time() -> None:
    rows = np.array([[104, 105], [33, 33]])
    with pytest.raises(ValueError, match="2 dimensions"):
        byte_level().decode(rows)
    assert byte_level().decode_batch(rows) == ["hi", "!!"]


@pytest.mark.parametrize("bad", [-1, 1 << 32, 1 << 80])
def test_ids_out_of_range_are_named(bad: int) -> None:
    with pytest.raises(bp.UnknownTokenError, match=f"item 1 of the ids is {bad},"):
        byte_level().decode([104, bad])


def test_an_array_of_ids_out_of_range_names_the_first() -> None:
    with pytest.raises(bp.UnknownTokenError, match="item 2 of the ids is -100,"):
        byte_level().decode(np.array([104, 105, -100], dtype=np.int32))


def test_unknown_ids_are_refused_skipped_or_replaced() -> None:
    tok = byte_level()
    with pytest.raises(bp.UnknownTokenError, match="no token has id 256") as caught:
        tok.decode([104, 256])
    assert isinstance(caught.value, (KeyError, ValueError))
    assert str(caught.value).count("\n") == 1
    assert tok.decode([104, 256, 105], unknown="skip") == "hi"
    assert tok.decode([104, 256, 105], unknown="replace") == "h\ufffdi"
    with pytest.raises(ValueError, match="unknown is"):
        tok.decode([], unknown="unk")  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [-1, -100, (1 << 32) - 1, 1 << 32, 1 << 63, 1 << 80])
def test_integers_that_no_id_can_be_are_skipped_or_replaced_too(bad: int) -> None:
    tok = byte_level()
    plain = [104, bad, 105]
    ways: list[Any] = [plain, tuple(plain)]
    if -(1 << 31) <= bad < 1 << 63:
        ways += [np.array(plain, dtype=np.int64), np.array(plain, dtype=">i8")]
    if 0 <= bad < 1 << 64:
        ways.append(np.array(plain, dtype=np.uint64))
    for ids in ways:
        assert tok.decode(ids, unknown="replace") == "h\ufffdi"
        assert tok.decode_bytes(ids, unknown="skip") == b"hi"
        assert tok.decode_batch([ids], unknown="skip") == ["hi"]
        with pytest.raises(bp.UnknownTokenError, match="item 1"):
            tok.decode(ids)
    lazy: Any = iter(plain)
    assert tok.decode(lazy, unknown="skip") == "hi"


def test_decoding_can_leave_special_tokens_out() -> None:
    tok = bp.train(texts=["low lower lowest low"] * 3, num_merges=3, special_tokens=["<|end|>"])
    ids = [*tok.encode("low"), tok.special_tokens["<|end|>"], *tok.encode(" low")]
    assert tok.decode(ids) == "low<|end|> low"
    assert tok.decode(ids, skip_special=True) == "low low"
    assert tok.decode_bytes(ids, skip_special=True) == b"low low"
    assert tok.decode_batch([ids, []], skip_special=True) == ["low low", ""]


def test_bytes_that_are_no_text_are_replaced_refused_or_ignored() -> None:
    tok = byte_level()
    assert tok.decode([97, 0xFF, 98]) == "a\ufffdb"
    assert tok.decode([97, 0xFF, 98], errors="ignore") == "ab"
    with pytest.raises(UnicodeDecodeError):
        tok.decode([97, 0xFF, 98], errors="strict")
    with pytest.raises(ValueError, match="errors is"):
        tok.decode([97], errors="xmlcharrefreplace")  # type: ignore[arg-type]
