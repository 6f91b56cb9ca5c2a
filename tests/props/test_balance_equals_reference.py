"""Languages that take turns: `bytepair.train` and the reference choose the same merges, by the same languages.

Small corpora of two or three languages over a few letters, where ties and overlaps are frequent.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
from bytepair.reference import Linked, Recounted, split
from bytepair.reference.balanced import Balanced
from bytepair.reference.training import BYTES, Barred, Segmentation, Words, learn

PATTERN = " ?[a-zé]+"
NAMES = ("en", "de", "fr")
texts = st.lists(st.sampled_from(["a", "b", "ab", " ", "é", "ba"]), max_size=25).map("".join)
language = st.tuples(st.lists(texts, max_size=3), st.none() | texts)
settings = st.fixed_dictionaries(
    {
        "ties": st.sampled_from(["lowest", "huggingface", "greatest"]),
        "min_count": st.integers(1, 3),
        "max_token_bytes": st.none() | st.integers(2, 5),
        "whole_characters": st.booleans(),
    }
)
window = st.none() | st.tuples(st.integers(1, 5), st.integers(1, 2))


def words(given: list[str]) -> Words:
    """The distinct pretokens with their counts."""
    found = Counter(pretoken for text in given for pretoken in split(PATTERN, text.encode()))
    return [(tuple(pretoken), count) for pretoken, count in found.items()]


def expected(
    languages: list[tuple[list[str], str | None]],
    classic: int,
    window: tuple[int, int] | None,
    corpus: Any,
    **settings: Any,
) -> tuple[list[tuple[int, int, int, int, int]], list[str | None], str, list[int | None]]:
    """Merges, who chose each, why it ended, and how long the development texts are then."""
    made: list[Balanced] = []

    def balanced(_: Words, barred: Barred) -> Segmentation:
        trained = [words(given) for given, _ in languages]
        developments = [None if text is None else words([text]) for _, text in languages]
        made.append(Balanced(corpus, trained, developments, barred, classic, window, settings["min_count"]))
        return made[-1]

    training = learn(balanced, [], BYTES, num_merges=15, **settings)
    choosers = [None if chooser is None else NAMES[chooser] for chooser in made[0].choosers]
    merges = [(merge.left, merge.right, merge.id, merge.count, merge.fired) for merge in training.merges]
    return merges, choosers, training.stopped, made[0].lengths


@pytest.mark.filterwarnings("ignore::bytepair.TrainingWarning")
@given(st.lists(language, min_size=1, max_size=3), st.integers(0, 4), window, settings, st.integers(1, 3))
def test_turns(
    languages: list[tuple[list[str], str | None]],
    classic: int,
    window: tuple[int, int] | None,
    settings: dict[str, Any],
    threads: int,
) -> None:
    named = dict(zip(NAMES, languages, strict=False))
    if not any(text is not None for _, text in languages):
        named["en"] = (named["en"][0], "")
        languages = list(named.values())
    development = {name: None if text is None else [text] for name, (_, text) in named.items()}
    merges, share = window or (None, 2)
    balance = bp.Balance(development, classic=classic, window=merges, share=share)
    seen: list[tuple[int, int, int, int, int]] = []
    tok = bp.train(
        texts={name: given for name, (given, _) in named.items()},
        num_merges=15,
        pattern=PATTERN,
        balance=balance,
        threads=threads,
        **settings,
    )
    record = tok.training
    assert record is not None
    seen = [
        (left, right, tok.id_of(tok.bytes_of(left) + tok.bytes_of(right)), count, fired)
        for (left, right), count, fired in zip(tok.merges, record.counts, record.fired, strict=True)
    ]
    for corpus in (Linked, Recounted):
        found = expected(languages, classic, window, corpus, **settings)
        assert (seen, list(record.chosen_by), record.stopped) == found[:3]
    lengths = [None if text is None else tok.count(text) for _, text in languages]
    assert lengths == found[3]
