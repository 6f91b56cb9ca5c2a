"""`bytepair audit`."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

import bytepair as bp
from cli.running import ESCAPE, Run

ROW = re.compile(r"^ *\d+  '", re.MULTILINE)
BYTES = tuple((byte, bytes([byte])) for byte in range(256))


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tokenizer with a token that its pattern always cuts."""
    path = tmp_path_factory.mktemp("broken") / "tokenizer.json"
    parts = bp.Parts(tokens=(*BYTES, (256, b"a ")), merges=((97, 32),), pattern=r"\S+|\s+")
    bp.Tokenizer.from_parts(parts).save(path)
    return str(path)


def test_tables(trained: str, broken: str, run: Run) -> None:
    done = run("audit", "-t", trained)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[0].startswith("1,002 tokens, ")
    assert "note         128  single_bytes" in done.out
    done = run("audit", "-t", broken)
    assert "unreachable: 1" in done.out
    assert "256  'a '   " in done.out


def test_a_terminal_of_80_columns(broken: str, trained: str, terminal: Run) -> None:
    for path in (broken, trained):
        done = terminal("audit", "-t", path)
        assert done.code == 0
        shown = [ESCAPE.sub("", row) for row in done.out.splitlines()]
        assert [row for row in shown if len(row) > 80] == []
        assert "…" not in done.out


def test_json_and_csv(broken: str, run: Run) -> None:
    data = json.loads(run("audit", "-t", broken, "--json").out)
    counts = {found["kind"]: found["count"] for found in data["findings"]}
    assert counts["unreachable"] == 1
    rows = list(csv.DictReader(io.StringIO(run("audit", "-t", broken, "--csv").out)))
    assert len(rows) == sum(counts.values())
    assert rows[0] | {"detail": ""} == {
        "kind": "unreachable",
        "severity": "error",
        "id": "256",
        "token": "a ",
        "bytes": "6120",
        "detail": "",
        "context": "",
    }
    rows = list(csv.DictReader(io.StringIO(run("audit", "-t", broken, "--csv", "--list", "single_bytes").out)))
    assert {row["kind"] for row in rows} == {"single_bytes"}


def test_list(trained: str, run: Run) -> None:
    done = run("audit", "-t", trained, "--list", "single_bytes")
    assert done.out.startswith("single_bytes: 128\n")
    assert len(ROW.findall(done.out)) == 128


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [("unreachable", 1), ("error", 1), ("warning", 1), ("note", 1), ("same_bytes", 0), ("control_in_text", 0)],
)
def test_fail_on(fail_on: str, code: int, broken: str, run: Run) -> None:
    done = run("audit", "-t", broken, "--fail-on", fail_on, "--json")
    assert done.code == code
    assert json.loads(done.out)["tokens"] == 257
    if code:
        assert done.err.startswith("error: found 1 unreachable")
        assert done.err.splitlines()[1].startswith("hint: ")
    else:
        assert done.err == ""


def test_a_clean_tokenizer_does_not_fail(trained: str, run: Run) -> None:
    assert run("audit", "-t", trained, "--fail-on", "warning").code == 0


def test_corpora(trained: str, run: Run, tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_bytes(b"the cat " * 20)
    two.write_bytes(b"a dog\n" * 20)
    data = json.loads(run("audit", "-t", trained, str(one), "--json").out)
    counts = {found["kind"]: found["count"] for found in data["findings"]}
    assert counts["never_seen"] > 900
    assert "glitch" not in counts
    done = run("audit", "-t", trained, str(one), "--model-corpus", str(two), "--list", "glitch")
    assert "times rarer" in done.out
    done = run("audit", "-t", trained, "-", "--list", "never_seen", stdin=b"")
    assert len(ROW.findall(done.out)) == 1000


@pytest.mark.parametrize(
    "arguments",
    [
        ["--fail-on", "nonsense"],
        ["--list", "nonsense"],
        ["--list", "error"],
        ["--list", "glitch"],
        ["--fail-on", "never_seen"],
        ["--json", "--csv"],
        ["--model-corpus", "web.txt"],
    ],
)
def test_wrong_usage(arguments: list[str], trained: str, run: Run) -> None:
    done = run("audit", "-t", trained, *arguments)
    assert (done.code, done.out) == (2, "")
    assert [row.partition(":")[0] for row in done.err.splitlines()] == ["error", "hint"]


def test_a_corpus_that_is_not_there(trained: str, run: Run) -> None:
    done = run("audit", "-t", trained, "missing.txt")
    assert done.code == 1
    assert done.err.startswith("error: there is no file `missing.txt`\nhint: ")
