"""Training: a contest's steps are what is asked of one text, each in a fresh process whose memory is that of the step.

The options of a step: `size` in tokens, `pattern` and `preset`, `piece` (the text comes from Python in strings of so
many bytes, which are there before the time starts), `judged` (false: only time and memory are of interest), `table`
(how much memory it took without the table of pretokens is asked too). The merges go into a file of the cache, which the
step names; the replay reads it when all have run.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from benches.contest import Contestant, Merge, Training, UnsupportedError
from benches.corpus import documents
from benches.job import PARALLEL, TRAINED, Job, Step
from benches.paths import CACHE
from benches.process_memory import peak
from benches.timing import timed

MEMORY = " memory"
"""What follows the name of a step in the name of the one that says how much memory it took."""
ABOVE = " above the table"
"""The same of the one that says how much of that is not the table of different pretokens."""
SLOT = 64
"""Bytes of that table for each of them: a slot of 32 in a table that is half full."""


def run(job: Job, contestant: Contestant) -> Iterator[Step]:
    name = job.options["step"]
    asked = training(job, name)
    importlib.import_module(contestant.module)
    before = peak()
    merges_of, cpu, wall = timed(lambda: contestant.train(asked))
    most = peak()
    merges = keep(merges_of()) if job.options["steps"][name].get("judged", True) else ""
    yield Step(name, TRAINED if job.threads == 1 else PARALLEL, cpu, wall, 1, merges=merges)
    if asked.texts is None:
        yield Step(name + MEMORY, "value", amount=(most - before) / 1e6, merges=merges)
    if job.options["steps"][name].get("table"):
        with contextlib.suppress(UnsupportedError):
            above = most - before - SLOT * contestant.distinct(asked)
            yield Step(name + ABOVE, "value", amount=max(above, 0) / 1e6)


def training(job: Job, name: str) -> Training:
    """What a step asks for."""
    asked = job.options["steps"][name]
    piece = asked.get("piece")
    texts = documents(Path(job.text).read_bytes(), piece) if piece else None
    pattern = asked.get("pattern", job.vocabulary.pattern)
    preset = asked.get("preset", pattern if "pattern" in asked else job.vocabulary.preset)
    return Training(job.text, texts, asked["size"], pattern, preset, tuple(job.vocabulary.specials), job.threads)


def keep(merges: Sequence[Merge], folder: Path = CACHE / "merges") -> str:
    """Puts merges into a file of the cache, a line of two hexadecimal numbers each; gives its name. None: no name."""
    if not merges:
        return ""
    content = "\n".join(f"{left.hex()} {right.hex()}" for left, right in merges)
    name = hashlib.sha256(content.encode()).hexdigest()[:32]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(content, encoding="ascii")
    return name


def kept(name: str, folder: Path = CACHE / "merges") -> list[Merge]:
    """The merges of a file that `keep` wrote."""
    lines = (folder / name).read_text(encoding="ascii").splitlines()
    return [(bytes.fromhex(left), bytes.fromhex(right)) for left, _, right in (line.partition(" ") for line in lines)]
