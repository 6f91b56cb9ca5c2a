"""The tokenizers that are judged: one, or several by their names; anything else is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer

__all__ = ["UnsuitableError", "checked", "is_of_bytes", "named"]


class UnsuitableError(ValueError):
    """What was asked for is not known of such a tokenizer, whatever the text."""


def checked(tok: object, *, of_bytes: str | None = None, may_normalise: bool = False) -> Tokenizer:
    """A tokenizer; with `of_bytes`, one of bytes, for the reason that this says.

    Raises:
        TypeError: what is no tokenizer.
        UnsuitableError: one of characters, one with an end-of-word mark, or one that normalises texts where
            `may_normalise` is false.
    """
    from bytepair.tokenizer import Tokenizer  # noqa: PLC0415 - it imports much of the package

    if not isinstance(tok, Tokenizer):
        raise TypeError(f"tok is of type `{type(tok).__name__}`\nhint: it is a Tokenizer; load one with bytepair.load")
    engine = tok._engine  # noqa: SLF001 - for this package's own use
    if of_bytes is not None and engine.alphabet[0] != "bytes":
        raise UnsuitableError(f"the tokenizer is one of characters: {of_bytes}\nhint: give a tokenizer of bytes")
    if of_bytes is not None and engine.alphabet[1] is not None:
        raise UnsuitableError(
            f"the tokenizer has an end-of-word mark: {of_bytes}\nhint: give a tokenizer of bytes that has none"
        )
    if of_bytes is not None and engine.normalises and not may_normalise:
        raise UnsuitableError(
            f"the tokenizer normalises texts: {of_bytes}\nhint: give a tokenizer of bytes that does not"
        )
    return tok


def is_of_bytes(tok: Tokenizer) -> bool:
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
