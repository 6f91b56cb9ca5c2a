"""`bytepair convert`: what it writes, what it refuses, and that it finds out."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import bytepair as bp
from bytepair import formats, proving
from cli.running import Run
from format_files import BY_MERGES, EXAMPLES, JOINED, SLOTS, Example, as_json, written


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{example.format}-{example.name}")
def test_each_format_becomes_ours_and_comes_back(example: Example, run: Run, tmp_path: Path) -> None:
    path = written(example, tmp_path)
    format_, said = example.format, []
    if format_ == "tiktoken":
        said = ["--pattern", "gpt2", "--special", "<|end|>=259"]
    ours = str(tmp_path / "ours.json")
    done = run("convert", str(path), ours, *said)
    assert done.code == 0
    assert ("`tokenizers` will refuse this file" in done.err) == (example.name == "y.codes")
    assert done.out.splitlines()[0] == f"written\t{ours}\thuggingface"
    assert done.out.splitlines()[1].startswith("equal\tids\t")
    back = str(tmp_path / "back")
    options = ["--to", format_, *(["--allow-loss"] if format_ == "tiktoken" else [])]
    done = run("convert", ours, back if format_ != "gpt2" else str(tmp_path / "back-vocab.json"), *options)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[-1].startswith("equal\tids\t")


def test_a_loss_is_refused_or_told(trained: str, run: Run, tmp_path: Path) -> None:
    target = tmp_path / "x.tiktoken"
    done = run("convert", trained, str(target))
    assert (done.code, done.out) == (3, "")
    assert "cannot hold the pattern" in done.err
    assert "give `--allow-loss`" in done.err.splitlines()[1]
    assert not target.exists()
    done = run("convert", trained, str(target), "--allow-loss", "-f", trained)
    assert done.code == 0
    assert [row.split("\t")[0] for row in done.out.splitlines()] == ["written", "lost", "lost", "equal"]
    assert "1,004 texts" in done.out
    assert run("convert", trained, str(tmp_path / "x"), "--to", "fastbpe").code == 3


def test_where_ids_are_lost_tokens_are_compared(run: Run, tmp_path: Path) -> None:
    formats.write(BY_MERGES, tmp_path / "tokenizer.json")
    done = run("convert", str(tmp_path / "tokenizer.json"), str(tmp_path / "tekken.json"), "--allow-loss")
    assert done.code == 0
    assert done.out.splitlines()[-1].startswith("equal\ttokens\t")


def test_other_ids_are_found(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    formats.write(BY_MERGES, tmp_path / "tokenizer.json")
    other = bp.train(texts=[], vocab_size=257, pattern="gpt2", special_tokens=["<|end|>"])
    load = bp.load
    monkeypatch.setattr(bp, "load", lambda path, **said: other if "vocab" in str(path) else load(path, **said))
    done = run("convert", str(tmp_path / "tokenizer.json"), str(tmp_path / "vocab.json"))
    assert done.code == 1
    assert "gives other ids: ` the` is 258 in A and 32 116 104 101 in B" in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{json}", "x.unknown"], "name the format: `--to huggingface|"),
        (["{json}"], "missing argument"),
        (["{json}", "x", "--to", "zip"], "zip"),
    ],
)
def test_wrong_usage(arguments: list[str], said: str, trained: str, run: Run) -> None:
    done = run("convert", *(argument.format(json=trained) for argument in arguments))
    assert done.code == 2
    assert said.lower() in done.err.lower()


def test_missing_and_damaged_files(run: Run, tmp_path: Path) -> None:
    assert run("convert", str(tmp_path / "none"), str(tmp_path / "x.json")).code == 1
    (tmp_path / "bad.json").write_bytes(as_json({"model": {"type": "BPE"}}))
    done = run("convert", str(tmp_path / "bad.json"), str(tmp_path / "x.json"))
    assert (done.code, len(done.err.splitlines())) == (1, 2)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.json"]


def test_a_text_that_is_missing_is_told_before_anything_is_written(trained: str, run: Run, tmp_path: Path) -> None:
    done = run("convert", trained, str(tmp_path / "x.json"), "-f", trained, "-f", str(tmp_path / "none"))
    assert (done.code, done.out) == (1, "")
    assert "no such file or directory" in done.err
    assert list(tmp_path.iterdir()) == []


def test_a_file_where_a_folder_is_to_be(trained: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"kept")
    done = run("convert", trained, f"{tmp_path}/x", "--to", "transformers")
    assert (done.code, done.out) == (1, "")
    assert "it is a file, and a folder is to be written" in done.err
    assert (tmp_path / "x").read_bytes() == b"kept"


@pytest.mark.skipif(not Path(os.devnull).is_char_device(), reason="no file stands for a device here")
def test_a_device_cannot_be_compared(trained: str, run: Run) -> None:
    done = run("convert", trained, os.devnull, "--to", "huggingface")
    assert (done.code, done.out) == (2, "")
    assert "is no file, and B is read again" in done.err


def test_hints_name_options(trained: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    done = run("convert", str(tmp_path / "empty"), str(tmp_path / "x.json"))
    assert 'name it with `--format`: "tekken", "gpt2"' in done.err
    done = run("convert", trained, str(tmp_path / "x.json"), "--pattern", "gpt2")
    assert "hint: leave `--pattern` out" in done.err


def test_a_proof_names_the_first_difference() -> None:
    one, other = bp.Tokenizer.from_parts(BY_MERGES), bp.train(texts=[], vocab_size=256, pattern="gpt2")
    found = proving.prove(one, other, [b"a", b"xx the"]).difference
    assert found == proving.Difference(b" the", (258,), (32, 116, 104, 101))
    slots = bp.Tokenizer.from_parts(SLOTS)
    assert proving.prove(slots, one).difference == proving.Difference(b"[", (93,), (91,))
    assert proving.prove(slots, one, by_bytes=True).difference is None
    bytewise = proving.prove(one, other, by_bytes=True).difference
    assert bytewise is not None
    assert bytewise.ours == (bytewise.text,) == (b"".join(map(bytes, bytewise.theirs)),)  # type: ignore[arg-type]
    joined = bp.Tokenizer.from_parts(JOINED)
    assert proving.prove(joined, joined).difference is None
    assert len(proving.mixed_text()) > 200_000


def test_what_a_folder_says_besides_is_carried_over(trained: str, run: Run, tmp_path: Path) -> None:
    one, other, third, fourth = (tmp_path / name for name in ("one", "other", "third", "fourth"))
    assert run("convert", trained, f"{one}/").err == ""
    said = {"eos_token": "<|endoftext|>", "pad_token": None, "padding_side": "left", "model_max_length": 99}
    (one / "tokenizer_config.json").write_text(json.dumps(said | {"add_bos_token": True}), "utf-8")
    (one / "special_tokens_map.json").write_text('{"eos_token": {"content": "<|endoftext|>"}}', "utf-8")
    (one / "chat_template.jinja").write_text("{{ x }}\n", "utf-8")
    (one / "additional_chat_templates").mkdir()
    (one / "additional_chat_templates" / "tool_use.jinja").write_text("{{ y }}", "utf-8")
    end = bp.load(one).special_tokens["<|endoftext|>"]
    generation = {"eos_token_id": [end, 97], "bos_token_id": end, "pad_token_id": None, "temperature": 0.5}
    (one / "generation_config.json").write_text(json.dumps(generation), "utf-8")
    done = run("convert", str(one), f"{other}/")
    assert (done.code, done.err) == (0, "")
    ours = {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False}
    assert json.loads((other / "tokenizer_config.json").read_bytes()) == said | ours
    for name in ("chat_template.jinja", "additional_chat_templates/tool_use.jinja"):
        assert (other / name).read_bytes() == (one / name).read_bytes()
    assert json.loads((other / "generation_config.json").read_bytes()) == generation
    assert json.loads((other / "special_tokens_map.json").read_bytes()) == {"eos_token": {"content": "<|endoftext|>"}}
    files = {path.name: path.read_bytes() for path in other.iterdir() if path.is_file()}
    assert run("convert", str(one), str(other)).code == run("convert", str(other), str(other)).code == 0
    assert {path.name: path.read_bytes() for path in other.iterdir() if path.is_file()} == files
    # An edit moves ids; what names a token that is gone is left out, and told.
    assert run("edit", "truncate", "-t", str(one), "-n", "400", "-o", f"{third}/").err == ""
    new = bp.load(third).special_tokens["<|endoftext|>"]
    assert new != end
    moved = json.loads((third / "generation_config.json").read_bytes())
    assert moved == generation | {"eos_token_id": [new, 97], "bos_token_id": new}
    done = run("edit", "without", "-t", str(one), "-o", f"{fourth}/", "--id", str(end))
    assert done.code == 0
    assert done.err.count("is left out; the rest is taken over") == 4
    assert '`tokenizer_config.json.eos_token` is "<|endoftext|>", no special token' in done.err
    assert "eos_token" not in json.loads((fourth / "tokenizer_config.json").read_bytes())
    assert (fourth / "chat_template.jinja").exists()


def test_what_a_folder_has_stays_as_it_is(trained: str, run: Run, tmp_path: Path) -> None:
    one, other = (tmp_path / name for name in ("one", "other"))
    for folder in (one, other):
        assert run("convert", trained, f"{folder}/").err == ""
        (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": len(folder.name)}), "utf-8")
    (one / "chat_template.jinja").write_text("one", "utf-8")
    (other / "tokenizer_config.json").write_text(json.dumps({"chat_template": "other", "x": 1}), "utf-8")
    assert run("convert", str(one), str(other)).err == ""
    config = json.loads((other / "tokenizer_config.json").read_bytes())
    assert (config["chat_template"], config["model_max_length"], config["x"]) == ("other", 3, 1)
    assert not (other / "chat_template.jinja").exists()
