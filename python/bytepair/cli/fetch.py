"""`bytepair fetch`: the one command that touches a network, and only this one."""

from __future__ import annotations

import click

from bytepair.cli import output
from bytepair.cli.failures import UsageFailure


@click.command(
    "fetch",
    epilog="""\b
Examples:
  bytepair fetch cl100k_base o200k_base
  bytepair fetch cl100k_base --from https://example.com/cl100k.tiktoken
  bytepair count -t cl100k_base 'hello world'

The files go into the folder BYTEPAIR_HOME, or one in the platform's cache, and are taken only with the published hash.
What is there already is not fetched again.""",
)
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@click.option("--from", "source", metavar="URL", help="Another address than the published one; for one NAME.")
def command(*, names: tuple[str, ...], source: str | None) -> None:
    """Fetch the files of published tokenizers."""
    from bytepair.getting import fetch  # noqa: PLC0415

    if source is not None and len(names) > 1:
        raise UsageFailure(f"`--from` with {len(names)} names", "an address is that of one file: name one")
    for name in names:
        output.write_line(str(fetch(name, source)))
