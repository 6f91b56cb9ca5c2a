"""What pruning says of itself is true: merges before the first doubtful one are those of the whole counts."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp

WORDS = st.dictionaries(st.text(alphabet="abc", min_size=1, max_size=6), st.integers(1, 12), min_size=1, max_size=14)


def counted(words: dict[str, int], **settings: Any) -> bp.PretokenCounts:
    """The counts of these words."""
    texts = [word for word, count in words.items() for _ in range(count)]
    return bp.count_pretokens(texts=texts, **({"pattern": None} | settings))


@given(
    words=WORDS,
    below=st.integers(1, 9),
    ties=st.sampled_from(["lowest", "huggingface", "greatest"]),
    least=st.integers(1, 9),
)
@pytest.mark.filterwarnings("ignore::bytepair.TrainingWarning")
def test_merges_before_the_doubtful_one_are_sure(words: dict[str, int], below: int, ties: Any, least: int) -> None:
    counts = counted(words)
    pruned = counts.prune(below)
    whole, ours = (bp.train(counts=one, num_merges=12, ties=ties, min_count=least) for one in (counts, pruned))
    assert ours.training is not None
    doubtful = ours.training.doubtful
    if not pruned.dropped.distinct:
        assert doubtful is None
    assert ours.merges[:doubtful] == whole.merges[:doubtful]


@given(words=WORDS, below=st.integers(1, 9), least=st.integers(1, 9))
@pytest.mark.filterwarnings("ignore::bytepair.TrainingWarning")
def test_the_bound_is_that_of_the_pairs(words: dict[str, int], below: int, least: int) -> None:
    """No pair of bytes stands more often in what was dropped; the doubtful merge is where another is that near."""
    pruned = counted(words).prune(below)
    rare = {word: count for word, count in words.items() if count < below}
    pairs: dict[tuple[str, str], int] = {}
    for word, count in rare.items():
        for pair in pairwise(word):
            pairs[pair] = pairs.get(pair, 0) + count
    most = max(pairs.values(), default=0)
    assert pruned.dropped.pair == most
    ours = bp.train(counts=pruned, num_merges=12, min_count=least)
    assert ours.training is not None
    kept = {word: count for word, count in words.items() if count >= below}
    assert ours.training.doubtful == first_doubtful(kept, most, len(ours.merges), least)


def first_doubtful(words: dict[str, int], lacking: int, merges: int, least: int) -> int | None:
    """The plain way: all pairs are counted anew before each merge."""
    if not lacking:
        return None
    texts = [(list(word.encode()), count) for word, count in words.items()]
    for rank in range(12):
        counts: dict[tuple[int, int], int] = {}
        for ids, count in texts:
            for pair in pairwise(ids):
                counts[pair] = counts.get(pair, 0) + count
        if rank == merges:  # it ended before its goal; could it go on?
            return rank if max(counts.values(), default=0) + lacking >= least else None
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        others = max((count for pair, count in counts.items() if pair != best), default=0)
        if others + lacking >= counts[best]:
            return rank
        texts = [(merged(ids, best, 256 + rank), count) for ids, count in texts]
    return None


def merged(ids: list[int], pair: tuple[int, int], id: int) -> list[int]:
    """The ids where a pair is replaced, from left to right."""
    done: list[int] = []
    at = 0
    while at < len(ids):
        is_pair = tuple(ids[at : at + 2]) == pair
        done.append(id if is_pair else ids[at])
        at += 2 if is_pair else 1
    return done


def test_of_characters_the_mark_counts() -> None:
    counts = counted({"ab": 5, "cb": 1, "db": 1}, pattern=None, alphabet="characters", end_of_word="</w>")
    assert counts.prune(2).dropped.pair == 2  # b and the mark


def test_weights_and_merging_keep_the_bound() -> None:
    counts = bp.count_pretokens(texts={"x": ["aa", "aa", "ab"], "y": ["aa", "ac", "ac"]}, pattern=None)
    pruned = counts.prune(3)
    assert pruned.dropped.pair == 2
    assert pruned.weigh({"x": 3, "y": 0.5}).dropped.pair == 6
    assert pruned.weigh(0.5).dropped.pair == 1
    assert pruned.merge(pruned).dropped == bp.Dropped(4, Fraction(6), Fraction(4))


def test_a_resumed_training_says_the_same(tmp_path: Any) -> None:
    words = {"low": 9, "lower": 6, "newest": 7, "widest": 3, "new": 2}
    pruned = counted(words).prune(3)
    whole = bp.train(counts=pruned, num_merges=8)
    assert whole.training is not None
    assert whole.training.doubtful is not None
    path = tmp_path / "work"
    bp.train(counts=pruned, num_merges=8, checkpoint=path)
    merges = path / "merges"
    content = merges.read_bytes()
    for cut in range(18, len(content), 32):
        merges.write_bytes(content[:cut])
        again = bp.train(counts=pruned, num_merges=8, checkpoint=path, resume=True)
        assert again.training == whole.training


def test_it_is_saved_with_the_tokenizer(tmp_path: Any) -> None:
    tok = bp.train(counts=counted({"low": 9, "lower": 6, "newest": 1}).prune(2), num_merges=5)
    tok.save(tmp_path / "tokenizer.json")
    assert tok.training is not None
    assert tok.training.doubtful is not None
    loaded = bp.load(tmp_path / "tokenizer.json").training
    assert loaded == tok.training
    shorter = tok.truncated(tok.training.doubtful).tokenizer.training
    assert shorter is not None
    assert shorter.doubtful is None


def test_the_effect_is_measured() -> None:
    counts = counted({"low": 9, "lower": 6, "newest": 7, "widest": 3, "new": 2})
    effect = bp.pruning_effect(counts, 3, num_merges=8)
    tok = bp.train(counts=counts.prune(3), num_merges=8)
    tokens = sum(count * len(tok.encode(word)) for word, count in counts.items())
    assert effect.bytes_per_token == counts.total_bytes / tokens
    assert effect.bytes_per_token <= effect.bytes_per_token_unpruned
    assert effect.share == 2 / 27
    assert effect.first_other is None or effect.doubtful is None or effect.first_other >= effect.doubtful
    assert 256 <= effect.shared <= effect.tokens
    same = bp.pruning_effect(counts, 1, num_merges=8)
    assert (same.share, same.doubtful, same.first_other, same.shared) == (0, None, None, same.tokens)
    with pytest.raises(ValueError, match="counts are of characters"):
        bp.pruning_effect(counted({"a": 1}, pattern=None, alphabet="characters"), 2, num_merges=1)
