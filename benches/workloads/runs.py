"""A million characters of one kind, without a boundary in them, and two million: who stays linear.

The steps are independent: one that takes too long is stopped, and the next is run in a new process.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benches.contest import Contestant
from benches.job import Job, Step
from benches.timing import digest, repeated

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


def run(job: Job, contestant: Contestant) -> Iterator[Step]:
    encoder = contestant.load(job.vocabulary, 1)
    encode = encoder.array or encoder.one
    encoder.one("Hello")
    for name in job.options["steps"]:
        if name in job.skip:
            continue
        unit = UNITS[name.removesuffix(DOUBLE)]
        size = job.options["size"] * (2 if name.endswith(DOUBLE) else 1)
        text = unit * (size // len(unit))
        ids = np.asarray(encode(text), dtype=np.uint32)
        step = repeated(name, lambda text=text: encode(text), size, "characters")  # type: ignore[misc]
        yield Step(name, step.unit, step.cpu, step.wall, step.amount, [digest(ids)])
