"""Replays somebody's merges on the counts of pretokens, and says whether each was of a commonest pair when it came.

A list of merges is right if at each step no pair stands in more places than the one that is merged; which of several
equally common ones it is, a tie rule says, and the replay tells which rules explain every choice. Nothing here is
shared with the trainer. Tokens are known by their bytes.

All distinct pretokens lie in one row of cells, a gap between two of them; a cell knows the cells beside it, and each
pair the cells where it once began. A merge takes away the pairs that begin in the cells around each of its places,
joins the cells, and adds the pairs that begin there now. NumPy does that for all places of a merge at once: a list of
30,000 merges on the pretokens of 80 MB takes some ten seconds.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from benches.contest import Merge

Cells: TypeAlias = NDArray[np.int64]
Pair: TypeAlias = int
"""Two ids in one number: the left one in the upper 32 bits."""

GAP = -1
MANY, EVERY = 200, 50
"""Ties between more than so many are looked at every so many times only."""
HALF = 32
HUGGINGFACE = sorted(range(256), key=lambda byte: not chr(byte).isprintable() or chr(byte).isspace())
"""The bytes in the order of Hugging Face's alphabet."""


@dataclass(frozen=True)
class Verdict:
    """What a replay found.

    Attributes:
        steps: how many merges there were.
        wrong: how many of them were no maximum.
        first_wrong: the first of these in words; empty if there is none.
        tied: how many had others that were as common.
        rules: the tie rules that explain the choice in those of them that were looked at: all that had up to 200 as
            common, and every fiftieth of the others, which come by the ten thousand when counts get low.
    """

    steps: int
    wrong: int
    first_wrong: str
    tied: int
    rules: tuple[str, ...]

    def __str__(self) -> str:
        if self.wrong:
            return f"{self.wrong} of {self.steps} merges were no maximum; {self.first_wrong}"
        return f"each merge a maximum; ties: {(' or '.join(self.rules) or 'another rule') if self.tied else 'none'}"


class Row:
    """The pretokens as cells, and the count of each pair; `merge` keeps both up to date."""

    def __init__(self, pretokens: Mapping[bytes, int]) -> None:
        """Lays the pretokens out in their order."""
        text = np.frombuffer(b"\0" + b"\0".join([*pretokens, b""]), np.uint8)
        lengths = np.fromiter(map(len, pretokens), np.int64, len(pretokens))
        gaps = np.concatenate(([0], np.cumsum(lengths + 1)))
        self.symbols = text.astype(np.int32)
        self.symbols[gaps] = GAP
        weights = np.fromiter(pretokens.values(), np.int64, len(pretokens))
        self.weights = np.concatenate(([0], np.repeat(weights, lengths + 1)))
        self.before = np.arange(-1, len(text) - 1, dtype=np.int32)
        self.after = np.arange(1, len(text) + 1, dtype=np.int32)
        self.counts: dict[Pair, int] = {}
        self.by_count: defaultdict[int, set[Pair]] = defaultdict(set)
        self.tops: list[int] = []
        self.starts: defaultdict[Pair, list[Cells]] = defaultdict(list)
        self._add(np.arange(len(text) - 1))

    def commonest(self) -> tuple[int, set[Pair]]:
        """The highest count, and all pairs that have it; 0 and none if no pair is left."""
        while self.tops and not self.by_count.get(-self.tops[0]):
            heapq.heappop(self.tops)
        return (-self.tops[0], self.by_count[-self.tops[0]]) if self.tops else (0, set())

    def places(self, pair: Pair) -> Cells:
        """The cells where a pair begins, from left to right."""
        found = np.concatenate([*self.starts[pair], np.empty(0, np.int64)])
        left, right = pair >> HALF, pair & 0xFFFFFFFF
        found = found[self.symbols[found] == left]
        return np.unique(found[self.symbols[self.after[found]] == right])

    def merge(self, pair: Pair, made: int) -> None:
        """Replaces a pair by a token, from left to right, wherever it stands."""
        places = self.places(pair)
        if pair >> HALF == pair & 0xFFFFFFFF:
            places = self._without_overlaps(places)
        ends = self.after[places]
        self._change(np.unique(np.concatenate((self.before[places], places, ends))), -1)
        self.symbols[places], self.symbols[ends] = made, GAP
        self.after[places] = self.after[ends]
        self.before[self.after[places]] = places
        self._add(np.unique(np.concatenate((self.before[places], places))))

    def _without_overlaps(self, places: Cells) -> Cells:
        """Of a run of places that overlap, every second one from the left: `aaa` holds one `aa` at a time."""
        apart = np.concatenate(([True], self.after[places[:-1]] != places[1:]))[: len(places)]
        position = np.arange(len(places))
        start = np.maximum.accumulate(np.where(apart, position, 0))
        chosen: Cells = places[(position - start) % 2 == 0]
        return chosen

    def _add(self, cells: Cells) -> None:
        """Counts the pairs that begin in these cells, and remembers where they do."""
        cells, pairs = self._change(cells, 1)
        order = np.argsort(pairs, kind="stable")
        edges = np.flatnonzero(np.diff(pairs[order])) + 1
        for group in np.split(order, edges):
            if len(group):
                self.starts[int(pairs[group[0]])].append(cells[group])

    def _change(self, cells: Cells, sign: int) -> tuple[Cells, NDArray[np.int64]]:
        """Counts the pairs that begin in these cells in (1) or out (-1); gives the cells where one does, and it."""
        left, right = self.symbols[cells], self.symbols[self.after[cells]]
        whole = (left != GAP) & (right != GAP)
        cells, left, right = cells[whole], left[whole], right[whole]
        pairs = (left.astype(np.int64) << HALF) | right
        distinct, which = np.unique(pairs, return_inverse=True)
        sums = np.zeros(len(distinct), np.int64)
        np.add.at(sums, which, self.weights[cells])
        for pair, change in zip(distinct.tolist(), sums.tolist(), strict=True):
            self._set(pair, self.counts.get(pair, 0) + sign * change)
        return cells, pairs

    def _set(self, pair: Pair, count: int) -> None:
        old = self.counts.pop(pair, 0)
        if old:
            self.by_count[old].discard(pair)
        if count:
            self.counts[pair] = count
            if not self.by_count[count]:
                heapq.heappush(self.tops, -count)
            self.by_count[count].add(pair)


def replay(pretokens: Mapping[bytes, int], merges: Iterable[Merge]) -> Verdict:
    """Goes through the merges one by one; a wrong one is counted and carried out like the others.

    >>> str(replay({b"low": 5, b"lower": 2}, [(b"l", b"o"), (b"lo", b"w"), (b"low", b"e")]))
    'each merge a maximum; ties: first'
    >>> str(replay({b"low": 5, b"lower": 2}, [(b"e", b"r"), (b"l", b"o")]))
    "1 of 2 merges were no maximum; the first is 0: b'e' b'r' stands 2 times, b'l' b'o' 7 times"
    """
    row = Row(pretokens)
    contents = [bytes([byte]) for byte in range(256)]
    ids = {content: number for number, content in enumerate(contents)}
    rules = _rules(row, contents)
    wrong, first_wrong, tied_steps, step = 0, "", 0, -1
    for step, (left, right) in enumerate(merges):
        if left not in ids or right not in ids:
            return Verdict(
                step + 1, wrong + 1, first_wrong or f"the first is {step}: of what is no token", tied_steps, ()
            )
        pair = ids[left] << HALF | ids[right]
        top, tied = row.commonest()
        if pair not in tied:
            wrong += 1
            others = min(tied, default=pair)
            first_wrong = first_wrong or (
                f"the first is {step}: {left!r} {right!r} stands {row.counts.get(pair, 0)} times, "
                f"{contents[others >> HALF]!r} {contents[others & 0xFFFFFFFF]!r} {top} times"
            )
        elif len(tied) > 1:
            tied_steps += 1
            if len(tied) <= MANY or not tied_steps % EVERY:
                rules = {name: key for name, key in rules.items() if min(tied, key=key) == pair}
        if left + right not in ids:
            ids[left + right] = len(contents)
            contents.append(left + right)
        row.merge(pair, ids[left + right])
    return Verdict(step + 1, wrong, first_wrong, tied_steps, tuple(rules))


def _rules(row: Row, contents: Sequence[bytes]) -> dict[str, Callable[[Pair], Any]]:
    """The tie rules: which pair of a tie is merged is the one with the least key."""
    number = {byte: place for place, byte in enumerate(HUGGINGFACE)}

    def texts(pair: Pair) -> tuple[bytes, bytes]:
        return contents[pair >> HALF], contents[pair & 0xFFFFFFFF]

    def huggingface(pair: Pair) -> tuple[int, int]:
        left, right = pair >> HALF, pair & 0xFFFFFFFF
        return number.get(left, left), number.get(right, right)

    def greatest(pair: Pair) -> tuple[list[int], list[int]]:
        left, right = texts(pair)
        return [*(-byte for byte in left), 1], [*(-byte for byte in right), 1]

    return {
        "lowest": lambda pair: pair,
        "huggingface": huggingface,
        "greatest": greatest,
        "least": texts,
        "first": lambda pair: int(row.places(pair)[0]),
        "highest": lambda pair: -pair,
    }
