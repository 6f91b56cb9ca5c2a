"""Encodings by name, each made once."""

from __future__ import annotations

import threading

from bytepair.compat.tiktoken.encoding import Encoding
from bytepair.formats.published import ENCODINGS
from bytepair.getting import get

__all__ = ["get_encoding", "list_encoding_names"]

_NAMES = tuple(name for name in ENCODINGS if not name.startswith("tekken"))
_OTHERS = {"o200k_harmony": {"<|reserved_200018|>": 200018}}
"""Second names of special tokens, which a tokenizer cannot have."""
_lock = threading.Lock()
_made: dict[str, Encoding] = {}


def get_encoding(encoding_name: str) -> Encoding:
    """The encoding with this name; the same object each time.

    Raises:
        ValueError: no encoding has this name, or it is no str.
        UnavailableError: its file is not on this machine; it says where to put it. That is a ValueError too.
    """
    if not isinstance(encoding_name, str):
        raise ValueError(f"Expected a string in get_encoding, got {type(encoding_name)}")  # noqa: TRY004 - as tiktoken
    if encoding_name not in _NAMES:
        raise ValueError(f"Unknown encoding {encoding_name}.\nhint: there are {', '.join(_NAMES)}")
    with _lock:
        if encoding_name not in _made:
            _made[encoding_name] = Encoding.of(get(encoding_name), encoding_name, _OTHERS.get(encoding_name))
        return _made[encoding_name]


def list_encoding_names() -> list[str]:
    """The names that `get_encoding` knows.

    >>> list_encoding_names()
    ['gpt2', 'r50k_base', 'p50k_base', 'p50k_edit', 'cl100k_base', 'o200k_base', 'o200k_harmony']
    """
    return list(_NAMES)
