"""What users of other tokenizers ran into, with published vocabularies: testdata/cases_published.json, one case a line.

An `input` is a text, ids, or an object for what JSON cannot hold: {"hex": bytes}, {"repeat": [text, times]},
{"surrogate": code unit}. An `expected` may be {"raises": error, "message": parts} or {"length", "every_id"}.
"""

from __future__ import annotations

import functools
import json
import pickle
import random
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import bytepair as bp
import oracles
import texts

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).resolve().parents[2] / "testdata" / "cases_published.json").read_text(encoding="utf-8")
)
PRESETS = {"cl100k_base": "cl100k", "o200k_base": "o200k", "r50k_base": "gpt2"}
END_OF_TEXT = {"cl100k_base": 100257, "o200k_base": 199999, "r50k_base": 50256}
END_OF_PROMPT = {"cl100k_base": 100276, "o200k_base": 200018}

Find = Callable[[str], bp.Tokenizer]


@pytest.fixture(scope="module")
def tokenizer_named(vocabulary_file: oracles.FindFile) -> Find:
    @functools.cache
    def find(name: str) -> bp.Tokenizer:
        specials = {"<|endoftext|>": END_OF_TEXT[name]}
        if name in END_OF_PROMPT:
            specials["<|endofprompt|>"] = END_OF_PROMPT[name]
        return bp.load(vocabulary_file(name), pattern=PRESETS[name], special_tokens=specials)

    return find


def read(value: Any) -> Any:
    """The Python value for an input or an expectation of the file."""
    if not isinstance(value, dict):
        return value
    if "hex" in value:
        return bytes.fromhex(value["hex"])
    if "repeat" in value:
        text, times = value["repeat"]
        return text * times
    if "surrogate" in value:
        return chr(int(value["surrogate"], 16))
    return value


def result_of(tokenizer: bp.Tokenizer, do: str, given: Any, options: dict[str, Any]) -> Any:
    """Does what the case says."""
    if do == "n_vocab":
        return tokenizer.n_vocab
    if do == "encode_batch":
        return tokenizer.encode_batch([given], **options)
    if do == "round_trip":
        return tokenizer.decode(tokenizer.encode(given))
    if do == "pickled_encode":
        return pickle.loads(pickle.dumps(tokenizer)).encode(given)  # noqa: S301
    if do == "stream":
        decoder = tokenizer.stream_decoder(**options)
        return [*(decoder.feed(one) for one in given), decoder.flush()]
    return getattr(tokenizer, do)(given, **options)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: dict[str, Any], tokenizer_named: Find) -> None:
    tokenizer, expected = tokenizer_named(case["vocabulary"]), read(case["expected"])
    work = functools.partial(result_of, tokenizer, case["do"], read(case["input"]), case.get("options", {}))
    if isinstance(expected, dict) and "raises" in expected:
        with pytest.raises(getattr(bp, expected["raises"])) as caught:
            work()
        for part in expected["message"]:
            assert part in str(caught.value)
    elif isinstance(expected, dict):
        ids = work()
        assert len(ids) == expected["length"]
        assert set(ids) == {expected["every_id"]}
    else:
        assert work() == expected


def test_an_id_is_never_shared(vocabulary_file: oracles.FindFile) -> None:
    """Case edit-id-collision: a special token must not take the id of a token."""
    with pytest.raises(ValueError, match="15339") as caught:
        bp.load(vocabulary_file("cl100k_base"), pattern="cl100k", special_tokens={"<x>": 15339})
    assert "hello" in str(caught.value)


def test_a_rank_file_without_a_pattern_is_refused(vocabulary_file: oracles.FindFile) -> None:
    with pytest.raises(bp.FormatError, match="pattern"):
        bp.load(vocabulary_file("cl100k_base"))


def test_thousands_of_special_tokens_change_nothing_about_text(
    vocabulary_file: oracles.FindFile, tmp_path: Path
) -> None:
    """Case encode-many-specials: they are found by one automaton, and survive the file."""
    specials = {f"<s_{number}>": 100_300 + number for number in range(17_000)}
    many = bp.load(vocabulary_file("cl100k_base"), pattern="cl100k", special_tokens=specials)
    few = bp.load(vocabulary_file("cl100k_base"), pattern="cl100k", special_tokens={"<s_0>": 100_300})
    many.save(tmp_path / "tokenizer.json")
    again = bp.load(tmp_path / "tokenizer.json")
    text = texts.sample("en", 1_000_000)
    assert again.fingerprint == many.fingerprint
    assert again.encode(text, allowed_special="all") == few.encode(text)
    assert again.encode("a<s_16999><s_1><s_17000>", allowed_special="all")[:3] == [64, 117_299, 100_301]


def test_threads_share_a_tokenizer(tokenizer_named: Find) -> None:
    """Case threads-shared-object: options belong to the call, so sixteen threads with their own disturb nobody."""
    tokenizer = tokenizer_named("cl100k_base")
    rng = random.Random(0)
    calls = [(text, rng.randrange(1, 30)) for text in oracles.random_texts(4_000, seed=3)]

    def work(call: tuple[str, int]) -> tuple[str, int | None, list[int]]:
        text, limit = call
        allowed = "all" if limit % 2 else ()
        ids = tokenizer.encode(f"{text}<|endoftext|>", allowed_special=allowed)
        return tokenizer.truncate(text, limit), tokenizer.count_up_to(text, limit), ids

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(work, calls)) == list(map(work, calls))


def command_line(arguments: list[str], stdin: str = "") -> str:
    command = [sys.executable, "-m", "bytepair.cli", *arguments]
    return subprocess.run(command, input=stdin.encode(), capture_output=True, check=True).stdout.decode()


def test_command_line(tokenizer_named: Find, tmp_path: Path) -> None:
    """Cases cli-count and cli-special: stdin is counted with its newline, and a special token's text is text."""
    file = str(tmp_path / "cl100k.json")
    tokenizer_named("cl100k_base").save(file)
    assert command_line(["count", "-t", file], "hello world\n").split() == ["3"]
    assert command_line(["encode", "-t", file, "<|endoftext|>"]).split() == [
        "27",
        "91",
        "8862",
        "728",
        "428",
        "91",
        "29",
    ]
    assert command_line(["encode", "-t", file, "--allow-special", "all", "<|endoftext|>"]).split() == ["100257"]
