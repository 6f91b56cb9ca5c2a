"""A whole process: from the command to the printed number of tokens of a file; ours is the command of bytepair.

Python's bytecode is there, as in any installed package: the process runs once before, untimed, and may write it.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator

from benches.contest import Contestant, UnsupportedError
from benches.job import Job, Step
from benches.paths import CACHE


def run(job: Job, contestant: Contestant) -> Iterator[Step]:
    command = [sys.executable, *contestant.script(job.vocabulary), job.text]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = kept | {"PYTHONPYCACHEPREFIX": str(CACHE / "bytecode")}
    subprocess.run(command, check=False, capture_output=True, env=environment)
    start, children = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise UnsupportedError(f"its script failed: {done.stderr.strip().splitlines()[-1:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - children.ru_utime - children.ru_stime
    yield Step("count", "processes", cpu, time.perf_counter() - start, 1, [done.stdout.split()[0]])
