"""What `train` and `pretokens` read, and how text is cut: the options that they share.

The idea: the options become keywords of the Python interface. A source is named where it is given, `en=en/*.txt`; what
exists as a file under its whole name is that file.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from bytepair.cli import output
from bytepair.cli.failures import InputError, InterruptedWork, UsageFailure
from bytepair.cli.tokenizers import pattern_of, pattern_option

__all__ = [
    "check_resume",
    "checkpoint_options",
    "cutting_options",
    "files_of",
    "keywords",
    "reading_options",
    "saved_in",
    "threads_option",
]

_NAMED = re.compile(r"([\w.-]+)=(.+)", re.DOTALL)
_ESCAPES = {r"\n": "\n", r"\t": "\t", r"\r": "\r", r"\0": "\0", r"\\": "\\"}
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}


def size_of(value: str) -> int:
    """The bytes that are meant by a size.

    >>> size_of("500M"), size_of("1.5G"), size_of("2GiB")
    (500000000, 1500000000, 2147483648)
    """
    found = re.fullmatch(r"(\d{1,20}(?:\.\d{1,20})?) ?([KMGT]?I?)B?", value.upper(), re.ASCII)
    meant = Fraction(found[1]) * _UNITS.get(found[2], 0) if found is not None else Fraction(0)
    if not meant or meant.denominator != 1:
        raise click.BadParameter(f"{value!r} is no number of bytes, such as 500M, 1.5G or 2GiB")
    return int(meant)


@dataclass(frozen=True, slots=True)
class _Option:
    names: tuple[str, ...]
    settings: dict[str, Any]


_CUTTING = (
    _Option(("--special",), {"multiple": True, "metavar": "TOKEN", "help": "A special token; may be repeated."}),
    _Option(
        ("--alphabet",),
        {
            "type": click.Choice(["bytes", "characters"]),
            "default": "bytes",
            "show_default": True,
            "help": "What merging starts from.",
        },
    ),
    _Option(
        ("--end-of-word",), {"metavar": "MARK", "help": "With characters: the mark that ends a word, such as </w>."}
    ),
    _Option(
        ("--end-of-word-joined",),
        {"is_flag": True, "help": "With characters: the mark is joined to the last character."},
    ),
)
_READING = (
    _Option(
        ("--format",),
        {"type": click.Choice(["text", "jsonl", "parquet"]), "help": "What the files are, where they do not tell."},
    ),
    _Option(
        ("--text-field",),
        {"metavar": "NAME", "help": "The field that holds the text, of JSON lines and Parquet.  [default: text]"},
    ),
    _Option(("--source-field",), {"metavar": "NAME", "help": "The field that names the source of each row."}),
    _Option(
        ("--separator",),
        {"metavar": "TEXT", "help": r"What stands between two documents of a text file, such as \n\n."},
    ),
    _Option(
        ("--errors",),
        {
            "type": click.Choice(["strict", "replace", "bytes"]),
            "default": "strict",
            "show_default": True,
            "help": "What is done with bytes that are not UTF-8.",
        },
    ),
    _Option(
        ("--sample",),
        {
            "callback": lambda _, __, value: None if value is None else size_of(value),
            "metavar": "SIZE",
            "help": "Read at most so many bytes of documents, such as 500M, by chance.",
        },
    ),
    _Option(
        ("--seed",),
        {
            "type": click.IntRange(min=0),
            "default": 0,
            "show_default": True,
            "metavar": "N",
            "help": "Another number samples other documents.",
        },
    ),
)
_CHECKPOINT = (
    _Option(
        ("--checkpoint",),
        {
            "metavar": "DIR",
            "type": click.Path(readable=False),
            "help": "Save the work in this directory as it is done.",
        },
    ),
    _Option(("--resume",), {"is_flag": True, "help": "Go on from the checkpoint, if there is one."}),
)


def _options(options: tuple[_Option, ...]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    def add(command: Callable[..., None]) -> Callable[..., None]:
        for option in reversed(options):
            command = click.option(*option.names, **option.settings)(command)
        return command

    return add


def cutting_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say how text becomes pretokens."""
    return pattern_option("How text is cut before counting.  [default: o200k]")(_options(_CUTTING)(command))


def reading_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say how files are read."""
    return _options(_READING)(command)


def checkpoint_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add `--checkpoint` and `--resume`."""
    return _options(_CHECKPOINT)(command)


def threads_option(command: Callable[..., None]) -> Callable[..., None]:
    """Add `--threads`."""
    return click.option(
        "--threads", type=click.IntRange(min=1), metavar="N", help="How many threads count; all cores if left out."
    )(command)


def keywords(*, pattern: str | None, special: tuple[str, ...], separator: str | None, **others: Any) -> dict[str, Any]:  # noqa: ANN401
    """The keywords of the Python interface; its own default pattern holds where none is named."""
    named: dict[str, Any] = {"special_tokens": special, **others}
    if pattern is not None:
        named["pattern"] = pattern_of(pattern)
    if separator is not None:
        named["separator"] = re.sub(r"\\[ntr0\\]", lambda escape: _ESCAPES[escape[0]], separator)
    return named


def check_resume(checkpoint: str | None, *, resume: bool) -> None:
    """That there is something from which to go on."""
    if resume and checkpoint is None:
        raise UsageFailure("`--resume` without a checkpoint", "name its directory: `--checkpoint run1 --resume`")


@contextmanager
def saved_in(checkpoint: str | None) -> Iterator[None]:
    """Work that may have a checkpoint: Ctrl-C in it says what was kept."""
    try:
        yield
    except KeyboardInterrupt:
        if checkpoint is None:
            raise
        is_saved = any(Path(checkpoint, name).exists() for name in ("counts", "merges"))
        again = "the same command with `--resume`"
        raise InterruptedWork(
            f"{again} goes on from `{checkpoint}`"
            if is_saved
            else f"{again} begins again: counts are saved each half minute, and none were yet"
        ) from None


BUNDLED = "bundled"
"""The name of all texts that come with bytepair; `bundled:en` is one of them."""


def _bundled() -> dict[str, Path]:
    from bytepair import bundled_texts  # noqa: PLC0415

    return bundled_texts()


def files_of(names: tuple[str, ...], out: str | None = None) -> Any:  # noqa: ANN401 - a list, or one for each source
    """What `files=` shall be: the names, or names by source; `-` is stdin, `bundled` what comes with bytepair.

    `out` is a file that will be written, and must be none of them: a second run would read what the first has made.
    """
    named: dict[str, list[Any]] = {}
    bare: list[Any] = []
    if sum(name == "-" or name.endswith("=-") for name in names) > 1:
        raise UsageFailure("`-` is given twice, and stdin can be read once", "name it once")
    for name in names:
        found = None if Path(name).exists() else _NAMED.fullmatch(name)
        if found is None and name == BUNDLED and not Path(name).exists():
            for language, path in _bundled().items():
                named.setdefault(language, []).append(path)
        elif found is None:
            bare.append(_file(name))
        else:
            named.setdefault(found[1], []).append(_file(found[2]))
    if out is not None and Path(out).is_file():
        _check_apart([*bare, *(file for files in named.values() for file in files)], out)
    if not named:
        return bare
    if bare:
        raise UsageFailure(
            "some files are of a source and some are not", "name the source of each: `en=en/*.txt ru=ru/*.txt`"
        )
    return named


def _check_apart(files: list[Any], out: str) -> None:
    from bytepair.data.places import check_apart, find, is_address  # noqa: PLC0415

    near = [file for file in files if not is_address(file) or file.startswith("file://")]
    check_apart(find(near) if near else [], out)


def _file(name: str) -> Any:  # noqa: ANN401 - a path, or a binary stream
    if name.startswith(f"{BUNDLED}:") and not Path(name).exists():
        texts, language = _bundled(), name.removeprefix(f"{BUNDLED}:")
        if language not in texts:
            raise UsageFailure(f"no text in `{language}` comes with bytepair", f"there are {', '.join(texts)}")
        return texts[language]
    if name != "-":
        return name
    if sys.stdin is None:
        raise InputError("stdin is closed", "name a file")
    if output.is_terminal(sys.stdin):
        output.note("Reading from the terminal; Ctrl-D on an empty line ends it.")
    return sys.stdin.buffer
