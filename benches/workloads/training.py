"""Training 32,768 tokens with GPT-2's pattern; the first merges are compared, as ties make the later ones differ."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from benches.contest import Contestant
from benches.job import Job, Step
from benches.process_memory import peak
from benches.timing import timed

SIZE = 32_768
COMPARED = 200


def run(job: Job, contestant: Contestant) -> Iterator[Step]:
    merges_of, cpu, wall = timed(lambda: contestant.train(job.text, SIZE, job.threads))
    peak_megabytes = peak() / 1e6
    merges = merges_of()
    joined = b"\n".join(left + b" " + right for left, right in merges[:COMPARED])
    digests = [hashlib.sha256(joined).hexdigest()[:32]] if merges else []
    yield Step("train", "bytes", cpu, wall, Path(job.text).stat().st_size, digests)
    yield Step("peak memory", "value", amount=peak_megabytes, digests=digests)
