"""Each reader on damaged files: a tokenizer, or an error of ours that names the file; no panic, no hang, nothing else.

A few hundred inputs for each reader by default. `make fuzz` sets BYTEPAIR_FUZZ_SECONDS, the seconds that each reader is
given; the seed is then another each time, and stands in the name of what fails.
"""

from __future__ import annotations

import os
import random
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bytepair as bp
import huggingface_files
from bytepair import formats
from bytepair.errors import BytepairError, FormatError
from bytepair.formats import kinds, places
from bytepair.formats.kinds import Format
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


MADE = {name: of_example(example) for name, example in zip(IDS, EXAMPLES, strict=True)}
MADE |= {"huggingface-native": native, "transformers": a_folder}


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
