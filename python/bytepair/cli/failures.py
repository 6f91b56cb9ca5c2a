"""Failures in two lines: what is wrong, and what to do about it.

The idea: every exception becomes a `Failure`. The package's own errors speak in two lines already; those of the
system, of click and of Python are put into the same form here. A defect of ours is named as one; `python -X dev` shows
its traceback.
"""

from __future__ import annotations

import errno
import re
import sys
from dataclasses import dataclass

import click

FAILED, USAGE, REFUSED, INTERRUPTED = 1, 2, 3, 130

_HINTS = {
    errno.ENOENT: "check the path",
    errno.EISDIR: "give a file; the files of a directory can be given as `DIRECTORY/*`",
    errno.ENOTDIR: "check the path: a part of it is a file",
    errno.EACCES: "check the permissions of the file and of its directory",
    errno.EPERM: "check the permissions of the file and of its directory",
    errno.EROFS: "choose a place that can be written to",
    errno.ENOSPC: "make room, or choose another place",
    errno.ENAMETOOLONG: "give a shorter path; a text is given as an argument, a file with `-f`",
}
_OPTIONS = {
    "pattern": "--pattern",
    "unknown": "--unknown",
    "format": "--format",
    "special_tokens": "--special",
    "allowed_special": "--allow-special",
    "vocab_size": "--vocab-size",
    "num_merges": "--merges",
    "min_count": "--min-count",
    "keep": "--keep",
    "max_token_bytes": "--max-token-bytes",
    "alphabet": "--alphabet",
    "end_of_word": "--end-of-word",
    "threads": "--threads",
    "text_field": "--text-field",
    "source_field": "--source-field",
    "separator": "--separator",
    "errors": "--errors",
    "sample": "--sample",
    "seed_tokens": "--seed-token",
    "checkpoint": "--checkpoint",
    "resume": "--resume",
    "counts": "--counts",
    "base": "--base",
    "weights": "--weight",
    "balance": "--development",
    "development": "--development",
    "ties": "--ties",
    "seed": "--seed",
    "whole_characters": "--whole-characters",
    "end_of_word_joined": "--end-of-word-joined",
    "prune": "--prune",
    "input_format": "--input-format",
    "prepend": "--prepend",
    "append": "--append",
    "shard_tokens": "--shard-tokens",
    "engine": "--engine",
    "workers": "--workers",
    "address": "--address",
}
_LISTS = {"seed_tokens": "--seed-token", "special_tokens": "--special", "weights": "--weight"}
_SURE = "|".join(name for name in _OPTIONS if "_" in name)
"""What can mean nothing else where it stands alone."""
# name=, name="value", name=["value"], name=123 and name=True, in quotes of code or not; `name` or name where it can
# mean nothing else; and what a message begins with, or says that it be left out: name is ..., leave `name` out
_KEYWORD = re.compile(
    rf"""`?\b({"|".join(_OPTIONS)})=(\["[^"]*"\]|"[^"]*"|'[^']*'|\d+|True)?`?(?: or ("[^"]*"))?"""
    rf"""|`({_SURE})`|^({"|".join(_OPTIONS)})(?= (?:is|says|has) )"""
    rf"""|(?<=leave )`?({"|".join(_OPTIONS)})`?(?= out)|(?<![\w./`'"-])({_SURE})(?![\w./`'"\[-])"""
)
_ITEM = re.compile(rf"""\b({"|".join(_LISTS)})\[(\d+)\]""")
_BREAK = re.compile(r"\s*[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]\s*")
_QUOTES = "[]\"'"


@dataclass(frozen=True, slots=True)
class Failure:
    """What stderr and the exit code say."""

    what: str
    hint: str
    code: int = FAILED


class UsageFailure(click.UsageError):
    """Wrong usage, with a hint of its own."""

    def __init__(self, what: str, hint: str) -> None:
        """Each of the two is one line."""
        super().__init__(what)
        self.hint = hint


class InputError(Exception):
    """A failure that the command line itself found in its input."""

    def __init__(self, what: str, hint: str) -> None:
        """Each of the two is one line."""
        super().__init__(what)
        self.hint = hint


class RefusedError(InputError):
    """What was asked for would lose something, and was not done."""


class InterruptedWork(KeyboardInterrupt):
    """Ctrl-C in work that can go on later."""

    def __init__(self, hint: str) -> None:
        """One line."""
        super().__init__(hint)
        self.hint = hint


def failure_of(error: BaseException) -> Failure:
    """The failure that `error` is."""
    if isinstance(error, InterruptedWork):
        return Failure("interrupted", error.hint, INTERRUPTED)
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return Failure("interrupted", "nothing was left half-written; run the command again to start over", INTERRUPTED)
    if isinstance(error, click.ClickException):
        return _of_click(error)
    if isinstance(error, InputError):
        return Failure(one_line(str(error)), error.hint, REFUSED if isinstance(error, RefusedError) else FAILED)
    what, separator, hint = str(error).partition("\nhint: ")
    if separator:  # all errors of the package, and those of Python that it raises
        return Failure(in_options(one_line(what)), in_options(one_line(hint)))
    return _of_system(error) if isinstance(error, OSError) else _of_python(error)


def _of_python(error: BaseException) -> Failure:
    if isinstance(error, MemoryError):
        return Failure("not enough memory", "give less text at once, or split it into several files")
    if isinstance(error, ImportError):
        return Failure(one_line(str(error)), "install bytepair again: a part of it is missing")
    if isinstance(error, UnicodeError):
        return Failure(one_line(str(error)), "texts are UTF-8; other bytes are taken as they are from files and stdin")
    if sys.flags.dev_mode:
        raise error
    return Failure(
        f"a defect in bytepair: {type(error).__name__}: {one_line(str(error))}",
        "please report it with the command; `python -X dev -m bytepair.cli ...` shows where it happened",
    )


def _of_click(error: click.ClickException) -> Failure:
    what = one_line(error.format_message()).rstrip(".")
    what = what[:1].lower() + what[1:]
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "bytepair"
    hint = error.hint if isinstance(error, UsageFailure) else f"see `{path} --help`"
    return Failure(what, hint, USAGE if isinstance(error, click.UsageError) else FAILED)


def _of_system(error: OSError) -> Failure:
    reason = (error.strerror or str(error) or type(error).__name__).lower()
    what = f"{reason}: `{_shown(error.filename)}`" if error.filename is not None else reason
    return Failure(one_line(what), _HINTS.get(error.errno or 0, "check the path and the device"))


def _shown(name: object) -> str:
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)


def in_options(text: str) -> str:
    """`text` with the keywords of the Python interface as the options that they are here.

    >>> in_options('pass unknown="skip", or `pattern=` (a preset)')
    'pass `--unknown skip`, or `--pattern` (a preset)'
    >>> in_options('use format="huggingface" or "tiktoken"'), in_options("threads is 0")
    ('use `--format huggingface` or `--format tiktoken`', '`--threads` is 0')
    >>> in_options("seed_tokens[0] is empty"), in_options("leave `sample` out"), in_options("less (min_count, seed)")
    ('`--seed-token` number 1 is empty', 'leave `--sample` out', 'less (`--min-count`, seed)')
    """

    def replaced(found: re.Match[str]) -> str:
        assigned, value, other, *names = found.groups()
        option = _OPTIONS[assigned or next(filter(None, names))]
        shown = f"`{option} {value.strip(_QUOTES)}`" if value and value != "True" else f"`{option}`"
        return f"{shown} or `{option} {other.strip(_QUOTES)}`" if other else shown

    numbered = _ITEM.sub(lambda item: f"`{_LISTS[item[1]]}` number {int(item[2]) + 1}", text)
    return _KEYWORD.sub(replaced, numbered)


def one_line(text: str) -> str:
    r"""`text` without line breaks and control characters, cut to 400 characters; spaces in a line stay.

    >>> one_line("a\n  b"), one_line("is 'a  b'")
    ('a b', "is 'a  b'")
    """
    joined = _BREAK.sub(" ", text).strip().replace("\t", " ")
    safe = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in joined)
    return safe if len(safe) <= 400 else safe[:397] + "..."  # noqa: PLR2004
