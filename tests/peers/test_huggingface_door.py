"""`bytepair.compat.huggingface` gives what `transformers` gives for the same folder and the same call."""

# ruff: noqa: S105, S106, S301 - tokens are no passwords; the pickles are our own

from __future__ import annotations

import copy
import json
import pickle
import random
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tokenizers
import transformers
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bytepair as bp
import oracles
import texts
from bytepair.compat.huggingface import AutoTokenizer, Template
from huggingface_doors import (
    BOS,
    COLUMNS,
    NAMES,
    OPTIONS,
    TALK,
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
def test_texts_one_by_one_and_in_batches(pairs: dict[str, Pair], name: str) -> None:
    some = [texts.sample(language, 2000) for language in ("en", "code", "ru", "ja")] + oracles.random_texts(100)
    some += ["", " ", "  low ", "a<|end|> <tool call>b<|pad|>", "<|begin|>", "\n low\t"]
    for text in some:
        same(pairs[name], text, **COLUMNS)
        same(pairs[name], text, add_special_tokens=False)
    same(pairs[name], some, **COLUMNS)
    same(pairs[name], some, padding=True, **COLUMNS)


@pytest.mark.filterwarnings("ignore:`max_length` is ignored")
@given(st.sampled_from(NAMES), st.lists(WORDS, min_size=1, max_size=3), st.booleans(), OPTIONS)
@example("left", [["low "] * 12, ["low "] * 12], True, {"truncation": True, "return_overflowing_tokens": True})
@example("none", [["low "] * 3], False, {"padding": "max_length"})
@example(
    "prefixed",
    [[" low", " lower", " new", " low", " lower", " new", " low", " newest"]],
    False,
    {"truncation": True, "max_length": 6, "return_overflowing_tokens": True, "return_offsets_mapping": True},
)
@settings(max_examples=300)
def test_any_call(
    pairs: dict[str, Pair], name: str, words: list[list[str]], many: bool, options: dict[str, Any]
) -> None:
    given_ = ["".join(text) for text in words]
    if name == "typed" and options.get("return_overflowing_tokens"):
        options = {**options, "return_token_type_ids": False}  # tests/peers/test_huggingface_pairs.py says why
    same(pairs[name], given_ if many else given_[0], **options)


def test_lengths_that_leave_no_room(pairs: dict[str, Pair]) -> None:
    """There some of them are panics, or depend on the text."""
    _, mine = pairs["twice"]
    assert mine("low low low", truncation=True, max_length=3)["input_ids"] == mine("")["input_ids"]
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"max_length": 2}, "max_length is 2, but 3 special tokens come on top"),
        ({"max_length": 5, "stride": 2}, "stride is 2, and 2 ids are left for the text"),
        ({"max_length": -1}, "max_length is -1"),
        ({"max_length": 9, "padding": True, "pad_to_multiple_of": 4}, "max_length is 9, no multiple of"),
        ({"max_length": 9, "padding": True, "pad_to_multiple_of": 0}, "pad_to_multiple_of is 0"),
        ({"max_length": 9, "padding": "both"}, "padding is 'both'"),
        ({"max_length": 9, "padding_side": "up"}, "a side is 'up'"),
        ({"max_length": 9, "return_tensors": "tf"}, "return_tensors is 'tf'"),
    ]
    for options, message in wrong:
        with pytest.raises(ValueError, match=message):
            mine("low", **{"truncation": True, **options})
    with pytest.raises(ValueError, match="truncation is 'some'"):
        mine("low", truncation="some")
    with pytest.raises(ValueError, match="there is no token to pad with"):
        mine.tokenizer.as_huggingface()("low", padding=True)


def test_what_is_no_text_or_no_token(pairs: dict[str, Pair]) -> None:
    _, mine = pairs["none"]
    for wrong, message in ((3, "the text is of type `int`"), (["a", b"b"], "item 1 of the texts is of type `bytes`")):
        with pytest.raises(TypeError, match=message):
            mine(wrong)  # type: ignore[arg-type]
    with pytest.raises(bp.SpecialTokenError, match="mask_token is '<mask>', which is no token"):
        mine.tokenizer.as_huggingface(mask_token="<mask>")
    with pytest.raises(TypeError, match="'mask' is no setting"):
        mine.tokenizer.as_huggingface(mask="<mask>")  # type: ignore[call-arg]
    again = mine.tokenizer.as_huggingface(eos_token="<|end|>")
    again.pad_token = again.eos_token
    assert again.pad_token_id == again.eos_token_id == mine.tokenizer.special_tokens["<|end|>"]
    assert again.convert_tokens_to_ids(["zz zz"]) == [None]
    assert not hasattr(again, "unheard_of")
    assert pickle.loads(pickle.dumps(mine))("low <|end|>") == mine("low <|end|>")
    assert copy.copy(mine).eos_token == "<|end|>"


WRONG_CHATS: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
    ([], {}, ValueError, "the conversation has no messages"),
    ("Hi", {}, TypeError, "the conversation is of type `str`"),
    (["Hi"], {}, TypeError, "message 0 is of type `str`"),
    ([{"role": "user", "content": ...}], {}, TypeError, r"message 0\['content'\] is of type `ellipsis`"),
    ([{"role": "robot", "content": ""}], {}, ValueError, "the chat template refused: no such role: robot"),
    (TALK, {"chat_template": "{% for %}"}, ValueError, "the chat template, line 1: "),
    (TALK, {"chat_template": "{{ messages.__class__.mro() }}"}, ValueError, "refused: "),
    (TALK, {"chat_template": "{{ messages.append(1) }}"}, ValueError, "refused: "),
    (TALK, {"chat_template": "{% set ns = namespace() %}{% set ns._x = 1 %}"}, ValueError, "refused: "),
    (TALK, {"chat_template": "nothing", "continue_final_message": True}, ValueError, "leaves the last message out"),
    (TALK, {"continue_final_message": True, "add_generation_prompt": True}, ValueError, "one of them ends the text"),
    (
        TALK,
        {"chat_template": "{{ 1 / 0 }}"},
        ValueError,
        "the chat template, line 1: ZeroDivisionError: division by zero",
    ),
    (TALK, {"chat_template": "a\n{{ 'a' + 1 }}"}, ValueError, "the chat template, line 2: TypeError: can only concat"),
    (
        TALK,
        {"chat_template": "{% macro f(x) %}\n{{ x['role'] + 1 }}\n{% endmacro %}{{ f(messages[0]) }}"},
        ValueError,
        "the chat template, line 2: TypeError: ",
    ),
    (
        TALK,
        {"chat_template": "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}"},
        ValueError,
        "line 1: RecursionError: ",
    ),
    (TALK, {"chat_template": "{{ range(1000000) }}"}, ValueError, "line 1: OverflowError: Range too big"),
    (TALK, {"chat_template": "{{ strftime_now(3) }}"}, ValueError, "line 1: TypeError: "),
    (TALK, {"chat_template": "{{ '{:d}'.format('x') }}"}, ValueError, "line 1: ValueError: Unknown format code"),
    (TALK, {"chat_template": "{{ [1, 'a'] | sort }}"}, ValueError, "line 1: TypeError: "),
    (TALK, {"chat_template": "{{ raise_exception('a\nb') }}"}, ValueError, "the chat template refused: a b\nhint: "),
    (TALK, {"chat_template": "{% if true %}" * 200 + "{% endif %}" * 200}, ValueError, "cannot be compiled: "),
    (TALK, {"chat_template": 3}, TypeError, "the chat template is of type `int`"),
    (TALK, {"tools": [len]}, TypeError, r"tools\[0\] is of type `builtin_function_or_method`"),
]


@pytest.mark.parametrize(("conversation", "options", "error", "message"), WRONG_CHATS, ids=str)
def test_wrong_chats(
    pairs: dict[str, Pair], conversation: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        pairs["none"][1].apply_chat_template(conversation, **options)
    what, hint = str(caught.value).split("\n")
    assert what
    assert hint.startswith("hint: ")


def test_without_a_chat_template(tok: bp.Tokenizer) -> None:
    with pytest.raises(ValueError, match="there is no chat template"):
        tok.as_huggingface().apply_chat_template(TALK)
    with pytest.raises(ValueError, match="no template is named\nhint: pass chat_template=, one of 'a', 'b'"):
        tok.as_huggingface(chat_template={"a": "A", "b": "B"}).apply_chat_template(TALK)


def test_sixteen_threads_with_options_of_their_own(pairs: dict[str, Pair]) -> None:
    _, mine = pairs["both"]
    rng = random.Random(1)
    text = texts.sample("en", 3000)

    def job() -> dict[str, Any]:
        start, side = rng.randrange(2000), rng.choice(["left", "right"])
        given_ = [text[start : start + rng.randrange(60)] for _ in range(3)]
        return {"text": given_, "max_length": rng.randrange(4, 12), "padding_side": side}

    jobs = [job() for _ in range(4000)]

    def work(job: dict[str, Any]) -> dict[str, Any]:
        return dict(mine(**job, padding="max_length", truncation=True))

    serial = [work(job) for job in jobs]
    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(work, jobs)) == serial


@pytest.mark.parametrize("name", ["none", "begin", "left"])
def test_words_about_tokens(pairs: dict[str, Pair], name: str) -> None:
    theirs, mine = pairs[name]
    assert len(mine) == len(theirs)
    assert mine.get_vocab() == theirs.get_vocab()
    assert mine.get_added_vocab() == theirs.get_added_vocab()
    assert mine.special_tokens_map == theirs.special_tokens_map
    assert mine.model_max_length == theirs.model_max_length
    assert (mine.all_special_tokens, mine.all_special_ids) == (theirs.all_special_tokens, theirs.all_special_ids)
    for role in ("bos", "eos", "pad", "unk", "cls", "sep", "mask"):
        assert getattr(mine, f"{role}_token") == getattr(theirs, f"{role}_token")
        assert getattr(mine, f"{role}_token_id") == getattr(theirs, f"{role}_token_id")
    text = " low naïve日<|end|><tool call>"
    assert mine.tokenize(text) == theirs.tokenize(text)
    names = theirs.tokenize(text)
    assert (
        mine.convert_tokens_to_ids(names)
        == theirs.convert_tokens_to_ids(names)
        == mine.encode(text, add_special_tokens=False)
    )
    assert mine.convert_tokens_to_ids("no token") == theirs.convert_tokens_to_ids("no token")
    assert mine.convert_tokens_to_string(names) == theirs.convert_tokens_to_string(names)
    ids = theirs.encode(text)
    for skip in (True, False):
        assert mine.convert_ids_to_tokens(ids, skip) == theirs.convert_ids_to_tokens(ids, skip)
        assert mine.decode(ids, skip_special_tokens=skip) == theirs.decode(ids, skip_special_tokens=skip)
        rows = [ids, ids[:3], []]
        assert mine.batch_decode(rows, skip_special_tokens=skip) == theirs.batch_decode(rows, skip_special_tokens=skip)
        assert mine.decode(np.array([ids, ids]), skip) == theirs.decode(np.array([ids, ids]), skip)
    assert mine.convert_ids_to_tokens(97) == theirs.convert_ids_to_tokens(97)
    assert mine.decode([97, 10**6, 98]) == theirs.decode([97, 10**6, 98])
    assert mine.decode(97) == theirs.decode(97)
    assert mine.batch_decode([]) == theirs.batch_decode([]) == []


def test_rows_that_are_padded_later(pairs: dict[str, Pair]) -> None:
    for name in ("none", "left"):
        theirs, mine = pairs[name]
        rows = [{"input_ids": [1, 2, 3], "label": 0}, {"input_ids": [4], "label": 1}]
        for options in (
            {},
            {"padding": "max_length", "max_length": 7},
            {"pad_to_multiple_of": 4},
            {"return_tensors": "np"},
        ):
            assert plain(mine.pad(rows, **options)) == plain(theirs.pad(rows, **options))
        assert plain(mine.pad({"input_ids": [1, 2]}, padding="max_length", max_length=3)) == plain(
            theirs.pad({"input_ids": [1, 2]}, padding="max_length", max_length=3)
        )
        collator = transformers.DataCollatorWithPadding(theirs, return_tensors="np")
        ours = transformers.DataCollatorWithPadding(mine, return_tensors="np")
        assert plain(ours([mine("low"), mine("low low low")])) == plain(
            collator([theirs("low"), theirs("low low low")])
        )


CALLS: list[dict[str, Any]] = [
    {},
    {"add_generation_prompt": True},
    {"tools": [{"name": "f", "parameters": {"é": 1}}]},
    {"documents": [{"title": "t", "text": "x"}], "extra": 3},
    {"chat_template": "{% for m in messages %}{{ m.content }}{% endfor %}{{ strftime_now('%Y') | length }}"},
    {"continue_final_message": True},
    {"chat_template": "  {% if true %}\n x\n  {% endif %}\n"},
]


@pytest.mark.parametrize("options", CALLS, ids=str)
def test_chat_templates(pairs: dict[str, Pair], options: dict[str, Any]) -> None:
    theirs, mine = pairs["both"]
    text = theirs.apply_chat_template(TALK, tokenize=False, **options)
    assert mine.apply_chat_template(TALK, tokenize=False, **options) == text
    assert mine.apply_chat_template([TALK, TALK], tokenize=False, **options) == [text, text]
    for more in ({}, {"return_dict": False}, {"return_tensors": "np"}, {"max_length": 5, "truncation": True}):
        expected, found = (side.apply_chat_template(TALK, **options, **more) for side in (theirs, mine))
        if isinstance(expected, list):
            assert found == expected
        else:
            assert plain(found) == plain(expected)


def test_templates_by_their_names(tok: bp.Tokenizer, tmp_path: Path) -> None:
    place = folder_of(tok, tmp_path / "named", None)
    config = json.loads((place / "tokenizer_config.json").read_text())
    named = [
        {"name": "default", "template": "D"},
        {"name": "tool_use", "template": "T"},
        {"name": "other", "template": "O"},
    ]
    (place / "tokenizer_config.json").write_text(json.dumps({**config, "chat_template": named}))
    theirs, mine = both(place)
    for options in ({}, {"tools": [{"name": "f"}]}, {"chat_template": "other"}, {"chat_template": "X{{ eos_token }}"}):
        expected = theirs.apply_chat_template(TALK, tokenize=False, **options)
        assert mine.apply_chat_template(TALK, tokenize=False, **options) == expected
    (place / "tokenizer_config.json").write_text(json.dumps({**config, "chat_template": None}))
    (place / "chat_template.jinja").write_text("file {{ bos_token }}")
    theirs, mine = both(place)
    assert mine.apply_chat_template(TALK, tokenize=False) == theirs.apply_chat_template(TALK, tokenize=False)


def test_llama3(vocabulary_file: oracles.FindFile, tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_bytes(vocabulary_file("llama3").read_bytes())
    theirs, mine = both(tmp_path)
    for text in [texts.sample(language, 2000) for language in ("en", "code", "ru", "ja")] + oracles.random_texts(100):
        same((theirs, mine), text, return_offsets_mapping=True, return_special_tokens_mask=True)


def test_tokens_that_mean_a_byte(vocabulary_file: oracles.FindFile) -> None:
    file = vocabulary_file("mistral_v1")
    with pytest.warns(bp.FormatWarning, match="TemplateProcessing"):
        ours = bp.load(file).as_huggingface()
    theirs = transformers.PreTrainedTokenizerFast(tokenizer_file=str(file))
    assert ours.get_vocab() == theirs.get_vocab()
    names = ours.convert_ids_to_tokens(range(len(ours)))
    assert names == theirs.convert_ids_to_tokens(list(range(len(theirs))))
    assert ours.convert_tokens_to_ids(name for name in names if name is not None) == list(range(len(ours)))
    for text in ("a\n\n b 🌱", " ▁"):
        assert ours.tokenize(text) == theirs.tokenize(text)
        assert ours.convert_tokens_to_string(ours.tokenize(text)) == theirs.decode(theirs.encode(text)[1:])
    assert ours.convert_tokens_to_string(["▁no", "such one", "<0x0A>"]) == "▁nosuch one\n"


def test_tokenizers_of_others(pairs: dict[str, Pair], tok: bp.Tokenizer, tmp_path: Path) -> None:
    theirs, _ = pairs["none"]
    theirs("low", truncation=True, max_length=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert bp.from_huggingface(theirs) == tok
        assert bp.from_huggingface(theirs.backend_tokenizer.from_str(tokenizer_json(tok, tmp_path))) == tok
    backend = tokenizers.Tokenizer.from_str(tokenizer_json(tok, tmp_path))
    backend.enable_truncation(5)
    with pytest.warns(bp.FormatWarning, match="truncation switched on"):
        assert bp.from_huggingface(backend) == tok
    with pytest.warns(bp.FormatWarning, match="post_processor"):
        bp.from_huggingface(pairs["both"][0])
    with pytest.raises(TypeError, match="the tokenizer is of type `str`"):
        bp.from_huggingface("gpt2")


def tokenizer_json(tok: bp.Tokenizer, place: Path) -> str:
    tok.save(place / "tokenizer.json")
    return (place / "tokenizer.json").read_text()


class Slow:
    """What `from_huggingface` needs of a slow tokenizer."""

    def __init__(self, tok: bp.Tokenizer) -> None:
        self.tok = tok

    def save_pretrained(self, folder: str) -> None:
        self.tok.save(folder, "transformers")


def test_slow_tokenizers(tok: bp.Tokenizer) -> None:
    assert bp.from_huggingface(Slow(tok)) == tok


def test_a_model_in_the_cache(tok: bp.Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tmp_path / "models--some--model"
    (model / "refs").mkdir(parents=True)
    (model / "snapshots").mkdir()
    (model / "refs" / "main").write_text("0" * 40)
    folder_of(tok, model / "snapshots" / ("0" * 40), template(tok, BOS, TEXT))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    mine = AutoTokenizer.from_pretrained("some/model")
    assert mine.template == Template(before=(tok.special_tokens["<|begin|>"],))
    with pytest.raises(bp.UnavailableError, match="there is no folder 'other/model'"):
        AutoTokenizer.from_pretrained("other/model")


def test_a_dropout_in_the_file_is_told_of(tok: bp.Tokenizer, tmp_path: Path) -> None:
    document = json.loads(tokenizer_json(tok, tmp_path))
    document["model"]["dropout"] = 0.25
    (tmp_path / "tokenizer.json").write_text(json.dumps(document))
    with pytest.warns(
        bp.FormatWarning, match=r"`model.dropout` is 0.25, and `encode` here leaves no merge out"
    ) as told:
        read = bp.load(tmp_path / "tokenizer.json")
    assert len(told) == 1
    assert read == tok
