"""The commands that judge tokenizers: drawn, as JSON, as CSV, and what they refuse."""

from __future__ import annotations

import csv
import io
import json

import pytest

import bytepair as bp
from cli.running import Run

TEXT = "the cat sat on the mat\n\nthe dog ate the rat\n\na cat, a hat: 1234 “quoted”\n\nкот\n"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("reports")
    (folder / "text.txt").write_text(TEXT, encoding="utf-8")
    for name, merges in (("small", 4), ("large", 12)):
        bp.train(texts=[TEXT], num_merges=merges).save(folder / f"{name}.json")
    return {name: str(folder / name) for name in ("text.txt", "small.json", "large.json")}


def lines(files: dict[str, str]) -> dict[str, list[str]]:
    small, large, text = files["small.json"], files["large.json"], files["text.txt"]
    return {
        "measure": ["measure", "-t", small, "-t", f"big={large}", "--separator", r"\n\n", text],
        "sweep": ["sweep", "-t", large, "--width", "8", f"en={text}"],
        "compare": ["compare", "-t", small, "-t", large, text],
    }


@pytest.mark.parametrize("name", ["measure", "sweep", "compare"])
def test_every_form(name: str, files: dict[str, str], run: Run) -> None:
    line = lines(files)[name]
    drawn, plain, rows = run(*line), run(*line, "--json"), run(*line, "--csv")
    assert (drawn.code, plain.code, rows.code) == (0, 0, 0)
    assert max(map(len, drawn.out.splitlines())) <= 80
    assert drawn.err == ""
    given = json.loads(plain.out)
    given_rows = given["frequent"] if name == "compare" else given["rows"]
    read = list(csv.DictReader(io.StringIO(rows.out)))
    assert len(read) == len(given_rows) > 0
    assert list(read[0]) == list(given_rows[0])


def test_measure_says_what_python_says(files: dict[str, str], run: Run) -> None:
    done = run(*lines(files)["measure"], "--json")
    toks = {"small": bp.load(files["small.json"]), "big": bp.load(files["large.json"])}
    assert json.loads(done.out) == bp.measure(toks, files=files["text.txt"], separator="\n\n").to_dict()


def test_sizes_and_languages(files: dict[str, str], run: Run) -> None:
    line = ["sweep", "-t", files["large.json"], f"en={files['text.txt']}", f"ru={files['text.txt']}"]
    done = run(*line, "-n", "258", "-n", "260", "--json")
    rows = json.loads(done.out)["rows"]
    assert [(row["language"], row["vocab_size"]) for row in rows] == [
        (language, size) for language in (None, "en", "ru") for size in (258, 260)
    ]


def test_on_a_terminal(files: dict[str, str], terminal: Run) -> None:
    for line in lines(files).values():
        assert terminal(*line).code == 0


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        (["measure", "TEXT"], 2, "no tokenizer given"),
        (["measure", "-t", "SMALL"], 2, "no files to read"),
        (["measure", "-t", "SMALL", "-t", "SMALL", "TEXT"], 2, "the same name"),
        (["measure", "-t", "SMALL", "--json", "--csv", "TEXT"], 2, "both `--json` and `--csv`"),
        (["measure", "-t", "SMALL", "NOTHING"], 1, "there is no file"),
        (["sweep", "-t", "SMALL", "-t", "LARGE", "TEXT"], 2, "one tokenizer is wanted, not 2"),
        (["sweep", "-t", "SMALL", "-n", "9999", "TEXT"], 1, "from 256 to 260"),
        (["compare", "-t", "SMALL", "TEXT"], 2, "2 tokenizers are wanted, not 1"),
    ],
)
def test_refusals(line: list[str], code: int, message: str, files: dict[str, str], run: Run) -> None:
    known = {"TEXT": files["text.txt"], "SMALL": files["small.json"], "LARGE": files["large.json"]}
    done = run(*(known.get(word, word) for word in line))
    assert (done.code, done.out) == (code, "")
    assert message in done.err
    assert len(done.err.splitlines()) == 2
