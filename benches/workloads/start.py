"""From nothing to the first ids: the import, then loading a vocabulary and encoding a first short text.

This worker must have imported nothing that a contestant might import, NumPy above all.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Iterator

from benches.contest import Contestant
from benches.job import Job, Step


def run(job: Job, contestant: Contestant) -> Iterator[Step]:
    assert "numpy" not in sys.modules
    wall, cpu = time.perf_counter(), time.process_time()
    importlib.import_module(contestant.module)
    imported_wall, imported_cpu = time.perf_counter(), time.process_time()
    ids = contestant.load(job.vocabulary, 1).one("Hello, world!")
    done_wall, done_cpu = time.perf_counter(), time.process_time()
    yield Step("import", "starts", imported_cpu - cpu, imported_wall - wall, 1)
    yield Step("load", "starts", done_cpu - imported_cpu, done_wall - imported_wall, 1, [",".join(map(str, ids))])
    yield Step("both", "starts", done_cpu - cpu, done_wall - wall, 1)
