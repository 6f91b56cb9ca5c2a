"""The process in which one contestant runs one workload: a job on standard input, steps on standard output.

It binds itself to its processors first, times the import and the loading of the contestant, and then runs the
workload. A step is written as soon as it is done, so that a crash or a time limit costs only what comes after.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Reads a job, runs it."""
    from benches.contest import UnsupportedError
    from benches.contestants import contestant
    from benches.job import Job, Step
    from benches.workloads import workload

    job = Job.from_json(sys.stdin.readline())
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, job.cores)
    adapter = contestant(job.contestant)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a peer prints must not stand among the steps
    try:
        for step in workload(job.workload)(job, adapter):
            print(step.to_json(), file=answers, flush=True)
    except (UnsupportedError, ImportError) as error:
        print(Step("", error=str(error)).to_json(), file=answers, flush=True)
    answers.flush()
    os._exit(0)  # tearing down a hundred megabytes of lists is nobody's figure


if __name__ == "__main__":
    main()
