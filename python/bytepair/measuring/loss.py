"""Losses of models with different tokenizers, made comparable: by the byte and by the character instead of the token.

A loss per token says nothing about a model with another tokenizer: fewer tokens are each harder to guess. The same text
has the same bytes and characters for everybody.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

from bytepair import _core
from bytepair.measuring.reading import LanguageFiles, LanguageTexts, Reading, read
from bytepair.measuring.tokenizers import checked

if TYPE_CHECKING:
    from bytepair.data import Corpus
    from bytepair.tokenizer import Tokenizer

__all__ = ["Perplexities", "bits_per_byte", "nats_per_character", "perplexities"]


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


def _exp(nats: float) -> float:
    """A loss beyond all measure has a perplexity of infinity."""
    try:
        return math.exp(nats)
    except OverflowError:
        return math.inf


def _totals(nats: float, tok: Tokenizer, texts: Corpus) -> tuple[int, int, int]:
    """Tokens, bytes and characters of all texts."""
    if not (isinstance(nats, (int, float)) and math.isfinite(nats) and nats >= 0):
        raise ValueError(f"nats_per_token is {nats!r}\nhint: it is a loss, a number of at least 0")
    checked(tok)
    tokens = size = characters = 0
    for batch in texts.documents():
        for text in batch.documents:
            raw = _core.raw(text)
            size += len(raw)
            characters += len(raw.decode("utf-8", "replace"))
            tokens += tok.count(raw)
    if tokens == 0:
        raise ValueError("the texts have no token\nhint: give texts that are not empty")
    return tokens, size, characters
