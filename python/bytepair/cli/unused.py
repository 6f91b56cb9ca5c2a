"""Options that the rest of a command line makes no use of: refused by their names, for who gives one expects something.

Cost: a look at where each value came from, which click knows.
"""

from __future__ import annotations

from collections.abc import Iterable

import click

from bytepair.cli.failures import UsageFailure

__all__ = ["is_given", "refuse"]

_DEFAULTS = (click.core.ParameterSource.DEFAULT, None)


def is_given(name: str) -> bool:
    """Whether the command line, or the file of `--config`, says a parameter of the command that runs."""
    return click.get_current_context().get_parameter_source(name) not in _DEFAULTS


def refuse(names: Iterable[str], why: str, hint: str) -> None:
    """Fails where one of these parameters is given, all of which are of no use.

    Args:
        names: as the function of the command calls them.
        why: what goes on after "is of no use", such as "with `--verify`".
        hint: what to do.

    Raises:
        UsageFailure: the first is named, and any others.
    """
    wanted = set(names)
    given = [
        f"`{max(one.opts, key=len)}`" if isinstance(one, click.Option) else f"`{one.name}`"
        for one in click.get_current_context().command.params
        if one.name in wanted and is_given(one.name)
    ]
    if given:
        *others, last = given
        said = f"{', '.join(others)} and {last} are" if others else f"{last} is"
        raise UsageFailure(f"{said} of no use {why}", hint)
