"""A contestant in training for the tests of the benchmark: quick, and wrong in one merge."""

from __future__ import annotations

from collections.abc import Callable

from benches.contest import Merge, Training
from fakes.trainer import Trainer


class WrongTrainer(Trainer):
    """It takes the second merge before the first."""

    def train(self, asked: Training) -> Callable[[], list[Merge]]:
        merges_of = super().train(asked)

        def swapped() -> list[Merge]:
            first, second, *others = merges_of()
            return [second, first, *others]

        return swapped


CONTESTANT = WrongTrainer()
