"""The engine of Dask: a task an item, as many at a time as keep the workers busy.

The idea: a function may be as large as the tokenizer in it, so each worker is sent it once (`dask_worker`), one that is
started again too, and a task is no more than its item.
"""

from __future__ import annotations

import signal
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import resource_tracker
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from bytepair.data.arrow import imported
from bytepair.errors import EngineError
from bytepair.integers import processors
from bytepair.scale.engines.engine import Item
from bytepair.scale.engines.guarded import TRIES, Failed, Guarded, lost, unguarded
from bytepair.scale.engines.interrupts import put_off

if TYPE_CHECKING:
    from bytepair.scale.engines.dask_worker import Called, Holder

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
        if not items:
            return
        with self._held(Guarded(function)) as called:
            yield from self._mapped(called, items)

    @contextmanager
    def _held(self, guarded: Guarded[ItemT, ResultT]) -> Iterator[Called]:
        """Lets all workers hold a function; what calls it there."""
        from bytepair.scale.engines.dask_worker import Called, Holder  # noqa: PLC0415 - it needs Dask

        name = f"bytepair-{uuid.uuid4()}"
        try:  # the scheduler keeps what a worker could not take, too, and no new worker would start that cannot either
            self._give(Holder(guarded), name)
            yield Called(name)
        finally:
            with suppress(Exception):  # there is no Dask any more, or a worker never had it: an error says so
                self._client.unregister_worker_plugin(name)

    def _give(self, holder: Holder, name: str) -> None:
        for tried in range(1, TRIES + 1):
            try:
                self._client.register_plugin(holder, name)
                break
            except Exception as error:
                if isinstance(error, OSError) and tried < TRIES:
                    continue  # a worker was lost just now, and the scheduler did not know
                why = str(error).strip().rpartition("\n")[2]
                raise EngineError(
                    f"Dask's workers could not begin: {why}",
                    "install the same version of bytepair, and what it needs, on all workers",
                ) from error

    def _mapped(self, called: Called, items: Sequence[ItemT]) -> Iterator[tuple[int, ResultT]]:
        waiting, running = iter(range(len(items))), dict[Any, int]()
        suspects = list[int]()  # Dask blames all that a lost worker had before it, so at the end each is tried alone
        # With more than there are workers, none waits for the driver.
        most = self._most or 2 * sum(self._client.nthreads().values()) or 1
        finished = self._distributed.as_completed(loop=self._client.loop)

        def give(number: int | None, *, alone: bool = False) -> None:
            if number is not None:
                future = self._client.submit(called, items[number], key=f"{called.name}-{number}{'-alone' * alone}")
                running[future] = number
                finished.add(future)

        for _ in range(most):
            give(next(waiting, None))
        is_alone = False
        try:
            for future in finished:
                number, given = running.pop(future), list[ResultT | Failed]()
                try:
                    given.append(future.result())
                except self._distributed.KilledWorker as error:
                    if is_alone:
                        raise lost(items[number], f"with {type(error).__name__}") from error
                    suspects.append(number)
                except CancelledError as error:  # the scheduler is gone, or somebody has cancelled what it had
                    why = " ".join(str(error).split())
                    raise EngineError(f"Dask has given the job up: {why}", "see what Dask has logged") from error
                future.release()
                give(next(waiting, None))
                if not running and suspects:
                    is_alone = True
                    give(suspects.pop(), alone=True)
                for result in given:
                    yield number, unguarded(items[number], result)
        finally:
            self._client.cancel(list(running), force=True)


def _started(distributed: Any, workers: int) -> Any:  # noqa: ANN401 - Dask's
    cluster = None
    if hasattr(signal, "pthread_sigmask"):
        resource_tracker.ensure_running()  # or its start would let Ctrl-C through to the workers
    try:
        with put_off():
            cluster = distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs="CRITICAL"
            )
    except BaseException as error:
        if cluster is not None:  # it was interrupted
            cluster.close()
            raise
        if not isinstance(error, RuntimeError):
            raise
        # each of its processes runs the caller's script again
        why = " ".join(str(error).split())
        raise EngineError(
            f"Dask cannot start its workers: {why}", 'in a script, put the call under `if __name__ == "__main__":`'
        ) from error
    return cluster
