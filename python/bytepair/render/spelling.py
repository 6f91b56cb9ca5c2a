"""How tokens are spelled for people: bytes stand for themselves, but for the end-of-word mark.

The idea: with characters, the vocabulary holds the mark as the byte 0xFF, which no UTF-8 text contains. People see the
mark as it was named.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer

_MARK = b"\xff"


@dataclass(frozen=True, slots=True)
class Spelling:
    r"""Spells tokens with `mark` for the end of a word; None: there is none, and every byte is itself.

    >>> Spelling("</w>").shown(b"low\xff"), Spelling("</w>").bare(b"low\xff"), Spelling(None).shown(b"\xff")
    (b'low</w>', b'low', b'\xff')
    """

    mark: str | None = None

    def shown(self, content: bytes) -> bytes:
        """`content` with the mark as it is named."""
        return content if self.mark is None else content.replace(_MARK, self.mark.encode())

    def bare(self, content: bytes) -> bytes:
        """`content` without the mark: what of it stands in the text."""
        return content if self.mark is None else content.replace(_MARK, b"")


BYTES = Spelling()


def spelling_of(tok: Tokenizer) -> Spelling:
    """How the tokens of `tok` are spelled."""
    return Spelling(tok.info().end_of_word)
