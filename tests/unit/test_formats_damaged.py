"""Each reader on damaged files: a tokenizer, or an error of ours that names the file; no panic, no hang, nothing else.

A few hundred inputs for each reader by default. `make fuzz` sets BYTEPAIR_FUZZ_SECONDS, the seconds that each reader is
given; the seed is then another each time, and stands in the name of what fails.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import bytepair as bp
import huggingface_files
from bytepair import formats
from bytepair.compat.huggingface import AutoTokenizer
from bytepair.errors import BytepairError, FormatError
from bytepair.formats import kinds, places
from bytepair.formats.kinds import Format
from bytepair.formats.pattern_stages import GPT2_PATTERN
from bytepair.normalizing import Decoder, Normalizer, Step
from damaging import damaged
from format_files import BY_MERGES, EXAMPLES, IDS, Example, as_json, written

SECONDS = float(os.environ.get("BYTEPAIR_FUZZ_SECONDS", "0"))
FEW = 250
Made = tuple[Path, list[Path], Example]
"""What is read, the files of it, and what has to be said."""


def of_example(example: Example) -> Callable[[Path], Made]:
    def made(folder: Path) -> Made:
        path = written(example, folder)
        return path, list(places.files(kinds.known(example.format), path)), example

    return made


def native(folder: Path) -> Made:
    path = folder / "tokenizer.json"
    path.write_bytes(huggingface_files.render(huggingface_files.NATIVE))
    return path, [path], EXAMPLES[0]


def a_folder(folder: Path) -> Made:
    formats.write(BY_MERGES, folder, "transformers")
    files = {
        "tokenizer_config.json": {
            "added_tokens_decoder": {"259": {"content": "<|end|>", "special": True}, "300": {"content": "<x>"}},
            "tokenizer_class": "GPT2Tokenizer",
        },
        "special_tokens_map.json": {"eos_token": "<|end|>", "additional_special_tokens": [{"content": "<x>"}]},
        "added_tokens.json": {"<x>": 300},
    }
    for name, content in files.items():
        (folder / name).write_bytes(as_json(content))
    return (
        folder,
        [folder / "tokenizer.json", *(folder / name for name in files)],
        Example("transformers", BY_MERGES, ""),
    )


def of_parts(parts: bp.Parts) -> Callable[[Path], Made]:
    """A `tokenizer.json` of these."""

    def made(folder: Path) -> Made:
        path = folder / "tokenizer.json"
        formats.write(parts, path)
        return path, [path], EXAMPLES[0]

    return made


STAGES = replace(BY_MERGES, pattern=f"{GPT2_PATTERN}(?then)(?spelled)(?joined)\\p{{N}}(?then)(?spelled)(?removed)x")
SYMBOLS = bp.Parts(
    alphabet="unicode",
    tokens=tuple(enumerate([b"a", b"b", b"ab", "▁".encode()])),
    merges=((0, 1),),
    specials=(bp.SpecialToken("<s>", 4), bp.SpecialToken("[x]", 5, special=False, normalized=True)),
    normalizer=Normalizer((Step("prepend", ("▁",)), Step("replace", (" ", "▁"))), plain=True),
    decoder=Decoder("▁", 1),
)
MADE = {name: of_example(example) for name, example in zip(IDS, EXAMPLES, strict=True)}
MADE |= {"huggingface-native": native, "transformers": a_folder}
MADE |= {"huggingface-stages": of_parts(STAGES), "huggingface-symbols": of_parts(SYMBOLS)}


@pytest.mark.parametrize("name", MADE)
def test_a_damaged_file_is_read_or_refused(name: str, tmp_path: Path) -> None:
    path, files, example = MADE[name](tmp_path)
    contents = [file.read_bytes() for file in files]
    assert bp.load(path, **example.said)
    seed = random.randrange(2**32) if SECONDS else 0
    numbers = random.Random(seed)
    end = time.monotonic() + SECONDS
    cases = 0
    while cases < FEW or time.monotonic() < end:
        cases += 1
        chosen = numbers.randrange(len(files))
        data = damaged(numbers, contents[chosen])
        files[chosen].write_bytes(data)
        format_ = numbers.choice((None, example.format))
        problem = problem_of(path, format_, example.said if numbers.random() < 0.8 else {})
        files[chosen].write_bytes(contents[chosen])
        lines = problem.splitlines()
        if problem and (len(lines) != 2 or not lines[1].startswith("hint: ") or str(tmp_path) not in lines[0]):
            (tmp_path / "failed").write_bytes(data)
            pytest.fail(
                f"seed {seed}, case {cases}, format {format_}, {tmp_path / 'failed'}: {data[:300]!r}\n{problem}"
            )


BESIDE = {
    "tokenizer_config.json": {"eos_token": {"content": "<|end|>"}, "pad_token": "<p>", "extra_special_tokens": ["<x>"]},
    "special_tokens_map.json": {"eos_token": "<|end|>", "additional_special_tokens": {"a": "<x>"}},
    "generation_config.json": {"eos_token_id": [1, 2], "bos_token_id": 3, "pad_token_id": None, "temperature": 0.5},
}
POST = {
    "type": "Sequence",
    "processors": [
        {"type": "ByteLevel", "trim_offsets": True, "add_prefix_space": False},
        {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "<|end|>", "type_id": 1}}, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "B", "type_id": 1}}, {"Sequence": {"id": "A", "type_id": 0}}],
            "special_tokens": {"<|end|>": {"id": "<|end|>", "ids": [259], "tokens": ["<|end|>"]}},
        },
        {"type": "RobertaProcessing", "sep": ["<|end|>", 259], "cls": ["<|end|>", 259]},
    ],
}


def check_lines(error: BytepairError) -> None:
    """An error says what is wrong in one line, and what to do in another."""
    assert [line.startswith("hint: ") for line in str(error).splitlines()] == [False, True]


def test_a_damaged_folder_is_carried_over_or_refused(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    numbers = random.Random(random.randrange(2**32) if SECONDS else 1)
    end = time.monotonic() + SECONDS
    cases = refused = 0
    while cases < FEW or time.monotonic() < end:
        cases += 1
        for name, content in BESIDE.items():
            data = as_json(content)
            (source / name).write_bytes(damaged(numbers, data) if numbers.random() < 0.5 else data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", bp.FormatWarning)
            try:
                formats.write(BY_MERGES, target, "transformers", like=source, new_id={1: 4, 2: 5}.get)
            except FormatError as error:
                refused += 1
                check_lines(error)
                continue
            assert bp.load(target) == bp.Tokenizer.from_parts(BY_MERGES)
        shutil.rmtree(target)
    assert 0 < refused < cases


def test_a_damaged_template_is_read_or_refused(tmp_path: Path) -> None:
    formats.write(BY_MERGES, tmp_path, "transformers")
    file = tmp_path / "tokenizer.json"
    document = {key: value for key, value in json.loads(file.read_bytes()).items() if key != "post_processor"}
    numbers = random.Random(random.randrange(2**32) if SECONDS else 2)
    end = time.monotonic() + SECONDS
    cases = refused = 0
    while cases < FEW or time.monotonic() < end:
        cases += 1
        file.write_bytes(as_json(document)[:-1] + b', "post_processor": ' + damaged(numbers, as_json(POST)) + b"}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", bp.FormatWarning)
            try:
                door = AutoTokenizer.from_pretrained(tmp_path)
            except FormatError as error:
                refused += 1
                check_lines(error)
                continue
        assert door("a")["input_ids"]
        try:
            row = door("a", "b", return_token_type_ids=True, return_offsets_mapping=True)
        except ValueError as error:
            assert "does not have each of them once" in str(error)  # noqa: PT017
        else:
            assert len(row.input_ids) == len(row.token_type_ids) == len(row.offset_mapping)
    assert refused


def problem_of(path: Path, format: Format | None, said: dict[str, Any]) -> str:
    """The error of ours; nothing, if it is read; another error with its trace."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bp.FormatWarning)
        try:
            bp.load(path, format=format, **said)
        except BytepairError as error:
            return str(error)
        except BaseException:  # noqa: BLE001 - a panic of the engine is one
            return traceback.format_exc()
    return ""


def test_a_file_that_does_not_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "MOST", 1000)
    (tmp_path / "x").write_bytes(b" " * 1001)
    with pytest.raises(FormatError, match="x: it is larger than 1 GiB"):
        bp.load(tmp_path / "x")
