"""The driver and workers are killed at any moment, and the same command gives the same files, doing nothing twice."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import bytepair as bp
from scale import sharding
from scale.sharding import END

# Items are small, and each takes its time, so that a kill falls anywhere.
RUN = """
import sys
sys.path.insert(0, sys.argv[1])
import slow
import bytepair as bp
from bytepair.shards import writing
writing.Job, writing.SIZE = slow.Slow, 1
tok = bp.load(sys.argv[1] + "/tok.json")
bp.write_shards(
    tok, sys.argv[1] + "/out", files=sys.argv[1] + "/*.jsonl", append="<|endoftext|>", shard_tokens=40, workers=2
)
"""
SLOW = """
import os, time
from dataclasses import dataclass
from bytepair.shards.job import Job

@dataclass(frozen=True, slots=True)
class Slow(Job):
    def __call__(self, item):
        place = os.environ["SLOW"]
        with open(place + "/worked", "a") as file:
            file.write(f"{item.number} {os.getpid()}\\n")
        time.sleep(0.03)
        done = Job.__call__(self, item)
        with open(place + "/finished", "a") as file:
            file.write(f"{item.number}\\n")
        return done
"""


def prepared(folder: Path) -> Path:
    sharding.tokenizer().save(folder / "tok.json")
    (folder / "slow.py").write_text(SLOW)
    numbers = random.Random(1)
    for file in range(6):
        texts = [" ".join(numbers.choices(["low", "lower", "the", "cat", "sat"], k=12)) for _ in range(30)]
        sharding.jsonl(folder / f"{file}.jsonl", texts)
    return folder


def start(folder: Path) -> subprocess.Popen[bytes]:
    environment = os.environ | {"SLOW": str(folder), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen([sys.executable, "-W", "error", "-c", RUN, str(folder)], env=environment)


def lines(folder: Path, name: str) -> list[str]:
    place = folder / name
    return place.read_text().splitlines() if place.exists() else []


def whole(folder: Path) -> dict[str, bytes]:
    """What comes of it when nobody is killed, but for the manifest's times, which are those of the same files."""
    process = start(folder)
    assert process.wait(timeout=120) == 0
    expected = sharding.files_of(folder / "out")
    (folder / "out").rename(folder / "whole")
    for name in ("worked", "finished"):
        (folder / name).unlink()
    return expected


def wait_for(folder: Path, name: str, count: int) -> None:
    until = time.monotonic() + 60
    while len(lines(folder, name)) < count:
        assert time.monotonic() < until
        time.sleep(0.005)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def check_driver(folder: Path, kills: int) -> None:
    expected = whole(folder)
    total = json.loads(expected["manifest.json"])["items"]
    chance = random.Random(kills)
    for _ in range(kills):
        before = len(lines(folder, "finished"))
        process = start(folder)
        wait_for(folder, "finished", before + chance.randint(1, 4))
        process.send_signal(signal.SIGKILL)
        process.wait()
        pids = {int(line.split()[1]) for line in lines(folder, "worked")}
        until = time.monotonic() + 20
        while any(map(alive, pids)):  # no worker outlives its driver
            assert time.monotonic() < until
            time.sleep(0.01)
        assert not (folder / "out" / "manifest.json").exists()
    process = start(folder)
    assert process.wait(timeout=120) == 0
    assert sharding.files_of(folder / "out") == expected
    worked = [line.split()[0] for line in lines(folder, "worked")]
    # Nothing that was noted is done twice: an item is begun again at most once for each kill and worker.
    assert len(worked) <= len(total) + 2 * kills
    assert bp.verify_shards(folder / "out").faults == ()


def test_the_driver_is_killed(tmp_path: Path) -> None:
    check_driver(prepared(tmp_path), 2)


@pytest.mark.soak
def test_the_driver_is_killed_again_and_again(tmp_path: Path) -> None:
    check_driver(prepared(tmp_path), 12)


def test_a_worker_is_killed(tmp_path: Path) -> None:
    """The driver goes on, and nothing is missing."""
    folder = prepared(tmp_path)
    expected = whole(folder)
    process = start(folder)
    for count in (3, 9):
        wait_for(folder, "worked", count)
        pid = int(lines(folder, "worked")[-1].split()[1])
        os.kill(pid, signal.SIGKILL)
    assert process.wait(timeout=120) == 0
    assert sharding.files_of(folder / "out") == expected
    tok = bp.load(folder / "tok.json")
    texts = [
        json.loads(line)["text"] for path in sorted(folder.glob("*.jsonl")) for line in path.read_text().splitlines()
    ]
    found = [ids.tolist() for ids in bp.open_shards(folder / "out")]
    assert found == sharding.expected(tok, texts, after=tok.special_tokens[END])


def test_files_that_may_not_be_so_large(tmp_path: Path) -> None:
    """A limit of the system, which workers have, too: one error that names the shard, and then all goes on."""
    pytest.importorskip("resource")
    folder = prepared(tmp_path)
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))\n"
    program = limit + RUN.replace("shard_tokens=40", "shard_tokens=2000")
    environment = os.environ | {"SLOW": str(folder), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", program, str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert re.search(r"(?i)file too large: .*/out/00000\d-000000.bin", done.stderr), done.stderr
    assert not list((folder / "out").rglob("*.tmp"))
    command[2] = program.removeprefix(limit)
    assert subprocess.run(command, env=environment, timeout=120, check=False).returncode == 0
    assert bp.verify_shards(folder / "out").faults == ()
