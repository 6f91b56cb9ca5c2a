"""`bytepair decode`: ids to the exact bytes they stand for."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Literal

import click

from bytepair.cli import output
from bytepair.cli.failures import InputError
from bytepair.cli.texts import argument_bytes, read
from bytepair.cli.tokenizers import tokenizer_options
from bytepair.render.visible import visible

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer

_BETWEEN = re.compile(r"[\s,\[\]]+")
_HIGHEST = 2**32 - 1


@click.command(
    "decode",
    epilog="""\b
Examples:
  bytepair decode -t tokenizer.json 338 284 1093
  echo '[338, 284, 1093]' | bytepair decode -t tokenizer.json
  bytepair encode -t tokenizer.json -f photo.jpg > ids.txt
  bytepair decode -t tokenizer.json < ids.txt | cmp - photo.jpg

Ids are parted by white space or commas; JSON lists and what `encode --json` writes are read too. All of them
together make one text, which is written byte for byte, without a line end of its own.""",
)
@click.option("--skip-special", is_flag=True, help="Leave special tokens out.")
@click.option(
    "--unknown",
    type=click.Choice(["raise", "skip", "replace"]),
    default="raise",
    show_default=True,
    help="What to do with ids that the tokenizer does not have.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="A JSON object: the text (null if it is not UTF-8), and its bytes in hex."
)
@click.option(
    "-f", "--file", "files", multiple=True, type=click.Path(readable=False), help="Read ids from a file (- is stdin)."
)
@tokenizer_options
@click.argument("ids", metavar="[ID]...", nargs=-1)
def command(
    *,
    tok: Tokenizer,
    ids: tuple[str, ...],
    files: tuple[str, ...],
    skip_special: bool,
    unknown: Literal["raise", "skip", "replace"],
    as_json: bool,
) -> None:
    """Turn ids back into text."""
    numbers: list[int] = []
    strict = unknown == "raise"
    for given in ids:
        numbers.extend(_ids(argument_bytes(given), "the arguments", strict=strict))
    for name in files or (() if ids else ("-",)):
        numbers.extend(_ids(read(name), "stdin" if name == "-" else f"`{name}`", strict=strict))
    content = tok.decode_bytes(numbers, skip_special=skip_special, unknown=unknown)
    if as_json:
        output.write_json(output.json_text(content))
        return
    output.write(content)
    if content and not content.endswith(b"\n") and output.on_terminal():
        output.write(b"\n")


def _ids(content: bytes, where: str, *, strict: bool) -> list[int]:
    text = content.decode("utf-8", "replace")
    if text.lstrip().startswith("{"):
        return [number for row in text.splitlines() if row.strip() for number in _from_json(row, where, strict=strict)]
    return [_id(word, where, strict=strict) for word in _BETWEEN.split(text) if word]


def _from_json(row: str, where: str, *, strict: bool) -> list[int]:
    try:
        found: Any = json.loads(row)["ids"]
        return [_id(str(number), where, strict=strict) for number in found]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(
            f"a line of {where} is no JSON object with `ids`: `{visible(row.encode()[:40])}`",
            "give ids parted by spaces, or what `bytepair encode --json` writes",
        ) from None


def _id(word: str, where: str, *, strict: bool) -> int:
    """The id that is written there; where not `strict`, any other integer is one that no token has."""
    digits = word if strict else word.removeprefix("-")
    if not (word.isascii() and digits.isdigit()):
        shown = visible(word[:40].encode("utf-8", "replace"))
        raise InputError(f"`{shown}` in {where} is no id", "ids are numbers, parted by white space or commas")
    number = int(word) if len(word) <= len(str(_HIGHEST)) else _HIGHEST + 1
    if number > _HIGHEST and strict:
        raise InputError(f"id {word[:40]} in {where} is too large", f"the highest possible id is {_HIGHEST}")
    return number
