"""An option that a command line makes no use of is refused by its name, and nothing is done."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from bytepair.cli.app import app
from bytepair.cli.unused import refuse
from cli.running import Run

READING = ["--format", "--text-field", "--source-field", "--separator", "--errors", "--sample", "--seed"]
# What is of no use, in which command line, and why.
CASES: list[tuple[list[str], list[str], str]] = [
    (["kinds", "-t", "TOK"], READING, "without a text"),
    (["audit", "-t", "TOK"], READING, "without a corpus"),
    (["baselines", "TEXT"], ["--pattern", "--special", "--tokenizer-format"], "without a tokenizer"),
    (["split", "--pattern", "gpt2", "low"], ["--special", "--format"], "without a tokenizer"),
    (["explain", "-t", "TOK", "--id", "97"], ["--lines", "--allow-special", "--unknown"], "with `--id`"),
    (["tax", "-t", "TOK", "--curve", "en=bundled", "ru=bundled"], ["--base", "--window", "--price"], "with `--curve`"),
    (["tax", "-t", "TOK", "en=bundled", "ru=bundled"], ["--pattern"], "here: each tokenizer has one"),
    (["play", "TOK", "--port", "0"], ["--pattern"], "without a rank file"),
    (["play", "--port", "0"], ["--pattern"], "without a rank file"),
    (["shard", "--verify", "DIR"], ["--pattern", "--special"], "without a tokenizer"),
]


def option_of(command: str, name: str) -> click.Option:
    found = app.get_command(click.Context(app), command)
    assert found is not None
    return next(one for one in found.params if isinstance(one, click.Option) and name in one.opts)


def written(option: click.Option) -> list[str]:
    """The option with a value that it can have: its default, where it has one, for saying that is asking for it too."""
    name = max(option.opts, key=len)
    if option.is_flag:
        return [name]
    if name == "--allow-special":
        return [f"{name}=all"]
    if name == "--shard-tokens":
        return [name, "100M"]
    if isinstance(option.type, click.Choice):
        return [name, str(option.type.choices[0])]
    return [name, "7" if option.type.name in {"integer range", "float range"} or name == "--sample" else "x=7"]


def check(run: Run, line: list[str], option: click.Option, why: str) -> None:
    done = run(*line, *written(option))
    name = max(option.opts, key=len)
    assert (done.code, done.stdout) == (2, b""), done.err
    assert done.err.splitlines()[0] == f"error: `{name}` is of no use {why}"
    assert done.err.splitlines()[1].startswith("hint: ")


@pytest.mark.parametrize("case", CASES, ids=[" ".join(line) for line, _, _ in CASES])
def test_of_no_use(case: tuple[list[str], list[str], str], trained: str, tmp_path: Path, run: Run) -> None:
    line, names, why = case
    (tmp_path / "text").write_text("low lower")
    places = {"TOK": trained, "TEXT": str(tmp_path / "text"), "DIR": str(tmp_path)}
    for name in names:
        check(run, [places.get(word, word) for word in line], option_of(line[0], name), why)


def test_every_option_of_shard_is_used_or_refused_where_shards_are_verified(
    trained: str, tmp_path: Path, run: Run
) -> None:
    (tmp_path / "text").write_text("low lower")
    out = str(tmp_path / "out")
    assert run("shard", str(tmp_path / "text"), "-o", out, "-t", trained, "--workers", "1", "-q").code == 0
    line = ["shard", "--verify", out, "-t", trained]
    used = {"verify", "tokenizer", "pattern", "special", "engine", "workers", "address", "quiet", "as_json"}
    command = app.get_command(click.Context(app), "shard")
    assert command is not None
    options = [one for one in command.params if isinstance(one, click.Option)]
    assert used < {one.name for one in options}
    for option in options:
        if option.name not in used:
            check(run, line, option, "with `--verify`")
    assert run(*line, "--engine", "local", "--workers", "1", "--json", "-q").code == 0
    several = run(*line, "text", "-o", "there", "--format", "npy")
    assert several.err.startswith("error: `files`, `--output` and `--format` are of no use with `--verify`\nhint: ")


def test_what_the_file_of_options_says_is_given_too() -> None:
    @click.command()
    @click.option("--one")
    @click.option("--two", default="2")
    def command(**_: str) -> None:
        refuse(("one", "two"), "here", "leave it out")

    context = command.make_context("command", [], default_map={})
    with context:
        command.invoke(context)
    for arguments, defaults in ((["--two", "2"], {}), ([], {"two": "2"})):
        context = command.make_context("command", list(arguments), default_map=defaults)
        with context, pytest.raises(click.UsageError, match="`--two` is of no use here"):
            command.invoke(context)


def test_an_engine_that_is_named_means_a_folder(tmp_path: Path, run: Run) -> None:
    """Even the one that is the default; and so do its workers."""
    (tmp_path / "text").write_text("low lower")
    for number, options in enumerate((["--engine", "local"], ["--workers", "1"])):
        out = tmp_path / f"c{number}"
        assert run("pretokens", str(tmp_path / "text"), "-o", str(out), *options, "-q").code == 0
        assert (out / "counts.json").is_file()
        done = run("pretokens", str(tmp_path / "text"), "-o", str(tmp_path / "c.parquet"), *options)
        assert done.code == 2
        assert "c.parquet` is a file, and an engine writes a folder" in done.err
    assert run("pretokens", str(tmp_path / "text"), "-o", str(tmp_path / "c.parquet"), "-q").code == 0
    (tmp_path / "c.toml").write_text('engine = "local"\n')
    config = ["--config", str(tmp_path / "c.toml")]
    assert run("pretokens", str(tmp_path / "text"), "-o", str(tmp_path / "c2"), *config, "-q").code == 0
    assert (tmp_path / "c2" / "counts.json").is_file()
