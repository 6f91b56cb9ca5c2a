"""`bytepair baselines`: words, characters and bytes as vocabularies, beside tokenizers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bytepair.cli.corpus import files_of
from bytepair.cli.reports import text_options

if TYPE_CHECKING:
    from bytepair.measuring.baselines import Baselines
    from bytepair.tokenizer import Tokenizer


@click.command(
    "baselines",
    epilog="""\b
Examples:
  bytepair baselines book.txt
  bytepair baselines train.txt --held-out other.txt -t tokenizer.json
  bytepair baselines bundled:en --min-count 5

What a vocabulary of words lacks on text that it was not made from, how long the text is in words, characters, bytes
and tokens, and the neighbours that dropping unknown words makes.
--csv has the systems, --json all figures.""",
)
@click.option(
    "--held-out",
    multiple=True,
    metavar="FILE",
    help="Other text, on which is counted; may be repeated.  [default: FILE]",
)
@click.option(
    "--min-count",
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    metavar="N",
    help="Words that occur less often are unknown.",
)
@text_options
def command(
    *, tokenizers: dict[str, Tokenizer], reading: dict[str, Any], held_out: tuple[str, ...], min_count: int
) -> Baselines:
    """Compare with vocabularies of words, characters and bytes."""
    import bytepair  # noqa: PLC0415

    others = {"held_out_files": files_of(held_out)} if held_out else {}
    return bytepair.baselines(tok=tokenizers, min_count=min_count, **others, **reading)
