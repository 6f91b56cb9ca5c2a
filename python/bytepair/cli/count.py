"""`bytepair count`: how many tokens texts have."""

from __future__ import annotations

from codecs import getincrementaldecoder
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
    counter = tok.counter(**settings)
    for name, parts in source.in_parts():
        size, letters = 0, Letters()
        for part in parts:
            counter.append(part)
            if as_json:
                size += len(part)
                letters.add(part)
        tokens = counter.count
        counter.reset()
        total += tokens
        if as_json:
            output.write_json({"name": name, "tokens": tokens, "characters": letters.count(), "bytes": size})
        elif named:
            output.write_line(f"{tokens}\t{'' if name is None else name}")
        else:
            output.write_line(str(tokens))
    if named and not as_json:
        output.write_line(f"{total}\ttotal")


class Letters:
    """Counts the characters of UTF-8 that comes in parts; what is none counts as `decode` shows it."""

    def __init__(self) -> None:
        self._decoder = getincrementaldecoder("utf-8")("replace")
        self._seen = 0

    def add(self, part: bytes) -> None:
        """Counts those of one more part."""
        self._seen += len(self._decoder.decode(part))

    def count(self) -> int:
        """How many there are if this is the end."""
        return self._seen + len(self._decoder.decode(b"", final=True))
