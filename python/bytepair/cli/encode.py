"""`bytepair encode`: texts to ids, one line of ids a text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from bytepair.cli import output
from bytepair.cli.encoding import EncodingCommand, encoding_options
from bytepair.cli.failures import UsageFailure
from bytepair.cli.texts import Source, text_options
from bytepair.cli.tokenizers import tokenizer_options
from bytepair.render.tokens import counts_line
from bytepair.render.views import trace_flow

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer

_AT_ONCE = 65_536


@click.command(
    "encode",
    cls=EncodingCommand,
    epilog="""\b
Examples:
  bytepair encode -t tokenizer.json 'hello world'
  bytepair encode -t tokenizer.json -f book.txt > ids.txt
  bytepair encode -t tokenizer.json --lines --json < lines.txt
  bytepair encode -t tokenizer.json --show 'the tokens in colour'
  bytepair encode -t cl100k_base.tiktoken --pattern cl100k \\
    --special '<|endoftext|>=100257' --allow-special '<|endoftext|>'

Several texts give several lines. A text is taken as its bytes: nothing is normalised, no line end is dropped.""",
)
@click.option("--show", is_flag=True, help="Draw the tokens instead of their ids; ‖ parts pretokens.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a text: ids and their number.")
@tokenizer_options
@encoding_options
@text_options
def command(*, tok: Tokenizer, source: Source, settings: dict[str, Any], show: bool, as_json: bool) -> None:
    """Turn texts into ids."""
    if show and as_json:
        raise UsageFailure("both `--show` and `--json` given", "draw the tokens, or write them as JSON")
    if not show and not as_json:
        for _, parts in source.in_parts():
            _write_ids(tok.encode_stream(parts, **settings))
        return
    for text in source.texts():
        if show:
            trace = tok.trace(text.content, **settings)
            output.draw([trace_flow(trace)])
            characters = len(text.content.decode("utf-8", "replace"))
            output.draw([counts_line("", len(trace.ids), characters, len(text.content))], to_stderr=True)
            continue
        ids = tok.encode(text.content, **settings)
        output.write_json({"name": text.name, "tokens": len(ids), "ids": ids})


def _write_ids(parts: Iterable[list[int]]) -> None:
    """One line of ids; the last that came wait, so that a short text with an error writes nothing."""
    waiting: list[int] | None = None
    for part in parts:
        if waiting is not None:
            _write_some(waiting)
            output.write(b" ")
        waiting = part
    _write_some(waiting or [])
    output.write(b"\n")


def _write_some(ids: list[int]) -> None:
    """Ids, a few at a time: all of them as one text would take more memory than the ids."""
    for start in range(0, len(ids), _AT_ONCE):
        output.write((" " * bool(start) + " ".join(map(str, ids[start : start + _AT_ONCE]))).encode())
