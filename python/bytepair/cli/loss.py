"""`bytepair loss`: losses of models with different tokenizers, made comparable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bytepair.cli.failures import UsageFailure
from bytepair.cli.reports import report_options

if TYPE_CHECKING:
    from bytepair.measuring.loss import Losses
    from bytepair.tokenizer import Tokenizer


@click.command(
    "loss",
    epilog="""\b
Examples:
  bytepair loss -t tokenizer.json --nats 3.31 test.txt
  bytepair loss -t small=a.json --nats 2.9 -t large=b.json --nats 3.4 test.txt

The loss of each model on the text, in nats a token, in the order of the tokenizers. Bits a byte and nats a character
can be compared between models; the perplexity is given by the token, the character and the byte.""",
)
@click.option("--nats", type=click.FloatRange(min=0), multiple=True, metavar="LOSS", help="The loss of each model.")
@report_options
def command(*, tokenizers: dict[str, Tokenizer], reading: dict[str, Any], nats: tuple[float, ...]) -> Losses:
    """Compare losses of models with different tokenizers."""
    import bytepair  # noqa: PLC0415

    if len(nats) != len(tokenizers):
        raise UsageFailure(
            f"there are {len(nats)} losses for {len(tokenizers)} tokenizers", "give `--nats` once for each `-t`"
        )
    del reading["threads"]
    return bytepair.losses(nats, tokenizers, **reading)
