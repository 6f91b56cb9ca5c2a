"""Closed pipes, closed streams and Ctrl-C."""

from __future__ import annotations

import os
import random
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bytepair.cli import main
from bytepair.cli.app import COMMANDS
from bytepair.playground import serving
from cli.running import PROGRAM

Ending = tuple[str, Callable[[], int]]
"""The name of a command, and what runs it and gives its exit code."""


@pytest.mark.parametrize("command", [["vocab"], ["vocab", "--json"], ["encode", "--lines"], ["split"]])
def test_a_closed_pipe_is_silent(command: list[str], trained: str, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("many words\n" * 50_000)
    source = [] if command[0] == "vocab" else ["-f", str(tmp_path / "text")]
    child = subprocess.Popen(
        [*PROGRAM, *command, "-t", trained, *source], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.read(5)
    child.stdout.close()
    errors = child.stderr.read()
    child.stderr.close()
    assert (child.wait(timeout=60), errors) == (0, b"")


def test_the_demo_into_a_closed_pipe_is_silent(tmp_path: Path) -> None:
    """The pipe closes while the engine learns: the error comes back through it."""
    child = subprocess.Popen([*PROGRAM, "demo"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.readline()
    child.stdout.close()
    errors = child.stderr.read()
    child.stderr.close()
    assert (child.wait(timeout=60), errors) == (0, b"")
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_closed_from_the_start_is_silent(trained: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*PROGRAM, "info", "-t", trained], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def test_closed_streams(trained: str) -> None:
    program = " ".join(PROGRAM)
    for redirection, code in ((">&-", 1), ("<&-", 1), ("2>&-", 0)):
        text = "" if redirection == "<&-" else "hello"
        shell = f"{program} count -t {trained} {text} {redirection}"
        done = subprocess.run(["/bin/sh", "-c", shell], capture_output=True, check=False)
        assert done.returncode == code, (redirection, done.stderr)
        assert b"Traceback" not in done.stderr


LINES = {
    "demo": "demo -o OUT.json",
    "train": "train TEXT -n 300 -o OUT.json",
    "pretokens": "pretokens TEXT -o OUT.parquet",
    "shard": "shard TEXT -t TOK -o OUT --workers 1",
    "encode": "encode -t TOK low",
    "decode": "decode -t TOK 97",
    "count": "count -t TOK low",
    "split": "split -t TOK low",
    "explain": "explain -t TOK low",
    "steps": "steps -t TOK low",
    "vocab": "vocab -t TOK",
    "info": "info -t TOK",
    "measure": "measure -t TOK TEXT",
    "sweep": "sweep -t TOK TEXT",
    "zipf": "zipf -t TOK TEXT",
    "kinds": "kinds -t TOK",
    "oddities": "oddities -t TOK",
    "tax": "tax -t TOK en=bundled ru=bundled",
    "compare": "compare -t a=TOK -t b=TOK TEXT",
    "gap": "gap -t TOK TEXT",
    "baselines": "baselines TEXT",
    "loss": "loss -t TOK --nats 3 TEXT",
    "audit": "audit -t TOK",
    "report": "report TOK TEXT -o OUT.html",
    "play": "play TOK --no-browser --port 0",
    "convert": "convert TOK OUT.json",
    "edit": "edit truncate -t TOK -n 300 -o OUT.json",
    "fetch": "fetch no-such-name",
}
"""A command line for each command."""
SILENT = {"train", "pretokens", "shard", "report", "play"}
"""Those of which nothing goes to stdout."""


@pytest.fixture(params=LINES)
def ran(request: pytest.FixtureRequest, trained: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ending:
    """A command, and what runs it in this process."""
    name: str = request.param
    (tmp_path / "text").write_text("low lower lowest, the cat sat on the mat. " * 20)

    def served(server: serving.Server, sockets: list[socket.socket]) -> None:
        server._ready(server)  # noqa: SLF001 - which tells where it is
        sockets[0].close()

    monkeypatch.setattr(serving.Server, "run", served)
    places = {"TOK": trained, "TEXT": str(tmp_path / "text"), "OUT": str(tmp_path / "out")}
    line = re.sub("TOK|TEXT|OUT", lambda word: places[word[0]], LINES[name]).split()
    return name, lambda: main(line)


def test_every_command_has_a_line() -> None:
    assert LINES.keys() == set(COMMANDS)


def test_without_stdin_and_stderr(ran: Ending, monkeypatch: pytest.MonkeyPatch) -> None:
    name, run = ran
    monkeypatch.setattr(sys, "stdin", None)
    monkeypatch.setattr(sys, "stderr", None)
    assert run() == (1 if name == "fetch" else 0)


def test_without_stdout(ran: Ending, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """What is written to a file is written; what cannot be told is a failure, in two lines."""
    name, run = ran
    monkeypatch.setattr(sys, "stdout", None)
    assert run() == (0 if name in SILENT else 1)
    said = capfd.readouterr().err
    assert "Traceback" not in said
    assert name in {*SILENT, "fetch"} or "error: stdout is closed\nhint: " in said


def test_into_a_closed_pipe(ran: Ending, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """Silent, and no failure: who reads has what they want."""
    name, run = ran
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as gone:
        monkeypatch.setattr(sys, "stdout", gone)
        assert run() == (1 if name == "fetch" else 0)
    assert name in {*SILENT, "fetch"} or "error" not in capfd.readouterr().err


@pytest.mark.parametrize(
    "line",
    [
        "train text -n 5000 -o {}.json -v --every 1",
        "pretokens text -o {}/ --workers 1",
        "shard text -t tok.json -o {} --workers 1",
    ],
)
def test_files_are_the_same_without_streams(line: str, trained: str, tmp_path: Path) -> None:
    """A file that takes the number of a stream would have in it what is told."""
    (tmp_path / "text").write_text("low lower lowest, the cat sat on the mat. " * 20)
    shutil.copy(trained, tmp_path / "tok.json")
    found = []
    for number, redirection in enumerate(("", "<&- >&- 2>&-", ">/dev/full 2>/dev/full")):
        shell = f"exec {shlex.join(PROGRAM)} {line.format(number)} {redirection}"
        done = subprocess.run(["/bin/sh", "-c", shell], capture_output=True, check=False, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        places = sorted(tmp_path.glob(f"{number}*")) + sorted(tmp_path.glob(f"{number}*/**/*"))
        found.append([path.read_bytes() for path in places if path.is_file()])
    assert found[0]
    assert found[0] == found[1] == found[2]


def test_what_is_told_to_a_closed_pipe(tmp_path: Path) -> None:
    """No word, and no failure: what was asked for is done."""
    (tmp_path / "text").write_text("low lower lowest")
    reader, writer = os.pipe()
    os.close(reader)
    line = ["train", "text", "-n", "5000", "-o", "out.json", "-v", "--every", "1"]
    done = subprocess.run([*PROGRAM, *line], stderr=writer, check=False, cwd=tmp_path)
    os.close(writer)
    assert done.returncode == 0


def test_interrupted_while_reading(trained: str) -> None:
    """Two lines and 130, whatever was written before; it is busy for certain once it has written."""
    child = subprocess.Popen(
        [*PROGRAM, "encode", "--lines", "-t", trained],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(b"some words\n" * 2_000)
    child.stdin.flush()
    assert child.stdout.read(10)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=30)
    assert child.returncode == 130
    assert errors.splitlines()[0] == b"error: interrupted"
    assert len(errors.splitlines()) == 2


def test_interrupted_while_training(tmp_path: Path) -> None:
    text, out = tmp_path / "text", tmp_path / "out.json"
    text.write_text("".join(random.Random(1).choices("abcdefgh", k=2_000_000)), "utf-8")
    log = ["-v", "--every", "1"]
    child = subprocess.Popen(
        [*PROGRAM, "train", str(text), "-n", "200000", "--pattern", "none", "-o", str(out), *log],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stderr is not None
    assert b"->" in child.stderr.readline()
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    assert child.returncode == 130, errors[-300:]
    assert errors.splitlines()[-2] == b"error: interrupted"
    assert [path.name for path in tmp_path.iterdir()] == ["text"]
