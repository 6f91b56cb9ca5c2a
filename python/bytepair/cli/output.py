"""Where a command writes: data to stdout as UTF-8 bytes, everything else to stderr.

The idea: bytes are written past the text layer, so that neither the locale nor invalid UTF-8 changes them. Blocks are
drawn for a terminal when stdout is one, and as plain lines otherwise; rich is imported only to draw.
"""

from __future__ import annotations

import errno
import json
import os
import re
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

from bytepair.render.plain import plain
from bytepair.render.spans import Block

if TYPE_CHECKING:
    from bytepair.render.terminal import Terminal

_terminals: dict[bool, Terminal] = {}
_HALF = re.compile("[\ud800-\udfff]")


def _binary(stream: TextIO | None, name: str) -> BinaryIO:
    if stream is None:
        raise OSError(errno.EBADF, f"{name} is closed")
    return stream.buffer


def write(data: bytes) -> None:
    """Write `data` to stdout."""
    _binary(sys.stdout, "stdout").write(data)


def write_line(text: str) -> None:
    """Write `text` and a line feed to stdout."""
    write(text.encode("utf-8", "surrogateescape") + b"\n")


def write_json(value: Any) -> None:  # noqa: ANN401
    """Write `value` as one line of JSON; bytes of a path that are no UTF-8 become escapes of half a surrogate pair."""
    text = json.dumps(value, ensure_ascii=False)
    write_line(text if text.isascii() else _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", text))


def json_text(content: bytes) -> dict[str, str | None]:
    """Bytes as JSON can hold them: the text, null where it is not UTF-8, and the bytes in hex."""
    try:
        text: str | None = content.decode("utf-8")
    except UnicodeDecodeError:
        text = None
    return {"text": text, "bytes": content.hex()}


def note(text: str) -> None:
    """Write `text` and a line feed to stderr; a closed stderr is not worth failing for."""
    try:
        stream = _binary(sys.stderr, "stderr")
        stream.write(text.encode("utf-8", "replace") + b"\n")
        stream.flush()
    except (OSError, ValueError):
        return


def flush() -> None:
    """Write out what is buffered, so that a full disk or a closed pipe shows now and not at exit."""
    if sys.stdout is not None:
        _binary(sys.stdout, "stdout").flush()


def abandon() -> None:
    """Let what is still buffered go nowhere: the reader is gone."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(devnull, sys.stdout.fileno())
    except (OSError, ValueError):  # not a real file, as under a test runner
        return
    finally:
        os.close(devnull)


def on_terminal() -> bool:
    """Whether a person sees stdout."""
    return is_terminal(sys.stdout)


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person sees what is written to `stream`."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


def draw(blocks: Iterable[Block], *, to_stderr: bool = False) -> None:
    """Draw blocks on stdout, or on stderr."""
    stream = sys.stderr if to_stderr else sys.stdout
    if is_terminal(stream):
        screen = terminal(to_stderr=to_stderr)
        for block in blocks:
            _put(screen.draw(block).removesuffix("\n"), to_stderr=to_stderr)
        return
    for block in blocks:
        for text in plain(block):
            _put(text, to_stderr=to_stderr)


def _put(text: str, *, to_stderr: bool) -> None:
    if to_stderr:
        note(text)
    else:
        write_line(text)


def coloured() -> bool:
    """Whether colours are wanted: `NO_COLOR` is unset or empty, and the terminal is no dumb one."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") not in ("dumb", "unknown")


def terminal(*, to_stderr: bool = False) -> Terminal:
    """The renderer for the terminal at stdout or stderr, made once."""
    from shutil import get_terminal_size  # noqa: PLC0415

    from bytepair.render.terminal import Terminal  # noqa: PLC0415

    if to_stderr not in _terminals:
        _terminals[to_stderr] = Terminal(width=get_terminal_size().columns, colour=coloured())
    return _terminals[to_stderr]
