"""A contestant of the benchmark for its tests: right, but many spaces take its process down."""

from __future__ import annotations

import dataclasses
import os

from benches.contest import Encoder, Vocabulary
from fakes.right import Right

TOO_MANY = " " * 5_000


class Fragile(Right):
    """It fails in the middle of a workload."""

    def load(self, vocabulary: Vocabulary, threads: int) -> Encoder:
        right = super().load(vocabulary, threads)

        def one(text: str) -> list[int]:
            if text.startswith(TOO_MANY):
                os.abort()
            return right.one(text)

        return dataclasses.replace(right, one=one)


CONTESTANT = Fragile()
