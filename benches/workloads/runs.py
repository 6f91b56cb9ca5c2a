"""A million characters of one kind, without a boundary in them, and two million: who stays linear.

The quickest of three runs counts, of more where they are short: the first results of a size wait for pages of the
system, until the allocator has learned to keep them, which it does sooner for one length than for its double. The steps
are independent: one that takes too long is stopped, and the next is run in a new process. Ids are checked on a shorter
text first, since not every reference can do the long ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from benches.contest import Contestant
from benches.job import Job, Step
from benches.timing import checked, digest, timed

UNITS = {
    "letters": "a",
    "spaces": " ",
    "newlines": "\n",
    "emoji": "🙂",
    "CJK": "中",
    "digits": "7",
    "punctuation": "!",
    "ab": "ab",
    "blank newline": " \n",
}
DOUBLE = " x2"
STEPS = tuple(name + suffix for name in UNITS for suffix in ("", DOUBLE))


CHECKED = 2_000
REPEATS = 3
QUICK = 0.12
"""Seconds of processor time that what is quick is repeated for: a million characters may take 0.2 ms."""


def run(job: Job, contestant: Contestant) -> Iterator[Step]:
    encoder = contestant.load(job.vocabulary, 1)
    encode = encoder.array or encoder.one
    steps = job.options["steps"]
    if not job.skip:
        short = [unit * CHECKED for name, unit in UNITS.items() if name in steps]
        yield checked([digest(np.asarray(encode(text), dtype=np.uint32)) for text in short])
    for name in steps:
        if name not in job.skip:
            size = job.options["size"] * (2 if name.endswith(DOUBLE) else 1)
            yield _measured(name, encode, UNITS[name.removesuffix(DOUBLE)], size)


def _measured(name: str, encode: Callable[[str], Any], unit: str, size: int) -> Step:
    """The quickest of a few runs, each a little longer than the one before, so that no cache can know the answer."""
    best: Step | None = None
    spent, repeats = 0.0, 0
    while repeats < REPEATS or spent < QUICK:
        text = unit * (size // len(unit) + repeats)
        ids, cpu, wall = timed(lambda text=text: encode(text))  # type: ignore[misc]
        if best is None:
            best = Step(name, "characters", cpu, wall, size, [digest(np.asarray(ids, dtype=np.uint32))])
        best = replace(best, cpu=min(best.cpu, cpu), wall=min(best.wall, wall))
        spent, repeats = spent + cpu, repeats + 1
        if cpu > 1.0:
            break
    assert best is not None
    return best
