"""The replay of the benchmark finds each merge that was no maximum, and tells which tie rule was followed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
import texts
from benches import contest
from benches.contest import Merge, Training
from benches.pretokens import counted
from benches.replay import Verdict, replay
from benches.workloads.training import keep, kept
from bytepair.reference.linked import Linked
from bytepair.reference.training import BYTES, Recounted, Ties, learn

RULES: tuple[Ties, ...] = get_args(Ties)
WORDS = {b"banana bandana": 3, b"aaaaaa": 4, b"abab": 2, b"\0\0a": 1, b"": 1, b"n": 5}


def merges_of(pretokens: dict[bytes, int], ties: Ties, number: int = 10_000) -> list[Merge]:
    words = [(tuple(word), count) for word, count in pretokens.items()]
    return learn(Linked, words, BYTES, num_merges=number, ties=ties).pairs()


few_letters = st.dictionaries(
    st.text(alphabet="abc", min_size=0, max_size=9).map(str.encode), st.integers(1, 4), min_size=1, max_size=8
)


@given(pretokens=few_letters, ties=st.sampled_from(RULES))
def test_the_merges_of_the_reference_are_maxima_and_its_tie_rule_is_named(
    pretokens: dict[bytes, int], ties: Ties
) -> None:
    merges = merges_of(pretokens, ties)
    verdict = replay(pretokens, merges)
    assert (verdict.steps, verdict.wrong, verdict.first_wrong) == (len(merges), 0, "")
    assert ties in verdict.rules


@given(pretokens=few_letters, data=st.data())
def test_every_verdict_is_that_of_counting_again_at_each_step(pretokens: dict[bytes, int], data: st.DataObject) -> None:
    """Merges drawn at random: the number of those that are no maximum, by the plainest of all ways."""
    letters = [b"a", b"b", b"c", b"ab", b"bc", b"aa", b"abc", b"aab"]
    drawn = data.draw(st.lists(st.sampled_from([(a, b) for a in letters[:5] for b in letters[:5]]), max_size=5))
    merges = [pair for i, pair in enumerate(drawn) if pair not in drawn[:i] and _made(pair, drawn[:i])]
    assert replay(pretokens, merges).wrong == _wrong_by_hand(pretokens, merges)


def _made(pair: Merge, before: list[Merge]) -> bool:
    known = {left + right for left, right in before} | {b"a", b"b", b"c"}
    return set(pair) <= known


def _wrong_by_hand(pretokens: dict[bytes, int], merges: list[Merge]) -> int:
    ids = {bytes([byte]): byte for byte in range(256)}
    corpus = Recounted([(tuple(word), count) for word, count in pretokens.items()], lambda _: False)
    wrong = 0
    for left, right in merges:
        pair = ids[left], ids[right]
        wrong += pair not in corpus.commonest()[1]
        corpus.merge(pair, ids.setdefault(left + right, len(ids)))
    return wrong


@pytest.mark.parametrize("ties", RULES)
def test_one_rule_is_left_where_there_are_many_ties(ties: Ties) -> None:
    pretokens = {word.encode(): 1 + i % 3 for i, word in enumerate(texts.sample("en", 20_000).split(" "))}
    verdict = replay(pretokens, merges_of(pretokens, ties, 600))
    assert verdict.rules == (ties,)
    assert verdict.tied > 100


def test_a_merge_in_the_wrong_place_is_found() -> None:
    right = merges_of(WORDS, "lowest")
    assert replay(WORDS, right).wrong == 0
    swapped = [right[1], right[0], *right[2:]]
    verdict = replay(WORDS, swapped)
    assert verdict.wrong == 1
    assert verdict.first_wrong.startswith("the first is 0: ")
    missing = replay(WORDS, right[:2] + right[3:])
    assert missing.wrong >= 1
    assert missing.first_wrong.startswith("the first is 2: ")


def test_overlapping_places_are_counted_and_replaced_one_at_a_time() -> None:
    assert replay({b"aaaa": 2, b"bc": 5}, [(b"b", b"c"), (b"a", b"a"), (b"aa", b"aa")]).wrong == 1
    assert replay({b"aaaa": 2, b"bc": 5}, [(b"a", b"a"), (b"b", b"c"), (b"aa", b"aa")]).wrong == 0


def test_a_rule_of_ties_that_nobody_has_is_no_rule() -> None:
    verdict = replay({b"ab": 1, b"cd": 1, b"ef": 1, b"gh": 1}, [(b"c", b"d"), (b"g", b"h"), (b"a", b"b")])
    assert verdict == Verdict(3, 0, "", 3, ())
    assert str(verdict) == "each merge a maximum; ties: another rule"


def test_merges_of_what_is_nowhere_are_wrong() -> None:
    assert replay({b"ab": 1}, [(b"x", b"y")]).wrong == 1
    assert replay({b"ab": 1}, [(b"ab", b"c")]).first_wrong == "the first is 0: of what is no token"
    assert replay({}, [(b"a", b"b")]).wrong == 1
    assert replay({}, []) == Verdict(0, 0, "", 0, ("lowest", "huggingface", "greatest", "least", "first", "highest"))
    assert str(replay({b"ab": 1}, [(b"a", b"b")])) == "each merge a maximum; ties: none"


def test_merges_come_back_from_their_file(tmp_path: Path) -> None:
    merges = [(b"a", b"\0\xff"), (b"a\0\xff", b"\n")]
    assert kept(keep(merges, tmp_path), tmp_path) == merges
    assert keep([], tmp_path) == ""


DOCUMENTS: dict[str, Callable[[bytes], list[bytes]]] = {
    "file": lambda text: [text],
    "line": lambda text: text.splitlines(keepends=True),
    "piece": lambda text: [text[:PIECE], text[PIECE:]],
}
PIECE = 2_000


@pytest.mark.parametrize("documents", DOCUMENTS)
def test_pretokens_are_those_of_the_engine(documents: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contest, "PIECE", PIECE)
    path = tmp_path / "text.txt"
    path.write_bytes(b"low\n\nlower <s> 12\n" * 200)
    tok = bp.train(texts=[], vocab_size=257, pattern="gpt2", special_tokens=["<s>"])
    expected: dict[bytes, int] = {}
    for document in DOCUMENTS[documents](path.read_bytes()):
        for word in (word for part in document.split(b"<s>") for word in tok.split(part)):
            expected[bytes(word)] = expected.get(bytes(word), 0) + 1
    asked = Training(str(path), None, 300, bp.PATTERNS["gpt2"], "gpt2", ("<s>",), 1)
    assert counted(asked, documents) == expected
    assert list(counted(asked, documents)) == list(expected)
    in_two = Training("", ["low\n", "\nlow"], 300, bp.PATTERNS["gpt2"], "gpt2", (), 1)
    assert counted(in_two, documents) == {b"low": 2, b"\n": 2}
