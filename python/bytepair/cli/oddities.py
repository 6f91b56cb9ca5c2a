"""`bytepair oddities`: what a tokenizer does to numbers, indentation and letters, and its twins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bytepair.cli.failures import UsageFailure
from bytepair.cli.reports import each, judging_options

if TYPE_CHECKING:
    from bytepair.measuring.shown import Shown
    from bytepair.tokenizer import Tokenizer


@click.command(
    "oddities",
    epilog="""\b
Examples:
  bytepair oddities -t tokenizer.json
  bytepair oddities -t tokenizer.json --word strawberry --word bookkeeper
  bytepair oddities -t gpt2 -t cl100k_base
  bytepair oddities -t tokenizer.json --csv > oddities.csv

No text is needed: the tables come from texts that are made for them. --csv has a row for each figure of each table.""",
)
@click.option("--word", "words", multiple=True, metavar="WORD", help="A word to spell; may be repeated.")
@judging_options
def command(*, tokenizers: dict[str, Tokenizer], words: tuple[str, ...]) -> Shown:
    """Show what becomes of numbers, indentation and letters."""
    import bytepair  # noqa: PLC0415

    if not all(words):
        raise UsageFailure("`--word` is empty", "give a word: `--word strawberry`")
    chosen = {"words": words} if words else {}
    return each(tokenizers, lambda tok: bytepair.oddities(tok, **chosen))
