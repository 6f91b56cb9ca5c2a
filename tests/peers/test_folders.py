"""Folders of `transformers`: what is written there is read by `AutoTokenizer`, what it writes is read here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from transformers import AutoTokenizer, PreTrainedTokenizerFast

import bytepair as bp
import oracles
import texts
from bytepair import formats
from bytepair.errors import BytepairError, FormatError
from bytepair.parts import SpecialToken
from format_files import ALONE, BY_MERGES, BY_RANKS, SLOTS, as_json

SOME = [texts.sample(language, 20_000) for language in ("en", "code", "ru", "ja")] + oracles.random_texts(2000)
ENDING = {
    "eos_token": "<|end|>",
    "tokenizer_class": "GPT2Tokenizer",
    "model_max_length": 512,
    "chat_template": "{{ x }}",
}


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="module")
def trained() -> bp.Tokenizer:
    return bp.train(texts=[texts.sample("en", 100_000)], vocab_size=1000, special_tokens=["<|end|>", "<|user|>"])


def test_a_folder_written_here_is_read_there(trained: bp.Tokenizer, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    trained.save(f"{folder}/")
    assert sorted(path.name for path in folder.iterdir()) == ["tokenizer.json", "tokenizer_config.json"]
    theirs = AutoTokenizer.from_pretrained(folder)
    for text in SOME:
        assert theirs(text)["input_ids"] == trained.encode(text)
        assert theirs.decode(trained.encode(text)) == text
    both = "low<|end|> <|user|>low"
    ids = trained.encode(both, allowed_special="all")
    assert theirs(both)["input_ids"] == ids
    assert theirs.decode(ids, skip_special_tokens=True) == trained.decode(ids, skip_special=True)
    assert len(theirs) == len(trained)
    assert bp.load(folder) == trained
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    bp.load(folder).save(folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_what_it_writes_is_read_here(trained: bp.Tokenizer, tmp_path: Path) -> None:
    trained.save(tmp_path / "tokenizer.json")
    theirs = PreTrainedTokenizerFast(tokenizer_file=str(tmp_path / "tokenizer.json"), eos_token="<|end|>")  # noqa: S106
    theirs.add_tokens(["<new>"], special_tokens=True)
    theirs.save_pretrained(tmp_path / "saved")
    tok = bp.load(tmp_path / "saved")
    assert tok.special_tokens == trained.special_tokens | {"<new>": 1000}
    for text in (*SOME, "a<new>b<|end|>"):
        assert tok.encode(text, allowed_special="all") == theirs(text)["input_ids"]


def test_gpt2_as_a_folder(vocabulary_file: oracles.FindFile, tmp_path: Path) -> None:
    (tmp_path / "vocab.json").write_bytes(vocabulary_file("gpt2_vocab_json").read_bytes())
    (tmp_path / "merges.txt").write_bytes(vocabulary_file("gpt2_merges_txt").read_bytes())
    (tmp_path / "tokenizer_config.json").write_bytes(as_json({"tokenizer_class": "GPT2Tokenizer"}))
    (tmp_path / "special_tokens_map.json").write_bytes(as_json({"eos_token": "<|endoftext|>"}))
    (tmp_path / "added_tokens.json").write_bytes(as_json({"<|user|>": 50257}))
    tok = bp.load(tmp_path)
    assert tok.special_tokens == {"<|endoftext|>": 50256, "<|user|>": 50257}
    theirs = AutoTokenizer.from_pretrained(tmp_path)
    for text in (*SOME, "a<|user|>b<|endoftext|>"):
        assert tok.encode(text, allowed_special="all") == theirs(text)["input_ids"]


# What a folder says


def folder_of(path: Path, **files: Any) -> Path:
    """A folder with the pair of `BY_MERGES` and documents, by their names without `.json`."""
    formats.write(BY_MERGES, path / "vocab.json")
    for name, content in files.items():
        (path / f"{name}.json").write_bytes(as_json(content))
    return path


def test_special_tokens_of_a_pair_are_those_that_the_folder_names(tmp_path: Path) -> None:
    tok = bp.load(folder_of(tmp_path))
    assert tok == bp.Tokenizer.from_parts(BY_MERGES)
    decoder = {"259": {"content": "<|end|>", "special": True}, "260": {"content": "<x>", "special": False}}
    folder_of(tmp_path, tokenizer_config=ENDING | {"added_tokens_decoder": decoder})
    specials = {special.content: special for special in formats.read(tmp_path).specials}
    assert specials == {
        "<|end|>": SpecialToken("<|end|>", 259),
        "<x>": SpecialToken("<x>", 260, special=False, normalized=True),
    }
    folder_of(tmp_path, tokenizer_config={}, special_tokens_map={"additional_special_tokens": ["<new>"]})
    tok = bp.load(tmp_path)
    assert tok.special_tokens == {"<new>": 260}
    assert tok.vocabulary[259] == b"<|end|>"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"tokenizer_config": {"tokenizer_class": "Qwen2Tokenizer"}}, '`tokenizer_class` is "Qwen2Tokenizer"'),
        ({"tokenizer_config": {"add_prefix_space": True}}, "`add_prefix_space` is true"),
        ({"tokenizer_config": {"added_tokens_decoder": {"x": {}}}}, 'has the key "x"'),
        (
            {"tokenizer_config": {"added_tokens_decoder": {"7": {"content": "a"}}}},
            'special token "a" has the id 7, and 97',
        ),
        ({"tokenizer_config": {"added_tokens_decoder": {"300": {"content": "m", "lstrip": 1}}}}, "lstrip` is 1"),
        ({"tokenizer_config": []}, "tokenizer_config.json`: the document is a list"),
        ({"added_tokens": {"<x>": "7"}}, r'added_tokens.json\["<x>"\]` is "7"'),
        ({"special_tokens_map": {"eos_token": 7}}, "`special_tokens_map.json.eos_token` is 7"),
        ({"special_tokens_map": {"eos_token": {"content": None}}}, "eos_token.content` is null"),
    ],
)
def test_what_a_folder_says_wrong_is_named(files: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=said) as caught:
        bp.load(folder_of(tmp_path, **files))
    assert str(tmp_path) in str(caught.value)


def test_classes_that_frame_each_text_are_told(tmp_path: Path) -> None:
    with pytest.warns(bp.FormatWarning, match="RobertaTokenizer adds special tokens") as caught:
        bp.load(folder_of(tmp_path, tokenizer_config={"tokenizer_class": "RobertaTokenizer"}))
    assert caught[0].filename == __file__


def test_folders_with_other_files(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"there is no tokenizer.json, tekken.json.*\nhint: name"):
        bp.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        bp.load(tmp_path / "missing")
    formats.write(BY_RANKS, tmp_path / "x.tiktoken", allow_loss=True)
    with pytest.raises(FormatError, match=r"x.tiktoken: a rank file without a pattern"):
        bp.load(tmp_path)
    ranks = bp.load(tmp_path, pattern="gpt2", special_tokens={"<|end|>": 259})
    assert ranks == bp.Tokenizer.from_parts(BY_RANKS)
    formats.write(BY_RANKS, tmp_path / "y.tiktoken", allow_loss=True)
    with pytest.raises(FormatError, match="2 rank files"):
        bp.load(tmp_path)
    formats.write(SLOTS, tmp_path / "tekken.json")
    assert bp.load(tmp_path) == bp.Tokenizer.from_parts(SLOTS)


# Writing


def test_a_folder_keeps_what_it_says_otherwise(tmp_path: Path) -> None:
    tok = bp.Tokenizer.from_parts(BY_MERGES)
    decoder = {"added_tokens_decoder": {"1": {"content": "<old>"}}}
    (tmp_path / "tokenizer_config.json").write_bytes(as_json(ENDING | decoder))
    tok.save(tmp_path)
    config = json.loads((tmp_path / "tokenizer_config.json").read_bytes())
    assert config == ENDING | {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False}
    assert AutoTokenizer.from_pretrained(tmp_path).eos_token_id == 259


def test_a_folder_keeps_half_of_a_surrogate_pair(tmp_path: Path) -> None:
    (tmp_path / "tokenizer_config.json").write_text(r'{"note": "\udc80 \\ud800 \ud83d\ude00 \ud800"}')
    bp.Tokenizer.from_parts(BY_MERGES).save(tmp_path)
    config = json.loads((tmp_path / "tokenizer_config.json").read_bytes())
    assert config["note"] == "\udc80 \\ud800 😀 \ud800"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "tokenizer_config",
            {"eos_token": "</s>"},
            r'`tokenizer_config.json.eos_token` is "</s>", which is no special',
        ),
        ("special_tokens_map", {"extra_special_tokens": {"a": "<a>"}}, r"`special_tokens_map.json.extra.*<a>"),
        ("added_tokens", {"<b>": 7}, r'`added_tokens.json` is "<b>"'),
        ("added_tokens", {"<|end|>": 7}, r'`added_tokens.json` says that "<|end|>" has the id 7, and it has'),
    ],
)
def test_a_folder_that_names_other_tokens_is_refused(name: str, content: Any, said: str, tmp_path: Path) -> None:
    (tmp_path / f"{name}.json").write_bytes(as_json(content))
    with pytest.raises(FormatError, match=said):
        bp.Tokenizer.from_parts(BY_MERGES).save(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [f"{name}.json"]


def test_what_their_library_cannot_do_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="the end-of-word mark is a symbol of its own"):
        bp.Tokenizer.from_parts(ALONE).save(tmp_path, format="transformers")
    assert list(tmp_path.iterdir()) == []


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2**33) | st.sampled_from(["<x>", "", "a", "259", "<|end|>", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["content", "id", "259", "7", "<x>", "", "special", "lstrip"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)
KEYS = ["added_tokens_decoder", "tokenizer_class", "eos_token", "additional_special_tokens", "add_prefix_space", "<x>"]


@given(
    st.sampled_from(["tokenizer_config", "special_tokens_map", "added_tokens", "tokenizer"]),
    st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=3) | VALUES,
)
@example("tokenizer_config", {"<x>": "\ud800", "\udc80": 1})
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_documents_raise_nothing_else(tmp_path: Path, name: str, value: object) -> None:
    folder_of(tmp_path, **{name: value})
    for act in (bp.load, bp.Tokenizer.from_parts(BY_MERGES).save):
        try:
            act(tmp_path)
        except BytepairError as caught:
            error = caught
        else:
            continue
        assert "\nhint: " in str(error)
        assert str(tmp_path) in str(error)
    for path in tmp_path.iterdir():
        path.unlink()


# What another folder says


def test_roles_and_templates_of_another_folder(trained: bp.Tokenizer, tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    trained.save(one, "transformers")
    said = {
        "eos_token": "<|end|>",
        "pad_token": "<|user|>",
        "padding_side": "left",
        "additional_special_tokens": ["<x>"],
    }
    (one / "tokenizer_config.json").write_bytes(as_json(said))
    (one / "chat_template.jinja").write_text("{{ messages[0].content }}{{ eos_token }}")
    (one / "generation_config.json").write_bytes(as_json({"eos_token_id": 998}))
    with pytest.warns(bp.FormatWarning) as told:
        bp.Tokenizer.from_parts(trained.parts).save(other, "transformers", like=one)
    assert [str(one) in str(each.message) and each.filename == __file__ for each in told] == [True, True]
    assert "generation_config.json" in str(told[1].message)
    assert '"<x>", no special token' in str(told[0].message)
    theirs = AutoTokenizer.from_pretrained(other)
    assert (theirs.eos_token, theirs.pad_token, theirs.padding_side) == ("<|end|>", "<|user|>", "left")
    talk = [{"role": "user", "content": "low"}]
    assert theirs.apply_chat_template(talk, tokenize=False) == "low<|end|>"
    assert len(theirs) == len(trained)
    with pytest.raises(FormatError, match=r"`like` is given for .*\nhint: leave"):
        trained.save(tmp_path / "tokenizer.json", like=one)
    (one / "tokenizer_config.json").write_bytes(b"{")
    with pytest.raises(FormatError, match=r"`tokenizer_config\.json`: "):
        trained.save(tmp_path / "third", "transformers", like=one)
    assert not (tmp_path / "third").exists()
