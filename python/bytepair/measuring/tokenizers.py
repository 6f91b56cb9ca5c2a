"""The tokenizers that are judged: one, or several by their names; anything else is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer

__all__ = ["UnsuitableError", "checked", "lies_end_to_end", "named"]


class UnsuitableError(ValueError):
    """What was asked for is not known of such a tokenizer, whatever the text."""


def checked(tok: object, *, without_words: str | None = None) -> Tokenizer:
    """A tokenizer; with `without_words`, one that has no words with marks between white space, for this reason.

    Raises:
        TypeError: what is no tokenizer.
        UnsuitableError: one of characters, or one with an end-of-word mark.
    """
    from bytepair.tokenizer import Tokenizer  # noqa: PLC0415 - it imports much of the package

    if not isinstance(tok, Tokenizer):
        raise TypeError(f"tok is of type `{type(tok).__name__}`\nhint: it is a Tokenizer; load one with bytepair.load")
    alphabet, end_of_word, _ = tok._engine.alphabet  # noqa: SLF001 - for this package's own use
    if without_words is not None and alphabet == "characters":
        raise UnsuitableError(
            f"the tokenizer is one of characters: {without_words}\nhint: give a tokenizer of bytes, or SentencePiece's"
        )
    if without_words is not None and end_of_word is not None:
        raise UnsuitableError(
            f"the tokenizer has an end-of-word mark: {without_words}\nhint: give a tokenizer of bytes that has none"
        )
    return tok


def lies_end_to_end(tok: Tokenizer) -> bool:
    """Whether the tokens of a text are its bytes, end to end."""
    alphabet, end_of_word, _ = tok._engine.alphabet  # noqa: SLF001 - for this package's own use
    return alphabet == "bytes" and end_of_word is None and not tok._engine.normalises  # noqa: SLF001


def named(tok: Tokenizer | Sequence[Tokenizer] | Mapping[str, Tokenizer]) -> dict[str, Tokenizer]:
    """The tokenizers by their names: "tokenizer" for one alone, "1", "2" and so on in a list.

    Raises:
        TypeError: what is no tokenizer.
        ValueError: none at all.
    """
    if isinstance(tok, Mapping):
        found = {name: checked(one) for name, one in tok.items()}
    elif isinstance(tok, (list, tuple)):
        found = {str(index): checked(one) for index, one in enumerate(tok, 1)}
    else:
        found = {"tokenizer": checked(tok)}
    if not found:
        raise ValueError("there is no tokenizer\nhint: give at least one")
    return found
