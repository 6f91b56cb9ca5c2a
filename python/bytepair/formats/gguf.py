r"""GGUF, llama.cpp's file: the tokenizer in its metadata (`gguf_file.py`).

Read are SentencePiece's kind (`gguf_pieces.py`), and byte-level BPE tokenizers (`tokenizer.ggml.model` is "gpt2"):
tokens in the byte alphabet, their types, merges. The pattern stands there by a name, `tokenizer.ggml.pre`; `_GROUPS`
says what the names mean. llama.cpp cuts with adaptations of these patterns, which differ from them on a few rare
characters. With some of the names whole pretokens are looked up first.

Ids are places in the list, so gaps are filled with tokens of the type "unused", `[PAD7]`, which are gaps again when
they are read. Control tokens are special ones; tokens that a user defined are added ones.

Written is a file with the tokenizer and no tensors. What it cannot hold: a pattern without a name there, a look-up that
the name does not mean, flags of special tokens.

Cost: linear in the metadata.
"""

from __future__ import annotations

from typing import Final, cast

from bytepair.arguments import LEFT_OUT, LeftOut
from bytepair.errors import FormatError
from bytepair.formats import byte_alphabet, gguf_file
from bytepair.formats.huggingface_read import GPT2_PATTERN, read_merges
from bytepair.formats.pattern_stages import DIGITS
from bytepair.formats.ranks import merges_of_ranks
from bytepair.formats.strict_json import Field, shown
from bytepair.parts import Parts, SpecialToken

__all__ = ["TEKKEN", "looks_like", "parse", "render"]

TEKKEN: Final = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_GROUPS: Final = (
    ("gpt2", False, "gpt-2 phi-2 jina-es jina-de jina-v1-en jina-v2-es jina-v2-de jina-v2-code roberta-bpe gigachat"),
    ("gpt2", False, "mpt olmo jais"),
    ("llama3", True, "llama-bpe llama3 llama-v3 falcon3 falcon-h1 pixtral midm-2.0 lfm2"),
    ("llama3", False, "dbrx smaug-bpe"),
    ("qwen2", False, "qwen2 stablelm2 deepseek-r1-qwen megrez"),
    ("o200k", False, "gpt-4o llama4"),
    (TEKKEN, True, "tekken"),
    (DIGITS, False, "starcoder refact command-r smollm codeshell exaone minerva-7b"),
)
_NAMED: Final = {name: (pattern, first) for pattern, first, names in _GROUPS for name in names.split()}
"""What `tokenizer.ggml.pre` means: a pattern or the preset, and whether whole pretokens are looked up first. Of names
that mean the same, the first is written."""

_NORMAL, _CONTROL, _USER, _UNUSED = 1, 3, 4, 5
_OTHER: Final = {
    "bert": "WordPiece, another algorithm",
    "t5": "Unigram, another algorithm",
    "rwkv": "another algorithm",
}


def looks_like(data: bytes) -> bool:
    r"""Whether the content is that of a GGUF file.

    >>> looks_like(b"GGUF\\x03\\x00\\x00\\x00")
    True
    """
    return data.startswith(gguf_file.MAGIC)


def parse(data: bytes, *, pattern: str | LeftOut | None = LEFT_OUT) -> Parts:
    """Reads the content of a GGUF file, or its beginning.

    Args:
        data: the content.
        pattern: the regular expression, for a file that names one which is not known here.

    Raises:
        FormatError: what is damaged, or is not read, with its key and value.
    """
    metadata = {key: Field(value, key) for key, value in gguf_file.read(data).items()}
    model = _of(metadata, "model").string()
    if model == "llama":
        from bytepair.formats import gguf_pieces  # noqa: PLC0415 - loaded when first needed

        return gguf_pieces.parse(metadata)
    if model != "gpt2":
        raise FormatError(
            f"`tokenizer.ggml.model` is {shown(model)}",
            f'"gpt2" and "llama" are read; that is {_OTHER.get(model, "another kind")}',
        )
    name = _of(metadata, "pre").value
    known = _NAMED.get(name) if isinstance(name, str) else None
    if known is None and isinstance(pattern, LeftOut):
        raise FormatError(
            f"`tokenizer.ggml.pre` is {shown(name)}, and its pattern is not known here",
            f"give `pattern=`; known are {', '.join(_NAMED)}",
        )
    texts = cast(list[str], _list(_of(metadata, "tokens"), str))
    kinds = _of(metadata, "token_type")
    types = [_NORMAL] * len(texts) if kinds.value is None else cast(list[int], _list(kinds, int))
    if len(types) != len(texts):
        raise FormatError(
            f"`tokenizer.ggml.token_type` has {len(types)} items, and there are {len(texts)} tokens", "it is damaged"
        )
    tokens, specials = _tokens(texts, types)
    ids = {texts[id_]: id_ for id_, _ in tokens}
    meant, first = known or (None, False)
    return Parts(
        pattern=_spelled(meant) if isinstance(pattern, LeftOut) else pattern,
        tokens=tokens,
        merges=read_merges(_of(metadata, "merges"), ids).pairs,
        whole_first=first,
        specials=specials,
    )


def render(parts: Parts) -> bytes:
    """Writes the content of a GGUF file with a tokenizer and no tensors.

    Raises:
        FormatError: characters in place of bytes; a pattern that llama.cpp has no name for; a special token that is
            spelled like another.
    """
    if parts.alphabet == "unicode":
        from bytepair.formats import gguf_pieces  # noqa: PLC0415 - loaded when first needed

        return gguf_pieces.render(parts)
    if parts.alphabet != "bytes":
        raise FormatError(
            "llama.cpp's BPE is one of bytes, and these tokens are characters", "save it as tokenizer.json"
        )
    name = _name(parts)
    spelled = {id_: (byte_alphabet.spell(content), _NORMAL) for id_, content in parts.tokens}
    merges = merges_of_ranks(parts.tokens) if parts.merges is None else parts.merges
    lines = [f"{spelled[left][0]} {spelled[right][0]}" for left, right in merges]
    spelled |= {special.id: (special.content, _CONTROL if special.special else _USER) for special in parts.specials}
    last = max(spelled, default=-1)
    if last > 4 * len(spelled) + 65_536:
        raise FormatError(
            f"the highest id is {last}, and there are {len(spelled)} tokens",
            "every gap would be filled: close them first",
        )
    rows = [spelled.get(id_, (f"[PAD{id_}]", _UNUSED)) for id_ in range(last + 1)]
    seen: dict[str, int] = {}
    for id_, (text, _) in enumerate(rows):
        if seen.setdefault(text, id_) != id_:
            raise FormatError(
                f"the tokens of the ids {seen[text]} and {id_} are both spelled {shown(text)}",
                "save it as tokenizer.json",
            )
    return gguf_file.write(
        {
            "general.architecture": "gpt2",
            "general.type": "vocab",
            "tokenizer.ggml.model": "gpt2",
            "tokenizer.ggml.pre": name,
            "tokenizer.ggml.tokens": [text for text, _ in rows],
            "tokenizer.ggml.token_type": [kind for _, kind in rows],
            "tokenizer.ggml.merges": lines,
            "tokenizer.ggml.add_bos_token": False,
            "tokenizer.ggml.add_eos_token": False,
        }
    )


def _name(parts: Parts) -> str:
    """What llama.cpp calls the pattern and the look-up."""
    found = [(first, name) for name, (pattern, first) in _NAMED.items() if _spelled(pattern) == _known(parts.pattern)]
    if not found:
        raise FormatError(
            f"the pattern {shown(parts.pattern)} has no name in llama.cpp",
            "it knows patterns by name; save it as tokenizer.json",
        )
    # Where only the other kind of look-up has a name, it is seen by reading back whether that gives other ids.
    return next((name for first, name in found if first == parts.whole_first), found[0][1])


def _known(pattern: str | None) -> str | None:
    """The pattern; GPT-2's is spelled in two ways."""
    return _spelled("gpt2") if pattern == GPT2_PATTERN else pattern


def _spelled(pattern: str | None) -> str | None:
    """The regular expression of a preset; any other as it is."""
    from bytepair.patterns import resolve  # noqa: PLC0415 - loaded when first needed

    return resolve(pattern)


def _of(metadata: dict[str, Field], name: str) -> Field:
    key = f"tokenizer.ggml.{name}"
    return metadata.get(key, Field(None, key))


def _list(field: Field, kind: type) -> list[object]:
    if not isinstance(field.value, list) or not all(type(item) is kind for item in field.value):
        raise field.wrong("a list of texts" if kind is str else "a list of integers")
    return field.value


def _tokens(texts: list[str], types: list[int]) -> tuple[tuple[tuple[int, bytes], ...], tuple[SpecialToken, ...]]:
    """The tokens and the special ones."""
    tokens: list[tuple[int, bytes]] = []
    specials: list[SpecialToken] = []
    seen: dict[str, int] = {}
    for id_, (text, kind) in enumerate(zip(texts, types, strict=True)):
        if kind == _UNUSED:
            continue
        if seen.setdefault(text, id_) != id_ or not text:
            raise FormatError(
                f"`tokenizer.ggml.tokens[{id_}]` is {shown(text)}" + (f", as [{seen[text]}]" if text else ""),
                "each token has a text of its own; the file is damaged",
            )
        if kind in (_CONTROL, _USER):
            specials.append(SpecialToken(text, id_, special=kind == _CONTROL))
            continue
        content = byte_alphabet.read(text)
        if content is None or kind != _NORMAL:
            raise FormatError(
                f"`tokenizer.ggml.tokens[{id_}]` is {shown(text)}, of the type {kind}",
                "normal tokens (1) are spelled in the byte alphabet; types 3 to 5 are read, too",
            )
        tokens.append((id_, content))
    return tuple(tokens), tuple(specials)
