"""The demo: what it prints is so, and what it leaves works."""

from __future__ import annotations

import json
import re
from importlib import resources
from pathlib import Path

import pytest
from rich.cells import cell_len

import bytepair
from bytepair.cli.demo import truncated
from cli.running import ESCAPE, Ran, Run, Snapshot

BOOK = resources.files("bytepair.demo_data").joinpath("alice_body.txt").read_bytes()


@pytest.fixture(scope="module")
def shown(process: Run, tmp_path_factory: pytest.TempPathFactory) -> tuple[Ran, Path]:
    folder = tmp_path_factory.mktemp("demo")
    done = process("demo", cwd=folder)
    return done, folder / "tokenizer.json"


def test_in_a_pipe(shown: tuple[Ran, Path], snapshot: Snapshot) -> None:
    done, path = shown
    assert (done.code, done.err) == (0, "")
    assert path.exists()
    snapshot("demo", done.out.partition("Hugging Face's tokenizers loads it")[0])


def test_at_80_columns(terminal: Run, tmp_path: Path) -> None:
    out = terminal("demo", cwd=tmp_path).out
    assert "\x1b[" in out
    for part in ESCAPE.sub("", out).replace("\r", "\n").split("\n"):
        assert cell_len(part) <= 80, part


def test_it_leaves_others_files_alone(process: Run, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text("precious")
    done = process("demo", cwd=tmp_path)
    assert done.code == 1
    assert path.read_text() == "precious"
    assert [row.partition(":")[0] for row in done.err.splitlines()] == ["error", "hint"]
    assert process("demo", "-o", "tokenizer.json", cwd=tmp_path).code == 0
    assert len(bytepair.load(path)) == 4096
    assert process("demo", cwd=tmp_path).code == 0, "its own file may be replaced"


def test_a_smaller_training_is_the_beginning_of_a_larger_one(shown: tuple[Ran, Path]) -> None:
    """The table comes from one training, cut short: training to that size gives the same."""
    tok = bytepair.load(shown[1])
    for size in (256, 512, 1024):
        small = bytepair.train(texts=[BOOK], vocab_size=size)
        assert bytepair.Tokenizer.from_parts(truncated(tok.parts, size)) == small
        assert f"{small.count(BOOK):,}" in shown[0].out or size == 256


def test_hugging_face_agrees(shown: tuple[Ran, Path]) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    done, path = shown
    assert "the same ids for all 8 texts above" in done.out
    tok = bytepair.load(path)
    text = BOOK.decode() + "".join(
        text for _, text in json.loads(resources.files("bytepair.demo_data").joinpath("samples.json").read_bytes())
    )
    assert tokenizers.Tokenizer.from_file(str(path)).encode(text).ids == tok.encode(text)


def test_the_hidden_letters(shown: tuple[Ran, Path]) -> None:
    done, path = shown
    tok = bytepair.load(path)
    tokens = [tok.bytes_of(number).decode() for number in tok.encode("strawberry")]
    hidden = sum(token.count("r") for token in tokens if len(token) > 1)
    assert f"{hidden} of its 3 r's lie inside longer tokens" in done.out
    assert re.search(r"^326\t2\t'st'\ts t$", done.out, re.MULTILINE)
