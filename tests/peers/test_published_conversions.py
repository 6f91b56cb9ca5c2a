"""Published vocabularies, written in every format that holds them, give the same ids when they are read again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import bytepair as bp
import oracles
import texts
from bytepair import formats
from bytepair.errors import FormatError
from bytepair.formats import kinds, losses
from bytepair.formats.published import ENCODINGS
from bytepair.proving import prove

NAMES = ("cl100k_base", "o200k_base", "r50k_base", "p50k_base", "qwen", "llama3", "tekken_240911")
FORMATS = ("huggingface", "transformers", "tiktoken", "gpt2", "minbpe", "tekken")
REFUSED = {("p50k_base", "minbpe"), ("llama3", "minbpe"), ("tekken_240911", "minbpe")}
"""minbpe numbers tokens by their rank: special tokens would be in the way, or Llama's merges are in another order."""
DIFFERENT = {("llama3", "gpt2")}
"""Llama 3 looks whole pretokens up, the pair of files does not."""


@pytest.fixture(scope="module")
def loaded(vocabulary_file: oracles.FindFile) -> Callable[[str], bp.Tokenizer]:
    def load(name: str) -> bp.Tokenizer:
        if name in ENCODINGS and ENCODINGS[name].pattern is not None:
            encoding = ENCODINGS[name]
            return bp.load(vocabulary_file(name), pattern=encoding.pattern, special_tokens=encoding.specials)
        if name == "qwen":
            return bp.load(vocabulary_file(name), pattern="qwen2", special_tokens=oracles.QWEN_SPECIALS)
        return bp.load(vocabulary_file(name))

    return load


@pytest.mark.soak
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", NAMES)
def test_published_vocabularies_in_every_format(
    name: str, format: kinds.Format, loaded: Callable[[str], bp.Tokenizer], tmp_path: Path
) -> None:
    tok = loaded(name)
    path = tmp_path / ("vocab.json" if format == "gpt2" else "file")
    try:
        lost = formats.write(tok.parts, path, format, allow_loss=True)
    except FormatError:
        assert (name, format) in REFUSED
        return
    assert (name, format) not in REFUSED
    said = {} if format == "transformers" else losses.to_be_said(tok.parts, kinds.known(format), lost)
    again = bp.load(path, format=format, **said)
    by_bytes = any(loss.startswith(losses.IDS) for loss in lost)
    more = [texts.sample(language, 100_000).encode() for language in ("en", "code", "ru", "ja")]
    proof = prove(tok, again, more, by_bytes=by_bytes)
    assert (proof.difference is not None) == ((name, format) in DIFFERENT)
    assert any("looked up" in loss for loss in lost) == ((name, format) in DIFFERENT)
