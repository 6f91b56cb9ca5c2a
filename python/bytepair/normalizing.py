"""What is done to a text before it is split, and what decoding undoes of it, as plain data.

The engine does the work (`crates/bytepair/src/normalize`); the formats read files into these and write files from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from bytepair.errors import VocabularyError

__all__ = ["Decoder", "Kind", "Normalizer", "Step"]

Kind: TypeAlias = Literal[
    "nfc",
    "nfd",
    "nfkc",
    "nfkd",
    "lowercase",
    "strip",
    "strip_accents",
    "nmt",
    "replace",
    "replace_pattern",
    "prepend",
    "prepend_always",
    "prepend_first",
    "precompiled",
    "sentencepiece",
]

_Plain: TypeAlias = tuple[str, list[str], list[bool], bytes]

_TEXTS = {"replace": 2, "replace_pattern": 2, "prepend": 1, "prepend_always": 1, "prepend_first": 1}
_FLAGS = {"strip": 2, "sentencepiece": 4}


@dataclass(frozen=True, slots=True)
class Step:
    """One step.

    | kind | texts | flags |
    |---|---|---|
    | `nfc`, `nfd`, `nfkc`, `nfkd`: a form of Unicode's | | |
    | `lowercase`: character by character | | |
    | `strip`: white space | | left, right |
    | `strip_accents`: combining marks are taken away | | |
    | `nmt`: control characters are taken away, some others become spaces | | |
    | `replace`: a text by another | old, new | |
    | `replace_pattern`: what a pattern matches by a text | pattern, new | |
    | `prepend`: a mark before every text that is not empty | mark | |
    | `prepend_always`: the same, unless the text begins with it | mark | |
    | `prepend_first`: the same, at the beginning of the whole text alone | mark | |
    | `precompiled`: SentencePiece's table as Hugging Face applies it | | |
    | `sentencepiece`: all that SentencePiece does | protected texts | add_dummy_prefix, remove_extra_whitespaces, \
escape_whitespaces, treat_whitespace_as_suffix |

    >>> Step("replace", (" ", "_")).texts
    (' ', '_')

    Raises:
        VocabularyError: an unknown kind; too few or too many texts or flags; an empty text to look for.
    """

    kind: Kind
    texts: tuple[str, ...] = ()
    flags: tuple[bool, ...] = ()
    charsmap: bytes = b""
    """The table of `precompiled` and `sentencepiece`."""

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise VocabularyError(f"{self.kind!r} is no step of a normalizer", f"it is one of {get_args(Kind)}")
        texts = len(self.texts) if self.kind == "sentencepiece" else _TEXTS.get(self.kind, 0)
        if len(self.texts) != texts or len(self.flags) != _FLAGS.get(self.kind, 0):
            raise VocabularyError(
                f"the step {self.kind!r} has {len(self.texts)} texts and {len(self.flags)} flags",
                f"it has {texts} and {_FLAGS.get(self.kind, 0)}",
            )
        if texts and self.texts[0] == "":
            raise VocabularyError(f"the step {self.kind!r} has an empty text", "leave the step out")

    def plain(self) -> _Plain:
        """As the engine takes it."""
        return self.kind, list(self.texts), list(self.flags), self.charsmap


@dataclass(frozen=True, slots=True)
class Normalizer:
    """The steps.

    >>> bool(Normalizer()), bool(Normalizer((Step("nfc"),)))
    (False, True)
    """

    before: tuple[Step, ...] = ()
    """What applies between the special tokens that are found in the text as it is."""
    after: tuple[Step, ...] = ()
    """What applies then between those that are `normalized`, and found in what the first steps made."""
    plain: bool = False
    """Whether these are looked for as they are; if not, as the first steps make them."""

    def __bool__(self) -> bool:
        return bool(self.before or self.after)

    def packed(self) -> tuple[list[_Plain], list[_Plain], bool]:
        """As the engine takes it."""
        return [step.plain() for step in self.before], [step.plain() for step in self.after], self.plain


@dataclass(frozen=True, slots=True)
class Decoder:
    """What decoding undoes of a normalisation."""

    space: str | None = None
    """What stands for a space in tokens."""
    strip: int = 0
    """How many spaces are dropped at the start of the text."""
