"""Patterns in stages: the engine, the reference and the pre-tokenizers of `tokenizers`, on random sequences of them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
import tokenizers

import bytepair as bp
from bytepair import reference
from bytepair.formats import pattern_stages
from bytepair.formats.byte_alphabet import spell
from bytepair.formats.huggingface import parse
from bytepair.formats.pattern_stages import DIGITS, GPT2_PATTERN, THEN
from bytepair.parts import Parts
from bytepair.patterns import PATTERNS

SIGNS = ["a", "b", "ab", "'s", "'", " ", "  ", "\n", "1", "23", "½", "-", "!", "…", "é", "日", "_", "\u3000", "\u200d"]
REGEXES = [r"\p{N}{1,3}", "[一-龥]+", "a", "a|b+", r"\s+(?!\S)|\s+", " ?[^ ]", r"\p{L}+(?!\p{N})", GPT2_PATTERN]
BEHAVIORS = ["Isolated", "Removed", "Contiguous", "MergedWithPrevious", "MergedWithNext"]


def text(draw: random.Random) -> str:
    return "".join(draw.choices(SIGNS, k=draw.randint(0, 14)))


def pre_tokenizer(draw: random.Random) -> dict[str, Any]:
    behavior = draw.choice(BEHAVIORS)
    inverts = draw.random() < 0.3 and not behavior.startswith("Merged")
    regex = {"Regex": draw.choice(REGEXES)} if draw.random() < 0.8 else {"String": draw.choice(["a", " ", "'s", "-"])}
    return draw.choice(
        [
            {"type": "Split", "pattern": regex, "behavior": behavior, "invert": inverts},
            {"type": "Split", "pattern": regex, "behavior": behavior, "invert": inverts},
            {"type": "Digits", "individual_digits": draw.random() < 0.5},
            {"type": "Punctuation", "behavior": behavior},
            {"type": "Whitespace"},
            {"type": "WhitespaceSplit"},
        ]
    )


def document(steps: list[dict[str, Any]], *, use_regex: bool) -> dict[str, Any]:
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": use_regex}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [*steps, level]},
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
        "model": {"type": "BPE", "vocab": {spell(bytes((byte,))): byte for byte in range(256)}, "merges": []},
    }


def pieces(tok: bp.Tokenizer) -> Callable[[str], list[str]]:
    return lambda text: [spell(pretoken.text) for pretoken in tok.trace(text).pretokens]


def theirs(made: dict[str, Any]) -> Callable[[str], list[str]]:
    peer = tokenizers.Tokenizer.from_str(json.dumps(made))
    return lambda text: [piece for piece, _ in peer.pre_tokenizer.pre_tokenize_str(text)]


@pytest.mark.parametrize("seed", range(60))
def test_sequences_split_as_tokenizers_splits(seed: int) -> None:
    draw = random.Random(seed)
    made = document([pre_tokenizer(draw) for _ in range(draw.randint(0, 4))], use_regex=draw.random() < 0.3)
    parts = parse(json.dumps(made).encode())
    tok = bp.Tokenizer.from_parts(parts)
    again = bp.Tokenizer.from_parts(parse(written(parts)))
    ours, peer, reread = pieces(tok), theirs(made), pieces(again)
    for _ in range(150):
        one = text(draw)
        assert ours(one) == peer(one), (made["pre_tokenizer"], parts.pattern, one)
        assert reread(one) == ours(one)
        assert [spell(piece) for piece in reference.split(parts.pattern, one.encode())] == ours(one)
        assert tok.lossy or tok.decode(tok.encode(one)) == one


def written(parts: Parts) -> bytes:
    from bytepair.formats import huggingface  # noqa: PLC0415

    return huggingface.render(parts)


def cut_by(pattern: str) -> Callable[[str], list[str]]:
    return pieces(
        bp.Tokenizer.from_parts(Parts(pattern=pattern, tokens=tuple((b, bytes((b,))) for b in range(256)), merges=()))
    )


def test_digits_and_the_pattern_of_gpt2_are_one_pattern() -> None:
    one, two = cut_by(DIGITS), cut_by(rf"\p{{N}}{THEN}{GPT2_PATTERN}")
    draw = random.Random(5)
    for _ in range(3000):
        sample = text(draw)
        assert one(sample) == two(sample), sample


@pytest.mark.parametrize("name", pattern_stages.TOTAL)
def test_presets_that_leave_no_character_unmatched(name: str) -> None:
    samples = "".join(map(chr, (*range(0x3400), *range(0xD7A0, 0xD800), *range(0xE000, 0x13000, 7), 0x1F600, 0x10FFFF)))
    whole, kept = cut_by(PATTERNS[name]), cut_by("(?kept)" + PATTERNS[name])
    assert whole(samples) == kept(samples)
    draw = random.Random(7)
    for _ in range(2000):
        sample = text(draw)
        assert whole(sample) == kept(sample), sample


def test_stages_are_refused_by_number() -> None:
    with pytest.raises(bp.PatternError, match="more than 16 stages"):
        cut_by(THEN.join("a" * 17))
    with pytest.raises(bp.PatternError):
        cut_by("(?kept)(?kept)a")


def test_a_text_that_is_read_in_parts_is_split_the_same() -> None:
    draw = random.Random(11)
    pattern = r"\p{N}{1,3}(?then)[一-龥]+(?then) ?\p{L}+|[^\s\p{L}\p{N}]+|\s+"
    tok = bp.train(texts=["a man 12 日本 23ab'! " * 9], num_merges=12, pattern=pattern)
    long = "".join(text(draw) for _ in range(20_000))
    expected = [id for piece in reference.split(pattern, long.encode()) for id in tok.encode(piece)]
    assert tok.encode(long) == expected
    stream = tok.encode_stream([long[at : at + 777] for at in range(0, len(long), 777)])
    assert [id for some in stream for id in some] == expected
    assert tok.count(long) == len(expected)
