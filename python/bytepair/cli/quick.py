"""`bytepair count -t TOKENIZER [--pattern PATTERN] -f FILE`, the line that scripts run, without click.

The idea: importing click takes longer than loading a vocabulary and counting a megabyte. So this line, in its plainest
spelling, is read here; whatever else is in it, the answer is None, and `app` runs the command. Cost: what the tokenizer
costs, and no more.

The invariant: what is answered here, `bytepair.cli.count` would answer with the same bytes and the same exit code.
"""

from __future__ import annotations

import os
import sys
import warnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from bytepair.tokenizer import Tokenizer

__all__ = ["run"]

PART = 4 << 20
"""The bytes of a file that are read at a time."""

_OPTIONS = {"-t": "tokenizer", "--tokenizer": "tokenizer", "--pattern": "pattern", "-f": "file", "--file": "file"}


def run(arguments: Sequence[str]) -> int | None:
    """The exit code of the command; None if it is not for here, and nothing was done."""
    given = _given(arguments)
    if given is None or "_BYTEPAIR_COMPLETE" in os.environ or sys.stdout is None:
        return None
    caught: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            number = _count(_load(**given), given["file"])
        sys.stdout.buffer.write(b"%d\n" % number)
        sys.stdout.buffer.flush()
    except BaseException as error:  # noqa: BLE001 - all of them end there
        from bytepair.cli.app import failed  # noqa: PLC0415 - it imports click

        return failed(error, caught)
    if caught:
        from bytepair.cli.warned import tell  # noqa: PLC0415

        tell(caught)
    return 0


def _given(arguments: Sequence[str]) -> dict[str, str] | None:
    """The values of the options by name; None for any other line."""
    if len(arguments) % 2 == 0 or arguments[0] != "count":
        return None
    given: dict[str, str] = {}
    for option, value in zip(arguments[1::2], arguments[2::2], strict=True):
        name = _OPTIONS.get(option)
        if name is None or name in given or not value or value.startswith("-"):
            return None
        given[name] = value
    return given if "tokenizer" in given and "file" in given else None


def _load(tokenizer: str, pattern: str | None = None, **_: str) -> Tokenizer:
    import bytepair  # noqa: PLC0415 - so that Ctrl-C meanwhile is told

    if pattern is None:
        return bytepair.load(tokenizer)
    return bytepair.load(tokenizer, pattern=None if pattern.lower() == "none" else pattern)


def _count(tok: Tokenizer, name: str) -> int:
    with open(name, "rb", buffering=0) as file:  # noqa: PTH123 - a name may hold any bytes
        counter, part = None, file.read(PART)
        while more := file.read(PART):
            counter = counter or tok.counter()
            counter.append(part)
            part = more
    if counter is None:
        return tok.count(part)  # a text in one part is not copied
    counter.append(part)
    return counter.count
