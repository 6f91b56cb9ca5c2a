"""The command lines of the guide's pages, and what they print."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "guide"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
VARYING = re.compile(r"(?<=^seconds\t).*$", re.MULTILINE)
PUBLISHED = re.compile(r" -t (gpt2|cl100k_base|o200k_base)\b")
"""Commands on published tokenizers, whose files are not part of the clone."""


def output(command: str, folder: Path, extra: Mapping[str, str] | None = None) -> str:
    """What a command prints in a folder that has `bin/bytepair`."""
    env = dict(os.environ) | {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"} | dict(extra or {})
    shell = ["/bin/sh", "-c", command]
    done = subprocess.run(shell, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    text = done.stdout.decode()
    return text if text.endswith("\n") or not text else text + "\n"


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
