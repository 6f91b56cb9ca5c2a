"""Added tokens with all their flags: the ids and the places that `tokenizers` gives them."""

from __future__ import annotations

import itertools
import random
import unicodedata
import warnings

import pytest
import tokenizers
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bytepair as bp
from bytepair import Parts, SpecialToken
from bytepair.formats import huggingface

CONTENTS = ("<m>", "<m>x", "aa", "ab", " a", "b ", "\n", " ", "  ", "__", "éé", "word", "<<", "m>", "\u3000")
LETTERS = ("<m>", "a", "b", " ", "  ", "\n", "\u3000", "\x85", "\x1c", "_", "é", "word", "-", "x", "<", "²", "日")
BYTES = tuple((byte, bytes([byte])) for byte in range(256))
PATTERN = bp.PATTERNS["gpt2"]


@st.composite
def added_tokens(draw: st.DrawFn) -> tuple[SpecialToken, ...]:
    contents = draw(st.lists(st.sampled_from(CONTENTS), unique=True, max_size=6))
    flags = st.tuples(*[st.booleans()] * 5)
    return tuple(SpecialToken(content, 256 + i, *draw(flags)) for i, content in enumerate(contents))


def both(specials: tuple[SpecialToken, ...]) -> tuple[bp.Tokenizer, tokenizers.Tokenizer]:
    """The same tokenizer, ours and theirs, who reads our file."""
    parts = Parts(tokens=BYTES, merges=(), pattern=PATTERN, specials=specials)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = huggingface.render(parts)
    assert huggingface.parse(data) == parts
    return bp.Tokenizer.from_parts(parts), tokenizers.Tokenizer.from_str(data.decode())


def assert_alike(ours: bp.Tokenizer, theirs: tokenizers.Tokenizer, text: str) -> None:
    try:
        expected = theirs.encode(text)
    except BaseException as panic:
        # A token of white space that takes white space, in more white space that one before it takes.
        if "AddedVocabulary bad split" not in str(panic):
            raise
        return
    assert ours.encode(text, allowed_special="all") == expected.ids, text
    assert ours.count(text, allowed_special="all") == len(expected.ids)
    found = [(id_, place) for id_, place in zip(expected.ids, expected.offsets, strict=True) if id_ >= len(BYTES)]
    places = [place for _, place in found]
    lengths = [len(theirs.id_to_token(id_) or "") for id_, _ in found]
    if all(one[1] <= other[0] for one, other in itertools.pairwise(places)) and all(
        end - start >= length for (start, end), length in zip(places, lengths, strict=True)
    ):
        # Where a token begins in white space that one before it takes, theirs overlap, or it loses letters of its own.
        trace = ours.trace(text, allowed_special="all")
        assert [token.char_offsets for token in trace if token.special] == places, text


@settings(max_examples=300, deadline=None)
@given(added_tokens(), st.lists(st.sampled_from(LETTERS), max_size=14).map("".join))
@example(
    (SpecialToken("  ", 256, special=False, rstrip=True), SpecialToken(" a", 257, special=False, lstrip=True)), "   a"
)
def test_ids_and_places_are_those_of_tokenizers(specials: tuple[SpecialToken, ...], text: str) -> None:
    assert_alike(*both(specials), text)


@pytest.mark.parametrize("flag", ["lstrip", "rstrip", "single_word", "normalized"])
def test_each_flag_on_random_texts(flag: str) -> None:
    numbers = random.Random(flag)
    ours, theirs = both(tuple(SpecialToken(text, 256 + i, **{flag: True}) for i, text in enumerate(CONTENTS)))
    for _ in range(2000):
        assert_alike(ours, theirs, "".join(numbers.choices(LETTERS, k=numbers.randint(1, 12))))


def test_letters_and_white_space_are_those_of_their_regular_expressions() -> None:
    ours, theirs = both((SpecialToken("<m>", 256, single_word=True), SpecialToken("<n>", 257, lstrip=True)))
    numbers = random.Random(7)
    codes = [*range(0x3100), *range(0xFE00, 0x10000), *numbers.sample(range(0x10000, 0x110000), 2000)]
    for code in codes:
        # A letter of a later version of Unicode than theirs is none there.
        if unicodedata.category(chr(code)) not in {"Cn", "Cs"}:
            assert_alike(ours, theirs, f"{chr(code)}<m>{chr(code)} a{chr(code)}<n>")
