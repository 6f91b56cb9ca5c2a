"""Which encoding a model of OpenAI's uses: by its name, or by what its name begins with, as tiktoken 0.14 has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bytepair.compat.tiktoken.encoding import Encoding
from bytepair.compat.tiktoken.registry import get_encoding

__all__ = ["MODEL_PREFIX_TO_ENCODING", "MODEL_TO_ENCODING", "encoding_for_model", "encoding_name_for_model"]

_PREFIXES: Final = {
    "o200k_base": ("o1-", "o3-", "o4-mini-", "gpt-5", "gpt-4.5-", "gpt-4.1-", "chatgpt-4o-", "gpt-4o-"),
    "cl100k_base": ("gpt-4-", "gpt-3.5-turbo-", "gpt-35-turbo-"),
    "o200k_harmony": ("gpt-oss-",),
}
_TUNED: Final = {
    "ft:gpt-4o": "o200k_base",
    **dict.fromkeys(("ft:gpt-4", "ft:gpt-3.5-turbo", "ft:davinci-002", "ft:babbage-002"), "cl100k_base"),
}
_SIZES: Final = ("davinci", "curie", "babbage", "ada")
_MODELS: Final = {
    "o200k_base": ("o1", "o3", "o4-mini", "gpt-5", "gpt-4.1", "gpt-4o"),
    "cl100k_base": (
        *("gpt-4", "gpt-3.5-turbo", "gpt-3.5", "gpt-35-turbo", "davinci-002", "babbage-002"),
        *("text-embedding-ada-002", "text-embedding-3-small", "text-embedding-3-large"),
    ),
    "p50k_base": (
        *("text-davinci-003", "text-davinci-002", "davinci-codex", "cushman-codex"),
        *(f"code-{size}-{version}" for size in ("davinci", "cushman") for version in ("002", "001")),
    ),
    "p50k_edit": ("text-davinci-edit-001", "code-davinci-edit-001"),
    "r50k_base": (
        *(f"text-{size}-001" for size in _SIZES),
        *_SIZES,
        *(f"text-similarity-{size}-001" for size in _SIZES),
        *(f"text-search-{size}-doc-001" for size in _SIZES),
        *(f"code-search-{size}-code-001" for size in ("babbage", "ada")),
    ),
    "gpt2": ("gpt2", "gpt-2"),
}

MODEL_PREFIX_TO_ENCODING: Final[Mapping[str, str]] = {
    prefix: encoding for encoding, prefixes in _PREFIXES.items() for prefix in prefixes
} | _TUNED
"""What a model's name begins with -> its encoding; the first that fits counts."""

MODEL_TO_ENCODING: Final[Mapping[str, str]] = {
    model: encoding for encoding, models in _MODELS.items() for model in models
}
"""A model's name -> its encoding."""


def encoding_name_for_model(model_name: str) -> str:
    """The name of a model's encoding.

    Raises:
        KeyError: no encoding is known for this name.

    >>> encoding_name_for_model("gpt-4o-2024-05-13")
    'o200k_base'
    """
    if model_name in MODEL_TO_ENCODING:
        return MODEL_TO_ENCODING[model_name]
    for prefix, encoding in MODEL_PREFIX_TO_ENCODING.items():
        if model_name.startswith(prefix):
            return encoding
    raise KeyError(
        f"Could not automatically map {model_name} to a tokeniser. "
        "Please use `get_encoding` to explicitly get the tokeniser you expect."
    )


def encoding_for_model(model_name: str) -> Encoding:
    """A model's encoding.

    Raises:
        KeyError: no encoding is known for this name.
        UnavailableError: as `get_encoding`.
    """
    return get_encoding(encoding_name_for_model(model_name))
