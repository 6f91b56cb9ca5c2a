"""What a tokenizer is, as plain data: the door between tokenizers and files.

`Tokenizer.parts` takes a tokenizer apart and `Tokenizer.from_parts` puts one together; the formats read files into
parts and write parts into files, without a tokenizer. The constructor checks the shape of the data;
whether tokens, merges and special tokens agree is checked once, when a tokenizer is made of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast

from bytepair.errors import VocabularyError
from bytepair.normalizing import Decoder, Kind, Normalizer, Step

__all__ = ["MARK", "MAX_ID", "Around", "Parts", "Special", "SpecialToken", "TrainingRecord", "around", "unpacked"]

MARK = b"\xff"
"""The byte that stands for the end-of-word mark in a token's content; it occurs in no UTF-8 text. With the alphabet
"unicode", it and a byte are the content of a token that means this byte."""

MAX_ID = 2**32 - 2
"""The highest id: the engine, tiktoken and `tokenizers` hold ids in 32 bits, and here the last number is no id."""


@dataclass(frozen=True, slots=True)
class Special:
    """A special token in `Tokenizer.encode_parts`."""

    content: str
    """Its text."""


@dataclass(frozen=True, slots=True)
class SpecialToken:
    """One special (or added) token; the flags are Hugging Face's.

    >>> SpecialToken("<mask>", 50264, lstrip=True).plain
    ('<mask>', 50264, True, False, True, False, False)
    """

    content: str
    """Its text."""
    id: int
    """Its id."""
    special: bool = True
    """Whether it is a control token, left out by `skip_special`; or only an added word."""
    normalized: bool = False
    """Whether it is looked for in normalised text; the others are looked for first, in the text as it is."""
    lstrip: bool = False
    """Whether it takes the white space before it, which its offsets then include and decoding does not give back."""
    rstrip: bool = False
    """Whether it takes the white space behind it."""
    single_word: bool = False
    """Whether it counts only where no letter, digit or other character of `\\w` stands before or behind it."""

    @property
    def plain(self) -> tuple[str, int, bool, bool, bool, bool, bool]:
        """All fields, in order."""
        return self.content, self.id, self.special, self.normalized, self.lstrip, self.rstrip, self.single_word


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingRecord:
    """How a tokenizer was trained. No part of its fingerprint: equal tokenizers may have been trained differently."""

    ties: Literal["lowest", "first", "huggingface", "greatest"]
    """Which of the pairs with the highest count was merged."""
    min_count: int
    """Training stops when the best count is below this."""
    documents: int
    """How many documents were read; 0 when counts were given."""
    bytes: int
    """Bytes of all pretokens, repeated ones repeatedly."""
    pretokens: int
    """How many pretokens there were, repeated ones repeatedly."""
    distinct: int
    """How many different pretokens there were."""
    stopped: Literal["goal", "no pairs", "min count"]
    """Why training ended."""
    counts: tuple[int, ...]
    """Of each merge that was learned: the count of its pair when it was chosen."""
    fired: tuple[int, ...]
    """Of each merge that was learned: how often it was replaced; less than the count where a pair overlaps itself."""
    scale: int = 1
    """What weights made of 1: all counts here are multiplied by it."""
    base_merges: int = 0
    """How many merges are those of a base that was continued; `counts` and `fired` are of those that follow them."""
    chosen_by: tuple[str | None, ...] = ()
    """Of each merge that was learned the language that chose it, where languages took turns (`Balance`); None where all
    together did, or a seed. Empty where they took none."""
    doubtful: int | None = None
    """Where rare pretokens were left out of the counts: the first merge, from 0, that they could have changed. All
    before it are those that the whole counts give. As many as there are, where only more could follow; None: all are.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """A tokenizer as data.

    >>> parts = Parts(tokens=((0, b"a"), (1, b"b"), (2, b"ab")), merges=((0, 1),))
    >>> parts.alphabet, parts.pattern, parts.whole_first
    ('bytes', None, False)

    Raises:
        VocabularyError: an unknown alphabet; an end-of-word mark, or a pattern, where the alphabet allows none; a
            rank file's vocabulary in characters.
    """

    alphabet: Literal["bytes", "characters", "unicode"] = "bytes"
    """What tokens are made of. "unicode": characters as SentencePiece has them, which fall back to tokens that mean a
    byte."""
    end_of_word: str | None = None
    """How the end-of-word mark is written; with characters, or joined to the last byte of a word (CLIP). What the
    pattern does not match is then no word, and is dropped."""
    end_of_word_joined: bool = False
    """Whether the mark is joined to a word's last character, or a symbol of its own."""
    pattern: str | None = None
    """The regular expression that cuts text into pretokens, presets spelled out. None: text is one pretoken, or, with
    characters, words between white space."""
    tokens: tuple[tuple[int, bytes], ...]
    """(id, content) of every token that is not special. The content is the token's bytes; with characters, UTF-8 with
    the byte 0xFF for the end-of-word mark; with bytes and a mark, that byte behind one byte or more is the mark."""
    merges: tuple[tuple[int, int], ...] | None
    """(left id, right id) in the order of their ranks. None: a rank file, in which every pair whose concatenation is
    a token merges, with the rank of the result, which is its id."""
    whole_first: bool = False
    """Whether a pretoken that is a token is looked up before it is merged; always so for a rank file."""
    specials: tuple[SpecialToken, ...] = ()
    """Special and added tokens."""
    training: TrainingRecord | None = None
    """How it was trained, if it was trained here."""
    unknown: int | None = None
    """The id that a character gets which is no token and does not fall back to bytes; "unicode" only."""
    fuse_unknown: bool = False
    """Whether such characters that follow each other get one id."""
    normalizer: Normalizer = field(default_factory=Normalizer)
    """What is done to a text first."""
    decoder: Decoder = field(default_factory=Decoder)
    """What decoding undoes of that."""
    post_processor: str | None = None
    """The `post_processor` of a `tokenizer.json` that adds special tokens to each text, as JSON: kept for those who
    read the file; `encode` never adds any."""

    def __post_init__(self) -> None:
        if self.alphabet not in {"bytes", "characters", "unicode"}:
            raise VocabularyError(f"the alphabet is {self.alphabet!r}", 'it is "bytes", "characters" or "unicode"')
        if self.alphabet != "unicode" and (self.unknown is not None or self.fuse_unknown):
            raise VocabularyError(
                f"an unknown token ({self.unknown}) with an alphabet of {self.alphabet}",
                'leave it out, or use alphabet="unicode"',
            )
        if self.alphabet == "unicode" and (self.end_of_word is not None or self.end_of_word_joined):
            raise VocabularyError(
                f"an end-of-word mark ({self.end_of_word!r}) with an alphabet of {self.alphabet}",
                'leave the mark out, or use alphabet="characters"',
            )
        if self.alphabet == "bytes" and self.end_of_word is not None and not self.end_of_word_joined:
            raise VocabularyError(
                f"an end-of-word mark ({self.end_of_word!r}) that is a symbol of its own, with an alphabet of bytes",
                'join it to the last byte (`end_of_word_joined`), leave it out, or use alphabet="characters"',
            )
        if self.end_of_word == "" or (self.end_of_word is None and self.end_of_word_joined):
            raise VocabularyError("the end-of-word mark is empty", 'name one, such as "</w>", or leave it out')
        if self.alphabet == "characters" and self.pattern is not None:
            raise VocabularyError(
                f"a pattern ({self.pattern!r}) with an alphabet of characters",
                "leave the pattern out: words are split on white space",
            )
        if self.merges is None and (self.alphabet != "bytes" or self.end_of_word is not None or not self.whole_first):
            raise VocabularyError(
                "no merges: this is a rank file's vocabulary, but not one of bytes with whole-pretoken lookup",
                'give the merges, or use alphabet="bytes" and whole_first=True',
            )


Around: TypeAlias = tuple[
    int | None,
    bool,
    tuple[list[tuple[str, list[str], list[bool], bytes]], list[tuple[str, list[str], list[bool], bytes]], bool],
    tuple[str | None, int],
    str | None,
]
"""What is around a vocabulary, as the engine takes and gives it."""


def around(parts: Parts) -> Around:
    """What is around the vocabulary of these parts."""
    steps = parts.normalizer.packed()
    decoder = parts.decoder.space, parts.decoder.strip
    return parts.unknown, parts.fuse_unknown, steps, decoder, parts.post_processor


def unpacked(own: Around) -> dict[str, Any]:
    """The opposite: the fields of `Parts`."""
    unknown, fuse_unknown, (before, after, plain), (space, strip), post_processor = own
    steps = [
        tuple(
            Step(cast(Kind, kind), tuple(texts), tuple(flags), bytes(charsmap)) for kind, texts, flags, charsmap in some
        )
        for some in (before, after)
    ]
    return {
        "unknown": unknown,
        "fuse_unknown": fuse_unknown,
        "normalizer": Normalizer(steps[0], steps[1], plain),
        "decoder": Decoder(space, strip),
        "post_processor": post_processor,
    }
