"""Training 32,768 tokens with GPT-2's pattern; the first merges are compared, since later ones differ by the rule of ties."""

from __future__ import annotations

import hashlib
import resource
from collections.abc import Iterator
from pathlib import Path

from benches.contest import Contestant
from benches.job import Job, Step
from benches.timing import timed

SIZE = 32_768
COMPARED = 200


def run(job: Job, contestant: Contestant) -> Iterator[Step]:
    merges_of, cpu, wall = timed(lambda: contestant.train(job.text, SIZE, job.threads))
    peak = peak_megabytes()
    merges = merges_of()
    joined = b"\n".join(left + b" " + right for left, right in merges[:COMPARED])
    digests = [hashlib.sha256(joined).hexdigest()[:32]] if merges else []
    yield Step("train", "bytes", cpu, wall, Path(job.text).stat().st_size, digests)
    yield Step("peak memory", "value", amount=peak, digests=digests)


def peak_megabytes() -> float:
    """The most memory that this process held. `getrusage` would tell that of the process that started it, if more."""
    status = Path("/proc/self/status")
    if not status.is_file():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    lines = status.read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1e3 for line in lines if line.startswith("VmHWM"))
