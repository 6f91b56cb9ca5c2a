"""How a thing is timed: processor time of the whole process, all its threads, and the time on the wall."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable
from typing import TypeVar

from benches.contest import Ids
from benches.job import CHECK, Step

TIMES = 3
Result = TypeVar("Result")


def timed(function: Callable[[], Result]) -> tuple[Result, float, float]:
    """What a function returns, and the seconds of processor time and of wall time that it took."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = function()
    return result, time.process_time() - cpu, time.perf_counter() - wall


def digest(ids: Ids) -> str:
    """A fingerprint of ids."""
    return hashlib.sha256(ids.astype("<u4").tobytes()).hexdigest()[:32]


def over_batches(
    name: str,
    run: Callable[[list[str]], object],
    flat: Callable[[object], Ids],
    batches: Iterable[list[str]],
    budget: float,
) -> Step:
    """Runs batch after batch until they, or the seconds of processor time, are used up. Digests are made outside."""
    cpu = wall = 0.0
    amount = 0
    digests = []
    for batch in batches:
        result, seconds, passed = timed(lambda batch=batch: run(batch))  # type: ignore[misc]
        cpu, wall = cpu + seconds, wall + passed
        amount += sum(len(text.encode()) for text in batch)
        digests.append(digest(flat(result)))
        del result
        if cpu > budget:
            break
    return Step(name, "bytes", cpu, wall, amount, digests)


def repeated(name: str, run: Callable[[], object], amount: float, unit: str, seconds: float = 0.15) -> Step:
    """Runs again and again, at least three times (once if it is slow), and takes the quickest."""
    best: tuple[float, float] | None = None
    spent, times = 0.0, 0
    while times < TIMES or spent < seconds:
        _, cpu, wall = timed(run)
        spent, times = spent + cpu, times + 1
        best = min(best or (cpu, wall), (cpu, wall))
        if cpu > 1.0:
            break
    assert best is not None
    return Step(name, unit, best[0], best[1], amount)


def checked(digests: list[str]) -> Step:
    """A step that only compares ids, and has no figure."""
    return Step(CHECK, CHECK, amount=1, digests=digests)
