"""`bytepair convert`: a tokenizer's file in another format, and the proof that it gives the same ids."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from bytepair.cli import output
from bytepair.cli.failures import InputError, RefusedError, UsageFailure
from bytepair.cli.texts import read
from bytepair.cli.tokenizers import FORMATS, format_of, like, load, pattern_option
from bytepair.render.visible import visible

if TYPE_CHECKING:
    from bytepair.formats.kinds import Format
    from bytepair.proving import Difference
    from bytepair.tokenizer import Tokenizer


@click.command(
    "convert",
    epilog="""\b
Examples:
  bytepair convert tokenizer.json vocab.json
  bytepair convert model/ tokenizer.json -f corpus.txt
  bytepair convert tokenizer.json x.tiktoken --allow-loss
  bytepair convert x.tiktoken tokenizer.json --pattern cl100k \\
    --special '<|endoftext|>=100257'
  bytepair convert merges.codes fast.codes --to fastbpe

Both are read again and encode a mixed text, every token and the texts of -f; what they give is compared. Exit codes:
0 the same, 1 ids differ, 3 the format cannot hold the tokenizer.""",
)
@click.argument("source", metavar="A", type=click.Path(readable=False))
@click.argument("target", metavar="B", type=click.Path(readable=False))
@click.option(
    "--to",
    type=click.Choice(FORMATS),
    metavar="FORMAT",
    help=f"The format of B, where its name does not tell: {', '.join(FORMATS)}.",
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(FORMATS),
    metavar="FORMAT",
    help="The format of A, where its content does not tell.",
)
@pattern_option("The pattern of A, where the file holds none.")
@click.option("--special", multiple=True, metavar="NAME=ID", help="A special token of A, where the file names none.")
@click.option("--allow-loss", is_flag=True, help="Write B even if its format cannot hold everything, and say what not.")
@click.option(
    "-f", "--file", "files", multiple=True, type=click.Path(readable=False), help="A text to compare on; repeatable."
)
def command(
    *,
    source: str,
    target: str,
    to: Format | None,
    kind: str | None,
    pattern: str | None,
    special: tuple[str, ...],
    allow_loss: bool,
    files: tuple[str, ...],
) -> None:
    """Write A's tokenizer as B, and prove that both give the same."""
    from bytepair.errors import FormatError  # noqa: PLC0415
    from bytepair.formats import write  # noqa: PLC0415

    chosen = _format_of(target, to)
    _check_files(files)
    tok = load(source, pattern, special, kind)
    try:
        lost = write(
            tok.parts, target, chosen, allow_loss=allow_loss, like=like(source, chosen), new_id=lambda old: old
        )
    except FormatError as error:
        raise RefusedError(error.message, error.hint.replace("allow_loss=True", "`--allow-loss`")) from error
    output.write_line(f"written\t{target}\t{chosen}")
    for loss in lost:
        output.write_line(f"lost\t{loss}")
    _prove(tok, target, chosen, lost, files)


def _check_files(names: tuple[str, ...]) -> None:
    """Opens each file once, so that one that is not there is told before anything is written."""
    for name in names:
        if name != "-":
            open(name, "rb").close()  # noqa: PTH123 - a name may hold any bytes


def _format_of(target: str, to: Format | None) -> Format:
    """The format of B, which must be a place that can be read again."""
    if os.path.exists(target) and not os.path.isfile(target) and not os.path.isdir(target):  # noqa: PTH110, PTH112, PTH113
        raise UsageFailure(f"`{target}` is no file, and B is read again to compare", "write a file, and then copy it")
    return format_of(target, to)


def _prove(tok: Tokenizer, target: str, chosen: Format, lost: tuple[str, ...], files: tuple[str, ...]) -> None:
    """Reads B with what has to be said of A, compares, and tells it."""
    from bytepair import load as load_file  # noqa: PLC0415
    from bytepair.formats import kinds, losses  # noqa: PLC0415
    from bytepair.proving import prove  # noqa: PLC0415

    said = {} if chosen == "transformers" else losses.to_be_said(tok.parts, kinds.known(chosen), lost)
    again = load_file(target, format=chosen, **said)
    by_bytes = any(loss.startswith(losses.IDS) for loss in lost)
    proof = prove(tok, again, _texts(files), by_bytes=by_bytes)
    if proof.difference is not None:
        raise InputError(
            f"{target} was written, and gives other {'tokens' if by_bytes else 'ids'}: {_shown(proof.difference)}",
            "do not use it; the formats differ in what they can say" if lost else "please report it with both files",
        )
    what = "tokens" if by_bytes else "ids"
    output.write_line(f"equal\t{what}\t{proof.texts:,} texts\t{proof.bytes:,} bytes\t{proof.tokens:,} {what}")


def _texts(files: tuple[str, ...]) -> Iterator[bytes]:
    for name in files:
        yield read(name)


def _shown(found: Difference) -> str:
    one, other = (
        " ".join(visible(part) if isinstance(part, bytes) else str(part) for part in side)
        for side in (found.ours, found.theirs)
    )
    return f"`{visible(found.text)}` is {one or 'nothing'} in A and {other or 'nothing'} in B"
