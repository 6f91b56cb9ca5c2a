"""BPE-dropout: the engine against the algorithm of the paper in plain Python, number by number and on the average."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import bytepair as bp
from bytepair import reference
from bytepair.parts import Parts, SpecialToken

pytestmark = pytest.mark.filterwarnings("ignore:training stopped")

MASK = (1 << 64) - 1
BYTES = tuple((byte, bytes([byte])) for byte in range(256))


def split_mix(seed: int) -> Iterator[float]:
    """SplitMix64, as numbers from 0 to 1."""
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & MASK
        bits = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & MASK
        yield ((bits ^ (bits >> 31)) >> 11) / 2**53


def lazily(
    merges: dict[tuple[int, int], tuple[int, int]], ids: list[int], dropout: float, draw: Iterator[float]
) -> None:
    """Algorithm 1, in which one number says how many pairs of a round are dropped before one is not."""
    powers = [dropout]
    for _ in range(63):
        powers.append(powers[-1] * powers[-1])
    while possible := sorted((merges[pair], at) for at, pair in enumerate(pairwise(ids)) if pair in merges):
        number, dropped, reached = next(draw), 0, 1.0
        for bit, power in reversed(list(enumerate(powers))):
            if reached * power > number:
                reached, dropped = reached * power, dropped + (1 << bit)
        if dropped >= len(possible):
            return
        (_, new), at = possible[dropped]
        ids[at : at + 2] = [new]


def eagerly(merges: dict[tuple[int, int], tuple[int, int]], ids: list[int], dropout: float, rng: random.Random) -> None:
    """Algorithm 1 as it is printed: each round drops each pair, and merges the best of those that are left."""
    while kept := [
        (merges[pair], at) for at, pair in enumerate(pairwise(ids)) if pair in merges and rng.random() >= dropout
    ]:
        (_, new), at = min(kept)
        ids[at : at + 2] = [new]


def expected(tok: bp.Tokenizer, text: bytes, dropout: float, seed: int) -> list[int]:
    """The ids of a text with a tokenizer of all bytes."""
    parts, draw, made = tok.parts, split_mix(seed), list[int]()
    tokens = dict(parts.tokens)
    plain = reference.from_ranks(tokens) if parts.merges is None else reference.from_merges(tokens, parts.merges)
    for piece in tok.split(text):
        ids = [plain.ids[bytes([byte])] for byte in piece]
        lazily(dict(plain.merges), ids, dropout, draw)
        made += ids
    return made


@st.composite
def tokenizers(draw: st.DrawFn) -> bp.Tokenizer:
    words = draw(st.lists(st.text("abc ", min_size=1, max_size=8), min_size=1, max_size=6))
    tok = bp.train(texts=words * 2, num_merges=draw(st.integers(1, 12)), pattern=draw(st.sampled_from([None, "gpt2"])))
    if draw(st.booleans()):
        return tok
    return bp.Tokenizer.from_parts(Parts(pattern=tok.pattern, tokens=tok.parts.tokens, merges=None, whole_first=True))


@pytest.fixture(scope="module")
def tok() -> bp.Tokenizer:
    return bp.train(texts=["low lower lowest newer newest widest"] * 3, num_merges=18, special_tokens=["<|end|>"])


@given(tokenizers(), st.text("abc ", max_size=30), st.sampled_from([0.1, 0.5, 0.9, 1.0]), st.integers(0, MASK))
def test_numbers_decide_as_in_the_plain_algorithm(tok: bp.Tokenizer, text: str, dropout: float, seed: int) -> None:
    assert tok.encode(text, dropout=dropout, seed=seed) == expected(tok, text.encode(), dropout, seed)


@given(tokenizers(), st.binary(max_size=40), st.floats(0, 1), st.integers(0, MASK))
@example(bp.train(texts=[], vocab_size=256), b"", 0.5, 0)
def test_the_text_is_kept(tok: bp.Tokenizer, text: bytes, dropout: float, seed: int) -> None:
    ids = tok.encode(text, dropout=dropout, seed=seed)
    assert tok.decode_bytes(ids) == text
    assert tok.encode(text, dropout=0, seed=seed) == tok.encode(text, dropout=0.0) == tok.encode(text)
    assert tok.encode(text, dropout=1, seed=seed) == list(text)
    assert tok.encode(text, dropout=dropout, seed=seed) == ids


@pytest.mark.parametrize("dropout", [0.1, 0.3, 0.7])
def test_segmentations_are_as_frequent_as_in_the_paper(dropout: float) -> None:
    tok = bp.train(texts=["abab ababab cab"] * 2, num_merges=6, pattern="gpt2")
    plain = reference.from_merges(dict(tok.parts.tokens), tok.parts.merges or ())
    rng, rounds = random.Random(7), 20_000
    theirs: Counter[tuple[int, ...]] = Counter()
    for _ in range(rounds):
        ids = list(b"ababab")
        eagerly(dict(plain.merges), ids, dropout, rng)
        theirs[tuple(ids)] += 1
    ours = Counter(tuple(tok.encode("ababab", dropout=dropout, seed=seed)) for seed in range(rounds))
    assert len(theirs) > 3
    for cut in theirs.keys() | ours.keys():
        share = (theirs[cut] + ours[cut]) / (2 * rounds)
        # Five standard deviations of the difference of two counts.
        assert abs(theirs[cut] - ours[cut]) <= 5 * (2 * rounds * share * (1 - share)) ** 0.5 + 1, cut


def test_words_of_one_text_are_cut_independently(tok: bp.Tokenizer) -> None:
    once = {tuple(tok.encode(" newest" * 20, dropout=0.5, seed=seed)) for seed in range(20)}
    assert len(once) == 20
    ids = tok.encode(" newest" * 50, dropout=0.5)
    assert len(ids) > len(tok.encode(" newest" * 50))


def test_the_ids_of_a_seed_never_change(tok: bp.Tokenizer) -> None:
    cut = [[tok.bytes_of(id).decode() for id in tok.encode("lowest", dropout=0.5, seed=seed)] for seed in (0, 1, MASK)]
    assert cut == [[*"lo", "we", "st"], ["lo", "we", "st"], ["lo", "we", *"st"]]


def test_special_tokens_and_unknown_symbols(tok: bp.Tokenizer) -> None:
    end = tok.special_tokens["<|end|>"]
    assert tok.encode("low<|end|>", allowed_special="all", dropout=1.0) == [*b"low", end]
    with pytest.raises(bp.SpecialTokenError):
        tok.encode("low<|end|>", disallowed_special="all", dropout=0.5)
    few = bp.Tokenizer.from_parts(
        Parts(tokens=((0, b"a"), (1, b"b"), (2, b"ab")), merges=((0, 1),), specials=(SpecialToken("<unk>", 5),))
    )
    assert few.encode("a?b", unknown="unk", dropout=0.5) == [0, 5, 1]
    assert few.encode("a?b", unknown="skip", dropout=1e-9) == [2]
    with pytest.raises(bp.UnknownSymbolError, match="character 1"):
        few.encode("a?b", dropout=0.5)


def test_characters() -> None:
    tok = bp.train(texts=["naïve naïve"], num_merges=5, alphabet="characters", end_of_word="</w>")
    assert [tok.bytes_of(id).decode() for id in tok.encode("naïve", dropout=1.0)] == ["n", "a", "ï", "v", "e", "</w>"]
    assert tok.encode("naïve", dropout=0) == tok.encode("naïve")


def test_with_a_dropout_no_pretoken_is_looked_up() -> None:
    tok = bp.Tokenizer.from_parts(Parts(tokens=(*BYTES, (256, b"abc")), merges=None, whole_first=True))
    assert tok.encode("abc") == [256]
    assert tok.encode("abc", dropout=1e-300) == [*b"abc"]


WRONG: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"dropout": 1.5}, ValueError, "dropout is 1.5"),
    ({"dropout": -0.1}, ValueError, "dropout is -0.1"),
    ({"dropout": float("nan")}, ValueError, "dropout is NaN"),
    ({"dropout": "0.1"}, TypeError, "dropout is of type `str`"),
    ({"dropout": 0.1, "seed": -1}, ValueError, "seed is -1"),
    ({"dropout": 0.1, "seed": 1 << 64}, ValueError, "seed is 18446744073709551616"),
    ({"dropout": 0.1, "seed": 0.5}, TypeError, "seed is of type `float`"),
    ({"dropout": 0.1, "seed": True}, TypeError, "seed is of type `bool`"),
]


@pytest.mark.parametrize(("options", "error", "message"), WRONG)
def test_wrong_options(tok: bp.Tokenizer, options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        tok.encode("low", **options)


def test_long_pretokens_are_no_trouble() -> None:
    """Ten times the run gives ten times the ids, and takes no recursion."""
    tok = bp.train(texts=["a" * 64] * 2, num_merges=6, pattern=None)
    count: Callable[[int], int] = lambda size: len(tok.encode("a" * size, dropout=0.5))  # noqa: E731
    assert count(100_000) == pytest.approx(10 * count(10_000), rel=0.05)
    assert len(tok.encode("a" * 100_000, dropout=0.9999)) < 100_000
