"""What every engine runs in place of the function itself: an exception becomes a result, and at the driver an error.

So an engine sees only the failures that are its own: those of workers that are lost. What a function raises would be
raised again, and says what is wrong with an item; at the driver it is raised as it was, with the item's name.
"""

from __future__ import annotations

import errno
import pickle
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from bytepair import __version__
from bytepair.data.places import is_of_library
from bytepair.errors import BytepairError, EngineError
from bytepair.scale.engines.engine import Item

__all__ = ["TRIES", "Failed", "Guarded", "lost", "portable", "unguarded"]

_AGAIN = "try again: what is done is not done again"
TRIES = 4
"""How often an item is tried whose workers are lost."""

ItemT = TypeVar("ItemT", bound=Item)
ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class Failed:
    """What the function raised."""

    error: Exception


@dataclass(frozen=True)
class Guarded(Generic[ItemT, ResultT]):
    """The function, whose exceptions are results."""

    function: Callable[[ItemT], ResultT]
    version: str = __version__
    """Of the driver's package: another one might count in another way."""

    def __call__(self, item: ItemT) -> ResultT | Failed:
        """What the function makes of the item, or what it raises."""
        try:
            if self.version != __version__:
                raise EngineError(  # noqa: TRY301 - it is what becomes a result
                    f"a worker has bytepair {__version__}, and the driver {self.version}",
                    "install the same version everywhere",
                )
            return self.function(item)
        except Exception as error:  # noqa: BLE001 - the driver raises it
            return Failed(portable(error))


def unguarded(item: Item, result: ResultT | Failed) -> ResultT:
    """The result, if there is one.

    Raises:
        What the function raised, with the name of the item.
    """
    if isinstance(result, Failed):
        error = _named(item.name, result.error)
        if isinstance(error, BytepairError):
            error.place = error.place or item.name
        raise error
    return result


def lost(item: Item, how: str) -> EngineError:
    """The error for an item whose workers were lost again and again."""
    return EngineError(
        f"`{item.name}`: its worker was lost {TRIES} times, the last time {how}",
        "most often memory was too little: take fewer workers; what is done is not done again",
    )


def portable(error: Exception) -> Exception:
    """The error, if it can travel, or else one that says the same."""
    if not isinstance(error, (BytepairError, OSError, ImportError, MemoryError)):
        note = "".join(traceback.format_exception(error))
        if is_of_library(error):
            error = EngineError(f"{type(error).__name__}: {' '.join(str(error).split())}", _AGAIN)
        error.add_note(note)  # it stays behind, but a defect needs it
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    except Exception:  # noqa: BLE001 - whatever its class does
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _named(name: str, error: Exception) -> Exception:
    """The error with the item's name, if it does not bear one: see `BytepairError.place`, and `OSError.filename`."""
    if isinstance(error, BytepairError):
        return error if error.place else type(error)(f"`{name}`: {error.message}", error.hint)
    if isinstance(error, OSError):
        return _of_system(name, error)
    if isinstance(error, MemoryError):
        return EngineError(f"`{name}`: not enough memory", "take fewer workers, or cut the file into smaller ones")
    error.add_note(f"while working on `{name}`")
    return error


def _of_system(name: str, error: OSError) -> Exception:
    if error.errno is None or isinstance(error, ConnectionError):  # a broken pipe there is none of the driver's stdout
        what, _, hint = (error.strerror or str(error)).partition("\nhint: ")
        return EngineError(f"`{name}`: {' '.join(what.split())}", " ".join(hint.split()) or _AGAIN)
    if error.filename == name:
        return error
    if error.filename is None:
        return OSError(error.errno, error.strerror, name)
    why = str(error.strerror)
    what = f"{why[:1].lower()}{why[1:]}: `{error.filename}`"  # one that it was to write
    do = "make room there" if error.errno in {errno.ENOSPC, errno.EDQUOT} else "see what is wrong there"
    return EngineError(f"`{name}`: {what}", f"{do}, and {_AGAIN}")
