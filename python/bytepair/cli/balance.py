"""Languages that take turns in `train`: the options that say so, and the `Balance` that they mean.

The idea: `--development en=en.txt` says it, once for each source; the other options are settings of it. `bundled` is
the declaration that comes with bytepair, for every source that bears the code of one of its languages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

from bytepair.cli.corpus import BUNDLED
from bytepair.cli.failures import UsageFailure

if TYPE_CHECKING:
    from bytepair.training.balance import Balance

__all__ = ["balance_of", "balance_options"]

_NAMED = re.compile(r"([^=]+)=(.*)", re.DOTALL)


def balance_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that let languages take turns."""
    added = (
        click.option(
            "--development",
            multiple=True,
            metavar="NAME=FILE",
            help="Let sources take turns: a file of lines that say the same for each, or `bundled`.",
        ),
        click.option("--classic", type=click.IntRange(min=0), metavar="N", help="All choose so many merges first."),
        click.option("--window", type=click.IntRange(min=1), metavar="N", help="Who chose many of the last N waits."),
        click.option(
            "--share", type=click.IntRange(min=1), metavar="N", help="How many equal parts are many.  [default: 2]"
        ),
    )
    for option in reversed(added):
        command = option(command)
    return command


def balance_of(
    development: tuple[str, ...],
    sources: Iterable[str] | None,
    *,
    classic: int | None,
    window: int | None,
    share: int | None,
) -> Balance | None:
    """What is asked for; `sources` are the names of what is trained on, as far as they are known."""
    settings = {"classic": classic, "window": window, "share": share}
    said: dict[str, Any] = {name: value for name, value in settings.items() if value is not None}
    if not development:
        if said:
            raise UsageFailure(
                f"`--{next(iter(said))}` without a development text",
                "give one for each source: `--development en=dev.en.txt --development ru=dev.ru.txt`",
            )
        return None
    from bytepair.training.balance import Balance  # noqa: PLC0415

    named: dict[str, Any] = {}
    for item in development:
        if item == BUNDLED:
            continue
        found = _NAMED.fullmatch(item)
        if found is None:
            raise UsageFailure(f"`--development {item}` does not say its source", f"write `--development en={item}`")
        name, path = found[1], found[2]
        if name in named:
            raise UsageFailure(f"`--development` names `{name}` twice", "give one file for each source")
        named[name] = path or None
    bundled = _declaration(sources) if BUNDLED in development else {}
    return Balance(bundled | named, **said)


def _declaration(sources: Iterable[str] | None) -> dict[str, Any]:
    """The declaration in the languages of the sources; a source of another name is left to the other options."""
    from bytepair import bundled_parallel  # noqa: PLC0415

    if sources is None:
        raise UsageFailure(
            "`--development bundled` needs the names of the sources", "name each: `--development en=dev.en.txt`"
        )
    texts = bundled_parallel()
    return {name: texts[name] for name in sources if name in texts}
