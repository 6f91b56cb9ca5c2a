"""The table of formats: their names, where their code is, and how a file of each is recognised.

A file is recognised by its content when it is read, by its name when it is written. Another format is another row here
and another file of code, which has `parse` (content and what the caller may say -> parts; for JSON also `read`, which
takes the document) and `render` (parts -> content).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePath
from types import ModuleType
from typing import Final, Literal, TypeAlias

from bytepair.errors import FormatError
from bytepair.formats.strict_json import BYTE_ORDER_MARK, Field, load

__all__ = ["KINDS", "Format", "Kind", "by_name", "is_compressed", "known", "named", "recognise"]

_File: TypeAlias = Literal[
    "huggingface", "tiktoken", "gpt2", "tekken", "minbpe", "sentencepiece", "subword-nmt", "fastbpe", "gguf", "clip"
]
Format: TypeAlias = _File | Literal["transformers"]
"""The names of the formats."""

_PAIR: Final = r"(.*[-_.])?(vocab\.json|merges\.txt)|encoder\.json|vocab\.bpe"


@dataclass(frozen=True, slots=True)
class Kind:
    """A format."""

    name: _File
    module: str
    """Where `parse` and `render` are."""
    what: str
    """What a file of it is called."""
    file: str
    """What names such a file has when it is written, as a regular expression."""
    said: frozenset[str] = frozenset()
    """What the caller may say when a file is read; the rest stands in the file."""
    must: frozenset[str] = frozenset()
    """What of it the caller has to say."""
    exact: bool = False
    """Whether every tokenizer can be held, which then need not be shown by reading back."""

    @property
    def code(self) -> ModuleType:
        """The module."""
        return import_module(f"bytepair.formats.{self.module}")


_NO_NAME: Final = r"(?!)"
_ALL: Final = frozenset({"pattern", "special_tokens"})
_SPECIALS: Final = frozenset({"special_tokens"})

KINDS: Final = (
    Kind("tekken", "tekken", "a tekken.json", r"tekken.*\.json"),
    Kind("gpt2", "gpt2", "a pair of vocab.json and merges.txt", _PAIR, _ALL),
    Kind("huggingface", "huggingface", "a tokenizer.json", r".*\.json", exact=True),
    Kind("tiktoken", "tiktoken", "a rank file", r".*\.tiktoken", _ALL, must=frozenset({"pattern"})),
    Kind("minbpe", "minbpe", "a minbpe .model", _NO_NAME),
    Kind("sentencepiece", "sentencepiece", "a SentencePiece .model", r".*\.model"),
    Kind("gguf", "gguf", "a GGUF file", r".*\.gguf", frozenset({"pattern"})),
    Kind("clip", "clip", "the merges of CLIP", r"bpe_simple_vocab.*\.txt", _SPECIALS),
    Kind("fastbpe", "fastbpe", "codes of fastBPE", _NO_NAME, _SPECIALS),
    Kind("subword-nmt", "subword_nmt", "codes of subword-nmt", r".*\.codes", _SPECIALS),
)
"""All of them; of two that a name fits, the first is meant."""

_GZIP: Final = b"\x1f\x8b"


def names() -> str:
    """The names, for a hint."""
    quoted = [f'"{kind.name}"' for kind in KINDS] + ['"transformers"']
    return " or ".join([", ".join(quoted[:-1]), quoted[-1]])


def known(name: Format) -> Kind:
    """The format of a name.

    Raises:
        FormatError: there is none.
    """
    found = next((kind for kind in KINDS if kind.name == name), None)
    if found is None:
        raise FormatError(f"the format is {name!r}", f"it is {names()}")
    return found


def by_name(path: str) -> Kind:
    """The format that a file of this name is written in.

    Raises:
        FormatError: none.
    """
    name = PurePath(path)
    found = next((kind for kind in KINDS if re.fullmatch(kind.file, name.name.lower())), None)
    if found is None:
        suffix = name.suffix.lower()
        raise FormatError(
            f"{path}: the extension {suffix!r} is that of no format"
            if suffix
            else f"the name {path!r} has no extension, which would tell the format",
            f"name it .json for a tokenizer.json, .tiktoken for a rank file, or give format={names()}",
        )
    return found


def recognise(data: bytes) -> tuple[Kind, Field | None]:
    """The format of a file's content, and the document if it is JSON, which has then been read.

    Raises:
        FormatError: it is none that is read; JSON that is damaged.
    """
    hint = f"if it is of one of these formats, name it with format=: {names()}"
    if is_compressed(data) and not known("clip").code.looks_like(data):
        raise FormatError("it is compressed with gzip", "unpack it first (`gunzip`)")
    start = data[:65536].removeprefix(BYTE_ORDER_MARK).lstrip(b" \t\r\n")
    if start.startswith(b"{"):
        root = load(data)
        return known(_of_keys(root)), root
    for kind in KINDS:
        looks_like: Callable[[bytes], bool] | None = getattr(kind.code, "looks_like", None)
        if looks_like is not None and looks_like(data):
            return kind, None
    if not data:
        raise FormatError("it is empty", hint)
    raise FormatError(f"it begins with {data[:16]!r}, which is no format that is read", hint)


def is_compressed(data: bytes) -> bool:
    """Whether the content is gzip's."""
    return data.startswith(_GZIP)


def named(data: bytes, name: Format) -> tuple[Kind, Field | None]:
    """As `recognise`, where the caller says what it is."""
    kind = known(name)
    return kind, load(data) if hasattr(kind.code, "read") else None


def _of_keys(root: Field) -> Format:
    """The format of a JSON object, by its keys."""
    document = root.object()
    if isinstance(document.get("config"), dict) and isinstance(document.get("vocab"), list):
        return "tekken"
    if document and all(type(value) is int for value in document.values()):
        return "gpt2"
    return "huggingface"
