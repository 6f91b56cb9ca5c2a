"""`--allow-special`: which special tokens in a text become their ids. Left out: none, they are text like any other.

The idea: the value is optional and attached, `--allow-special=NAME`, so that `--allow-special TEXT` takes TEXT as a
text; the word `all` may follow with a space.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from bytepair.cli.failures import UsageFailure

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer

_OPTION = "--allow-special"


class SpecialsCommand(click.Command):
    """A command whose `--allow-special` may stand without a value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give the bare option its value before click reads it."""
        end = args.index("--") if "--" in args else len(args)
        attached: list[str] = []
        for index, argument in enumerate(args):
            if index < end and argument == _OPTION:
                attached.append(f"{_OPTION}=all")
            elif not (0 < index < end and argument == "all" and args[index - 1] == _OPTION):
                attached.append(argument)
        return super().parse_args(ctx, attached)


def specials_option(command: Callable[..., None]) -> Callable[..., None]:
    """Give `command`, which gets `tok`, the option; it gets `allowed` as the Python interface takes it."""

    @wraps(command)
    def allowing(*, allow_special: tuple[str, ...], tok: Tokenizer, **others: Any) -> None:  # noqa: ANN401
        command(tok=tok, allowed=_allowed(tok, allow_special), **others)

    return click.option(
        _OPTION,
        multiple=True,
        metavar="[=NAME]",
        help="Turn special tokens in the text into their ids: all, or (repeated) the ones named.",
    )(allowing)


def _allowed(tok: Tokenizer, names: tuple[str, ...]) -> Any:  # noqa: ANN401 - a set or "all"
    if "all" in names:
        return "all"
    for name in names:
        if name not in tok.special_tokens:
            known = ", ".join(f"`{token}`" for token in list(tok.special_tokens)[:5]) or "none"
            raise UsageFailure(f"`{name}` is no special token of this tokenizer", f"it has: {known}")
    return frozenset(names)
