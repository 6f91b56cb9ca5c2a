"""`bytepair report`: one page about a tokenizer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from bytepair.cli import output
from bytepair.cli.corpus import files_of, keywords, reading_options, threads_option
from bytepair.cli.failures import UsageFailure
from bytepair.cli.reports import known_symbols, names_of
from bytepair.cli.tokenizers import load, pattern_option
from bytepair.cli.train import check_place


@click.command(
    "report",
    epilog="""\b
Examples:
  bytepair report tokenizer.json -o report.html
  bytepair report tokenizer.json book.txt -o report.html
  bytepair report tokenizer.json en=en.txt ru=ru.txt --beside cl100k_base
  bytepair report cl100k_base.tiktoken --pattern cl100k 'corpus/*.parquet'

The page holds everything that it needs: it can be sent, kept and printed, and asks nothing of a network. Without a text
a small one that comes with bytepair is measured. Charts need `pip install 'bytepair[report]'`.""",
)
@click.argument("tokenizer", metavar="TOKENIZER", type=click.Path(readable=False))
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(readable=False))
@click.option(
    "-o",
    "--output",
    "out",
    default="report.html",
    show_default=True,
    metavar="OUT",
    type=click.Path(readable=False),
    help="The page to write; - is stdout.",
)
@click.option("--name", metavar="NAME", help="What the tokenizer is called.  [default: its file's name]")
@click.option("--beside", multiple=True, metavar="[NAME=]FILE", help="Another tokenizer to compare; may be repeated.")
@click.option("--width", type=click.IntRange(min=1), metavar="N", help="The width of an embedding, to begin with.")
@pattern_option("The pattern, where files hold none (.tiktoken).")
@click.option("--special", multiple=True, metavar="NAME=ID", help="A special token, where the file names none.")
@click.option("--tokenizer-format", metavar="FORMAT", help="The tokenizer's format, where its file does not tell.")
@reading_options
@threads_option
def command(
    *,
    tokenizer: str,
    files: tuple[str, ...],
    out: str,
    name: str | None,
    beside: tuple[str, ...],
    width: int | None,
    pattern: str | None,
    special: tuple[str, ...],
    tokenizer_format: str | None,
    **others: Any,  # noqa: ANN401
) -> None:
    """Write one page about a tokenizer."""
    import bytepair  # noqa: PLC0415

    if any(file == "-" or file.endswith("=-") for file in files):
        raise UsageFailure(
            "texts are read several times, and stdin can be read once", "write it to a file and name that"
        )
    if out != "-":
        check_place(out, ".html", "report.html")
    called = Path(tokenizer).stem if name is None else name
    others_of = {other: path for other, path in names_of(beside).items() if path is not None}
    bare = [path for path in (tokenizer, *others_of.values()) if Path(path).suffix == ".tiktoken"] or [tokenizer]
    tok = load(tokenizer, pattern if tokenizer in bare else None, special, tokenizer_format)
    rest = {other: load(path, pattern if path in bare else None, ()) for other, path in others_of.items()}
    if called in rest:
        raise UsageFailure(
            f"two tokenizers are called `{called}`", "name the first with `--name`, or `--beside old=FILE`"
        )
    reading = keywords(pattern=None, special=(), **others)
    del reading["special_tokens"]
    given = {"files": files_of(files, out)} if files else {}
    with known_symbols():
        page = bytepair.report(tok, name=called, beside=rest, width=width, **given, **reading)
    if out == "-":
        output.write(page.html.encode())
        return
    page.save(out)
    output.note(f"Written to {out}: {len(page.html.encode()):,} bytes. Open it in a browser.")
