"""`bytepair sweep`: every vocabulary size of a tokenizer on a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

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
  bytepair sweep -t cl100k_base en=en.txt ru=ru.txt --csv > sizes.csv

The first merges of a tokenizer are a smaller tokenizer; one pass over the text gives all of them. The table shows the
powers of two; -n picks others.""",
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
@report_options
def command(
    *, tokenizers: dict[str, Tokenizer], reading: dict[str, Any], width: int | None, sizes: tuple[int, ...]
) -> Shown:
    """Measure every vocabulary size from one pass."""
    import bytepair  # noqa: PLC0415

    return each(tokenizers, lambda tok: bytepair.sweep(tok, width=width, show=sizes or None, **reading))
