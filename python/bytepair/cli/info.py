"""`bytepair info`: what a tokenizer is."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from bytepair.cli import output
from bytepair.cli.tokenizers import tokenizer_options
from bytepair.render.about import about_table

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer


@click.command(
    "info",
    epilog="""\b
Examples:
  bytepair info -t tokenizer.json
  bytepair info -t tokenizer.json --json
  bytepair info -t cl100k_base.tiktoken --pattern cl100k""",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@tokenizer_options
def command(*, tok: Tokenizer, as_json: bool) -> None:
    """Show what a tokenizer is."""
    info = tok.info()
    if as_json:
        output.write_json(asdict(info) | {"special_tokens": tok.special_tokens})
        return
    output.draw([about_table(info, tok.special_tokens)])
