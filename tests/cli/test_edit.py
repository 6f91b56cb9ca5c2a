"""`bytepair edit`: what each subcommand writes and says, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import click
import numpy as np
import pytest

import bytepair as bp
from bytepair.cli.app import app
from bytepair.cli.edit import command
from cli.running import Run


def rows(out: str) -> dict[str, list[str]]:
    return {name: rest for name, *rest in (row.split("\t") for row in out.splitlines())}


def test_special(trained: str, run: Run, tmp_path: Path) -> None:
    out = str(tmp_path / "new.json")
    done = run("edit", "special", "-t", trained, "-o", out, "<|a|>", "<|b|>")
    assert (done.code, done.err) == (0, "")
    assert rows(done.out) == {"tokens": ["1002", "1004"], "new": ["2"], "written": [out]}
    assert bp.load(out).special_tokens == {"<|endoftext|>": 1000, "<|user|>": 1001, "<|a|>": 1002, "<|b|>": 1003}
    assert run("edit", "special", "-t", trained, "-o", out, "<|a|>=2000").code == 0
    assert bp.load(out).special_tokens["<|a|>"] == 2000
    done = run("edit", "special", "-t", trained, "-o", out, "<|a|>=500")
    assert done.code == 1
    assert "error: the special token `<|a|>` has id 500, which is the id of the token `" in done.err
    assert run("edit", "special", "-t", trained, "-o", out, "<|a|>=5", "<|b|>").code == 2
    assert run("edit", "special", "-t", trained, "-o", out, "<|a|>=5", "<|a|>=6").code == 2


def test_without_writes_the_map(trained: str, run: Run, tmp_path: Path) -> None:
    tok = bp.load(trained)
    (tmp_path / "ids.txt").write_text("500\n\n501\r\n", encoding="utf-8")
    out, map_file = str(tmp_path / "new.json"), str(tmp_path / "map.npy")
    arguments = ["--id", "502", "--ids", str(tmp_path / "ids.txt"), " the"]
    done = run("edit", "without", "-t", trained, "-o", out, "--map", map_file, *arguments)
    assert (done.code, done.err) == (0, "")
    said = rows(done.out)
    assert said["tokens"] == ["1002", "998"]
    assert (said["gone"], said["written"], said["map"]) == (["4"], [out], [map_file])
    expected = tok.without([500, 501, 502, " the"])
    assert said.get("looked up only", ["0"]) == [str(len(expected.whole_only))]
    assert bp.load(out) == expected.tokenizer
    assert np.array_equal(np.load(map_file), expected.old_to_new)


def test_truncate_prune_and_extend(trained: str, run: Run, tmp_path: Path) -> None:
    tok, out, text = bp.load(trained), str(tmp_path / "new.json"), tmp_path / "text.txt"
    text.write_text("Alice was beginning to get very tired\n\nof sitting by her sister", encoding="utf-8")
    documents = text.read_text("utf-8").split("\n\n")
    cases = [
        (["truncate", "-n", "500"], tok.truncated(vocab_size=500)),
        (["truncate", "--merges", "9"], tok.truncated(9)),
        (["prune", str(text)], tok.pruned(files=text)),
        (["prune", str(text), "--keep", "300", "--separator", r"\n\n"], tok.pruned(documents, 300)),
        (["extend", str(text), "--merges", "3", "--separator", r"\n\n"], tok.extended(documents, 3)),
        (["extend", str(text), "-n", "1004"], tok.extended(files=text, vocab_size=1004)),
    ]
    for (name, *arguments), expected in cases:
        done = run("edit", name, "-t", trained, "-o", out, "--map", str(tmp_path / "map.json"), *arguments)
        assert (done.code, done.err) == (0, "")
        assert rows(done.out)["tokens"] == ["1002", str(len(expected.tokenizer))]
        assert bp.load(out) == expected.tokenizer
        assert json.loads((tmp_path / "map.json").read_text("utf-8")) == expected.old_to_new.tolist()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "no edit named"),
        (["forget"], 2, "forget"),
        (["without", "-t", "{json}", "-o", "{out}"], 2, "no tokens named"),
        (["without", "-t", "{json}", " the"], 2, "no place for the result"),
        (["without", "-o", "{out}", " the"], 2, "no tokenizer given"),
        (["without", "-t", "{json}", "-o", "{out}", "a"], 1, "is a base symbol and cannot be removed"),
        (["without", "-t", "{json}", "-o", "{out}", "nothing"], 1, "is no token"),
        (["without", "-t", "{json}", "-o", "{out}", "--ids", "{json}"], 1, "line 1: "),
        (["without", "-t", "{json}", "-o", "{out}", " the", "--map", "x.txt"], 2, "ends in neither"),
        (["without", "-t", "{json}", "-o", "{out}", " the", "--map", "none/x.npy"], 1, "o such file or directory"),
        (["without", "-t", "{json}", "-o", "{out}", " the", "--map", "{out}"], 2, "the map would replace it"),
        (["without", "-t", "{json}", "-o", "{out}", " the", "--map", "{json}"], 2, "the map would replace it"),
        (["truncate", "-t", "{json}", "-o", "{out}.foo", "-n", "400"], 2, "name the format: `--to huggingface|"),
        (["special", "-t", "{json}", "-o", "{out}", "<|a|>=99999999999"], 1, "id of '<|a|>' is 99999999999"),
        (["truncate", "-t", "{json}", "-o", "{out}"], 2, "no size given"),
        (["truncate", "-t", "{json}", "-o", "{out}", "-n", "9"], 1, "--vocab-size` is 9, but base symbols"),
        (["truncate", "-t", "{json}", "-o", "{out}", "-n", "9", "--merges", "9"], 2, "both"),
        (["truncate", "-t", "{json}", "-o", "{out}", "--merges", "9999"], 1, "`--merges` is 9999"),
        (["prune", "-t", "{json}", "-o", "{out}"], 2, "FILE"),
        (["prune", "-t", "{json}", "-o", "{out}", "{json}", "--keep", "3"], 1, "`--keep` is 3, but base symbols"),
        (["extend", "-t", "{json}", "-o", "{out}", "{json}"], 2, "no size given"),
        (["special", "-t", "{json}", "-o", "{out}"], 2, "NAME"),
    ],
)
def test_what_is_refused(arguments: list[str], code: int, said: str, trained: str, run: Run) -> None:
    out = Path(trained).with_name("new.json")
    done = run("edit", *(argument.format(json=trained, out=out) for argument in arguments))
    assert (done.code, done.out, len(done.err.splitlines())) == (code, "", 2)
    assert said.lower() in done.err.lower()
    assert not out.exists()


def test_the_map_takes_the_place_of_no_file_of_the_tokenizer(trained: str, run: Run, tmp_path: Path) -> None:
    folder = str(tmp_path / "model") + "/"
    for out, map_file in (("merges.txt", "vocab.json"), (folder, f"{folder}tokenizer.json")):
        Path(folder).mkdir(exist_ok=True)
        done = run("edit", "truncate", "-t", trained, "-n", "400", "-o", out, "--map", map_file)
        assert (done.code, "the map would replace it" in done.err) == (2, True)


def test_without_its_map_the_tokenizer_is_not_written(
    trained: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, map_file = tmp_path / "new.json", tmp_path / "map.npy"
    map_file.mkdir()
    assert run("edit", "truncate", "-t", trained, "-n", "400", "-o", str(out), "--map", str(map_file)).code == 1
    assert not out.exists()
    map_file.rmdir()
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    assert run("edit", "truncate", "-t", trained, "-n", "400", "-o", "new.tiktoken", "--map", str(map_file)).code == 3
    assert sorted(tmp_path.iterdir()) == before


def test_a_loss_is_refused_or_told(trained: str, run: Run, tmp_path: Path) -> None:
    out = str(tmp_path / "x.tiktoken")
    assert run("edit", "truncate", "-t", trained, "-n", "400", "-o", out).code == 3
    done = run("edit", "truncate", "-t", trained, "-n", "400", "-o", out, "--allow-loss")
    assert done.code == 0
    assert "was written without the pattern" in done.err
    assert (
        run("edit", "truncate", "-t", trained, "-n", "400", "-o", str(tmp_path / "x"), "--to", "huggingface").code == 0
    )


def test_the_help_of_each_fits_and_its_examples_parse(process: Run) -> None:
    context = click.Context(app)
    names = command.list_commands(context)
    assert names == ["extend", "prune", "special", "truncate", "without"]
    for name in names:
        done = process("edit", name, "--help", env={"COLUMNS": "80"})
        assert (done.code, done.err) == (0, "")
        assert "Examples:" in done.out
        assert [row for row in done.out.splitlines() if len(row) > 80] == []
