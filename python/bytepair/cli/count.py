"""`bytepair count`: how many tokens texts have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bytepair.cli import output
from bytepair.cli.encoding import EncodingCommand, encoding_options
from bytepair.cli.texts import Source, text_options
from bytepair.cli.tokenizers import tokenizer_options

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer


@click.command(
    "count",
    cls=EncodingCommand,
    epilog="""\b
Examples:
  bytepair count -t tokenizer.json 'hello world'
  printf 'hello world\\n' | bytepair count -t tokenizer.json
  bytepair count -t tokenizer.json -f one.txt -f two.txt
  bytepair count -t tokenizer.json --lines < lines.txt | sort -n | tail -1

Several files give a line each, the number and the name parted by a tab, and a total.""",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a text: tokens, characters and bytes.")
@tokenizer_options
@encoding_options
@text_options
def command(*, tok: Tokenizer, source: Source, settings: dict[str, Any], as_json: bool) -> None:
    """Count the tokens of texts."""
    named = len(source.files) > 1 and not source.lines
    total = 0
    for text in source.texts():
        tokens = tok.count(text.content, **settings)
        total += tokens
        if as_json:
            characters = len(text.content.decode("utf-8", "replace"))
            size = len(text.content)
            output.write_json({"name": text.name, "tokens": tokens, "characters": characters, "bytes": size})
        elif named:
            output.write_line(f"{tokens}\t{'' if text.name is None else text.name}")
        else:
            output.write_line(str(tokens))
    if named and not as_json:
        output.write_line(f"{total}\ttotal")
