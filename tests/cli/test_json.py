"""Every `--json` line is JSON and says what the plain output says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.running import Run

TEXT = 'strawberry кот \\ "quotes" \n'.encode() + b"\xff\xd0"


@pytest.mark.parametrize("command", ["encode", "count", "split", "explain", "steps"])
def test_each_line_is_json(command: str, run: Run, trained: str) -> None:
    done = run(command, "-t", trained, "--json", stdin=TEXT)
    assert done.code == 0
    rows = [json.loads(row) for row in done.out.splitlines()]
    assert rows
    assert all(isinstance(row, dict) for row in rows)


def test_encode_and_count_agree(run: Run, trained: str) -> None:
    encoded = json.loads(run("encode", "-t", trained, "--json", stdin=TEXT).out)
    counted = json.loads(run("count", "-t", trained, "--json", stdin=TEXT).out)
    assert encoded["tokens"] == counted["tokens"] == len(encoded["ids"])
    assert encoded["name"] == "-"
    assert counted["bytes"] == len(TEXT)
    decoded = json.loads(run("decode", "-t", trained, "--json", *map(str, encoded["ids"])).out)
    assert decoded == {"text": None, "bytes": TEXT.hex()}


def test_pretokens_cover_the_text(run: Run, trained: str) -> None:
    rows = [json.loads(row) for row in run("split", "-t", trained, "--json", stdin=TEXT).out.splitlines()]
    assert bytes.fromhex("".join(row["bytes"] for row in rows)) == TEXT
    assert [row["start"] for row in rows[1:]] == [row["end"] for row in rows[:-1]]


def test_trees_hold_together(run: Run, trained: str) -> None:
    for row in run("explain", "-t", trained, "--json", stdin=TEXT).out.splitlines():
        nodes = json.loads(row)["nodes"]
        for node in nodes:
            if node["left"] is not None:
                assert node["bytes"] == nodes[node["left"]]["bytes"] + nodes[node["right"]]["bytes"]


def test_steps_lead_to_the_tokens(run: Run, trained: str) -> None:
    for row in run("steps", "-t", trained, "--json", "strawberry").out.splitlines():
        step = json.loads(row)
        assert len(step["after"]) == len(step["before"]) - 1
    tokens = [symbol["text"] for symbol in step["after"]]
    ids = run("encode", "-t", trained, "strawberry").out.split()
    shown = run("vocab", "-t", trained).out.splitlines()
    assert [f"{number}\t{token}" for number, token in zip(ids, tokens, strict=True)] == [shown[int(i)] for i in ids]


def test_info_and_train(run: Run, trained: str, tmp_path: Path) -> None:
    info = json.loads(run("info", "-t", trained, "--json").out)
    assert info["n_vocab"] == 1002
    assert (info["path"] == "scalar") == (info["path_reason"] is not None)
    assert info["special_tokens"] == {"<|endoftext|>": 1000, "<|user|>": 1001}
    out = str(tmp_path / "tok.json")
    made = json.loads(run("train", "-", "--merges", "1", "-o", out, "--json", "-q", stdin=b"abab").out)
    assert (made["merges"], made["bytes"], made["file"], made["replaced"]) == (1, 4, out, False)
