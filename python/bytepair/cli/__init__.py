"""The command line: `bytepair COMMAND`.

The idea: one file per command; each turns options into calls of the Python interface and its results into bytes on
stdout or blocks of `bytepair.render`. `app` gathers the commands and turns every failure into two lines and an exit
code. Nothing imports this package but the entry points, and it imports nothing heavy before a command needs it.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 done, 1 failed, 2 usage, 130 interrupted.

    `arguments` defaults to those of the process.
    """
    _occupy()
    try:
        from bytepair.cli import quick  # noqa: PLC0415 - so that Ctrl-C during the imports is quiet too

        given = list(sys.argv[1:] if arguments is None else arguments)
        if (code := quick.run(given)) is not None:
            return code
        from bytepair.cli.app import run  # noqa: PLC0415 - it imports click

        return run(given)
    except KeyboardInterrupt:
        return 130


def _occupy() -> None:
    """Puts the null device where stdin, stdout or stderr is closed, for this process and those that it starts.

    Or the next file that is opened would have the number of a stream, and what is written to stderr would be in it.
    From now on stderr is there; stdin and stdout stay None, so that who needs them says that they are closed.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # the lowest number that is free
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
