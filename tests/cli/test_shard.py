"""`bytepair shard`: what it writes and says, and what it refuses."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import bytepair as bp
from bytepair.scale import engines
from bytepair.shards import verifying, writing
from cli.running import PROGRAM, Run
from scale.sharding import Inline


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("Alice was beginning\n\nto get very tired\n\n", encoding="utf-8")
    (tmp_path / "b.jsonl").write_text('{"body": "of sitting"}\n{"body": null}\n', encoding="utf-8")
    return tmp_path


@pytest.fixture(autouse=True)
def inline(monkeypatch: pytest.MonkeyPatch) -> None:
    """What runs in this process needs no other one."""
    engine = Inline()
    monkeypatch.setattr(writing, "opened", engine.opened)
    monkeypatch.setattr(verifying, "opened", engine.opened)


def test_as_a_person_uses_it(trained: str, process: Run, folder: Path) -> None:
    """With workers in processes of their own; written, checked, and nothing to do the second time."""
    out = folder / "shards"
    arguments = ["shard", str(folder / "a.txt"), "-o", str(out), "-t", trained, "--append", "<|endoftext|>"]
    done = process(*arguments, "--separator", r"\n\n", "--json")
    assert done.code == 0, done.err
    said = json.loads(done.out)
    tok = bp.load(trained)
    expected = [*tok.encode("Alice was beginning"), 1000, *tok.encode("to get very tired"), 1000]
    assert np.fromfile(out / "000000-000000.bin", np.uint16).tolist() == expected
    assert (said["shards"], said["documents"], said["tokens"], said["dtype"]) == (1, 2, len(expected), "uint16")
    assert "documents" in done.err
    assert process("shard", "--verify", str(out), "-t", trained, "-q").code == 0
    before = (out / "000000-000000.bin").stat().st_mtime_ns
    assert process(*arguments, "--separator", r"\n\n", "-q").err == ""
    assert (out / "000000-000000.bin").stat().st_mtime_ns == before


def test_options(trained: str, run: Run, folder: Path) -> None:
    out = str(folder / "shards")
    options = ["--text-field", "body", "--format", "parquet", "--prepend", "<|user|>", "--shard-tokens", "1.5K"]
    done = run("shard", str(folder / "b.jsonl"), "-o", out, "-t", trained, *options, "--json", "-q")
    assert (done.code, done.err) == (0, "")
    said = json.loads(done.out)
    assert (said["documents"], said["rows_without_text"], said["format"]) == (1, 1, "parquet")
    tok = bp.load(trained)
    assert bp.open_shards(out)[0].tolist() == [1001, *tok.encode("of sitting")]
    assert bp.open_shards(out).manifest.settings.shard_tokens == 1500


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-o", "out"], "no files to encode"),
        (["a.txt"], "no place for the shards"),
        (["-", "-o", "out"], "`-` is stdin, which can be read only once"),
        (["a.txt", "-o", "out"], "no tokenizer given"),
        (["a.txt", "--verify", "out"], "`files` is of no use with `--verify`"),
        (["a.txt", "-o", "out", "--format", "bin"], "'bin' is not one of"),
        (["a.txt", "-o", "out", "--shard-tokens", "many"], "'many' is no number of tokens, such as 100M"),
    ],
)
def test_wrong_usage(arguments: list[str], said: str, run: Run) -> None:
    done = run("shard", *arguments)
    assert done.code == 2
    assert said in done.err
    assert done.err.count("\n") == 2


def test_failures(trained: str, run: Run, folder: Path) -> None:
    out = str(folder / "shards")
    arguments = ["shard", str(folder / "a.txt"), "-o", out, "-t", trained, "-q"]
    done = run(*arguments, "--append", "<x>")
    assert (done.code, done.err.splitlines()[0]) == (
        1,
        "error: `--append` is '<x>', which is no special token of this tokenizer",
    )
    assert run(*arguments).code == 0
    done = run(*arguments, "--shard-tokens", "7")
    assert (done.code, done.err.splitlines()[1]) == (
        1,
        "hint: delete the folder to start over, or name another one",
    )
    assert "was made with something else: `--shard-tokens` is 100000000 there, and 7 here" in done.err.replace(
        "shard_tokens is", "`--shard-tokens` is"
    )
    for number, name in enumerate(["000000-000000.bin", "documents/000000-000000.npy"], 1):
        place = Path(out, name)
        place.write_bytes(place.read_bytes()[:-1])
        done = run("shard", "--verify", out)
        assert done.code == 1
        assert done.err.count("error: ") == done.err.count("hint: ") == number
        assert f"`{place}` is cut short" in done.err
    done = run("shard", "--verify", str(folder))
    assert f"error: there is no `manifest.json` in `{folder}`" in done.err


def test_an_engine_that_is_not_there(trained: str, run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "opened", engines.opened)
    monkeypatch.setitem(sys.modules, "ray", None)
    done = run("shard", str(folder / "a.txt"), "-o", str(folder / "out"), "-t", trained, "--engine", "ray", "-q")
    assert done.code == 1
    assert "needs ray, which cannot be imported" in done.err
    assert "hint: pip install 'bytepair[ray]'" in done.err


def test_ctrl_c(trained: str, folder: Path) -> None:
    text = "the cat sat on the mat and looked at Alice " * 50_000
    for number in range(30):
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    command = [*PROGRAM, "shard", f"{folder}/*.txt", "-o", str(folder / "out"), "-t", trained, "-q"]
    with subprocess.Popen([*command, "--shard-tokens", "1000"], stderr=subprocess.PIPE) as process:
        until = time.monotonic() + 60
        while not (folder / "out" / "items").exists() and time.monotonic() < until:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    if process.returncode == 0:
        pytest.skip("it was done before it could be interrupted")
    # Where the signal comes while a module makes a class by `exec`, Python started with `-m` ends by the signal itself.
    assert process.returncode in (130, -signal.SIGINT), err
    assert err.decode() == "error: interrupted\nhint: the same command goes on with what is not done\n"
    assert not list((folder / "out").rglob("*.tmp"))
