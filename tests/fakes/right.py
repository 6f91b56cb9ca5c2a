"""A contestant of the benchmark for its tests: tiktoken under another name, with right ids."""

from __future__ import annotations

import dataclasses

from benches.contest import Contestant, Encoder, Vocabulary
from benches.contestants.tiktoken import CONTESTANT as TIKTOKEN


class Right(Contestant):
    """All of it is tiktoken's, but for what is changed on the way."""

    package = "tiktoken"
    module = "tiktoken"
    settings = "a fake"

    def load(self, vocabulary: Vocabulary, threads: int) -> Encoder:
        return dataclasses.replace(TIKTOKEN.load(vocabulary, threads), array=None)


CONTESTANT = Right()
