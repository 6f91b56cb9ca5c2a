"""Two threads against one, in one process, in turns on steady text: what a byte costs in processor time with each."""

from __future__ import annotations

from collections.abc import Iterator

from benches.contest import Contestant
from benches.corpus import batches, parts
from benches.job import Job, Step
from benches.timing import digest, timed

SHARES = (0.7, 0.3)
"""Before and in what is measured: two threads see half of the first each, and fill their caches too."""
BATCH = 4_000_000


def run(job: Job, contestant: Contestant) -> Iterator[Step]:
    before, measured = parts(job.text, SHARES)
    encoders = {"one": contestant.load(job.vocabulary, 1), "two": contestant.load(job.vocabulary, 2)}
    size = min(BATCH, len(measured) // 4)  # so that there are turns to take
    for batch in batches(before, size):
        for encoder in encoders.values():
            encoder.batch(batch)
    totals: dict[str, list[float]] = {name: [0.0, 0.0, 0.0] for name in encoders}
    digests: dict[str, list[str]] = {name: [] for name in encoders}
    for i, batch in enumerate(batches(measured, size)):
        name = ("one", "two")[i % 2]
        result, cpu, wall = timed(lambda name=name, batch=batch: encoders[name].batch(batch))  # type: ignore[misc]
        amount = float(sum(len(text.encode()) for text in batch))
        totals[name] = [total + more for total, more in zip(totals[name], (cpu, wall, amount), strict=True)]
        digests[name].append(digest(encoders[name].flat(result)))
        del result
    for name, (cpu, wall, amount) in totals.items():
        yield Step(name, "bytes", cpu, wall, amount, digests[name])
