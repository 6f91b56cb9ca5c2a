"""How the command line is run in these tests: in process, as a process in a pipe, and as a process on a terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

import pytest
from click.testing import CliRunner

from bytepair.cli import output
from bytepair.cli.app import app
from cli.running import PROGRAM, Ran, Run, Snapshot

SNAPSHOTS = Path(__file__).parent / "snapshots"
MACHINES = re.compile(r"(AVX-512|AVX2), 64 bytes at a time|scalar, one character at a time: the processor has [^\n]*")
"""What `info` says of the machine, which is another one elsewhere."""


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "COLORTERM")}
    return kept | {"TERM": "xterm-256color"} | dict(extra or {})


@pytest.fixture(scope="session")
def run() -> Run:
    """In process: quick; stdout is no terminal."""

    def call(*arguments: str | Path, stdin: bytes = b"") -> Ran:
        result = CliRunner().invoke(app, [os.fspath(argument) for argument in arguments], input=stdin)
        return Ran(result.exit_code, result.stdout_bytes, result.stderr_bytes)

    return call


@pytest.fixture
def drawn(run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """In process, as if stdout were a terminal of 80 columns."""

    def call(*arguments: str | Path, env: Mapping[str, str] | None = None, columns: int = 80) -> Ran:
        monkeypatch.setattr(output, "is_terminal", lambda stream: stream is sys.stdout)
        monkeypatch.setattr(output, "_terminals", {})
        for name in ("NO_COLOR", "COLORTERM"):
            monkeypatch.delenv(name, raising=False)
        for name, value in {"TERM": "xterm-256color", "COLUMNS": str(columns), **(env or {})}.items():
            monkeypatch.setenv(name, value)
        return run(*arguments)

    return call


@pytest.fixture(scope="session")
def process() -> Run:
    """As a process of its own, with pipes."""

    def call(
        *arguments: str | bytes | Path,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Ran:
        done = subprocess.run(
            [*PROGRAM, *arguments],
            input=stdin,
            capture_output=True,
            check=False,
            env=environment(env),
            cwd=cwd,
            timeout=120,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture(scope="session")
def terminal() -> Run:
    """As a process whose three streams are a terminal of 80 columns."""

    def call(
        *arguments: str | Path, env: Mapping[str, str] | None = None, columns: int = 80, cwd: Path | None = None
    ) -> Ran:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        child = subprocess.Popen(
            [*PROGRAM, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=environment(env), cwd=cwd
        )
        os.close(theirs)
        written = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # how Linux says that the other side is closed
                break
            if not part:
                break
            written += part
        os.close(ours)
        return Ran(child.wait(timeout=60), written.replace(b"\r\n", b"\n"), b"")

    return call


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory, run: Run) -> str:
    """A tokenizer of 1,000 tokens and two special ones, trained by the command line on the bundled book."""
    folder = tmp_path_factory.mktemp("trained")
    book = folder / "alice.txt"
    book.write_bytes(resources.files("bytepair.demo_data").joinpath("alice_body.txt").read_bytes())
    out = folder / "tokenizer.json"
    special = ["--special", "<|endoftext|>", "--special", "<|user|>"]
    done = run("train", str(book), "-n", "1002", *special, "-o", str(out), "-q")
    assert (done.code, done.stdout, done.stderr) == (0, b"", b"")
    return str(out)


@pytest.fixture
def snapshot() -> Snapshot:
    """Compare with a committed file; `BYTEPAIR_SNAPSHOTS=write` writes it anew, for a person to look at."""

    def compare(name: str, text: str) -> None:
        path = SNAPSHOTS / f"{name}.txt"
        text = MACHINES.sub("(as the machine is)", text)
        if os.environ.get("BYTEPAIR_SNAPSHOTS") == "write":
            path.write_text(text, encoding="utf-8", newline="")
        assert text == path.read_text(encoding="utf-8"), f"{path.name} differs; look, then BYTEPAIR_SNAPSHOTS=write"

    return compare
