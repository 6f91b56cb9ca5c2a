"""Starts the workers: in turns, round after round, each in a fresh process bound to its processors.

In the first round everybody runs. After it those that have no rank, or are far from the front in every step, are left
out of the further rounds of that contest (they keep their one run), since rounds are there to tell close contestants
apart. The order turns by one each round, and so does the processor, so that neither favours anybody.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from benches import host_memory
from benches.contestants import contestant
from benches.job import Job, Results, Step
from benches.ranking import OURS, Standing, rank

FAR = 3.0
TOO_LONG = "took more than "


@dataclass(frozen=True)
class Contest:
    """One workload with one vocabulary and one text.

    Attributes:
        name: what the tables and the record call it.
        job: what each contestant is asked, but for its name and processors.
        contestants: who takes part.
        rounds: how often everybody near the front runs.
        limit: seconds on the wall that one step may take; a step that takes longer is stopped and said to.
        restart: whether the steps are independent, so that those after a failed one are run in a new process.
        apart: whether each step is run in a process of its own, which finds its name under `step` in the options.
    """

    name: str
    job: Job
    contestants: tuple[str, ...]
    rounds: int
    limit: float = 60.0
    restart: bool = False
    apart: bool = False


def processors() -> list[int]:
    """The processors that this process may use."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0]


def compete(contest: Contest, truth: list[Step], say: Callable[[str], None]) -> Results:
    """Runs a contest, whose right ids are `truth`; we ourselves are never left out of a round."""
    results: Results = {name: {} for name in contest.contestants}
    entrants = list(contest.contestants)
    cores = processors()
    for number in range(contest.rounds):
        turn = number % len(entrants)
        for name in entrants[turn:] + entrants[:turn]:
            say(f"{contest.name}: round {number + 1} of {contest.rounds}, {name}")
            chosen = tuple(cores[(number + i) % len(cores)] for i in range(min(contest.job.threads, len(cores))))
            job = replace(contest.job, contestant=name, cores=chosen)
            found = run_apart(job, contest.limit) if contest.apart else run(job, contest.limit, contest.restart)
            for step in found:
                results[name].setdefault(step.name, []).append(step)
        if number == 0:
            near = _near(rank(results, truth))
            entrants = [name for name in entrants if name == OURS or name in near]
    return results


def _near(ranked: dict[str, list[Standing]]) -> set[str]:
    """Those that have a rank and are within reach of the front in any step."""
    near = set()
    for found in ranked.values():
        have_rank = [one for one in found if not one.refused]
        near |= {one.name for one in have_rank if one.cost <= FAR * have_rank[0].cost}
    return near


def run(job: Job, limit: float, restart: bool = False) -> list[Step]:
    """One contestant, one workload: its steps, the failed ones with a reason.

    A step that fails takes those with it whose names begin with its own: they are more of the same.
    """
    steps: list[Step] = []
    expected: Sequence[str] = job.options.get("steps", ())
    while True:
        done = tuple(step.name for step in steps)
        found, problem = _attempt(replace(job, skip=done), limit)
        steps += found
        left = [name for name in expected if name not in {step.name for step in steps}]
        if not problem:
            return steps
        failed = left[0] if left else ""
        steps += [Step(name, error=problem) for name in (left if failed else [""]) if name.startswith(failed)]
        if not (restart and len(steps) < len(expected)):
            return steps


def run_apart(job: Job, limit: float) -> list[Step]:
    """One contestant, one workload, each step in a process of its own."""
    steps: list[Step] = []
    for name in job.options["steps"]:
        found, problem = _attempt(replace(job, options=job.options | {"step": name}), limit)
        steps += [replace(step, name=step.name or name) for step in found]
        if problem:
            steps.append(Step(name, error=problem))
    return steps


def _attempt(job: Job, limit: float) -> tuple[list[Step], str]:
    """The steps of one process, and what stopped it, if not its end."""
    environment = os.environ | contestant(job.contestant).environment(job.threads)
    host_memory.touch(host_memory.SIZE)
    with tempfile.TemporaryFile() as noise:
        process = subprocess.Popen(
            [sys.executable, "-m", "benches.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=noise,
            env=environment,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(job.to_json().encode() + b"\n")
        process.stdin.close()
        steps, in_time = _lines(process, limit)
        if not in_time:
            process.kill()
        code = process.wait()
        process.stdout.close()
        noise.seek(0)
        said = noise.read().decode("utf-8", "replace").strip().splitlines()
    if not in_time:
        return steps, f"{TOO_LONG}{limit:.0f} s"
    if code:
        reason = f"was ended by signal {-code}" if code < 0 else (said[-1][:160] if said else f"ended with {code}")
        return steps, reason
    return steps, ""


def _lines(process: subprocess.Popen[bytes], limit: float) -> tuple[list[Step], bool]:
    """The steps that a worker writes, until it ends or is silent for too long."""
    assert process.stdout is not None
    steps: list[Step] = []
    pending = b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        deadline = time.monotonic() + limit
        while selector.select(max(0.0, deadline - time.monotonic())):
            chunk = os.read(process.stdout.fileno(), 1 << 16)
            if not chunk:
                return steps, True
            *lines, pending = (pending + chunk).split(b"\n")
            steps += [Step(**json.loads(line)) for line in lines]
            deadline = time.monotonic() + limit
    return steps, False


def time_limit(error: str) -> float:
    """The seconds after which a step was stopped; 0 if it failed in another way."""
    return float(error.removeprefix(TOO_LONG).removesuffix(" s")) if error.startswith(TOO_LONG) else 0.0
