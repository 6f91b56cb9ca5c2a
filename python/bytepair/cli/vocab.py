"""`bytepair vocab`: the tokens of a tokenizer, all or the ones looked for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from bytepair.cli import output
from bytepair.cli.failures import UsageFailure
from bytepair.cli.texts import argument_bytes
from bytepair.cli.tokenizers import tokenizer_options
from bytepair.render.visible import visible

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer

_RANGE = re.compile(r"(\d{0,10})\.\.(\d{0,10})|(\d{1,10})", re.ASCII)
_HIGHEST = 2**32 - 1


@click.command(
    "vocab",
    epilog="""\b
Examples:
  bytepair vocab -t tokenizer.json | head
  bytepair vocab -t tokenizer.json --grep '^ the'
  bytepair vocab -t tokenizer.json --contains the
  bytepair vocab -t tokenizer.json --hex e280
  bytepair vocab -t tokenizer.json --longest 10
  bytepair vocab -t tokenizer.json --ids 256..300
  bytepair vocab -t tokenizer.json --made-from 300
  bytepair vocab -t tokenizer.json --parts-of 900 --json

One token a line: its id, a tab, and the token, with \\n, \\t, \\\\ and \\xd0 for what cannot be printed. --grep looks
at the token as it is shown; the options can be combined. `bytepair explain --id` draws the parts of a token as a tree,
`bytepair kinds` counts tokens by kind, script and length.""",
)
@click.option("--grep", metavar="REGEX", help="Only tokens in which the regular expression is found.")
@click.option("--contains", metavar="TEXT", help="Only tokens that hold this text.")
@click.option("--hex", "hex_bytes", metavar="HEX", help="Only tokens that hold these bytes, such as e28099.")
@click.option(
    "--made-from", type=click.IntRange(0, _HIGHEST), metavar="ID", help="Only tokens that are merged from this one."
)
@click.option("--parts-of", type=click.IntRange(0, _HIGHEST), metavar="ID", help="Only what this token is merged from.")
@click.option("--ids", "between", metavar="A..B", help="Only ids from A to B, both included; either may be left out.")
@click.option("--longest", type=click.IntRange(min=1), metavar="N", help="Only the N longest in bytes, longest first.")
@click.option("--only-special", is_flag=True, help="Only special tokens.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a token.")
@tokenizer_options
def command(
    *,
    tok: Tokenizer,
    grep: str | None,
    contains: str | None,
    hex_bytes: str | None,
    made_from: int | None,
    parts_of: int | None,
    between: str | None,
    longest: int | None,
    only_special: bool,
    as_json: bool,
) -> None:
    """List or search the tokens."""
    low, high = _between(between)
    wanted = _compiled(grep)
    special = set(tok.special_tokens.values())
    chosen = set(tok.vocabulary)
    for ids in (
        None if contains is None else tok.find(argument_bytes(contains)),
        None if hex_bytes is None else tok.find(_bytes(hex_bytes)),
        None if made_from is None else tok.descendants(made_from),
        None if parts_of is None else tok.ancestors(parts_of),
    ):
        chosen = chosen if ids is None else chosen & ids.keys()
    found = [
        (number, tok.vocabulary[number])
        for number in sorted(chosen)
        if low <= number <= high
        and (not only_special or number in special)
        and (wanted is None or wanted.search(visible(tok.vocabulary[number])))
    ]
    if longest is not None:
        found = sorted(found, key=lambda item: (-len(item[1]), item[0]))[:longest]
    _write(found, special, as_json=as_json)


def _write(found: Iterable[tuple[int, bytes]], special: set[int], *, as_json: bool) -> None:
    for number, content in found:
        if as_json:
            row: dict[str, Any] = {"id": number, **output.json_text(content), "special": number in special}
            output.write_json(row)
        else:
            output.write_line(f"{number}\t{visible(content)}")


def _compiled(grep: str | None) -> re.Pattern[str] | None:
    if grep is None:
        return None
    try:
        return re.compile(grep)
    except (re.error, RecursionError, OverflowError) as error:
        raise UsageFailure(
            f"`--grep {grep}` is no regular expression: {error}",
            "escape what should be taken literally: `\\.` `\\[` `\\(`",
        ) from None


def _bytes(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise UsageFailure(
            f"`--hex {text}` is no bytes", "write two hexadecimal digits a byte: `--hex e28099`"
        ) from None


def _between(text: str | None) -> tuple[int, int]:
    if text is None:
        return 0, _HIGHEST
    match = _RANGE.fullmatch(text)
    if match is None or text == "..":
        raise UsageFailure(
            f"`--ids {text}` is no range of ids", "write `--ids 256..300`, `--ids 256..` or `--ids ..300`"
        )
    if match[3]:
        return int(match[3]), int(match[3])
    return int(match[1] or 0), int(match[2] or _HIGHEST)
