"""The engine of this machine: processes, each fed through a pipe by a thread of the driver.

The idea: a worker is a new Python (`worker`), not a copy of this process, so that no lock or thread is copied, and not
`multiprocessing`, which would run the caller's script again. An item is given out when a worker is free. A worker that
is lost loses one item: that worker is started again, and the others go on.

Invariant: a worker has at most one item; it ends when its pipe does, so none outlives the driver.
"""

from __future__ import annotations

import contextlib
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

from bytepair.scale.engines.engine import Item
from bytepair.scale.engines.guarded import TRIES, Failed, Guarded, lost, unguarded
from bytepair.scale.engines.interrupts import not_for_children

__all__ = ["Local"]

ItemT = TypeVar("ItemT", bound=Item)
ResultT = TypeVar("ResultT")

_START = (
    "import sys, pickle; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from bytepair.scale.engines.worker import serve; serve()"
)


class Local:
    """Processes of this machine; they are started when they are needed, and end with the block."""

    def __init__(self, workers: int) -> None:
        self._workers = [_Worker() for _ in range(workers)]

    def __enter__(self) -> Self:
        """The engine."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends the processes."""
        for worker in self._workers:
            worker.end()

    def map(self, function: Callable[[ItemT], ResultT], items: Sequence[ItemT]) -> Iterator[tuple[int, ResultT]]:
        """See `Engine.map`."""
        sent = pickle.dumps(Guarded(function))
        waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
        done: queue.SimpleQueue[tuple[int, ResultT | Failed]] = queue.SimpleQueue()
        for number in range(len(items)):
            waiting.put(number)
        threads = [
            threading.Thread(target=worker.feed, args=(sent, items, waiting, done), daemon=True)
            for worker in self._workers[: len(items)]
        ]
        for thread in threads:
            thread.start()
        is_whole = False
        try:
            for _ in items:
                number, result = done.get()
                yield number, unguarded(items[number], result)
            is_whole = True
        finally:
            if not is_whole:  # what is being worked on is of no use any more
                for worker in self._workers:
                    worker.end()
            for thread in threads:
                thread.join()
            for worker in self._workers:
                worker.is_ended = False


class _EndedError(BaseException):
    """The worker was ended by the driver."""


class _Worker:
    """A process, started when there is something to do, and again when it is lost."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._function: bytes | None = None
        """What the process has been sent: a function is sent once."""
        self.is_ended = False
        """Whether the driver has ended it: then it does not start again."""

    def feed(
        self,
        function: bytes,
        items: Sequence[ItemT],
        waiting: queue.SimpleQueue[int],
        done: queue.SimpleQueue[tuple[int, ResultT | Failed]],
    ) -> None:
        """Gives the process one waiting item after the other, until there is none."""
        with contextlib.suppress(queue.Empty, _EndedError):
            while True:
                number = waiting.get_nowait()
                try:
                    done.put((number, self._worked(function, items[number])))
                except Exception as error:  # noqa: BLE001 - the driver raises it
                    done.put((number, Failed(error)))

    def _worked(self, function: bytes, item: Item) -> Any:  # noqa: ANN401 - what the function gives, or `Failed`
        """What the process makes of an item.

        Raises:
            EngineError: it was lost each time.
            _EndedError: the driver has ended it.
        """
        content = pickle.dumps(item)
        how = ""
        for _ in range(TRIES):
            process = self._started()
            try:
                assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018 - they are pipes
                pickle.dump((None if self._function is function else function, content), process.stdin)
                process.stdin.flush()
                self._function = function
                return pickle.load(process.stdout)  # noqa: S301 - our own process
            except (EOFError, OSError, pickle.UnpicklingError):
                how = _said(self._reaped(process))
        raise lost(item, how)

    def end(self) -> None:
        """Ends the process, whatever it does."""
        with self._lock:
            self.is_ended = True
            if self._process is not None:
                self._process.kill()
                self._reaped(self._process)

    def _started(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self.is_ended:
                raise _EndedError
            if self._process is None:
                command = [sys.executable, "-P", "-c", _START]
                errors = subprocess.DEVNULL if sys.stderr is None else None  # a worker always has one
                with not_for_children():  # it is for the driver, which ends its workers
                    self._process = subprocess.Popen(
                        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
                    )
                assert self._process.stdin is not None  # noqa: S101 - it is a pipe
                self._process.stdin.write(pickle.dumps(sys.path))
            return self._process

    def _reaped(self, process: subprocess.Popen[bytes]) -> int:
        """The status with which a process ends."""
        process.kill()  # one that lives on, but has closed its pipe or sent what is no answer
        status = process.wait()
        self._process = self._function = None
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):  # what was to be written goes nowhere
                    pipe.close()
        return status


def _said(status: int) -> str:
    if status >= 0:
        return f"with status {status}"
    try:
        return f"by {signal.Signals(-status).name}"
    except ValueError:
        return f"by signal {-status}"
