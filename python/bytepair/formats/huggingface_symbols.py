"""What the symbols of a `tokenizer.json` are: bytes that are spelled, or characters; and what is done to a text before.

The rule of `huggingface_read.py` holds: every field that could change ids is read, or refused by name and value. How
characters are split and decoded stands in `huggingface_characters.py`, normalizers in `huggingface_normalizer.py`;
both are loaded when a file needs them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, Literal

from bytepair.errors import FormatError
from bytepair.formats import byte_alphabet, pattern_stages
from bytepair.formats.pattern_stages import GPT2_PATTERN
from bytepair.formats.strict_json import Field, shown
from bytepair.normalizing import Decoder, Normalizer, Step
from bytepair.parts import MARK

__all__ = ["CLIP_PATTERN", "GPT2_PATTERN", "Symbols", "byte_token", "marked", "read", "words_of_bytes"]

CLIP_PATTERN: Final = r"""'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"""
"""The words of CLIP. GPT-2's pattern, by which `ByteLevel` may split once more, leaves them whole."""

_CLIP: Final = frozenset({CLIP_PATTERN, rf"<\|startoftext\|>|<\|endoftext\|>|{CLIP_PATTERN}"})
_LATER: Final = "files with this are not read; a byte-level BPE without it is"


@dataclass(frozen=True, slots=True)
class Symbols:
    """What the symbols of a file are, and the regular expression that cuts text before they are looked for."""

    alphabet: Literal["bytes", "characters", "unicode"]
    regex: str | None = None
    suffix: str | None = None
    pattern: str | None = None
    """What cuts text, in the engine's syntax, where the file has no regular expression for it."""
    normalizer: Normalizer = field(default_factory=Normalizer)
    decoder: Decoder = field(default_factory=Decoder)
    falls_back: bool = False
    """Whether a character that is no token becomes the tokens of its bytes."""
    plain: bool = False
    """Whether nothing is cut or spelled: symbols are the characters of the whole text. As tokens of bytes that is the
    same only if every token is ASCII, in which a character is a byte."""

    def content(self, key: str) -> bytes | None:
        """The content of a vocabulary's key; None when it is not spelled in this alphabet."""
        if self.plain:
            return key.encode() if key.isascii() else None
        if self.alphabet == "bytes":
            return byte_alphabet.read(key) if self.suffix is None else marked(key, self.suffix)
        if self.falls_back and (byte := byte_token(key)) is not None:
            return MARK + bytes((byte,))
        if self.suffix is not None and key.endswith(self.suffix):
            return key.removesuffix(self.suffix).encode() + MARK
        return key.encode()


def read(root: Field, model: Field) -> Symbols:
    """The symbols of a file.

    Raises:
        FormatError: a normalizer, a pre-tokenizer or a decoder that is not read.
    """
    pre = root.get("pre_tokenizer")
    kind = None if pre.value is None else pre.get("type").string()
    decoder = root.get("decoder")
    suffix = model.get("end_of_word_suffix")
    mark = None if suffix.value is None or suffix.value == "" else suffix.string()
    steps = _read_steps(root.get("normalizer"))
    if kind == "WhitespaceSplit":
        _check_decoder(decoder, "`pre_tokenizer` is WhitespaceSplit", "BPEDecoder", "Fuse")
        return Symbols("characters", suffix=mark, normalizer=Normalizer(steps))
    if mark is not None:
        words = _read_words(pre, mark)
        if decoder.value != words_of_bytes(mark):
            _check_decoder(decoder, "`pre_tokenizer` is ByteLevel", "ByteLevel")
        return Symbols("bytes", regex=words, suffix=mark, normalizer=Normalizer(steps))
    if _is_plain(root, model, kind):
        return Symbols("bytes", plain=True)
    if not _is_byte_level(pre):
        return _read_characters(pre, decoder, model, steps)
    splits, after = _read_byte_level(pre)
    _check_decoder(decoder, "`pre_tokenizer` is ByteLevel", "ByteLevel")
    return Symbols("bytes", regex=splits.regex, pattern=splits.pattern, normalizer=Normalizer(steps, after))


def _read_steps(normalizer: Field) -> tuple[Step, ...]:
    if normalizer.value is None:
        return ()
    from bytepair.formats import huggingface_normalizer  # noqa: PLC0415 - loaded when first needed

    return huggingface_normalizer.read(normalizer)


def _is_plain(root: Field, model: Field, kind: str | None) -> bool:
    """Whether nothing is done to a text, and all tokens are ASCII."""
    if kind is not None or root.get("normalizer").value is not None or model.get("byte_fallback").value:
        return False
    decoder = root.get("decoder")
    if decoder.value is not None and decoder.get("type").value != "Fuse":
        return False
    vocab = model.get("vocab").value
    return model.get("unk_token").value is None and isinstance(vocab, dict) and all(map(str.isascii, vocab))


def _steps_of(pre: Field) -> list[Field]:
    """The pre-tokenizers in sequences, in order."""
    steps: list[Field] = []
    waiting = [] if pre.value is None else [pre]
    while waiting:
        one = waiting.pop()
        if one.get("type").string() == "Sequence":
            waiting += reversed(one.get("pretokenizers").items())
        else:
            steps.append(one)
    return steps


def _is_byte_level(pre: Field) -> bool:
    """Whether a pre-tokenizer spells bytes."""
    return any(step.get("type").value == "ByteLevel" for step in _steps_of(pre))


def byte_token(key: str) -> int | None:
    """The byte that a token means, in a file that falls back to bytes."""
    from bytepair.formats import huggingface_characters  # noqa: PLC0415 - loaded when first needed

    return huggingface_characters.byte_token(key)


def _read_characters(pre: Field, decoder: Field, model: Field, steps: tuple[Step, ...]) -> Symbols:
    """The symbols of a file whose tokens are made of characters, as SentencePiece's are."""
    from bytepair.formats import huggingface_characters as characters  # noqa: PLC0415 - loaded when first needed

    falls_back = model.get("byte_fallback").boolean(default=False)
    read = characters.read_pre_tokenizer(pre, steps)
    return Symbols(
        "unicode",
        regex=read.regex,
        pattern=read.pattern,
        normalizer=Normalizer(steps, read.steps),
        decoder=characters.read_decoder(decoder, falls_back=falls_back),
        falls_back=falls_back,
    )


def _check_decoder(decoder: Field, where: str, *kinds: str) -> None:
    """A decoder, if there is one, must put tokens together as we do where `where` holds."""
    if decoder.value is not None and decoder.get("type").string() not in kinds:
        raise FormatError(f"`decoder` is {_kind(decoder)}, and {where}", _LATER)


def _read_byte_level(pre: Field) -> tuple[pattern_stages.Splits, tuple[Step, ...]]:
    """How a byte-level pre-tokenizer splits, and what it puts before texts.

    It is `ByteLevel`; others that split may stand before it, and behind it, where bytes are spelled.
    """
    steps = _steps_of(pre)
    at = [step.get("type").value for step in steps].index("ByteLevel")
    before, level, behind = steps[:at], steps[at], steps[at + 1 :]
    prefix = level.get("add_prefix_space").boolean(default=True)
    use_regex = level.get("use_regex").boolean(default=True)
    if before and prefix:
        raise FormatError(f"`{level.path}.add_prefix_space` is true after a Split: each part gets a space", _LATER)
    splits = pattern_stages.read(before, last=GPT2_PATTERN if use_regex else None, behind=behind)
    return splits, (Step("prepend_always", (" ",)),) if prefix else ()


def _read_words(pre: Field, mark: str) -> str:
    """The regular expression of the words of a byte-level file with an end-of-word mark, as CLIP's."""
    steps = _steps_of(pre)
    kinds = [step.get("type").string() for step in steps]
    if kinds != ["Split", "ByteLevel"]:
        raise FormatError(
            f"`{pre.path}` is {shown(' + '.join(kinds) or None)}, and `model.end_of_word_suffix` is {shown(mark)}",
            "with such a mark WhitespaceSplit is read, or Split and ByteLevel as CLIP has them",
        )
    split, level = steps
    if level.get("add_prefix_space").boolean(default=True):
        raise FormatError(f"`{level.path}.add_prefix_space` is true after a Split: each part gets a space", _LATER)
    regex = _read_split(split, ("behavior", "Removed"), ("invert", True))
    if not level.get("use_regex").boolean(default=True):
        return regex
    if regex not in _CLIP:
        raise FormatError(f"`{level.path}.use_regex` is true after a Split: that splits twice", _LATER)
    return CLIP_PATTERN


def words_of_bytes(mark: str) -> dict[str, object]:
    """The decoder that makes words of bytes with a mark: a mark is a space, and the last is dropped.

    The files of CLIP have ByteLevel alone, and `transformers` takes the marks out by a class for CLIP.
    """
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    last = {"type": "Replace", "pattern": {"Regex": re.escape(mark) + r"\z"}, "content": ""}
    spaces = {"type": "Replace", "pattern": {"String": mark}, "content": " "}
    return {"type": "Sequence", "decoders": [level, last, spaces]}


def marked(key: str, mark: str) -> bytes | None:
    r"""The content of a key that may end with the mark; None when it is not spelled so, or could be confused.

    >>> marked("Ġa</w>", "</w>"), marked("a", "</w>"), marked("aÿ", "</w>")
    (b' a\xff', b'a', None)
    """
    content = byte_alphabet.read(key.removesuffix(mark))
    if not content or (len(content) > 1 and content.endswith(MARK) and not key.endswith(mark)):
        return None
    return content + MARK if key.endswith(mark) else content


def _read_split(split: Field, *how: tuple[str, object]) -> str:
    """The regular expression of a split that does as `how` says."""
    for key, wanted in how:
        field = split.get(key)
        if field.value != wanted:
            raise FormatError(f"`{field.path}` is {shown(field.value)}, and only {shown(wanted)} is read", _LATER)
    pattern = split.get("pattern")
    if set(pattern.object()) != {"Regex"}:
        raise pattern.wrong('an object with the one key "Regex"', _LATER)
    return pattern.get("Regex").string()


def _kind(field: Field) -> str:
    return shown(field.get("type").value) if isinstance(field.value, dict) else shown(field.value)
