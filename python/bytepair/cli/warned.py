"""Warnings in the form that failures have: `warning:` and `hint:`.

The idea: what the package warns of is gathered while something runs and told when it is over, so that it does not fall
into a progress bar. Warnings of others go where they would have gone.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from bytepair.cli import output
from bytepair.cli.failures import one_line


@contextmanager
def told() -> Iterator[None]:
    """Tell the package's own warnings of the block on stderr at its end, however it ends."""
    caught: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.filterwarnings("always", category=UserWarning)
            yield
    finally:
        tell(caught)


def tell(caught: Iterable[warnings.WarningMessage]) -> None:
    """Tell what was warned of."""
    for warning in caught:
        if warning.category.__module__.partition(".")[0] == "bytepair":
            what, _, hint = str(warning.message).partition("\nhint: ")
            output.note(f"warning: {one_line(what)}" + (f"\nhint: {one_line(hint)}" if hint else ""))
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
