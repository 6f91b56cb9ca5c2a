"""How much memory a tokenizer gathers while it reads words that nobody has seen: random letters, all different."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benches.contest import Contestant
from benches.corpus import documents
from benches.job import Job, Step
from benches.process_memory import resident
from benches.timing import digest

PIECE = 1_000_000
WORD = (4, 12)


def run(job: Job, contestant: Contestant) -> Iterator[Step]:
    encoder = contestant.load(job.vocabulary, 1)
    rng = np.random.default_rng(0)
    ids = encoder.flat(encoder.batch(documents(new_words(rng, PIECE))))
    digests = [digest(ids)]
    before = resident()
    for _ in range(job.options["megabytes"]):
        encoder.batch(documents(new_words(rng, PIECE)))
    yield Step("growth", "value", amount=max(resident() - before, 0) / 1e6, digests=digests)


def new_words(rng: np.random.Generator, size: int) -> bytes:
    """About `size` bytes of words of random lower-case letters."""
    letters = rng.integers(ord("a"), ord("z") + 1, size, dtype=np.uint8)
    letters[np.cumsum(rng.integers(*WORD, size // WORD[0])) % size] = ord(" ")
    return letters.tobytes()
