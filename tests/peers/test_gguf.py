"""GGUF: our reader and writer against those of the `gguf` package, and the patterns that llama.cpp knows by name."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import gguf
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
from bytepair import formats
from bytepair.errors import FormatError
from bytepair.formats import gguf as tokenizer_of_gguf
from bytepair.formats import gguf_file
from bytepair.formats.pattern_stages import DIGITS
from bytepair.parts import Parts, SpecialToken
from format_files import BY_MERGES

TEXT = st.text(max_size=8)
VALUES = st.one_of(
    *(
        st.booleans(),
        st.integers(0, 2**32 - 1),
        st.text(min_size=1, max_size=8),
        st.lists(TEXT, min_size=1, max_size=4),
    ),
    st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1, max_size=4),
)


def theirs(metadata: dict[str, Any], path: Path) -> bytes:
    """What the `gguf` package writes, tensors included."""
    writer = gguf.GGUFWriter(path, "gpt2")
    for key, value in metadata.items():
        if isinstance(value, bool):
            writer.add_bool(key, value)
        elif isinstance(value, int):
            writer.add_uint32(key, value)
        elif isinstance(value, str):
            writer.add_string(key, value)
        else:
            writer.add_array(key, value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path.read_bytes()


@given(st.dictionaries(st.text(min_size=1, max_size=6), VALUES, max_size=5))
def test_the_metadata_is_theirs_in_both_directions(
    tmp_path_factory: pytest.TempPathFactory, metadata: dict[str, Any]
) -> None:
    path = tmp_path_factory.mktemp("gguf") / "x.gguf"
    metadata.pop("general.architecture", None)
    read = gguf_file.read(theirs(metadata, path))
    assert {key: read[key] for key in metadata} == metadata
    path.write_bytes(gguf_file.write(metadata))
    fields = gguf.GGUFReader(path).fields
    assert {key: field.contents() for key, field in fields.items() if not key.startswith("GGUF.")} == metadata
    assert gguf_file.read(path.read_bytes()) == metadata


def test_a_tokenizer_is_read_by_their_reader(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    parts = replace(BY_MERGES, specials=(SpecialToken("<x>", 260, special=False), SpecialToken("<|end|>", 262)))
    formats.write(parts, path, allow_loss=True)
    fields = {key: field.contents() for key, field in gguf.GGUFReader(path).fields.items()}
    assert fields["tokenizer.ggml.pre"] == "gpt-2"
    assert fields["tokenizer.ggml.tokens"][-7:] == ["th", "the", "Ġthe", "[PAD259]", "<x>", "[PAD261]", "<|end|>"]
    assert fields["tokenizer.ggml.token_type"][-5:] == [1, 5, 4, 5, 3]
    assert fields["tokenizer.ggml.merges"] == ["t h", "th e", "Ġ the"]
    assert formats.read(path) == parts


def test_only_the_beginning_of_a_model_is_read(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    content = tokenizer_of_gguf.render(BY_MERGES)
    with path.open("wb") as file:
        file.write(content)
        file.truncate(1 << 40)  # a hole: a terabyte of tensors
    assert bp.load(path) == bp.Tokenizer.from_parts(BY_MERGES)


def test_both_orders_of_bytes_and_both_versions() -> None:
    def string(text: str) -> bytes:
        return struct.pack(">Q", len(text)) + text.encode()

    content = b"GGUF" + struct.pack(">IQQ", 2, 0, 2) + string("a") + struct.pack(">Ih", 3, -2)
    content += string("b") + struct.pack(">IIQ2d", 9, 12, 2, 0.5, 1.0)
    assert gguf_file.read(content) == {"a": -2, "b": [0.5, 1.0]}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"GGUF", "at byte 4 there should be 1 values of 4 bytes, and 0 bytes are left"),
        (b"GGUF\x01\0\0\0" + bytes(16), "the version is 1"),
        (b"GGUF\x03\0\0\0" + bytes(8) + b"\xff" * 8, "there are 18446744073709551615 keys"),
        (b"GGUF\x03\0\0\0" + bytes(8) + struct.pack("<QQ", 1, 2**62), f"a text of {2**62} bytes"),
        (b"GGUF\x03\0\0\0" + bytes(8) + struct.pack("<QQ", 1, 1) + b"a" + struct.pack("<I", 13), "is of the type 13"),
        (
            b"GGUF\x03\0\0\0" + bytes(8) + struct.pack("<QQ", 1, 1) + b"a" + struct.pack("<IIQ", 9, 0, 2**63),
            f"{2**63} values of 1 bytes",
        ),
        (
            b"GGUF\x03\0\0\0" + bytes(8) + struct.pack("<QQ", 1, 1) + b"a" + struct.pack("<IIQ", 9, 8, 2**63),
            f"a list of {2**63} texts",
        ),
        (
            b"GGUF\x03\0\0\0" + bytes(8) + struct.pack("<QQ", 1, 1) + b"a" + struct.pack("<IIQ", 9, 9, 1),
            "is a list of values of the type 9",
        ),
        (gguf_file.write({"tokenizer.ggml.model": "bert"}), "WordPiece"),
        (gguf_file.write({"a": 1}), "`tokenizer.ggml.model` is null"),
        (
            gguf_file.write({"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": "falcon"}),
            '`tokenizer.ggml.pre` is "falcon", and its pattern is not known',
        ),
        (
            gguf_file.write({"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": "gpt-2"}),
            "`tokenizer.ggml.tokens` is null, and should be a list of texts",
        ),
    ],
)
def test_what_is_wrong_is_named(content: bytes, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        formats.parse(content)
    assert said in str(caught.value)


def test_a_pattern_can_be_given_and_a_wrong_one_is_refused(tmp_path: Path) -> None:
    content = tokenizer_of_gguf.render(BY_MERGES).replace(b"gpt-2", b"gpt-9")
    assert formats.parse(content, pattern=r"\w+|\W").pattern == r"\w+|\W"
    path = tmp_path / "x.gguf"
    with pytest.raises(FormatError, match="has no name in llama"):
        formats.write(replace(BY_MERGES, pattern="a+"), path)
    odd = replace(BY_MERGES, tokens=(*BY_MERGES.tokens, (300, b"xyz")), pattern=tokenizer_of_gguf.TEKKEN)
    with pytest.raises(FormatError, match=r"that whole pretokens are looked up first|the merges"):
        formats.write(odd, path)
    formats.write(replace(odd, whole_first=True), path)
    formats.write(replace(BY_MERGES, pattern=tokenizer_of_gguf.TEKKEN), path)
    with pytest.raises(FormatError, match="there are 260 tokens"):
        formats.write(replace(BY_MERGES, specials=(SpecialToken("<x>", 2**32 - 2),)), path)
    with pytest.raises(FormatError, match='are both spelled "th"'):
        formats.write(replace(BY_MERGES, specials=(SpecialToken("th", 300),)), path)


def two_stages(text: str) -> list[str]:
    """Digits alone first, then GPT-2's pattern in each part that is left, as llama.cpp does."""
    parts: list[str] = []
    start = 0
    for at, sign in enumerate(text):
        if sign.isnumeric():
            parts += [text[start:at], sign]
            start = at + 1
    parts.append(text[start:])
    cut = split_by("gpt2")
    return [piece for part in parts if part for piece in cut(part)]


def split_by(pattern: str) -> Callable[[str], list[str]]:
    made = bp.Tokenizer.from_parts(Parts(pattern=bp.PATTERNS.get(pattern, pattern), tokens=BY_MERGES.tokens, merges=()))
    return lambda text: [pretoken.text.decode() for pretoken in made.trace(text).pretokens]


def test_digits_first_in_one_pattern() -> None:
    numbers = random.Random(5)
    cut = split_by(DIGITS)
    for _ in range(3000):
        text = "".join(
            numbers.choices(["a", "'s", "'", " ", "  ", "\n", "1", "²", "-", "é", "3"], k=numbers.randint(1, 12))
        )
        assert cut(text) == two_stages(text), repr(text)
