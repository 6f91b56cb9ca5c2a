"""Two texts in one row, as `transformers` puts them there; sizes of vocabularies; columns that a folder asks for."""

# ruff: noqa: S301 - the pickles are our own

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bytepair as bp
import oracles
import texts
from bytepair.compat.huggingface import Template
from bytepair.compat.huggingface.template import PAIR, Special, Text
from huggingface_doors import (
    BOS,
    COLUMNS,
    NAMES,
    OPTIONS,
    TEXT,
    WORDS,
    Pair,
    both,
    folder_of,
    made_pairs,
    plain,
    same,
    template,
    trained,
)


@pytest.fixture(scope="module")
def tok() -> bp.Tokenizer:
    return trained()


@pytest.fixture(scope="module")
def pairs(tok: bp.Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Pair]:
    return made_pairs(tok, tmp_path_factory.mktemp)


@pytest.mark.parametrize("name", NAMES)
def test_pairs_in_every_spelling(pairs: dict[str, Pair], name: str) -> None:
    some = [texts.sample(language, 500) for language in ("en", "code", "ru", "ja")] + oracles.random_texts(20)
    some += ["", " ", "  low ", "a<|end|> <tool call>b<|pad|>", "\n low\t"]
    others = some[::-1]
    for one, other in zip(some, others, strict=True):
        same(pairs[name], one, text_pair=other, **COLUMNS)
        same(pairs[name], one, text_pair=other, add_special_tokens=False)
    same(pairs[name], some, text_pair=others, padding=True, **COLUMNS)
    same(pairs[name], list(zip(some, others, strict=True)), padding="max_length", max_length=700, **COLUMNS)
    same(pairs[name], [*some, (some[0], some[1])], **COLUMNS)


@pytest.mark.filterwarnings("ignore:`max_length` is ignored")
@given(st.sampled_from(NAMES), st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=3), st.booleans(), OPTIONS)
@example("bert", [(["low "] * 9, ["the quick"] * 9)], False, {"max_length": 12, "return_overflowing_tokens": True})
@example("left", [(["low "] * 9, ["the quick"] * 9)], False, {"truncation": "only_second", "stride": 1})
@settings(max_examples=400)
def test_any_call_with_pairs(
    pairs: dict[str, Pair], name: str, words: list[tuple[list[str], list[str]]], many: bool, options: dict[str, Any]
) -> None:
    firsts, seconds = (["".join(text) for text in column] for column in zip(*words, strict=True))
    if "max_length" in options:
        options = {**options, "max_length": options["max_length"] + 9}  # so that there is room for six special tokens
    if name in {"typed", "roberta"} and options.get("return_overflowing_tokens"):
        options = {**options, "return_token_type_ids": False}  # see below
    if many:
        same(pairs[name], firsts, text_pair=seconds, **options)
    else:
        same(pairs[name], firsts[0], text_pair=seconds[0], **options)


@pytest.mark.parametrize("name", NAMES)
def test_words_about_pairs(pairs: dict[str, Pair], name: str) -> None:
    theirs, mine = pairs[name]
    for pair in (True, False):
        assert mine.num_special_tokens_to_add(pair) == theirs.num_special_tokens_to_add(pair)
    for one, other in (("low lower", " naïve<|end|>"), ("", "x"), ("x", "")):
        assert mine.encode(one, other) == theirs.encode(one, other)
        assert mine.tokenize(one, other) == theirs.tokenize(one, other)
        assert mine.tokenize(one, other, add_special_tokens=True) == theirs.tokenize(
            one, other, add_special_tokens=True
        )
        assert mine(one, other).sequence_ids() == theirs(one, other).sequence_ids()
    rows: dict[str, Any] = {"text": ["low", "the quick low"], "text_pair": ["the", "low low"], "padding": True}
    for index in (0, 1):
        assert mine(**rows).sequence_ids(index) == theirs(**rows).sequence_ids(index)
    cut: dict[str, Any] = {
        "max_length": 12,
        "truncation": "only_second",
        "return_overflowing_tokens": True,
        "stride": 1,
    }
    ours, expected = (side("low", "the quick low low the low" * 3, **cut) for side in (mine, theirs))
    assert [ours.sequence_ids(i) for i in range(len(ours.input_ids))] == [
        expected.sequence_ids(i) for i in range(len(expected.input_ids))
    ]


def test_windows_have_the_types_of_the_template(pairs: dict[str, Pair]) -> None:
    """There only the first has them: a difference that is meant (docs/design/doors.md)."""
    theirs, mine = pairs["typed"]
    cut: dict[str, Any] = {
        "max_length": 9,
        "truncation": True,
        "return_overflowing_tokens": True,
        "return_token_type_ids": True,
    }
    ours, expected = (side("the quick low low", "low the the low low", **cut) for side in (mine, theirs))
    assert ours.input_ids == expected.input_ids
    assert ours.token_type_ids[0] == expected.token_type_ids[0] == [0, 5, 5, 5, 0, 0, 0, 0, 0]
    assert ours.token_type_ids[1] == [0, 5, 5, 5, 0, 0, 0, 0, 0]
    assert expected.token_type_ids[1] == [0, 1, 1, 1, 0, 0, 0, 0, 0]


def test_wrong_pairs(pairs: dict[str, Pair]) -> None:
    _, mine = pairs["bert"]
    wrong: list[tuple[tuple[Any, ...], dict[str, Any], type[Exception], str]] = [
        (("a", ["b"]), {}, TypeError, "text_pair is of type `list`"),
        ((["a"], "b"), {}, TypeError, "text_pair is of type `str`"),
        ((["a"], ["b", "c"]), {}, ValueError, "there are 1 texts and 2 in text_pair"),
        ((["a"], [3]), {}, TypeError, "item 0 of the texts is of type `int`"),
        (([("a", 3)],), {}, TypeError, "item 0 of the texts is of type `int`"),
        (([("a", "b", "c")],), {}, TypeError, "item 0 of the texts is of type `tuple`"),
        (("low low low", "a"), {"truncation": "only_second", "max_length": 4}, ValueError, "that text has 1 ids"),
        (("low " * 9,), {"truncation": "only_second", "max_length": 4}, ValueError, "there is one text"),
        (("low " * 9, "a"), {"truncation": True, "max_length": 2}, ValueError, "3 special tokens come on top"),
        (("low " * 9, "low " * 9), {"truncation": True, "max_length": 7, "stride": 2}, ValueError, "stride is 2"),
    ]
    for arguments, options, error, message in wrong:
        with pytest.raises(error, match=f"{message}.*\nhint: "):
            mine(*arguments, **options)
    single = mine.tokenizer.as_huggingface(template=Template(pair=(Text(),)))
    assert single("a")["input_ids"] == [97]
    with pytest.raises(ValueError, match=r"does not have each of them once\nhint: "):
        single("a", "b")
    with pytest.raises(ValueError, match=r"does not say which ids are of which text\nhint: "):
        mine.pad({"input_ids": [1]}).sequence_ids()


def test_templates_of_ones_own(tok: bp.Tokenizer) -> None:
    begin, end = tok.special_tokens["<|begin|>"], tok.special_tokens["<|end|>"]
    plain_ = tok.as_huggingface()
    assert plain_("a", "b", return_token_type_ids=True) == {
        "input_ids": [97, 98],
        "token_type_ids": [0, 1],
        "attention_mask": [1, 1],
    }
    both_ = tok.as_huggingface(template=Template(before=(begin,), after=(end,)))
    assert both_("a", "b")["input_ids"] == [begin, 97, end, begin, 98, end]
    own = (Special((begin,)), *PAIR, Special((end,), 1))
    assert tok.as_huggingface(template=Template(pair=own))("a", "b", return_token_type_ids=True) == {
        "input_ids": [begin, 97, 98, end],
        "token_type_ids": [0, 0, 1, 1],
        "attention_mask": [1, 1, 1, 1],
    }


def test_columns_that_a_folder_asks_for(tok: bp.Tokenizer, tmp_path: Path) -> None:
    names = ["input_ids", "token_type_ids"]
    theirs, mine = both(folder_of(tok, tmp_path, template(tok, BOS, TEXT), model_input_names=names))
    assert mine.model_input_names == theirs.model_input_names == names
    assert plain(mine("low", "the")) == plain(theirs("low", "the"))
    assert set(mine("low")) == set(names)
    rows = [{"input_ids": [1, 2], "token_type_ids": [0, 1]}, {"input_ids": [4], "token_type_ids": [1]}]
    assert plain(mine.pad(rows)) == plain(theirs.pad(rows))


EXTRA: list[dict[str, Any]] = [
    {},
    {"additional_special_tokens": ["<|user|>"]},
    {"extra_special_tokens": [{"content": "<|user|>", "__type": "AddedToken"}, "<|end|>"]},
    {"extra_special_tokens": {"user_token": "<|user|>"}},
]


@pytest.mark.parametrize("config", EXTRA, ids=str)
def test_special_tokens_without_a_usual_role(tok: bp.Tokenizer, tmp_path: Path, config: dict[str, Any]) -> None:
    theirs, mine = both(folder_of(tok, tmp_path, None, **config))
    mine = pickle.loads(pickle.dumps(mine))
    assert (mine.all_special_tokens, mine.all_special_ids) == (theirs.all_special_tokens, theirs.all_special_ids)
    assert mine.special_tokens_map == theirs.special_tokens_map
    assert mine.extra_special_tokens == theirs.extra_special_tokens
    assert getattr(mine, "user_token", None) == getattr(theirs, "user_token", None)
    assert getattr(mine, "user_token_id", None) == getattr(theirs, "user_token_id", None)
    ids = theirs.encode("low<|user|><|end|><tool call>")
    for skip in (True, False):
        assert mine.convert_ids_to_tokens(ids, skip) == theirs.convert_ids_to_tokens(ids, skip)
        assert mine.decode(ids, skip) == theirs.decode(ids, skip)
    talk, chat = [{"role": "user", "content": "low"}], "{{ user_token }}{{ messages[0].content }}{{ eos_token }}"
    assert mine.apply_chat_template(talk, chat_template=chat, tokenize=False) == theirs.apply_chat_template(
        talk, chat_template=chat, tokenize=False
    )
    with pytest.raises(bp.SpecialTokenError, match="extra_special_tokens is '<none>', which is no token"):
        tok.as_huggingface(extra_special_tokens=["<none>"])


def test_windows_of_a_long_pair_are_not_made_unasked(pairs: dict[str, Pair]) -> None:
    _, mine = pairs["none"]
    text = "low " * 20_000
    row = mine(text, text, max_length=512, truncation=True, stride=200)
    assert np.shape(row["input_ids"]) == (512,)


# Sizes


ALSO = [pytest.param(name, marks=pytest.mark.soak) for name in ("gpt4o", "qwen3", "deepseek_v3", "claude2")]


@pytest.mark.parametrize("name", ["llama3", "mistral_v1", *ALSO])
def test_sizes_of_published_vocabularies(name: str, vocabulary_file: oracles.FindFile, tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_bytes(vocabulary_file(name).read_bytes())
    theirs, mine = both(tmp_path)
    assert (mine.vocab_size, len(mine)) == (theirs.vocab_size, len(theirs))


def test_sizes(tok: bp.Tokenizer, tmp_path: Path) -> None:
    specials = ["<|begin|>", "<|end|>", "<|pad|>"]
    pad = "<|pad|>"
    cases = {
        "behind": bp.train(texts=["low low"], num_merges=2, special_tokens=specials),
        "before": tok.with_special_tokens({"<|far|>": 1010}).tokenizer,
        "gaps": tok.with_special_tokens({"<|far|>": 1010}).tokenizer.with_special_tokens([pad + "x"]).tokenizer,
        "word": bp.train(texts=["low low"], num_merges=2)
        .with_special_tokens({"low": 257, **dict(zip(specials, (258, 259, 260), strict=True))})
        .tokenizer,
    }
    for name, one in cases.items():
        theirs, mine = both(folder_of(one, tmp_path / name, None))
        expected = (theirs.vocab_size, len(theirs))
        assert (mine.vocab_size, len(mine)) == expected, name
        door = one.as_huggingface()
        assert (door.vocab_size, len(door)) == expected, name
