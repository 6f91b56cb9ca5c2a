"""bpeasy: a trainer; any pattern of fancy-regex."""

from __future__ import annotations

from collections.abc import Callable

from benches.contest import Contestant, Merge, Training
from benches.contestants.rustbpe import replayed

LONGEST = 1 << 20
"""Bytes of a token: it must be told a limit; this one is never reached."""


class Bpeasy(Contestant):
    """Trains from an iterator of texts, here of a megabyte each; threads by RAYON_NUM_THREADS."""

    package = "bpeasy"
    module = "bpeasy"
    settings = "train_bpe(pieces of 1 MB, pattern, no limit of length, size); RAYON_NUM_THREADS"
    documents = "piece"

    def environment(self, threads: int) -> dict[str, str]:
        return {"RAYON_NUM_THREADS": str(threads)}

    def train(self, asked: Training) -> Callable[[], list[Merge]]:
        import bpeasy

        found = bpeasy.train_bpe(asked.pieces(), asked.pattern, LONGEST, asked.size - len(asked.specials))
        return lambda: replayed(sorted(found, key=found.__getitem__))


CONTESTANT = Bpeasy()
