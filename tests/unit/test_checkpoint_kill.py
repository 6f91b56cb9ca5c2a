"""A training that is killed at any moment, and resumed, gives the same bytes as one that is not."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from importlib import resources
from pathlib import Path

import pytest

# Batches are small, counts are saved often, and each step takes its time, so that a kill falls anywhere.
PROGRAM = """
import sys, time, warnings
import bytepair as bp
from bytepair.checkpoint import directory
from bytepair.data import batches

folder, wait = sys.argv[1], float(sys.argv[2])
batches.PART, directory.EVERY, directory.SHARE = 4096, 0.02, 1
tok = bp.train(
    files={"one": f"{folder}/one.txt", "two": f"{folder}/two-*.txt"},
    num_merges=400,
    ties="first",
    weights={"two": 0.3},
    special_tokens=["Alice"],
    checkpoint=f"{folder}/run",
    resume=True,
    progress=lambda event: time.sleep(wait),
)
tok.save(f"{folder}/tokenizer.json")
"""


def folder_of(tmp_path: Path) -> Path:
    book = resources.files("bytepair.demo_data").joinpath("alice_body.txt").read_bytes()
    (tmp_path / "one.txt").write_bytes(book)
    for number in range(3):
        (tmp_path / f"two-{number}.txt").write_bytes(book[number * 50_000 :][:40_000])
    return tmp_path


def run(folder: Path, wait: float, *, kill_after: float | None = None) -> bool:
    """Runs the program, or kills it; whether it came to its end."""
    process = subprocess.Popen([sys.executable, "-W", "error", "-c", PROGRAM, str(folder), str(wait)])
    try:
        assert process.wait(timeout=240 if kill_after is None else kill_after) == 0
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        return False
    return True


def check(tmp_path: Path, moments: int, wait: float) -> set[bool]:
    """Kills at random moments, one training after the other; whether merges had been learned at these moments."""
    folder = folder_of(tmp_path)
    began = time.monotonic()
    assert run(folder, wait)
    whole = time.monotonic() - began
    result = (folder / "tokenizer.json").read_bytes()
    chance = random.Random(moments)
    killed, phases = 0, set()
    while killed < moments:
        for path in (*(folder / "run").iterdir(), folder / "tokenizer.json"):
            path.unlink()
        while not run(folder, wait, kill_after=chance.uniform(0.1, 1) * whole if killed < moments else None):
            killed += 1
            phases.add((folder / "run" / "merges").exists())
        assert (folder / "tokenizer.json").read_bytes() == result
        assert sorted(path.name for path in (folder / "run").iterdir()) == ["counts", "merges", "settings.json"]
    return phases


def test_killed_three_times(tmp_path: Path) -> None:
    check(tmp_path, 3, 0.001)


@pytest.mark.soak
def test_killed_twenty_times(tmp_path: Path) -> None:
    assert check(tmp_path, 20, 0.005) == {False, True}
