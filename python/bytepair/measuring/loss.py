"""Losses of models with different tokenizers, made comparable: by the byte and by the character instead of the token.

A loss per token says nothing about a model with another tokenizer: fewer tokens are each harder to guess. The same text
has the same bytes and characters for everybody.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Unpack

from bytepair.measuring.lengths import Lengths
from bytepair.measuring.reading import LanguageFiles, LanguageTexts, Reading, read
from bytepair.measuring.shown import Row, Shown, number, plain_value, table
from bytepair.measuring.tokenizers import checked, named
from bytepair.render.spans import Block, heading, line

if TYPE_CHECKING:
    from bytepair.data import Corpus
    from bytepair.tokenizer import Tokenizer

__all__ = ["Loss", "Losses", "Perplexities", "bits_per_byte", "losses", "nats_per_character", "perplexities"]

Totals = tuple[int, int, int]
"""Tokens, bytes and characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Perplexities:
    """A loss as the number of equally likely units that it is worth: e to the power of the nats a unit."""

    per_token: float
    """Of tokens; cannot be compared between tokenizers."""
    per_character: float
    """Of characters."""
    per_byte: float
    """Of bytes."""


def bits_per_byte(
    nats_per_token: float,
    tok: Tokenizer,
    texts: LanguageTexts | None = None,
    *,
    files: LanguageFiles | None = None,
    **reading: Unpack[Reading],
) -> float:
    """Bits a byte = nats a token / (ln 2 x bytes a token), bytes and tokens of all texts together.

    Args:
        nats_per_token: the mean loss of a model on these texts, in nats a token.
        tok: the model's tokenizer.
        texts: the texts on which the loss was measured, or texts like them.
        files: files in place of `texts`.
        **reading: how they are read, as in `count_pretokens`.

    Raises:
        TypeError: none or both of `texts` and `files`, and all that `measure` raises.
        ValueError: a loss that is no number of at least 0; texts without a token.

    >>> import bytepair as bp
    >>> tok = bp.train(texts=[], vocab_size=256)
    >>> round(bp.bits_per_byte(0.6931471805599453, tok, ["abcd"]), 9)
    1.0
    """
    tokens, size, _ = _totals(nats_per_token, tok, read(texts, files, None, reading))
    return nats_per_token * tokens / (math.log(2) * size)


def nats_per_character(
    nats_per_token: float,
    tok: Tokenizer,
    texts: LanguageTexts | None = None,
    *,
    files: LanguageFiles | None = None,
    **reading: Unpack[Reading],
) -> float:
    """Nats a character = nats a token / (characters a token), characters and tokens of all texts together.

    Arguments and errors as `bits_per_byte`. A model with 3.31 nats a token at 4.085 characters a token has 0.81 nats a
    character, and is better than one over characters with 1.103.

    >>> import bytepair as bp
    >>> tok = bp.train(texts=["low low"], num_merges=2)
    >>> round(bp.nats_per_character(3.0, tok, ["low"]), 9)
    1.0
    """
    tokens, _, characters = _totals(nats_per_token, tok, read(texts, files, None, reading))
    return nats_per_token * tokens / characters


def perplexities(
    nats_per_token: float,
    tok: Tokenizer,
    texts: LanguageTexts | None = None,
    *,
    files: LanguageFiles | None = None,
    **reading: Unpack[Reading],
) -> Perplexities:
    """The perplexity by the token, the character and the byte. Arguments and errors as `bits_per_byte`.

    >>> import bytepair as bp
    >>> tok = bp.train(texts=["low low"], num_merges=2)
    >>> found = bp.perplexities(3.0, tok, ["low"])  # one token, three characters
    >>> round(found.per_token, 3), round(found.per_character, 3)
    (20.086, 2.718)
    """
    tokens, size, characters = _totals(nats_per_token, tok, read(texts, files, None, reading))
    nats = nats_per_token * tokens
    return Perplexities(
        per_token=_exp(nats_per_token), per_character=_exp(nats / characters), per_byte=_exp(nats / size)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """A model's loss on a text, by the token, the character and the byte."""

    tokenizer: str
    """The name of the model's tokenizer."""
    tokens: int
    """Tokens of the text."""
    characters_per_token: float
    """All characters over all tokens."""
    nats_per_token: float
    """The loss as it was given; cannot be compared between tokenizers."""
    nats_per_character: float
    """The same text has the same characters for everybody: can be compared."""
    bits_per_byte: float
    """In bits, by the byte: can be compared, between languages too."""
    perplexity_per_token: float
    """e to the power of the nats a token."""
    perplexity_per_character: float
    """e to the power of the nats a character."""
    perplexity_per_byte: float
    """e to the power of the nats a byte."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Losses(Shown):
    """Losses of models with different tokenizers on one text, the best first; `losses` makes it."""

    losses: tuple[Loss, ...]
    """By the bits a byte."""
    bytes: int
    """Bytes of the text."""
    characters: int
    """Its characters."""

    def __post_init__(self) -> None:
        if not self.losses:
            raise ValueError("there is no loss\nhint: use bytepair.losses")

    def __repr__(self) -> str:
        return f"<Losses of {', '.join(one.tokenizer for one in self.losses)}>"

    def rows(self) -> list[Row]:
        """One row for each model."""
        return [{name: plain_value(value) for name, value in asdict(one).items()} for one in self.losses]

    def to_dict(self) -> dict[str, Any]:
        """The rows, and how long the text is."""
        return {"bytes": self.bytes, "characters": self.characters, "rows": self.rows()}

    def blocks(self) -> list[Block]:
        """The losses, the perplexities, and what can be compared."""
        rows = [
            [
                one.tokenizer,
                *(number(value) for value in (one.nats_per_token, one.characters_per_token)),
                *(number(value) for value in (one.nats_per_character, one.bits_per_byte)),
            ]
            for one in self.losses
        ]
        others = [
            [
                one.tokenizer,
                number(one.perplexity_per_token, 2),
                number(one.perplexity_per_character, 2),
                number(one.perplexity_per_byte, 2),
            ]
            for one in self.losses
        ]
        headings = ["tokenizer", "nats/token", "characters/token", "nats/character", "bits/byte"]
        return [
            heading(f"Losses on {self.characters:,} characters, {self.bytes:,} bytes"),
            table(headings, rows),
            line(""),
            heading("Perplexity"),
            table(["tokenizer", "per token", "per character", "per byte"], others),
            line(""),
            line("Less is better. Figures by the token cannot be compared: fewer tokens are each harder to guess."),
            line("nats/character = nats/token / (characters/token); bits/byte = nats/token / (ln 2 x bytes/token)."),
        ]


def losses(
    nats_per_token: float | Iterable[float] | Mapping[str, float],
    tok: Tokenizer | Sequence[Tokenizer] | Mapping[str, Tokenizer],
    texts: LanguageTexts | None = None,
    *,
    files: LanguageFiles | None = None,
    **reading: Unpack[Reading],
) -> Losses:
    """Losses of models with different tokenizers, by the character and the byte, so that they can be compared.

    Args:
        nats_per_token: the loss of each model on these texts, in nats a token; in the order of the tokenizers, or by
            their names.
        tok: the models' tokenizers: one, a list, or a mapping from names to them.
        texts: the texts on which the losses were measured, or texts like them.
        files: files in place of `texts`.
        **reading: how they are read, as in `count_pretokens`.

    Raises:
        TypeError: none or both of `texts` and `files`; what is no tokenizer.
        ValueError: a loss that is no number of at least 0; more or fewer losses than tokenizers; texts without a token.

    >>> import bytepair as bp
    >>> toks = {"bytes": bp.train(texts=[], vocab_size=256), "words": bp.train(texts=["low low"], num_merges=2)}
    >>> found = bp.losses({"bytes": 1.0, "words": 2.0}, toks, ["low"])
    >>> [(one.tokenizer, round(one.nats_per_character, 3)) for one in found.losses]
    [('words', 0.667), ('bytes', 1.0)]
    """
    tokenizers = named(tok)
    given = _by_name(nats_per_token, tokenizers)
    totals = _counted(tokenizers, read(texts, files, None, reading))
    found = [_loss(name, given[name], *totals[name]) for name in tokenizers]
    _, size, characters = next(iter(totals.values()))
    return Losses(losses=tuple(sorted(found, key=lambda one: one.bits_per_byte)), bytes=size, characters=characters)


def _by_name(nats: float | Iterable[float] | Mapping[str, float], names: Iterable[str]) -> dict[str, float]:
    wanted = list(names)
    if isinstance(nats, Mapping):
        given = dict(nats)
    else:
        values = list(nats) if isinstance(nats, Iterable) else [nats]
        given = dict(zip(wanted, values, strict=False)) if len(values) == len(wanted) else {}
    if set(given) != set(wanted):
        raise ValueError(f"the losses are not those of {', '.join(wanted)}\nhint: give one for each tokenizer")
    for value in given.values():
        _check(value)
    return given


def _loss(name: str, nats: float, tokens: int, size: int, characters: int) -> Loss:
    return Loss(
        tokenizer=name,
        tokens=tokens,
        characters_per_token=characters / tokens,
        nats_per_token=nats,
        nats_per_character=nats * tokens / characters,
        bits_per_byte=nats * tokens / (math.log(2) * size),
        perplexity_per_token=_exp(nats),
        perplexity_per_character=_exp(nats * tokens / characters),
        perplexity_per_byte=_exp(nats * tokens / size),
    )


def _exp(nats: float) -> float:
    """A loss beyond all measure has a perplexity of infinity."""
    try:
        return math.exp(nats)
    except OverflowError:
        return math.inf


def _totals(nats: float, tok: Tokenizer, texts: Corpus) -> Totals:
    """Tokens, bytes and characters of all texts."""
    _check(nats)
    [found] = _counted({"": checked(tok)}, texts).values()
    return found


def _check(nats: float) -> None:
    if isinstance(nats, bool) or not (isinstance(nats, (int, float)) and math.isfinite(nats) and nats >= 0):
        raise ValueError(f"nats_per_token is {nats!r}\nhint: it is a loss, a number of at least 0")


def _counted(tokenizers: Mapping[str, Tokenizer], texts: Corpus) -> dict[str, Totals]:
    """The totals of several tokenizers on the same texts, which are read once."""
    lengths = Lengths(tokenizers)
    for batch in texts:
        lengths.add(batch)
        del batch  # or it would be held while the next one is read
    if not all(lengths.tokens.values()):
        raise ValueError("the texts have no token\nhint: give texts that are not empty")
    return {name: (count, lengths.bytes, lengths.characters) for name, count in lengths.tokens.items()}
