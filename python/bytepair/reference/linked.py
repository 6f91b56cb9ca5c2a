"""The same training, but only the places where the merged pair stands are touched.

All pretokens lie in one row of cells, with a gap between two of them. Each cell knows its neighbours, so that two
cells become one without moving the others. For each pair we keep the places where it stands, and for each count the
pairs that have it. Merging `b c` in `a b c d` takes away the places of `a b`, `b c` and `c d` and adds those of `a bc`
and `bc d`: a few steps for each place, however long the corpus is.
"""

import heapq
from collections import defaultdict
from collections.abc import Collection

from bytepair.reference.bytes_bpe import Pair
from bytepair.reference.training import Barred, Words

GAP = -1


class Linked:
    """As `training.Recounted`, and much faster on a corpus of any size.

    >>> corpus = Linked([((1, 1, 1), 5), ((2, 1, 1), 1)], lambda pair: False)
    >>> corpus.commonest(), corpus.merge((1, 1), 9), corpus.commonest()
    ((11, [(1, 1)]), 6, (5, [(9, 1)]))
    """

    def __init__(self, words: Words, barred: Barred) -> None:
        """Lays the words out and counts their pairs."""
        self.barred, self.cells, self.weight = barred, [GAP], [0]
        for ids, count in words:
            self.cells += [*ids, GAP]
            self.weight += [count] * (len(ids) + 1)
        self.before, self.after = ([*range(step, len(self.cells) + step)] for step in (-1, 1))
        self.places: dict[Pair, set[int]] = defaultdict(set)
        self.counts: dict[Pair, int] = defaultdict(int)
        self.by_count: dict[int, set[Pair]] = defaultdict(set)
        self.tops: list[int] = []
        for place in range(len(self.cells) - 1):
            self.note(place, 1)

    def note(self, place: int, sign: int) -> None:
        """Adds (1) or takes away (-1) the pair that starts in this cell."""
        pair = self.cells[place], self.cells[self.after[place]]
        if GAP in pair or self.barred(pair):
            return
        (self.places[pair].add if sign > 0 else self.places[pair].discard)(place)
        count = self.counts[pair]
        self.by_count[count].discard(pair)
        self.counts[pair] = count = count + sign * self.weight[place]
        if not self.by_count[count]:
            heapq.heappush(self.tops, -count)
        self.by_count[count].add(pair)

    def commonest(self) -> tuple[int, Collection[Pair]]:
        """The highest count and all pairs that have it; (0, []) when no pair is left."""
        while self.tops and not self.by_count[-self.tops[0]]:
            self.by_count.pop(-heapq.heappop(self.tops), None)
        top = -self.tops[0] if self.tops else 0
        return (top, list(self.by_count[top])) if top > 0 else (0, [])

    def first_place(self, pair: Pair) -> int:
        """The first cell where the pair stands."""
        return min(self.places[pair])

    def count(self, pair: Pair) -> int:
        """The pair's count."""
        return self.counts.get(pair, 0)

    def stands(self, pair: Pair) -> bool:
        """As `training.Segmentation` says."""
        return self.count(pair) > 0

    def merge(self, pair: Pair, new: int) -> int:
        """Replaces the pair everywhere; returns how often."""
        fired = 0
        for place in sorted(self.places[pair]):
            end = self.after[place]
            if (self.cells[place], self.cells[end]) != pair:
                continue  # the replacement to its left took this cell: `aaa` holds `aa` twice, but only once at a time
            neighbours = (self.before[place], place, end)
            for start in neighbours:
                self.note(start, -1)
            self.cells[place], self.cells[end] = new, GAP
            self.after[place], self.before[self.after[end]] = self.after[end], place
            for start in neighbours[:2]:
                self.note(start, 1)
            fired += self.weight[place]
        return fired
