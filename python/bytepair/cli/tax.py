"""`bytepair tax`: what the same text costs in each language."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bytepair.cli.corpus import BUNDLED
from bytepair.cli.failures import UsageFailure
from bytepair.cli.reports import write
from bytepair.cli.tokenizers import load
from bytepair.cli.unused import refuse

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer

_NAMED = re.compile(r"([\w.-]+)=(.+)", re.DOTALL)


@click.command(
    "tax",
    epilog="""\b
Examples:
  bytepair tax -t tokenizer.json
  bytepair tax -t tokenizer.json --window 8192 --price 2.50
  bytepair tax -t ours=tokenizer.json -t cl100k_base.tiktoken --pattern cl100k
  bytepair tax -t tokenizer.json en=book.en.txt de=book.de.txt
  bytepair tax -t tokenizer.json --csv > tax.csv
  bytepair tax -t plain.json -t fair.json --curve en=bundled ru=bundled

The text is the Universal Declaration of Human Rights in 75 languages (source: United Nations), or in those that are
named as LANGUAGE=bundled; or files of your own, in which line i says the same in every language. Several tokenizers
stand side by side; --pattern is given once for all files that hold none, or once for each of them.""",
)
@click.argument("parallel", metavar="[LANGUAGE=FILE]...", nargs=-1)
@click.option(
    "-t",
    "--tokenizer",
    "tokenizers",
    multiple=True,
    metavar="[NAME=]FILE",
    help="A tokenizer, or a published name such as cl100k_base; may be repeated.",
)
@click.option(
    "--pattern",
    "patterns",
    multiple=True,
    metavar="NAME|REGEX|none",
    help="The pattern of a file that holds none (.tiktoken); may be repeated.",
)
@click.option("--base", default="en", show_default=True, metavar="LANGUAGE", help="What the others are compared with.")
@click.option(
    "--window",
    type=click.IntRange(min=1),
    default=128_000,
    show_default=True,
    metavar="TOKENS",
    help="The size of the context window.",
)
@click.option("--price", type=click.FloatRange(min=0), metavar="AMOUNT", help="The price of a million tokens.")
@click.option("--curve", is_flag=True, help="How far apart languages are at every vocabulary size.")
@click.option(
    "-n",
    "--vocab-size",
    "sizes",
    type=click.IntRange(min=1),
    multiple=True,
    metavar="N",
    help="With --curve, a size to show.  [default: powers of two]",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option("--csv", "as_csv", is_flag=True, help="One row for each tokenizer and language, or size.")
def command(
    *,
    tokenizers: tuple[str, ...],
    parallel: tuple[str, ...],
    patterns: tuple[str, ...],
    base: str,
    window: int,
    price: float | None,
    curve: bool,
    sizes: tuple[int, ...],
    as_json: bool,
    as_csv: bool,
) -> None:
    """Compare what the same text costs in each language."""
    from bytepair import language_tax, tax_curve  # noqa: PLC0415

    if as_json and as_csv:
        raise UsageFailure("both `--json` and `--csv`", "choose one of them")
    if sizes and not curve:
        raise UsageFailure("`-n` without `--curve`", "add `--curve`, which shows sizes")
    files = _languages(parallel)
    if curve:
        refuse(("base", "window", "price"), "with `--curve`", "all languages are compared there, by their tokens")
        swept = tax_curve(_loaded(tokenizers, patterns), files or None, show=sizes or None)
        write(swept, as_json=as_json, as_csv=as_csv)
        return
    if files and base not in files:
        raise UsageFailure(f"no file is in `{base}`", "name one, or another language with `--base`")
    tax = language_tax(_loaded(tokenizers, patterns), files or None, base=base, window=window, price=price)
    write(tax, as_json=as_json, as_csv=as_csv)


def _loaded(given: tuple[str, ...], patterns: tuple[str, ...]) -> dict[str, Tokenizer]:
    paths = [_split(item) for item in given]
    bare = [path for _, path in paths if Path(path).suffix == ".tiktoken"]
    if not bare:
        refuse(("patterns",), "here: each tokenizer has one", "leave it out")
    if len(patterns) not in (0, 1, len(bare)):
        raise UsageFailure(
            f"there are {len(patterns)} patterns for {len(bare)} files without one",
            "give one for all of them, or one for each, in their order",
        )
    each = iter(patterns * len(bare) if len(patterns) == 1 else patterns)
    named: dict[str, Tokenizer] = {}
    if not paths:
        load(None, None, ())  # says what is missing
    for name, path in paths:
        tok = load(path, next(each, None) if path in bare else None, ())
        stem = Path(path).stem
        called = name or (stem if stem not in named else path)
        if called in named:
            raise UsageFailure(f"two tokenizers are called `{called}`", "name them: `-t one=a.json -t two=b.json`")
        named[called] = tok
    return named


def _split(item: str) -> tuple[str | None, str]:
    """The name and the path; what exists under its whole name is that file."""
    found = None if os.path.lexists(item) else _NAMED.fullmatch(item)
    return (found[1], found[2]) if found else (None, item)


def _languages(given: tuple[str, ...]) -> dict[str, Any]:
    """The files by language, or the lines of the bundled text."""
    from bytepair import bundled_parallel  # noqa: PLC0415

    files: dict[str, Any] = {}
    for item in given:
        found = _NAMED.fullmatch(item)
        if found is None:
            raise UsageFailure(f"`{item}` does not say its language", f"write `en={item}`")
        if found[1] in files:
            raise UsageFailure(f"`{found[1]}` is named twice", "give one file for each language")
        files[found[1]] = found[2]
        if found[2] == BUNDLED and not Path(BUNDLED).exists():
            text = bundled_parallel()
            if found[1] not in text:
                raise UsageFailure(f"the bundled text is not in `{found[1]}`", f"it is in {', '.join(text)}")
            files[found[1]] = text[found[1]]
    return files
