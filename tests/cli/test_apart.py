"""What a command writes is none of what it reads: a second run would read what the first has made."""

from __future__ import annotations

from pathlib import Path

import pytest

import bytepair as bp
from cli.running import Run

LINES = {
    "train": "train GLOB -n 300 -o OUT.json",
    "train, sources": "train a=TEXT b=GLOB -n 300 -o OUT.json",
    "pretokens": "pretokens GLOB -o OUT.parquet",
    "prune": "edit prune GLOB -t TOK -o OUT.json",
    "extend": "edit extend GLOB -t TOK --merges 1 -o OUT.json",
    "report": "report TOK GLOB -o OUT.html",
}


@pytest.mark.parametrize("name", LINES)
def test_a_glob_that_finds_the_result(name: str, trained: str, tmp_path: Path, run: Run) -> None:
    (tmp_path / "a.txt").write_text("low lower low")
    (tmp_path / "link").symlink_to(tmp_path, target_is_directory=True)
    places = {"GLOB": f"{tmp_path}/*.*", "TEXT": f"{tmp_path}/a.txt", "TOK": trained, "OUT": f"{tmp_path}/link/out"}
    line = LINES[name]
    for place, path in places.items():
        line = line.replace(place, path)
    made = tmp_path / line.rpartition("/")[2]
    made.write_text("of an earlier run")
    done = run(*line.split())
    assert done.code == 1
    assert done.err.splitlines()[-2:] == [
        f"error: `{tmp_path}/link/{made.name}` is to be written, and is one of the files that are read",
        "hint: write it elsewhere, or name the files so that it is none of them",
    ]
    assert made.read_text() == "of an earlier run"
    if name != "report":  # which takes a while
        assert run(*line.replace("*.*", "*.txt").split()).code == 0
        assert made.read_bytes() != b"of an earlier run"


def test_ids_in_place_of_a_text(tmp_path: Path) -> None:
    tok = bp.train(texts=[], vocab_size=256)
    (tmp_path / "a").write_text("low")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    for out in ("a", "b"):
        with pytest.raises(ValueError, match=f"`.*/{out}` is to be written, and is one of the files that are read"):
            tok.encode_files(f"{tmp_path}/*", out=tmp_path / out)
    assert (tmp_path / "a").read_text() == "low"
    with (tmp_path / "a").open("rb") as file:
        ids, _ = tok.encode_files(file, out=tmp_path / "a")  # what is open can be read to its end
    assert ids.tolist() == [108, 111, 119]
