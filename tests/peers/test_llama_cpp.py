"""A tokenizer that is trained here runs in llama.cpp: its own code, from the vocabulary-only file that we write.

llama.cpp is loaded through `llama-cpp-py-sync` (dependency group `llama`), which has it as a shared library for each
platform; nothing of it but `llama_tokenize` is used, so that the file alone says how text is cut.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import bytepair as bp
import oracles
import texts

bindings: Any = pytest.importorskip(
    "llama_cpp_py_sync._cffi_bindings", reason="`pip install --group llama` has llama.cpp"
)


@pytest.fixture(scope="module")
def vocabulary() -> Iterator[Callable[[Path], Callable[[str], list[int]]]]:
    """Loads a file's vocabulary alone, and gives what tokenizes by it."""
    ffi, lib = bindings.get_ffi(), bindings.get_lib()
    models = []
    silent = ffi.callback("void(enum ggml_log_level, const char *, void *)", lambda *_: None)
    lib.llama_log_set(silent, ffi.NULL)
    lib.llama_backend_init()

    def load(path: Path) -> Callable[[str], list[int]]:
        settings = lib.llama_model_default_params()
        settings.vocab_only = True
        model = lib.llama_model_load_from_file(str(path).encode(), settings)
        assert model != ffi.NULL
        models.append(model)
        vocab = lib.llama_model_get_vocab(model)

        def encode(text: str) -> list[int]:
            content = text.encode()
            ids = ffi.new("llama_token[]", len(content) + 8)
            count = lib.llama_tokenize(vocab, content, len(content), ids, len(content) + 8, False, True)
            assert count >= 0
            return list(ids[0:count])

        return encode

    yield load
    for model in models:
        lib.llama_model_free(model)


@pytest.mark.parametrize("preset", ["gpt2", "llama3", "qwen2", "o200k"])
def test_llama_cpp_gives_our_ids(
    preset: str, vocabulary: Callable[[Path], Callable[[str], list[int]]], tmp_path: Path
) -> None:
    corpus = [texts.sample(language, 60_000) for language in ("en", "code", "ru", "ja", "ar")]
    tok = bp.train(texts=corpus, vocab_size=3_000, pattern=preset, special_tokens=["<|endoftext|>", "<|user|>"])
    if preset == "llama3":
        tok = bp.Tokenizer.from_parts(replaced(tok))
    tok.save(tmp_path / "x.gguf")
    assert bp.load(tmp_path / "x.gguf") == tok
    theirs = vocabulary(tmp_path / "x.gguf")
    random_texts = oracles.random_texts(4_000, seed=8)
    specials = ["a<|user|> b<|endoftext|>", "<|user|><|user|>\n", "<|use"]
    numbers = ["".join(random.Random(length).choices("0123456789", k=length)) for length in range(1, 60)]
    different = [
        text
        for text in [*corpus, *random_texts, *specials, *numbers]
        if "\0" not in text and theirs(text) != tok.encode(text, allowed_special="all")
    ]
    assert different == []


def replaced(tok: bp.Tokenizer) -> bp.Parts:
    """The same that looks whole pretokens up first, which llama.cpp does for this pattern."""
    return replace(tok.parts, whole_first=True, training=None)


def test_llama_cpp_gives_the_ids_of_pieces(
    vocabulary: Callable[[Path], Callable[[str], list[int]]], vocabulary_file: oracles.FindFile, tmp_path: Path
) -> None:
    tok = bp.load(vocabulary_file("mistral_v1_spm"))
    corpus = [texts.sample(language, 20_000) for language in ("en", "code", "ru", "ja", "ar")]
    specials = ["a<s> b</s>", "<s><s>\n", "<s", "<unk>a", " <s> "]
    for prefix in (True, False):
        parts = tok.parts
        normalizer = replace(parts.normalizer, before=parts.normalizer.before[not prefix :])
        made = bp.Tokenizer.from_parts(
            replace(parts, normalizer=normalizer, decoder=replace(parts.decoder, strip=int(prefix)))
        )
        made.save(tmp_path / f"{prefix}.gguf")
        theirs = vocabulary(tmp_path / f"{prefix}.gguf")
        for text in [*corpus, *oracles.random_texts(4_000, seed=9), *specials]:
            if "\0" not in text:
                assert theirs(text) == made.encode(text, allowed_special="all"), repr(text)
