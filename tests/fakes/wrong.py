"""A contestant of the benchmark for its tests: quick, and wrong by one id in one text."""

from __future__ import annotations

import dataclasses
from typing import Any

from benches.contest import Encoder, Vocabulary
from fakes.right import Right


class Wrong(Right):
    """It gives one id too few for each list of texts, but only as lists."""

    def load(self, vocabulary: Vocabulary, threads: int) -> Encoder:
        right = super().load(vocabulary, threads)

        def lists(texts: list[str]) -> Any:
            *others, last = right.lists(texts)
            return [*others, last[:-1]]

        return dataclasses.replace(right, lists=lists)


CONTESTANT = Wrong()
