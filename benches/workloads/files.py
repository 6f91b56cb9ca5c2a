"""A file of documents on two threads, read by the contestant itself where it can, else by Python."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benches.contest import Contestant
from benches.job import Job, Step
from benches.timing import digest, timed

SEPARATOR = "<|endoftext|>"


def run(job: Job, contestant: Contestant) -> Iterator[Step]:
    encoder = contestant.load(job.vocabulary, job.threads)
    encoder.flat(encoder.batch(["Hello"]))

    def by_python(path: str, separator: str) -> object:
        return encoder.batch(Path(path).read_text(encoding="utf-8").split(separator))

    read = encoder.file or by_python
    result, cpu, wall = timed(lambda: read(job.text, SEPARATOR))
    ids = encoder.flat(result)
    ids = ids[ids != job.vocabulary.specials.get(SEPARATOR)]  # some give the separators' ids, some leave them out
    yield Step("file", "bytes", cpu, wall, Path(job.text).stat().st_size, [digest(ids)])
