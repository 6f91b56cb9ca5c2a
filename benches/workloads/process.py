"""A whole process: from the command to the printed number of tokens of a file; ours is the command of bytepair."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Iterator

from benches.contest import Contestant, UnsupportedError
from benches.job import Job, Step


def run(job: Job, contestant: Contestant) -> Iterator[Step]:
    command = [sys.executable, *contestant.script(job.vocabulary), job.text]
    start, children = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise UnsupportedError(f"its script failed: {done.stderr.strip().splitlines()[-1:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - children.ru_utime - children.ru_stime
    yield Step("count", "processes", cpu, time.perf_counter() - start, 1, [done.stdout.split()[0]])
