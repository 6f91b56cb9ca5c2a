"""A contestant in training for the tests of the benchmark: it cuts text in its own way and shows no merges."""

from __future__ import annotations

from collections.abc import Callable

from benches.contest import Merge, Training
from fakes.trainer import Trainer


class OwnWay(Trainer):
    """Its merges cannot be judged."""

    documents = "its own"

    def train(self, asked: Training) -> Callable[[], list[Merge]]:
        super().train(asked)
        return list


CONTESTANT = OwnWay()
