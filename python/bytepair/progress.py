"""How far a training is, and how long it will take: what `progress=` is called with.

The idea: counting goes at a steady speed, so what is left of it follows from the bytes that are left. Merges do not:
the first ones touch millions of places, the last ones a few. What a merge costs is taken to be the places that it
touches and a constant; the places of the merges to come follow from how the counts have fallen so far, which is close
to a power of the rank. The memory of the table grows as the distinct pretokens do, by a power of the bytes as well.
An estimate is None until there is something to base it on. Cost: a few operations a call.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["CountWatch", "LearnedMerge", "MergeWatch", "Progress"]


@dataclass(frozen=True, slots=True)
class LearnedMerge:
    """One merge, when it has just been learned."""

    rank: int
    """Its place among the merges, from 0."""
    left: bytes
    """What was on the left."""
    right: bytes
    """What was on the right."""
    token: bytes
    """What they make."""
    id: int
    """The token's id."""
    count: int
    """At how many positions the pair stood."""
    fired: int
    """How often it was replaced."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far training is; what `progress=` is called with."""

    phase: Literal["count", "merge"]
    """Counting pretokens, or learning merges."""
    done: int
    """Bytes that were read (of `str`: characters; of compressed files: compressed), or merges that were learned."""
    total: int | None
    """How many there will be; None if that is not known. Of merges: the most there can be."""
    merge: LearnedMerge | None = None
    """The merge that was just learned."""
    seconds: float = 0.0
    """Since the phase began."""
    eta: float | None = None
    """Seconds that the phase will take from now on, as it looks; None while nothing can be said."""
    memory: int | None = None
    """Bytes that the table of pretokens takes; only while counting."""
    memory_at_end: int | None = None
    """Bytes that it will take when all is counted, as it looks; None while nothing can be said."""


Callback = Callable[[Progress], object]

_SOON: Final = 0.5
"""Seconds before which no time is estimated."""
_PART: Final = 1 / 200
"""The part of the whole before which nothing is estimated."""
_STEP: Final = 1.1
"""A sample of the memory is kept whenever so many times more was read."""


class CountWatch:
    """Turns what was read into `Progress`.

    >>> seen = []
    >>> watch = CountWatch(seen.append, total=100, clock=iter([0.0, 1.0, 2.0]).__next__)
    >>> watch.read(10, 500), watch.read(40, 700)
    (None, None)
    >>> [(event.done, event.seconds, event.eta) for event in seen]
    [(10, 1.0, 9.0), (50, 2.0, 2.0)]
    """

    def __init__(
        self, callback: Callback | None, total: int | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """A watch that starts now.

        Args:
            callback: what is called; None: nothing.
            total: how much there is to read, if that is known.
            clock: seconds.
        """
        self._callback, self._total, self._clock = callback, total, clock
        self._done = self._skipped = 0
        self._samples: list[tuple[int, int]] = []
        self._began = clock()

    def skip(self, size: int) -> None:
        """Something had been counted before this run, and the clock starts only now."""
        self._done += size
        self._skipped += size
        self._began = self._clock()

    def read(self, size: int, memory: int) -> None:
        """So much more was counted, and the table takes so many bytes now."""
        self._done += size
        if self._callback is None:
            return
        if not self._samples or self._done >= self._samples[-1][0] * _STEP:
            self._samples.append((self._done, memory))
        seconds = self._clock() - self._began
        event = Progress(
            "count",
            self._done,
            self._total,
            seconds=seconds,
            eta=self._eta(seconds),
            memory=memory,
            memory_at_end=self._memory_at_end(memory),
        )
        self._callback(event)

    def _eta(self, seconds: float) -> float | None:
        fresh = self._done - self._skipped
        if self._total is None or seconds < _SOON or not fresh:
            return None
        return seconds * max(0, self._total - self._done) / fresh

    def _memory_at_end(self, memory: int) -> int | None:
        """The table's memory, if it goes on growing by the power of the bytes by which it grew since half of them."""
        if self._total is None or self._done < self._total * _PART:
            return None
        before = [sample for sample in self._samples if 0 < sample[0] <= self._done / 2 and sample[1] > 0]
        if not before or self._done >= self._total:
            return memory if self._done >= self._total else None
        read, held = before[-1]
        power = math.log(max(memory, held) / held) / math.log(self._done / read)
        return int(memory * (self._total / self._done) ** min(power, 1.0))


_SITES: Final = 60.0
"""What a merge costs beside the places that it touches, in places."""


class MergeWatch:
    """Says how long the merges that are left will take.

    >>> watch = MergeWatch(total=10, clock=iter([0.0, 2.0]).__next__)
    >>> for rank in range(5):
    ...     watch.learned(rank, 100)
    >>> watch.seconds, watch.eta()
    (2.0, 2.0)
    """

    def __init__(self, total: int | None, known: int = 0, clock: Callable[[], float] = time.monotonic) -> None:
        """A watch that starts now; `known` merges had been learned before."""
        self._total, self._clock, self._done = total, clock, known
        self._work = 0.0
        self._counts: list[int] = []
        self._known = known
        self._began = clock()
        self._asked: tuple[float, float | None] = (-1.0, None)
        self.seconds = 0.0

    def learned(self, rank: int, fired: int) -> None:
        """A merge was learned."""
        self._done = rank + 1
        self._work += fired + _SITES
        self._counts.append(fired)

    def eta(self) -> float | None:
        """The seconds that are left, if something can be said; worked out at most ten times a second."""
        self.seconds = self._clock() - self._began
        if self.seconds - self._asked[0] >= 0.1 or self._asked[0] < 0:  # noqa: PLR2004
            self._asked = self.seconds, self._estimate()
        at, left = self._asked
        return None if left is None else max(0.0, left - (self.seconds - at))

    def _estimate(self) -> float | None:
        if self._total is None or self.seconds < _SOON or not self._counts:
            return None
        left = max(0, self._total - self._done)
        return self.seconds / self._work * (left * _SITES + self._sites(left))

    def _sites(self, left: int) -> float:
        """The places that the merges to come will touch: counts fall as a power of the rank."""
        seen = len(self._counts)
        last = _mean(self._counts[-max(1, seen // 10) :])
        half = _mean(self._counts[seen // 2 - max(1, seen // 10) // 2 : seen // 2 + 1])
        first, middle = float(self._done), float(self._done - seen / 2)
        if last <= 0 or half <= last or middle >= first:
            return left * last
        power = min(math.log(half / last) / math.log(first / middle), 3.0)
        end = first + left
        if abs(power - 1) < 1e-6:  # noqa: PLR2004
            return last * first * math.log(end / first)
        return last * first / (1 - power) * (math.pow(end / first, 1 - power) - 1)


def _mean(values: list[int]) -> float:
    return sum(values) / len(values) if values else 0.0
