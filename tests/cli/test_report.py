"""`bytepair report`: what it writes, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

import bytepair as bp
from cli.running import Run

TEXT = "the cat sat on the mat\n\nthe dog ate the rat\n\nкот\n"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("report")
    (folder / "text.txt").write_text(TEXT, encoding="utf-8")
    bp.train(texts=[TEXT], num_merges=9).save(folder / "small.json")
    bp.train(texts=[TEXT], num_merges=5).save(folder / "other.json")
    with pytest.warns(bp.FormatWarning):
        bp.train(texts=[TEXT], num_merges=5).save(folder / "ranks.tiktoken", allow_loss=True)
    return {
        name: str(folder / name) for name in ("text.txt", "small.json", "other.json", "ranks.tiktoken", "page.html")
    }


def test_it_writes_what_python_writes(files: dict[str, str], run: Run) -> None:
    line = ["report", files["small.json"], f"en={files['text.txt']}", "--beside", f"old={files['other.json']}"]
    done = run(*line, "--width", "10", "-o", files["page.html"])
    assert (done.code, done.stdout) == (0, b"")
    assert f"Written to {files['page.html']}: " in done.err
    wanted = bp.report(
        bp.load(files["small.json"]),
        files={"en": [files["text.txt"]]},
        name="small",
        beside={"old": bp.load(files["other.json"])},
        width=10,
    )
    assert Path(files["page.html"]).read_text("utf-8") == wanted.html
    assert run(*line, "--width", "10", "-o", "-").out == wanted.html


def test_a_pattern_is_for_the_files_that_hold_none(files: dict[str, str], run: Run) -> None:
    done = run("report", files["small.json"], "--beside", files["ranks.tiktoken"], "--pattern", "o200k", "-o", "-")
    assert done.code == 0
    assert "ranks" in done.out
    done = run("report", files["ranks.tiktoken"], files["text.txt"], "--pattern", "o200k", "--name", "mine", "-o", "-")
    assert "Tokenizer report: mine" in done.out


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("report", 2, "TOKENIZER"),
        ("report NOTHING", 1, "NOTHING"),
        ("report SMALL -", 2, "stdin can be read once"),
        ("report SMALL en=-", 2, "stdin can be read once"),
        ("report SMALL NOTHING", 1, "there is no file"),
        ("report SMALL --beside SMALL", 2, "two tokenizers are called `small`"),
        ("report SMALL -o NOTHING/page.html", 1, "no such file or directory"),
    ],
)
def test_refusals(line: str, code: int, message: str, files: dict[str, str], run: Run) -> None:
    words = line.replace("SMALL", files["small.json"]).replace("NOTHING", files["small.json"] + "NOTHING").split()
    done = run(*words)
    assert done.code == code
    assert message.lower() in done.err.lower()
    assert "\nhint: " in done.err
