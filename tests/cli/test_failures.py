"""Rubbish in: two lines on stderr, nothing on stdout, the right exit code, never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from cli.running import PROGRAM, Ran, Run

TAKE_TEXT = ["encode", "count", "split", "explain", "steps"]
TAKE_TOKENIZER = [*TAKE_TEXT, "decode", "vocab", "info"]


def failed(done: Ran, code: int, *words: str) -> None:
    """Check that `done` failed as it should, and says `words`."""
    assert done.code == code, done.err
    assert done.stdout == b""
    rows = done.err.splitlines()
    assert len(rows) == 2, done.err
    assert rows[0].startswith("error: ")
    assert rows[1].startswith("hint: ")
    assert len(rows[1]) > len("hint: ")
    for word in words:
        assert word in done.err


@pytest.mark.parametrize("command", TAKE_TOKENIZER)
def test_no_tokenizer(command: str, process: Run) -> None:
    failed(process(command), 2, "no tokenizer")


@pytest.mark.parametrize("command", TAKE_TOKENIZER)
def test_missing_tokenizer(command: str, run: Run, tmp_path: Path) -> None:
    failed(run(command, "-t", tmp_path / "none.json"), 1, "none.json")


@pytest.mark.parametrize("command", TAKE_TOKENIZER)
def test_directory_for_tokenizer(command: str, run: Run, tmp_path: Path) -> None:
    failed(run(command, "-t", tmp_path), 1, str(tmp_path))


RUBBISH = {
    "empty.json": b"",
    "binary.json": bytes(range(256)),
    "list.json": b"[1, 2]",
    "null.json": b"null",
    "other.json": b'{"model": {"type": "Unigram"}}',
    "deep.json": b"[" * 100_000,
    "cut.json": b'{"model": {"type": "BPE", "vocab": {"a"',
    "empty.tiktoken": b"",
    "binary.tiktoken": bytes(range(256)),
    "letters.tiktoken": b"YQ== zero\n",
    "empty.xyz": b"",
}


@pytest.mark.parametrize("name", RUBBISH)
@pytest.mark.parametrize("command", ["count", "info"])
def test_rubbish_for_tokenizer(command: str, name: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(RUBBISH[name])
    failed(run(command, "-t", tmp_path / name, "--pattern", "cl100k"), 1)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("command", TAKE_TOKENIZER)
def test_forbidden_tokenizer(command: str, process: Run, tmp_path: Path) -> None:
    path = tmp_path / "secret.json"
    path.touch(0o000)
    failed(process(command, "-t", path), 1, "secret.json", "permission")


@pytest.mark.parametrize("command", TAKE_TEXT)
def test_missing_text(command: str, run: Run, trained: str, tmp_path: Path) -> None:
    failed(run(command, "-t", trained, "-f", tmp_path / "none.txt"), 1, "none.txt", "no such file")


@pytest.mark.parametrize("command", [*TAKE_TEXT, "decode"])
def test_directory_for_text(command: str, run: Run, trained: str, tmp_path: Path) -> None:
    failed(run(command, "-t", trained, "-f", tmp_path), 1, "is a directory")


@pytest.mark.parametrize("command", TAKE_TEXT)
@pytest.mark.parametrize("data", [b"", b"\0", b"\xff\xfe\xd0", b"\xed\xa0\x80", bytes(range(256)), b"a" * 5000])
def test_any_bytes_are_a_text(command: str, data: bytes, run: Run, trained: str) -> None:
    assert run(command, "-t", trained, stdin=data).code == 0


@pytest.mark.parametrize(
    ("ids", "word"),
    [
        (b"12 x", "`x`"),
        (b"-1", "`-1`"),
        (b"1.5", "`1.5`"),
        (b"99999", "99999"),
        (b"4294967296", "4294967296"),
        (b"9" * 10_000, "too large"),
        ("٣".encode(), "no id"),
        (b"\xff\xfe", "no id"),
        (b"\x1b[31m", "\\x1b"),
        (b'{"ids": 3}', "ids"),
        (b'{"ids": ["x"]}', "ids"),
        (b'{"ids": [1, true, null]}', "ids"),
        (b"{" * 100_000, "ids"),
    ],
)
def test_bad_ids(ids: bytes, word: str, run: Run, trained: str) -> None:
    failed(run("decode", "-t", trained, stdin=ids), 1, word)


def test_no_ids_are_no_text(run: Run, trained: str) -> None:
    done = run("decode", "-t", trained, stdin=b" \n")
    assert (done.code, done.stdout) == (0, b"")


def test_unknown_ids_can_be_skipped(run: Run, trained: str) -> None:
    assert run("decode", "-t", trained, "--unknown", "skip", "97", "99999", "98").stdout == b"ab"


@pytest.mark.parametrize("number", ["99999", "4294967295"])
def test_explain_unknown_id(number: str, run: Run, trained: str) -> None:
    failed(run("explain", "-t", trained, "--id", number), 1, number)


@pytest.mark.parametrize(
    "arguments",
    [
        ["frobnicate"],
        [],
        ["--frobnicate"],
        ["encode", "--frobnicate"],
        ["explain", "--id", "-1"],
        ["explain", "--id", "4294967296"],
        ["explain", "--id", "1", "text"],
        ["split"],
        ["vocab", "--ids", "x"],
        ["vocab", "--ids", ".."],
        ["vocab", "--ids", "99999999999999999999.."],
        ["vocab", "--grep", "("],
        ["vocab", "--longest", "0"],
        ["decode", "--unknown", "perhaps"],
        ["count", "--special", "x"],
        ["count", "--special", "x=y"],
        ["count", "--special", "=1"],
        ["encode", "--allow-special=<|none|>", "x"],
        ["encode", "--json", "--show", "x"],
        ["count", "--special", "x=1", "--special", "x=2", "x"],
        ["train"],
        ["train", "x.txt"],
        ["train", "x.txt", "-n", "300", "-o", "folder/"],
        ["train", "x.txt", "-o", "out.json"],
        ["train", "x.txt", "-o", "out.json", "-n", "300", "--merges", "3"],
        ["train", "x.txt", "-o", "out.json", "-n", "many"],
        ["train", "x.txt", "-o", "out.json", "-n", "-5"],
        ["train", "x.txt", "-o", "out.json", "-n", "300", "--ties", "random"],
        ["train", "x.txt", "-o", "out.json", "-n", "300", "--threads", "0"],
    ],
)
def test_usage(arguments: list[str], run: Run, trained: str) -> None:
    named = ["-t", trained] if arguments and arguments[0] in ("encode", "explain", "vocab", "decode", "count") else []
    failed(run(*arguments, *named), 2)


def test_bad_pattern(run: Run, tmp_path: Path) -> None:
    failed(run("split", "--pattern", "(", "x"), 1, "(")
    failed(run("train", "-", "-n", "300", "--pattern", "[z-a]", "-o", tmp_path / "o.json", stdin=b"x"), 1, "z-a")


def test_train_without_text(run: Run, tmp_path: Path) -> None:
    failed(run("train", tmp_path / "none.txt", "-n", "300", "-o", tmp_path / "o.json"), 1, "none.txt")
    failed(
        run("train", tmp_path / "no*.txt", "-n", "300", "-o", tmp_path / "o.json"),
        1,
        "no*.txt",
        "hint: the current directory",
    )
    assert not (tmp_path / "o.json").exists()


def test_train_on_a_directory(run: Run, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    failed(run("train", tmp_path / "folder", "-n", "300", "-o", tmp_path / "o.json"), 1, "folder")


def test_train_too_small(run: Run, tmp_path: Path) -> None:
    failed(run("train", "-", "-n", "100", "-o", tmp_path / "o.json", stdin=b"x"), 1, "100", "256")


@pytest.mark.parametrize("option", ["--threads", "--min-count", "--max-token-bytes"])
def test_train_with_a_number_that_is_too_large(option: str, run: Run, tmp_path: Path) -> None:
    size = ["-n", "300", "-o", tmp_path / "o.json"]
    failed(run("train", "-", *size, option, "9" * 24, stdin=b"x"), 1, "9" * 24, "hint: it is an integer from")
    failed(run("train", "-", "-n", "9" * 24, "-o", tmp_path / "o.json", stdin=b"x"), 1, "`--vocab-size` is " + "9" * 24)


def test_special_tokens_of_a_training_are_named_by_their_place(run: Run, tmp_path: Path) -> None:
    special = ["--special", "<a>", "--special", "<a>"]
    done = run("train", "-", "-n", "300", "-o", tmp_path / "o.json", *special, stdin=b"x")
    failed(done, 1, "`--special` number 2 is '<a>'")


def test_train_fails_before_the_work(run: Run, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("some text")
    failed(run("train", text, "-n", "300", "-o", tmp_path / "nowhere" / "o.json"), 1, "nowhere")
    failed(run("train", text, "-n", "300", "-o", tmp_path), 1, "is a directory")
    failed(run("train", text, "-n", "300", "-o", text / "o.json"), 1)
    failed(run("train", text, "-n", "300", "-o", tmp_path / "o.xyz"), 2, "o.xyz")
    failed(run("train", text, "-n", "300", "-o", "-"), 2, ".json")


def test_a_failed_training_leaves_the_old_file(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "o.json"
    out.write_text("precious")
    failed(run("train", "-", "-n", "300", "--pattern", "(", "-o", out, stdin=b"x"), 1)
    assert out.read_text() == "precious"
    assert [path.name for path in tmp_path.iterdir()] == ["o.json"]


def test_train_of_nothing(run: Run, tmp_path: Path) -> None:
    done = run("train", "-", "-n", "300", "-o", tmp_path / "o.json", stdin=b"")
    assert done.code == 0
    assert done.err.startswith("warning: ")
    assert "\nbytes\t0\n" in done.err


def test_odd_names(process: Run, trained: str, tmp_path: Path) -> None:
    failed(process("count", "-t", trained, "-f", "new\nline\x1b[31m"), 1)
    failed(process("count", "-t", trained, "-f", b"\xff.txt"), 1)
    failed(process("count", "-t", trained, "-f", "x" * 5000), 1, "too long")
    (tmp_path / "two\nlines").write_text(" the")
    assert process("count", "-t", trained, "-f", tmp_path / "two\nlines").out == "1\n"


def test_json_is_utf8_whatever_a_file_is_called(process: Run, trained: str, tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff.txt"
    Path(os.fsdecode(name)).write_text("é")
    done = process("count", "-t", trained, "--json", "-f", name)
    assert done.code == 0
    assert os.fsencode(json.loads(done.stdout.decode("utf-8"))["name"]) == name


def test_an_unknown_request_for_completions(process: Run) -> None:
    failed(process(env={"_BYTEPAIR_COMPLETE": "foo"}), 2, "_BYTEPAIR_COMPLETE=foo")


def test_messages_name_options(run: Run, trained: str, tmp_path: Path) -> None:
    failed(run("train", "-", "-n", "100", "-o", tmp_path / "o.json", stdin=b"x"), 1, "error: `--vocab-size` is 100")
    hint = "hint: train it with `--special <unk>`, or pass `--unknown skip`"
    failed(run("encode", "-t", trained, "--unknown", "unk", "x"), 1, hint)


def test_half_a_surrogate_pair(run: Run, trained: str) -> None:
    failed(run("count", "-t", trained, "\ud83d"), 1, "surrogate")


def test_a_full_disk(trained: str) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*PROGRAM, "vocab", "-t", trained], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert done.stderr.decode().splitlines()[0] == "error: no space left on device"
    assert len(done.stderr.splitlines()) == 2
