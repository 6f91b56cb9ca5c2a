"""Tokenizers of other libraries -> ours: `from_tiktoken` and `from_huggingface`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from bytepair import formats
from bytepair.compat.tiktoken.encoding import decoded, ranked
from bytepair.errors import FormatWarning
from bytepair.formats import json_lines
from bytepair.formats.strict_json import load as load_json
from bytepair.parts import Parts, SpecialToken
from bytepair.tokenizer import Tokenizer, load
from bytepair.told import tell

__all__ = ["from_huggingface", "from_tiktoken"]


class TiktokenEncoding(Protocol):
    """What is read of tiktoken's `Encoding`."""

    @property
    def _pat_str(self) -> str | None: ...
    @property
    def _mergeable_ranks(self) -> Mapping[bytes, int]: ...
    @property
    def _special_tokens(self) -> Mapping[str, int]: ...


def from_tiktoken(encoding: TiktokenEncoding) -> Tokenizer:
    """The tokenizer that an `Encoding` of tiktoken's is.

    Args:
        encoding: tiktoken's, or one of `bytepair.compat.tiktoken`.

    Raises:
        TypeError: it is no such thing.
        BytepairError: as `Tokenizer.from_parts`.

    Warns:
        FormatWarning: two special tokens have one id, and one of them is left out; a token of no bytes, which is.

    >>> from bytepair.compat.tiktoken import Encoding
    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256}
    >>> encoding = Encoding("tiny", pat_str="[a-z]+|[^a-z]+", mergeable_ranks=ranks, special_tokens={"<|end|>": 257})
    >>> from_tiktoken(encoding)
    <Tokenizer 258 tokens, pattern "[a-z]+|[^a-z]+", 1 special>
    """
    try:
        pattern = encoding._pat_str  # noqa: SLF001 - its manual shows these names
        ranks, specials = encoding._mergeable_ranks, encoding._special_tokens  # noqa: SLF001
    except AttributeError:
        kind = type(encoding).__name__
        raise TypeError(f"the encoding is of type `{kind}`\nhint: pass a tiktoken.Encoding") from None
    names = decoded(specials)
    for content, id in specials.items():
        if names[id] != content:
            what = f"the special tokens {names[id]!r} and {content!r} both have the id {id}"
            tell(FormatWarning, what, f"{names[id]!r} has it here; bytepair.compat.tiktoken.Encoding knows both")
    return Tokenizer.from_parts(
        Parts(
            pattern=pattern,
            tokens=ranked(ranks),
            merges=None,
            whole_first=True,
            specials=tuple(SpecialToken(content, id) for id, content in names.items()),
        )
    )


def from_huggingface(tokenizer: Any) -> Tokenizer:  # noqa: ANN401 - classes of two libraries
    """The tokenizer that an object of `tokenizers` or `transformers` is, read as its own file is read.

    Args:
        tokenizer: a `tokenizers.Tokenizer`, a fast tokenizer of `transformers`, or a slow one, which is saved into a
            folder for a moment.

    Raises:
        TypeError: it is no such thing.
        FormatError: it holds what is not read, which is named.

    Warns:
        FormatWarning: it truncates or pads each text, or adds special tokens to it; `encode` here never does.
    """
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if hasattr(backend, "to_str"):
        # What transformers set for its last call belongs to that call.
        return _of_file(backend.to_str().encode(), is_told=backend is tokenizer)
    if hasattr(tokenizer, "save_pretrained"):
        with TemporaryDirectory() as folder:
            tokenizer.save_pretrained(folder)
            return load(Path(folder))
    kind = type(tokenizer).__name__
    raise TypeError(f"the tokenizer is of type `{kind}`\nhint: pass one of tokenizers or transformers")


def _of_file(content: bytes, *, is_told: bool) -> Tokenizer:
    """Reads a `tokenizer.json`, in which truncation and padding may be set."""
    root = load_json(content).object()
    for key in ("truncation", "padding"):
        if root.get(key) is not None and is_told:
            what = f"the tokenizer has {key} switched on"
            tell(FormatWarning, what, "here that is an option of a call: see as_huggingface")
    document = {**root, "truncation": None, "padding": None}
    return Tokenizer.from_parts(formats.parse(json_lines.dump(document), format="huggingface"))
