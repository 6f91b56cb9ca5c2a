"""`bytepair kinds`: what vocabularies are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bytepair.cli.reports import vocabulary_options

if TYPE_CHECKING:
    from bytepair.measuring.kinds import Kinds
    from bytepair.tokenizer import Tokenizer


@click.command(
    "kinds",
    epilog="""\b
Examples:
  bytepair kinds -t tokenizer.json
  bytepair kinds -t tokenizer.json book.txt
  bytepair kinds -t tokenizer.json bundled:en
  bytepair kinds -t gpt2 -t cl100k_base -t o200k_base
  bytepair kinds -t tokenizer.json --csv > kinds.csv

How many tokens are words with a space before them, digits, signs, parts of characters; of which script; how long. With
a text, also how many of each kind occur in it. `bundled` are the texts that come with bytepair, `bundled:en` one.""",
)
@vocabulary_options
def command(*, tokenizers: dict[str, Tokenizer], reading: dict[str, Any]) -> Kinds:
    """Count tokens by kind, script and length."""
    import bytepair  # noqa: PLC0415

    return bytepair.kinds(tokenizers, **reading)
