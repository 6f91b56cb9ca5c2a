"""What a person sees: colours, 80 columns, `NO_COLOR`, progress."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest
from rich.cells import cell_len

from cli.running import ESCAPE, Run, Snapshot

TEXT = "Alice's 12345 hats,\n\tкот مرحبا 猫 👨‍👩‍👧‍👦 strawberry"
COMMANDS = {
    "split": ["split", TEXT],
    "explain": ["explain", " Wonderland кот"],
    "steps": ["steps", " Wonderland strawberry"],
    "steps-long": ["steps", " internationalisation" * 2, "一二三"],
    "show": ["encode", "--show", TEXT],
    "info": ["info"],
    "vocab": ["vocab", "--ids", "250..260"],
}


def plain(text: str) -> str:
    return ESCAPE.sub("", text)


@pytest.mark.parametrize("name", COMMANDS)
def test_snapshots(name: str, terminal: Run, trained: str, snapshot: Snapshot) -> None:
    done = terminal(*COMMANDS[name], "-t", trained)
    assert done.code == 0
    snapshot(f"terminal-{name}", done.out.replace("\x1b", "^["))


@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize("name", ["split", "steps", "steps-long", "show", "info"])
def test_no_line_is_too_wide(name: str, columns: int, drawn: Run, trained: str) -> None:
    for row in plain(drawn(*COMMANDS[name], "-t", trained, columns=columns).out).split("\n"):
        assert cell_len(row) <= columns or row.startswith("No merge applies"), row


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
@pytest.mark.parametrize("name", COMMANDS)
def test_no_colours(name: str, env: dict[str, str], drawn: Run, trained: str) -> None:
    out = drawn(*COMMANDS[name], "-t", trained, env=env).out
    assert "\x1b" not in out
    if name == "show":
        assert "|" in out


def test_an_empty_no_color_is_none(terminal: Run, trained: str) -> None:
    assert "\x1b[" in terminal(*COMMANDS["show"], "-t", trained, env={"NO_COLOR": ""}).out


def test_nothing_in_a_text_steers_the_terminal(drawn: Run, trained: str) -> None:
    evil = "\x1b]0;owned\x07\x1b[2J\u202eabc\u2066\x9b31m\r"
    for command in (["encode", "--show"], ["split"], ["explain"], ["steps"]):
        out = plain(drawn(*command, "-t", trained, evil, env={"NO_COLOR": "1"}).out)
        assert not set(out) & set("\x1b\x07\u202e\u2066\x9b\r")


def test_decode_ends_the_line_on_a_terminal(terminal: Run, process: Run, trained: str) -> None:
    assert terminal("decode", "-t", trained, "97", "98").stdout == b"ab\n"
    assert process("decode", "-t", trained, "97", "98").stdout == b"ab"


def test_progress_is_drawn_and_taken_away(terminal: Run, process: Run, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_bytes(resources.files("bytepair.demo_data").joinpath("alice_body.txt").read_bytes())
    arguments = ["train", text, "-n", "3000", "-o", tmp_path / "tok.json", "-v", "--every", "1000"]
    seen = terminal(*arguments).out
    assert "learning merges" in seen
    assert "2,000" in seen
    assert "bytes per token" in seen
    assert "learning merges" not in process(*arguments).err
    assert "learning merges" not in terminal(*arguments, "--quiet").out
