"""The engine of Ray: a task an item, as many at a time as keep the workers busy."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

from bytepair.data.arrow import imported
from bytepair.errors import EngineError
from bytepair.integers import processors
from bytepair.scale.engines.engine import Item
from bytepair.scale.engines.guarded import TRIES, Guarded, lost, unguarded

__all__ = ["Ray"]

ItemT = TypeVar("ItemT", bound=Item)
ResultT = TypeVar("ResultT")


_PATIENCE = 10
"""Seconds that a cluster has to answer."""


class Ray:
    """A Ray that this process is joined to already, one that is joined by its address, or one of this machine."""

    def __init__(self, workers: int | None, address: str | None) -> None:
        self._ray = ray = imported("ray", 'engine="ray"', "'bytepair[ray]'")
        self._is_ours = not ray.is_initialized()
        if self._is_ours:
            if address is not None:
                _check_reached(address)
            quiet = {"include_dashboard": False, "num_cpus": processors(workers)} if address is None else {}
            try:
                ray.init(address or "local", logging_level="WARNING", log_to_driver=False, **quiet)
            except (ConnectionError, RuntimeError, ValueError) as error:
                why = " ".join(str(error).split())
                raise EngineError(f"Ray at `{address or 'local'}` cannot be reached: {why}", "check address=") from None
        self._most = workers

    def __enter__(self) -> Self:
        """The engine."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leaves the Ray that was joined here."""
        if self._is_ours:
            self._ray.shutdown()

    def map(self, function: Callable[[ItemT], ResultT], items: Sequence[ItemT]) -> Iterator[tuple[int, ResultT]]:
        """See `Engine.map`."""
        ray = self._ray
        guarded = ray.put(Guarded(function))
        task = ray.remote(num_cpus=1, max_retries=TRIES - 1)(_called)
        waiting, running = iter(range(len(items))), dict[Any, int]()
        # With more than there are workers, none waits for the driver.
        most = self._most or max(1, 2 * int(ray.cluster_resources().get("CPU", 1)))
        try:
            while True:
                while len(running) < most and (number := next(waiting, None)) is not None:
                    running[task.remote(guarded, items[number])] = number
                if not running:
                    return
                for reference in ray.wait(list(running))[0]:
                    number = running.pop(reference)
                    yield number, unguarded(items[number], self._got(reference, items[number]))
        finally:
            for reference in running:
                ray.cancel(reference, force=True)

    def _got(self, reference: Any, item: Item) -> Any:  # noqa: ANN401 - what the function gives
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:  # what the function raises is a result: it never began
            why = str(error).strip().rpartition("\n")[2]
            raise EngineError(
                f"`{item.name}`: its worker could not begin: {why}",
                "install the same version of bytepair, and what it needs, on all workers",
            ) from error
        except self._ray.exceptions.RayError as error:
            raise lost(item, f"with {type(error).__name__}") from error


def _check_reached(address: str) -> None:
    """That somebody listens where an address says: Ray would try for minutes, and say so again and again."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE).close()
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or error
            raise EngineError(f"Ray at `{address}` cannot be reached: {why}", "check address=") from None


def _called(guarded: Guarded[Any, Any], item: Item) -> Any:  # noqa: ANN401 - what the function gives
    return guarded(item)
