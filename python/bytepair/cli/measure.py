"""`bytepair measure`: what tokenizers do to a text, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bytepair.cli.reports import report_options

if TYPE_CHECKING:
    from bytepair.measuring.measuring import Measurement
    from bytepair.tokenizer import Tokenizer


@click.command(
    "measure",
    epilog="""\b
Examples:
  bytepair measure -t tokenizer.json book.txt
  bytepair measure -t old=v1.json -t new=v2.json --separator '\\n\\n' book.txt
  bytepair measure -t tokenizer.json en=en.txt ru=ru.txt
  bytepair measure -t tokenizer.json 'corpus/*.parquet' --csv > figures.csv

Bytes and characters a token, tokens a word, entropy, Renyi efficiency, Zipf, vocabulary use: each with what it counts.
With several tokenizers, differences and how sure they are, by drawing documents anew: so give many, or a separator.""",
)
@report_options
def command(*, tokenizers: dict[str, Tokenizer], reading: dict[str, Any]) -> Measurement:
    """Measure tokenizers on a text."""
    import bytepair  # noqa: PLC0415

    return bytepair.measure(tokenizers, **reading)
