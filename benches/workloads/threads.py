"""Two threads against one, one after the other on the same steady text: the processor time of a byte with each."""

from __future__ import annotations

from collections.abc import Iterator

from benches.contest import Contestant
from benches.corpus import batches, parts
from benches.job import Job, Step
from benches.timing import over_batches

SHARES = (0.7, 0.3)
"""Before and in what is measured: two threads see half of the first each, and fill their caches too."""
BATCH = 4_000_000


def run(job: Job, contestant: Contestant) -> Iterator[Step]:
    before, measured = parts(job.text, SHARES)
    for name, threads in (("one", 1), ("two", 2)):
        # By itself: what both keep would not fit into the cache that processors share.
        encoder = contestant.load(job.vocabulary, threads)
        for batch in batches(before, BATCH):
            encoder.batch(batch)
        yield over_batches(name, encoder.batch, encoder.flat, batches(measured, BATCH), job.budget)
