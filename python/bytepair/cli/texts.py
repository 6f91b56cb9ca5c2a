"""The texts that a command works on: arguments, files or stdin, as raw bytes.

The invariant: bytes come in unchanged. Arguments are turned back into the bytes that the shell passed; files and stdin
are read in binary. Cost: one text is in memory at a time; with `--lines`, one line; of a text read in parts, one part.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial, wraps
from io import BytesIO
from typing import Any

import click

from bytepair.cli import output
from bytepair.cli.failures import InputError

PART = 4 << 20
"""The bytes of a part."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where texts come from: `arguments` first, then `files`; stdin (`-`) if there are neither."""

    arguments: tuple[str, ...]
    files: tuple[str, ...]
    lines: bool

    def texts(self) -> Iterator[Text]:
        """Each text in order; with `lines`, each line without its line end."""
        for argument in self.arguments:
            yield from self._cut(Text(None, argument_bytes(argument)))
        names = self.files or (() if self.arguments else ("-",))
        for name in names:
            if self.lines:
                yield from _lines(name)
            else:
                yield Text(name, read(name))

    def in_parts(self) -> Iterator[tuple[str | None, Iterable[bytes]]]:
        """Each text in order: its name and its parts, to be read before the next text is asked for."""
        if self.lines:
            for text in self.texts():
                yield text.name, (text.content,)
            return
        for argument in self.arguments:
            yield None, (argument_bytes(argument),)
        for name in self.files or (() if self.arguments else ("-",)):
            yield name, _parts(name)

    def _cut(self, text: Text) -> Iterator[Text]:
        if not self.lines:
            yield text
            return
        for content in BytesIO(text.content):
            yield Text(None, _without_end(content))


@dataclass(frozen=True, slots=True)
class Text:
    """One text: its bytes and the file they came from (`-`: stdin; None: an argument)."""

    name: str | None
    content: bytes


def argument_bytes(argument: str) -> bytes:
    """The bytes that were passed as `argument`."""
    try:
        return os.fsencode(argument)
    except UnicodeEncodeError:
        raise InputError(
            "an argument holds half a surrogate pair, which is no character", "give the text in a file or on stdin"
        ) from None


def read(name: str) -> bytes:
    """All bytes of the file `name`, or of stdin for `-`."""
    if name == "-":
        content: bytes = _stdin().read()
        return content
    with open(name, "rb") as file:  # noqa: PTH123 - a name may hold any bytes
        return file.read()


def _parts(name: str) -> Iterator[bytes]:
    if name == "-":
        yield from iter(partial(_stdin().read, PART), b"")
        return
    with open(name, "rb", buffering=0) as file:  # noqa: PTH123 - a name may hold any bytes
        yield from iter(partial(file.read, PART), b"")


def _lines(name: str) -> Iterator[Text]:
    if name == "-":
        for content in _stdin():
            yield Text(name, _without_end(content))
        return
    with open(name, "rb") as file:  # noqa: PTH123
        for content in file:
            yield Text(name, _without_end(content))


def _without_end(content: bytes) -> bytes:
    return content.removesuffix(b"\n").removesuffix(b"\r")


def _stdin() -> Any:  # noqa: ANN401 - a binary stream, whatever stands behind it
    if sys.stdin is None:
        raise InputError("stdin is closed", "give the text as an argument, or a file with `-f`")
    if output.is_terminal(sys.stdin):
        output.note("Reading from the terminal; Ctrl-D on an empty line ends it.")
    return sys.stdin.buffer


def text_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give `command` the options of everything that takes texts; it gets them as one `source`."""

    @wraps(command)
    def gathered(*, arguments: tuple[str, ...], files: tuple[str, ...], lines: bool, **others: Any) -> None:  # noqa: ANN401
        command(source=Source(arguments, files, lines), **others)

    for option in (
        click.option("--lines", is_flag=True, help="Take each line as a text of its own, without its line end."),
        click.option(
            "-f",
            "--file",
            "files",
            multiple=True,
            type=click.Path(readable=False),
            help="Read a text from a file (- is stdin).",
        ),
        click.argument("arguments", metavar="[TEXT]...", nargs=-1),
    ):
        gathered = option(gathered)
    return gathered
