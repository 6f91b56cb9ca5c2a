"""The count of a text that grows is that of the whole, whatever the parts."""

from __future__ import annotations

import copy
import random
from dataclasses import replace

import pytest

import bytepair as bp
from texts import sample

SPECIALS = ["<|user|>", "<|user|>:", "<|end|>"]


@pytest.fixture(scope="module")
def tok() -> bp.Tokenizer:
    return bp.train(texts=[sample("en", 50_000), sample("ja", 20_000)], vocab_size=600, special_tokens=SPECIALS)


def test_a_conversation(tok: bp.Tokenizer) -> None:
    counter = tok.counter(allowed_special="all")
    text = ""
    for part in [
        "<|user|>",
        "Hi! ",
        "",
        "How many tok",
        "ens",
        " are 12",
        "34 of these?",
        "<|e",
        "nd|>",
        "猫",
        " \n",
        "\n",
    ]:
        counter.append(part)
        text += part
        assert counter.count == tok.count(text, allowed_special="all"), text
        assert counter.count == counter.count


@pytest.mark.parametrize("pattern", [*bp.PATTERNS, None, r"(?<=a)b|.", r"(a)\1|\s+|."])
def test_any_parts(tok: bp.Tokenizer, pattern: str | None) -> None:
    parts = tok.parts
    spelled = None if pattern is None else bp.PATTERNS.get(pattern, pattern)
    tok = bp.Tokenizer.from_parts(replace(parts, pattern=spelled))
    chance = random.Random(1)
    text = (
        f"{sample('en', 900)} 12345678 <|user|>:<|us {sample('ja', 900)}\r\n\r\n   x 😀'LL".encode()
        + b"\xff\xe7\x8c \xf0"
    )
    for longest in (1, 2, 5, 300):
        counter, unasked, read = tok.counter(allowed_special="all"), tok.counter(), 0
        while read < len(text):
            part = text[read : read + chance.randint(0, longest)]
            counter.append(part)
            unasked.append(bytearray(part))
            read += len(part)
            if chance.random() < 0.1:
                assert counter.count == tok.count(text[:read], allowed_special="all"), text[:read]
        assert counter.count == tok.count(text, allowed_special="all")
        assert unasked.count == tok.count(text)


def test_copies_go_their_own_way(tok: bp.Tokenizer) -> None:
    counter = tok.counter()
    counter.append("the ques")
    one, two = counter.copy(), copy.copy(counter)
    one.append("tion")
    two.append("t")
    assert [each.count for each in (counter, one, two)] == [
        tok.count(text) for text in ("the ques", "the question", "the quest")
    ]
    counter.reset()
    assert (counter.count, one.count) == (0, tok.count("the question"))
    counter.append("a")
    assert counter.count == 1


def test_a_forbidden_token_is_refused_and_its_part_not_kept(tok: bp.Tokenizer) -> None:
    counter = tok.counter(disallowed_special={"<|end|>"})
    counter.append("word " * 1000)
    before = counter.count
    with pytest.raises(bp.SpecialTokenError, match="at byte 5001"):
        counter.append(" <|end|>" + "word " * 1000)
    assert counter.count == before
    counter.append("word")
    assert counter.count == tok.count("word " * 1000 + "word")
    with pytest.raises(TypeError, match="text is a str or bytes"):
        counter.append(1)  # type: ignore[arg-type]


def test_options_are_checked_at_once(tok: bp.Tokenizer) -> None:
    with pytest.raises(bp.SpecialTokenError, match="no special token"):
        tok.counter(allowed_special={"<|none|>"})


def test_characters(tok: bp.Tokenizer) -> None:
    words = bp.train(texts=["low lower é"], num_merges=3, alphabet="characters", end_of_word="</w>")
    counter = words.counter()
    for byte in "low  lower é lowé".encode():
        counter.append(bytes([byte]))
    assert counter.count == words.count("low  lower é lowé")
    counter.append(" lowz ")
    with pytest.raises(bp.UnknownSymbolError, match="at byte 23"):
        _ = counter.count
    assert tok.counter().count == 0
