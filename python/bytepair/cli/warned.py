"""Warnings in the form that failures have: `warning:` and `hint:`.

The idea: what the package warns of is gathered while something runs and told when it is over; or, in work that takes
long, told at once, when the progress bar has been taken away. Warnings of others go where they would have gone.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from bytepair.cli import output
from bytepair.cli.failures import one_line


@contextmanager
def told(pause: Callable[[], None] | None = None) -> Iterator[None]:
    """Tell the package's own warnings of the block on stderr: at its end, however it ends.

    Args:
        pause: takes a progress bar away; where it is given, each warning is told at once.
    """
    caught: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=pause is None) as recorded:
            warnings.filterwarnings("always", category=UserWarning)
            if recorded is not None:
                caught = recorded
            elif pause is not None:
                warnings.showwarning = _at_once(pause)
            yield
    finally:
        tell(caught)


def _at_once(pause: Callable[[], None]) -> Callable[..., None]:
    """What Python calls with a warning."""
    elsewhere = warnings.showwarning

    def show(message: Warning, category: type[Warning], filename: str, lineno: int, *rest: Any) -> None:  # noqa: ANN401
        if _is_ours(category):
            pause()
            _tell(message)
        else:
            elsewhere(message, category, filename, lineno, *rest)

    return show


def tell(caught: Iterable[warnings.WarningMessage]) -> None:
    """Tell what was warned of."""
    for warning in caught:
        if _is_ours(warning.category):
            _tell(warning.message)
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


def _is_ours(category: type[Warning]) -> bool:
    return category.__module__.partition(".")[0] == "bytepair"


def _tell(message: Warning | str) -> None:
    what, _, hint = str(message).partition("\nhint: ")
    output.note(f"warning: {one_line(what)}" + (f"\nhint: {one_line(hint)}" if hint else ""))
