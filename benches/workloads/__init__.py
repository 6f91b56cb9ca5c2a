"""The workloads by name: generators of steps, run in a worker."""

from collections.abc import Callable, Iterator
from importlib import import_module

from benches.contest import Contestant
from benches.job import Job, Step

Workload = Callable[[Job, Contestant], Iterator[Step]]


def workload(name: str) -> Workload:
    """The generator of a workload, which is the `run` of its module."""
    run: Workload = import_module(f"benches.workloads.{name}").run
    return run
