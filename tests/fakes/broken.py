"""A contestant of the benchmark for its tests: one that cannot load, one way or the other."""

from __future__ import annotations

import os

from benches.contest import Encoder, UnsupportedError, Vocabulary
from fakes.right import Right


class Broken(Right):
    """Refuses the vocabulary; or, where the name asks for it, takes its process down."""

    def load(self, vocabulary: Vocabulary, threads: int) -> Encoder:
        if vocabulary.name == "crash":
            os.abort()
        raise UnsupportedError("knows no such vocabulary")


CONTESTANT = Broken()
