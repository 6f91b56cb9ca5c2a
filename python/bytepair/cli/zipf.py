"""`bytepair zipf`: the tokens of a text by rank, and how much of the vocabulary is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bytepair.cli.reports import report_options

if TYPE_CHECKING:
    from bytepair.measuring.zipf import Zipf
    from bytepair.tokenizer import Tokenizer


@click.command(
    "zipf",
    epilog="""\b
Examples:
  bytepair zipf -t tokenizer.json book.txt
  bytepair zipf -t tokenizer.json bundled:en
  bytepair zipf -t old=v1.json -t new=v2.json book.txt
  bytepair zipf -t tokenizer.json book.txt --csv > ranks.csv

The most frequent tokens and what they make up, the slope of Zipf's law, tokens that never occur and tokens that occur
fewer than 10 times.""",
)
@report_options
def command(*, tokenizers: dict[str, Tokenizer], reading: dict[str, Any]) -> Zipf:
    """Rank the tokens of a text by frequency."""
    import bytepair  # noqa: PLC0415

    return bytepair.zipf(tokenizers, **reading)
