"""The texts that come with the package are those of `testdata/texts`, and a file of theirs is a file like others."""

from __future__ import annotations

from pathlib import Path

import pytest

import bytepair as bp
from cli.running import Run

TEXTS = Path(__file__).parents[2] / "testdata" / "texts"


def test_they_are_what_the_clone_has() -> None:
    found = bp.bundled_texts()
    assert list(found) == ["en", "ru", "ja", "tr", "ar"]
    for path in found.values():
        assert path.read_bytes() == (TEXTS / path.name).read_bytes()


@pytest.mark.parametrize("name", ["bundled", "bundled:en"])
def test_a_file_of_that_name_comes_first(name: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bp.train(texts=[], vocab_size=256).save("tok.json")
    Path(name).write_text("abc")
    assert "3 bytes" in run("measure", "-t", "tok.json", name).out
    Path(name).unlink()
    assert "3 bytes" not in run("measure", "-t", "tok.json", name).out
