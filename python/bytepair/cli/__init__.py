"""The command line: `bytepair COMMAND`.

The idea: one file per command; each turns options into calls of the Python interface and its results into bytes on
stdout or blocks of `bytepair.render`. `app` gathers the commands and turns every failure into two lines and an exit
code. Nothing imports this package but the entry points, and it imports nothing heavy before a command needs it.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 done, 1 failed, 2 usage, 130 interrupted.

    `arguments` defaults to those of the process.
    """
    try:
        from bytepair.cli import quick  # noqa: PLC0415 - so that Ctrl-C during the imports is quiet too

        given = list(sys.argv[1:] if arguments is None else arguments)
        if (code := quick.run(given)) is not None:
            return code
        from bytepair.cli.app import run  # noqa: PLC0415 - it imports click

        return run(given)
    except KeyboardInterrupt:
        return 130
