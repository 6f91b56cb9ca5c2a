"""`get` gives what tiktoken gives under the same name, special tokens included."""

from __future__ import annotations

import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

import bytepair as bp
import oracles
import texts
from bytepair.formats import names
from bytepair.formats.published import ENCODINGS

SOME = [texts.sample(language, 20_000) for language in ("en", "code", "ru", "ja")] + oracles.random_texts(2000)
TWIN = "<|reserved_200018|>"
"""tiktoken gives its id to `<|endofprompt|>` as well."""


@pytest.fixture
def placed(vocabulary_file: oracles.FindFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, encoding in ENCODINGS.items():
        if encoding.file.url is not None or name == "tekken_240911":
            source = vocabulary_file(encoding.file.name.removesuffix(".tiktoken").removesuffix(".json"))
            (tmp_path / encoding.file.name).unlink(missing_ok=True)
            (tmp_path / encoding.file.name).symlink_to(source)
    monkeypatch.setenv("BYTEPAIR_HOME", str(tmp_path))


@pytest.mark.usefixtures("placed")
@pytest.mark.parametrize("name", [name for name, encoding in ENCODINGS.items() if encoding.file.url is not None])
def test_names_of_tiktoken(name: str, vocabulary_file: oracles.FindFile) -> None:
    tok, theirs = bp.get(name), oracles.openai_encoding(name, vocabulary_file)
    specials = {token: theirs.encode_single_token(token) for token in theirs.special_tokens_set}
    assert tok.special_tokens == {token: id_ for token, id_ in specials.items() if token != TWIN}
    assert tok.n_vocab == theirs.n_vocab
    for text in (*SOME, "".join(tok.special_tokens) + " text"):
        assert tok.encode(text, allowed_special="all") == theirs.encode(text, allowed_special="all")
        assert tok.encode(text) == theirs.encode_ordinary(text)


@pytest.mark.usefixtures("placed")
def test_the_published_sizes() -> None:
    published = tomllib.loads((Path(__file__).parents[2] / "testdata" / "published.toml").read_text("utf-8"))["sizes"]
    assert {name: bp.get(name).n_vocab for name in published} == published


@pytest.mark.usefixtures("placed")
def test_names_of_mistral() -> None:
    tok = bp.get("tekken_240911")
    assert (tok.n_vocab, tok.special_tokens["</s>"]) == (131072, 2)
    assert tok.decode(tok.encode("naïve 日本語")) == "naïve 日本語"


def test_gpt2_from_the_files_that_its_authors_published(
    vocabulary_file: oracles.FindFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BYTEPAIR_HOME", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(names, "tempfile", SimpleNamespace(gettempdir=lambda: str(tmp_path)))
    model = tmp_path / "hub" / "models--openai-community--gpt2"
    snapshot = model / "snapshots" / ("0" * 40)
    snapshot.mkdir(parents=True)
    (model / "refs").mkdir()
    (model / "refs" / "main").write_text("0" * 40)
    (snapshot / "vocab.json").symlink_to(vocabulary_file("gpt2_vocab_json"))
    (tmp_path / "vocab.bpe").symlink_to(vocabulary_file("gpt2_merges_txt"))
    of_pair = bp.get("gpt2")
    (tmp_path / "r50k_base.tiktoken").symlink_to(vocabulary_file("r50k_base"))
    assert of_pair == bp.get("gpt2") == bp.get("r50k_base")
