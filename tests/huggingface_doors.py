"""Both doors of one folder, ours and that of `transformers`, and calls of both."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import transformers
from hypothesis import strategies as st

import bytepair as bp
import texts
from bytepair.compat.huggingface import AutoTokenizer, HuggingFaceTokenizer

CHAT = """{{- bos_token }}
{%- for message in messages %}
    {%- if message.role not in ['system', 'user', 'assistant'] %}
        {{- raise_exception('no such role: ' + message.role) }}
    {%- endif %}
    {{- '<|user|>' + message['role'] + '\\n' + message['content'] | trim + '<|end|>' }}
    {%- if loop.index > 3 %}{% break %}{% endif %}
{%- endfor %}
{%- if tools %}{{ tools | tojson(indent=2) }}{% endif %}
{%- if documents %}{% for d in documents %}{{ d.title }}: {{ d.text }}{% endfor %}{% endif %}
{%- set ns = namespace(n=messages|length) %}{% set ns.n = ns.n + extra|default(0) %}{{ ns.n }}
{%- if add_generation_prompt %}{% generation %}<|user|>assistant
{% endgeneration %}{% endif %}"""
TALK = [
    {"role": "system", "content": " You are <b>'kind'</b>.  ", "name": None},
    {"role": "user", "content": "low naïve 日本語<|end|>"},
]
BOS = {"SpecialToken": {"id": "<|begin|>", "type_id": 0}}
END = {"SpecialToken": {"id": "<|end|>", "type_id": 0}}
TEXT = {"Sequence": {"id": "A", "type_id": 0}}
SECOND = {"Sequence": {"id": "B", "type_id": 1}}


def of_type(piece: dict[str, Any], type_: int) -> dict[str, Any]:
    return {kind: {**said, "type_id": type_} for kind, said in piece.items()}


def template(tok: bp.Tokenizer, *pieces: dict[str, Any], pair: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """What BOS and EOS are in `transformers`, or another template for pairs."""
    both = [*pieces, *(SECOND if piece is TEXT else of_type(piece, 1) for piece in pieces)] if pair is None else pair
    named = {piece["SpecialToken"]["id"] for piece in (*pieces, *both) if "SpecialToken" in piece}
    ids = {name: {"id": name, "ids": [tok.special_tokens[name]], "tokens": [name]} for name in named}
    return {"type": "TemplateProcessing", "single": list(pieces), "pair": both, "special_tokens": ids}


def post_processors(tok: bp.Tokenizer) -> dict[str, dict[str, Any] | None]:
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    end = ["<|end|>", tok.special_tokens["<|end|>"]]
    begin = ["<|begin|>", tok.special_tokens["<|begin|>"]]
    return {
        "none": None,
        "level": level,
        "prefixed": {**level, "add_prefix_space": True},
        "begin": template(tok, BOS, TEXT),
        "both": {"type": "Sequence", "processors": [level, template(tok, BOS, TEXT, END)]},
        "twice": template(tok, BOS, BOS, TEXT, END),
        "typed": template(tok, of_type(BOS, 2), of_type(TEXT, 3), END, pair=[BOS, of_type(SECOND, 5), END, TEXT, BOS]),
        "roberta": {
            "type": "RobertaProcessing",
            "sep": end,
            "cls": begin,
            "trim_offsets": True,
            "add_prefix_space": False,
        },
        "bert": {"type": "BertProcessing", "sep": end, "cls": begin},
    }


def trained() -> bp.Tokenizer:
    """A small tokenizer with special tokens and an added one."""
    specials = ["<|begin|>", "<|end|>", "<|pad|>", "<|user|>"]
    made = bp.train(texts=[texts.sample("en", 100_000)], vocab_size=1000, special_tokens=specials)
    added = bp.Parts(
        pattern=made.pattern,
        tokens=made.parts.tokens,
        merges=made.parts.merges,
        specials=(*made.parts.specials, bp.SpecialToken("<tool call>", 1003, special=False)),
    )
    return bp.Tokenizer.from_parts(added)


def folder_of(tok: bp.Tokenizer, place: Path, post: dict[str, Any] | None, **config: Any) -> Path:
    tok.save(place, "transformers")
    file = place / "tokenizer.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "post_processor": post}))
    beside = place / "tokenizer_config.json"
    given_ = {"bos_token": "<|begin|>", "eos_token": "<|end|>", "pad_token": "<|pad|>", "chat_template": CHAT, **config}
    beside.write_text(json.dumps({**json.loads(beside.read_text()), **given_}))
    return place


Pair = tuple[Any, HuggingFaceTokenizer]


def both(folder: Path) -> Pair:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mine = AutoTokenizer.from_pretrained(folder)
    return transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True), mine


def made_pairs(tok: bp.Tokenizer, folder: Callable[[str], Path]) -> dict[str, Pair]:
    """Both doors for each template."""
    found = {name: both(folder_of(tok, folder(name), post)) for name, post in post_processors(tok).items()}
    settings_ = {"padding_side": "left", "truncation_side": "left", "model_max_length": 12}
    found["left"] = both(folder_of(tok, folder("left"), template(tok, BOS, TEXT), **settings_))
    return found


NAMES = ("none", "level", "prefixed", "begin", "both", "twice", "typed", "roberta", "bert", "left")
COLUMNS = {
    "return_token_type_ids": True,
    "return_offsets_mapping": True,
    "return_special_tokens_mask": True,
    "return_length": True,
}


def plain(batch: Any) -> dict[str, Any]:
    """What is in a batch, as lists; transformers' spans are tuples, and so are ours."""
    return {name: column.tolist() if hasattr(column, "tolist") else column for name, column in dict(batch).items()}


def is_ragged(column: list[Any]) -> bool:
    return len({len(row) for row in column if not isinstance(row, int)}) > 1


def same(pair: Pair, text: Any, **options: Any) -> None:
    theirs, mine = pair
    expected = outcome(theirs, text, options)
    # Rows of different lengths: there an array of objects, which is of no use.
    if expected is None or ("return_tensors" in options and any(map(is_ragged, expected.values()))):
        with pytest.raises(ValueError, match="hint: "):
            mine(text, **options)
        return
    assert plain(mine(text, **options)) == expected, options


def outcome(theirs: Any, text: Any, options: dict[str, Any]) -> dict[str, Any] | None:
    try:
        return plain(theirs(text, **options))
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            return None  # a text that is too short to be cut; a stride as long as the window
        raise


WORDS = st.lists(st.sampled_from(["low ", " naïve", "日本", "<|end|>", " ", "the quick", "<tool call>"]), max_size=12)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "padding": st.sampled_from([True, False, "longest", "max_length", "do_not_pad"]),
        "truncation": st.sampled_from([True, False, "longest_first", "only_first", "only_second", "do_not_truncate"]),
        "max_length": st.integers(6, 16),  # so that the stride, with three special tokens, is shorter
        "stride": st.integers(0, 2),
        "pad_to_multiple_of": st.integers(2, 8),
        "padding_side": st.sampled_from(["left", "right"]),
        "add_special_tokens": st.booleans(),
        "return_overflowing_tokens": st.booleans(),
        "return_attention_mask": st.booleans(),
        "return_token_type_ids": st.booleans(),
        "return_special_tokens_mask": st.booleans(),
        "return_offsets_mapping": st.booleans(),
        "return_length": st.booleans(),
        "return_tensors": st.sampled_from(["np"]),
    },
)
