"""What a tokenizer does to numbers, indentation, spelling and twins; words, characters and bytes as vocabularies."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable
from importlib import resources
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp

ALICE = resources.files("bytepair.demo_data").joinpath("alice_body.txt").read_text("utf-8").split("\n\n")
PUBLISHED = Path(__file__).parents[2] / "testdata" / "published.toml"
WORD = re.compile(r"[^\W\d_]+|\d+|[^\s\w]|_")


@pytest.fixture(scope="module")
def cl100k(vocabulary_file: Callable[[str], Path]) -> bp.Tokenizer:
    return bp.load(vocabulary_file("cl100k_base"), pattern="cl100k")


def test_published_splits_of_numbers_and_indentation(cl100k: bp.Tokenizer) -> None:
    """`1234` is 123|4, `12345` 123|45, `1000000` 100|000|0; four or eight spaces before `x = 1` are one token more."""
    found = bp.oddities(cl100k)
    assert {one.digits: one.commonest for one in found.numbers if one.digits in (4, 5, 7)} == {
        4: (3, 1),
        5: (3, 2),
        7: (3, 3, 1),
    }
    assert all(one.ways == 1 for one in found.numbers)
    assert [one.from_right for one in found.numbers] == [1, 1, 1, 0, 0, 1, 0, 0, 1]
    spaces, tabs = found.indentation
    for width in (4, 8):
        assert spaces.tokens[width - 1] == len(cl100k.encode(" " * width + "x = 1")) - len(cl100k.encode("x = 1")) == 1
    assert tabs.tokens[0] == 0
    assert spaces.longest_free == 40
    splits = tomllib.loads(PUBLISHED.read_text("utf-8"))["cl100k"]["splits"]
    shown = {one.text: [token.decode() for token in one.tokens] for one in found.texts}
    assert {text: shown[text] for text, _ in splits if text in shown} == dict(splits)


def test_digits_from_the_right() -> None:
    groups = [f"{number:0{digits}}".encode() for digits in (2, 3) for number in range(10**digits)]
    tokens = [*((b, bytes([b])) for b in range(256)), *enumerate(groups, 256)]
    parts = bp.Parts(tokens=tuple(tokens), merges=None, whole_first=True, pattern=bp.PATTERNS["digits3r"])
    numbers = bp.oddities(bp.Tokenizer.from_parts(parts)).numbers
    assert [(one.ways, one.from_right) for one in numbers] == [(1, 1)] * 9


def test_spelling_and_repetition() -> None:
    tok = bp.train(texts=["strawberry straw berry"] * 3, num_merges=6)
    found = bp.oddities(tok, words=["strawberry"])
    [one] = found.spelling
    assert b"".join(one.tokens) == b"strawberry"
    assert b"".join(one.reversed) == b"yrrebwarts"
    assert (one.letter, one.count, one.seen) == ("r", 3, one.tokens.count(b"r"))
    for repeated in found.repeated:
        assert repeated.tokens == tuple(tok.count(repeated.unit * times) for times in repeated.times)


def test_twins() -> None:
    words = [b"the", b" the", b"The", b" THE", b"cat", b" dog", b"x1", b" "]
    tokens = [(b, bytes([b])) for b in range(256)] + [(256 + at, word) for at, word in enumerate(words[:-2])]
    twins = bp.oddities(bp.Tokenizer.from_parts(bp.Parts(tokens=tuple(tokens), merges=()))).twins
    letters = 52
    assert twins.spaced == 1
    assert twins.only_spaced == 2  # ` THE`, ` dog`
    assert twins.only_bare == 2 + letters  # `The`, `cat`
    assert twins.cased == 2 + 26  # the/The, ` the`/` THE`, and the letters
    assert twins.in_cased == 4 + letters
    assert set(twins.examples[0]) == {b"the", b" the", b"The", b" THE"}


def test_forms_of_a_word() -> None:
    tok = bp.train(texts=ALICE, vocab_size=2000)
    the = bp.oddities(tok).forms[0]
    assert the.forms == ("the", " the", "The", " The", "THE")
    assert the.ids == tuple(tuple(tok.encode(form)) for form in the.forms)
    assert len({ids for ids in the.ids if len(ids) == 1}) >= 3  # one word, and ids that have nothing in common


def test_forms_and_refusals() -> None:
    found = bp.oddities(bp.train(texts=ALICE, vocab_size=600))
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["numbers"] == found.rows()
    assert max(map(len, str(found).splitlines())) <= 80
    with pytest.raises(ValueError, match="made for bytes"):
        bp.oddities(bp.train(texts=["low"], num_merges=1, alphabet="characters"))
    for words in ("one", [""]):
        with pytest.raises(ValueError, match="give a list of words"):
            bp.oddities(bp.train(texts=[], vocab_size=256), words=words)


def plainly(texts: list[str], held_out: list[str], least: int) -> dict[str, object]:
    """The same from lists of words."""
    counts = Counter(word for text in texts for word in WORD.findall(text))
    known = {word for word, count in counts.items() if count >= least}
    lists = [WORD.findall(text) for text in held_out]
    words = [word for one in lists for word in one]
    neighbours = false = 0
    for one in lists:
        kept = [place for place, word in enumerate(one) if word in known]
        neighbours += max(len(kept) - 1, 0)
        false += sum(right - left > 1 for left, right in pairwise(kept))
    characters = Counter("".join(texts))
    return {
        "distinct": len(counts),
        "once": sum(count == 1 for count in counts.values()),
        "sizes": [len(known) + 1, len(known), len(characters), 256],
        "lengths": [
            len(words),
            sum(word in known for word in words),
            sum(map(len, held_out)),
            sum(len(text.encode()) for text in held_out),
        ],
        "unknown": sum(word not in known for word in words),
        "strange": sum(character not in characters for text in held_out for character in text),
        "trap": (neighbours, false),
    }


def check(texts: list[str], held_out: list[str], least: int) -> None:
    wanted = plainly(texts, held_out, least)
    found = bp.baselines(texts, held_out, min_count=least)
    assert {"distinct": found.distinct, "once": found.once} == {key: wanted[key] for key in ("distinct", "once")}
    assert [one.vocab_size for one in found.systems] == wanted["sizes"]
    assert [one.length for one in found.systems] == wanted["lengths"]
    assert (found.trap.neighbours, found.trap.false) == wanted["trap"]
    words, _, characters, _ = found.systems
    if words.length:
        assert words.unknown * words.length == pytest.approx(wanted["unknown"])
        assert characters.unknown * characters.length == pytest.approx(wanted["strange"])


@given(texts=st.lists(st.text("ab ,1é\n", max_size=20), max_size=4), held_out=st.lists(st.text("abc ,é", max_size=20)))
def test_baselines_of_any_texts(texts: list[str], held_out: list[str]) -> None:
    check(texts, held_out, 1)
    check(texts, held_out, 2)


def test_baselines_of_a_book() -> None:
    check(ALICE[:600], ALICE[600:], 2)
    tok = bp.train(texts=ALICE[:600], vocab_size=1000)
    found = bp.baselines(ALICE[:600], ALICE[600:], tok={"mine": tok})
    mine = found.systems[-1]
    assert (mine.name, mine.vocab_size, mine.length) == ("mine", 1000, sum(map(tok.count, ALICE[600:])))
    assert "Dropping unknown words makes" in str(found)
    assert max(map(len, str(found).splitlines())) <= 80
    json.dumps(found.to_dict(), allow_nan=False)


def test_what_are_no_texts() -> None:
    with pytest.raises(TypeError, match="texts is one str"):
        bp.baselines("one text")
    with pytest.raises(TypeError, match="item 0 of texts"):
        bp.baselines([1])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="min_count is 0"):
        bp.baselines(["a"], min_count=0)


def test_the_unusual_dog() -> None:
    found = bp.baselines(["the dog barks at the dog"], ["the unusual dog", "the very unusual dog"])
    assert found.trap.false == found.trap.neighbours == 2
    assert ("the unusual dog", "the dog") in found.trap.examples
    assert not bp.baselines(["a", "b"]).is_held_out
    assert bp.baselines([]).to_dict()["trap"]["false"] == 0
