"""How far a training is, and how long it will take: what `progress=` is called with.

The idea: counting goes at a steady speed, so what is left of it follows from the bytes that are left. Merges do not:
the first ones touch millions of places, the last ones a few. What a merge takes falls as a power of its rank, which
follows from the times so far. The memory of the table grows as the distinct pretokens do, by a power of the bytes.
An estimate is None until there is something to base it on. Cost: a few operations a call.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["CountWatch", "LearnedMerge", "MergeWatch", "Progress", "peak"]


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
    """At how many positions the pair stood, times `scale`."""
    fired: int
    """How often it was replaced, times `scale`."""
    scale: int = 1
    """What weights have made of 1, so that all counts are integers; 1 where nothing was weighed."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far training is; what `progress=` is called with."""

    phase: Literal["count", "add up", "lay out", "merge", "shard"]
    """Counting pretokens, adding up what many processes have counted, laying pretokens out and finding their pairs
    (told where there are many), or learning merges; or making shards.
    """
    done: int
    """Bytes that were read (of `str`: characters; of compressed files: compressed), symbols that were passed over (each
    several times), buckets that were added up, or merges that were learned.
    """
    total: int | None
    """How many there will be; None if that is not known. Of merges: the most there can be."""
    merge: LearnedMerge | None = None
    """The merge that was just learned."""
    seconds: float = 0.0
    """Since the phase began."""
    eta: float | None = None
    """Seconds that the phase will take from now on, as it looks; None while nothing can be said."""
    memory: int | None = None
    """Bytes that the table of pretokens takes; only while counting. None: known text is passed over."""
    memory_at_end: int | None = None
    """Bytes that it will take when all is counted, as it looks; None while nothing can be said."""
    peak: int | None = None
    """Bytes that the training will take at most, as it looks, the table among them: what is laid out takes more than
    the table. It may be half of that, or half as much again. None while merging, and while nothing can be said.
    """


Callback = Callable[[Progress], object]

_SOON: Final = 0.5
"""Seconds before which no time is estimated."""
_PART: Final = 1 / 200
"""The part of the whole before which nothing is estimated."""
_STEP: Final = 1.1
"""A sample of the memory is kept whenever so many times more was read."""


def peak(table: int, training: int) -> int:
    """The bytes that a table and a training take at most: when most of the training's come, the table is gone.

    >>> peak(100, 280), peak(500, 280)
    (280, 600)
    """
    return max(training, table + training * 5 // 14)


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
        self.peak: int | None = None
        """The bytes of memory that the work will take at most, as it looks; None while nothing can be said."""

    def skip(self, size: int) -> None:
        """Something had been counted before this run: it is passed over, and the clock starts only now."""
        self._done += size
        self._skipped += size
        self._began = self._clock()
        if self._callback is not None:
            self._callback(Progress("count", self._done, self._total))

    def read(self, size: int, memory: int, training: int = 0) -> None:
        """So much more was counted, the table takes so many bytes now, and a training on it would take so many more."""
        self._done += size
        if not self._samples or self._done >= self._samples[-1][0] * _STEP:
            self._samples.append((self._done, memory))
        at_end = self._memory_at_end(memory)
        self.peak = None if at_end is None else int(peak(memory, training) * (at_end / max(memory, 1)))
        if self._callback is None:
            return
        seconds = self._clock() - self._began
        event = Progress(
            "count",
            self._done,
            self._total,
            seconds=seconds,
            eta=self._eta(seconds),
            memory=memory,
            memory_at_end=at_end,
            peak=self.peak if training else None,
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


class MergeWatch:
    """Says how long the merges that are left will take.

    >>> watch = MergeWatch(total=10, clock=iter([0.0, 1.0, 2.0, 3.0]).__next__)
    >>> [watch.learned(rank) for rank in range(3)]
    [(1.0, None), (2.0, 8.0), (3.0, 7.0)]
    """

    def __init__(self, total: int | None, known: int = 0, clock: Callable[[], float] = time.monotonic) -> None:
        """A watch that starts now.

        Args:
            total: how many merges there will be, if that is known.
            known: how many had been learned before.
            clock: seconds.
        """
        self._total, self._known, self._clock = total, known, clock
        self._began = clock()
        self._times: list[float] = []
        """When each merge was learned. Before the first one the text is laid out, which says nothing of merges."""
        self._asked: tuple[float, float | None] = (-math.inf, None)

    def begin(self) -> None:
        """The watch starts only now."""
        self._began = self._clock()

    def learned(self, rank: int) -> tuple[float, float | None]:
        """A merge was learned: the seconds that have passed, and those that are left, if something can be said."""
        now = self._clock()
        self._times.append(now)
        if now - self._asked[0] >= _SOON / 5:
            self._asked = now, self._left(rank + 1, now)
        at, left = self._asked
        return now - self._began, None if left is None else max(0.0, left - (now - at))

    def _left(self, done: int, now: float) -> float | None:
        """The seconds for the merges that are left; what one takes falls as a power of its rank, or stays as it is."""
        if self._total is None or now - self._times[0] < _SOON:
            return None
        seen = len(self._times)
        if self._known or seen < _ENOUGH:
            return (now - self._times[0]) / (seen - 1) * (self._total - done)
        recent = now - self._times[seen // 2]
        earlier = self._times[seen // 2] - self._times[seen // 4]
        power = min(max(math.log2(max(recent, 1e-9) / max(earlier, 1e-9)), 0.3), 1.0)
        return recent * (math.pow(self._total / done, power) - 1) / (1 - math.pow(2, -power))


_ENOUGH: Final = 100
"""Merges from which a fall of their times can be told."""
