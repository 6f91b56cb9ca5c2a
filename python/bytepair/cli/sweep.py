"""`bytepair sweep`: every vocabulary size of a tokenizer on a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bytepair.cli.failures import UsageFailure
from bytepair.cli.reports import each, report_options

if TYPE_CHECKING:
    from bytepair.measuring.shown import Shown
    from bytepair.tokenizer import Tokenizer


@click.command(
    "sweep",
    epilog="""\b
Examples:
  bytepair sweep -t tokenizer.json book.txt
  bytepair sweep -t tokenizer.json --width 384 book.txt
  bytepair sweep -t tokenizer.json bundled
  bytepair sweep -t cl100k_base en=en.txt ru=ru.txt --every --csv > sizes.csv

The first merges of a tokenizer are a smaller tokenizer; one pass over the text gives all of them. The table shows the
powers of two; -n picks others, --every takes all.""",
)
@click.option("--width", type=click.IntRange(min=1), metavar="N", help="The width of the embedding, to see its costs.")
@click.option(
    "-n",
    "--vocab-size",
    "sizes",
    type=click.IntRange(min=1),
    multiple=True,
    metavar="N",
    help="A vocabulary size to show.",
)
@click.option("--every", is_flag=True, help="Show every vocabulary size: a row for each merge.")
@report_options
def command(
    *, tokenizers: dict[str, Tokenizer], reading: dict[str, Any], width: int | None, sizes: tuple[int, ...], every: bool
) -> Shown:
    """Measure every vocabulary size from one pass."""
    import bytepair  # noqa: PLC0415

    if every and sizes:
        raise UsageFailure("both `--every` and `-n`", "give one of them")
    show: Any = "all" if every else sizes or None
    return each(tokenizers, lambda tok: bytepair.sweep(tok, width=width, show=show, **reading))
