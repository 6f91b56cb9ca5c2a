"""A contestant of the benchmark for its tests: ourselves under another name."""

from __future__ import annotations

import dataclasses

from benches.contest import Contestant, Encoder, Vocabulary
from benches.contestants.bytepair import CONTESTANT as OURSELVES


class Right(Contestant):
    """As fast as we are, so that it stays within reach of the front; without arrays of single texts."""

    package = "bytepair"
    module = "bytepair"
    settings = "a fake"

    def load(self, vocabulary: Vocabulary, threads: int) -> Encoder:
        return dataclasses.replace(OURSELVES.load(vocabulary, threads), array=None)


CONTESTANT = Right()
