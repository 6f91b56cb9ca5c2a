"""A contestant in training for the tests of the benchmark: ourselves under another name, on GPT-2's pattern alone."""

from __future__ import annotations

from collections.abc import Callable

from benches.contest import Contestant, Merge, Training, UnsupportedError
from benches.contestants.bytepair import CONTESTANT as OURSELVES
from benches.patterns import GPT2


class Trainer(Contestant):
    """As fast as we are."""

    package = "bytepair"
    module = "bytepair"
    settings = "a fake"

    def train(self, asked: Training) -> Callable[[], list[Merge]]:
        if asked.pattern != GPT2:
            raise UnsupportedError("cuts by GPT-2's pattern alone")
        return OURSELVES.train(asked)


CONTESTANT = Trainer()
