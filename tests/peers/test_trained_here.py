"""A tokenizer that is trained here means the same to others.

Saved files are opened by Hugging Face's tokenizers and transformers and must give our ids.
"""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from tokenizers import Tokenizer

import bytepair as bp
import oracles
import texts

PRESETS = ("gpt2", "cl100k", "o200k", "llama3", "qwen2", "story", "digits3r")
LANGUAGES = ("en", "code", *texts.NINE_LANGUAGES)
SPECIALS = ("<|endoftext|>", "<|user|>")


@functools.cache
def trained(preset: str | None) -> bp.Tokenizer:
    sources = [texts.sample(language, 100_000) for language in LANGUAGES]
    return bp.train(texts=sources, vocab_size=4_000, pattern=preset, special_tokens=SPECIALS)


def hard_texts() -> list[str]:
    """Digit runs of all lengths and the long ones, white space, apostrophes, specials, and every language."""
    digits = [prefix + "1234567890" * 20 for prefix in ("", " ", "a", "\n", "-")]
    runs = ["".join(random.Random(length).choices("0123456789", k=length)) for length in range(200)]
    mixed = ["12 345 6789.0123,45678", "1" * 10_000, "٣" * 1_000 + "x", "²³" * 500, "x" + "0" * 4_001 + "y"]
    quotes = ["it's IT'S it'ſ 'll 'LL '' 're're", "Straße'S ſs 'ß"]
    spaces = [" " * n + end for n in range(12) for end in ("", "x", "\n", "\n x", "\r\n\t")]
    specials = ["<|user|>", "a<|user|> b<|endoftext|>", "<|user|><|user|>\n", "<|use", "<|endoftext|>|>"]
    languages = [texts.sample(language, 50_000) for language in LANGUAGES]
    return ["", *digits, *runs, *mixed, *quotes, *spaces, *specials, *languages, *oracles.random_texts(5_000, seed=2)]


def assert_same_ids(tokenizer: bp.Tokenizer, peer_ids: Sequence[list[int]], inputs: Sequence[str]) -> None:
    ours = tokenizer.encode_batch(inputs, allowed_special="all")
    for text, our_ids, their_ids in zip(inputs, ours, peer_ids, strict=True):
        assert list(our_ids) == list(their_ids), f"{text[:100]!a}"


@pytest.mark.parametrize("preset", [*PRESETS, None])
def test_tokenizers_opens_our_file_and_gives_our_ids(preset: str | None, tmp_path: Path) -> None:
    tokenizer, inputs = trained(preset), hard_texts()
    tokenizer.save(tmp_path / "tokenizer.json")
    peer = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    encodings = peer.encode_batch(inputs, add_special_tokens=False)
    assert_same_ids(tokenizer, [encoding.ids for encoding in encodings], inputs)
    for text, encoding in zip(inputs, encodings, strict=True):
        assert peer.decode(encoding.ids, skip_special_tokens=False) == text
    assert peer.get_vocab_size() == tokenizer.n_vocab


CODE_POINTS = (
    pytest.param(oracles.few_code_point_texts, id="assigned"),
    pytest.param(lambda: oracles.code_point_texts(("a{} ",), ("'{}s", "1{}2")), marks=pytest.mark.soak, id="all"),
)


@pytest.mark.parametrize("preset", ["o200k", "digits3r"])
@pytest.mark.parametrize("batches", CODE_POINTS)
def test_tokenizers_gives_our_ids_on_every_code_point(
    preset: str, batches: Callable[[], Iterator[list[str]]], tmp_path: Path
) -> None:
    tokenizer = trained(preset)
    tokenizer.save(tmp_path / "tokenizer.json")
    peer = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    inputs = ["".join(batch) for batch in batches()]
    assert_same_ids(tokenizer, [encoding.ids for encoding in peer.encode_batch_fast(inputs)], inputs)


@pytest.mark.parametrize("preset", ["gpt2", "o200k", "digits3r"])
def test_transformers_opens_a_folder_and_gives_our_ids(preset: str, tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    tokenizer, inputs = trained(preset), hard_texts()
    tokenizer.save(tmp_path / "tokenizer.json")
    fast = transformers.PreTrainedTokenizerFast(tokenizer_file=str(tmp_path / "tokenizer.json"))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast"}))
    auto = transformers.AutoTokenizer.from_pretrained(str(tmp_path), local_files_only=True)
    for peer in (fast, auto):
        peer_ids = [peer.encode(text, add_special_tokens=False) for text in inputs]
        assert_same_ids(tokenizer, peer_ids, inputs)
        for text, ids in zip(inputs, peer_ids, strict=True):
            assert peer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False) == text


@pytest.mark.parametrize("spelling", [list, " ".join])
def test_both_spellings_of_merges_load_to_the_same(spelling: object, tmp_path: Path) -> None:
    assert callable(spelling)
    trained("o200k").save(tmp_path / "tokenizer.json")
    content = json.loads((tmp_path / "tokenizer.json").read_text(encoding="utf-8"))
    pairs = [pair.split(" ") if isinstance(pair, str) else pair for pair in content["model"]["merges"]]
    content["model"]["merges"] = [spelling(pair) for pair in pairs]
    (tmp_path / "other.json").write_text(json.dumps(content), encoding="utf-8")
    assert bp.load(tmp_path / "other.json").fingerprint == trained("o200k").fingerprint
