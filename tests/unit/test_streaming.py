"""Ids that come one by one: text that is always whole characters, and nothing lost."""

from __future__ import annotations

import numpy as np
import pytest

import bytepair as bp

BYTES = bp.train(texts=[], vocab_size=258, special_tokens=["<|end|>", "<|eot|>"])


@pytest.mark.parametrize(
    ("ids", "deltas", "flush"),
    [
        ([196, 143], ["", "ď"], ""),
        ([226, 130, 32, 120], ["", "", "\ufffd ", "x"], ""),
        ([255, 254, 32, 97, 98, 99], ["\ufffd", "\ufffd", " ", "a", "b", "c"], ""),
        ([240, 159, 140], ["", "", ""], "\ufffd"),
    ],
)
def test_characters_come_out_when_they_are_whole(ids: list[int], deltas: list[str], flush: str) -> None:
    stream = BYTES.stream_decoder()
    assert [stream.feed(id) for id in ids] == deltas
    assert stream.flush() == flush
    assert stream.flush() == ""
    # It is as new.
    assert [stream.feed(id) for id in ids] == deltas


def test_several_ids_can_be_fed_at_once() -> None:
    stream = BYTES.stream_decoder()
    assert stream.feed([104, 105, 0xC3]) == "hi"
    assert stream.feed(np.array([0xA9, 33], dtype=np.uint16)) == "é!"
    assert stream.feed([]) == ""
    assert stream.feed(np.uint8(33)) == "!"  # type: ignore[arg-type]


def test_special_tokens_are_shown_or_left_out() -> None:
    ids = [104, 256, 105, 257]
    assert "".join(map(BYTES.stream_decoder().feed, ids)) == "h<|end|>i<|eot|>"
    assert "".join(map(BYTES.stream_decoder(skip_special=True).feed, ids)) == "hi"


def test_an_unknown_id_changes_nothing() -> None:
    stream = BYTES.stream_decoder()
    assert stream.feed(0xC3) == ""
    with pytest.raises(bp.UnknownTokenError, match="no token has id 999"):
        stream.feed([104, 999])
    assert stream.feed(0xA9) == "é"
    assert BYTES.stream_decoder(unknown="skip").feed([104, 999, 105]) == "hi"
    assert BYTES.stream_decoder(unknown="replace").feed([104, 999, 105]) == "h\ufffdi"
    for wrong in (-1, 1 << 32, 1 << 80):
        assert BYTES.stream_decoder(unknown="skip").feed(wrong) == ""
        assert BYTES.stream_decoder(unknown="replace").feed([104, wrong, 105]) == "h\ufffdi"
        with pytest.raises(bp.UnknownTokenError, match=f"item 1 of the ids is {wrong}"):
            BYTES.stream_decoder().feed([104, wrong])
    with pytest.raises(ValueError, match="unknown is"):
        BYTES.stream_decoder(unknown="unk")  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", ["a", b"a", None, 1.5, True, [True], object()])
def test_what_is_no_id_is_refused(wrong: object) -> None:
    with pytest.raises(TypeError, match="hint: "):
        BYTES.stream_decoder().feed(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("joined", [False, True])
def test_marks_become_spaces_only_between_words(joined: bool) -> None:
    tok = bp.train(
        texts=["low lower low é"],
        num_merges=4,
        alphabet="characters",
        end_of_word="</w>",
        end_of_word_joined=joined,
        special_tokens=["<s>"],
    )
    ids = [*tok.encode("low é lower"), tok.special_tokens["<s>"], *tok.encode("low low")]
    for skip in (False, True):
        stream = tok.stream_decoder(skip_special=skip, unknown="skip")
        deltas = [stream.feed(id) for id in [*ids, 999]]
        assert "".join(deltas) + stream.flush() == tok.decode(ids, skip_special=skip)
        assert deltas[0] == "low" if not joined else deltas[0]
        assert not "".join(deltas).endswith(" ")
    strict = tok.stream_decoder()
    strict.feed(ids[0])
    with pytest.raises(bp.UnknownTokenError, match="item 1"):
        strict.feed([ids[0], 999])
