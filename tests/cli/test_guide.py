"""The command lines of the guide's pages give what the pages say.

`BYTEPAIR_SNAPSHOTS=write` writes the outputs anew, for a person to look at.
"""

from __future__ import annotations

import doctest
import os
import re
import stat
import subprocess
from importlib import resources
from pathlib import Path

import pytest

from cli.running import PROGRAM

GUIDE = Path(__file__).parents[2] / "docs" / "guide"
PAGES = {"command-line.md": 15, "editing.md": 4, "measure.md": 4}
"""The pages, and how many commands they have at least."""
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
VARYING = re.compile(r"(?<=^seconds\t).*$", re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the book, and a `bytepair` that is this one."""
    (tmp_path / "book.txt").write_bytes(resources.files("bytepair.demo_data").joinpath("alice_body.txt").read_bytes())
    program = tmp_path / "bin" / "bytepair"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nexec {} "$@"\n'.format(" ".join(PROGRAM)))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return tmp_path


def output(command: str, folder: Path) -> str:
    env = dict(os.environ) | {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    shell = ["/bin/sh", "-c", command]
    done = subprocess.run(shell, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    text = done.stdout.decode()
    return text if text.endswith("\n") or not text else text + "\n"


@pytest.mark.parametrize("name", PAGES)
def test_the_guide(name: str, folder: Path) -> None:
    page = (GUIDE / name).read_text(encoding="utf-8")
    parts = []
    for block in BLOCK.findall(page):
        for command, wanted in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            parts.append((command, wanted, output(command, folder)))
    assert len(parts) > PAGES[name]
    if os.environ.get("BYTEPAIR_SNAPSHOTS") == "write":
        given = iter(parts)

        def written(block: re.Match[str]) -> str:
            shown = []
            for _ in re.findall(r"^\$ ", block[1], re.MULTILINE):
                command, _, got = next(given)
                shown.append(f"$ {command}\n" + VARYING.sub("...", got))
            return "```console\n" + "".join(shown) + "```"

        (GUIDE / name).write_text(BLOCK.sub(written, page), encoding="utf-8")
        return
    check = doctest.OutputChecker().check_output
    wrong = [(command, wanted, got) for command, wanted, got in parts if not check(wanted, got, doctest.ELLIPSIS)]
    assert wrong == []
