"""The engine of Spark: an item is a partition of one RDD; it needs Java.

The idea: the job runs in a thread, and an accumulator brings each result as soon as its task is done; Spark adds up
what an action accumulates once for each partition, however often that was tried.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TypeVar

from bytepair.data.arrow import imported
from bytepair.errors import EngineError
from bytepair.integers import processors
from bytepair.scale.engines.engine import Item
from bytepair.scale.engines.guarded import TRIES, Guarded, lost, unguarded
from bytepair.scale.engines.interrupts import put_off

__all__ = ["Spark"]

ItemT = TypeVar("ItemT", bound=Item)
ResultT = TypeVar("ResultT")

_POLL = 0.05
"""Seconds between two looks for results."""
_LOST = re.compile(r"Task (\d+) in stage \S+ failed \d+ times")


class Spark:
    """The Spark of this process, if it has one; else one that is joined by its address, or one of this machine."""

    def __init__(self, workers: int | None, address: str | None) -> None:
        pyspark = imported("pyspark", 'engine="spark"', "'bytepair[spark]'")
        self._pyspark = pyspark
        active = pyspark.SparkContext._active_spark_context  # noqa: SLF001 - there is no other way to ask
        self._is_ours = active is None
        self._context = active if active is not None else _started(pyspark, workers, address)

    def __enter__(self) -> Self:
        """The engine."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends the Spark that was begun here."""
        if self._is_ours:
            _stop(self._context)

    def map(self, function: Callable[[ItemT], ResultT], items: Sequence[ItemT]) -> Iterator[tuple[int, ResultT]]:
        """See `Engine.map`."""
        if not items:
            return
        context = self._context
        try:
            shared = context.broadcast(Guarded(function))
        except (imported("py4j.protocol", 'engine="spark"', "'bytepair[spark]'").Py4JError, OSError) as error:
            raise _failure(error, items) from error
        results = context.accumulator([], _results(self._pyspark))
        group = f"bytepair-{uuid.uuid4()}"

        def run() -> None:
            context.setJobGroup(group, "bytepair", interruptOnCancel=True)
            numbered = context.parallelize(list(enumerate(items)), len(items))
            numbered.foreach(lambda pair: results.add([(pair[0], shared.value(pair[1]))]))

        given = 0
        with ThreadPoolExecutor(1) as thread:
            job = thread.submit(run)
            try:
                while given < len(items):
                    is_over = bool(wait([job], _POLL).done)
                    for number, result in results.value[given:]:
                        given += 1
                        yield number, unguarded(items[number], result)
                    if is_over and given < len(items):
                        raise _failure(job.exception(), items)
            finally:
                with suppress(Exception):  # of a Spark that has ended; an error that says so is on its way
                    context.cancelJobGroup(group)


def _stop(context: Any) -> None:  # noqa: ANN401 - pyspark's
    """Ends a Spark. One whose Java is gone says only that, and is ended on this side, or the next job would take it."""
    try:
        context.stop()
    except OSError:
        context.stop()  # which does not ask Java a second time
        type(context)._gateway = type(context)._jvm = None  # noqa: SLF001 - so that the next one starts another Java


def _started(pyspark: Any, workers: int | None, address: str | None) -> Any:  # noqa: ANN401 - pyspark's
    if "JAVA_HOME" not in os.environ and shutil.which("java") is None:
        raise EngineError('engine="spark" needs Java, which is not on the PATH', "install Java 17, or set JAVA_HOME")
    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "OFF"}
    if address is None:
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
        settings["spark.executorEnv.PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    elif workers is not None:
        settings["spark.cores.max"] = str(workers)
    master = address or f"local[{processors(workers)},{TRIES}]"
    configuration = pyspark.SparkConf().setMaster(master).setAppName("bytepair").setAll(settings.items())
    context = None
    try:
        with put_off():
            context = pyspark.SparkContext(conf=configuration)
    except BaseException as error:
        if context is not None:  # it was interrupted
            context.stop()
            raise
        if not isinstance(error, Exception):
            raise
        why = " ".join(str(error).split())[:200]
        raise EngineError(f"Spark at `{master}` cannot be reached: {why}", "check address= and Java") from error
    return context


def _results(pyspark: Any) -> Any:  # noqa: ANN401 - pyspark's
    """How results are added up: one list after the other."""

    class Results(pyspark.AccumulatorParam):  # type: ignore[misc]
        def zero(self, value: list[Any]) -> list[Any]:
            return value[:0]

        def addInPlace(self, value1: list[Any], value2: list[Any]) -> list[Any]:  # noqa: N802 - Spark's name
            value1 += value2
            return value1

    return Results()


def _failure(error: BaseException | None, items: Sequence[Item]) -> Exception:
    """The error for a job that Spark has given up."""
    found = _LOST.search(str(error))
    if found is not None:
        return lost(items[int(found[1])], "as Spark says")
    why = " ".join(str(error).split())[:200]
    return EngineError(f"Spark has given the job up: {why}", "see what Spark has logged")
