"""`bytepair tax`."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

from cli.running import ESCAPE, Run


def test_tables(trained: str, run: Run) -> None:
    done = run("tax", "-t", trained)
    assert (done.code, done.err) == (0, "")
    rows = done.out.splitlines()
    assert "United Nations" in rows[1]
    assert rows[2].split() == ["language", "tokens", "ratio", "chars/tok", "window,", "chars"]
    assert rows[3 + 74].startswith("en        English ")
    assert "  cost" in run("tax", "-t", trained, "--price", "2.5").out


def test_a_terminal_of_80_columns(trained: str, terminal: Run) -> None:
    for extra in ([], ["--price", "2.5"], ["-t", f"other={trained}"]):
        done = terminal("tax", "-t", trained, *extra)
        assert done.code == 0
        assert [row for row in ESCAPE.sub("", done.out).splitlines() if len(row) > 80] == []


def test_json_and_csv(trained: str, run: Run) -> None:
    data = json.loads(run("tax", "-t", trained, "--json", "--window", "8192", "--base", "de").out)
    assert (data["window"], data["base"], len(data["rows"])) == (8192, "de", 75)
    rows = list(csv.DictReader(io.StringIO(run("tax", "-t", f"ours={trained}", "--csv").out)))
    assert [row["tokens"] for row in rows] == [str(row["tokens"]) for row in data["rows"]]
    assert {row["tokenizer"] for row in rows} == {"ours"}
    assert rows[0]["cost"] == ""


def test_texts_of_your_own(trained: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "en.txt").write_text("low\nhigh\n")
    (tmp_path / "de.txt").write_text("tief\nhoch\n")
    texts = [f"{language}={tmp_path / language}.txt" for language in ("en", "de")]
    data = json.loads(run("tax", "-t", trained, *texts, "--json").out)
    assert (data["lines"], [row["language"] for row in data["rows"]]) == (2, ["de", "en"])
    done = run("tax", "-t", trained, texts[1])
    assert (done.code, done.err.splitlines()[0]) == (2, "error: no file is in `en`")


def test_names(trained: str, run: Run, tmp_path: Path) -> None:
    other = tmp_path / "a=b.json"
    shutil.copy(trained, other)
    data = json.loads(run("tax", "-t", trained, "-t", str(other), "-t", f"third={other}", "--json").out)
    assert [spread["tokenizer"] for spread in data["spreads"]] == ["tokenizer", "a=b", "third"]
    same = json.loads(run("tax", "-t", trained, "-t", trained, "--json").out)
    assert [spread["tokenizer"] for spread in same["spreads"]] == ["tokenizer", trained]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--json", "--csv"], 2),
        (["--pattern", "gpt2", "--pattern", "o200k"], 2),
        (["--price", "-1"], 2),
        (["--window", "0"], 2),
        (["book.txt"], 2),
        (["en=a.txt", "en=b.txt"], 2),
        (["en=missing.txt"], 1),
        (["--base", "tlh"], 1),
    ],
)
def test_what_is_refused(arguments: list[str], code: int, trained: str, run: Run) -> None:
    done = run("tax", "-t", trained, *arguments)
    assert (done.code, done.out) == (code, "")
    assert [row.partition(":")[0] for row in done.err.splitlines()] == ["error", "hint"]


def test_no_tokenizer_and_two_of_one_name(trained: str, run: Run) -> None:
    assert run("tax").err.startswith("error: no tokenizer given\nhint: ")
    done = run("tax", "-t", f"one={trained}", "-t", f"one={trained}")
    assert (done.code, done.err.splitlines()[0]) == (2, "error: two tokenizers are called `one`")
