"""The engine of Dask: a task an item, as many at a time as keep the workers busy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self, TypeVar

from bytepair.data.arrow import imported
from bytepair.errors import EngineError
from bytepair.integers import processors
from bytepair.scale.engines.engine import Item
from bytepair.scale.engines.guarded import TRIES, Guarded, lost, unguarded
from bytepair.scale.engines.interrupts import put_off

__all__ = ["Dask"]

ItemT = TypeVar("ItemT", bound=Item)
ResultT = TypeVar("ResultT")


class Dask:
    """A Dask that is joined by its address, or one of this machine."""

    def __init__(self, workers: int | None, address: str | None) -> None:
        need, install = 'engine="dask"', "'bytepair[dask]'"
        self._distributed = distributed = imported("distributed", need, install)
        self._most = workers
        with ExitStack() as stack:
            where: Any = address
            if address is None:
                failures = {"distributed.scheduler.allowed-failures": TRIES - 1}
                stack.enter_context(imported("dask", need, install).config.set(failures))
                where = stack.enter_context(_started(distributed, processors(workers)))
            try:
                self._client = stack.enter_context(distributed.Client(where, set_as_default=False))
            except (OSError, TimeoutError, ValueError) as error:
                why = " ".join(str(error).split())
                raise EngineError(f"Dask at `{address}` cannot be reached: {why}", "check address=") from None
            self._opened = stack.pop_all()

    def __enter__(self) -> Self:
        """The engine."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leaves the Dask that was joined here."""
        self._opened.close()

    def map(self, function: Callable[[ItemT], ResultT], items: Sequence[ItemT]) -> Iterator[tuple[int, ResultT]]:
        """See `Engine.map`."""
        guarded = Guarded(function)
        waiting, running = iter(range(len(items))), dict[Any, int]()
        # With more than there are workers, none waits for the driver.
        most = self._most or 2 * sum(self._client.nthreads().values()) or 1
        finished = self._distributed.as_completed(loop=self._client.loop)

        def give() -> None:
            number = next(waiting, None)
            if number is not None:
                future = self._client.submit(guarded, items[number], pure=False)
                running[future] = number
                finished.add(future)

        for _ in range(most):
            give()
        try:
            for future in finished:
                number = running.pop(future)
                result = self._got(future, items[number])
                future.release()
                give()
                yield number, unguarded(items[number], result)
        finally:
            self._client.cancel(list(running), force=True)

    def _got(self, future: Any, item: Item) -> Any:  # noqa: ANN401 - what the function gives
        try:
            return future.result()
        except self._distributed.KilledWorker as error:
            raise lost(item, f"with {type(error).__name__}") from error


def _started(distributed: Any, workers: int) -> Any:  # noqa: ANN401 - Dask's
    cluster = None
    try:
        with put_off():
            cluster = distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs="CRITICAL"
            )
    except KeyboardInterrupt:
        if cluster is not None:
            cluster.close()
        raise
    except RuntimeError as error:  # each of its processes runs the caller's script again
        why = " ".join(str(error).split())
        raise EngineError(
            f"Dask cannot start its workers: {why}", 'in a script, put the call under `if __name__ == "__main__":`'
        ) from error
    return cluster
