"""`tokenizer.json` with anything in it: only our errors, and the engine reads what Python reads."""

from __future__ import annotations

import copy
import dataclasses
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bytepair as bp
from bytepair import formats
from bytepair.errors import BytepairError
from bytepair.formats import oniguruma, quickly
from bytepair.formats.huggingface_read import ALIKE, GPT2_PATTERN
from bytepair.parts import MARK, Parts
from huggingface_files import LEVEL, MINIMAL, NATIVE, PARTS, TEMPLATE, TOKENS, any_parts, document, render


def places(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(item, (*path, key))


JOINED = Parts(
    alphabet="characters",
    end_of_word="</w>",
    end_of_word_joined=True,
    tokens=((0, b"a"), (1, b"a" + MARK), (2, b"aa" + MARK)),
    merges=((0, 1),),
)
RANKED = Parts(tokens=TOKENS, merges=None, whole_first=True)
POSTS = [
    LEVEL,
    TEMPLATE,
    {"type": "RobertaProcessing", "cls": ["<x>", 6], "sep": ["<x>", 6]},
]
VALID = [
    *(json.loads(render(parts)) for parts in (PARTS, NATIVE, RANKED, JOINED)),
    {"model": {"type": "BPE", "vocab": MINIMAL, "merges": ["a b"]}, "decoder": {"type": "Fuse"}},
    document(post_processor={"type": "Sequence", "processors": POSTS}),
]
PLACES = [list(places(made))[1:] for made in VALID]
ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    10**18,
    1.5,
    "",
    "a",
    "\ud800",
    "a" * 300,
    [],
    {},
    [[]],
    ["a", "b"],
    {"a": 0},
    {"type": "BPE"},
]


def check_the_engines_reading(data: bytes) -> bool:
    """What the engine reads by itself is what Python reads; whether it does."""
    read = quickly.huggingface(data)
    if read is not None:
        core, training = read
        parts = formats.parse(data, format="huggingface")
        assert core.fingerprint == bp.Tokenizer.from_parts(parts).fingerprint
        assert training == parts.training
    return read is not None


def check_only_our_errors(data: bytes) -> None:
    check_the_engines_reading(data)
    try:
        formats.parse(data)
    except BytepairError as error:
        message, _, hint = str(error).partition("\nhint: ")
        assert message
        assert hint
        assert len(message) < 2000


@pytest.mark.filterwarnings("ignore::bytepair.FormatWarning")
@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_value_of_another_kind_anywhere_raises_nothing_else(data: st.DataObject) -> None:
    which = data.draw(st.integers(0, len(VALID) - 1))
    made = copy.deepcopy(VALID[which])
    *outer, last = data.draw(st.sampled_from(PLACES[which]))
    inner: Any = made
    for key in outer:
        inner = inner[key]
    if data.draw(st.booleans()):
        inner[last] = data.draw(st.sampled_from(ODD))
    else:
        del inner[last]
    check_only_our_errors(json.dumps(made).encode())


@pytest.mark.filterwarnings("ignore::bytepair.FormatWarning")
@settings(max_examples=400)
@given(st.sampled_from(VALID), st.data())
def test_a_changed_or_missing_byte_raises_nothing_else(made: dict[str, Any], data: st.DataObject) -> None:
    content = bytearray(json.dumps(made, ensure_ascii=False).encode())
    at = data.draw(st.integers(0, len(content) - 1))
    match data.draw(st.sampled_from(["flip", "cut", "drop", "put"])):
        case "flip":
            content[at] ^= 1 << data.draw(st.integers(0, 7))
        case "cut":
            del content[at:]
        case "drop":
            del content[at]
        case _:
            content[at:at] = data.draw(st.binary(max_size=4))
    check_only_our_errors(bytes(content))


@pytest.mark.parametrize("parts", [PARTS, RANKED, Parts(tokens=TOKENS, merges=((0, 1), (2, 3)), whole_first=True)])
def test_the_engine_reads_ordinary_files_by_itself(parts: Parts) -> None:
    assert check_the_engines_reading(render(parts))


def test_the_engine_leaves_what_is_unusual_to_python() -> None:
    assert not check_the_engines_reading(render(NATIVE))
    assert not check_the_engines_reading(render(JOINED))
    assert not check_the_engines_reading(b"YQ== 0\n")
    for change in ({"model__vocab__": 0}, {"model__merges": [["a"]]}, {"pre_tokenizer": None, "decoder": None}):
        assert not check_the_engines_reading(json.dumps(document(**change)).encode())


@pytest.mark.parametrize("pattern", [GPT2_PATTERN, *(bp.PATTERNS[name] for name in ALIKE)])
def test_known_patterns_mean_the_same_in_both_libraries(pattern: str) -> None:
    assert oniguruma.read(pattern) == oniguruma.translate(pattern) == pattern
    assert check_the_engines_reading(render(dataclasses.replace(PARTS, pattern=pattern)))


@given(any_parts())
def test_any_parts_are_read_alike_by_the_engine(parts: Parts) -> None:
    check_the_engines_reading(render(parts))


KEYS = st.sampled_from(["model", "vocab", "merges", "type", "bytepair", "added_tokens", "version"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner),
)


@given(JSON)
def test_any_json_raises_nothing_else(value: object) -> None:
    check_only_our_errors(b'{"model": %s}' % json.dumps(value).encode())
