"""Closed pipes, closed streams and Ctrl-C."""

from __future__ import annotations

import os
import random
import signal
import subprocess
from pathlib import Path

import pytest

from cli.running import PROGRAM


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
