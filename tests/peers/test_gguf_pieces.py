"""GGUF's SentencePiece kind: files of the `gguf` package, ids of sentencepiece, and of llama.cpp where it is there."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import gguf
import pytest
import sentencepiece

import bytepair as bp
import oracles
import texts
from bytepair import formats
from bytepair.errors import FormatError
from bytepair.formats import gguf_file
from bytepair.parts import SpecialToken

SIGNS = ["a", "the", " ", "  ", "\n", "\t", "é", "日本", "🎉", "▁", "1", "-", "\u00a0", "\x00", "<s>"]


def samples() -> list[str]:
    draw = random.Random(3)
    made = ["".join(draw.choices(SIGNS, k=draw.randint(0, 12))) for _ in range(1500)]
    return made + [texts.sample(language, 3000) for language in ("en", "code", "ru", "ja", "ar")]


def of_package(model: Any, path: Path, **changes: Any) -> Path:
    """The file that the package writes of a model of SentencePiece's, as llama.cpp's converter does."""
    count = model.vocab_size()
    kinds = [
        (model.is_unknown(i) and 2) or (model.is_control(i) and 3) or (model.is_byte(i) and 6) or 1
        for i in range(count)
    ]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([model.id_to_piece(i) for i in range(count)] + changes.get("more", []))
    writer.add_token_scores([model.get_score(i) for i in range(count)] + [-1e4] * len(changes.get("more", [])))
    writer.add_token_types(kinds + [5] * len(changes.get("more", [])))
    if "prefix" in changes:
        writer.add_add_space_prefix(changes["prefix"])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_a_file_of_the_package_gives_the_ids_of_sentencepiece(
    vocabulary_file: oracles.FindFile, tmp_path: Path
) -> None:
    model = sentencepiece.SentencePieceProcessor(model_file=str(vocabulary_file("mistral_v1_spm")))
    tok = bp.load(of_package(model, tmp_path / "x.gguf", more=["[PAD32000]", "[PAD32001]"]))
    assert tok == bp.load(vocabulary_file("mistral_v1_spm"))
    for text in samples():
        assert tok.encode(text) == model.encode(text), repr(text)
    bare = bp.load(of_package(model, tmp_path / "y.gguf", prefix=False))
    assert bare.encode(" the cat") == tok.encode("the cat")


def test_what_is_written_is_read_by_the_package_and_by_us(vocabulary_file: oracles.FindFile, tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    parts = formats.read(vocabulary_file("mistral_v1_spm"))
    formats.write(parts, path)
    assert formats.read(path) == parts
    fields = {key: field.contents() for key, field in gguf.GGUFReader(path).fields.items()}
    assert fields["tokenizer.ggml.model"] == "llama"
    assert fields["tokenizer.ggml.add_space_prefix"] is True
    model = sentencepiece.SentencePieceProcessor(model_file=str(vocabulary_file("mistral_v1_spm")))
    assert fields["tokenizer.ggml.tokens"] == [model.id_to_piece(i) for i in range(model.vocab_size())]
    longer = [i for i in range(259, 32_000) if len(model.id_to_piece(i)) > 1]
    order = sorted(longer, key=lambda i: (-model.get_score(i), i))
    assert sorted(longer, key=lambda i: (-fields["tokenizer.ggml.scores"][i], i)) == order


@pytest.mark.filterwarnings("ignore:`post_processor`:bytepair.FormatWarning")
def test_a_file_of_hugging_face_gives_the_same_ids(vocabulary_file: oracles.FindFile, tmp_path: Path) -> None:
    tok = bp.load(vocabulary_file("mistral_v1"))
    tok.save(tmp_path / "x.gguf", allow_loss=True)
    again = bp.load(tmp_path / "x.gguf")
    for text in samples():
        assert again.encode(text, allowed_special="all") == tok.encode(text, allowed_special="all"), repr(text)


SMALL: dict[str, Any] = {
    "tokenizer.ggml.model": "llama",
    "tokenizer.ggml.tokens": ["<unk>", "a", "b", "ab"],
    "tokenizer.ggml.scores": [0.0, -1.0, -2.0, -3.0],
    "tokenizer.ggml.token_type": [2, 1, 1, 1],
}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"tokens": ["<unk>", "a", "a", "ab"]}, 'tokens[2]` is "a", as [1]'),
        ({"tokens": ["<unk>", "a", "", "ab"]}, 'tokens[2]` is ""'),
        ({"tokens": 7}, "`tokenizer.ggml.tokens` is 7"),
        ({"scores": [0.0, 1.0]}, "`tokenizer.ggml.scores` has 2 items, and there are 4 tokens"),
        ({"scores": [0.0, float("nan"), 0.0, 0.0]}, "scores[1]"),
        ({"scores": [0, 1, 2, 3]}, "scores[0]"),
        ({"token_type": [1, 1, 1, 1]}, "has 0 unknown tokens"),
        ({"token_type": [2, 1, 9, 1]}, 'token_type[2]` is 9, for "b"'),
        ({"token_type": [2, 1, 6, 1]}, 'token_type[2]` is 6, for "b"'),
        ({"token_type": [2, 5, 1, 1]}, "a"),
        ({"tokens": ["<unk>", "<0x0A>", "b", "c"], "token_type": [2, 6, 1, 1]}, "has 1 bytes"),
        ({"add_space_prefix": "yes"}, "add_space_prefix"),
    ],
)
def test_what_is_wrong_is_named(changes: dict[str, Any], said: str) -> None:
    made = SMALL | {f"tokenizer.ggml.{key}": value for key, value in changes.items()}
    with pytest.raises(FormatError) as caught:
        formats.parse(gguf_file.write(made))
    assert said in str(caught.value)


def test_what_llama_cpp_cannot_do_is_refused(tmp_path: Path) -> None:
    parts = formats.parse(gguf_file.write(SMALL))
    for wrong, said in [
        (
            replace(parts, specials=(*parts.specials, SpecialToken("x", 4, special=False, normalized=True))),
            "normalised",
        ),
        (replace(parts, normalizer=replace(parts.normalizer, plain=True)), "normalised"),
        (replace(parts, normalizer=replace(parts.normalizer, before=())), "escapes spaces"),
        (replace(parts, whole_first=True), "looked up first"),
    ]:
        with pytest.raises(FormatError, match=said):
            formats.write(wrong, tmp_path / "x.gguf")
