"""A tokenizer that is trained here runs in llama.cpp: its own code, from the vocabulary-only file that we write.

llama.cpp is loaded through `llama-cpp-python` (dependency group `llama`; `LLAMA_CPP_LIB_PATH` names a folder with
another build of it). Nothing of it but `llama_tokenize` is used, so that the file alone says how text is cut.
"""

from __future__ import annotations

import ctypes
import random
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import bytepair as bp
import oracles
import texts

llama: Any = pytest.importorskip("llama_cpp", reason="`pip install --group llama` has llama.cpp")

Encode = Callable[[str], list[int]]
"""The ids that llama.cpp gives a text."""


@llama.llama_log_callback  # type: ignore[untyped-decorator]
def _silent(_level: int, _text: bytes, _data: ctypes.c_void_p) -> None:
    """It tells much."""


@pytest.fixture(scope="module")
def loaded() -> Iterator[Callable[[Path], Encode]]:
    """Loads a file's vocabulary alone, and gives what tokenizes by it."""
    models = []
    llama.llama_log_set(_silent, ctypes.c_void_p(0))
    llama.llama_backend_init()

    def load(path: Path) -> Encode:
        settings = llama.llama_model_default_params()
        settings.vocab_only = True
        model = llama.llama_model_load_from_file(str(path).encode(), settings)
        assert model
        models.append(model)
        vocab = llama.llama_model_get_vocab(model)

        def encode(text: str) -> list[int]:
            content = text.encode()
            room = len(content) + 8
            ids = (llama.llama_token * room)()
            count = llama.llama_tokenize(vocab, content, len(content), ids, room, False, True)
            assert count >= 0
            return list(ids[:count])

        return encode

    yield load
    for model in models:
        llama.llama_model_free(model)


@pytest.mark.parametrize("preset", ["gpt2", "llama3", "qwen2", "o200k"])
def test_ids_of_what_is_trained_here(preset: str, loaded: Callable[[Path], Encode], tmp_path: Path) -> None:
    corpus = [texts.sample(language, 60_000) for language in ("en", "code", "ru", "ja", "ar")]
    tok = bp.train(texts=corpus, vocab_size=3_000, pattern=preset, special_tokens=["<|endoftext|>", "<|user|>"])
    if preset == "llama3":  # llama.cpp looks whole pretokens up first where this pattern is
        tok = bp.Tokenizer.from_parts(replace(tok.parts, whole_first=True, training=None))
    tok.save(tmp_path / "x.gguf")
    assert bp.load(tmp_path / "x.gguf") == tok
    theirs = loaded(tmp_path / "x.gguf")
    specials = ["a<|user|> b<|endoftext|>", "<|user|><|user|>\n", "<|use"]
    numbers = ["".join(random.Random(length).choices("0123456789", k=length)) for length in range(1, 60)]
    different = [
        text
        for text in [*corpus, *oracles.random_texts(4_000, seed=8), *specials, *numbers]
        if "\0" not in text and theirs(text) != tok.encode(text, allowed_special="all")
    ]
    assert [text for text in different if preset != "o200k" or not _has_marks(text)] == []


def test_marks_are_no_part_of_words_in_its_o200k(loaded: Callable[[Path], Encode], tmp_path: Path) -> None:
    r"""llama.cpp (of llama-cpp-python 0.3.36) cuts by a pattern of its own, without the `\p{M}` that OpenAI's has."""
    text = "\u0627\u064b" * 4  # an Arabic letter and its mark
    tok = bp.train(texts=[text] * 5, vocab_size=262, pattern="o200k")
    tok.save(tmp_path / "x.gguf")
    assert len(tok.encode(text)) == 1
    assert len(loaded(tmp_path / "x.gguf")(text)) > 1


def _has_marks(text: str) -> bool:
    return any(unicodedata.category(character).startswith("M") for character in text)


def test_ids_of_pieces(loaded: Callable[[Path], Encode], vocabulary_file: oracles.FindFile, tmp_path: Path) -> None:
    parts = bp.load(vocabulary_file("mistral_v1_spm")).parts
    assert parts.normalizer is not None and parts.decoder is not None  # noqa: PT018
    corpus = [texts.sample(language, 20_000) for language in ("en", "code", "ru", "ja", "ar")]
    specials = ["a<s> b</s>", "<s><s>\n", "<s", "<unk>a", " <s> "]
    for prefix in (True, False):
        normalizer = replace(parts.normalizer, before=parts.normalizer.before[not prefix :])
        decoder = replace(parts.decoder, strip=int(prefix))
        made = bp.Tokenizer.from_parts(replace(parts, normalizer=normalizer, decoder=decoder))
        made.save(tmp_path / f"{prefix}.gguf")
        theirs = loaded(tmp_path / f"{prefix}.gguf")
        for text in [*corpus, *oracles.random_texts(4_000, seed=9), *specials]:
            if "\0" not in text:
                assert theirs(text) == made.encode(text, allowed_special="all"), repr(text)
