"""Short calls: 20 B, 200 B, 2 KB and 20 KB, a list out, steady; and the slowest one in a hundred of the 200 B calls."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from benches.contest import Contestant, Encoder, flat_lists
from benches.corpus import batches, documents, parts
from benches.job import Job, Step
from benches.timing import digest, timed

SIZES = {"20 B": 20, "200 B": 200, "2 KB": 2_000, "20 KB": 20_000}
SHARES = (0.5, 0.5)
CALLS_MAX = 20_000
CHECKED = 200


def run(job: Job, contestant: Contestant) -> Iterator[Step]:
    before, measured = parts(job.text, SHARES)
    encoder = contestant.load(job.vocabulary, 1)
    for batch in batches(before, 500_000)[: job.options.get("fill", 8)]:
        encoder.lists(batch)
    for name, size in SIZES.items():
        texts = documents(measured, size)[:CALLS_MAX]
        yield _timed(name, encoder, texts, job.budget / 2)
    yield _tail(encoder, documents(measured, 200)[:CALLS_MAX])


def _timed(name: str, encoder: Encoder, texts: list[str], budget: float) -> Step:
    """The mean over many different texts, in slices so that a slow contestant can stop."""
    encode = encoder.one
    cpu = wall = 0.0
    calls = 0
    for start in range(0, len(texts), 100):
        piece = texts[start : start + 100]

        def loop(piece: list[str] = piece) -> None:
            for text in piece:
                encode(text)

        _, seconds, passed = timed(loop)
        cpu, wall, calls = cpu + seconds, wall + passed, calls + len(piece)
        if cpu > budget:
            break
    ids = flat_lists([encode(text) for text in texts[:CHECKED]])
    return Step(name, "calls", cpu, wall, calls, [digest(ids)])


def _tail(encoder: Encoder, texts: list[str]) -> Step:
    """The 99th percentile of the time of one call, on the wall."""
    encode, clock = encoder.one, time.perf_counter_ns
    times = np.empty(len(texts), dtype=np.int64)
    for i, text in enumerate(texts):
        start = clock()
        encode(text)
        times[i] = clock() - start
    seconds = float(np.percentile(times, 99)) / 1e9
    return Step("p99 200 B", "calls", seconds, seconds, 1)
