"""Help and shell completion."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from bytepair.cli.app import COMMANDS, app
from cli.running import Run


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_help_fits_and_has_examples(command: str | None, process: Run) -> None:
    done = process(*([command] if command else []), "--help", env={"COLUMNS": "80"})
    assert (done.code, done.err) == (0, "")
    assert "Examples:" in done.out
    assert [row for row in done.out.splitlines() if len(row) > 80] == []


def examples() -> list[str]:
    """Every `bytepair ...` in the examples of the help."""
    context = click.Context(app)
    found = []
    for name in COMMANDS:
        command = app.get_command(context, name)
        assert command is not None
        assert command.epilog is not None
        shown = command.epilog.partition("Examples:")[2].partition("\n\n")[0].replace("\\\n", " ")
        for row in shown.splitlines():
            words = shlex.split(row)
            for at, word in enumerate(words):
                if word == "bytepair":
                    part = words[at + 1 :]
                    ends = [index for index, each in enumerate(part) if each in ("|", "<", ">")]
                    found.append(shlex.join(part[: ends[0]] if ends else part))
    return found


@pytest.mark.parametrize("example", examples())
def test_examples_parse(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "train.toml").touch()
    monkeypatch.chdir(tmp_path)
    name, *rest = shlex.split(example)
    command = app.get_command(click.Context(app), name)
    assert command is not None
    command.make_context(name, rest).close()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(shell: str, process: Run) -> None:
    done = process(env={"_BYTEPAIR_COMPLETE": f"{shell}_source"})
    assert done.code == 0
    assert "_BYTEPAIR_COMPLETE" in done.out


@pytest.mark.parametrize(
    ("words", "at", "wanted"),
    [("bytepair de", 1, ["plain,demo", "plain,decode"]), ("bytepair train --pattern o", 3, ["plain,o200k"])],
)
def test_completion(words: str, at: int, wanted: list[str], process: Run) -> None:
    env = {"_BYTEPAIR_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(at)}
    assert process(env=env).out.splitlines() == wanted


def test_version(process: Run) -> None:
    assert process("--version").out.startswith("bytepair ")


def test_counting_loads_little(trained: str) -> None:
    """Start-up is most of what a short command takes: neither rich nor NumPy is imported for it."""
    program = (
        "import sys; from bytepair.cli import main; code = main(sys.argv[1:]);"
        "print([name for name in ('rich', 'numpy', 'asyncio', 'bytepair.training') if name in sys.modules], code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "count", "-t", trained, "hello"], capture_output=True, check=True, text=True
    )
    assert done.stdout.splitlines()[1] == "[] 0"
