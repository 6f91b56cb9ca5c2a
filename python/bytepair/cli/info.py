"""`bytepair info`: what a tokenizer is."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

import click

from bytepair.cli import output
from bytepair.cli.tokenizers import tokenizer_options
from bytepair.render.spans import Span, Table, line
from bytepair.render.visible import visible

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer
    from bytepair.vocabulary import Info


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
    found = {field.name: getattr(info, field.name) for field in fields(info)}
    if info.end_of_word is None:
        del found["end_of_word"], found["end_of_word_joined"]
    del found["path_reason"]
    for usual, name in ((0, "unmade"), (0, "twins"), (True, "ordered")):
        if found[name] == usual:
            del found[name]
    if info.splitter == "automaton":
        found["path"] = _path(info)
    else:
        del found["path"]
    rows = [(name.replace("_", " "), _value(value)) for name, value in found.items() if value not in (None, ())]
    rows += [("special token", f"{number}  {visible(name.encode())}") for name, number in tok.special_tokens.items()]
    output.draw([Table(("", ""), tuple((line(Span(name, "note")), line(value)) for name, value in rows), fold=True)])


def _path(info: Info) -> str:
    if info.path_reason is None:
        return f"{info.path}, 64 bytes at a time"
    return f"scalar, one character at a time: {info.path_reason}"


def _value(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, tuple):
        return ", ".join(str(low) if low == high else f"{low}..{high}" for low, high in value)
    text = str(value)
    return text if text.isprintable() else visible(text.encode("utf-8", "replace"))
