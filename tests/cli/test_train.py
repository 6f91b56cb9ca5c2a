"""`train` and `pretokens` with all their options: sources and weights, a config, checkpoints, counts, progress."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from importlib import resources
from pathlib import Path

import click
import pytest
from rich.cells import cell_len

import bytepair as bp
from bytepair.cli.corpus import saved_in, size_of
from bytepair.cli.failures import InterruptedWork
from bytepair.cli.progress import said
from cli.running import ESCAPE, PROGRAM, Ran, Run, Snapshot

BOOK = resources.files("bytepair.demo_data").joinpath("alice_body.txt").read_bytes()


pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of texts, which is the current one."""
    (tmp_path / "book.txt").write_bytes(BOOK)
    for name, text in {"en": "low lower lowest", "de": "niedrig niedriger am niedrigsten"}.items():
        (tmp_path / name).mkdir()
        for number in range(2):
            (tmp_path / name / f"{number}.txt").write_text(f"{text} {text[: number + 3]}", "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def failed(done: Ran, code: int, what: str, hint: str = "") -> None:
    assert done.code == code, done.err
    assert done.stdout == b""
    error, told = done.err.splitlines()[-2:]
    assert error.startswith("error: ")
    assert what in error
    assert told.startswith("hint: ")
    assert hint in told


def loaded(path: Path | str) -> bp.Tokenizer:
    return bp.load(path)


# Sources, weights, counts


def test_named_sources_with_weights(run: Run) -> None:
    arguments = ["train", "en=en/*.txt", "de=de/*.txt", "--weight", "en=0.3", "-n", "279", "-o", "tok.json"]
    assert run(*arguments, "-q").code == 0
    files = {"en": "en/*.txt", "de": "de/*.txt"}
    assert loaded("tok.json") == bp.train(files=files, weights={"en": 0.3}, vocab_size=279)
    assert run(*arguments[:4], "en=1/3", "-n", "279", "-o", "tok.json", "-q").code == 0


def test_merges_of_weighted_counts_are_shown_as_weighted(run: Run) -> None:
    arguments = ["train", "en=en/*.txt", "de=de/*.txt", "--weight", "en=0.3", "--merges", "2", "-o", "tok.json"]
    done = run(*arguments, "-v", "--every", "1")
    learned = loaded("tok.json").training
    assert learned is not None
    assert learned.scale == 10
    rows = [row for row in done.err.splitlines() if " -> " in row]
    assert [row.split()[-1] for row in rows] == [f"{count / 10:.1f}" for count in learned.counts]
    assert "bytes and pretokens, by en=0.3" in done.err


@pytest.mark.parametrize(
    ("text", "meant"), [("1.5K", 1500), ("1.5k", 1500), ("0.5KiB", 512), ("12", 12), ("2 MB", 2 * 10**6)]
)
def test_sizes(text: str, meant: int) -> None:
    assert size_of(text) == meant


@pytest.mark.parametrize("text", ["1.0001", "0.3K.", "-5", "0.0", "1e3", "1.5", "9" * 30, "5X", "K"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(click.BadParameter, match="is no number of bytes"):
        size_of(text)


def test_one_source_in_several_arguments(run: Run) -> None:
    arguments = ["train", "en=en/0.txt", "de=de/*.txt", "en=en/1.txt", "--merges", "9", "-o", "tok.json", "-q"]
    assert run(*arguments).code == 0
    assert loaded("tok.json") == bp.train(files=["en/0.txt", "en/1.txt", "de/0.txt", "de/1.txt"], num_merges=9)


def test_a_file_with_an_equals_sign_is_a_file(folder: Path, run: Run) -> None:
    (folder / "a=b.txt").write_text("low lower", "utf-8")
    assert run("train", "a=b.txt", "--merges", "2", "-o", "tok.json", "-q").code == 0
    failed(run("train", "a=c.txt", "--merges", "2", "-o", "tok.json"), 1, "there is no file `c.txt`")


@pytest.mark.parametrize(
    ("arguments", "what", "hint"),
    [
        (["en=en/*.txt", "book.txt"], "some files are of a source and some are not", "name the source of each"),
        (["book.txt", "--weight", "en=2"], "the sources have no names", "`en=en/*.txt ru=ru/*.txt`"),
        (["en=en/*.txt", "--weight", "en"], "`--weight en` is no weight", "`--weight en=0.3`"),
        (["en=en/*.txt", "--weight", "en=x"], "`--weight en=x` is no weight", ""),
        (["en=en/*.txt", "--weight", "=1"], "`--weight =1` is no weight", ""),
        (["en=en/*.txt", "--weight", "en=1", "--weight", "en=2"], "`--weight` names `en` twice", "one weight"),
        (["-", "-"], "`-` is given twice", "name it once"),
        (["a=-", "b=-"], "`-` is given twice", "name it once"),
        (["book.txt", "--resume"], "`--resume` without a checkpoint", "--checkpoint run1 --resume"),
        (["book.txt", "--counts", "x.parquet"], "both files and `--counts` given", ""),
        (["book.txt", "--sample", "many"], "'many' is no number of bytes", ""),
        (["book.txt", "--sample", "0"], "'0' is no number of bytes", ""),
    ],
)
def test_wrong_usage(arguments: list[str], what: str, hint: str, run: Run) -> None:
    failed(run("train", *arguments, "--merges", "3", "-o", "tok.json"), 2, what, hint)


@pytest.mark.parametrize(
    ("arguments", "what", "hint"),
    [
        (["en=en/*.txt", "--weight", "ru=2"], "'ru', and no source is called so", "the sources are en"),
        (["en=en/*.txt", "--weight", "en=-2"], "the weight of 'en' is -2", ""),
        (["book.txt", "--seed-token", "two words"], "which the pattern cuts into 2 pieces", ""),
        (["en=en/*.txt", "--weight", "en=1e-300"], "the weight of 'en' is 1E-300", "few digits"),
        (["book.txt", "--base", "none.json"], "none.json", ""),
        (["book.txt", "--base", "book.txt"], "no format that is read", "`bytepair convert` makes one"),
        (["book.txt", "--text-field", "x", "--source-field", "x"], "both 'x'", "two columns"),
    ],
)
def test_what_the_package_refuses(arguments: list[str], what: str, hint: str, run: Run) -> None:
    failed(run("train", *arguments, "--merges", "3", "-o", "tok.json"), 1, what, hint)


def test_json_lines_with_a_separator_and_a_sample(folder: Path, run: Run) -> None:
    rows = [{"body": f"low lower {number}", "lang": "ab"[number % 2]} for number in range(9)]
    (folder / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    fields = ["--text-field", "body", "--source-field", "lang", "--weight", "a=2"]
    assert run("train", "rows.jsonl", *fields, "--merges", "4", "-o", "tok.json", "-q").code == 0
    told: dict[str, str] = {"text_field": "body", "source_field": "lang"}
    assert loaded("tok.json") == bp.train(files="rows.jsonl", weights={"a": 2}, num_merges=4, **told)  # type: ignore[arg-type]
    (folder / "many.txt").write_text("low\n\nlower\n\nlowest\n\nnewest", "utf-8")
    done = run("train", "many.txt", "--separator", r"\n\n", "--sample", "12", "--merges", "2", "-o", "tok.json", "-q")
    assert done.code == 0
    assert loaded("tok.json") == bp.train(files="many.txt", separator="\n\n", sample=12, num_merges=2)


def test_pretokens_then_train(folder: Path, run: Run) -> None:
    pytest.importorskip("pyarrow")
    sources = ["en=en/*.txt", "de=de/*.txt"]
    done = run("pretokens", *sources, "--pattern", "gpt2", "--special", "am", "-o", "counts.parquet", "--json", "-q")
    assert done.code == 0
    told = json.loads(done.out)
    assert (told["documents"], told["sources"], told["file"]) == (4, "en, de", "counts.parquet")
    counts = ["train", "--counts", "counts.parquet", "--merges", "7", "-o", "tok.json", "-q"]
    assert run(*counts, "--weight", "de=0.5").code == 0
    files = {"en": "en/*.txt", "de": "de/*.txt"}
    whole = bp.train(files=files, weights={"de": 0.5}, pattern="gpt2", special_tokens=["am"], num_merges=7)
    assert loaded("tok.json") == whole
    failed(run(*counts, "--pattern", "o200k"), 1, "`--pattern` is o200k, but that of these counts is gpt2")
    assert run("pretokens", *sources, "-o", "few.parquet", "--prune", "3", "-q").code == 0
    assert bp.load_counts("few.parquet").dropped.distinct > 0
    failed(run("pretokens", "-o", "counts.parquet"), 2, "no files to count")
    failed(run("pretokens", "book.txt"), 2, "no place for the result")
    failed(run("pretokens", "book.txt", "-o", "counts.txt"), 2, "does not end in `.parquet`", "a Parquet file")
    (folder / "rubbish.parquet").write_bytes(b"rubbish")
    failed(run("train", "--counts", "rubbish.parquet", "--merges", "1", "-o", "tok.json"), 1, "no Parquet file")


def test_several_counts_are_added_up(run: Run) -> None:
    pytest.importorskip("pyarrow")
    for name in ("en", "de"):
        assert run("pretokens", f"{name}/*.txt", "-o", f"{name}.parquet", "-q").code == 0
    arguments = ["train", "--counts", "en.parquet", "--counts", "de.parquet", "--merges", "9", "-o", "tok.json", "-q"]
    assert run(*arguments).code == 0
    assert loaded("tok.json") == bp.train(files=["en/*.txt", "de/*.txt"], num_merges=9)
    assert run("train", "--counts", "*.parquet", *arguments[5:]).code == 0
    assert loaded("tok.json") == bp.train(files=["de/*.txt", "en/*.txt"], num_merges=9)
    failed(run("train", "--counts", "x*.parquet", *arguments[5:]), 1, "no file matches `x*.parquet`")
    Path("train.toml").write_text('counts = ["en.parquet", "de.parquet"]\n', "utf-8")
    assert run("train", "--config", "train.toml", *arguments[5:]).code == 0
    assert loaded("tok.json") == bp.train(files=["en/*.txt", "de/*.txt"], num_merges=9)
    assert run("pretokens", "x=de/*.txt", "-o", "named.parquet", "-q").code == 0
    failed(run(*arguments, "--counts", "named.parquet"), 1, "one has named sources")


def test_what_is_warned_of_is_told_at_once(folder: Path, process: Run) -> None:
    (folder / "long.txt").write_text("x" * 100_000, "utf-8")
    done = process("train", "long.txt", "--merges", "20", "-v", "--every", "1", "-o", "tok.json", cwd=folder)
    assert done.code == 0, done.err
    lines = done.err.splitlines()
    assert lines[0].startswith("warning: the pattern leaves huge pretokens")
    assert lines[1].startswith("hint: ")
    assert "xx" in lines[2], "the first merge"


def test_a_base_is_continued(run: Run) -> None:
    assert run("train", "en/0.txt", "--merges", "3", "--special", "<s>", "-o", "base.json", "-q").code == 0
    done = run("train", "book.txt", "--base", "base.json", "-n", "300", "-o", "tok.json", "-q", "--json")
    assert done.code == 0
    told = json.loads(done.out)
    assert (told["vocabulary"], told["merges"], told["of_the_base"]) == (300, 43, 3)
    base, tok = loaded("base.json"), loaded("tok.json")
    assert all(tok.bytes_of(id) == token for id, token in base.vocabulary.items())
    failed(
        run("train", "book.txt", "--base", "base.json", "-n", "200", "-o", "tok.json"), 1, "the base already has 260"
    )


def test_counts_of_another_program_are_cut_as_is_said(run: Run) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = {"low": 5, " lower": 3, " lowest": 2}
    parquet.write_table(pa.table({"pretoken": list(table), "count": list(table.values())}), "other.parquet")
    arguments = ["train", "--counts", "other.parquet", "--merges", "3", "-o", "tok.json", "-q"]
    assert run(*arguments, "--pattern", "gpt2", "--special", "<s>").code == 0
    assert loaded("tok.json") == bp.train(counts=table, pattern="gpt2", special_tokens=["<s>"], num_merges=3)
    assert run(*arguments, "--pattern", "none").code == 0
    assert loaded("tok.json").pattern is None
    failed(run(*arguments), 1, "nothing in it says which pattern", "say it: `--pattern o200k`, or another one")


def test_a_rank_file_is_continued_with_the_pattern_that_is_said(run: Run) -> None:
    bp.train(files="en/0.txt", num_merges=3, pattern=None).save("base.tiktoken")
    arguments = ["train", "book.txt", "--base", "base.tiktoken", "--merges", "5", "-o", "tok.json", "-q"]
    assert run(*arguments, "--pattern", "gpt2").code == 0
    base = bp.load("base.tiktoken", pattern="gpt2")
    assert loaded("tok.json") == bp.train(files="book.txt", base=base, num_merges=5)
    failed(run(*arguments), 1, "pattern", "`--pattern")


def test_stdin_is_a_source_too(folder: Path, process: Run) -> None:
    done = process("train", "-", "--merges", "3", "-o", "tok.json", "-q", stdin=b"low lower lowest", cwd=folder)
    assert (done.code, done.err) == (0, "")
    assert loaded("tok.json") == bp.train(texts=["low lower lowest"], num_merges=3)
    done = process(
        "train", "a=-", "b=en/0.txt", "--weight", "a=3", "--merges", "3", "-o", "tok.json", stdin=b"x", cwd=folder
    )
    assert done.code == 0


# --config

CONFIG = """
files = { en = "en/*.txt", de = ["de/0.txt", "de/1.txt"] }
output = "tok.json"
merges = 6
weight = { en = 0.3, de = 2 }
special = ["<a>", "<b>"]
whole-characters = true
sample = "1M"
min-count = 1
quiet = true
"""


def test_a_config_says_what_options_say(folder: Path, run: Run) -> None:
    (folder / "train.toml").write_text(CONFIG, "utf-8")
    done = run("train", "--config", "train.toml")
    assert (done.code, done.err) == (0, "")
    arguments = ["train", "en=en/*.txt", "de=de/0.txt", "de=de/1.txt", "--merges", "6", "--weight", "en=0.3"]
    arguments += ["--weight", "de=2", "--special", "<a>", "--special", "<b>", "--whole-characters", "--sample", "1M"]
    assert run(*arguments, "-o", "other.json", "-q").code == 0
    assert (folder / "tok.json").read_bytes() == (folder / "other.json").read_bytes()


@pytest.mark.parametrize("line", ['vocab-size = "x"', 'ties = "best"', "min-count = 0", 'sample = "much"'])
def test_a_value_that_no_option_takes_names_the_file(line: str, run: Run) -> None:
    Path("train.toml").write_text(f"{line}\n", "utf-8")
    failed(run("train", "--config", "train.toml"), 2, f"`train.toml`: `{line.partition(' ')[0]}`: ", "--help")


def test_the_command_line_wins(folder: Path, run: Run) -> None:
    (folder / "train.toml").write_text(CONFIG, "utf-8")
    done = run("train", "--config", "train.toml", "-n", "270", "-o", "new.json", "--special", "<c>", "book.txt")
    assert done.code == 2
    assert "weights are given, but the sources have no names" in done.err
    done = run(
        "train",
        "--config",
        "train.toml",
        "-n",
        "270",
        "-o",
        "new.json",
        "--special",
        "<c>",
        "en=book.txt",
        "--weight",
        "en=1",
    )
    assert (done.code, done.err) == (0, "")
    tok = loaded("new.json")
    assert (len(tok), tok.special_tokens) == (270, {"<c>": 269})
    assert tok == bp.train(
        files="book.txt", sample=10**6, vocab_size=270, special_tokens=["<c>"], whole_characters=True
    )


@pytest.mark.parametrize(
    ("content", "what", "hint"),
    [
        ("vocab-sise = 3", "`vocab-sise` is no option of `bytepair train`", "did you mean `vocab-size`?"),
        ("vocab_size = 3", "`vocab_size` is no option", "did you mean `vocab-size`?"),
        ("config = 'x'", "`config` is no option", ""),
        ("qqq = 1", "`qqq` is no option", "the options are alphabet, base, checkpoint"),
        ("vocab-size = true", "`vocab-size` is true or false", "it is a number"),
        ("vocab-size = [3]", "`vocab-size` is a list", "it is a number"),
        ("vocab-size = 3.5", "'3.5' is not a valid integer", ""),
        ("pattern = 3", "`pattern` is 3", "it is a text"),
        ("special = [1]", "`special` is 1", "it is a text"),
        ("special = {a = 'b'}", "`special` is a table", "give a list"),
        ("quiet = 'yes'", "`quiet` is a text", "true or false"),
        ("weight = {en = [[1]]}", "`weight` is a list", "it is a number"),
        ("ties = 'best'", "'best' is not one of", ""),
        ("a = ", "is no TOML: Invalid value", ""),
        ("merges = 1\nmerges = 2", "is no TOML", ""),
    ],
)
def test_configs_that_are_wrong(content: str, what: str, hint: str, folder: Path, run: Run) -> None:
    (folder / "train.toml").write_text(content, "utf-8")
    failed(run("train", "book.txt", "-o", "tok.json", "--config", "train.toml"), 2, what, hint)


def test_configs_that_are_none(folder: Path, run: Run) -> None:
    failed(run("train", "--config", "none.toml"), 1, "no such file or directory: `none.toml`")
    (folder / "bytes.toml").write_bytes(b"a = '\xff'")
    failed(run("train", "--config", "bytes.toml"), 2, "byte 5 is not UTF-8")
    failed(run("train", "--config", "."), 1, "is a directory")


def test_pretokens_has_a_config_too(folder: Path, run: Run) -> None:
    pytest.importorskip("pyarrow")
    (folder / "count.toml").write_text('files = "book.txt"\noutput = "c.parquet"\nprune = 2\nquiet = true', "utf-8")
    assert run("pretokens", "--config", "count.toml").code == 0
    assert bp.load_counts("c.parquet").dropped.distinct > 0


# Checkpoints


def test_checkpoints(folder: Path, run: Run) -> None:
    arguments = ["train", "book.txt", "--merges", "30", "-o", "tok.json", "-q", "--checkpoint", "run"]
    assert run(*arguments).code == 0
    before = (folder / "tok.json").read_bytes()
    failed(run(*arguments), 1, "there is a checkpoint in `run`", "pass `--resume` to go on from it")
    assert run(*arguments, "--resume").code == 0
    assert (folder / "tok.json").read_bytes() == before
    failed(run(*arguments, "--resume", "--ties", "first"), 1, 'ties is "lowest" there, and "first" here')


@pytest.mark.parametrize("command", ["train", "pretokens"])
def test_ctrl_c_leaves_what_can_go_on_and_says_how(command: str, folder: Path) -> None:
    if command == "pretokens":
        pytest.importorskip("pyarrow")
    (folder / "long.txt").write_bytes(BOOK * 150)
    out = "tok.json" if command == "train" else "counts.parquet"
    arguments = [command, "long.txt", "-o", out, "--checkpoint", "run", "--pattern", r"(?<!x)\w+|\W"]
    arguments += ["--merges", "500"] if command == "train" else []
    child = subprocess.Popen([*PROGRAM, *arguments], stderr=subprocess.PIPE, text=True)
    while not (folder / "run" / "settings.json").exists():
        time.sleep(0.01)
        assert child.poll() is None
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    assert child.returncode == 130, errors
    interrupted, hint = errors.splitlines()[-2:]
    assert interrupted == "error: interrupted"
    assert hint.startswith("hint: the same command with `--resume` begins again: counts are saved")
    (folder / "run" / "merges").touch()
    with pytest.raises(InterruptedWork) as stopped, saved_in("run"):
        raise KeyboardInterrupt
    assert stopped.value.hint == "the same command with `--resume` goes on from `run`"
    assert sorted(path.name for path in folder.iterdir()) == ["book.txt", "de", "en", "long.txt", "run"]


# What is seen


def plainly(text: str) -> str:
    return ESCAPE.sub("", text)


def test_summaries(folder: Path, run: Run, terminal: Run, snapshot: Snapshot) -> None:
    pytest.importorskip("pyarrow")
    pretokens = ["pretokens", "en=book.txt", "de=de/*.txt", "--prune", "2", "-o", "counts.parquet"]
    train = ["train", "en=book.txt", "de=de/*.txt", "--weight", "de=0.5", "-n", "300", "-o", "tok.json"]

    def timeless(text: str) -> str:
        return "".join(row for row in text.splitlines(keepends=True) if not row.startswith(("seconds", "replaced")))

    for name, arguments in {"pretokens": pretokens, "train": train}.items():
        snapshot(f"pipe-{name}", timeless(run(*arguments).err))
        shown = plainly(terminal(*arguments, cwd=folder).out).split("\r")[-1]
        snapshot(f"terminal-{name}", timeless(shown.lstrip("\n")))


SLOWLY = """
import sys, time
from bytepair.cli import main
from bytepair.cli import progress
from bytepair.data import batches
batches.PART = 20_000
progress._FIRST, progress._LOGGED = 0.0, 0.0
call = progress.Progressed.__call__
def slow(self, event):
    call(self, event)
    time.sleep(0.03 if event.merge is None else 0.0005)
progress.Progressed.__call__ = slow
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("columns", [80, 120])
def test_a_bar_of_both_phases_within_the_terminal(
    columns: int, folder: Path, monkeypatch: pytest.MonkeyPatch, terminal: Run
) -> None:
    monkeypatch.setattr(sys.modules[terminal.__module__], "PROGRAM", [sys.executable, "-c", SLOWLY])
    out = terminal("train", "book.txt", "-n", "2000", "-o", "tok.json", columns=columns, cwd=folder).out
    rows = [row for part in plainly(out).split("\n") for row in part.split("\r")]
    counting = [row for row in rows if row.startswith("counting pretokens")]
    learning = [row for row in rows if row.startswith("learning merges")]
    assert any("kB" in row and "memory" in row for row in counting)
    assert any("/1,744" in row for row in learning)
    assert any(" left" in row for row in learning)
    assert all(cell_len(row) <= columns for row in counting + learning)
    assert "bytes per token" in out


def test_a_log_gets_a_line_now_and_then() -> None:
    arguments = ["train", "book.txt", "-n", "400", "-o", "tok.json"]
    done = subprocess.run([sys.executable, "-c", SLOWLY, *arguments], capture_output=True, text=True, check=True)
    rows = done.stderr.splitlines()
    assert any(row.startswith("counting pretokens: 20/151 kB, memory ") for row in rows)
    assert any(row.startswith("learning merges: 100/144") for row in rows)
    assert "\r" not in done.stderr
    assert "\x1b" not in done.stderr
    quiet = subprocess.run([sys.executable, "-c", SLOWLY, *arguments, "-q"], capture_output=True, text=True, check=True)
    assert quiet.stderr == ""


def test_the_widest_words_of_progress_fit_80_columns() -> None:
    widest = [
        bp.Progress(
            "count", 999_900_000_000, 999_999_999_999, eta=359_999, memory=99_900_000_000, memory_at_end=99_900_000_000
        ),
        bp.Progress("count", 99_900_000, 99_900_000, eta=359_999, memory=99_900_000, memory_at_end=99_900_000),
        bp.Progress("lay out", 10**12, 10**12, eta=359_999, peak=99_900_000_000),
        bp.Progress("merge", 999_999, 1_000_000, eta=359_999),
        bp.Progress("shard", 999_900_000_000, 999_999_999_999, eta=359_999),
    ]
    assert max(len("counting pretokens ") + 11 + len(said(event)) for event in widest) <= 80
