"""Figures of every vocabulary size at once, from the changes that each merge makes.

The idea: a sum over tokens of a function of their counts changes, at a merge, only by those tokens that the merge
changes. So the sum for all sizes is a running sum over the changes. Sorted by token, a running sum gives each count
before and after each change; sorted by merge, another gives the figure at each size.

Invariant: counts are exact integers of 64 bits; what is rounded is logarithms and powers alone. Cost: two sorts of the
changes, of which there are a few for each merge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Floats = NDArray[np.float64]

__all__ = ["Changes", "Curve", "curve_of", "summed"]


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """What pretokens become at every vocabulary size, from 0 merges to all of them."""

    merges: int
    """How many merges there are."""
    base_ids: Integers
    """The symbols before any merge, ascending."""
    base_counts: Integers
    """How often each occurs."""
    places: Integers
    """Of each change, the merge that makes it; ascending."""
    ids: Integers
    """The token whose count changes; ascending within a merge."""
    deltas: Integers
    """By how much."""
    whole_places: Integers
    """Merges that make pretokens with a letter into one token; ascending."""
    whole_counts: Integers
    """How many each."""
    words: int
    """Pretokens with a letter."""
    single: int
    """Those of them that are one symbol before any merge."""
    pretokens: int
    """All pretokens."""
    bytes: int
    """Their bytes."""
    characters: int
    """Their characters."""

    def counts_at(self, merges: int) -> tuple[Integers, Integers]:
        """The tokens (ids, ascending) that the first `merges` merges make, and how often each occurs."""
        end = int(np.searchsorted(self.places, merges))
        ids = np.concatenate([self.base_ids, self.ids[:end]])
        counts = np.concatenate([self.base_counts, self.deltas[:end]])
        kept, total = _added(ids, counts)
        return kept[total > 0], total[total > 0]


def _added(keys: Integers, values: Integers) -> tuple[Integers, Integers]:
    """The sum of the values of each key; keys ascending."""
    if not keys.size:
        return keys, values
    order = np.argsort(keys, kind="stable")
    keys, values = keys[order], values[order]
    starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    return keys[starts], np.add.reduceat(values, starts)


def summed(parts: Sequence[Changes]) -> Changes:
    """The changes of several texts together."""
    if len(parts) == 1:
        return parts[0]
    span = 1 + max((int(part.ids.max(initial=0)) for part in parts), default=0)
    joined = np.concatenate([part.places * span + part.ids for part in parts])
    keys, deltas = _added(joined, np.concatenate([part.deltas for part in parts]))
    keys, deltas = keys[deltas != 0], deltas[deltas != 0]
    base = _added(
        np.concatenate([part.base_ids for part in parts]), np.concatenate([part.base_counts for part in parts])
    )
    wholes = _added(
        np.concatenate([part.whole_places for part in parts]), np.concatenate([part.whole_counts for part in parts])
    )
    return Changes(
        parts[0].merges,
        *base,
        keys // span,
        keys % span,
        deltas,
        *wholes,
        words=sum(part.words for part in parts),
        single=sum(part.single for part in parts),
        pretokens=sum(part.pretokens for part in parts),
        bytes=sum(part.bytes for part in parts),
        characters=sum(part.characters for part in parts),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Figures at every size: item K of each array, of shape (merges + 1,), is that of the first K merges."""

    tokens: Integers
    """Tokens of the text."""
    tokens_in_use: Integers
    """Tokens that occur in it."""
    single_token_words: Integers
    """Pretokens with a letter that are one token."""
    entropy: Floats
    """Bits a token."""
    renyi_efficiency: Floats
    """Of the tokens that occur."""


def curve_of(changes: Changes, alpha: float) -> Curve:
    """The figures of all sizes."""
    before, after = _counts(changes)
    ends = np.searchsorted(changes.places, np.arange(changes.merges + 1))

    def whole(start: int, steps: Integers) -> Integers:
        return np.concatenate([[start], start + np.cumsum(steps)])[ends]

    def of(function: Callable[[Integers], Floats]) -> Floats:
        start = function(changes.base_counts).sum()
        return np.concatenate([[start], start + np.cumsum(function(after) - function(before))])[ends]

    tokens = whole(int(changes.base_counts.sum()), changes.deltas)
    used = whole(int(np.count_nonzero(changes.base_counts)), (after > 0).astype(np.int64) - (before > 0))
    whole_ends = np.searchsorted(changes.whole_places, np.arange(changes.merges + 1))
    single = changes.single + np.concatenate([[0], np.cumsum(changes.whole_counts)])[whole_ends]
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.log2(tokens)
        entropy = np.maximum(size - of(_n_log_n) / tokens, 0)
        if alpha == 1:
            renyi = entropy
        else:
            renyi = (np.log2(of(lambda counts: counts.astype(np.float64) ** alpha)) - alpha * size) / (1 - alpha)
        efficiency = renyi / np.log2(used)
    efficiency[used < 2] = np.nan  # noqa: PLR2004 - log2 of 1 is 0
    return Curve(tokens, used, single, entropy, efficiency)


def _n_log_n(counts: Integers) -> Floats:
    return counts.astype(np.float64) * np.log2(np.maximum(counts, 1))


def _counts(changes: Changes) -> tuple[Integers, Integers]:
    """The count of each change's token before and after it, in the order of the changes."""
    order = np.argsort(changes.ids, kind="stable")  # within a token, in the order of merges
    ids, deltas = changes.ids[order], changes.deltas[order]
    running = np.cumsum(deltas)
    starts = np.flatnonzero(np.r_[True, ids[1:] != ids[:-1]]) if ids.size else np.zeros(0, dtype=np.int64)
    lengths = np.diff(np.r_[starts, ids.size])
    first = ids[starts]
    at = np.searchsorted(changes.base_ids, first)
    known = np.zeros(first.size, dtype=bool)
    inside = at < changes.base_ids.size
    known[inside] = changes.base_ids[at[inside]] == first[inside]
    base = np.zeros(first.size, dtype=np.int64)
    base[known] = changes.base_counts[at[known]]
    after = np.empty_like(running)
    after[order] = running + np.repeat(base - (running[starts] - deltas[starts]), lengths)
    return after - changes.deltas, after
