"""Small files of every format, and tokenizers of the kinds that each can hold."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import bytepair as bp
from bytepair import formats
from bytepair.formats import clip
from bytepair.formats.kinds import Format
from bytepair.normalizing import Decoder, Normalizer, Step
from bytepair.parts import MARK, Parts, SpecialToken

BYTES = tuple((byte, bytes([byte])) for byte in range(256))
MERGED = (*BYTES, (256, b"th"), (257, b"the"), (258, b" the"))
SPECIAL = SpecialToken("<|end|>", 259)
BY_MERGES = Parts(
    pattern=bp.PATTERNS["gpt2"],
    tokens=MERGED,
    merges=((116, 104), (256, 101), (32, 257)),
    specials=(SPECIAL,),
)
BY_RANKS = replace(BY_MERGES, merges=None, whole_first=True)
SLOTS = Parts(
    pattern=bp.PATTERNS["o200k"],
    tokens=tuple((id_ + 2, content) for id_, content in MERGED),
    merges=None,
    whole_first=True,
    specials=(SpecialToken("<unk>", 0), SpecialToken("<|end|>", 1, special=False)),
)
JOINED = Parts(
    alphabet="characters",
    end_of_word="</w>",
    end_of_word_joined=True,
    tokens=((0, b"l"), (1, b"l" + MARK), (2, b"o"), (3, b"o" + MARK), (4, b"lo"), (5, b"lol" + MARK)),
    merges=((0, 2), (4, 1)),
)
CLIP = clip.parse(b"bpe_simple_vocab#version: 0.2\nt h\nth e</w>\n\xc3\x83 \xc2\xa9</w>\n")
ALONE = Parts(
    alphabet="characters",
    end_of_word="</w>",
    tokens=((0, MARK), (1, b"l"), (2, b"o"), (3, b"lo"), (4, b"lo" + MARK)),
    merges=((1, 2), (3, 0)),
)
PIECES = Parts(
    alphabet="unicode",
    tokens=(
        *((byte + 3, MARK + bytes((byte,))) for byte in range(256)),
        *((id_, text.encode()) for id_, text in enumerate(("▁", "a", "b", "▁a", "▁ab"), 259)),
    ),
    merges=((259, 260), (262, 261)),
    specials=(SpecialToken("<unk>", 0), SpecialToken("<s>", 1), SpecialToken("</s>", 2)),
    unknown=0,
    fuse_unknown=True,
    normalizer=Normalizer((Step("prepend", ("▁",)), Step("replace", (" ", "▁")))),
    decoder=Decoder("▁", 1),
)


@dataclass(frozen=True)
class Example:
    """A tokenizer that a format holds exactly, and what has to be said to read it."""

    format: Format
    parts: Parts
    name: str
    said: dict[str, Any] = field(default_factory=dict)


RANK_OPTIONS = {"pattern": BY_RANKS.pattern, "special_tokens": {"<|end|>": 259}}
EXAMPLES = (
    Example("huggingface", BY_MERGES, "tokenizer.json"),
    Example("tiktoken", BY_RANKS, "x.tiktoken", RANK_OPTIONS),
    Example("gpt2", BY_MERGES, "vocab.json"),
    Example("tekken", SLOTS, "tekken.json"),
    Example("gguf", BY_MERGES, "x.gguf"),
    Example("clip", CLIP, "bpe_simple_vocab.txt"),
    Example("minbpe", BY_MERGES, "x.model"),
    Example("sentencepiece", PIECES, "x.spm.model"),
    Example("subword-nmt", JOINED, "x.codes"),
    Example("subword-nmt", ALONE, "y.codes"),
    Example("fastbpe", JOINED, "fast"),
)
IDS = [f"{example.format}-{example.name}" for example in EXAMPLES]


def written(example: Example, folder: Path) -> Path:
    """The path of the example's file."""
    path = folder / example.name
    formats.write(example.parts, path, example.format, allow_loss=example.format == "tiktoken")
    return path


def texts_of(folder: Path) -> dict[str, bytes]:
    """The contents of all files."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def as_json(value: object) -> bytes:
    """A document."""
    return json.dumps(value).encode()
