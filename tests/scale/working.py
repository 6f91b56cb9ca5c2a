"""What the tests let workers do."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from bytepair.errors import TextError

__all__ = ["Large", "Task", "work"]


@dataclass(frozen=True)
class Task:
    """An item."""

    name: str
    does: str = "nothing"
    """What happens to who works on it."""
    mark: str = ""
    """A file that says that it has happened."""


class Large:
    """The same function as `work`, which knows how often it was packed to be sent."""

    packed = 0

    def __reduce__(self) -> tuple[type[Large], tuple[()]]:
        Large.packed += 1
        return Large, ()

    def __call__(self, task: Task) -> str:
        return work(task)


class _OddError(Exception):
    """It cannot be unpickled."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"odd {one} {two}")


def work(task: Task) -> str:  # noqa: C901, PLR0912 - a list of cases
    """Does it."""
    match task.does:
        case "text error":
            raise TextError("line 3 is no JSON", "mend it")
        case "system error":
            raise OSError(5, "Input/output error")
        case "full disk":
            raise OSError(28, "No space left on device", "out/x.bin")
        case "broken pipe":
            raise BrokenPipeError(32, "Broken pipe")
        case "gone":
            raise FileNotFoundError("there is no file `x`\nhint: check the path")
        case "library error":
            raise OSError("AWS Error NETWORK_CONNECTION\nduring GetObject")
        case "placed error":
            error = TextError("file `x`, line 3 is no JSON", "mend it")
            error.place = "x"
            raise error
        case "own file":
            raise PermissionError(13, "Permission denied", task.name)
        case "other file":
            raise PermissionError(13, "Permission denied", "/out/1")
        case "defect":
            return task.name + 3  # type: ignore[operator, no-any-return]
        case "odd error":
            raise _OddError(1, 2)
        case "odd defect":
            raise type("OddDefect", (_OddError,), {"__module__": "bytepair"})(1, 2)
        case "odd result":
            return lambda: 0  # type: ignore[return-value]
        case "prints":
            print("something")  # noqa: T201
        case "sleeps":
            time.sleep(60)
        case "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        case "dies once" if not Path(task.mark).exists():
            Path(task.mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return task.name.upper()
