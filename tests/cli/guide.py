"""The command lines of the guide's pages, and what they print.

A `bytepair` at the start of a line runs in process, which is quick, and what it writes goes into the rest of the line,
if there is one. Lines that begin otherwise are the shell's.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from click.testing import CliRunner

from bytepair.cli.app import app

GUIDE = Path(__file__).parents[2] / "docs" / "guide"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
VARYING = re.compile(r"(?<=^seconds\t).*$", re.MULTILINE)
PUBLISHED = re.compile(r" -t (gpt2|cl100k_base|o200k_base)\b")
"""Commands on published tokenizers, whose files are not part of the clone."""


def output(command: str, folder: Path, extra: Mapping[str, str] | None = None) -> str:
    """What a command prints in a folder that has `bin/bytepair`."""
    ours, rest = _parted(command)
    given = b""
    if ours is not None:
        with contextlib.chdir(folder):
            given = CliRunner().invoke(app, ours, env=dict(extra or {})).output_bytes
    if rest:
        env = dict(os.environ) | {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"} | dict(extra or {})
        shell = ["/bin/sh", "-c", f"exec 2>&1; {rest}"]
        given = subprocess.run(shell, cwd=folder, env=env, input=given, stdout=subprocess.PIPE, check=False).stdout
    text = given.decode()
    return text if text.endswith("\n") or not text else text + "\n"


def _parted(command: str) -> tuple[list[str] | None, str]:
    """The arguments of a `bytepair` at the start of a line, and what stands behind its `|`.

    >>> _parted("bytepair split 'a|b' | head -1"), _parted("printf a | bytepair count")
    ((['split', 'a|b'], 'head -1'), (None, 'printf a | bytepair count'))
    """
    words = shlex.shlex(command, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    found = list(words)
    signs = [word for word in found if not word.strip("|&;<>()")]
    if found[0] != "bytepair" or (signs and signs[0] != "|"):
        return None, command
    end = found.index("|") if signs else len(found)
    behind = command.partition(" | ")[2] if signs else ""
    assert not signs or shlex.split(command.partition(" | ")[0])[1:] == found[1:end]
    return found[1:end], behind


def commands(name: str, run: Callable[[str, str], str | None]) -> list[tuple[str, str, str]]:
    """(command, what the page says, what it prints) of a page; `run` gives None for what is not to be run.

    With BYTEPAIR_SNAPSHOTS=write the page is written anew, and what it says is what is printed.
    """
    page = (GUIDE / name).read_text(encoding="utf-8")
    found: list[tuple[str, str, str]] = []

    def written(block: re.Match[str]) -> str:
        shown = []
        for command, wanted in COMMAND.findall(block[1]):
            got = run(command, wanted)
            if got is not None:
                found.append((command, wanted, got))
            shown.append(f"$ {command}\n" + (wanted if got is None else VARYING.sub("...", got)))
        return "```console\n" + "".join(shown) + "```"

    anew = BLOCK.sub(written, page)
    if os.environ.get("BYTEPAIR_SNAPSHOTS") == "write":
        (GUIDE / name).write_text(anew, encoding="utf-8")
        return [(command, got, got) for command, _, got in found]
    return found
