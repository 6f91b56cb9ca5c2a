"""What a worker is asked, and what it answers: both are a line of JSON.

A step is one timed thing. `cpu` and `wall` are seconds for `amount` of `unit`; `digests` are the SHA-256 of the ids
that came out, one per batch, in order; a contestant that stops early has fewer, never others. Training gives no ids to
compare: `merges` names the list of merges that came out, which a replay judges.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

from benches.contest import Vocabulary

CHECK = "check"
"""The name and the unit of a step that only compares ids."""

AMOUNTS = {"value", "latency"}
"""Units of steps that measure no work but an amount: megabytes, and seconds."""
TRAINED, PARALLEL = "trainings", "trainings on the wall"
"""Units of training: on one thread and on several."""


@dataclass(frozen=True)
class Job:
    """One run: a contestant, a workload, what it reads, and the processors it may use."""

    contestant: str
    workload: str
    vocabulary: Vocabulary
    text: str
    cores: tuple[int, ...] = (0,)
    threads: int = 1
    budget: float = 1.0
    options: dict[str, Any] = field(default_factory=dict)
    skip: tuple[str, ...] = ()

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Job:
        fields = json.loads(line)
        fields["vocabulary"] = Vocabulary(**fields["vocabulary"])
        fields["cores"], fields["skip"] = tuple(fields["cores"]), tuple(fields["skip"])
        return cls(**fields)


@dataclass(frozen=True)
class Step:
    """One timed thing, or why it could not be done."""

    name: str
    unit: str = ""
    cpu: float = 0.0
    wall: float = 0.0
    amount: float = 0.0
    digests: list[str] = field(default_factory=list)
    merges: str = ""
    error: str = ""

    @property
    def cost(self) -> float:
        """What a unit costs: seconds of processor time, or the amount itself where that is what is measured.

        Where several threads work so that somebody waits less, it is seconds on the wall.
        """
        if self.unit in AMOUNTS:
            return self.amount
        return (self.wall if self.unit == PARALLEL else self.cpu) / self.amount

    def to_json(self) -> str:
        return json.dumps(asdict(self))


Results: TypeAlias = dict[str, dict[str, list[Step]]]
"""contestant -> step -> one entry per round."""
