"""Which contests there are, and how much of them a short and a full run takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benches import corpus, vocabulary
from benches.contestants import ENCODERS
from benches.driver import Contest
from benches.job import Job

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Extent:
    """How much a run takes: rounds, seconds of processor time a step, bytes of text."""

    rounds: int
    budget: float
    large_text: int
    small_text: int


SHORT = Extent(rounds=3, budget=0.5, large_text=36 * MEGABYTE, small_text=6 * MEGABYTE)
FULL = Extent(rounds=7, budget=2.0, large_text=36 * MEGABYTE, small_text=6 * MEGABYTE)


def contests(extent: Extent, contestants: tuple[str, ...] = ENCODERS) -> Iterator[Contest]:
    """All contests, in the order of the tables. Texts and vocabularies are prepared when a contest is reached."""
    for name, kind in [("cl100k", kind) for kind in corpus.KINDS] + [(n, "en") for n in ("o200k", "gpt2", "llama3")]:
        yield Contest(f"bulk/{name}/{kind}", _job("bulk", name, kind, extent), contestants)
    for workload in ("calls", "decoding"):
        yield Contest(f"{workload}/cl100k/en", _job(workload, "cl100k", "en", extent), contestants)
    for name in ("digits2", "own"):
        yield Contest(f"bulk/{name}/en", _job("bulk", name, "en", extent), contestants)


def text_of(kind: str, extent: Extent) -> Path:
    """The file of a kind of text."""
    return corpus.prepare(kind, extent.large_text if kind in {"en", "code"} else extent.small_text)


def _job(workload: str, name: str, kind: str, extent: Extent) -> Job:
    made = vocabulary.prepare(name, text_of("en", extent))
    return Job("", workload, made, str(text_of(kind, extent)), budget=extent.budget)
