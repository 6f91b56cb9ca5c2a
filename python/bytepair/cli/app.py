"""The `bytepair` command: its subcommands, loaded when needed, and the one place where failures end.

The invariant: whatever happens, stderr gets two lines, `error:` and `hint:`, and the exit code says which kind it was.
A reader that went away (`| head -1`) is no failure.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import click

from bytepair.cli import output
from bytepair.cli.failures import Failure, UsageFailure, failure_of
from bytepair.cli.warned import tell, told

if TYPE_CHECKING:
    from warnings import WarningMessage

COMMANDS = (
    "demo",
    "train",
    "pretokens",
    "shard",
    "encode",
    "decode",
    "count",
    "split",
    "explain",
    "steps",
    "vocab",
    "info",
    "measure",
    "sweep",
    "zipf",
    "kinds",
    "oddities",
    "tax",
    "compare",
    "gap",
    "baselines",
    "loss",
    "audit",
    "report",
    "play",
    "convert",
    "edit",
    "fetch",
)
_COMPLETE = "_BYTEPAIR_COMPLETE"


class App(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names, in the order in which somebody new meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command, from the file of its name."""
        if cmd_name not in COMMANDS:
            return None
        return cast("click.Command", import_module(f"bytepair.cli.{cmd_name}").command)

    def main(self, args: Sequence[str] | None = None, *_: Any, **__: Any) -> Any:  # noqa: ANN401
        """Run as a process does; `click.testing` comes in here."""
        sys.exit(run(list(sys.argv[1:] if args is None else args)))


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415

        output.write(f"bytepair {version('bytepair')}\n".encode())
        ctx.exit()


@click.command(
    cls=App,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
Examples:
  bytepair demo
  bytepair train book.txt -n 4096 -o tokenizer.json
  echo 'hello world' | bytepair count -t tokenizer.json
  bytepair explain -t tokenizer.json strawberry

Texts are UTF-8 and come from arguments, from files (-f) or from stdin. Data goes to stdout, everything else to stderr.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 a conversion that would lose something, 130 interrupted.""",
)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version.")
@click.pass_context
def app(context: click.Context) -> None:
    """Train, run and explain byte-pair tokenizers."""
    if context.invoked_subcommand is None:
        raise UsageFailure("no command given", "see `bytepair --help`")


def run(arguments: list[str]) -> int:
    """Run with `arguments` and return the exit code."""
    try:
        code = _run(arguments)
        output.flush()
    except BaseException as error:  # noqa: BLE001 - this is where all of them end
        return failed(error)
    return code


def failed(error: BaseException, caught: Sequence[WarningMessage] = ()) -> int:
    """Tell of a failure, and of what was warned of before it, and return the exit code."""
    tell(caught)
    if isinstance(error, BrokenPipeError):
        output.abandon()
        return 0
    failure = failure_of(error)
    _report(failure)
    return failure.code


def _run(arguments: list[str]) -> int:
    if instruction := os.environ.get(_COMPLETE):
        from click.shell_completion import shell_complete  # noqa: PLC0415

        code = shell_complete(app, {}, "bytepair", _COMPLETE, instruction)
        if code:
            raise UsageFailure(f"`{_COMPLETE}={instruction}` is no request that is known", f"unset {_COMPLETE}")
        return code
    try:
        with told(), app.make_context("bytepair", arguments) as context:
            app.invoke(context)
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    return 0


def _report(failure: Failure) -> None:
    try:
        output.flush()
    except OSError:
        output.abandon()
    output.note(f"error: {failure.what}\nhint: {failure.hint}")
