"""The kind "llama" of a GGUF file: SentencePiece's pieces, with scores and types, as llama.cpp runs them.

| `tokenizer.ggml.` | here |
|---|---|
| `tokens`, `scores`, `token_type` | pieces, as in SentencePiece's `.model` (`sentencepiece.py`) |
| `token_type` 5, unused | gaps in the ids, as in the byte-level kind |
| `add_space_prefix`, true if it is missing | a mark is put before a text, and behind each special token |

Two things are llama.cpp's, not SentencePiece's: nothing else is done to a text, whatever the model did; and tokens
that a user defined are found in the text as it is given. What adds special tokens to a text is not kept.

Cost: linear in the pieces, each of which is merged once.
"""

from __future__ import annotations

import math
from typing import Final

from bytepair.errors import FormatError
from bytepair.formats import gguf_file, sentencepiece_write
from bytepair.formats.sentencepiece import Piece, byte_of, parts_of
from bytepair.formats.strict_json import Field, shown
from bytepair.normalizing import Decoder, Normalizer, Step
from bytepair.parts import Parts

__all__ = ["parse", "render"]

_UNKNOWN, _UNUSED, _BYTE = 2, 5, 6
_SPACE: Final = "\u2581"
_DAMAGED: Final = "the file is damaged"
_HINT: Final = "a tokenizer.json holds it"


def parse(metadata: dict[str, Field]) -> Parts:
    """The parts that the metadata describes.

    Raises:
        FormatError: what is damaged, or is not read, with its key and value.
    """
    pieces = _pieces(metadata)
    unknown = [id_ for id_, piece in pieces.items() if piece.kind == _UNKNOWN]
    if len(unknown) != 1:
        raise FormatError(f"`tokenizer.ggml.token_type` has {len(unknown)} unknown tokens (2)", "such a file has one")
    found = sum(piece.kind == _BYTE for piece in pieces.values())
    if found not in (0, 256):
        raise FormatError(f"`tokenizer.ggml.token_type` has {found} bytes (6)", "there are all 256 or none")
    prefix = _of(metadata, "add_space_prefix").boolean(default=True)
    steps = (Step("prepend", (_SPACE,)),) * prefix + (Step("replace", (" ", _SPACE)),)
    return parts_of(pieces, Normalizer(steps), Decoder(_SPACE, int(prefix)))


def _of(metadata: dict[str, Field], name: str) -> Field:
    key = f"tokenizer.ggml.{name}"
    return metadata.get(key, Field(None, key))


def _pieces(metadata: dict[str, Field]) -> dict[int, Piece]:
    """The pieces by their ids, without those that are not used."""
    texts, scores, types = (_list(_of(metadata, name)) for name in ("tokens", "scores", "token_type"))
    for name, found in (("scores", scores), ("token_type", types)):
        if len(found) != len(texts):
            raise FormatError(
                f"`tokenizer.ggml.{name}` has {len(found)} items, and there are {len(texts)} tokens", _DAMAGED
            )
    pieces: dict[int, Piece] = {}
    seen: dict[str, int] = {}
    for id_, (text, score, kind) in enumerate(zip(texts, scores, types, strict=True)):
        if kind == _UNUSED:
            continue
        if not isinstance(text, str) or not text or seen.setdefault(text, id_) != id_:
            before = f", as [{seen[text]}]" if isinstance(text, str) and text else ""
            raise FormatError(
                f"`tokenizer.ggml.tokens[{id_}]` is {shown(text)}{before}", "each token has a text of its own"
            )
        if not isinstance(score, float) or math.isnan(score):
            raise FormatError(f"`tokenizer.ggml.scores[{id_}]` is {shown(score)}", "scores are numbers")
        if kind not in (1, 2, 3, 4, 6) or (kind == _BYTE and byte_of(text) is None):
            raise FormatError(f"`tokenizer.ggml.token_type[{id_}]` is {shown(kind)}, for {shown(text)}", _DAMAGED)
        pieces[id_] = Piece(text, score, kind)
    return pieces


def _list(field: Field) -> list[object]:
    if not isinstance(field.value, list):
        raise field.wrong("a list")
    return field.value


def render(parts: Parts) -> bytes:
    """The content of a file with these tokens as pieces, and no tensors.

    Raises:
        FormatError: what pieces and llama.cpp cannot say, with the reason.
    """
    if parts.normalizer.plain:
        raise FormatError("special tokens are found in normalised texts; llama.cpp looks in texts as they are", _HINT)
    prefix = sentencepiece_write.prefixes(parts)
    pieces = sentencepiece_write.pieces_of(parts, as_they_are=True)
    return gguf_file.write(
        {
            "general.architecture": "llama",
            "general.type": "vocab",
            "tokenizer.ggml.model": "llama",
            "tokenizer.ggml.pre": "default",
            "tokenizer.ggml.tokens": [text for text, _, _ in pieces],
            "tokenizer.ggml.scores": [score for _, score, _ in pieces],
            "tokenizer.ggml.token_type": [kind for _, _, kind in pieces],
            "tokenizer.ggml.unknown_token_id": parts.unknown or 0,
            "tokenizer.ggml.add_bos_token": False,
            "tokenizer.ggml.add_eos_token": False,
            "tokenizer.ggml.add_space_prefix": prefix,
        }
    )
