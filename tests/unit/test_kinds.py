"""What vocabularies are made of, against a plain look at each token with Python's own tables."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
from bytepair.measuring.classes import CONTROL, LETTER, NUMBER, SIGN, SPACE, classes, classified
from bytepair.measuring.kinds import KINDS, LENGTHS, SCRIPTS

ALICE = resources.files("bytepair.demo_data").joinpath("alice_body.txt").read_text("utf-8")
NAMES = {"L": "letters", "M": "letters", "N": "numbers", "P": "signs", "S": "signs", "Z": "white space"}
WHITE = "\t\n\x0b\x0c\r\x85"


def plain_kind(token: bytes) -> str:
    """The kind of a token, character by character."""
    try:
        text = token.decode()
    except UnicodeDecodeError:
        return "single byte" if len(token) == 1 else "part"
    has_space = len(text) > 1 and text[0] == " "
    found = {plain_class(character) for character in text[has_space:]}
    [one, *others] = sorted(found)
    if has_space and not others:
        if one in ("letters", "numbers", "signs"):
            return f"space + {one}"
        return "white space" if one == "white space" else "mixed"
    if not has_space and found - {"letters"} and {plain_class(character) for character in text[1:]} == {"letters"}:
        return "sign + letters" if plain_class(text[0]) in ("signs", "white space") else "mixed"
    return "mixed" if others else one


def plain_class(character: str) -> str:
    if character in WHITE:
        return "white space"
    category = unicodedata.category(character)
    return "control" if category == "Cc" else NAMES.get(category[0], "signs")


LETTERS = "ab1 .\n\t\x00é猫кω\u0301٣"


@given(tokens=st.sets(st.binary(min_size=2, max_size=3) | st.text(LETTERS, min_size=2, max_size=5).map(str.encode)))
def test_every_token_is_of_one_kind(tokens: set[bytes]) -> None:
    every = [*(bytes([byte]) for byte in range(256)), *sorted(token for token in tokens if len(token) > 1)]
    found = bp.kinds(bp.Tokenizer.from_parts(bp.Parts(tokens=tuple(enumerate(every)), merges=())))
    assert {group.name: group.tokens for group in found.of("kind")} == Counter(map(plain_kind, every))
    for by in ("bytes", "length"):
        assert sum(group.tokens for group in found.of(by)) == len(every)
    assert {group.name: group.tokens for group in found.of("bytes")} == Counter(
        ("one, " if len(token) == 1 else "several, ")
        + (
            ("below 0x80" if token < b"\x80" else "from 0x80 on")
            if len(token) == 1
            else ("all below 0x80" if token.isascii() else "some above")
        )
        for token in every
    )


@pytest.mark.parametrize(
    ("token", "script"),
    [
        (" the", "Latin"),
        ("кот", "Cyrillic"),
        ("猫", "Han"),
        ("猫が", "several"),
        ("α1", "Greek"),
        ("12", None),
        ("ー", None),
    ],
)
def test_scripts(token: str, script: str | None) -> None:
    tokens = [*((byte, bytes([byte])) for byte in range(256)), (256, token.encode())]
    with_it, without = (
        {group.name: group.tokens for group in bp.kinds(bp.Tokenizer.from_parts(parts)).of("script")}
        for parts in (
            bp.Parts(tokens=tuple(tokens), merges=()),
            bp.Parts(tokens=tuple(tokens[:256]), merges=()),
        )
    )
    changed = {name: count for name, count in with_it.items() if count != without.get(name, 0)}
    assert changed == ({} if script is None else {script: without.get(script, 0) + 1})
    assert len(set(SCRIPTS)) == len(SCRIPTS)


def test_the_use_of_each_kind() -> None:
    tok = bp.train(texts=[ALICE], vocab_size=1000, special_tokens=["<|end|>"])
    found = bp.kinds(tok, [ALICE])
    counts = Counter(tok.encode(ALICE))
    assert found.text_tokens == {"tokenizer": counts.total()}
    special = tok.special_tokens["<|end|>"]
    for group in found.of("kind"):
        ids = [id for id, token in tok.vocabulary.items() if id != special and plain_kind(token) == group.name]
        assert (group.tokens, group.share) == (len(ids), len(ids) / 999)
        assert group.in_use == sum(id in counts for id in ids)
        assert group.rare == sum(0 < counts[id] < 10 for id in ids)
        assert group.text_share == sum(counts[id] for id in ids) / counts.total()
    words = [token for token in tok.vocabulary.values() if plain_kind(token) in ("letters", "space + letters")]
    assert [len(token) for token in found.longest["tokenizer"]] == sorted(map(len, words), reverse=True)[:5]


def test_lengths() -> None:
    tokens = [*((byte, bytes([byte])) for byte in range(256)), (256, b"a" * 16), (257, b"a" * 17), (258, b"a" * 65)]
    found = bp.kinds(bp.Tokenizer.from_parts(bp.Parts(tokens=tuple(tokens), merges=())))
    assert {group.name: group.tokens for group in found.of("length")} == {
        "1": 256,
        "16": 1,
        "17 to 32": 1,
        "65 and more": 1,
    }
    assert [first for first, _ in LENGTHS] == sorted({first for first, _ in LENGTHS})


def test_characters_without_their_mark() -> None:
    tok = bp.train(texts=["low lower"], num_merges=3, alphabet="characters", end_of_word="</w>")
    found = {group.name: group.tokens for group in bp.kinds(tok).of("kind")}
    assert found.pop("mark") == 1
    assert set(found) == {"letters"}


def test_forms() -> None:
    small, large = (bp.train(texts=[ALICE], vocab_size=size) for size in (300, 600))
    both = bp.kinds({"<small>": small, "large": large})
    assert {group.name: group.tokens for group in both.of("kind", "large")} == {
        group.name: group.tokens for group in bp.kinds(large).of("kind")
    }
    assert json.loads(json.dumps(both.to_dict(), allow_nan=False))["rows"] == both.rows()
    assert "&lt;small&gt;" in both._repr_html_()
    for drawn in (str(both), str(bp.kinds(small, ["low low"]))):
        assert max(map(len, drawn.splitlines())) <= 80
    assert bp.kinds(small, [""]).groups[0].text_share is None
    with pytest.raises(ValueError, match="no tokenizer"):
        bp.kinds([])
    assert set(NAMES.values()) <= set(KINDS)


@given(documents=st.lists(st.text("aé1 .猫👍\n", max_size=9).map(str.encode) | st.binary(max_size=4), max_size=4))
def test_the_classes_of_any_texts(documents: list[bytes]) -> None:
    found = classified(documents)
    wanted: list[int] = []
    for document in documents:
        for character in document.decode("utf-8", "surrogateescape"):
            size = len(character.encode("utf-8", "surrogateescape"))
            wanted += [SIGN if "\ud800" <= character < "\ue000" else int(classes()[ord(character)])] * size
    assert found.classes.tolist() == wanted
    assert found.characters.tolist() == [len(document.decode("utf-8", "replace")) for document in documents]
    assert set(wanted) <= {LETTER, NUMBER, SPACE, CONTROL, SIGN}
