"""What the commands write into a pipe: the snapshots, and that bytes pass unchanged."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from bytepair.cli import texts
from cli.running import Run, Snapshot, hidden

MIXED = "The cat's 12345 hats,\n\tкот  猫 👍🏽\n".encode()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("encode", ["encode"]),
        ("encode-show", ["encode", "--show"]),
        ("encode-lines", ["encode", "--lines"]),
        ("encode-json", ["encode", "--json"]),
        ("count", ["count"]),
        ("count-lines", ["count", "--lines"]),
        ("count-json", ["count", "--json"]),
        ("split", ["split"]),
        ("split-json", ["split", "--json"]),
        ("explain", ["explain"]),
        ("explain-json", ["explain", "--json"]),
        ("steps", ["steps"]),
        ("steps-json", ["steps", "--json"]),
    ],
)
def test_text_commands(name: str, arguments: list[str], run: Run, trained: str, snapshot: Snapshot) -> None:
    done = run(*arguments, "-t", trained, stdin=MIXED)
    assert done.code == 0
    snapshot(f"pipe-{name}", done.out)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("vocab-longest", ["vocab", "--longest", "5"]),
        ("vocab-grep", ["vocab", "--grep", "^ th"]),
        ("vocab-ids", ["vocab", "--ids", "250..260"]),
        ("vocab-special", ["vocab", "--only-special", "--json"]),
        ("info", ["info"]),
    ],
)
def test_tokenizer_commands(name: str, arguments: list[str], run: Run, trained: str, snapshot: Snapshot) -> None:
    done = run(*arguments, "-t", trained)
    assert (done.code, done.err) == (0, "")
    snapshot(f"pipe-{name}", done.out)


def test_several_arguments_are_several_lines(run: Run, trained: str) -> None:
    done = run("encode", "-t", trained, " the", " cat", "")
    assert [len(row.split()) for row in done.out.split("\n")] == [1, 1, 0, 0]


def test_files_give_names_and_a_total(run: Run, trained: str, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(" the the")
    one, two = str(tmp_path / "a"), str(tmp_path / "b")
    assert run("count", "-t", trained, "-f", one, "-f", two).out == f"2\t{one}\n2\t{two}\n4\ttotal\n"
    assert run("count", "-t", trained, "-f", one).out == "2\n"
    assert run("count", "-t", trained, "-f", "-", stdin=b" the").out == "1\n"


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_a_text_read_in_parts_is_one_text(
    size: int, run: Run, trained: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = MIXED * 30 + b"a<|endoftext|>b\xe7\x8c"
    name = str(tmp_path / "data")
    Path(name).write_bytes(data)
    commands = (["encode"], ["encode", "--allow-special"], ["count", "--allow-special"], ["count", "--json"])
    whole = [run(*command, "-t", trained, "-f", name, "-f", name).stdout for command in commands]
    monkeypatch.setattr(texts, "PART", size)
    assert [run(*command, "-t", trained, "-f", name, "-f", name).stdout for command in commands] == whole
    assert run("encode", "-t", trained, stdin=data).stdout * 2 == whole[0]
    assert json.loads(whole[3].splitlines()[0]) == {
        "name": name,
        "tokens": len(whole[0].splitlines()[0].split()),
        "characters": len(data.decode("utf-8", "replace")),
        "bytes": len(data),
    }


def test_a_text_with_an_error_writes_no_ids(run: Run, tmp_path: Path) -> None:
    words, out = tmp_path / "words", str(tmp_path / "words.json")
    words.write_text("low lower lowest")
    done = run("train", str(words), "--merges", "3", "--alphabet", "characters", "-o", out, "-q")
    assert done.code == 0
    done = run("encode", "-t", out, "low", "low " * 1000 + "zoo")
    assert (done.code, done.out.count("\n"), done.err.splitlines()[0]) == (
        1,
        1,
        'error: the vocabulary has no symbol for "z" at byte 4000',
    )


def test_every_byte_comes_back(run: Run, trained: str, tmp_path: Path) -> None:
    data = bytes(range(256)) + b"\xff\xfe" + "né 猫".encode() + b"\xe7\x8c\r\n\x00"
    (tmp_path / "data").write_bytes(data)
    ids = run("encode", "-t", trained, "-f", str(tmp_path / "data")).stdout
    assert run("decode", "-t", trained, stdin=ids).stdout == data


def test_invalid_arguments_come_back(process: Run, trained: str) -> None:
    ids = process("encode", "-t", trained, b"caf\xe9 \xff").stdout
    assert process("decode", "-t", trained, *ids.decode().split()).stdout == b"caf\xe9 \xff"


@pytest.mark.parametrize("locale", ["C", "C.UTF-8", "POSIX"])
def test_the_locale_changes_nothing(process: Run, trained: str, locale: str) -> None:
    env = {"LC_ALL": locale, "PYTHONIOENCODING": "ascii"}
    assert process("split", "-t", trained, "кот".encode(), env=env).stdout == "кот\n".encode()


def test_all_spellings_of_ids(run: Run, trained: str) -> None:
    ids = run("encode", "-t", trained, "hello world").out.split()
    for spelled in (" ".join(ids), ",".join(ids), "[" + ", ".join(ids) + "]\n", "\n".join(ids)):
        assert run("decode", "-t", trained, stdin=spelled.encode()).stdout == b"hello world"
    for arguments in (ids, [",".join(ids)], ["[" + ",".join(ids) + "]"]):
        assert run("decode", "-t", trained, *arguments).stdout == b"hello world"
    rows = run("encode", "-t", trained, "--json", "hello ", "world").stdout
    assert run("decode", "-t", trained, stdin=rows).stdout == b"hello world"


def test_special_tokens_are_text_unless_allowed(run: Run, trained: str) -> None:
    text = "a<|endoftext|>b<|user|>"
    plain = run("encode", "-t", trained, text).out.split()
    assert not {"1000", "1001"} & set(plain)
    every = ["97", "1000", "98", "1001"]
    assert run("encode", "-t", trained, "--allow-special", text).out.split() == every
    assert run("encode", "-t", trained, text, "--allow-special").out.split() == every
    assert run("encode", "-t", trained, text, "--allow-special", "all").out.split() == every
    one = run("encode", "-t", trained, text, "--allow-special=<|endoftext|>").out.split()
    assert one[:3] == every[:3]
    assert "1001" not in one
    assert run("count", "-t", trained, text, "--allow-special").out == "4\n"
    assert run("decode", "-t", trained, "97", "1000", "98").out == "a<|endoftext|>b"
    assert run("decode", "-t", trained, "--skip-special", "97", "1000", "98").out == "ab"


def test_split_needs_only_a_pattern(run: Run) -> None:
    assert run("split", "--pattern", "cl100k", "12345").out == "123\n45\n"
    assert run("split", "--pattern", "[a-z]+", "ab 1 c").out == "ab\n 1 \nc\n"
    assert run("split", "--pattern", "none", "a b").out == "a b\n"


def test_train_tells_its_summary_on_stderr(run: Run, tmp_path: Path) -> None:
    text, out = tmp_path / "text", tmp_path / "tok.json"
    text.write_text("low lower lowest " * 50)
    done = run("train", str(text), "--merges", "5", "-o", str(out))
    assert done.code == 0
    assert done.out == ""
    rows = dict(row.split("\t") for row in done.err.splitlines())
    assert rows["bytes"] == "850"
    assert rows["merges"] == "5"
    assert rows["file"] == str(out)
    tokens = int(run("count", "-t", str(out), "-f", str(text)).out)
    assert float(rows["bytes per token"]) == round(850 / tokens, 3)
    again = run("train", str(text), "--merges", "5", "-o", str(out))
    assert "replaced\tan older file of that name" in again.err
    assert "replaced" not in done.err


def test_train_reads_stdin_and_logs_merges(run: Run, tmp_path: Path) -> None:
    out = str(tmp_path / "tok.json")
    done = run(
        "train", "-", "--merges", "4", "--pattern", "none", "-o", out, "-v", "--every", "2", stdin=b"abababcc" * 9
    )
    assert done.code == 0
    logged = [row for row in done.err.splitlines() if "->" in row]
    assert [row.split()[0] for row in logged] == ["2", "4"]


def test_an_early_stop_is_told(process: Run, tmp_path: Path) -> None:
    done = process("train", "-", "-n", "300", "-o", tmp_path / "tok.json", stdin=b"ab")
    assert done.code == 0
    warning, hint = done.err.splitlines()[:2]
    assert warning.startswith("warning: ")
    assert "257" in warning
    assert hint.startswith("hint: ")


def test_train_characters(run: Run, tmp_path: Path) -> None:
    text, out = tmp_path / "text", str(tmp_path / "tok.json")
    text.write_text("the dog the then " * 9)
    mark = ["--alphabet", "characters", "--end-of-word", "</w>"]
    assert run("train", str(text), "--merges", "4", *mark, "-o", out, "-q").code == 0
    assert run("decode", "-t", out, stdin=run("encode", "-t", out, "the dog").stdout).out == "the dog"


def test_hidden_undoes_visible_in_vocab(run: Run, trained: str) -> None:
    rows = [row.split("\t") for row in run("vocab", "-t", trained).out.splitlines()]
    assert [int(number) for number, _ in rows] == list(range(1002))
    assert [hidden(shown) for _, shown in rows[:256]] == [bytes([byte]) for byte in range(256)]


@pytest.fixture(scope="module")
def characters(tmp_path_factory: pytest.TempPathFactory, run: Run) -> str:
    """A tokenizer of characters with an end-of-word mark."""
    folder = tmp_path_factory.mktemp("characters")
    (folder / "text").write_text("the dog the then " * 9)
    out = str(folder / "tok.json")
    mark = ["--alphabet", "characters", "--end-of-word", "</w>"]
    done = run("train", str(folder / "text"), "--merges", "4", *mark, "-o", out, "-q")
    assert done.code == 0
    return out


def test_the_mark_is_shown_by_its_name(characters: str, run: Run) -> None:
    assert "the</w>\n" in run("vocab", "-t", characters).out
    assert run("encode", "-t", characters, "--show", "the dog").out == "the</w>‖do|g|</w>\n"
    assert "'the' + '</w>'" not in run("explain", "-t", characters, "the").out
    explained = run("explain", "-t", characters, "the").out
    assert "'the</w>'" in explained
    assert "└─ '</w>'" in explained
    assert "not 3 letters" in explained
    assert run("steps", "-t", characters, "the").out.splitlines()[-1].endswith("\tthe\t</w>\tthe</w>")
    assert json.loads(run("vocab", "-t", characters, "--grep", "the<", "--json").out)["text"] == "the</w>"


def test_characters_that_training_did_not_see(characters: str, run: Run) -> None:
    failed = run("encode", "-t", characters, "the cat")
    assert failed.code == 1
    assert "`--unknown skip`" in failed.err
    for command in ("encode", "count", "explain", "steps"):
        assert run(command, "-t", characters, "--unknown", "skip", "the cat").code == 0
    assert run("split", "-t", characters, "the cat").out == "the\ncat\n"
    assert run("split", "-t", characters, "--json", "the cat").code == 0


def test_hints_name_options(run: Run, trained: str, tmp_path: Path) -> None:
    assert "`--unknown skip`" in run("decode", "-t", trained, "99999").err
    assert run("decode", "-t", trained, "--unknown", "replace", "97", "99999").out == "a\ufffd"
    (tmp_path / "ranks.tiktoken").write_bytes(b"YQ== 0\n")
    bare = run("count", "-t", str(tmp_path / "ranks.tiktoken"), "a")
    assert (bare.code, "`--pattern`" in bare.err) == (1, True)


def test_rank_files(run: Run, tmp_path: Path) -> None:
    for name, named in (("ranks.tiktoken", []), ("ranks", ["--format", "tiktoken"])):
        rows = [b"%s %d\n" % (base64.b64encode(bytes([byte])), byte) for byte in range(256)]
        (tmp_path / name).write_bytes(b"".join([*rows, b"YWI= 256\n"]))
        tok = ["-t", str(tmp_path / name), "--pattern", "gpt2", "--special", "<|end|>=300", *named]
        assert run("encode", *tok, "--allow-special", "ab<|end|>").out == "256 300\n"
        assert run("count", *tok, "abab").out == "2\n"
        assert "300  <|end|>" in run("info", *tok).out
        whole = ["-t", str(tmp_path / name), "--pattern", "none", *named]
        assert run("split", *whole, "ab cd").out == "ab cd\n"
        assert run("encode", *whole, "ab ab").out == "256 32 256\n"
        assert "\npattern\t" not in run("info", *whole).out
        assert "\npath\t" not in run("info", *whole).out


def test_a_pattern_for_a_file_that_has_its_own(run: Run, trained: str) -> None:
    for pattern in ("cl100k", "none"):
        done = run("count", "-t", trained, "--pattern", pattern, "a")
        assert (done.code, done.stdout) == (1, b"")
        assert "has its own\nhint: leave" in done.err


def test_ids_that_no_token_can_have_are_skipped_too(run: Run, trained: str) -> None:
    for stdin in (b"97 -1 4294967296 98", b'{"ids": [97, -1, 4294967296, 98]}', b"97 -" + b"9" * 30 + b" 98"):
        assert run("decode", "-t", trained, "--unknown", "skip", stdin=stdin).stdout == b"ab"
        replaced = run("decode", "-t", trained, "--unknown", "replace", stdin=stdin).out
        assert replaced.replace("\ufffd", "") == "ab"
        assert len(replaced) > 2
        assert run("decode", "-t", trained, stdin=stdin).code == 1
    assert run("decode", "-t", trained, "--unknown", "skip", stdin=b"97 x").code == 1


def test_many_ids_are_one_line(run: Run, trained: str) -> None:
    text = b"the x " * 50_000
    done = run("encode", "-t", trained, stdin=text)
    assert done.out.count("\n") == 1
    assert done.out.endswith("\n")
    ids = done.out.split(" ")
    assert len(ids) == int(run("count", "-t", trained, stdin=text).out) > 65_536
    assert run("decode", "-t", trained, stdin=done.stdout).stdout == text


def test_globs_beside_stdin(run: Run, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text("low " * 3)
    out = str(tmp_path / "tok.json")
    done = run("train", str(tmp_path / "*.txt"), "-", "--merges", "2", "-o", out, "-q", "--json", stdin=b"low")
    assert (done.code, json.loads(done.out)["documents"]) == (0, 3)
    assert run("train", str(tmp_path / "*.xyz"), "-", "--merges", "2", "-o", out, stdin=b"low").code == 1
