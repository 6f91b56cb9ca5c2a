"""Judging tokenizers that normalise texts: what is measured is what an equal tokenizer makes of the normalised text."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest

import bytepair as bp
from bytepair import Parts, Tokenizer
from bytepair.data.batches import PART
from bytepair.measuring.tokenizers import UnsuitableError
from bytepair.normalizing import Decoder, Normalizer, Step
from bytepair.parts import SpecialToken

TEXTS = ["cafe\u0301 cafe\u0301 low", "café au lait", "", "лиса й и\u0306", "plain words"]
COMPOSED = [unicodedata.normalize("NFC", text) for text in TEXTS]


@pytest.fixture(scope="module")
def plain() -> Tokenizer:
    return bp.train(texts=COMPOSED * 4, num_merges=30)


@pytest.fixture(scope="module")
def composing(plain: Tokenizer) -> Tokenizer:
    return Tokenizer.from_parts(replace(plain.parts, normalizer=Normalizer((Step("nfc"),)), training=None))


@pytest.fixture(scope="module")
def of_characters() -> Tokenizer:
    """As SentencePiece's: spaces become marks, bytes stand for characters that are no token."""
    tokens = tuple((byte, bytes([0xFF, byte])) for byte in range(256)) + tuple(
        enumerate([*"abcdeflopstuw▁", "lo", "low", "\u0301", "é"], 256)
    )
    contents = {id: text.encode() if isinstance(text, str) else text for id, text in tokens}
    ids = {content: id for id, content in contents.items()}
    merges = ((ids[b"l"], ids[b"o"]), (ids[b"lo"], ids[b"w"]))
    return Tokenizer.from_parts(
        Parts(
            alphabet="unicode",
            tokens=tuple(contents.items()),
            merges=merges,
            normalizer=Normalizer((Step("replace", (" ", "▁")),)),
            decoder=Decoder(space="▁"),
        )
    )


def test_words_are_those_of_the_normalised_text(plain: Tokenizer, composing: Tokenizer) -> None:
    ours, theirs = bp.measure(composing, TEXTS).figures[0], bp.measure(plain, COMPOSED).figures[0]
    assert (ours.tokens, ours.tokens_per_word, ours.single_token_words) == (
        theirs.tokens,
        theirs.tokens_per_word,
        theirs.single_token_words,
    )
    assert ours.bytes > theirs.bytes  # those of the text as it is


def test_documents_in_parts(plain: Tokenizer, composing: Tokenizer, tmp_path: Path) -> None:
    text = "cafe\u0301 low lower, plain words\n" * (PART // 28)
    (tmp_path / "long.txt").write_text(text, "utf-8")
    (tmp_path / "short.txt").write_text("low words", "utf-8")
    ours = bp.measure(composing, files=sorted(tmp_path.iterdir())).figures[0]
    theirs = bp.measure(plain, [unicodedata.normalize("NFC", text), "low words"]).figures[0]
    assert (ours.tokens, ours.tokens_per_word, ours.single_token_words) == (
        theirs.tokens,
        theirs.tokens_per_word,
        theirs.single_token_words,
    )
    swept = bp.sweep(composing, files=[tmp_path / "long.txt"])
    assert swept.tokens().tolist() == bp.sweep(plain, [unicodedata.normalize("NFC", text)]).tokens().tolist()


def test_what_counts_pretokens(plain: Tokenizer, composing: Tokenizer) -> None:
    assert bp.sweep(composing, TEXTS).tokens().tolist() == bp.sweep(plain, COMPOSED).tokens().tolist()
    assert bp.gap_to_optimal(composing, TEXTS).to_dict() == bp.gap_to_optimal(plain, COMPOSED).to_dict()
    assert bp.audit(composing, TEXTS).texts_tokens == plain.count("".join(COMPOSED[:2])) + sum(
        map(plain.count, COMPOSED[3:])
    )
    assert bp.oddities(composing).numbers == bp.oddities(plain).numbers


def test_words_of_tokens_without_places_are_not_known(plain: Tokenizer, of_characters: Tokenizer) -> None:
    texts = ["low", "low low"]  # the first alone is as long as its tokens
    tokens = tuple(token for token in of_characters.parts.tokens if not token[1].startswith(b"\xff"))
    lost = Tokenizer.from_parts(
        replace(of_characters.parts, tokens=tokens, unknown=2000, specials=(SpecialToken("<unk>", 2000),))
    )
    found = bp.measure({"plain": plain, "characters": lost}, texts)
    one = found.of("characters")
    assert one.tokens == 4
    assert one.tokens_per_word != one.tokens_per_word
    assert bp.measure(of_characters, texts).figures[0].tokens_per_word == 4 / 3
    assert {each.figure: each.value == each.value for each in found.differences} == {
        "tokens": True,
        "tokens_per_word": False,
        "single_token_words": False,
    }


def test_audit_of_characters_with_bytes(of_characters: Tokenizer) -> None:
    """A byte whose character is a token is never needed."""
    unreachable = bp.audit(of_characters)["unreachable"].items
    assert {bytes(item.token) for item in unreachable} == {character.encode() for character in " abcdeflopstuw"}


def test_oddities_where_spaces_are_marks(of_characters: Tokenizer) -> None:
    tokens = [*of_characters.parts.tokens, (1000, b"1"), (1001, b"12"), (1002, b"2")]
    tokens += [(1003, "▁low".encode())]
    ids = {content: id for id, content in tokens}
    merges = (
        *(of_characters.parts.merges or ()),
        (ids[b"1"], ids[b"2"]),
        (ids["▁".encode()], ids[b"low"]),
    )
    before = (*of_characters.parts.normalizer.before, Step("prepend", ("▁",)))
    tok = Tokenizer.from_parts(
        replace(of_characters.parts, tokens=tuple(tokens), merges=merges, normalizer=Normalizer(before))
    )
    found = bp.oddities(tok, words=["low"])
    assert found.texts[0].tokens == (b"12", b"3", b"4")
    assert found.spelling[0].tokens == (b"low",)
    assert found.twins.spaced == 1


def test_a_report_leaves_out_what_the_tokenizer_does_not_allow() -> None:
    characters = bp.train(texts=["low low"], num_merges=1, alphabet="characters")
    with pytest.raises(UnsuitableError, match="is one of characters"):
        bp.oddities(characters)
    results = bp.report(characters, ["low low"]).results
    assert results.measurement is not None
    assert results.oddities is None
    assert "is one of characters" in results.reasons["oddities"]


def test_audit_takes_a_tokenizer() -> None:
    with pytest.raises(TypeError, match="tok is of type `str`"):
        bp.audit("tokenizer.json")  # type: ignore[arg-type]
