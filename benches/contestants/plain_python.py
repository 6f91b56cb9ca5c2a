"""Plain Python: the incremental trainer as people write it for themselves, with the `regex` library in front.

Words are counted once. For each pair it knows how often it stands and in which words; a merge touches only these
words. The commonest pair comes from a heap in which outdated entries are skipped.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise

from benches.contest import Contestant, Merge, Training


class PlainPython(Contestant):
    """A page of Python; one thread."""

    package = "regex"
    module = "regex"
    settings = "regex.finditer, Counter, dicts and a heap"
    documents = "piece"

    def train(self, asked: Training) -> Callable[[], list[Merge]]:
        import regex

        specials = "|".join(map(regex.escape, asked.specials))
        pattern = regex.compile(asked.pattern)
        words: Counter[str] = Counter()
        for piece in asked.pieces():
            for part in regex.split(specials, piece) if specials else [piece]:
                words.update(pattern.findall(part))
        merges = list(learned(words, asked.size - 256 - len(asked.specials)))
        return lambda: merges


def learned(words: Counter[str], wanted: int) -> Iterator[Merge]:
    """The merges in order; ties go to the smallest bytes.

    >>> list(learned(Counter({"low": 5, "lower": 2}), 2))
    [(b'l', b'o'), (b'lo', b'w')]
    """
    cut = [([bytes([byte]) for byte in word.encode()], count) for word, count in words.items()]
    counts: Counter[Merge] = Counter()
    where: defaultdict[Merge, set[int]] = defaultdict(set)
    for number, (parts, count) in enumerate(cut):
        for pair in pairwise(parts):
            counts[pair] += count
            where[pair].add(number)
    heap = [(-count, pair) for pair, count in counts.items()]
    heapq.heapify(heap)
    while heap and wanted:
        count, pair = heapq.heappop(heap)
        if counts[pair] != -count or not count:
            continue
        changed: set[Merge] = set()
        for number in where.pop(pair):
            parts, weight = cut[number]
            for old in pairwise(parts):
                counts[old] -= weight
                changed.add(old)
            _join(parts, *pair)
            for new in pairwise(parts):
                counts[new] += weight
                where[new].add(number)
                changed.add(new)
        for one in changed:
            if counts[one]:
                heapq.heappush(heap, (-counts[one], one))
        wanted -= 1
        yield pair


def _join(parts: list[bytes], left: bytes, right: bytes) -> None:
    """Joins a pair wherever it stands, from left to right."""
    place = 0
    while place < len(parts) - 1:
        if parts[place] == left and parts[place + 1] == right:
            parts[place : place + 2] = [left + right]
        place += 1


CONTESTANT = PlainPython()
