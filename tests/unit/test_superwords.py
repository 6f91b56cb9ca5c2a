"""`superwords`: tokens of several words, against the two phases done by hand."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
from bytepair.reference import Recounted
from bytepair.reference.bytes_bpe import merge
from bytepair.reference.training import learn

PATTERN = " ?[a-zé]+|[0-9]|[^a-zé0-9]"
text = st.lists(st.sampled_from(["a", "ab", " a", " ab", " é", "1", ".", " b"]), max_size=20).map("".join)


def runs(tok: bp.Tokenizer, text: str) -> tuple[int, list[tuple[int, ...]]]:
    """The tokens of a text, and the runs of words that are one token, as ids."""
    pretokens = [(pretoken, tok.encode(pretoken)) for pretoken in tok.split(text)]
    found: list[list[int]] = [[]]
    for pretoken, ids in pretokens:
        if len(ids) == 1 and any(map(str.isalpha, pretoken)):
            found[-1].append(ids[0])
        else:
            found.append([])
    return sum(len(ids) for _, ids in pretokens), [tuple(run) for run in found if len(run) > 1]


@pytest.mark.filterwarnings("ignore::bytepair.TrainingWarning")
@given(st.lists(text, max_size=5), st.lists(text, min_size=1, max_size=3), st.integers(0, 6))
def test_two_phases_by_hand(texts: list[str], lines: list[str], merges: int) -> None:
    tok = bp.train(texts=[*texts, "ab ab é"], num_merges=6, pattern=PATTERN)
    merges = min(merges, len(tok.merges))
    found = bp.superwords(tok, texts, merges=merges, parallel={"en": lines})
    first = tok.truncated(num_merges=len(tok.merges) - merges).tokenizer
    words = Counter(run for one in texts for run in runs(first, one)[1])
    alphabet = {id: bytes([id % 256, id // 256]) for id in sorted({id for run in words for id in run})}
    training = learn(Recounted, list(words.items()), alphabet, num_merges=merges, first_id=1000)

    def count(one: str) -> int:
        tokens, found = runs(first, one)
        for run in found:
            ids = list(run)
            for learned in training.merges:
                ids = merge(ids, (learned.left, learned.right), learned.id)
            tokens -= len(run) - len(ids)
        return tokens

    assert (found.text.tokens, found.text.superword_tokens) == (sum(map(tok.count, texts)), sum(map(count, texts)))
    [cost] = found.costs
    assert (cost.tokens, cost.superword_tokens) == (sum(map(tok.count, lines)), sum(map(count, lines)))
    assert [fired for _, fired in found.examples] == [learned.fired for learned in training.merges]
    for content, _ in found.examples:
        assert any(content in one.encode() for one in texts)


def test_words_are_joined_and_nothing_else() -> None:
    texts = ["one of the cats, some of the mats; 12 of the hats of the house"] * 5
    tok = bp.train(texts=texts, num_merges=20)
    lines = {"en": ["one of the cats"], "de": ["die Katze im Hause"]}
    found = bp.superwords(tok, texts, merges=3, parallel=lines)
    assert (found.vocab_size, found.merges, found.learned) == (276, 3, 2)  # there are no more in this text
    assert found.examples == ((b" of the", 20), (b"one of the", 5))
    assert (found.text.tokens, found.text.superword_tokens) == (110, 100)
    assert [(cost.tokens, cost.superword_tokens) for cost in found.costs] == [(5, 3), (16, 17)]
    spread = found.spread()
    assert list(spread["max"]) == [16, 17]
    assert spread["gini"][0] < spread["gini"][1]
    assert "saved" in str(found)
    data: dict[str, Any] = found.to_dict()
    assert [row["language"] for row in data["rows"]] == [None, "en", "de"]
    assert repr(found) == "<Superwords: 2 of 276 tokens>"


def test_nothing_to_learn_from() -> None:
    tok = bp.train(texts=["ab ab"], num_merges=2)
    found = bp.superwords(tok, [], merges=0, parallel={"en": [""]})
    assert (found.text.bytes, found.text.superword_tokens, found.examples) == (0, 0, ())
    assert "none" in str(found)
    assert found.to_dict()["spread"]["max_over_min"] == [None, None]
    assert bp.superwords(tok, [b"ab \xff ab", "ab"], merges=0, parallel={"en": ["é"]}).text.tokens == 5


@pytest.mark.parametrize(
    ("tok", "texts", "merges", "message"),
    [
        (bp.train(texts=["ab ab"], num_merges=2), "ab", 1, "texts is of type `str`"),
        (bp.train(texts=["ab ab"], num_merges=2), ["ab"], 3, "merges is 3"),
        (bp.train(texts=["ab ab"], num_merges=1, alphabet="characters"), ["ab"], 1, "of characters"),
        ("tok", ["ab"], 1, "tok is of type `str`"),
    ],
)
def test_what_is_refused(tok: Any, texts: Any, merges: int, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message + r".*\nhint: "):
        bp.superwords(tok, texts, merges=merges)


def test_a_rank_file_has_no_merges() -> None:
    tok = bp.Tokenizer.from_parts(bp.Parts(tokens=((0, b"a"), (1, b"b"), (2, b"ab")), merges=None, whole_first=True))
    with pytest.raises(ValueError, match="rank file"):
        bp.superwords(tok, ["ab"], merges=0)
