"""`train --development` and `tax --curve`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import bytepair as bp
from cli.running import Run

TEXTS = {"en": "the cat sat on the mat " * 30, "ja": "猫がマットの上に座った。" * 3}
DEVELOPMENT = {"en": ["the cat sat", "on the mat"], "ja": ["猫が座った", "マットの上に"]}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of texts and development texts, which is the current one."""
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.txt").write_text(text, "utf-8")
        (tmp_path / f"{name}.dev").write_text("\n".join(DEVELOPMENT[name]) + "\n", "utf-8")
    monkeypatch.chdir(tmp_path)


TRAIN = ("train", "en=en.txt", "ja=ja.txt", "--merges", "20", "-o", "tok.json", "-q")
BOTH = ("--development", "en=en.dev", "--development", "ja=ja.dev")


def chosen() -> tuple[str | None, ...]:
    record = bp.load("tok.json").training
    assert record is not None
    return record.chosen_by


def test_what_python_does(run: Run) -> None:
    assert run(*TRAIN, *BOTH, "--classic", "3", "--window", "5", "--share", "1").code == 0
    balance = bp.Balance(DEVELOPMENT, classic=3, window=5, share=1)
    tok = bp.train(files={name: f"{name}.txt" for name in TEXTS}, num_merges=20, balance=balance)
    assert bp.load("tok.json") == tok
    assert tok.training is not None
    assert chosen() == tok.training.chosen_by


def test_the_bundled_text_and_sources_that_never_choose(run: Run) -> None:
    assert run(*TRAIN, "--development", "bundled").code == 0
    assert "ja" in chosen()
    assert run(*TRAIN, "--development", "bundled", "--development", "ja=").code == 0
    assert set(chosen()) == {"en"}


def test_counts_and_a_config(run: Run) -> None:
    pytest.importorskip("pyarrow")
    assert run("pretokens", "en=en.txt", "ja=ja.txt", "-o", "counts.parquet", "-q").code == 0
    config = 'merges = 20\nclassic = 2\n[development]\nen = "en.dev"\nja = "ja.dev"\n'
    Path("train.toml").write_text(config, "utf-8")
    done = run("train", "--counts", "counts.parquet", "--config", "train.toml", "-o", "tok.json", "-q")
    assert (done.code, done.err) == (0, "")
    assert chosen()[:2] == (None, None)
    assert set(chosen()[2:]) == {"en", "ja"}
    assert (
        run("train", "--counts", "counts.parquet", "--merges", "3", "--development", "bundled", "-o", "tok.json").code
        == 0
    )


@pytest.mark.parametrize(
    ("arguments", "code", "what", "hint"),
    [
        ([*TRAIN, "--window", "5"], 2, "`--window` without a development text", "--development en="),
        ([*TRAIN, "--development", "en.dev"], 2, "`--development en.dev` does not say its source", "en=en.dev"),
        ([*TRAIN, *BOTH, "--development", "en=en.dev"], 2, "names `en` twice", "one file for each source"),
        ([*TRAIN, *BOTH[:2]], 1, "the source 'ja' has no development text", "`--development ja=`"),
        ([*TRAIN, *BOTH, "--development", "fr=en.dev"], 1, "`--development` has 'fr'", "the sources are en, ja"),
        ([*TRAIN, *BOTH, "--ties", "first"], 1, "`--ties first` and", "another rule"),
        ([*TRAIN, "--development", "en=gone", "--development", "ja=ja.dev"], 1, "no such file", "check the path"),
        (
            ["train", "en.txt", "--merges", "3", "-o", "tok.json", "--development", "bundled"],
            2,
            "needs the names of the sources",
            "name each",
        ),
        (
            ["train", "en.txt", "--merges", "3", "-o", "tok.json", *BOTH],
            1,
            "the sources have no names",
            "name them",
        ),
        (["tax", "-t", "tok.json", "-n", "300"], 2, "`-n` without `--curve`", "add `--curve`"),
        (["tax", "-t", "tok.json", "xx=bundled"], 2, "the bundled text is not in `xx`", "it is in en, "),
    ],
)
def test_what_is_refused(run: Run, arguments: list[str], code: int, what: str, hint: str) -> None:
    done = run(*arguments)
    assert (done.code, done.out) == (code, "")
    error, told = done.err.splitlines()[-2:]
    assert error.startswith("error: ")
    assert what in error
    assert told.startswith("hint: ")
    assert hint in told


def test_the_curve(run: Run) -> None:
    assert run(*TRAIN).code == 0
    done = run(
        "tax", "-t", "a=tok.json", "-t", "b=tok.json", "--curve", "en=en.dev", "ja=ja.dev", "-n", "270", "--json"
    )
    data = json.loads(done.out)
    assert [(row["vocab_size"], row["tokenizer"]) for row in data["rows"]] == [(270, "a"), (270, "b")]
    rows = list(csv.DictReader(io.StringIO(run("tax", "-t", "tok.json", "--curve", "--csv", "en=bundled").out)))
    assert [row["vocab_size"] for row in rows] == ["256", "276"]
    assert (
        run("tax", "-t", "tok.json", "--curve", "en=en.dev", "ja=ja.dev")
        .out.splitlines()[0]
        .startswith("Language tax by")
    )
