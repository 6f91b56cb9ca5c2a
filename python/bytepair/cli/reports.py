"""What the commands that judge tokenizers share: their tokenizers, their texts, and how a report is written.

The idea: a report is drawn for a person, or written as JSON or CSV for a program. Several tokenizers are named by
repeating `-t`, each `NAME=FILE` or a file whose name without its ending then names it.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bytepair.cli import output
from bytepair.cli.corpus import files_of, keywords, reading_options, threads_option
from bytepair.cli.failures import UsageFailure
from bytepair.cli.tokenizers import load, pattern_option
from bytepair.cli.unused import refuse
from bytepair.errors import UnknownSymbolError
from bytepair.measuring.shown import Several, Shown
from bytepair.render.columns import columns

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer

__all__ = [
    "each",
    "judging_options",
    "known_symbols",
    "names_of",
    "only",
    "report_options",
    "text_options",
    "vocabulary_options",
    "write",
]

_NAMED = re.compile(r"([^=/\\]+)=(.+)", re.DOTALL)


def report_options(command: Callable[..., Shown]) -> Callable[..., None]:
    """Give `command` the tokenizers by name, the files, and the keywords of reading; and `as_json` and `as_csv`."""
    return _options(command, "FILE...", has_tokenizer=True)


def vocabulary_options(command: Callable[..., Shown]) -> Callable[..., None]:
    """The same for a command that needs no files: `reading` is empty without them."""
    return _options(command, "[FILE]...", has_tokenizer=True)


def text_options(command: Callable[..., Shown]) -> Callable[..., None]:
    """The same for a command that needs no tokenizer."""
    return _options(command, "FILE...", has_tokenizer=False)


@contextmanager
def known_symbols() -> Iterator[None]:
    """Says what to do about a character that a tokenizer lacks: judging has no `--unknown`."""
    try:
        yield
    except UnknownSymbolError as error:
        raise UnknownSymbolError(
            error.message, "give a text in characters that the tokenizer was trained on, or a tokenizer of bytes"
        ) from None


def judging_options(command: Callable[..., Shown]) -> Callable[..., None]:
    """The same for a command that reads no text: it gets the tokenizers alone."""

    @wraps(command)
    def loaded(
        *,
        tokenizer: tuple[str, ...],
        pattern: str | None,
        special: tuple[str, ...],
        tokenizer_format: str | None,
        as_json: bool,
        as_csv: bool,
        **own: Any,  # noqa: ANN401
    ) -> None:
        if as_json and as_csv:
            raise UsageFailure("both `--json` and `--csv`", "give one of them")
        tokenizers = {
            name: load(path, pattern, special, tokenizer_format) for name, path in names_of(tokenizer).items()
        }
        with known_symbols():
            report = command(tokenizers=tokenizers, **own)
        write(report, as_json=as_json, as_csv=as_csv)

    return _added(loaded, (*_OUTPUT, *_TOKENIZERS))


def _options(command: Callable[..., Shown], metavar: str, *, has_tokenizer: bool) -> Callable[..., None]:
    @wraps(command)
    def loaded(
        *,
        tokenizer: tuple[str, ...],
        pattern: str | None,
        special: tuple[str, ...],
        tokenizer_format: str | None,
        files: tuple[str, ...],
        as_json: bool,
        as_csv: bool,
        **others: Any,  # noqa: ANN401
    ) -> None:
        if as_json and as_csv:
            raise UsageFailure("both `--json` and `--csv`", "give one of them")
        if not files and metavar == "FILE...":
            raise UsageFailure(
                "no files to read", "name them, or `-` for stdin, each a document, or with `--separator`"
            )
        if not files:
            refuse(_READING - {"threads"}, "without a text", "name its files")
        if not tokenizer and not has_tokenizer:
            refuse(("pattern", "special", "tokenizer_format"), "without a tokenizer", "name it: `-t tokenizer.json`")
        names = names_of(tokenizer) if tokenizer or has_tokenizer else {}
        tokenizers = {name: load(path, pattern, special, tokenizer_format) for name, path in names.items()}
        own = {name: others.pop(name) for name in tuple(others) if name not in _READING}
        reading = keywords(pattern=None, special=(), **others)
        del reading["special_tokens"]
        reading = reading | {"files": files_of(files)} if files else {}
        with known_symbols():
            report = command(tokenizers=tokenizers, reading=reading, **own)
        write(report, as_json=as_json, as_csv=as_csv)

    argument = click.argument("files", metavar=metavar, nargs=-1, type=click.Path(readable=False))
    return _added(loaded, (*_OUTPUT, threads_option, reading_options, *_TOKENIZERS, argument))


_OUTPUT = (
    click.option("--csv", "as_csv", is_flag=True, help="The rows as CSV."),
    click.option("--json", "as_json", is_flag=True, help="All of it as one JSON object."),
)
_TOKENIZERS = (
    click.option("--tokenizer-format", metavar="FORMAT", help="The tokenizers' format, where files do not tell."),
    click.option("--special", multiple=True, metavar="NAME=ID", help="A special token, where files name none."),
    pattern_option("The pattern, where files hold none (.tiktoken)."),
    click.option(
        "-t",
        "--tokenizer",
        multiple=True,
        metavar="[NAME=]FILE",
        help="A tokenizer: a file, or a published name such as cl100k_base; may be repeated.",
    ),
)


def _added(command: Callable[..., None], options: Sequence[Callable[..., Any]]) -> Callable[..., None]:
    for option in options:
        command = option(command)
    return command


_READING = frozenset({"format", "text_field", "source_field", "separator", "errors", "sample", "seed", "threads"})


def names_of(given: Sequence[str]) -> dict[str, str | None]:
    """The paths of the tokenizers by their names; of one that is missing, None, which `load` refuses."""
    if not given:
        return {"": None}
    named: list[tuple[str, str]] = []
    for item in given:
        found = None if Path(item).exists() else _NAMED.fullmatch(item)
        named.append((found[1], found[2]) if found else (Path(item).stem, item))
    if len(dict(named)) < len(named):
        named = [(path if Path(path).stem == name else name, path) for name, path in named]
    if len(dict(named)) < len(named):
        raise UsageFailure("two tokenizers have the same name", "name them: `-t old=a.json -t new=b.json`")
    return dict(named)


def write(report: Shown, *, as_json: bool, as_csv: bool) -> None:
    """Writes a report: drawn for a terminal, in aligned columns into a pipe, or for a program."""
    if as_json:
        output.write_json(report.to_dict())
    elif as_csv:
        output.write(_csv(report.flat_names(), report.flat()).encode())
    elif output.on_terminal():
        output.draw(report.blocks())
    else:
        output.write_line(columns(report.blocks()))


def _csv(names: Sequence[str], rows: Sequence[dict[str, Any]]) -> str:
    """The rows under their names, which stand there without rows too."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    for row in rows:
        writer.writerow(map(_cell, row.values()))
    return text.getvalue()


def _cell(value: Any) -> Any:  # noqa: ANN401
    """A value as CSV can hold it: what is in a list between bars, and in a list of lists between spaces and bars."""
    if not isinstance(value, list):
        return value
    return "|".join(" ".join(map(str, item)) if isinstance(item, list) else str(item) for item in value)


def only(tokenizers: dict[str, Tokenizer], number: int, example: str) -> list[Tokenizer]:
    """So many tokenizers, and no others."""
    if len(tokenizers) != number:
        wanted = "one tokenizer is" if number == 1 else f"{number} tokenizers are"
        raise UsageFailure(f"{wanted} wanted, not {len(tokenizers)}", f"name them: `{example}`")
    return list(tokenizers.values())


def each(tokenizers: dict[str, Tokenizer], judged: Callable[[Tokenizer], Shown]) -> Shown:
    """The report on the one tokenizer, or those on several one below the other."""
    reports = {name: judged(tok) for name, tok in tokenizers.items()}
    return Several(reports) if len(reports) > 1 else next(iter(reports.values()))
