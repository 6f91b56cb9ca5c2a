"""A stub until gcount's is there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bytepair.data import corpus
from bytepair.data.batches import Batch


@dataclass(frozen=True)
class Item:
    number: int
    paths: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.paths[0]

    def batches(self, **reading: Any) -> Iterator[Batch]:
        return iter(corpus(files=list(self.paths), **reading))


@dataclass(frozen=True)
class Found:
    items: list[Item]
    files: tuple[tuple[str | None, str, int | None, int | None], ...]
    plain: dict[str, object]


def items_of(files: Any, size: int, **reading: Any) -> Found:
    found = corpus(files=files, **reading)
    listed = [(source, file.name, file.size, file.changed) for source, file in found.files]
    runs: list[list[str]] = []
    held = size
    for _, name, length, _ in listed:
        if held >= size:
            runs.append([])
            held = 0
        runs[-1].append(name)
        held += length or 0
    plain = found.plain()
    del plain["files"]
    return Found([Item(number, tuple(run)) for number, run in enumerate(runs)], tuple(listed), plain)
