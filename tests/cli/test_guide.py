"""The command lines of the guide's pages give what the pages say.

`BYTEPAIR_SNAPSHOTS=write` writes the outputs anew, for a person to look at.
"""

from __future__ import annotations

import doctest
import stat
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest

from cli.guide import PUBLISHED, commands, output
from cli.running import PROGRAM

PAGES = {"command-line.md": 15, "editing.md": 4, "measure.md": 16, "articles.md": 16, "balance.md": 2}
"""The pages, and how many commands they have at least."""
FILES = {"gpt2": "r50k_base", "cl100k_base": "cl100k_base", "o200k_base": "o200k_base"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the book, and a `bytepair` that is this one."""
    (tmp_path / "book.txt").write_bytes(resources.files("bytepair.demo_data").joinpath("alice_body.txt").read_bytes())
    program = tmp_path / "bin" / "bytepair"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nexec {} "$@"\n'.format(" ".join(PROGRAM)))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return tmp_path


def differing(parts: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    check = doctest.OutputChecker().check_output
    return [(command, wanted, got) for command, wanted, got in parts if not check(wanted, got, doctest.ELLIPSIS)]


@pytest.mark.parametrize("name", PAGES)
def test_the_guide(name: str, folder: Path) -> None:
    parts = commands(name, lambda command, _: None if PUBLISHED.search(command) else output(command, folder))
    assert len(parts) > PAGES[name]
    assert differing(parts) == []


def test_published_tokenizers(folder: Path, vocabulary_file: Callable[[str], Path]) -> None:
    """They are found by their names in the folder that the guide says they are put in."""
    for name in set(FILES.values()):
        (folder / f"{name}.tiktoken").symlink_to(vocabulary_file(name))
    home = {"BYTEPAIR_HOME": str(folder)}
    parts = commands(
        "articles.md", lambda command, _: output(command, folder, home) if PUBLISHED.search(command) else None
    )
    assert len(parts) == 5
    assert differing(parts) == []
