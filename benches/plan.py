"""Which contests in encoding there are, and how much of them a short and a full run takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benches import corpus, vocabulary
from benches.contestants import CHOOSE_THREADS, ENCODERS, READERS
from benches.driver import Contest
from benches.job import Job
from benches.workloads.files import SEPARATOR
from benches.workloads.runs import DOUBLE, STEPS

MEGABYTE = 1_000_000
ANY_PATTERN = ("bytepair", "fastokens", "tiktoken", "tokenizers", "tokie", "tuetoken", "splintr", "gigatoken")


@dataclass(frozen=True)
class Extent:
    """How much a run takes.

    Attributes:
        name: what the record calls it.
        rounds, quick_rounds: of each contest; of those that take no time.
        budget: seconds of processor time a step may take before a contestant stops early.
        large_text, small_text: bytes of English and code, and of the other languages.
        file: bytes of the file that is read on two threads.
        new_words: megabytes of them.
        limit: seconds until a run of one kind of character is stopped.
    """

    name: str
    rounds: int
    quick_rounds: int
    budget: float
    large_text: int
    small_text: int
    file: int
    new_words: int
    limit: float


SHORT = Extent("short", 3, 5, 0.4, 36 * MEGABYTE, 6 * MEGABYTE, 48 * MEGABYTE, 16, 5.0)
FULL = Extent("full", 7, 9, 2.0, 72 * MEGABYTE, 6 * MEGABYTE, 1000 * MEGABYTE, 1000, 20.0)


def contests(extent: Extent) -> Iterator[Contest]:
    """All contests, in the order of the tables; texts and vocabularies are prepared when a contest is reached."""
    for kind in corpus.KINDS:
        yield Contest(f"bulk/cl100k/{kind}", _job("bulk", "cl100k", kind, extent), ENCODERS, extent.rounds)
    for name in ("o200k", "gpt2", "llama3"):
        yield Contest(f"bulk/{name}/en", _job("bulk", name, "en", extent), ENCODERS, extent.rounds)
    for name in ("digits2", "own"):
        yield Contest(f"bulk/{name}/en", _job("bulk", name, "en", extent), ANY_PATTERN, extent.rounds)
    for workload in ("calls", "decoding"):
        yield Contest(f"{workload}/cl100k/en", _job(workload, "cl100k", "en", extent), ENCODERS, extent.rounds)
    yield from _runs(extent)
    for name in ("cl100k", "o200k"):
        yield Contest(f"start/{name}", _job("start", name, "en", extent), ENCODERS, extent.quick_rounds)
    megabyte = Job("", "process", vocabulary.prepare("cl100k"), str(corpus.beginning(text_of("en", extent), MEGABYTE)))
    yield Contest("process/cl100k/en", megabyte, ENCODERS, extent.quick_rounds)
    yield from _large(extent)


def _runs(extent: Extent) -> Iterator[Contest]:
    """A million characters of one kind; and digits under right-to-left grouping, where no peer has its own scanner."""
    for name, steps, entrants in (
        ("cl100k", STEPS, ENCODERS),
        ("right to left", ("digits", "digits" + DOUBLE), ANY_PATTERN),
    ):
        options = {"size": MEGABYTE, "steps": list(steps)}
        job = Job("", "runs", vocabulary.prepare(name), "", budget=extent.budget, options=options)
        yield Contest(f"runs/{name}", job, entrants, extent.rounds, extent.limit, restart=True)


def _large(extent: Extent) -> Iterator[Contest]:
    """What takes many megabytes: memory, threads, files."""
    cl100k = vocabulary.prepare("cl100k")
    words = Job("", "memory", cl100k, "", options={"megabytes": extent.new_words})
    yield Contest("memory/cl100k", words, ENCODERS, 1, limit=600)
    yield Contest(
        "threads/cl100k/en", _job("threads", "cl100k", "en", extent, threads=2), CHOOSE_THREADS, extent.rounds
    )
    file = corpus.separated(text_of("en", extent), extent.file, SEPARATOR)
    yield Contest("files/cl100k/en", Job("", "files", cl100k, str(file), threads=2), READERS, 1, limit=600)


def text_of(kind: str, extent: Extent) -> Path:
    """The file of a kind of text."""
    return corpus.prepare(kind, extent.large_text if kind in {"en", "code"} else extent.small_text)


def _job(workload: str, name: str, kind: str, extent: Extent, threads: int = 1) -> Job:
    made = vocabulary.prepare(name, text_of("en", extent))
    return Job("", workload, made, str(text_of(kind, extent)), threads=threads, budget=extent.budget)
