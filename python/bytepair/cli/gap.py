"""`bytepair gap`: how far merging is from the fewest tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bytepair.cli.reports import each, report_options

if TYPE_CHECKING:
    from bytepair.measuring.shown import Shown
    from bytepair.tokenizer import Tokenizer


@click.command(
    "gap",
    epilog="""\b
Examples:
  bytepair gap -t tokenizer.json book.txt
  bytepair gap -t tokenizer.json --examples 30 bundled:en
  bytepair gap -t cl100k_base -t o200k_base book.txt --json

Merging takes the pair that was most frequent in training, which may leave more tokens than the vocabulary allows.
--csv has a row for each total and example (`kind`), --json the same by kind.""",
)
@click.option(
    "--examples", type=click.IntRange(min=0), default=10, show_default=True, metavar="N", help="How many examples."
)
@report_options
def command(*, tokenizers: dict[str, Tokenizer], reading: dict[str, Any], examples: int) -> Shown:
    """Compare with the fewest tokens that the vocabulary allows."""
    import bytepair  # noqa: PLC0415

    return each(tokenizers, lambda tok: bytepair.gap_to_optimal(tok, examples=examples, **reading))
