"""How texts are encoded: `--allow-special` and `--unknown`.

The idea: special tokens in a text are text like any other unless they are allowed. The option's value is optional and
attached, `--allow-special=NAME`, so that `--allow-special TEXT` takes TEXT as a text; the word `all` may follow with a
space.
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


class EncodingCommand(click.Command):
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


def encoding_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give `command`, which gets `tok`, the options of encoding; it gets them as keywords for `tok`, as `settings`."""

    @wraps(command)
    def settled(*, allow_special: tuple[str, ...], unknown: str, tok: Tokenizer, **others: Any) -> None:  # noqa: ANN401
        settings = {"allowed_special": _allowed(tok, allow_special), "unknown": unknown}
        command(tok=tok, settings=settings, **others)

    settled = click.option(
        "--unknown",
        type=click.Choice(["raise", "unk", "skip"]),
        default="raise",
        show_default=True,
        help="What to do with a character that the vocabulary lacks; with bytes there is none.",
    )(settled)
    return click.option(
        _OPTION,
        multiple=True,
        metavar="[=NAME]",
        help="Turn special tokens in the text into their ids: all, or (repeated) the ones named.",
    )(settled)


def _allowed(tok: Tokenizer, names: tuple[str, ...]) -> Any:  # noqa: ANN401 - a set or "all"
    if "all" in names:
        return "all"
    specials = tok.special_tokens if names else {}
    for name in names:
        if name not in specials:
            known = ", ".join(f"`{token}`" for token in list(specials)[:5]) or "none"
            raise UsageFailure(f"`{name}` is no special token of this tokenizer", f"it has: {known}")
    return frozenset(names)
