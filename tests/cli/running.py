"""How the command line is run in these tests: what is started, and what is looked at afterwards."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass

# Development mode and warnings as errors: an unclosed file or a deprecated call is a failure too.
PROGRAM = [sys.executable, "-X", "dev", "-W", "error", "-m", "bytepair.cli"]
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


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
