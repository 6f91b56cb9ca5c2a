"""What is at the other end of the `dask` engine: a worker holds the function of a job, and tasks name it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from distributed import WorkerPlugin, get_worker

from bytepair.scale.engines.engine import Item
from bytepair.scale.engines.guarded import Guarded

__all__ = ["Called", "Holder"]


class Holder(WorkerPlugin):  # type: ignore[misc] # Dask has no types
    """What the scheduler gives to each worker, those that come later too, before their first task."""

    def __init__(self, guarded: Guarded[Any, Any]) -> None:
        self.guarded = guarded


@dataclass(frozen=True, slots=True)
class Called:
    """A function by the name under which workers hold it."""

    name: str

    def __call__(self, item: Item) -> Any:  # noqa: ANN401 - what the function gives
        """What the function gives for an item."""
        return get_worker().plugins[self.name].guarded(item)
