"""How soon Ctrl-C ends a training: one runs to its end, then others are interrupted at shares of the time it took.

The signal comes from another process, as a terminal's would, so that it also reaches who keeps Python's lock. Counted
are the seconds from the signal until `KeyboardInterrupt` stands in Python; who ignores it, trains to the end.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import time
from collections.abc import Callable, Iterator

from benches.contest import Contestant
from benches.job import Job, Step
from benches.timing import timed
from benches.workloads.training import training

SHARES = (0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97)


def run(job: Job, contestant: Contestant) -> Iterator[Step]:
    name = job.options["step"]
    asked = training(job, name)
    importlib.import_module(contestant.module)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background of a shell ignores it
    _, _, wall = timed(lambda: contestant.train(asked))
    waits = [wait for share in SHARES if (wait := latency(lambda: contestant.train(asked), share * wall)) is not None]
    yield Step(name, "latency", wall=wall, amount=max(waits))


def latency(train: Callable[[], object], delay: float) -> float | None:
    """Seconds from an interrupt that comes after a delay to its end; None if the training was over before."""
    receiver, sender = os.pipe()
    child = os.fork()
    if not child:
        time.sleep(delay)
        os.write(sender, str(time.monotonic()).encode())
        os.kill(os.getppid(), signal.SIGINT)
        os._exit(0)
    ended, over = 0.0, False
    try:
        train()
        over = True
        os.waitpid(child, 0)  # so that the signal comes here and nowhere else
    except KeyboardInterrupt:
        ended = time.monotonic()
    with contextlib.suppress(ChildProcessError):
        os.waitpid(child, 0)
    sent = float(os.read(receiver, 64))
    os.close(receiver)
    os.close(sender)
    return None if over else ended - sent
