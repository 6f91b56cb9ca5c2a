"""Figures of tokenizers on texts, against the plainest way to count them."""

from __future__ import annotations

import json
import re
import tomllib
from importlib import resources
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
from bytepair.measuring.bootstrap import Groups, interval
from bytepair.measuring.definitions import DEFINITIONS
from bytepair.measuring.figures import coverage, entropy, gini, renyi_efficiency, zipf_slope
from bytepair.measuring.tally import Tally, token_lengths
from bytepair.measuring.words import overlaps, spans

ALICE = resources.files("bytepair.demo_data").joinpath("alice_body.txt").read_text("utf-8")
PARAGRAPHS = ALICE.split("\n\n")
FACTS = tomllib.loads((Path(__file__).parents[2] / "testdata" / "published.toml").read_text("utf-8"))
WORD = re.compile(r"[^\W\d_]+")


@pytest.fixture(scope="module")
def small() -> bp.Tokenizer:
    return bp.train(texts=PARAGRAPHS, vocab_size=512, special_tokens=["<|end|>"])


@pytest.fixture(scope="module")
def large() -> bp.Tokenizer:
    return bp.train(texts=PARAGRAPHS, vocab_size=2048)


def test_published_renyi() -> None:
    tokens = FACTS["renyi"]["tokens"]
    counts = [tokens.count(token) for token in set(tokens)]
    for alpha, efficiency in FACTS["renyi"]["efficiency"]:
        assert renyi_efficiency(counts, alpha=alpha) == pytest.approx(efficiency, abs=1e-15)
    assert renyi_efficiency(counts, alpha=1) == pytest.approx(entropy(counts) / 2)
    assert renyi_efficiency([5, 5, 5, 0]) == pytest.approx(1)


def test_published_loss() -> None:
    """3.31 nats a token at 4.085 characters a token is 0.81 nats a character, better than a character model's 1.103."""
    tok = bp.train(texts=["aaaa bbbbb"] * 2, num_merges=5, pattern="a{4}|b{5}")
    text = "aaaa" * 183 + "bbbbb" * 17
    fact = FACTS["loss"]
    assert len(text) / tok.count(text) == fact["characters_per_token"]
    found = bp.nats_per_character(fact["nats_per_token"], tok, [text])
    assert round(found, 2) == fact["nats_per_character"]
    assert found < 1.103
    [one] = bp.losses(fact["nats_per_token"], tok, [text]).losses
    assert one.nats_per_character == found
    assert one.bits_per_byte == pytest.approx(found / np.log(2))  # a byte a character


def test_losses_are_of_all_texts_together(small: bp.Tokenizer) -> None:
    texts: list[str | bytes] = [*PARAGRAPHS[:9], "Жили-были", b"\xff\xfe"]
    tokens = sum(small.count(text) for text in texts)
    size = sum(len(text.encode() if isinstance(text, str) else text) for text in texts)
    found = bp.bits_per_byte(2.5, small, texts, errors="bytes")
    assert found == pytest.approx(2.5 * tokens / (np.log(2) * size))
    for wrong in (float("nan"), -1.0, float("inf"), "3"):
        with pytest.raises(ValueError, match="nats_per_token is"):
            bp.bits_per_byte(wrong, small, texts)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no token"):
        bp.nats_per_character(1.0, small, [""])


def test_losses_side_by_side(small: bp.Tokenizer, large: bp.Tokenizer) -> None:
    texts = PARAGRAPHS[:40]
    found = bp.losses({"large": 3.0, "small": 2.0}, {"small": small, "large": large}, texts)
    assert {one.tokenizer for one in found.losses} == {"small", "large"}
    assert found.losses[0].bits_per_byte < found.losses[1].bits_per_byte
    for one in found.losses:
        tok, nats = (small, 2.0) if one.tokenizer == "small" else (large, 3.0)
        perplexities = bp.perplexities(nats, tok, texts)
        assert one.nats_per_character == bp.nats_per_character(nats, tok, texts)
        assert one.bits_per_byte == bp.bits_per_byte(nats, tok, texts)
        assert (one.perplexity_per_token, one.perplexity_per_character, one.perplexity_per_byte) == (
            perplexities.per_token,
            perplexities.per_character,
            perplexities.per_byte,
        )
    assert bp.losses([2.0, 3.0], [small, large], texts).rows()[0]["tokenizer"] in ("1", "2")
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["rows"] == found.rows()
    assert max(map(len, str(found).splitlines())) <= 80
    wrong: object
    for wrong in (1.0, [1.0], {"small": 1.0, "other": 2.0}, [1.0, 2.0, 3.0]):
        with pytest.raises(ValueError, match="not those of 1, 2"):
            bp.losses(wrong, [small, large], texts)
    with pytest.raises(ValueError, match="nats_per_token is True"):
        bp.losses([True, 1.0], [small, large], texts)


def test_losses_of_a_file_larger_than_a_part(tmp_path: Path, large: bp.Tokenizer) -> None:
    path = tmp_path / "book.txt"
    path.write_text(ALICE * 60, encoding="utf-8")
    assert bp.losses(1.0, large, files=path).rows() == bp.losses(1.0, large, [ALICE * 60]).rows()


def test_figures_are_those_of_plain_counting(small: bp.Tokenizer) -> None:
    figures = bp.measure(small, PARAGRAPHS).figures[0]
    ids = [id for text in PARAGRAPHS for id in small.encode(text)]
    text_bytes, characters = sum(len(text.encode()) for text in PARAGRAPHS), sum(map(len, PARAGRAPHS))
    counts = np.bincount(ids)
    assert (figures.tokens, figures.bytes, figures.characters) == (len(ids), text_bytes, characters)
    assert figures.documents == len(PARAGRAPHS)
    assert figures.bytes_per_token == text_bytes / len(ids)
    assert figures.characters_per_token == characters / len(ids)
    assert figures.vocab_size == 511
    assert figures.tokens_in_use == len(set(ids))
    assert figures.never_seen == 511 - len(set(ids))
    assert figures.rare == sum(1 for id in set(ids) if ids.count(id) < 10)
    assert figures.entropy == pytest.approx(entropy(counts))
    assert figures.coverage_10 == pytest.approx(np.sort(counts)[-10:].sum() / len(ids))
    assert figures.words == sum(len(WORD.findall(text)) for text in PARAGRAPHS)


def plainly(tok: bp.Tokenizer, text: str) -> list[int]:
    """How many tokens overlap each word and the space before it."""
    tokens = tok.trace(text).byte_offsets
    found = []
    for word in WORD.finditer(text):
        start = word.start() - (word.start() > 0 and text[word.start() - 1] == " ")
        first, last = len(text[:start].encode()), len(text[: word.end()].encode())
        found.append(sum(1 for begin, end in tokens if begin < last and end > first))
    return found


def test_words_in_context(large: bp.Tokenizer) -> None:
    found = [number for text in PARAGRAPHS[:60] for number in plainly(large, text)]
    figures = bp.measure(large, PARAGRAPHS[:60]).figures[0]
    assert figures.words == len(found)
    assert figures.tokens_per_word == sum(found) / len(found)
    assert figures.single_token_words == found.count(1) / len(found)


@given(texts=st.lists(st.text("ab é猫.\n 1", max_size=12), max_size=5))
def test_words_of_any_texts(texts: list[str]) -> None:
    tok = bp.train(texts=[], vocab_size=256)
    raw = [text.encode() for text in texts]
    words = spans(raw)
    size = sum(map(len, raw))
    assert overlaps(words, np.arange(1, size + 1), size).tolist() == [n for text in texts for n in plainly(tok, text)]
    assert words.characters.tolist() == [len(text) for text in texts]


def test_words_beside_bytes_that_are_no_text() -> None:
    words = spans([b"\xffab\xe2\x82", b"\x82cd \xc3"])
    assert (words.starts.tolist(), words.ends.tolist()) == ([1, 6], [3, 8])
    assert words.characters.tolist() == [4, 5]


@given(text=st.text("ab é猫.\n 1", max_size=60), cuts=st.lists(st.integers(0, 60), max_size=6))
def test_a_document_in_parts(text: str, cuts: list[int]) -> None:
    tokenizers = {"one": IN_PARTS[0], "other": IN_PARTS[1]}
    lengths = {name: token_lengths(tok) for name, tok in tokenizers.items()}
    whole, parts = Tally(tokenizers, lengths), Tally(tokenizers, lengths)
    whole.add([text.encode()], spans([text.encode()]), 1)
    places = [0, *sorted(cuts), len(text)]
    for start, end in pairwise(places):
        parts.add_part(text[start:end].encode(), 1, is_last=False)
    parts.add_part(b"", 1, is_last=True)
    assert parts.groups.sums.tolist() == whole.groups.sums.tolist()
    for name in tokenizers:
        assert (parts.counts[name] == whole.counts[name]).all()


IN_PARTS = (
    bp.train(texts=["ab abba é 猫 猫. ab\n\n ab 1 11"] * 3, num_merges=11),
    bp.train(texts=["ab a b a b. é 猫 1"] * 3, num_merges=12, pattern=None),
)


def test_a_file_larger_than_a_part(tmp_path: Path, large: bp.Tokenizer) -> None:
    path = tmp_path / "book.txt"
    path.write_text(ALICE * 60, encoding="utf-8")
    in_parts = bp.measure(large, files=path).figures[0]
    assert in_parts.bytes > 9_000_000
    assert in_parts == bp.measure(large, [ALICE * 60]).figures[0]


def test_side_by_side(small: bp.Tokenizer, large: bp.Tokenizer) -> None:
    measured = bp.measure({"small": small, "large": large}, PARAGRAPHS)
    assert measured.tokenizers == ("small", "large")
    tokens, per_word, single = measured.differences
    assert (tokens.figure, tokens.first, tokens.second) == ("tokens", "small", "large")
    one, other = measured.of("small"), measured.of("large")
    assert tokens.value == other.tokens / one.tokens - 1
    assert tokens.low < tokens.value < tokens.high < 0
    assert tokens.is_sure
    assert per_word.value == pytest.approx(other.tokens_per_word - one.tokens_per_word)
    assert single.value == pytest.approx(other.single_token_words - one.single_token_words)
    assert bp.measure({"small": small, "large": large}, PARAGRAPHS).differences == measured.differences
    same = bp.measure([small, small], PARAGRAPHS).differences[0]
    assert (same.value, same.low, same.high, same.is_sure) == (0, 0, 0, False)


def test_one_document_has_no_interval(small: bp.Tokenizer, large: bp.Tokenizer) -> None:
    measured = bp.measure([small, large], [ALICE])
    assert np.isnan(measured.differences[0].low)
    assert "There is no interval" in str(measured)
    assert measured.to_dict()["differences"][0]["low"] is None


def test_languages(small: bp.Tokenizer) -> None:
    measured = bp.measure(small, {"en": PARAGRAPHS[:5], "ru": ["Жили-были", "курочка"]})
    assert measured.languages == ("en", "ru")
    whole, en, ru = measured.figures
    assert (whole.tokens, whole.words) == (en.tokens + ru.tokens, en.words + ru.words)
    assert measured.of("tokenizer", "ru").tokens == small.count("Жили-были") + small.count("курочка")
    assert measured.counts["tokenizer", "ru"].sum() == ru.tokens
    assert "By language" in str(measured)
    assert "Characters/token, by language" in str(bp.measure([small, small], {"en": ["low"], "ru": ["кот"]}))
    with pytest.raises(KeyError, match="was not measured"):
        measured.of("tokenizer", "de")


def test_special_tokens_are_text(small: bp.Tokenizer) -> None:
    assert bp.measure(small, ["<|end|>"]).figures[0].tokens == len(small.encode("<|end|>")) > 1


def test_every_form(small: bp.Tokenizer, large: bp.Tokenizer) -> None:
    measured = bp.measure({"<small>": small, "large": large}, PARAGRAPHS[:30])
    plain = json.loads(json.dumps(measured.to_dict(), allow_nan=False))
    assert {row["tokenizer"] for row in plain["rows"]} == {"<small>", "large"}
    assert set(plain["rows"][0]) == set(DEFINITIONS)
    assert "&lt;small&gt;" in measured._repr_html_()
    assert "<small>" not in measured._repr_html_()
    assert max(map(len, str(measured).splitlines())) <= 80
    arrow = pytest.importorskip("pyarrow")
    assert isinstance(measured.to_arrow(), arrow.Table)
    assert measured.to_arrow().num_rows == 2


def test_nothing(small: bp.Tokenizer) -> None:
    figures = bp.measure(small, []).figures[0]
    assert (figures.tokens, figures.documents, figures.never_seen) == (0, 0, 511)
    assert np.isnan(figures.bytes_per_token)
    assert str(bp.measure(small, ["", ""]))


def test_characters() -> None:
    tok = bp.train(texts=["low lower"], num_merges=3, alphabet="characters", end_of_word="</w>")
    figures = bp.measure(tok, ["low lower low"]).figures[0]
    assert figures.tokens == tok.count("low lower low")
    assert np.isnan(figures.tokens_per_word)
    with pytest.raises(bp.UnknownSymbolError):
        bp.measure(tok, ["x"])


@pytest.mark.parametrize(
    ("tok", "problem", "message"),
    [("x", TypeError, "type `str`"), ([], ValueError, "no tokenizer"), ([1], TypeError, "tok is of type `int`")],
)
def test_no_tokenizer(tok: object, problem: type[Exception], message: str) -> None:
    with pytest.raises(problem, match=message):
        bp.measure(tok, ["a"])  # type: ignore[arg-type]


def test_ids_that_no_table_holds() -> None:
    tokens = ((0, b"a"), (1, b"b"), (2**32 - 2, b"ab"))
    tok = bp.Tokenizer.from_parts(bp.Parts(tokens=tokens, merges=((0, 1),)))
    with pytest.raises(ValueError, match="no room to count 4294967295 ids"):
        bp.measure(tok, ["ab"])
    assert bp.sweep(tok, ["abb"]).tokens().tolist() == [3, 2]


@given(lengths=st.lists(st.integers(0, 9), max_size=12), most=st.integers(1, 5))
def test_groups_are_neighbours(lengths: list[int], most: int) -> None:
    groups = Groups(1, most=most)
    numbers = list(range(1, sum(lengths) + 1))
    at = 0
    for length in lengths:
        groups.add(np.array(numbers[at : at + length], dtype=np.int64).reshape(-1, 1))
        at += length
    sums = groups.sums[:, 0].tolist()
    assert groups.documents == len(numbers)
    assert len(sums) <= most
    size = 1
    while len(range(0, len(numbers), size)) > most:
        size *= 2
    assert sums == [sum(numbers[start : start + size]) for start in range(0, len(numbers), size)]


def test_the_interval_is_that_of_theory() -> None:
    """Of a mean: 1.96 standard errors to each side."""
    values = np.random.default_rng(5).normal(100, 10, 400).round().astype(np.int64)
    sums = np.stack([values, np.ones_like(values)], axis=1)
    low, high = interval(sums, lambda drawn: drawn[:, 0] / drawn[:, 1])
    error = values.std() / 20
    assert (low, high) == pytest.approx((values.mean() - 1.96 * error, values.mean() + 1.96 * error), abs=0.25)


def test_figures_of_nothing() -> None:
    for figure in (entropy, renyi_efficiency, gini, lambda counts: zipf_slope(counts, 1, 9)):
        assert np.isnan(figure([]))
    assert np.isnan(coverage([], 1))
    assert gini([3, 1, 2]) == pytest.approx(sum(abs(a - b) for a in (3, 1, 2) for b in (3, 1, 2)) / (2 * 9 * 2))
