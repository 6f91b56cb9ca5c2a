"""How the command line is run in these tests: what is started, and what is looked at afterwards."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass

# Development mode and warnings as errors: an unclosed file or a deprecated call is a failure too.
PROGRAM = [sys.executable, "-X", "dev", "-W", "error", "-m", "bytepair.cli"]
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
_SHOWN = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|([nrt\\]))")
_UNNAMED = {"n": b"\n", "r": b"\r", "t": b"\t", "\\": b"\\"}


@dataclass(frozen=True)
class Ran:
    """What a run left: its exit code and what it wrote. On a terminal both streams arrive as `stdout`."""

    code: int
    stdout: bytes
    stderr: bytes

    @property
    def out(self) -> str:
        """What stdout got, as text."""
        return self.stdout.decode()

    @property
    def err(self) -> str:
        """What stderr got, as text."""
        return self.stderr.decode()


Run = Callable[..., Ran]
Snapshot = Callable[[str, str], None]


def hidden(shown: str) -> bytes:
    r"""The bytes that `visible` shows as `shown`.

    >>> hidden("\\xd0\\n")
    b'\xd0\n'
    """
    pieces: list[bytes] = []
    at = 0
    for escape in _SHOWN.finditer(shown):
        pieces.append(shown[at : escape.start()].encode("utf-8", "surrogateescape"))
        byte, short, long, named = escape.groups()
        if byte is not None:
            pieces.append(bytes([int(byte, 16)]))
        elif named is not None:
            pieces.append(_UNNAMED[named])
        else:
            pieces.append(chr(int(short or long, 16)).encode("utf-8", "surrogatepass"))
        at = escape.end()
    pieces.append(shown[at:].encode("utf-8", "surrogateescape"))
    return b"".join(pieces)
