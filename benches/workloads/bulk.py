"""Batches of 7 KB documents and one large text: cold, steady and warm.

One fresh object reads the parts of a text in turn: cold is its first text; steady is other text of the same kind, once
the caches are filled, and is the honest figure; warm is that same text again. Lists and the one large text are steady.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benches.contest import Contestant, flat_lists
from benches.corpus import batches, parts
from benches.job import Job, Step
from benches.timing import digest, over_batches, timed

TOO_LONG = 4
SHARES = (0.55, 0.15, 0.15, 0.15)


def run(job: Job, contestant: Contestant) -> Iterator[Step]:
    first, second, third, fourth = parts(job.text, SHARES)
    encoder = contestant.load(job.vocabulary, job.threads)
    encode, flat = encoder.batch, encoder.flat
    flat(encode(["Hello"]))  # what is imported at the first call is no matter of this workload
    yield over_batches("cold", encode, flat, batches(first), job.budget)
    steady = over_batches("steady", encode, flat, batches(second), job.budget)
    yield steady
    yield over_batches("warm", encode, flat, batches(second), job.budget)
    yield over_batches("lists", encoder.lists, flat_lists, batches(third), job.budget)
    if steady.cost * len(fourth) > TOO_LONG * job.budget:
        yield Step("large", error="too slow for one text of megabytes in this run")
        return
    whole = fourth.decode("utf-8")
    encode_one = encoder.array or encoder.one
    ids, cpu, wall = timed(lambda: encode_one(whole))
    yield Step("large", "bytes", cpu, wall, len(fourth), [digest(np.asarray(ids, dtype=np.uint32))])
