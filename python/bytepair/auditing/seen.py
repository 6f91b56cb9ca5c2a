"""Candidates for glitch tokens, from how often tokens occur.

A model that hardly ever saw a token does with it what chance left there. Such tokens come from texts that the
tokenizer was trained on and the model was not (` SolidGoldMagikarp`), so with both corpora tokens are ranked by the
ratio of their frequencies. With one corpus the candidates are tokens that never occur, and tokens that merges made
only to be consumed by later merges. Cost: each distinct pretoken is merged once, as for `sweep`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from bytepair.auditing.findings import Item

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bytepair.measuring.curves import Changes

__all__ = ["glitches", "intermediates", "never_seen", "occurrences", "peaks"]

LEFT = 0.05
"""An intermediate is a token of which less than this share is left."""
LEAST = 10
"""A candidate with two corpora occurs so often in the tokenizer's, and is so many times rarer in the model's."""


def occurrences(changes: Changes, n_vocab: int) -> NDArray[np.int64]:
    """How often each id occurs in the text; of shape (n_vocab,)."""
    counts = np.zeros(n_vocab, dtype=np.int64)
    ids, seen = changes.counts_at(changes.merges)
    counts[ids] = seen
    return counts


def peaks(changes: Changes, n_vocab: int) -> NDArray[np.int64]:
    """How often each id occurs at the vocabulary size at which it occurs most; of shape (n_vocab,).

    For a token that a merge makes this is how often that merge fires: later merges only take away. What is no merge's
    is 0.
    """
    most = np.zeros(n_vocab, dtype=np.int64)
    order = np.argsort(changes.ids, kind="stable")  # within a token, in the order of the merges
    ids, running = changes.ids[order], np.cumsum(changes.deltas[order])
    if ids.size:
        starts = np.flatnonzero(np.r_[True, ids[1:] != ids[:-1]])
        before = np.r_[0, running[starts[1:] - 1]]
        most[ids[starts]] = np.maximum(np.maximum.reduceat(running, starts) - before, 0)
    return most


def never_seen(tokens: Mapping[int, bytes], counts: NDArray[np.int64]) -> Iterator[Item]:
    """Tokens that do not occur."""
    return (Item(id, content) for id, content in tokens.items() if not counts[id])


def intermediates(tokens: Mapping[int, bytes], counts: NDArray[np.int64], most: NDArray[np.int64]) -> Iterator[Item]:
    """Tokens that were made and of which next to nothing is left, the ones most often made first."""
    found = [id for id in tokens if most[id] and counts[id] < LEFT * most[id]]
    for id in sorted(found, key=lambda each: (-int(most[each]), each)):
        yield Item(id, tokens[id], f"made {most[id]:,} times, {counts[id]:,} left")


def glitches(tokens: Mapping[int, bytes], counts: NDArray[np.int64], model_counts: NDArray[np.int64]) -> Iterator[Item]:
    """Tokens that the tokenizer's texts have and the model's lack, by the ratio of their frequencies.

    One occurrence is added to each count, so that a token that the model never saw has a ratio too, and that rare ones
    do not come first.
    """
    scale = int(model_counts.sum()) / max(int(counts.sum()), 1)
    ratios = (counts * scale + 1) / (model_counts + 1)
    found = [id for id in tokens if counts[id] >= LEAST and ratios[id] >= LEAST]
    for id in sorted(found, key=lambda each: (-float(ratios[each]), each)):
        detail = f"{ratios[id]:,.0f} times rarer: {counts[id]:,} in the texts, {model_counts[id]:,} in the model's"
        yield Item(id, tokens[id], detail)
