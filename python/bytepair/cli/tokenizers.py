"""The tokenizer that a command uses: `-t PATH`, and for rank files their pattern and special tokens."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from bytepair.cli.failures import UsageFailure

if TYPE_CHECKING:
    from bytepair.formats.kinds import Format
    from bytepair.tokenizer import Tokenizer

FORMATS = (
    "huggingface",
    "tiktoken",
    "gpt2",
    "tekken",
    "minbpe",
    "sentencepiece",
    "subword-nmt",
    "fastbpe",
    "gguf",
    "clip",
    "transformers",
)
"""The names of the formats, known without loading any."""


def pattern_option(text: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The option `--pattern`; presets are completed in the shell."""
    return click.option("--pattern", metavar="NAME|REGEX|none", shell_complete=_presets, help=text)


def _presets(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from bytepair import PATTERNS  # noqa: PLC0415

    return [CompletionItem(name) for name in (*PATTERNS, "none") if name.startswith(incomplete)]


def pattern_of(given: str | None) -> str | None:
    """The pattern that an option means; None for `none`."""
    return None if given is None or given.lower() == "none" else given


def tokenizer_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give `command` the options that name a tokenizer; it gets it loaded, as `tok`."""

    @wraps(command)
    def loaded(
        *,
        tokenizer: str | None,
        pattern: str | None,
        special: tuple[str, ...],
        format: str | None,
        **others: Any,  # noqa: ANN401
    ) -> None:
        command(tok=load(tokenizer, pattern, special, format), **others)

    return add_options(loaded)


def add_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add `-t`, `--pattern`, `--special` and `--format` without loading anything."""
    for option in (
        click.option(
            "--format",
            type=click.Choice(FORMATS),
            metavar="FORMAT",
            help=f"The format of the file, where its content does not tell: {', '.join(FORMATS)}.",
        ),
        click.option(
            "--special",
            multiple=True,
            metavar="NAME=ID",
            help="A special token, where the file names none.",
        ),
        pattern_option("The pattern, where the file holds none (.tiktoken)."),
        click.option(
            "-t",
            "--tokenizer",
            type=click.Path(readable=False),
            help="The tokenizer: a tokenizer.json, a file of another format, or a published name such as cl100k_base.",
        ),
    ):
        command = option(command)
    return command


def load(path: str | None, pattern: str | None, special: tuple[str, ...], kind: str | None = None) -> Tokenizer:
    """The tokenizer at `path`."""
    if path is None:
        raise UsageFailure(
            "no tokenizer given",
            "name one with `-t tokenizer.json`; `bytepair demo` or `bytepair train` make one",
        )
    named: dict[str, Any] = {} if kind is None else {"format": kind}
    if pattern is not None:
        named["pattern"] = pattern_of(pattern)
    if special:
        named["special_tokens"] = _specials(special)
    import bytepair  # noqa: PLC0415

    if not named and not os.path.lexists(path) and _is_name(path):
        return bytepair.get(path)
    return bytepair.load(path, **named)


def format_of(target: str, to: Format | None) -> Format:
    """The format that a tokenizer is written in: the one that is named, or that of the file's name."""
    from bytepair.errors import FormatError  # noqa: PLC0415
    from bytepair.formats import kinds, places  # noqa: PLC0415

    if to is not None:
        return to
    if places.is_folder(target):
        return "transformers"
    try:
        return kinds.by_name(target).name
    except FormatError as error:
        raise UsageFailure(error.message, f"name the format: `--to {'|'.join(FORMATS)}`") from error


def like(source: str | None, chosen: Format) -> str | None:
    """The folder whose other files are carried into the one that is written; None if there is none."""
    return source if chosen == "transformers" and source is not None and os.path.isdir(source) else None  # noqa: PTH112


def _is_name(text: str) -> bool:
    from bytepair.formats.published import ENCODINGS  # noqa: PLC0415

    return text in ENCODINGS


def _specials(items: tuple[str, ...]) -> dict[str, int]:
    found: dict[str, int] = {}
    for item in items:
        name, number = _special(item)
        if name in found:
            raise UsageFailure(f"`--special` names `{name}` twice", "give each token one id")
        found[name] = number
    return found


def _special(item: str) -> tuple[str, int]:
    name, separator, number = item.rpartition("=")
    if not (separator and name and number.isascii() and number.isdigit() and len(number) <= 10):  # noqa: PLR2004
        raise UsageFailure(
            f"`--special {item}` does not say which id", "write the name and the id: `--special '<|endoftext|>=100257'`"
        )
    return name, int(number)
