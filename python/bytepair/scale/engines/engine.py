"""What an engine is, and how one is opened by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Literal, Protocol, TypeVar, get_args

from bytepair.integers import processors

__all__ = ["Engine", "EngineName", "Item", "opened"]

EngineName = Literal["local", "ray", "spark", "dask"]


class Item(Protocol):
    """What is worked on by itself, in some process somewhere; it can be pickled."""

    @property
    def name(self) -> str:
        """What it is called in an error: the file that it is, or is a part of."""


ItemT = TypeVar("ItemT", bound=Item)
ResultT = TypeVar("ResultT")


class Engine(Protocol):
    """Where items are worked on."""

    def map(self, function: Callable[[ItemT], ResultT], items: Sequence[ItemT]) -> Iterator[tuple[int, ResultT]]:
        """The number of each item and what the function makes of it, as they are done, in no order.

        A worker that is lost (killed, out of memory) loses its item, which is worked on again, a few times; so the
        function may be called several times for one item, and must not mind.

        Args:
            function: it can be pickled, and so can what it gives; neither should be large.
            items: what it is called with.

        Raises:
            EngineError: the workers of an item were lost again and again; the engine cannot be used.
            What the function raised, with the name of the item.
        """


def opened(
    name: EngineName, *, workers: int | None = None, address: str | None = None
) -> AbstractContextManager[Engine]:
    """An engine, which at the end of the block gives back what it took.

    Args:
        name: which one: "local", "ray", "spark" or "dask".
        workers: how many items are worked on at one time; None for as many as there are processors, or as the cluster
            at `address` has.
        address: a cluster that runs: Ray's `ray://host:10001` or `auto`, Spark's `spark://host:7077`, Dask's
            `tcp://host:8786`. None for processes of this machine.

    Raises:
        ImportError: the engine is not installed.
        EngineError: it cannot be reached.
        ValueError: it is none of those above, or `local` with an address.

    >>> import operator
    >>> from bytepair.scale.engines import opened
    >>> with opened("local", workers=1) as engine:
    ...     list(engine.map(operator.attrgetter("name"), []))
    []
    """
    if name not in get_args(EngineName):
        names = ", ".join(f'"{known}"' for known in get_args(EngineName))
        raise ValueError(f"engine is {name!r}\nhint: it is one of {names}")
    number = processors(workers, "workers")
    if name == "local":
        if address is not None:
            raise ValueError(f'address is {address!r}, but engine="local" is this machine\nhint: leave address= out')
        from bytepair.scale.engines.local import Local  # noqa: PLC0415 - each engine is loaded when it is asked for

        return Local(number)
    if name == "ray":
        from bytepair.scale.engines.on_ray import Ray  # noqa: PLC0415

        return Ray(workers, address)
    if name == "spark":
        from bytepair.scale.engines.on_spark import Spark  # noqa: PLC0415

        return Spark(workers, address)
    from bytepair.scale.engines.on_dask import Dask  # noqa: PLC0415

    return Dask(workers, address)
