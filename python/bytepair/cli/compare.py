"""`bytepair compare`: where two tokenizers cut a text differently."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bytepair.cli.reports import only, report_options

if TYPE_CHECKING:
    from bytepair.measuring.comparing import Comparison
    from bytepair.tokenizer import Tokenizer


@click.command(
    "compare",
    epilog="""\b
Examples:
  bytepair compare -t old=v1.json -t new=v2.json book.txt
  bytepair compare -t gpt2 -t o200k_base --examples 20 book.txt
  bytepair compare -t v1.json -t v2.json --json book.txt

A stretch is a piece of text, as short as it can be, that the two cut differently and at whose ends both cut.
--csv has a row for each total, stretch and token (`kind`), --json the same by kind.""",
)
@click.option(
    "--examples",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    metavar="N",
    help="How many examples of everything.",
)
@report_options
def command(*, tokenizers: dict[str, Tokenizer], reading: dict[str, Any], examples: int) -> Comparison:
    """Compare how two tokenizers cut a text."""
    import bytepair  # noqa: PLC0415

    first, second = only(tokenizers, 2, "bytepair compare -t old=v1.json -t new=v2.json book.txt")
    one, other = tokenizers
    return bytepair.compare(first, second, names=(one, other), examples=examples, **reading)
